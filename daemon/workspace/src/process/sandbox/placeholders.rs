//! Empty folders that stand where a protected path is missing, so that a command cannot make it. git does not see them.
//!
//! One list for the whole daemon: removing a folder while another command's sandbox protects it would take that protection away.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

static PLACEHOLDERS: Mutex<BTreeMap<PathBuf, usize>> = Mutex::new(BTreeMap::new());

/// The placeholders of one command. Dropping it removes those that no other command needs.
#[derive(Debug, Default)]
pub(super) struct PlaceholderLease {
    paths: Vec<PathBuf>,
}

impl PlaceholderLease {
    /// Puts an empty folder at the path unless something is there. Returns whether the path can be protected now.
    pub(super) fn ensure(&mut self, path: &Path) -> io::Result<()> {
        let mut placeholders = PLACEHOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
        let is_ours = match fs::create_dir(path) {
            Ok(()) => true,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => placeholders.contains_key(path),
            Err(error) => return Err(error),
        };
        if is_ours {
            *placeholders.entry(path.to_path_buf()).or_default() += 1;
            self.paths.push(path.to_path_buf());
        }
        Ok(())
    }
}

impl Drop for PlaceholderLease {
    fn drop(&mut self) {
        let mut placeholders = PLACEHOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
        for path in self.paths.iter().rev() {
            let Some(count) = placeholders.get_mut(path) else { continue };
            *count -= 1;
            if *count == 0 {
                placeholders.remove(path);
                // A user may have put something into it.
                let _ = fs::remove_dir(path);
            }
        }
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
            lease.ensure(&missing).unwrap();
            lease.ensure(&there).unwrap();
        }
        drop(first);
        assert!(missing.is_dir());
        drop(second);
        assert!(!missing.exists() && there.is_dir());
    }
}
