//! Many events of one name, as the one change that they come to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Changes;
use crate::server::OnDisk;

/// Names that changed and were not told yet.
const MOST: usize = 20_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// The name was not there before.
    New,
    /// Something was moved to it; whether it was there before is not known.
    Placed,
    Changed,
    Deleted,
    /// A whole folder; of what was in it nothing more may be known.
    FolderDeleted,
}

#[derive(Debug, Default)]
pub(super) struct Fold {
    names: BTreeMap<PathBuf, Seen>,
    pub(super) missed: bool,
    /// A folder came or went.
    pub(super) folders: bool,
}

impl Fold {
    pub(super) fn add(&mut self, path: PathBuf, seen: Seen) {
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
            (Seen::New, Seen::Deleted) => None,
            (_, Seen::Deleted | Seen::FolderDeleted) => Some(seen),
            (Seen::FolderDeleted, _) => Some(Seen::Placed),
            (Seen::New | Seen::Placed, _) => Some(*before),
            (Seen::Changed | Seen::Deleted, _) => Some(Seen::Changed),
        };
        match now {
            Some(now) => self.names.insert(path, now),
            None => self.names.remove(&path),
        };
    }

    /// A folder that was deleted is there again: what is in it is told name by name.
    pub(super) fn unsay(&mut self, folder: &Path) {
        if self.names.get(folder) == Some(&Seen::FolderDeleted) {
            self.names.remove(folder);
        }
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.names.keys()
    }

    pub(super) fn finish(self) -> Changes {
        // A folder that went may be there again before anybody could look into it; what is in it is told name by name.
        let is_there = |path: &Path, seen: Seen| seen == Seen::FolderDeleted && path.is_dir();
        let names = self.names.into_iter().filter(|(path, seen)| !is_there(path, *seen));
        let told = names.map(|(path, seen)| match seen {
            Seen::New | Seen::Placed => (path, OnDisk::Created),
            Seen::Changed => (path, OnDisk::Changed),
            Seen::Deleted | Seen::FolderDeleted => (path, OnDisk::Deleted),
        });
        Changes { changed: told.collect(), missed: self.missed, folders: self.folders }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_a_name_come_to_one_change() {
        use OnDisk::{Changed, Created, Deleted};
        let cases: [(&[Seen], Option<OnDisk>); 8] = [
            (&[Seen::New, Seen::Changed, Seen::Changed], Some(Created)),
            (&[Seen::New, Seen::Changed, Seen::Deleted], None),
            (&[Seen::Changed, Seen::Deleted], Some(Deleted)),
            (&[Seen::Deleted, Seen::New, Seen::Changed], Some(Changed)),
            (&[Seen::Placed, Seen::Changed], Some(Created)),
            (&[Seen::Placed, Seen::Deleted], Some(Deleted)),
            (&[Seen::Changed, Seen::Placed], Some(Changed)),
            (&[Seen::New, Seen::Deleted, Seen::New], Some(Created)),
        ];
        for (events, expected) in cases {
            let mut fold = Fold::default();
            for event in events {
                fold.add("a".into(), *event);
            }
            let expected: Vec<_> = expected.map(|expected| ("a".into(), expected)).into_iter().collect();
            assert_eq!(fold.finish(), Changes { changed: expected, ..Changes::default() }, "{events:?}");
        }
    }

    #[test]
    fn there_is_an_end_to_what_is_kept() {
        let mut fold = Fold::default();
        for number in 0..=MOST {
            fold.add(number.to_string().into(), Seen::Changed);
        }
        let changes = fold.finish();
        assert_eq!((changes.changed.len(), changes.missed), (MOST, true));
    }
}
