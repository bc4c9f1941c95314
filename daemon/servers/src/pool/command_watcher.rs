//! Watches the disk for one session. It uses the watchers of our servers, and its own if an editor's servers serve the
//! folder, because those do not report what they see.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::Instant;

use super::ServerPool;
use super::watched_root::WatchedRoot;
use crate::known_servers::{configured_languages, language_of};
use crate::source::{ChangedFiles, ChangedFilesFuture, CheckpointFuture, CommandWatcher};

/// The cap on a command's changed files to check for a server.
const MAX_CHANGED_FILES: usize = 200;

/// Watches the folder until it is dropped. Several users of a root share one watch.
#[derive(Debug)]
pub struct PoolCommandWatcher {
    pool: ServerPool,
    watched: Mutex<Option<(PathBuf, Arc<WatchedRoot>)>>,
}

impl ServerPool {
    pub fn command_watcher(&self) -> PoolCommandWatcher {
        PoolCommandWatcher { pool: self.clone(), watched: Mutex::default() }
    }
}

impl PoolCommandWatcher {
    fn is_watching(&self) -> bool {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

impl CommandWatcher for PoolCommandWatcher {
    fn watch_folder(&self, below: &Path) {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        if watched.as_ref().is_none_or(|(path, _)| path != below) {
            *watched = Some((below.to_owned(), self.pool.shared.watch_root(below)));
        }
    }

    fn checkpoint<'a>(&'a self, below: &'a Path, until: Instant) -> CheckpointFuture<'a> {
        Box::pin(async move {
            let shared = &self.pool.shared;
            shared.settle(below, until).await;
            shared.recent().checkpoint()
        })
    }

    fn changes_since<'a>(&'a self, since: u64, below: &'a Path, until: Instant) -> ChangedFilesFuture<'a> {
        Box::pin(async move {
            let shared = &self.pool.shared;
            let is_settled = shared.settle(below, until).await;
            let mut paths = shared.recent().paths_since(since);
            paths.retain(|path| path.starts_with(below));
            // An editor tells only on request what it serves, so every known language counts.
            let is_watching = self.is_watching();
            let is_served = |path: &PathBuf| {
                !shared.chooser.servers_for(path, "").is_empty()
                    || !configured_languages(path).is_empty()
                    || (is_watching && language_of(path, "").is_some())
            };
            let is_incomplete = !is_settled || paths.len() > MAX_CHANGED_FILES;
            let served = paths.into_iter().take(MAX_CHANGED_FILES).filter(is_served);
            ChangedFiles { paths: served.collect(), is_incomplete }
        })
    }
}
