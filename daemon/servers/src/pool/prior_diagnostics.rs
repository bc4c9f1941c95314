//! What a server had said just before it was told of a change: what of its words on other files is new by that.
//!
//! A session compares with what it was told itself. Of a file that it never heard of it knows nothing; the server does, where it
//! was asked by somebody else, or speaks for the whole project.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::slot::{RunningServer, ServerSlot};
use crate::diagnostic::Diagnostic;
use crate::server;

pub(super) struct PriorDiagnostics {
    /// What stands for the texts that it holds.
    texts: HashMap<PathBuf, u64>,
    /// What is known of them.
    held: HashMap<PathBuf, Vec<Diagnostic>>,
    said: server::PublishedSnapshot,
}

impl PriorDiagnostics {
    /// As it is now, before anything is told.
    pub(super) fn capture(slot: &ServerSlot, alive: &RunningServer) -> Self {
        let documents = slot.documents();
        let (texts, held) = (documents.text_hashes(), documents.current_diagnostics());
        let has_answered = !documents.paths_ever_known().is_empty();
        drop(documents);
        let mut said = alive.server.published_snapshot();
        // Before its first answer it may not have looked at everything.
        said.closed_files = said.closed_files.filter(|_| has_answered);
        Self { texts, held, said }
    }

    /// What it had said of a file whose text is this now, where it is held.
    pub(super) fn previous_diagnostics(&self, path: &Path, text: Option<u64>) -> Option<Vec<Diagnostic>> {
        match self.texts.get(path) {
            Some(before) if Some(*before) == text => self.held.get(path).cloned(),
            Some(_) => None,
            None => named(self.said.closed_files.as_ref()?, path),
        }
    }

    /// What had followed the last save, of the same.
    pub(super) fn previous_on_save(&self, path: &Path, text: Option<u64>) -> Option<Vec<Diagnostic>> {
        let is_same = self.texts.get(path).is_none_or(|before| Some(*before) == text);
        named(self.said.on_save.as_ref().filter(|_| is_same)?, path)
    }

    /// A file that was closed, and may have been changed before it was asked about.
    pub(super) fn is_closed(&self, path: &Path) -> bool {
        !self.texts.contains_key(path)
    }
}

fn named(all: &BTreeMap<PathBuf, Arc<Vec<Diagnostic>>>, path: &Path) -> Option<Vec<Diagnostic>> {
    Some(all.get(path).map(|said| said.to_vec()).unwrap_or_default())
}
