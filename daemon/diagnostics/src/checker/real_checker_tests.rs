//! The known checkers that are in `PATH`, for real. The errors stand after characters that each of them counts
//! differently.

use std::fs;
use std::time::Duration;

use copydesk_text::Position;

use super::*;
use copydesk_servers::file_system::DiskView;
use copydesk_servers::program_search::ProgramLookup;

struct RealCheckerCase {
    checker: &'static str,
    files: &'static [(&'static str, &'static str)],
    /// The expected code in the first file, and the text at its start.
    code: Option<&'static str>,
    at: &'static str,
}

const MODULE: &str = "module m\n\ngo 1.22\n";
const STRICT: &str = r#"{ "compilerOptions": { "strict": true } }"#;

const CASES: &[RealCheckerCase] = &[
    RealCheckerCase {
        checker: "gcc",
        files: &[("a.c", "/* ä😀 */ int f(void) { return wrong; }\n")],
        code: None,
        at: "wrong",
    },
    RealCheckerCase {
        checker: "clang",
        files: &[("a.c", "/* ä😀 */ int f(void) { return wrong; }\n")],
        code: None,
        at: "wrong",
    },
    RealCheckerCase {
        checker: "go",
        files: &[("a.go", "package m\n\nfunc f() int { /* ä😀 */ return wrong }\n"), ("go.mod", MODULE)],
        code: None,
        at: "wrong",
    },
    RealCheckerCase {
        checker: "tsc",
        files: &[("a.ts", "/* ä😀 */ const a: number = 'x';\n"), ("tsconfig.json", STRICT)],
        code: Some("TS2322"),
        at: "a: number",
    },
    RealCheckerCase {
        checker: "ruff",
        files: &[("a.py", "x = \"ä😀\"; import os\n"), ("ruff.toml", "lint.select = [\"F\"]\n")],
        code: Some("F401"),
        at: "os",
    },
    RealCheckerCase {
        checker: "pyright",
        files: &[("a.py", "x = \"ä😀\"; print(wrong)\n"), ("pyrightconfig.json", "{}")],
        code: Some("reportUndefinedVariable"),
        at: "wrong",
    },
    RealCheckerCase {
        checker: "mypy",
        // Its columns are wrong after non-ASCII characters (2.4).
        files: &[("a.py", "print(wrong)\n"), ("mypy.ini", "[mypy]\n")],
        code: Some("name-defined"),
        at: "wrong",
    },
    RealCheckerCase {
        checker: "eslint",
        files: &[
            ("a.js", "/* ä😀 */ wrong();\n"),
            ("package.json", "{ \"type\": \"module\" }"),
            ("eslint.config.js", "export default [{ rules: { 'no-undef': 'error' } }];\n"),
        ],
        code: Some("no-undef"),
        at: "wrong",
    },
];

#[tokio::test]
#[ignore = "wants checkers in PATH"]
async fn real_checkers_report_the_error() {
    let environment: Vec<_> = std::env::vars_os().collect();
    let search = ProgramSearch::new(Arc::new(DiskView), environment.clone(), "/".into(), true);
    let mut tried = Vec::new();
    for case in CASES {
        let checker = Checker::new(case.checker, CheckerSpec::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        if let ProgramLookup::Missing { .. } = search.find_configured(&checker.command, &root, &root) {
            continue;
        }
        case.files.iter().for_each(|(name, text)| fs::write(root.join(name), text).unwrap());
        let (name, text) = case.files[0];
        let subject =
            CheckedDocument { path: root.join(name), text: Arc::new(text.to_owned()), is_saved: true };
        let processes = Processes::new(environment.clone());
        let checkers =
            Checkers::new(vec![checker], search.clone(), root.clone(), processes, ProgramSandbox::default());
        let until = Instant::now() + Duration::from_secs(60);
        let reports = checkers.check(std::slice::from_ref(&subject), until).await;
        let Verdict::Proven(found) = &reports[0].verdict else { panic!("{}: {reports:?}", case.checker) };
        let [found] = &**found else { panic!("{}: {found:?}", case.checker) };
        assert_eq!(found.code.as_deref(), case.code, "{}", case.checker);
        let before = &text[..text.find(case.at).unwrap()];
        let (line, before) = (before.matches('\n').count(), before.rsplit('\n').next().unwrap());
        let at = Position::new(line as u32, before.encode_utf16().count() as u32);
        assert_eq!(found.span.start, at, "{}: {found:?}", case.checker);
        // The fixed file has no findings.
        let fixed = if name.ends_with(".go") { "package m\n" } else { "" };
        fs::write(&subject.path, fixed).unwrap();
        let subject = CheckedDocument { text: Arc::new(fixed.to_owned()), ..subject };
        let reports = checkers.check(&[subject], until).await;
        assert_eq!(reports[0].verdict, Verdict::Proven(vec![]), "{}", case.checker);
        tried.push(case.checker);
    }
    assert!(!tried.is_empty(), "there is none in PATH");
}
