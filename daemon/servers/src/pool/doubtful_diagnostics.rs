//! Drops diagnostics that another report makes needless or refutes.

use std::collections::HashSet;
use std::mem;
use std::path::PathBuf;

use crate::diagnostic::{Diagnostic, Severity};
use crate::quirks::Quirks;
use crate::report::{DiagnosticsReport, Verdict};

/// A file that includes a broken one repeats its errors. They would take the places of others in the report, so a
/// repeated error is dropped if the report has the error itself.
pub fn drop_echoes(reports: &mut [DiagnosticsReport], is_echo: impl Fn(&Diagnostic) -> bool) {
    let mut known: HashSet<(PathBuf, u32)> = HashSet::new();
    for report in reports.iter() {
        let own = report.verdict.diagnostics().unwrap_or_default().iter().filter(|item| !is_echo(item));
        known.extend(own.map(|item| (report.path.clone(), item.span.start.line)));
    }
    let is_kept = |item: &Diagnostic| {
        let original = item.related.first().filter(|_| is_echo(item));
        original.is_none_or(|original| !known.contains(&(original.path.clone(), original.span.start.line)))
    };
    for report in reports {
        retain(&mut report.verdict, is_kept);
        report.previous.iter_mut().for_each(|previous| previous.retain(is_kept));
    }
}

/// The compiler has checked everything after the last write, and found no error. So the server's errors are not true: it
/// has not read all files yet.
pub(super) fn drop_overruled(reports: &mut [DiagnosticsReport], quirks: &Quirks) {
    let Some(compiler) = quirks.compiler_name() else { return };
    for report in reports.iter_mut().filter(|report| report.source != compiler) {
        retain(&mut report.verdict, |item| item.severity != Severity::Error);
    }
}

fn retain(verdict: &mut Verdict, is_kept: impl Fn(&Diagnostic) -> bool) {
    if let Verdict::Proven(all) | Verdict::Likely(all) = verdict {
        *all = mem::take(all).into_iter().filter(is_kept).collect();
    }
}

#[cfg(test)]
mod tests {
    use copydesk_text::Position;

    use super::*;
    use crate::diagnostic::{DiagnosticSpan, RelatedInformation};

    fn error(line: u32, message: &str, related: Option<(&str, u32)>) -> Diagnostic {
        let span = |line| DiagnosticSpan { start: Position::new(line, 0), end: Position::new(line, 1) };
        let related = related.map(|(path, line)| RelatedInformation {
            path: path.into(),
            span: span(line),
            message: "error occurred here".into(),
        });
        Diagnostic {
            span: span(line),
            severity: Severity::Error,
            code: None,
            source: None,
            message: message.into(),
            related: related.into_iter().collect(),
            data: None,
        }
    }

    fn report(path: &str, source: &str, found: Vec<Diagnostic>) -> DiagnosticsReport {
        DiagnosticsReport::new(path.into(), source, Verdict::Proven(found))
    }

    fn messages(reports: &[DiagnosticsReport]) -> Vec<String> {
        let all = reports.iter().flat_map(|report| report.verdict.diagnostics().unwrap());
        all.map(|item| item.message.to_string()).collect()
    }

    #[test]
    fn an_error_of_a_header_is_reported_once() {
        let quirks = Quirks { echo_prefixes: vec!["In included file: ".to_owned()], ..Quirks::default() };
        let echo = |line| error(0, "In included file: unknown type", Some(("/w/a.h", line)));
        let mut reports = [
            report("/w/a.h", "s", vec![error(3, "unknown type", None)]),
            report("/w/a.c", "s", vec![echo(3), error(5, "own", None)]),
            report("/w/b.c", "s", vec![echo(4)]),
        ];
        drop_echoes(&mut reports, |item| quirks.is_echo(item));
        assert_eq!(messages(&reports), ["unknown type", "own", "In included file: unknown type"]);
    }

    #[test]
    fn a_clean_compiler_overrules_its_server() {
        let quirks = Quirks { save_sources: vec!["rustc".to_owned()], ..Quirks::default() };
        let warning = Diagnostic { severity: Severity::Warning, ..error(2, "unused", None) };
        let native = report("/w/a.rs", "ra", vec![error(1, "unresolved import", None), warning]);
        let mut reports = [native, report("/w/a.rs", "rustc", vec![])];
        drop_overruled(&mut reports, &quirks);
        assert_eq!(messages(&reports), ["unused"]);
    }
}
