//! Changes that were made, or are being made, and are not fully checked. A report that arrives meanwhile may be their
//! effect, so it is no baseline.
//!
//! If some sources have reported on a change and others have not, only what the others may report stays open.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::delta::DiagnosticsDelta;
use copydesk_servers::report::DiagnosticsReport;
use copydesk_servers::source::TREE_SITTER;

/// Clones share their state.
#[derive(Debug, Clone, Default)]
pub(super) struct UncheckedChanges(Arc<Mutex<UncheckedChangesInner>>);

#[derive(Debug, Default)]
struct UncheckedChangesInner {
    last_id: u64,
    open: BTreeMap<u64, ChangeScope>,
}

/// Which reports a change may still affect.
#[derive(Debug)]
enum ChangeScope {
    Everything,
    /// Reports of these sources, and on files with these extensions: a server may pass on its compiler's diagnostics.
    Limited {
        sources: BTreeSet<String>,
        extensions: BTreeSet<Option<OsString>>,
    },
}

impl ChangeScope {
    fn includes(&self, report: &DiagnosticsReport) -> bool {
        match self {
            Self::Everything => true,
            Self::Limited { sources, extensions } => {
                sources.contains(&report.source) || extensions.contains(&extension(&report.path))
            }
        }
    }
}

fn extension(path: &Path) -> Option<OsString> {
    path.extension().map(ToOwned::to_owned)
}

impl UncheckedChanges {
    pub(super) fn begin(&self) -> UncheckedChange {
        let mut changes = self.lock();
        changes.last_id += 1;
        let id = changes.last_id;
        changes.open.insert(id, ChangeScope::Everything);
        drop(changes);
        UncheckedChange { pending: self.clone(), id }
    }

    /// Whether an unchecked change other than `besides` may have caused this report. Syntax errors follow from the text
    /// alone.
    pub(super) fn may_affect(&self, report: &DiagnosticsReport, besides: Option<&UncheckedChange>) -> bool {
        let is_other = |id: &u64| besides.is_none_or(|change| change.id != *id);
        let changes = self.lock();
        let mut open = changes.open.iter().filter(|(id, _)| is_other(id));
        report.source != TREE_SITTER && open.any(|(_, scope)| scope.includes(report))
    }

    /// Whether the check of an ongoing change is going to compare this report.
    pub(super) fn is_being_compared(&self, report: &DiagnosticsReport) -> bool {
        let changes = self.lock();
        let mut open = changes.open.values();
        report.source != TREE_SITTER && open.any(|scope| matches!(scope, ChangeScope::Everything))
    }

    fn lock(&self) -> MutexGuard<'_, UncheckedChangesInner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An unchecked change, until it is dropped.
#[derive(Debug)]
pub(super) struct UncheckedChange {
    pending: UncheckedChanges,
    id: u64,
}

impl UncheckedChange {
    /// The known reports are compared; from now on only pending ones are open.
    pub(super) fn narrow_to_pending(&self, delta: &DiagnosticsDelta) {
        let pending = || delta.sources.iter().filter(|answer| answer.is_pending);
        let sources = pending().map(|answer| answer.source.clone()).collect();
        let extensions = pending().map(|answer| extension(&answer.path)).collect();
        self.pending.lock().open.insert(self.id, ChangeScope::Limited { sources, extensions });
    }
}

impl Drop for UncheckedChange {
    fn drop(&mut self) {
        self.pending.lock().open.remove(&self.id);
    }
}
