//! What happens on the disk, for one session: as the watches of our servers see it, and one of its own where an editor's servers
//! serve, which do not say what they see.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::Instant;

use super::ServerPool;
use super::watched_root::WatchedRoot;
use crate::known_servers::language_of;
use crate::source::{ChangedFiles, ChangedFilesFuture, CheckpointFuture, CommandWatcher};

/// Files of which it is looked whether anybody serves them, after a command that changed more.
const MOST_CHANGED: usize = 200;

/// The folder is watched for as long as this is there; of one root there is one watch, however many want it.
#[derive(Debug)]
pub struct PoolCommandWatcher {
    pool: ServerPool,
    kept: Mutex<Option<(PathBuf, Arc<WatchedRoot>)>>,
}

impl ServerPool {
    pub fn command_watcher(&self) -> PoolCommandWatcher {
        PoolCommandWatcher { pool: self.clone(), kept: Mutex::default() }
    }
}

impl PoolCommandWatcher {
    fn is_kept(&self) -> bool {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

impl CommandWatcher for PoolCommandWatcher {
    fn watch_folder(&self, below: &Path) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.as_ref().is_none_or(|(path, _)| path != below) {
            *kept = Some((below.to_owned(), self.pool.shared.watch_root(below)));
        }
    }

    fn checkpoint(&self, until: Instant) -> CheckpointFuture<'_> {
        Box::pin(async move {
            let shared = &self.pool.shared;
            shared.settle(until).await;
            shared.recent().checkpoint()
        })
    }

    fn changes_since<'a>(&'a self, since: u64, below: &'a Path, until: Instant) -> ChangedFilesFuture<'a> {
        Box::pin(async move {
            let shared = &self.pool.shared;
            shared.settle(until).await;
            let mut paths = shared.recent().paths_since(since);
            paths.retain(|path| path.starts_with(below));
            // What an editor serves it says only when it is asked.
            let is_kept = self.is_kept();
            let is_served = |path: &PathBuf| {
                !shared.choose.servers_for(path, "").is_empty()
                    || (is_kept && language_of(path, "").is_some())
            };
            let is_cut = paths.len() > MOST_CHANGED;
            let served = paths.into_iter().take(MOST_CHANGED).filter(is_served);
            ChangedFiles { paths: served.collect(), is_truncated: is_cut }
        })
    }
}
