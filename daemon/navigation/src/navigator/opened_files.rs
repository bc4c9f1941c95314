//! Files that are opened in a server for one question. Some servers know nothing of closed files, so the files that an answer may name
//! are opened first.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use copydesk_servers::{CodeQuery, ServerLease};
use copydesk_syntax::name_uses::is_word_character;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{NavigationOperation, Navigator, run_blocking};
use crate::answer::CodePlace;
use crate::file_outlines::has_outline;
use crate::place::FoundPlace;
use crate::symbol_name::SymbolQuery;
use crate::time_limits::OPEN_FILES_TIMEOUT;

/// How many files with a name are opened in a server.
pub(super) const MAX_OPENED_FILES: usize = 30;
/// How many called names are looked up.
const MAX_CALLED_NAMES: usize = 20;

/// Files that a server has open until this is dropped.
#[derive(Default)]
pub(super) struct OpenedFiles {
    pub(super) leases: Vec<(PathBuf, ServerLease)>,
    /// How many more there are, which the server does not know.
    unknown: usize,
}

impl OpenedFiles {
    pub(super) fn note(&self, server: &str) -> Option<String> {
        let files = match self.unknown {
            0 => return None,
            1 => "1 more file".to_owned(),
            more => format!("{more} more files"),
        };
        Some(format!(
            "This may not be all: {server} may know only open files, and {files} may belong to it; search for the name."
        ))
    }
}

impl Navigator {
    /// Opens files in a server, and waits until it has looked at them.
    pub(super) async fn open_files(&self, lease: &ServerLease, paths: &[PathBuf]) -> OpenedFiles {
        let until = Instant::now() + OPEN_FILES_TIMEOUT;
        let mut opened = OpenedFiles::default();
        for path in paths {
            let leased = self.lease(path, CodeQuery::Definition, until).await;
            let is_it = |other: &ServerLease| Arc::ptr_eq(&other.server, &lease.server);
            let own = leased.leases.into_iter().find(is_it);
            opened.leases.extend(own.map(|lease| (path.clone(), lease)));
        }
        for (_, lease) in &opened.leases {
            // What it reports does not matter.
            let verdict = lease.server.check(&lease.path, until).await;
            opened.unknown += usize::from(verdict.diagnostics().is_none());
        }
        opened
    }

    /// Opens the files that the answer may name, if the server may know only open ones.
    pub(super) async fn open_files_for(
        &self,
        lease: &ServerLease,
        operation: NavigationOperation,
        place: &FoundPlace,
        cancel: &CancellationToken,
    ) -> OpenedFiles {
        if !lease.server.may_know_only_open_files() {
            return OpenedFiles::default();
        }
        let mut paths = match operation {
            NavigationOperation::References
            | NavigationOperation::IncomingCalls
            | NavigationOperation::Implementation
            | NavigationOperation::Supertypes
            | NavigationOperation::Subtypes => self.files_that_use(place.name(), cancel).await,
            NavigationOperation::Definition => {
                self.files_that_define(&[place.name().to_owned()], cancel).await
            }
            NavigationOperation::OutgoingCalls => {
                let names = self.called_names(place);
                self.files_that_define(&names, cancel).await
            }
            _ => BTreeSet::new(),
        };
        paths.remove(&place.path);
        let unopened = paths.len().saturating_sub(MAX_OPENED_FILES);
        let paths: Vec<_> = paths.into_iter().take(MAX_OPENED_FILES).collect();
        let mut opened = self.open_files(lease, &paths).await;
        opened.unknown += unopened;
        opened
    }

    /// The files in which a name stands, even in a comment: a grammar may take code for one.
    async fn files_that_use(&self, name: &str, cancel: &CancellationToken) -> BTreeSet<PathBuf> {
        let candidates = self.names.files_with(name, cancel).await;
        let (names, name) = (self.names.clone(), name.to_owned());
        let is_used = move |path: &PathBuf| {
            has_outline(path) && names.text(path).is_some_and(|text| text.contains(&name))
        };
        run_blocking(move || candidates.into_paths().filter(is_used).collect()).await.unwrap_or_default()
    }

    async fn files_that_define(&self, words: &[String], cancel: &CancellationToken) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        for word in words {
            let candidates = self.names.files_with(word, cancel).await;
            let (names, outlines) = (self.names.clone(), self.outlines.clone());
            let query = SymbolQuery { words: vec![word.clone()], ordinal: None };
            let defined = move || names.definitions(&query, &candidates, &outlines).definitions;
            let defined: Vec<CodePlace> = run_blocking(defined).await.unwrap_or_default();
            found.extend(defined.into_iter().map(|place| place.path).filter(|path| has_outline(path)));
        }
        found
    }

    /// The names with a parenthesis behind them in the definition at a place.
    fn called_names(&self, place: &FoundPlace) -> Vec<String> {
        let Some(outline) = self.outlines.get(&place.path, &place.text) else { return Vec::new() };
        let symbol = outline.symbols.iter().find(|symbol| symbol.name_range.end == place.range.end);
        let body = symbol.and_then(|symbol| place.text.get(symbol.signature.end..symbol.range.end));
        let mut names = BTreeSet::new();
        for (end, _) in body.unwrap_or_default().match_indices('(') {
            let before = body.and_then(|body| body.get(..end)).unwrap_or_default();
            let start = before.trim_end_matches(is_word_character).len();
            names.extend(before.get(start..).filter(|name| !name.is_empty()).map(str::to_owned));
        }
        names.into_iter().take(MAX_CALLED_NAMES).collect()
    }
}
