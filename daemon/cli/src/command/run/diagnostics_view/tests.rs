use anstream::adapter::strip_str;
use copydesk_protocol::metadata::{CallMetadata, DiagnosticsMetadata};
use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::{DiagnosticsTiming, lines, within};
use crate::terminal::{columns_of, unmarked};

fn problem(path: &str, severity: &str, code: Option<&str>, message: &str) -> Value {
    json!({
        "path": path, "line": 12, "column": 9, "severity": severity, "code": code, "source": "x", "message": message
    })
}

fn found() -> Value {
    let new = [
        problem("src/cart.rs", "error", Some("E0308"), "mismatched types: expected `Money`, found `f64`"),
        problem("src/a/rather/deep/folder/of/the/project/till.rs", "warning", None, "not\nused"),
    ];
    let reports = [
        json!({ "source": "rust-analyzer", "proof": "proven" }),
        json!({ "source": "cargo check", "proof": "unknown", "why": "it runs for saved files only" }),
    ];
    let mut found = json!({ "reports": reports, "new": new, "unsure": [], "fixed": 1, "remaining": 2 });
    found["waitedMs"] = json!(5);
    json!({ "diagnostics": found })
}

/// As they stand beside the exit code of a command.
fn read(mut metadata: Value) -> Option<DiagnosticsMetadata> {
    metadata["exit"] = json!(0);
    CallMetadata::from_value(metadata).diagnostics().cloned()
}

/// Checks the lines, and that none is wider than the terminal.
#[track_caller]
fn check(metadata: &Value, when: DiagnosticsTiming, width: usize, expected: &Expect) {
    let lines = within(&read(metadata.clone()).unwrap(), when, width);
    let plain: Vec<_> = lines.iter().map(|line| strip_str(&unmarked(line)).to_string()).collect();
    for line in &plain {
        assert!(columns_of(line) <= width + 2, "too wide: {line}");
    }
    // `expect!` strips the indentation that all lines share.
    let begun: Vec<_> = plain.iter().map(|line| line.strip_prefix("  ").expect("below its call")).collect();
    expected.assert_eq(&(begun.join("\n") + "\n"));
}

#[test]
fn problems_and_who_says_so() {
    check(
        &found(),
        DiagnosticsTiming::After,
        90,
        &expect![[r#"
              src/cart.rs:12:9 error E0308 mismatched types: expected `Money`, found `f64`
              src/a/rather/deep/folder/of/the/project/till.rs:12:9 warning not used
              ✗ rust-analyzer, proven: 2 new, 2 older, 1 fixed
              ? cargo check: not known: it runs for saved files only
        "#]],
    );
}

#[test]
fn what_would_be_wrong() {
    let mut metadata = found();
    metadata["diagnostics"]["new"] = json!([]);
    check(
        &metadata,
        DiagnosticsTiming::Before,
        90,
        &expect![[r#"
              ✓ rust-analyzer, proven: nothing new if this is made, 2 older, 1 fixed
              ? cargo check: not known: it runs for saved files only
        "#]],
    );
}

#[test]
fn a_narrow_terminal() {
    check(
        &found(),
        DiagnosticsTiming::After,
        40,
        &expect![[r#"
              src/cart.rs:12:9
                error E0308
                mismatched types: expected `Money…
              …/folder/of/the/project/till.rs:12:9
                warning not used
              ✗ rust-analyzer, proven: 2 new, 2 ol…
              ? cargo check: not known: it runs fo…
        "#]],
    );
    check(
        &found(),
        DiagnosticsTiming::After,
        20,
        &expect![[r#"
              src/cart.rs:12:9
                error E0308
                mismatched ty…
              …ct/till.rs:12:9
                warning
                not used
              ✗ rust-analyzer,…
              ? cargo check: n…
        "#]],
    );
}

#[test]
fn no_more_than_a_handful() {
    let mut metadata = found();
    metadata["diagnostics"]["unsure"] = metadata["diagnostics"]["new"].take();
    metadata["diagnostics"]["new"] = json!(vec![problem("a", "error", None, "x"); 4]);
    metadata["diagnostics"]["unlisted"] = json!(3);
    check(
        &metadata,
        DiagnosticsTiming::After,
        90,
        &expect![[r#"
              a:12:9 error x
              a:12:9 error x
              a:12:9 error x
              a:12:9 error x
              src/cart.rs:12:9 error E0308 mismatched types: expected `Money`, found `f64`
              … and 4 more
              ✗ rust-analyzer, proven: 4 new, 2 perhaps new, 2 older, 1 fixed
              ? cargo check: not known: it runs for saved files only
        "#]],
    );
    metadata["diagnostics"]["new"] = json!([]);
    check(
        &metadata,
        DiagnosticsTiming::After,
        90,
        &expect![[r#"
              src/cart.rs:12:9 error E0308 mismatched types: expected `Money`, found `f64`
              src/a/rather/deep/folder/of/the/project/till.rs:12:9 warning not used
              ✗ rust-analyzer, proven: 2 found, which of them are new is not known, 2 older, 1 fixed
              ? cargo check: not known: it runs for saved files only
        "#]],
    );
}

#[test]
fn nobody_was_asked() {
    assert_eq!(lines(None, DiagnosticsTiming::After), Vec::<String>::new());
    assert_eq!(read(json!({ "diagnostics": 7 })), None);
}

/// A server's escape sequences never reach the terminal.
#[test]
fn what_a_server_writes_cannot_steer_the_terminal() {
    let mut metadata = found();
    metadata["diagnostics"]["new"][0]["message"] = json!("\u{1b}[32mfine\u{202e}");
    let lines = within(&read(metadata).unwrap(), DiagnosticsTiming::After, 90);
    assert!(!unmarked(&lines[0]).contains("\u{1b}[32m"), "{:?}", unmarked(&lines[0]));
}
