//! Many events of one name, as the one change that they come to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::DiskChanges;
use crate::server::FileChangeType;

/// Names that changed and were not told yet.
const MOST: usize = 20_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathEvent {
    /// The name was not there before.
    Created,
    /// Something was moved to it; whether it was there before is not known.
    MovedIn,
    Changed,
    Deleted,
    /// A whole folder; of what was in it nothing more may be known.
    FolderDeleted,
}

#[derive(Debug, Default)]
pub(super) struct CoalescedChanges {
    names: BTreeMap<PathBuf, PathEvent>,
    pub(super) missed: bool,
    /// A folder came or went.
    pub(super) folders_changed: bool,
}

impl CoalescedChanges {
    pub(super) fn add(&mut self, path: PathBuf, seen: PathEvent) {
        let Some(before) = self.names.get(&path) else {
            if self.names.len() < MOST {
                self.names.insert(path, seen);
            } else {
                self.missed = true;
            }
            return;
        };
        let now = match (before, seen) {
            // Written beside a file and moved onto it, as editors and git do: nobody needs to hear of the name.
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

    /// A folder that was deleted is there again: what is in it is told name by name.
    pub(super) fn cancel_folder_deletion(&mut self, folder: &Path) {
        if self.names.get(folder) == Some(&PathEvent::FolderDeleted) {
            self.names.remove(folder);
        }
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.names.keys()
    }

    pub(super) fn finish(self) -> DiskChanges {
        // A folder that went may be there again before anybody could look into it; what is in it is told name by name.
        let is_there = |path: &Path, seen: PathEvent| seen == PathEvent::FolderDeleted && path.is_dir();
        let names = self.names.into_iter().filter(|(path, seen)| !is_there(path, *seen));
        let told = names.map(|(path, seen)| match seen {
            PathEvent::Created | PathEvent::MovedIn => (path, FileChangeType::Created),
            PathEvent::Changed => (path, FileChangeType::Changed),
            PathEvent::Deleted | PathEvent::FolderDeleted => (path, FileChangeType::Deleted),
        });
        DiskChanges { changed: told.collect(), missed: self.missed, folders_changed: self.folders_changed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_a_name_come_to_one_change() {
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
            let mut fold = CoalescedChanges::default();
            for event in events {
                fold.add("a".into(), *event);
            }
            let expected: Vec<_> = expected.map(|expected| ("a".into(), expected)).into_iter().collect();
            assert_eq!(
                fold.finish(),
                DiskChanges { changed: expected, ..DiskChanges::default() },
                "{events:?}"
            );
        }
    }

    #[test]
    fn there_is_an_end_to_what_is_kept() {
        let mut fold = CoalescedChanges::default();
        for number in 0..=MOST {
            fold.add(number.to_string().into(), PathEvent::Changed);
        }
        let changes = fold.finish();
        assert_eq!((changes.changed.len(), changes.missed), (MOST, true));
    }
}
