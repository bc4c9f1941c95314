//! The state of tracked files when they were last compared.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::coalesce::{CoalescedChanges, PathEvent};

/// Differs after every change. A program can set back `mtime`, but not `ctime`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct WatchedFileStamp {
    device: u64,
    file: u64,
    size: u64,
    changed: (i64, i64),
}

#[derive(Debug, Default)]
pub(super) struct WatchedFileStamps {
    /// `None` if there is no file, and the number of users that track it.
    files: BTreeMap<PathBuf, (Option<WatchedFileStamp>, usize)>,
}

impl WatchedFileStamps {
    pub(super) fn track(&mut self, path: &Path) {
        let tracked = self.files.entry(path.to_owned()).or_insert_with(|| (stamp(path), 0));
        tracked.1 += 1;
    }

    pub(super) fn untrack(&mut self, path: &Path) {
        if let Some(tracked) = self.files.get_mut(path) {
            tracked.1 = tracked.1.saturating_sub(1);
            if tracked.1 == 0 {
                self.files.remove(path);
            }
        }
    }

    /// Adds the changes of tracked files.
    pub(super) fn detect_changes(&mut self, into: &mut CoalescedChanges) {
        for (path, (before, _)) in &mut self.files {
            let now = stamp(path);
            let seen = match (*before, now) {
                (None, Some(_)) => PathEvent::Created,
                (Some(_), None) => PathEvent::Deleted,
                (Some(before), Some(now)) if before != now => PathEvent::Changed,
                _ => continue,
            };
            *before = now;
            into.add(path.clone(), seen);
        }
    }

    /// These changes were seen by the watcher. A later comparison must not report them again.
    pub(super) fn refresh(&mut self, seen: &CoalescedChanges) {
        for path in seen.paths() {
            if let Some(tracked) = self.files.get_mut(path) {
                tracked.0 = stamp(path);
            }
        }
    }
}

fn stamp(path: &Path) -> Option<WatchedFileStamp> {
    let metadata = fs::metadata(path).ok()?;
    let changed = (metadata.ctime(), metadata.ctime_nsec());
    Some(WatchedFileStamp { device: metadata.dev(), file: metadata.ino(), size: metadata.size(), changed })
}
