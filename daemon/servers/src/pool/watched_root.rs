//! What others change below a root, told to every server that works there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};

use super::PoolInner;
use super::slot::{RunningServer, ServerSlot};
use crate::disk_watcher::{DiskChanges, DiskWatcher};
use crate::server::FileChangeType;

#[derive(Debug)]
pub(super) struct WatchedRoot {
    pub(super) watcher: DiskWatcher,
    /// What was seen is told before anybody else goes on.
    telling: Mutex<()>,
    /// When it was last found that something had not been seen. A server that was there by then may never hear of it.
    missed: std::sync::Mutex<Option<Instant>>,
}

impl WatchedRoot {
    pub(super) fn begin(path: &Path, most_folders: usize) -> Self {
        let watched = DiskWatcher::begin(path, most_folders);
        Self { watcher: watched, telling: Mutex::default(), missed: std::sync::Mutex::default() }
    }

    /// When this is done, every server here knows what changed before it was called. False where that cannot be said: the time
    /// was over first, or not everything is seen.
    // Held while changes are on their way: whoever comes second must not go on before the servers were told of them.
    #[allow(clippy::await_holding_invalid_type)]
    pub(super) async fn settle_changes(self: &Arc<Self>, pool: &PoolInner, until: Instant) -> bool {
        let Ok(_telling) = timeout_at(until, self.telling.lock()).await else { return false };
        let Some(changes) = self.watcher.take_changes(until).await else { return false };
        if changes.missed {
            *self.missed.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        }
        self.tell_all(pool, &changes);
        !changes.missed && self.watcher.problem().is_none()
    }

    /// Whether nothing went by unseen since that moment, as far as was found.
    pub(super) fn has_missed_nothing(&self, since: Instant) -> bool {
        self.missed.lock().unwrap_or_else(PoisonError::into_inner).is_none_or(|missed| missed < since)
    }

    fn tell_all(self: &Arc<Self>, pool: &PoolInner, changes: &DiskChanges) {
        if *changes == DiskChanges::default() {
            return;
        }
        pool.recent().add(changes.changed.iter().map(|(path, _)| path.clone()));
        for slot in pool.all() {
            if let Some(alive) = slot.running().filter(|alive| Arc::ptr_eq(&alive.root, self)) {
                tell(pool, &slot, &alive, changes);
            }
        }
    }
}

fn tell(pool: &PoolInner, slot: &ServerSlot, alive: &RunningServer, changes: &DiskChanges) {
    let held: BTreeSet<_> = slot.documents().paths().into_iter().collect();
    // Of what is open it is told otherwise; a server that is told twice looks twice, and cannot be sure meanwhile.
    let is_told =
        |(path, what): &&(PathBuf, FileChangeType)| *what == FileChangeType::Deleted || !held.contains(path);
    let told: Vec<_> = changes.changed.iter().filter(is_told).cloned().collect();
    if changes.folders_changed {
        alive.server.note_folders_changed();
    }
    if !told.is_empty() {
        alive.server.did_change_watched_files(&told);
        slot.documents().bump_generation();
    }
    for path in held.iter().filter(|path| changes.missed || is_among(path, changes)) {
        slot.refresh(alive, &*pool.texts, path);
    }
}

/// It changed, or a folder above it went.
fn is_among(path: &Path, changes: &DiskChanges) -> bool {
    path.ancestors().any(|name| {
        let found = changes.changed.binary_search_by(|(changed, _)| changed.as_path().cmp(name));
        let what = found.ok().and_then(|index| changes.changed.get(index));
        what.is_some_and(|(_, what)| name == path || *what == FileChangeType::Deleted)
    })
}
