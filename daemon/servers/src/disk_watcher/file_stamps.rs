//! What held files looked like when they were last looked at.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::coalesce::{CoalescedChanges, PathEvent};

/// Changes with every change: a writer can set the time of a change back, but not that of the change of the entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct WatchedFileStamp {
    device: u64,
    file: u64,
    size: u64,
    changed: (i64, i64),
}

#[derive(Debug, Default)]
pub(super) struct WatchedFileStamps {
    /// None where there is no file. How many hold it.
    files: BTreeMap<PathBuf, (Option<WatchedFileStamp>, usize)>,
}

impl WatchedFileStamps {
    pub(super) fn track(&mut self, path: &Path) {
        let held = self.files.entry(path.to_owned()).or_insert_with(|| (stamp(path), 0));
        held.1 += 1;
    }

    pub(super) fn untrack(&mut self, path: &Path) {
        if let Some(held) = self.files.get_mut(path) {
            held.1 = held.1.saturating_sub(1);
            if held.1 == 0 {
                self.files.remove(path);
            }
        }
    }

    /// Adds what changed of what is held.
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

    /// These were seen otherwise, and need not be told again should there be nothing but looking later.
    pub(super) fn refresh(&mut self, seen: &CoalescedChanges) {
        for path in seen.paths() {
            if let Some(held) = self.files.get_mut(path) {
                held.0 = stamp(path);
            }
        }
    }
}

fn stamp(path: &Path) -> Option<WatchedFileStamp> {
    let metadata = fs::metadata(path).ok()?;
    let changed = (metadata.ctime(), metadata.ctime_nsec());
    Some(WatchedFileStamp { device: metadata.dev(), file: metadata.ino(), size: metadata.size(), changed })
}
