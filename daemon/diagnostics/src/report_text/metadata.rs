//! The delta as data, for the user's view of a call.

use std::path::Path;
use std::time::Duration;

use copydesk_metadata::{
    DiagnosticsMetadata, ProblemMetadata, ProblemProof, ProblemSeverity, ProblemSourceMetadata,
};
use copydesk_servers::diagnostic::Severity;
use copydesk_servers::report::Proof;
use copydesk_servers::sanitize::sanitize_line;

use super::display_path;
use crate::delta::{DiagnosticsDelta, ReportedDiagnostic, SourceStatus};

/// The cap on the diagnostics of each list, and on sources.
pub(super) const MAX_LISTED: usize = 100;

pub(crate) fn build_metadata(delta: &DiagnosticsDelta, root: &Path, waited: Duration) -> DiagnosticsMetadata {
    let listed =
        |list: &[ReportedDiagnostic]| list.iter().take(MAX_LISTED).map(|item| problem(item, root)).collect();
    let unlisted = delta.new.len().saturating_sub(MAX_LISTED) + delta.unsure.len().saturating_sub(MAX_LISTED);
    DiagnosticsMetadata {
        reports: sources(&delta.sources),
        new: listed(&delta.new),
        unsure: listed(&delta.unsure),
        fixed: count(delta.fixed.len()),
        remaining: count(delta.remaining.len()),
        waited_ms: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
        unlisted: (unlisted > 0).then(|| count(unlisted)),
    }
}

fn problem(problem: &ReportedDiagnostic, root: &Path) -> ProblemMetadata {
    let item = &problem.diagnostic;
    ProblemMetadata {
        path: display_path(&problem.path, root),
        line: u64::from(item.span.start.line) + 1,
        column: u64::from(item.span.start.character) + 1,
        severity: severity(item.severity),
        code: problem.code(),
        source: sanitize_line(&problem.source, 80),
        message: problem.message(),
    }
}

/// Each source with each of its proofs and reasons, once.
fn sources(statuses: &[SourceStatus]) -> Vec<ProblemSourceMetadata> {
    let mut sources = Vec::new();
    for status in statuses {
        let source = ProblemSourceMetadata {
            source: sanitize_line(&status.source, 80),
            proof: match status.proof {
                Proof::Proven => ProblemProof::Proven,
                Proof::Likely => ProblemProof::Likely,
                Proof::Unknown => ProblemProof::Unknown,
            },
            why: status.why.as_ref().map(|why| sanitize_line(why, 300)),
        };
        if sources.len() < MAX_LISTED && !sources.contains(&source) {
            sources.push(source);
        }
    }
    sources
}

pub(super) fn severity(severity: Severity) -> ProblemSeverity {
    match severity {
        Severity::Error => ProblemSeverity::Error,
        Severity::Warning => ProblemSeverity::Warning,
        Severity::Information => ProblemSeverity::Information,
        Severity::Hint => ProblemSeverity::Hint,
    }
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
