//! What a server had said just before it was told of a change: what of its words on other files is new by that.
//!
//! A session compares with what it was told itself. Of a file that it never heard of it knows nothing; the server does, where it
//! was asked by somebody else, or speaks for the whole project.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::slot::{Alive, Slot};
use crate::diagnostic::Diagnostic;
use crate::server;

pub(super) struct Past {
    /// What stands for the texts that it holds.
    texts: HashMap<PathBuf, u64>,
    /// What is known of them.
    held: HashMap<PathBuf, Vec<Diagnostic>>,
    said: server::Past,
}

impl Past {
    /// As it is now, before anything is told.
    pub(super) fn of(slot: &Slot, alive: &Alive) -> Self {
        let documents = slot.documents();
        let (texts, held) = (documents.texts(), documents.known());
        let has_answered = !documents.ever_known().is_empty();
        drop(documents);
        let mut said = alive.server.past();
        // Before its first answer it may not have looked at everything.
        said.closed = said.closed.filter(|_| has_answered);
        Self { texts, held, said }
    }

    /// What it had said of a file whose text is this now, where it is held.
    pub(super) fn own(&self, path: &Path, text: Option<u64>) -> Option<Vec<Diagnostic>> {
        match self.texts.get(path) {
            Some(before) if Some(*before) == text => self.held.get(path).cloned(),
            Some(_) => None,
            None => named(self.said.closed.as_ref()?, path),
        }
    }

    /// What had followed the last save, of the same.
    pub(super) fn saved(&self, path: &Path, text: Option<u64>) -> Option<Vec<Diagnostic>> {
        let is_same = self.texts.get(path).is_none_or(|before| Some(*before) == text);
        named(self.said.saved.as_ref().filter(|_| is_same)?, path)
    }

    /// A file that was closed, and may have been changed before it was asked about.
    pub(super) fn is_closed(&self, path: &Path) -> bool {
        !self.texts.contains_key(path)
    }
}

fn named(all: &BTreeMap<PathBuf, Arc<Vec<Diagnostic>>>, path: &Path) -> Option<Vec<Diagnostic>> {
    Some(all.get(path).map(|said| said.to_vec()).unwrap_or_default())
}
