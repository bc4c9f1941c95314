//! Changes that were made, or may be being made, and are not answered for: what is first heard of a file in that time may be their doing,
//! and is not how it was before.
//!
//! When a change was answered for by some and not by others, only what may come of these is still open.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::delta::DiagnosticsDelta;
use copydesk_servers::report::DiagnosticsReport;
use copydesk_servers::source::TREE_SITTER;

/// Clones are the same.
#[derive(Debug, Clone, Default)]
pub(super) struct UncheckedChanges(Arc<Mutex<UncheckedChangesInner>>);

#[derive(Debug, Default)]
struct UncheckedChangesInner {
    begun: u64,
    open: BTreeMap<u64, ChangeScope>,
}

/// What may come of a change.
#[derive(Debug)]
enum ChangeScope {
    Everything,
    /// Of these sources, and of files like these: a server may have a compiler speak for it.
    Limited {
        sources: BTreeSet<String>,
        endings: BTreeSet<Option<OsString>>,
    },
}

impl ChangeScope {
    fn has(&self, report: &DiagnosticsReport) -> bool {
        match self {
            Self::Everything => true,
            Self::Limited { sources, endings } => {
                sources.contains(&report.source) || endings.contains(&ending(&report.path))
            }
        }
    }
}

fn ending(path: &Path) -> Option<OsString> {
    path.extension().map(ToOwned::to_owned)
}

impl UncheckedChanges {
    pub(super) fn begin(&self) -> UncheckedChange {
        let mut changes = self.lock();
        changes.begun += 1;
        let id = changes.begun;
        changes.open.insert(id, ChangeScope::Everything);
        drop(changes);
        UncheckedChange { pending: self.clone(), id }
    }

    /// Whether this may be the doing of a change that is open, besides this one. What a grammar says follows from the text alone.
    pub(super) fn may_affect(&self, report: &DiagnosticsReport, besides: Option<&UncheckedChange>) -> bool {
        let is_other = |id: &u64| besides.is_none_or(|change| change.id != *id);
        let changes = self.lock();
        let mut open = changes.open.iter().filter(|(id, _)| is_other(id));
        report.source != TREE_SITTER && open.any(|(_, reach)| reach.has(report))
    }

    /// Whether somebody is going to compare this for a change that is being made.
    pub(super) fn is_being_compared(&self, report: &DiagnosticsReport) -> bool {
        let changes = self.lock();
        let mut open = changes.open.values();
        report.source != TREE_SITTER && open.any(|reach| matches!(reach, ChangeScope::Everything))
    }

    fn lock(&self) -> MutexGuard<'_, UncheckedChangesInner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One that is open until this is dropped.
#[derive(Debug)]
pub(super) struct UncheckedChange {
    pending: UncheckedChanges,
    id: u64,
}

impl UncheckedChange {
    /// All that is known by now has been compared.
    pub(super) fn narrow_to_pending(&self, delta: &DiagnosticsDelta) {
        let open = || delta.sources.iter().filter(|answer| answer.is_pending);
        let sources = open().map(|answer| answer.source.clone()).collect();
        let endings = open().map(|answer| ending(&answer.path)).collect();
        self.pending.lock().open.insert(self.id, ChangeScope::Limited { sources, endings });
    }
}

impl Drop for UncheckedChange {
    fn drop(&mut self) {
        self.pending.lock().open.remove(&self.id);
    }
}
