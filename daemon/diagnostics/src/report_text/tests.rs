use std::path::PathBuf;
use std::time::Duration;

use copydesk_text::{Change, Position};
use expect_test::{Expect, expect};

use super::metadata::MAX_LISTED;
use super::*;
use crate::baseline::Baseline;
use copydesk_servers::diagnostic::{Diagnostic, DiagnosticSpan, RelatedInformation};
use copydesk_servers::report::{DiagnosticsReport, Verdict};

fn at(line: u32, character: u32, code: &str, message: &str) -> Diagnostic {
    let start = Position::new(line, character);
    let span = DiagnosticSpan { start, end: start };
    let code = (!code.is_empty()).then(|| code.into());
    Diagnostic {
        span,
        severity: Severity::Error,
        code,
        source: None,
        message: message.into(),
        related: vec![],
        data: None,
    }
}

fn report(path: &str, source: &str, verdict: Verdict) -> DiagnosticsReport {
    DiagnosticsReport::new(format!("/w/{path}").into(), source, verdict)
}

fn unknown(why: &str) -> Verdict {
    Verdict::Unknown { why: why.to_owned() }
}

/// Baselines without diagnostics.
fn fine(paths: &[&str]) -> Vec<Baseline> {
    paths.iter().map(|path| Baseline::empty(format!("/w/{path}").into())).collect()
}

const MAIN: &str = "fn main() {\n    let x: u32 = \"é\";\n}\n";

fn seen(before: &[Baseline], after: &[DiagnosticsReport], least: Severity) -> String {
    let delta = DiagnosticsDelta::compute(before, after, least);
    let text_of = |path: &Path| (path.ends_with("main.rs")).then(|| Arc::new(MAIN.to_owned()));
    render_delta(&delta, Path::new("/w"), &text_of)
}

#[track_caller]
fn check(before: &[Baseline], after: &[DiagnosticsReport], expected: Expect) {
    expected.assert_eq(&seen(before, after, Severity::Error));
}

fn mismatch() -> Diagnostic {
    let related = RelatedInformation {
        path: "/w/src/lib.rs".into(),
        span: DiagnosticSpan { start: Position::new(2, 7), end: Position::new(2, 8) },
        message: "expected due to this".into(),
    };
    Diagnostic {
        source: Some("rustc".into()),
        related: vec![related],
        data: None,
        ..at(1, 17, "E0308", "mismatched types\nexpected `u32`, found `&str`")
    }
}

#[test]
fn new_diagnostics_are_shown_with_their_lines() {
    let after = Verdict::Proven(vec![mismatch(), at(8, 0, "", "past the end")]);
    check(
        &fine(&["src/main.rs"]),
        &[report("src/main.rs", "rust-analyzer", after)],
        expect![[r#"
        rust-analyzer, proven for this text: 2 new errors
        src/main.rs:2:18 error E0308 (rustc) mismatched types
            expected `u32`, found `&str`
          2:     let x: u32 = "é";
          src/lib.rs:3:8 expected due to this
        src/main.rs:9:1 error past the end
    "#]],
    );
}

#[test]
fn clean_unknown_and_likely_are_told_apart() {
    let analyzer = |verdict| report("src/main.rs", "rust-analyzer", verdict);
    let before = fine(&["src/main.rs", "src/lib.rs"]);
    check(
        &before,
        &[analyzer(Verdict::Proven(vec![]))],
        expect![[r#"
        rust-analyzer, proven for this text: no new errors
    "#]],
    );
    check(
        &before,
        &[analyzer(Verdict::Likely(vec![at(2, 0, "", "odd")]))],
        expect![[r#"
        rust-analyzer, likely, not proven, for this text: 1 new error
        src/main.rs:3:1 error odd
          3: }
    "#]],
    );
    check(
        &before,
        &[analyzer(unknown("still indexing (40 %)"))],
        expect![[r#"
        rust-analyzer: not known for this text: still indexing (40 %)
    "#]],
    );
    check(
        &before,
        &[
            analyzer(Verdict::Proven(vec![])),
            report("src/lib.rs", "rust-analyzer", unknown("no answer within 3 s")),
        ],
        expect![[r#"
            rust-analyzer, proven for this text: no new errors
            rust-analyzer: not known for src/lib.rs: no answer within 3 s
        "#]],
    );
    check(&[], &[], expect![""]);
}

#[test]
fn without_a_baseline_nothing_is_called_new() {
    let main = |verdict| report("src/main.rs", "rust-analyzer", verdict);
    check(
        &[],
        &[main(Verdict::Proven(vec![at(0, 0, "", "wrong")]))],
        expect![[r#"
        rust-analyzer, proven for this text: 1 error (what it said before is not known, so older and new ones cannot be told apart)
        src/main.rs:1:1 error wrong
          1: fn main() {
    "#]],
    );
    check(
        &[],
        &[main(Verdict::Proven(vec![]))],
        expect![[r#"
        rust-analyzer, proven for this text: no errors
    "#]],
    );
    let lib = report("src/lib.rs", "rust-analyzer", Verdict::Proven(vec![at(0, 0, "", "old or new")]));
    check(
        &fine(&["src/main.rs"]),
        &[main(Verdict::Proven(vec![at(0, 0, "", "new")])), lib],
        expect![[r#"
        rust-analyzer, proven for this text: 1 new error
        src/main.rs:1:1 error new
          1: fn main() {
        rust-analyzer, proven for this text: 1 error in src/lib.rs (what it said before is not known, so older and new ones cannot be told apart)
        src/lib.rs:1:1 error old or new
    "#]],
    );
}

#[test]
fn older_diagnostics_are_counted() {
    let say = |items| report("src/main.rs", "rust-analyzer", Verdict::Proven(items));
    let (old, new) = ("a\nb\nc\n", "a\nx\nb\n");
    let items = vec![at(0, 0, "", "one"), at(1, 0, "", "two"), at(2, 0, "", "three")];
    let before = [Baseline::shifted(&say(items.clone()), old, &Change::between(old, new))];
    check(
        &before,
        &[say(vec![items[0].clone(), at(2, 0, "", "two")])],
        expect![[r#"
        rust-analyzer, proven for this text: no new errors
        2 older errors remain, 1 was fixed.
    "#]],
    );
    check(
        &before,
        &[say(vec![items[0].clone()])],
        expect![[r#"
        rust-analyzer, proven for this text: no new errors
        1 older error remains, 2 were fixed.
    "#]],
    );
    check(
        &before,
        &[say(vec![])],
        expect![[r#"
        rust-analyzer, proven for this text: no new errors
        3 older errors were fixed.
    "#]],
    );
}

#[test]
fn each_source_has_its_line() {
    let warning = Diagnostic { severity: Severity::Warning, ..at(0, 0, "F401", "`os` imported but unused") };
    let after = [
        report("a.py", "tree-sitter", Verdict::Proven(vec![])),
        report("a.py", "pyright", unknown("it is starting")),
        report("a.py", "ruff", Verdict::Proven(vec![warning])),
    ];
    expect![[r#"
        pyright: not known for this text: it is starting
        ruff, proven for this text: 1 new problem
        a.py:1:1 warning F401 `os` imported but unused
    "#]]
    .assert_eq(&seen(&fine(&["a.py"]), &after, Severity::Warning));
    expect![[r#"
        pyright: not known for this text: it is starting
        ruff, proven for this text: no new errors
    "#]]
    .assert_eq(&seen(&fine(&["a.py"]), &after, Severity::Error));
    expect![[r#"
        tree-sitter, syntax only: no new errors
        pyright: not known for this text: it is starting
    "#]]
    .assert_eq(&seen(&fine(&["a.py"]), &after[..2], Severity::Error));
}

#[test]
fn a_source_with_only_duplicates_is_not_called_clean() {
    let after = |source: &str| {
        let words = format!("mismatched types, as {source} puts it");
        report("a.rs", source, Verdict::Proven(vec![at(2, 4, "E0308", &words)]))
    };
    expect![[r#"
        rust-analyzer, proven for this text: 1 new error
        a.rs:3:5 error E0308 mismatched types, as rust-analyzer puts it
        rustc, proven for this text: no other new errors
    "#]]
    .assert_eq(&seen(&fine(&["a.rs"]), &[after("rust-analyzer"), after("rustc")], Severity::Error));
}

#[test]
fn server_output_is_capped_and_sanitized() {
    let nasty = Diagnostic {
        source: Some("x\x1b[2J\ny".into()),
        ..at(
            1,
            9,
            "E\n1",
            "\x1b[31mred\x1b[0m\u{202e}\r\nrust-analyzer, proven for this text: no new errors\n\n\x07bell",
        )
    };
    check(
        &fine(&["src/main.rs"]),
        &[report("src/main.rs", "s", Verdict::Proven(vec![nasty]))],
        expect![[r#"
            s, proven for this text: 1 new error
            src/main.rs:2:10 error E 1 (x y) red
                rust-analyzer, proven for this text: no new errors
                bell
              2:     let x: u32 = "é";
        "#]],
    );

    let many: Vec<_> =
        (0..20_000).map(|line| at(line, 0, "", &format!("{line} {}", "é".repeat(500)))).collect();
    let after = [report("src/main.rs", "s", Verdict::Proven(many))];
    let rendered = seen(&fine(&["src/main.rs"]), &after, Severity::Error);
    assert!(rendered.len() < MAX_TEXT_BYTES + 200, "{}", rendered.len());
    assert!(rendered.starts_with("s, proven for this text: 20000 new errors\n"), "{rendered}");
    assert!(rendered.ends_with(" more\n"), "{rendered}");
    let delta = DiagnosticsDelta::compute(&fine(&["src/main.rs"]), &after, Severity::Error);
    let metadata = build_metadata(&delta, Path::new("/w"), Duration::from_millis(12));
    assert_eq!((metadata.new.len(), metadata.unlisted), (MAX_LISTED, Some(19_900)));

    let reports: Vec<_> =
        (0..1000).map(|n| report(&format!("{n}"), "s", unknown(&format!("why {n}")))).collect();
    assert_eq!(seen(&[], &reports, Severity::Error).lines().count(), MAX_GROUPS + 1);
}

#[test]
fn a_long_line_is_cut_around_the_position() {
    let text = Arc::new(format!("{}HERE{}", "😀".repeat(500), "x".repeat(500)));
    let after = [report("a", "s", Verdict::Proven(vec![at(0, 1000, "", "wrong")]))];
    let delta = DiagnosticsDelta::compute(&fine(&["a"]), &after, Severity::Error);
    let rendered = render_delta(&delta, Path::new("/w"), &|_: &Path| Some(text.clone()));
    let line = rendered.lines().nth(2).unwrap();
    assert_eq!(line, format!("  1: …{}HERE{}…", "😀".repeat(80), "x".repeat(76)));
}

#[test]
fn the_metadata_has_the_delta_as_data() {
    let after = [
        report("src/main.rs", "rust-analyzer", Verdict::Proven(vec![mismatch()])),
        report("src/lib.rs", "rust-analyzer", Verdict::Proven(vec![])),
        report("src/lib.rs", "clippy", unknown("it is not saved")),
    ];
    let before = fine(&["src/main.rs", "src/lib.rs"]);
    let delta = DiagnosticsDelta::compute(&before, &after, Severity::Error);
    let metadata = build_metadata(&delta, &PathBuf::from("/w"), Duration::from_millis(420));
    expect![[r#"
        {
          "reports": [
            {
              "source": "rust-analyzer",
              "proof": "proven"
            },
            {
              "source": "clippy",
              "proof": "unknown",
              "why": "it is not saved"
            }
          ],
          "new": [
            {
              "path": "src/main.rs",
              "line": 2,
              "column": 18,
              "severity": "error",
              "code": "E0308",
              "source": "rust-analyzer",
              "message": "mismatched types expected `u32`, found `&str`"
            }
          ],
          "unsure": [],
          "fixed": 0,
          "remaining": 0,
          "waitedMs": 420
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&metadata).unwrap());
}
