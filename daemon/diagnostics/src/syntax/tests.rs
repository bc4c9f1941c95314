use std::fmt::Write;
use std::time::Duration;

use expect_test::{Expect, expect};

use super::*;

pub(super) fn subject(path: &str, text: &str) -> CheckedDocument {
    CheckedDocument { path: format!("/w/{path}").into(), text: Arc::new(text.to_owned()), is_saved: true }
}

pub(super) fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

fn verdict_on(path: &str, text: &str) -> Verdict {
    let subject = subject(path, text);
    SyntaxSource::default().verdict_for(grammar::grammar_for(&subject.path).unwrap(), &subject, soon())
}

fn shown(verdict: &Verdict) -> String {
    let mut shown = format!("{:?}", verdict.proof()).to_lowercase();
    if let Verdict::Unknown { why } = verdict {
        let _ = write!(shown, " {why}");
    }
    for Diagnostic { span, message, .. } in verdict.diagnostics().unwrap_or_default() {
        let (from, to) = (span.start, span.end);
        let _ = write!(shown, "; {}:{}-{}:{} {message}", from.line, from.character, to.line, to.character);
    }
    shown
}

#[track_caller]
fn check(path: &str, text: &str, expected: Expect) {
    expected.assert_eq(&shown(&verdict_on(path, text)));
}

#[test]
fn syntax_errors_are_reported_at_their_position() {
    check("a.rs", "fn main() {\n    let x = ;\n}\n", expect!["proven; 1:10-1:11 unexpected `=`"]);
    check(
        "a.rs",
        "fn main() {\n    let x = 1\n    let y = 2;\n}\n",
        expect!["proven; 1:13-1:13 `;` is missing here"],
    );
    check("a.rs", "fn main() {\n    foo(1, 2;\n}\n", expect!["proven; 1:12-1:12 `)` is missing here"]);
    check(
        "a.rs",
        "fn main() {\n    if x {\n        y();\n}\n\nfn b() {}\n",
        expect!["proven; 0:10-0:11 `{` is not closed"],
    );
    check("a.rs", "fn main() {\n    y();\n}}\n\nfn b() {}\n", expect!["proven; 2:1-2:2 unexpected `}`"]);
    check("a.rs", "struct A { a: u32 b: u32 }\n", expect!["proven; 0:18-0:24 syntax error at `b: u32`"]);
    check("a.rs", "fn main() { let s = \"abc; }\n", expect![[r#"proven; 0:20-0:21 `"` is not closed"#]]);
    check("a.rs", "fn é() { 😀; let x = 1 }\n", expect!["proven; 0:9-0:22 syntax error at `😀; let x = 1`"]);
    check(
        "a.rs",
        "<<<<<<< HEAD\nfn a() {}\n=======\nfn b() {}\n>>>>>>> x\n",
        expect!["proven; 0:0-0:7 a merge conflict is not resolved"],
    );
    check(
        "a.ts",
        "const x = {a: 1, b: };\n",
        expect!["proven; 0:19-0:19 something like an identifier is missing here"],
    );
    check("a.ts", "function f( {\n  return 1;\n}\n", expect!["proven; 0:10-0:11 `(` is not closed"]);
    check(
        "a.ts",
        "class A {\n  f() {\n    if (x) {\n  }\n}\n",
        expect!["proven; 4:1-4:1 `}` is missing here"],
    );
    check("a.tsx", "const a = <div>{x</div>;\n", expect!["proven; 0:15-0:16 `{` is not closed"]);
    check(
        "a.js",
        "let a = [1, 2\nlet b = 3;\n",
        expect!["proven; 0:12-0:13 syntax error at `2`; 1:9-1:9 `]` is missing here"],
    );
    check("a.py", "def f(:\n    pass\n", expect!["proven; 0:6-0:6 `)` is missing here"]);
    check("a.py", "def f()\n    pass\n", expect!["proven; 0:0-0:7 syntax error at `def f()`"]);
    check("a.py", "x = (1,\n\ndef f():\n    pass\n", expect!["proven; 0:4-0:5 `(` is not closed"]);
    check(
        "a.go",
        "package a\n\nfunc f() {\n\tx := \n}\n",
        expect!["proven; 3:5-3:5 something like an identifier is missing here"],
    );
    check(
        "a.java",
        "class A {\n  void f() {\n    int x = 1\n  }\n}\n",
        expect!["proven; 2:13-2:13 `;` is missing here"],
    );
    check(
        "a.lua",
        "function f()\n  if x then\n    y()\nend\n",
        expect!["proven; 0:0-0:12 syntax error at `function f()`"],
    );
    check("a.sh", "if true; then\n  echo a\n", expect!["likely; 1:8-1:8 `fi` is missing here"]);
    check("a.sh", "echo \"abc\n", expect![[r#"likely; 0:5-0:6 `"` is not closed"#]]);
    check("a.json", "{\"a\": 1,}\n", expect!["proven; 0:7-0:8 unexpected `,`"]);
    check("a.json", "{\"a\": 1\n", expect!["proven; 0:7-0:7 `}` is missing here"]);
    check("a.json", "{a: 1}\n", expect!["proven; 0:0-0:3 syntax error at `{a:`"]);
    check("a.yaml", "a:\n  - b\n c: d\n", expect!["proven; 0:0-0:2 syntax error at `a:`"]);
    check(
        "a.toml",
        "a = \n[b\n",
        expect!["proven; 0:0-0:3 syntax error at `a =`; 1:0-1:1 `[` is not closed"],
    );
    check("a.css", "a { color: red\nb { color: blue; }\n", expect!["proven; 1:18-1:18 `}` is missing here"]);
    check("a.rb", "def f\n  if x\n    y\nend\n", expect!["proven; 0:0-0:5 syntax error at `def f`"]);
    check("a.php", "<?php\nfunction f( {\n}\n", expect!["proven; 1:11-1:11 `)` is missing here"]);
}

#[test]
fn macros_and_templates_are_not_proven_errors() {
    // A macro may stand for anything.
    check("a.c", "int main(void) {\n  return 0\n}\n", expect!["likely; 1:10-1:10 `;` is missing here"]);
    check("a.cpp", "class A { void f() { };\n", expect!["likely; 0:8-0:9 `{` is not closed"]);
    check("a.h", "#pragma once\nclass A { void f() {} };\n", expect!["proven"]);
    // A trailing comma, where it is allowed.
    check("a.jsonc", "// x\n{\"a\": [1,],}\n", expect!["proven"]);
    check("tsconfig.build.json", "{\"a\": [1,],}\n", expect!["proven"]);
    check(".vscode/settings.json", "{\"a\": [1,,],}\n", expect!["proven; 0:8-0:10 syntax error at `,,`"]);
    // Templates.
    check("a.yaml", "{{- if .x }}\na: b\n{{ end }}\n", expect!["unknown it seems to be a template"]);
    check("a.yaml", "a:\n  - ${{ x }}\n c: d\n", expect!["proven; 0:0-0:2 syntax error at `a:`"]);
}

#[test]
fn errors_are_capped() {
    let text = "fn f() { let = ; }\n".repeat(1000);
    let verdict = verdict_on("a.rs", &text);
    assert_eq!(verdict.diagnostics().unwrap().len(), 20);
    let text = format!("let a = {};", "]".repeat(2000));
    assert_eq!(verdict_on("a.js", &text).diagnostics().unwrap().len(), 1);
}

#[test]
fn a_text_too_large_or_too_slow_is_unknown() {
    check("a.json", &" ".repeat(MAX_TEXT_BYTES + 1), expect!["unknown the file is larger than 4 MB"]);
    let late = subject("a.rs", &"fn f() {}\n".repeat(20_000));
    let grammar = grammar::grammar_for(&late.path).unwrap();
    assert_eq!(
        shown(&SyntaxSource::default().verdict_for(grammar, &late, Instant::now())),
        "unknown parsing it took too long"
    );
}

/// Nested deeper than any stack allows.
#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let around = |open: &str, close: &str, many: usize| open.repeat(many) + "1 2" + &close.repeat(many);
    for (path, text) in [
        ("a.json", "[".repeat(300_000)),
        ("a.json", around("[", "]", 100_000)),
        ("a.json", around("[", "]", 50_000) + "}"),
        ("a.js", "(".repeat(100_000)),
        ("a.rs", "{".repeat(100_000)),
    ] {
        let verdict = verdict_on(path, &text);
        assert!(!matches!(&verdict, Verdict::Proven(found) if found.is_empty()), "{path}");
    }
}

#[tokio::test]
async fn each_file_with_a_grammar_has_a_report() {
    let subjects = [subject("a.rs", "fn"), subject("b.unknown", "fn"), subject("c.json", "[]")];
    let until = tokio::time::Instant::now() + Duration::from_secs(60);
    let reports = SyntaxSource::default().check(&subjects, until).await;
    let seen: Vec<_> =
        reports.iter().map(|report| (report.path.to_str().unwrap(), report.verdict.proof())).collect();
    use copydesk_servers::report::Proof::Proven;
    assert_eq!(seen, [("/w/a.rs", Proven), ("/w/c.json", Proven)]);
}
