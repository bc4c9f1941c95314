//! The files that a change affects although the check of the changed file does not reveal them: the users of a file that
//! is gone, and everything that a server serves if the changed file configures the server.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout_at};

use super::PoolInner;
use super::dependents::dependents_query;
use super::slot::{ServerSlot, SlotState};
use crate::dependents::{DependentFiles, MergedDependents, find_dependents};
use crate::known_servers::language_of;
use crate::quirks::DependentsPolicy;
use crate::report::{DiagnosticsReport, Verdict};
use crate::source::AffectedFiles;
use copydesk_workspace::disk_watcher::walk_files;

/// The cap on files of a project to list.
const MAX_PROJECT_FILES: usize = 2000;

pub(super) async fn affected_files(
    pool: &Arc<PoolInner>,
    excluded: &[String],
    changed: &[PathBuf],
    until: Instant,
) -> AffectedFiles {
    let until = until.min(Instant::now() + pool.limits.dependents_timeout);
    let mut affected = AffectedFiles::default();
    for slot in pool.all_slots() {
        let (name, root) = (&slot.launch.name, &slot.launch.root);
        let is_served = |word: &String| word == name || slot.languages.contains(word);
        if excluded.iter().any(is_served) || matches!(slot.state(), SlotState::Failed { .. }) {
            continue;
        }
        let configures = |path: &&PathBuf| slot.launch.quirks.is_configured_by(path, root);
        let (found, cause, limit) = match changed.iter().find(configures) {
            Some(path) => (project_files(pool, &slot, until).await, path, pool.limits.configured),
            None => {
                let is_its = |path: &&PathBuf| pool.serves(&slot, path);
                let paths: Vec<_> = changed.iter().filter(is_its).cloned().collect();
                let Some(first) = changed.iter().find(is_its) else { continue };
                if slot.launch.quirks.dirty_dependents == DependentsPolicy::None {
                    continue;
                }
                let found = find_dependents(dependents_query(pool, &slot, paths), until).await;
                (found, first, pool.limits.dependents)
            }
        };
        let is_changed = |path: &Path| changed.iter().any(|changed| changed == path);
        let MergedDependents { paths, beyond, is_cut } =
            DependentFiles::merge(vec![found], is_changed, limit);
        affected.paths.extend(paths);
        let report = |path: PathBuf| DiagnosticsReport::new(path, name.clone(), Verdict::beyond_limit());
        affected.unchecked.extend(beyond.into_iter().map(report));
        affected.unchecked.extend(is_cut.then(|| DiagnosticsReport::unsearched(cause, name)));
    }
    affected
}

impl PoolInner {
    fn serves(&self, slot: &ServerSlot, path: &Path) -> bool {
        let chosen = self.chooser.servers_for(path, "");
        chosen.iter().any(|chosen| chosen.name == slot.launch.name && chosen.root == slot.launch.root)
    }
}

/// The files of a server's languages below its root. Its open documents come first.
async fn project_files(pool: &PoolInner, slot: &ServerSlot, until: Instant) -> DependentFiles {
    let (root, languages) = (slot.launch.root.clone(), slot.languages.clone());
    let listing = spawn_blocking(move || {
        let is_its =
            |path: &PathBuf| language_of(path, "").is_some_and(|id| languages.iter().any(|one| one == id));
        walk_files(&root).filter(is_its).take(MAX_PROJECT_FILES + 1).collect::<Vec<_>>()
    });
    // Do not wait for a disk that does not answer.
    let listed = timeout_at(until, listing).await.ok().and_then(Result::ok);
    let is_cut = listed.as_ref().is_none_or(|listed| listed.len() > MAX_PROJECT_FILES);
    let mut paths = slot.documents().recent_paths();
    let open: BTreeSet<_> = paths.iter().cloned().collect();
    paths.extend(listed.unwrap_or_default().into_iter().filter(|path| !open.contains(path)));
    let beyond = paths.split_off(pool.limits.configured.min(paths.len()));
    DependentFiles::of_imports(paths, beyond, is_cut)
}
