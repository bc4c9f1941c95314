//! Which texts to check after a change.
//!
//! The sources find the users of a changed text by themselves. But they are not asked about a file that is gone, and a
//! file that configures a server is no text of that server.

use std::path::PathBuf;

use tokio::time::Instant;

use super::{DiagnosticsTracker, EditedDocument};
use copydesk_servers::report::DiagnosticsReport;
use copydesk_servers::source::{AffectedFiles, CheckedDocument};

impl DiagnosticsTracker {
    /// The new texts. If files were created or deleted, or configure a server, the recent files and the affected ones,
    /// too. Also returns reports on what is affected and is not checked.
    pub(super) async fn documents_to_check(
        &self,
        edited: &[EditedDocument],
        until: Instant,
    ) -> (Vec<CheckedDocument>, Vec<DiagnosticsReport>) {
        let mut subjects: Vec<_> = edited.iter().filter_map(EditedDocument::checked_document).collect();
        let affects_others = |edited: &EditedDocument| edited.before.is_none() || edited.is_wide_change();
        let Some(texts) = self.shared.texts.as_ref().filter(|_| edited.iter().any(affects_others)) else {
            return (subjects, Vec::new());
        };
        let changed: Vec<PathBuf> = edited.iter().map(|edited| edited.path.clone()).collect();
        let AffectedFiles { paths, unchecked } = self.shared.sources.affected_files(&changed, until).await;
        let known = self.lock().recent_paths();
        for path in paths.iter().chain(&known) {
            if subjects.iter().all(|subject| subject.path != *path) && !changed.contains(path) {
                subjects.extend(texts.document(path));
            }
        }
        (subjects, unchecked)
    }
}

/// Adds reports on files that were not checked, unless a source reported on the file after all.
pub(super) fn add_unchecked(reports: &mut Vec<DiagnosticsReport>, unchecked: Vec<DiagnosticsReport>) {
    // What is known of a file says nothing about its users.
    let is_said_by = |report: &DiagnosticsReport, other: &DiagnosticsReport| {
        report.path == other.path
            && (report.source == other.source || is_known(other) && !report.is_about_others())
    };
    let is_missing = |report: &DiagnosticsReport| !reports.iter().any(|other| is_said_by(report, other));
    let missing: Vec<_> = unchecked.into_iter().filter(is_missing).collect();
    reports.extend(missing);
}

fn is_known(report: &DiagnosticsReport) -> bool {
    report.verdict.diagnostics().is_some()
}
