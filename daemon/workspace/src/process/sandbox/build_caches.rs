//! A folder for each workspace in which commands of its sandbox keep what would else be built anew by each of them. Nothing outside of that
//! sandbox reads it, so no command can leave something there that runs with more rights.

use std::{
    fs::{self, DirBuilder},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    time::SystemTime,
};

use crate::time_limits::BUILD_CACHE_MAX_AGE;

/// How many are kept: those that were used last.
const MAX_FOLDERS: usize = 20;

/// The folder of this workspace. A new one makes place.
pub(super) fn folder_for(all: &Path, workspace: &Path) -> io::Result<PathBuf> {
    let mut hasher = DefaultHasher::new();
    workspace.hash(&mut hasher);
    let folder = all.join(format!("{:016x}", hasher.finish()));
    let is_new = !folder.is_dir();
    if is_new {
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    }
    let _ = fs::File::open(&folder).and_then(|folder| folder.set_modified(SystemTime::now()));
    if is_new {
        remove_old(all, SystemTime::now());
    }
    Ok(folder)
}

fn remove_old(all: &Path, now: SystemTime) {
    let entries = fs::read_dir(all).into_iter().flatten().flatten();
    let used = |entry: &fs::DirEntry| entry.metadata().and_then(|found| found.modified()).unwrap_or(now);
    let mut folders: Vec<_> = entries.map(|entry| (used(&entry), entry.path())).collect();
    folders.sort_by(|one, other| other.cmp(one));
    let is_old = |used: SystemTime| now.duration_since(used).is_ok_and(|age| age > BUILD_CACHE_MAX_AGE);
    let old =
        folders.into_iter().enumerate().filter(|(place, (used, _))| *place >= MAX_FOLDERS || is_old(*used));
    for (_, (_, folder)) in old {
        let _ = fs::remove_dir_all(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_workspace_has_its_own_and_old_ones_go() {
        let all = tempfile::tempdir().unwrap();
        let folder = |workspace: &str| folder_for(all.path(), Path::new(workspace)).unwrap();
        let first = folder("/a");
        fs::write(first.join("kept"), "").unwrap();
        assert_eq!(folder("/a"), first);
        assert_ne!(folder("/b"), first);
        assert!(first.join("kept").exists());
        (0..MAX_FOLDERS).for_each(|number| drop(folder(&format!("/{number}"))));
        let count = || fs::read_dir(all.path()).unwrap().count();
        assert_eq!(count(), MAX_FOLDERS);
        remove_old(all.path(), SystemTime::now() + BUILD_CACHE_MAX_AGE * 2);
        assert_eq!(count(), 0);
    }
}
