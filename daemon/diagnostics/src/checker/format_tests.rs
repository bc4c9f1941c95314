//! The output of real checkers, and how it is parsed.

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use super::*;

fn place(location: &RawLocation) -> String {
    let mut shown = format!("{}:{}", location.file, location.line);
    let _ = location.column.map(|column| write!(shown, ":{column}"));
    let _ = location.end.map(|(line, column)| write!(shown, "-{line}:{column}"));
    let _ = location.columns.map(|columns| write!(shown, " {columns:?}"));
    shown
}

#[track_caller]
fn check(format: CheckerOutputFormat, output: &str, expected: Expect) {
    let parsed = parse(format, output);
    let mut shown = format!("whole: {}, seen: {:?}\n", parsed.is_complete, parsed.checked_folders);
    for RawDiagnostic { location: at, severity, code, source, message, related } in &parsed.diagnostics {
        let _ = writeln!(shown, "{} {severity:?} {code:?} {source:?} {message:?}", place(at));
        for (location, message) in related {
            let _ = writeln!(shown, "  {} {message:?}", place(location));
        }
    }
    expected.assert_eq(&shown);
}

#[test]
fn cargo() {
    let span = r#"{"file_name":"src/main.rs","byte_start":0,"line_start":3,"line_end":3,"column_start":18,"column_end":21,"is_primary":true,"label":"expected `i32`, found `&str`","expansion":null}"#;
    let second = r#"{"file_name":"src/main.rs","line_start":3,"line_end":3,"column_start":12,"column_end":15,"is_primary":false,"label":"expected due to this","expansion":null}"#;
    let inner = r#"{"file_name":"/rustc/library/macros.rs","line_start":9,"line_end":9,"column_start":1,"column_end":2,"is_primary":true,"label":null,"expansion":{"span":{"file_name":"src/lib.rs","line_start":7,"line_end":7,"column_start":5,"column_end":9,"is_primary":false,"label":null,"expansion":null},"macro_decl_name":"x!"}}"#;
    let output = [
        r#"   Compiling x v0.1.0"#.to_owned(),
        r#"{"reason":"compiler-artifact","package_id":"y","manifest_path":"/w/y/Cargo.toml","target":{}}"#.to_owned(),
        format!(
            r#"{{"reason":"compiler-message","package_id":"x","manifest_path":"/w/x/Cargo.toml","message":{{"rendered":"…","$message_type":"diagnostic","children":[{{"message":"try this","level":"help","code":null,"spans":[],"children":[]}}],"level":"error","message":"mismatched types","code":{{"code":"E0308","explanation":"…"}},"spans":[{second},{span}]}}}}"#
        ),
        format!(
            r#"{{"reason":"compiler-message","manifest_path":"/w/x/Cargo.toml","message":{{"level":"warning","message":"odd","code":{{"code":"clippy::all"}},"spans":[{inner}]}}}}"#
        ),
        r#"{"reason":"compiler-message","manifest_path":"/w/x/Cargo.toml","message":{"level":"error","message":"aborting due to 1 previous error","code":null,"spans":[]}}"#.to_owned(),
        r#"{"reason":"build-finished","success":false}"#.to_owned(),
    ];
    check(
        CheckerOutputFormat::Cargo,
        &output.join("\n"),
        expect![[r#"
        whole: true, seen: Some(["/w/y", "/w/x"])
        src/main.rs:2:17-2:20 Characters Error Some("E0308") Some("rustc") "mismatched types: expected `i32`, found `&str`\nhelp: try this"
          src/main.rs:2:11-2:14 Characters "expected due to this"
        src/lib.rs:6:4-6:8 Characters Warning Some("clippy::all") Some("clippy") "odd"
    "#]],
    );
    check(
        CheckerOutputFormat::Cargo,
        r#"{"reason":"build-finished","success":true}"#,
        expect![[r#"
        whole: true, seen: None
    "#]],
    );
    check(
        CheckerOutputFormat::Cargo,
        "error: failed to parse manifest",
        expect![[r#"
        whole: false, seen: None
    "#]],
    );
}

#[test]
fn json() {
    let ruff = r#"[{"cell":null,"code":"F401","end_location":{"column":10,"row":1},"filename":"/w/a.py","fix":null,"location":{"column":8,"row":1},"message":"`os` imported but unused","noqa_row":1,"url":"https://x"}]"#;
    let pyright = r#"{"version":"1.1","generalDiagnostics":[{"file":"/w/a.py","severity":"error","message":"\"x\" is not defined","range":{"start":{"line":2,"character":4},"end":{"line":2,"character":5}},"rule":"reportUndefinedVariable"}],"summary":{"filesAnalyzed":1,"errorCount":1}}"#;
    let eslint = r#"[{"filePath":"/w/a.js","messages":[{"ruleId":"no-unused-vars","severity":2,"message":"'x' is unused.","line":1,"column":5,"endLine":1,"endColumn":6},{"ruleId":null,"fatal":true,"severity":2,"message":"Parsing error","line":4,"column":1}],"errorCount":2},{"filePath":"/w/b.js","messages":[]}]"#;
    let go = "# example.com/x\n{\n\t\"example.com/x\": {\n\t\t\"printf\": [\n\t\t\t{\n\t\t\t\t\"posn\": \"/w/x.go:6:2\",\n\t\t\t\t\"message\": \"wrong verb\"\n\t\t\t}\n\t\t]\n\t}\n}\n";
    let lines = "{\"file\": \"a.py\", \"line\": 3, \"column\": 1, \"message\": \"bad\", \"severity\": \"warning\", \"code\": \"misc\"}\n{\"file\": \"b.py\", \"line\": 4, \"message\": \"worse\", \"level\": \"info\"}\n";
    let golangci = r#"{"Issues":[{"FromLinter":"errcheck","Text":"not checked","Severity":"","Pos":{"Filename":"x.go","Offset":1,"Line":5,"Column":3}}]}"#;
    let phpstan = r#"{"totals":{"errors":0},"files":{"/w/a.php":{"errors":1,"messages":[{"message":"Undefined","line":7,"identifier":"variable.undefined"}]}}}"#;
    let stylelint = r#"[{"source":"/w/a.css","warnings":[{"line":2,"column":3,"endLine":2,"endColumn":8,"rule":"x","severity":"error","text":"Unexpected"}]}]"#;
    let all = [ruff, pyright, eslint, go, lines, golangci, phpstan, stylelint];
    let expected = [
        expect![[r#"
            whole: true, seen: None
            /w/a.py:0:7-0:9 Error Some("F401") None "`os` imported but unused"
        "#]],
        expect![[r#"
            whole: true, seen: None
            /w/a.py:2:4-2:5 Utf16 Error Some("reportUndefinedVariable") None "\"x\" is not defined"
        "#]],
        expect![[r#"
            whole: true, seen: None
            /w/a.js:0:4-0:5 Error Some("no-unused-vars") None "'x' is unused."
            /w/a.js:3:0 Error None None "Parsing error"
        "#]],
        expect![[r#"
            whole: true, seen: None
            /w/x.go:5:1 Bytes Error Some("printf") None "wrong verb"
        "#]],
        expect![[r#"
            whole: true, seen: None
            a.py:2:0 Warning Some("misc") None "bad"
            b.py:3 Information None None "worse"
        "#]],
        expect![[r#"
            whole: true, seen: None
            x.go:4:2 Error None None "not checked"
        "#]],
        expect![[r#"
            whole: true, seen: None
            /w/a.php:6 Error Some("variable.undefined") None "Undefined"
        "#]],
        expect![[r#"
            whole: true, seen: None
            /w/a.css:1:2-1:7 Error Some("x") None "Unexpected"
        "#]],
    ];
    for (output, expected) in all.iter().zip(expected) {
        check(CheckerOutputFormat::Json, output, expected);
    }
    check(
        CheckerOutputFormat::Json,
        "[]",
        expect![[r#"
        whole: true, seen: None
    "#]],
    );
    check(
        CheckerOutputFormat::Json,
        "TypeError: cannot read [] of undefined\n    at {x}",
        expect![[r#"
        whole: false, seen: None
    "#]],
    );
}

#[test]
fn sarif() {
    let output = r#"{"version":"2.1.0","runs":[{"columnKind":"utf16CodeUnits","tool":{"driver":{"name":"Tool","rules":[]}},
      "originalUriBaseIds":{"SRC":{"uri":"file:///w/"}},"artifacts":[{"location":{"uri":"b.c"}}],
      "results":[
        {"ruleId":"R1","level":"error","message":{"text":"bad"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.c","uriBaseId":"SRC"},"region":{"startLine":3,"startColumn":5,"endColumn":9}}}],
         "relatedLocations":[{"message":{"text":"here"},"physicalLocation":{"artifactLocation":{"index":0},"region":{"startLine":1}}}]},
        {"ruleId":"R2","message":{"markdown":"*odd*"},"locations":[{"physicalLocation":{"artifactLocation":{"index":0},"region":{"startLine":2}}}]},
        {"ruleId":"R3","kind":"pass","message":{"text":"fine"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.c"}}}]},
        {"ruleId":"R4","message":{"text":"nowhere"},"locations":[]}
      ]}]}"#;
    check(
        CheckerOutputFormat::Sarif,
        output,
        expect![[r#"
        whole: true, seen: None
        file:///w/a.c:2:4-2:8 Utf16 Error Some("R1") Some("Tool") "bad"
          b.c:0 Utf16 "here"
        b.c:1 Utf16 Warning Some("R2") Some("Tool") "*odd*"
    "#]],
    );
    check(
        CheckerOutputFormat::Sarif,
        "{}",
        expect![[r#"
        whole: false, seen: None
    "#]],
    );
}

#[test]
fn lines() {
    let output = "\
src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.
  The expected type comes from here.
src/b.ts(1,1): error TS6133: 'x' is declared but never read.
In file included from x.c:1:
x.h:4:10: fatal error: 'y.h' file not found
x.c:7:3: warning: unused variable 'a' [-Wunused-variable]
x.c:2:1: note: declared here
# example.com/m
vet: ./m.go:5:2: undefined: foo
./m.go:9: missing return
a.py:1:5:1:9: error: Name \"x\" is not defined  [name-defined]
flake.py:2:80: E501 line too long (90 > 79 characters)
Found 3 errors in 2 files
12:30:01 started
: 5: nothing
make: *** [Makefile:3: all] Error 1
";
    check(
        CheckerOutputFormat::Lines,
        output,
        expect![[r#"
            whole: false, seen: None
            src/a.ts:2:6 Error Some("TS2322") None "Type 'string' is not assignable to type 'number'."
            src/b.ts:0:0 Error Some("TS6133") None "'x' is declared but never read."
            x.h:3:9 Error None None "'y.h' file not found"
            x.c:6:2 Warning Some("-Wunused-variable") None "unused variable 'a'"
              x.c:1:0 "declared here"
            ./m.go:4:1 Error None None "undefined: foo"
            ./m.go:8 Error None None "missing return"
            a.py:0:4-0:9 Error Some("name-defined") None "Name \"x\" is not defined"
            flake.py:1:79 Error Some("E501") None "line too long (90 > 79 characters)"
            make: *** [Makefile:2 Error None None "all] Error 1"
        "#]],
    );
}
