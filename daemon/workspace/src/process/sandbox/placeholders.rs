//! Empty folders that stand where a protected path is missing, so that a command cannot make it. git does not see them.
//!
//! Contract: each command that needs one holds a shared lock on it, and the last one removes it. Removing it earlier would take away the mount
//! that another sandbox, of this process or of another, has there. The kernel releases the locks of a daemon that was killed: the next command
//! in the workspace knows the folder by its mode, and removes it when it ends.

use std::{
    fs::{self, DirBuilder, File, Metadata, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;

/// What tells a placeholder from a user's empty folder. The folder is made with it, so it is never seen without.
const MODE: u32 = 0o1700;
/// The last command removes the folder within microseconds of locking it.
const MAX_ATTEMPTS: usize = 1000;

/// The placeholders of one command. Dropping it removes those that no other command needs.
#[derive(Debug, Default)]
pub(super) struct PlaceholderLease {
    folders: Vec<(PathBuf, File)>,
}

impl PlaceholderLease {
    /// Puts an empty folder at the path unless something is there. Returns whether a placeholder stands there now.
    pub(super) fn ensure(&mut self, path: &Path) -> io::Result<bool> {
        for _ in 0..MAX_ATTEMPTS {
            let is_made = match DirBuilder::new().mode(MODE).create(path) {
                Ok(()) => true,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => false,
                Err(error) => return Err(error),
            };
            let flags = (OFlags::DIRECTORY | OFlags::NOFOLLOW).bits().cast_signed();
            let folder = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
                Ok(folder) => folder,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(_) => return Ok(false),
            };
            // Some file systems have no modes.
            if !is_made && !is_placeholder(path, &folder.metadata()?) {
                return Ok(false);
            }
            let is_locked = flock(&folder, FlockOperation::NonBlockingLockShared).is_ok();
            if is_locked && is_at(path, &folder) {
                self.folders.push((path.to_path_buf(), folder));
                return Ok(true);
            }
            // Another command is removing it.
            std::thread::yield_now();
        }
        Err(io::Error::other("another program holds a lock on it"))
    }
}

impl Drop for PlaceholderLease {
    fn drop(&mut self) {
        for (path, folder) in self.folders.drain(..).rev() {
            let is_needed =
                flock(&folder, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK);
            if !is_needed && is_at(&path, &folder) {
                // A user may have put something into it.
                let _ = fs::remove_dir(&path);
            }
        }
    }
}

fn is_placeholder(path: &Path, folder: &Metadata) -> bool {
    let is_empty = || fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    folder.mode() & 0o1777 == MODE && folder.uid() == rustix::process::geteuid().as_raw() && is_empty()
}

/// Whether the path still leads to the opened folder.
fn is_at(path: &Path, folder: &File) -> bool {
    let identity = |found: Metadata| (found.dev(), found.ino());
    match (path.symlink_metadata(), folder.metadata()) {
        (Ok(there), Ok(opened)) => identity(there) == identity(opened),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_command_removes_what_the_first_one_made() {
        let folder = tempfile::tempdir().unwrap();
        let (missing, there) = (folder.path().join(".vscode"), folder.path().join(".idea"));
        fs::create_dir(&there).unwrap();
        let (mut first, mut second) = (PlaceholderLease::default(), PlaceholderLease::default());
        for lease in [&mut first, &mut second] {
            assert!(lease.ensure(&missing).unwrap());
            assert!(!lease.ensure(&there).unwrap());
        }
        drop(first);
        assert!(missing.is_dir());
        drop(second);
        assert!(!missing.exists() && there.is_dir());
    }

    /// A killed daemon's locks are gone, and its folders are not.
    #[test]
    fn what_a_killed_daemon_left_is_removed_by_the_next_command() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".envrc");
        let mut killed = PlaceholderLease::default();
        assert!(killed.ensure(&path).unwrap());
        killed.folders.clear();
        drop(killed);
        assert!(path.is_dir());
        let mut next = PlaceholderLease::default();
        assert!(next.ensure(&path).unwrap());
        drop(next);
        assert!(!path.exists());
    }

    #[test]
    fn what_a_user_puts_there_stays() {
        let folder = tempfile::tempdir().unwrap();
        let [filled, replaced] = [".vscode", ".idea"].map(|name| folder.path().join(name));
        let mut lease = PlaceholderLease::default();
        assert!(lease.ensure(&filled).unwrap() && lease.ensure(&replaced).unwrap());
        fs::write(filled.join("settings.json"), "{}").unwrap();
        fs::remove_dir(&replaced).unwrap();
        fs::create_dir(&replaced).unwrap();
        assert!(!PlaceholderLease::default().ensure(&filled).unwrap(), "it is the user's now");
        drop(lease);
        assert!(filled.join("settings.json").is_file() && replaced.is_dir());
    }
}
