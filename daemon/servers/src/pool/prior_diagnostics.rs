//! A server's diagnostics just before it hears of a change. They tell which diagnostics of other files are new.
//!
//! A session compares with its own history, which lacks files that it never checked. The server may know those, if
//! another session checked them or if it reports on the whole project.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::slot::{RunningServer, ServerSlot};
use crate::diagnostic::Diagnostic;
use crate::server;

pub(super) struct PriorDiagnostics {
    /// Hashes of the open texts.
    texts: HashMap<PathBuf, u64>,
    /// Their current diagnostics.
    open: HashMap<PathBuf, Vec<Diagnostic>>,
    published: server::PublishedSnapshot,
}

impl PriorDiagnostics {
    /// Call this before anything is sent to the server.
    pub(super) fn capture(slot: &ServerSlot, alive: &RunningServer) -> Self {
        let documents = slot.documents();
        let (texts, open) = (documents.text_hashes(), documents.current_diagnostics());
        let has_answered = !documents.paths_ever_known().is_empty();
        drop(documents);
        let mut published = alive.server.published_snapshot();
        // Before its first answer it may not have checked everything.
        published.closed_files = published.closed_files.filter(|_| has_answered);
        Self { texts, open, published }
    }

    /// The diagnostics of a file, if its text had this hash.
    pub(super) fn previous_diagnostics(&self, path: &Path, text: Option<u64>) -> Option<Vec<Diagnostic>> {
        match self.texts.get(path) {
            Some(before) if Some(*before) == text => self.open.get(path).cloned(),
            Some(_) => None,
            None => diagnostics_of(self.published.closed_files.as_ref()?, path),
        }
    }

    /// The same for diagnostics that followed the last save.
    pub(super) fn previous_on_save(&self, path: &Path, text: Option<u64>) -> Option<Vec<Diagnostic>> {
        let is_same = self.texts.get(path).is_none_or(|before| Some(*before) == text);
        diagnostics_of(self.published.on_save.as_ref().filter(|_| is_same)?, path)
    }

    /// The file was closed, so it may have changed before the check.
    pub(super) fn is_closed(&self, path: &Path) -> bool {
        !self.texts.contains_key(path)
    }
}

fn diagnostics_of(all: &BTreeMap<PathBuf, Arc<Vec<Diagnostic>>>, path: &Path) -> Option<Vec<Diagnostic>> {
    Some(all.get(path).map(|diagnostics| diagnostics.to_vec()).unwrap_or_default())
}
