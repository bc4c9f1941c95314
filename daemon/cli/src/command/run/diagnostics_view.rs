//! Diagnostics of a change, below the call that made it, or in the ask before it.
//!
//! One line per problem, then one per group of sources with their proof; sources that do not know are listed as
//! such. Everything fits the terminal: if a line is too narrow for place and message, the message goes below.

#[cfg(test)]
mod tests;

use copydesk_protocol::metadata::{
    DiagnosticsMetadata, ProblemMetadata, ProblemProof, ProblemSeverity, ProblemSourceMetadata,
};
use copydesk_servers::TREE_SITTER;

use crate::terminal::{BAD, DIM, GOOD, WARNING, columns, columns_of, cut, one_line, styled};

/// Problems shown one by one.
const MAX_PROBLEMS: usize = 5;

/// A message with fewer columns goes on a line of its own.
const MESSAGE_COLUMNS: usize = 24;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DiagnosticsTiming {
    /// The change is applied.
    After,
    /// The user decides on it.
    Before,
}

/// Empty if no source was asked.
pub(super) fn lines(found: Option<&DiagnosticsMetadata>, when: DiagnosticsTiming) -> Vec<String> {
    found.map(|found| within(found, when, columns())).unwrap_or_default()
}

fn within(found: &DiagnosticsMetadata, when: DiagnosticsTiming, width: usize) -> Vec<String> {
    let DiagnosticsMetadata { reports, new, unsure, .. } = found;
    let mut lines: Vec<_> =
        new.iter().chain(unsure).take(MAX_PROBLEMS).flat_map(|item| problem(item, width)).collect();
    let unlisted = usize::try_from(found.unlisted.unwrap_or_default()).unwrap_or_default();
    let more = (new.len() + unsure.len() + unlisted).saturating_sub(MAX_PROBLEMS);
    if more > 0 {
        lines.push(styled(DIM, format!("  … and {more} more")));
    }
    let (known, unknown): (Vec<_>, Vec<_>) =
        reports.iter().partition(|report| report.proof != ProblemProof::Unknown);
    let room = width.saturating_sub(4);
    if !known.is_empty() {
        let is_fine = new.is_empty() && unsure.is_empty();
        let mark = if is_fine { styled(GOOD, "✓") } else { styled(BAD, "✗") };
        let line = format!("{}: {}", sources(&known), figures(found, when));
        lines.push(format!("  {mark} {}", styled(DIM, cut(&line, room))));
    }
    if let Some(first) = unknown.first() {
        let line = format!(
            "{}: not known: {}",
            sources(&unknown),
            one_line(first.why.as_deref().unwrap_or_default())
        );
        lines.push(format!("  {} {}", styled(DIM, "?"), styled(DIM, cut(&line, room))));
    }
    lines
}

/// `2 new, 1 older, 1 fixed`
fn figures(report: &DiagnosticsMetadata, when: DiagnosticsTiming) -> String {
    let made = if when == DiagnosticsTiming::Before { " if this is made" } else { "" };
    let found = match (report.new.len(), report.unsure.len()) {
        (0, 0) => format!("nothing new{made}"),
        (0, unsure) => format!("{unsure} found{made}, which of them are new is not known"),
        (new, 0) => format!("{new} new{made}"),
        (new, unsure) => format!("{new} new{made}, {unsure} perhaps new"),
    };
    let older = [(report.remaining, "older"), (report.fixed, "fixed")].map(|(count, word)| match count {
        0 => String::new(),
        count => format!(", {count} {word}"),
    });
    found + &older.concat()
}

/// The sources with their proof.
fn sources(reports: &[&ProblemSourceMetadata]) -> String {
    let mut named: Vec<String> = Vec::new();
    for report in reports {
        let source = one_line(&report.source);
        let name = match report.proof {
            ProblemProof::Unknown => source,
            // A user who reads "nothing new" should know that only the syntax was checked.
            _ if source == TREE_SITTER => "syntax only".to_owned(),
            ProblemProof::Proven => format!("{source}, proven"),
            ProblemProof::Likely => format!("{source}, likely"),
        };
        if !named.contains(&name) {
            named.push(name);
        }
    }
    named.join("; ")
}

/// `  src/cart.rs:12:9 error E0308 mismatched types`
fn problem(problem: &ProblemMetadata, width: usize) -> Vec<String> {
    let position = format!(":{}:{}", problem.line, problem.column);
    let severity = problem.severity.name();
    let code = problem.code.as_deref().map(one_line).filter(|code| !code.is_empty());
    let kind = code.map_or_else(|| severity.to_owned(), |code| format!("{severity} {code}"));
    let kind = cut(&kind, width.saturating_sub(4));
    let path = one_line(&problem.path);
    let path = cut_front(&path, width.saturating_sub(3 + position.len()));
    let message = one_line(&problem.message);
    let coloured = match problem.severity {
        ProblemSeverity::Error => styled(BAD, &kind),
        ProblemSeverity::Warning => styled(WARNING, &kind),
        ProblemSeverity::Information | ProblemSeverity::Hint => kind.clone(),
    };
    let place = format!("  {path}{position}");
    let room = width.saturating_sub(columns_of(&place) + columns_of(&kind) + 3);
    if room >= MESSAGE_COLUMNS.min(columns_of(&message)) {
        return vec![format!("{place} {coloured} {}", cut(&message, room))];
    }
    let room = width.saturating_sub(columns_of(&kind) + 6);
    if room >= MESSAGE_COLUMNS.min(columns_of(&message)) {
        return vec![place, format!("    {coloured} {}", cut(&message, room))];
    }
    vec![place, format!("    {coloured}"), format!("    {}", cut(&message, width.saturating_sub(5)))]
}

/// Cuts to the last columns: the end of a path says most.
fn cut_front(text: &str, columns: usize) -> String {
    if columns_of(text) <= columns {
        return text.to_owned();
    }
    let reversed: String = text.chars().rev().collect();
    cut(&reversed, columns).chars().rev().collect()
}
