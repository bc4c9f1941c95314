//! The texts of dependents that a server would not check by itself.
//!
//! The search takes longer than some servers need for an answer. So the next check of a file uses the previous result,
//! and refreshes it in the background. The first search runs when the file is read or checked before its change.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::join_all;
use tokio::time::{Instant, timeout};

use super::PoolInner;
use super::slot::ServerSlot;
use crate::dependents::{DependentFiles, DependentsQuery, MergedDependents, find_dependents};
use crate::quirks::DependentsPolicy;
use crate::source::CheckedDocument;
use crate::time_limits::{BACKGROUND_DEPENDENTS_TIMEOUT, DEPENDENTS_READ_TIMEOUT};

/// The cap on changed files of one call that get a search for dependents.
const MAX_CHANGED_FILES: usize = 4;

/// The texts of the dependents of these files. Those beyond the limit, and those that could not be read in time, are in
/// `beyond`.
pub(super) async fn dependent_documents(
    pool: &Arc<PoolInner>,
    slot: &Arc<ServerSlot>,
    paths: &BTreeSet<PathBuf>,
    until: Instant,
) -> DependentDocuments {
    let searches = paths.iter().take(MAX_CHANGED_FILES).map(|path| dependents_of(pool, slot, path, until));
    let all = join_all(searches).await;
    let MergedDependents { paths: found, mut beyond, is_cut } =
        DependentFiles::merge(all, |path| paths.contains(path), pool.limits.dependents);
    let (texts, files) = (Arc::clone(&pool.texts), found.clone());
    let reading =
        tokio::task::spawn_blocking(move || files.iter().filter_map(|path| texts.document(path)).collect());
    // Do not wait for a disk that does not answer.
    match timeout(DEPENDENTS_READ_TIMEOUT, reading).await {
        Ok(Ok(documents)) => DependentDocuments { documents, beyond, is_cut },
        _ => {
            beyond.extend(found);
            DependentDocuments { documents: Vec::new(), beyond, is_cut }
        }
    }
}

pub(super) struct DependentDocuments {
    pub(super) documents: Vec<CheckedDocument>,
    /// Not to be checked.
    pub(super) beyond: Vec<PathBuf>,
    /// There may be more.
    pub(super) is_cut: bool,
}

async fn dependents_of(
    pool: &Arc<PoolInner>,
    slot: &Arc<ServerSlot>,
    path: &Path,
    until: Instant,
) -> DependentFiles {
    let known = slot.documents().dependents(path).filter(|known| !known.is_cut);
    if let Some(known) = known {
        refresh_in_background(pool, slot, path);
        return known;
    }
    search(pool, slot, path, until.min(Instant::now() + pool.limits.dependents_timeout)).await
}

pub(super) fn refresh_in_background(pool: &Arc<PoolInner>, slot: &Arc<ServerSlot>, path: &Path) {
    let (pool, slot, path) = (Arc::clone(pool), Arc::clone(slot), path.to_owned());
    // With many files at once, the first ones are enough.
    let Ok(permit) = Arc::clone(&pool.search_permits).try_acquire_owned() else { return };
    let (tasks, closed) = (pool.tasks.clone(), pool.closed.clone());
    tasks.spawn(closed.run_until_cancelled_owned(async move {
        search(&pool, &slot, &path, Instant::now() + BACKGROUND_DEPENDENTS_TIMEOUT).await;
        drop(permit);
    }));
}

async fn search(pool: &PoolInner, slot: &ServerSlot, path: &Path, until: Instant) -> DependentFiles {
    let quirks = &slot.launch.quirks;
    let can_pull_others = || slot.running().is_some_and(|alive| alive.server.can_pull_others());
    if quirks.dirty_dependents == DependentsPolicy::None || (quirks.publishes_closed && !can_pull_others()) {
        return DependentFiles::default();
    }
    let found = find_dependents(dependents_query(pool, slot, vec![path.to_owned()]), until).await;
    slot.documents().set_dependents(path, &found);
    found
}

pub(super) fn dependents_query(pool: &PoolInner, slot: &ServerSlot, paths: Vec<PathBuf>) -> DependentsQuery {
    DependentsQuery {
        paths,
        root: slot.launch.root.clone(),
        languages: slot.languages.clone(),
        open_files: slot.documents().paths().into_iter().collect(),
        view: pool.texts.search_view(),
        limit: pool.limits.dependents,
    }
}
