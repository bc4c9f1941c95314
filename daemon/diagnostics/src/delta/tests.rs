use std::fmt::Write;

use copydesk_text::{Change, Position};
use expect_test::{Expect, expect};

use super::*;
use copydesk_servers::diagnostic::DiagnosticSpan;
use copydesk_servers::source::TREE_SITTER;

pub(super) fn item(line: u32, character: u32, message: &str) -> Diagnostic {
    let start = Position::new(line, character);
    let span = DiagnosticSpan { start, end: Position { character: character + 1, ..start } };
    let message = message.into();
    Diagnostic {
        span,
        severity: Severity::Error,
        code: None,
        source: None,
        message,
        related: Vec::new(),
        data: None,
    }
}

/// A fake checker: every `!word` is an error with the message `word`, every `?word` a warning.
pub(super) fn checked(text: &str) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (line, text) in text.lines().enumerate() {
        for (at, mark) in text.match_indices(['!', '?']) {
            let rest = &text[at + 1..];
            let word = &rest[..rest.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(rest.len())];
            let severity = if mark == "!" { Severity::Error } else { Severity::Warning };
            let character = text[..at].encode_utf16().count();
            found.push(Diagnostic { severity, ..item(line as u32, character as u32, word) });
        }
    }
    found
}

pub(super) fn report(source: &str, items: Vec<Diagnostic>) -> DiagnosticsReport {
    DiagnosticsReport::new("/w/a".into(), source, Verdict::Proven(items))
}

pub(super) fn between(old: &str, new: &str, least: Severity) -> DiagnosticsDelta {
    let before = Baseline::shifted(&report("checker", checked(old)), old, &Change::between(old, new));
    DiagnosticsDelta::compute(&[before], &[report("checker", checked(new))], least)
}

fn summary(delta: &DiagnosticsDelta) -> String {
    let mut summary = String::new();
    let lists = [&delta.new, &delta.unsure, &delta.remaining, &delta.fixed];
    for (name, list) in ["new", "unsure", "remaining", "fixed"].into_iter().zip(lists) {
        for ReportedDiagnostic { source, diagnostic: Diagnostic { span, message, .. }, .. } in list {
            let _ =
                write!(summary, "{name} {message} {}:{} ({source}); ", span.start.line, span.start.character);
        }
    }
    summary.trim_end_matches("; ").to_owned()
}

#[track_caller]
fn check(old: &str, new: &str, expected: Expect) {
    let seen = summary(&between(old, new, Severity::Error)).replace(" (checker)", "");
    expected.assert_eq(&seen);
}

#[test]
fn a_change_makes_new_fixed_and_remaining_diagnostics() {
    check("!a\n", "!a\n", expect!["remaining a 0:0"]);
    check("fine\n", "!a\n", expect!["new a 0:0"]);
    check("!a\n", "fine\n", expect!["fixed a 0:0"]);
    check("!a\n", "!b\n", expect!["new b 0:0; fixed a 0:0"]);
    // Lines inserted above an old diagnostic.
    check("x\n!a\n", "x\n1\n2\n!a\n", expect!["remaining a 3:0"]);
    check("x\n!a\n", "!b\nx\n!a\n", expect!["new b 0:0; remaining a 2:0"]);
    // Its line was edited, and it is still there.
    check("f(!a)\n", "long(x, !a)\n", expect!["remaining a 0:8"]);
    check("f(!a)\ng\n", "if x {\n    f(!a)\n}\ng\n", expect!["remaining a 1:6"]);
    // Of two equal ones, one is fixed; or a second one appears.
    check("!a\nx\n!a\n", "x\n!a\n", expect!["remaining a 1:0; fixed a 0:0"]);
    check("!a !a\n", "!a\n", expect!["remaining a 0:0; fixed a 0:3"]);
    check("!a\nx\n", "!a\nx\n!a\n", expect!["new a 2:0; remaining a 0:0"]);
    check("!a\n", "!a !a\n", expect!["new a 0:3; remaining a 0:0"]);
    // The same words elsewhere are another diagnostic.
    check("!a\n1\n2\n3\n4\nx\n", "x\n1\n2\n3\n4\n!a\n", expect!["new a 5:0; fixed a 0:0"]);
    check("😀é !a\n", "é !a\n", expect!["remaining a 0:2"]);
    check("!a\r\n!b\r\n", "x\r\n!a\r\n!b\r\n", expect!["remaining a 1:0; remaining b 2:0"]);
    check("!a\n", "", expect!["fixed a 0:0"]);
    check("", "!a\n", expect!["new a 0:0"]);
}

#[test]
fn warnings_count_only_if_wanted() {
    let seen = |least| summary(&between("?a\n?b\n", "?a\n!b ?c\n", least)).replace(" (checker)", "");
    expect!["new b 1:0"].assert_eq(&seen(Severity::Error));
    expect!["new b 1:0; new c 1:3; remaining a 0:0; fixed b 1:0"].assert_eq(&seen(Severity::Warning));
}

#[track_caller]
fn compare(before: &[Baseline], after: &[DiagnosticsReport], expected: Expect) {
    expected.assert_eq(&summary(&DiagnosticsDelta::compute(before, after, Severity::Warning)));
}

#[test]
fn each_source_has_its_own_baseline() {
    let pyright = report("pyright", vec![item(0, 0, "a")]);
    let ruff = report("ruff", vec![item(5, 0, "b")]);
    let before = [Baseline::unchanged(&pyright)];
    compare(
        &before,
        &[pyright.clone(), ruff.clone()],
        expect!["unsure b 5:0 (ruff); remaining a 0:0 (pyright)"],
    );
    let unknown = DiagnosticsReport { verdict: Verdict::Unknown { why: "late".into() }, ..ruff.clone() };
    let before = [Baseline::unchanged(&pyright), Baseline::unchanged(&unknown)];
    compare(&before, std::slice::from_ref(&ruff), expect!["unsure b 5:0 (ruff)"]);
    // An unknown verdict is neither fixed nor remaining.
    compare(&[Baseline::unchanged(&ruff)], &[unknown], expect![""]);
    compare(&[Baseline::empty("/w/a".into())], &[ruff], expect!["new b 5:0 (ruff)"]);
}

#[test]
fn the_latest_report_counts() {
    let (one, other) = (report("ruff", vec![item(0, 0, "a")]), report("ruff", vec![]));
    compare(&[Baseline::empty("/w/a".into())], &[one.clone(), other.clone()], expect![""]);
    compare(&[Baseline::unchanged(&one), Baseline::unchanged(&other)], &[one], expect!["new a 0:0 (ruff)"]);
}

#[test]
fn duplicates_of_several_sources_are_listed_once() {
    let before = [Baseline::empty("/w/a".into())];
    let syntax = report(TREE_SITTER, vec![item(3, 9, "unexpected `}`"), item(7, 0, "unexpected `)`")]);
    let server = report("rust-analyzer", vec![item(3, 2, "expected expression")]);
    let proven = expect!["new expected expression 3:2 (rust-analyzer)"];
    compare(&before, &[syntax.clone(), server.clone()], proven);
    let server = DiagnosticsReport {
        verdict: Verdict::Likely(server.verdict.diagnostics().unwrap().to_vec()),
        ..server
    };
    let once = expect!["new expected expression 3:2 (rust-analyzer); new unexpected `)` 7:0 (tree-sitter)"];
    compare(&before, &[syntax, server], once);

    let coded = |speaker: &str, message: &str| {
        let (code, source) = (Some("E0308".into()), Some(speaker.into()));
        Diagnostic { code, source, ..item(1, 4, message) }
    };
    let native = coded("rust-analyzer", "expected u32, found &str");
    let compiler = coded("rustc", "mismatched types");
    let both = report("rust-analyzer", vec![native.clone(), compiler]);
    compare(
        &before,
        std::slice::from_ref(&both),
        expect!["new expected u32, found &str 1:4 (rust-analyzer)"],
    );
    // The compiler repeats later what was known before.
    let known = Baseline::unchanged(&report("rust-analyzer", vec![native]));
    compare(&[known], &[both], expect!["remaining expected u32, found &str 1:4 (rust-analyzer)"]);
}

#[test]
fn a_message_may_name_positions_that_moved() {
    let (old, new) = ("x\ny\n", "1\nx\ny\n");
    let baseline_with = |message: &str| {
        Baseline::shifted(&report("c", vec![item(1, 0, message)]), old, &Change::between(old, new))
    };
    let after = |message: &str| [report("c", vec![item(2, 0, message)])];
    let same = expect!["remaining in `closure@a.rs:3:1` 2:0 (c)"];
    compare(&[baseline_with("in `closure@a.rs:2:1`")], &after("in `closure@a.rs:3:1`"), same);
    let other = expect!["new found 3 2:0 (c); fixed found 2 1:0 (c)"];
    compare(&[baseline_with("found 2")], &after("found 3"), other);
}

#[test]
fn sorted_by_severity_then_by_checked_file() {
    let warning = Diagnostic { severity: Severity::Warning, ..item(0, 0, "w") };
    let other = DiagnosticsReport { path: "/w/0".into(), ..report("c", vec![item(0, 0, "o")]) };
    let own = report("c", vec![warning, item(9, 0, "late"), item(1, 0, "early")]);
    let before = [Baseline::empty("/w/a".into()), Baseline::empty("/w/0".into())];
    let order = expect!["new early 1:0 (c); new late 9:0 (c); new o 0:0 (c); new w 0:0 (c)"];
    compare(&before, &[own, other], order);
}
