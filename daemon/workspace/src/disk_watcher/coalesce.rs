//! Merges many events of one path into a single change.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{DiskChanges, FileChangeType};

/// The cap on stored paths.
const MAX_CHANGED_PATHS: usize = 20_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathEvent {
    /// The path did not exist before.
    Created,
    /// Something was moved there; it may have existed before.
    MovedIn,
    Changed,
    Deleted,
    /// A whole folder. Its contents may not be known.
    FolderDeleted,
}

#[derive(Debug, Default)]
pub(super) struct CoalescedChanges {
    names: BTreeMap<PathBuf, PathEvent>,
    pub(super) missed: bool,
    /// A folder was created, deleted or moved.
    pub(super) folders_changed: bool,
    /// Other files may be ignored or readable now.
    pub(super) rules_changed: bool,
}

impl CoalescedChanges {
    pub(super) fn add(&mut self, path: PathBuf, seen: PathEvent) {
        let Some(before) = self.names.get(&path) else {
            if self.names.len() < MAX_CHANGED_PATHS {
                self.names.insert(path, seen);
            } else {
                self.missed = true;
            }
            return;
        };
        let now = match (before, seen) {
            // A temporary file that editors and git write and rename: no server needs to know it.
            (PathEvent::Created, PathEvent::Deleted) => None,
            (_, PathEvent::Deleted | PathEvent::FolderDeleted) => Some(seen),
            (PathEvent::FolderDeleted, _) => Some(PathEvent::MovedIn),
            (PathEvent::Created | PathEvent::MovedIn, _) => Some(*before),
            (PathEvent::Changed | PathEvent::Deleted, _) => Some(PathEvent::Changed),
        };
        match now {
            Some(now) => self.names.insert(path, now),
            None => self.names.remove(&path),
        };
    }

    /// A deleted folder exists again: its contents are reported file by file.
    pub(super) fn cancel_folder_deletion(&mut self, folder: &Path) {
        if self.names.get(folder) == Some(&PathEvent::FolderDeleted) {
            self.names.remove(folder);
        }
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.names.keys()
    }

    pub(super) fn finish(self) -> DiskChanges {
        // A deleted folder may exist again before it could be listed. Its contents are reported file by file.
        let exists_again = |path: &Path, seen: PathEvent| seen == PathEvent::FolderDeleted && path.is_dir();
        let names = self.names.into_iter().filter(|(path, seen)| !exists_again(path, *seen));
        let changed = names.map(|(path, seen)| match seen {
            PathEvent::Created | PathEvent::MovedIn => (path, FileChangeType::Created),
            PathEvent::Changed => (path, FileChangeType::Changed),
            // Two files that change their names with each other are moved there and away again.
            PathEvent::Deleted if path.symlink_metadata().is_ok_and(|found| !found.is_dir()) => {
                (path, FileChangeType::Changed)
            }
            PathEvent::Deleted | PathEvent::FolderDeleted => (path, FileChangeType::Deleted),
        });
        DiskChanges {
            changed: changed.collect(),
            missed: self.missed,
            folders_changed: self.folders_changed,
            rules_changed: self.rules_changed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_a_path_merge_into_one_change() {
        use FileChangeType::{Changed, Created, Deleted};
        let cases: [(&[PathEvent], Option<FileChangeType>); 8] = [
            (&[PathEvent::Created, PathEvent::Changed, PathEvent::Changed], Some(Created)),
            (&[PathEvent::Created, PathEvent::Changed, PathEvent::Deleted], None),
            (&[PathEvent::Changed, PathEvent::Deleted], Some(Deleted)),
            (&[PathEvent::Deleted, PathEvent::Created, PathEvent::Changed], Some(Changed)),
            (&[PathEvent::MovedIn, PathEvent::Changed], Some(Created)),
            (&[PathEvent::MovedIn, PathEvent::Deleted], Some(Deleted)),
            (&[PathEvent::Changed, PathEvent::MovedIn], Some(Changed)),
            (&[PathEvent::Created, PathEvent::Deleted, PathEvent::Created], Some(Created)),
        ];
        for (events, expected) in cases {
            let mut changes = CoalescedChanges::default();
            for event in events {
                changes.add("a".into(), *event);
            }
            let expected: Vec<_> = expected.map(|expected| ("a".into(), expected)).into_iter().collect();
            assert_eq!(
                changes.finish(),
                DiskChanges { changed: expected, ..DiskChanges::default() },
                "{events:?}"
            );
        }
    }

    #[test]
    fn stored_changes_are_capped() {
        let mut changes = CoalescedChanges::default();
        for number in 0..=MAX_CHANGED_PATHS {
            changes.add(number.to_string().into(), PathEvent::Changed);
        }
        let changes = changes.finish();
        assert_eq!((changes.changed.len(), changes.missed), (MAX_CHANGED_PATHS, true));
    }
}
