//! The texts of files that a change may break and that a server would not look at by itself.
//!
//! Looking takes longer than some servers do for an answer. So what was found for a file is used the next time, and looked for
//! again meanwhile; the first time is when the file is read or asked about before its change.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::join_all;
use tokio::time::{Instant, timeout};

use super::PoolInner;
use super::slot::ServerSlot;
use crate::dependents::{DependentFiles, DependentsQuery, find_dependents};
use crate::quirks::DependentsPolicy;
use crate::source::CheckedDocument;
use crate::time_limits::{BACKGROUND_DEPENDENTS_TIMEOUT, DEPENDENTS_READ_TIMEOUT};

/// Files for which others are looked for, of those that one call changed.
const MOST_CHANGED: usize = 4;

/// The texts, and files of which there are too many to be looked at.
pub(super) async fn dependent_documents(
    pool: &Arc<PoolInner>,
    slot: &Arc<ServerSlot>,
    paths: &BTreeSet<PathBuf>,
    until: Instant,
) -> (Vec<CheckedDocument>, Vec<PathBuf>) {
    let looking = paths.iter().take(MOST_CHANGED).map(|path| of(pool, slot, path, until));
    let all = join_all(looking).await;
    let (found, beyond) = DependentFiles::merge(all, |path| paths.contains(path), pool.limits.dependents);
    if found.is_empty() {
        return (Vec::new(), beyond);
    }
    let texts = Arc::clone(&pool.texts);
    let reading =
        tokio::task::spawn_blocking(move || found.iter().filter_map(|path| texts.document(path)).collect());
    // A disk that does not answer is not waited for.
    let texts = timeout(DEPENDENTS_READ_TIMEOUT, reading).await.ok().and_then(Result::ok).unwrap_or_default();
    (texts, beyond)
}

async fn of(pool: &Arc<PoolInner>, slot: &Arc<ServerSlot>, path: &Path, until: Instant) -> DependentFiles {
    let known = slot.documents().dependents(path);
    if let Some(known) = known {
        refresh_in_background(pool, slot, path);
        return known;
    }
    look(pool, slot, path, until.min(Instant::now() + pool.limits.dependents_timeout)).await
}

/// Looks without anybody waiting.
pub(super) fn refresh_in_background(pool: &Arc<PoolInner>, slot: &Arc<ServerSlot>, path: &Path) {
    let (pool, slot, path) = (Arc::clone(pool), Arc::clone(slot), path.to_owned());
    // With many files at once the first ones will do.
    let Ok(turn) = Arc::clone(&pool.looking).try_acquire_owned() else { return };
    let (tasks, closed) = (pool.tasks.clone(), pool.closed.clone());
    tasks.spawn(closed.run_until_cancelled_owned(async move {
        look(&pool, &slot, &path, Instant::now() + BACKGROUND_DEPENDENTS_TIMEOUT).await;
        drop(turn);
    }));
}

async fn look(pool: &PoolInner, slot: &ServerSlot, path: &Path, until: Instant) -> DependentFiles {
    let quirks = &slot.launch.quirks;
    let is_asked = || slot.running().is_some_and(|alive| alive.server.can_pull_others());
    if quirks.dirty_dependents == DependentsPolicy::None || (quirks.pushes_closed && !is_asked()) {
        return DependentFiles::default();
    }
    let mentions = DependentsQuery {
        path: path.to_owned(),
        root: slot.launch.root.clone(),
        languages: slot.languages.clone(),
        open_files: slot.documents().paths().into_iter().collect(),
        overlay: pool.texts.overlay(),
        limit: pool.limits.dependents,
    };
    let found = find_dependents(mentions, until).await;
    slot.documents().set_dependents(path, &found);
    found
}
