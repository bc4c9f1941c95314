//! What others change below a root, told to every server that works there.

use std::path::Path;
use std::sync::Arc;

use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};

use super::Shared;
use super::slot::{Alive, Slot};
use crate::server::OnDisk;
use crate::watched::{Changes, Watched};

#[derive(Debug)]
pub(super) struct Root {
    pub(super) watched: Watched,
    /// What was seen is told before anybody else goes on.
    telling: Mutex<()>,
}

impl Root {
    pub(super) fn begin(path: &Path, most_folders: usize) -> Self {
        Self { watched: Watched::begin(path, most_folders), telling: Mutex::default() }
    }

    /// When this is done, every server here knows what changed before it was called, unless the time was over first.
    pub(super) async fn settle(self: &Arc<Self>, pool: &Shared, until: Instant) {
        let Ok(_telling) = timeout_at(until, self.telling.lock()).await else { return };
        let Some(changes) = self.watched.settled(until).await else { return };
        if changes == Changes::default() {
            return;
        }
        for slot in pool.all() {
            if let Some(alive) = slot.alive().filter(|alive| Arc::ptr_eq(&alive.root, self)) {
                tell(pool, &slot, &alive, &changes);
            }
        }
    }
}

fn tell(pool: &Shared, slot: &Slot, alive: &Alive, changes: &Changes) {
    alive.server.watched(&changes.changed);
    slot.documents().turn();
    let held = slot.documents().paths();
    for path in held.iter().filter(|path| changes.missed || is_among(path, changes)) {
        let language = slot.documents().language(path).map(str::to_owned);
        match pool.texts.text(path).zip(language) {
            Some((subject, language)) => _ = slot.hold(alive, &subject, &language),
            None => slot.close(alive, path),
        }
    }
}

/// It changed, or a folder above it went.
fn is_among(path: &Path, changes: &Changes) -> bool {
    path.ancestors().any(|name| {
        let found = changes.changed.binary_search_by(|(changed, _)| changed.as_path().cmp(name));
        let what = found.ok().and_then(|index| changes.changed.get(index));
        what.is_some_and(|(_, what)| name == path || *what == OnDisk::Deleted)
    })
}
