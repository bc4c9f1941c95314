//! Sends changes on the disk below a root to every server that works there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};

use super::PoolInner;
use super::slot::{RunningServer, ServerSlot};
use copydesk_workspace::disk_watcher::{DiskChanges, DiskWatcher, FileChangeType, WatchedFolders};

#[derive(Debug)]
pub(super) struct WatchedRoot {
    pub(super) watcher: DiskWatcher,
    /// Held until the servers have been sent the changes.
    sending: Mutex<()>,
    /// When the watcher last missed something. A server that was running by then may never hear of it.
    missed: std::sync::Mutex<Option<Instant>>,
}

impl WatchedRoot {
    pub(super) fn begin(path: &Path, most_folders: usize) -> Self {
        let watcher = DiskWatcher::begin(path, WatchedFolders::Sources, most_folders);
        Self { watcher, sending: Mutex::default(), missed: std::sync::Mutex::default() }
    }

    /// When this returns true, every server here knows all earlier changes. False if the time ran out, or the watcher
    /// does not see everything.
    // The lock is held while changes are sent: a second caller must not continue before the servers have them.
    #[allow(clippy::await_holding_invalid_type)]
    pub(super) async fn settle_changes(self: &Arc<Self>, pool: &PoolInner, until: Instant) -> bool {
        let Ok(_sending) = timeout_at(until, self.sending.lock()).await else { return false };
        let Some(changes) = self.watcher.take_changes(until).await else { return false };
        if changes.missed {
            *self.missed.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        }
        self.send_to_servers(pool, &changes);
        !changes.missed && self.watcher.problem().is_none()
    }

    /// Whether the watcher has missed nothing since then, as far as it knows.
    pub(super) fn has_missed_nothing(&self, since: Instant) -> bool {
        self.missed.lock().unwrap_or_else(PoisonError::into_inner).is_none_or(|missed| missed < since)
    }

    fn send_to_servers(self: &Arc<Self>, pool: &PoolInner, changes: &DiskChanges) {
        if *changes == DiskChanges::default() {
            return;
        }
        pool.recent().add(changes.changed.iter().map(|(path, _)| path.clone()));
        for slot in pool.all_slots() {
            if let Some(alive) = slot.running().filter(|alive| Arc::ptr_eq(&alive.root, self)) {
                send_changes(pool, &slot, &alive, changes);
            }
        }
    }
}

fn send_changes(pool: &PoolInner, slot: &ServerSlot, alive: &RunningServer, changes: &DiskChanges) {
    let open: BTreeSet<_> = slot.documents().paths().into_iter().collect();
    // Open documents are synchronized by `didChange`. A server that hears of a change twice checks twice, and is not
    // sure meanwhile.
    let is_sent =
        |(path, what): &&(PathBuf, FileChangeType)| *what == FileChangeType::Deleted || !open.contains(path);
    let events: Vec<_> = changes.changed.iter().filter(is_sent).cloned().collect();
    if changes.folders_changed {
        alive.server.note_folders_changed();
    }
    if !events.is_empty() {
        alive.server.did_change_watched_files(&events);
        slot.documents().bump_generation();
    }
    for path in open.iter().filter(|path| changes.missed || is_affected(path, changes)) {
        slot.refresh(alive, &*pool.texts, path);
    }
}

/// It changed, or a folder above it was deleted.
fn is_affected(path: &Path, changes: &DiskChanges) -> bool {
    path.ancestors().any(|name| {
        let found = changes.changed.binary_search_by(|(changed, _)| changed.as_path().cmp(name));
        let what = found.ok().and_then(|index| changes.changed.get(index));
        what.is_some_and(|(_, what)| name == path || *what == FileChangeType::Deleted)
    })
}
