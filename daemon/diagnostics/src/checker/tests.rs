use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use copydesk_text::Position;
use tokio::time::timeout;

use super::*;
use copydesk_servers::diagnostic::{Diagnostic, DiagnosticSpan, Severity};
use copydesk_servers::file_system::DiskView;

/// A workspace with a script `check` as its checker.
struct CheckerFixture {
    folder: tempfile::TempDir,
}

impl CheckerFixture {
    fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let world = Self { folder };
        world.write("check", &format!("#!/bin/sh\n{script}"));
        fs::set_permissions(world.path("check"), fs::Permissions::from_mode(0o755)).unwrap();
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn checkers(&self, name: &str, spec: CheckerSpec) -> Checkers {
        let environment: Vec<_> = std::env::vars_os().collect();
        let search = ProgramSearch::new(Arc::new(DiskView), environment.clone(), "/".into(), true);
        let checker = Checker::new(name, spec).unwrap();
        Checkers::new(
            vec![checker],
            search,
            self.path("."),
            Processes::new(environment),
            ProgramSandbox::default(),
        )
    }

    fn own(&self, arguments: &[&str]) -> Checkers {
        let words = ["./check"].iter().chain(arguments).map(|word| (*word).to_owned());
        self.checkers(
            "mine",
            CheckerSpec {
                command: words.collect(),
                extensions: vec![".x".into()],
                format: Some(CheckerOutputFormat::Lines),
                ..CheckerSpec::default()
            },
        )
    }

    fn subject(&self, name: &str, text: &str, is_saved: bool) -> CheckedDocument {
        CheckedDocument { path: self.path(name), text: Arc::new(text.to_owned()), is_saved }
    }

    fn saved(&self, name: &str, text: &str) -> CheckedDocument {
        self.write(name, text);
        self.subject(name, text, true)
    }
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

fn problem(line: u32, from: u32, to: u32, message: &str) -> Diagnostic {
    let span = DiagnosticSpan { start: Position::new(line, from), end: Position::new(line, to) };
    let message = message.into();
    Diagnostic {
        span,
        severity: Severity::Error,
        code: None,
        source: None,
        message,
        related: vec![],
        data: None,
    }
}

fn why(reports: &[DiagnosticsReport]) -> &str {
    match reports {
        [DiagnosticsReport { verdict: Verdict::Unknown { why }, .. }] => why,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn saved_files_are_checked_and_other_files_reported_until_fixed() {
    let world = CheckerFixture::new("cat found 2>/dev/null; test ! -s found");
    let subject = world.saved("a.x", "one\nö two\n");
    world.write("sub/b.x", "three\n");
    world.write("found", "a.x:2:3: error: no two\nsub/../sub/b.x:1: error: no three\nnone.x:1:1: error: x\n/etc/hosts:1:1: y\n");
    let checkers = world.own(&[]);
    let report = |name: &str, verdict| DiagnosticsReport::new(world.path(name), "mine", verdict);
    let reports = checkers.check(std::slice::from_ref(&subject), soon()).await;
    assert_eq!(
        reports,
        [
            report("a.x", Verdict::Proven(vec![problem(1, 2, 5, "no two")])),
            report("sub/b.x", Verdict::Proven(vec![problem(0, 0, 5, "no three")])),
        ]
    );
    world.write("found", "");
    let clean = [report("a.x", Verdict::Proven(vec![])), report("sub/b.x", Verdict::Proven(vec![]))];
    assert_eq!(checkers.check(std::slice::from_ref(&subject), soon()).await, clean);
    assert_eq!(checkers.check(&[subject], soon()).await, clean[..1]);
    // A file with another extension.
    assert_eq!(checkers.check(&[world.saved("a.y", "")], soon()).await, []);
}

#[tokio::test]
async fn a_verdict_needs_the_same_text_on_disk_before_and_after() {
    let world = CheckerFixture::new("echo changed > a.x; echo 'a.x:1:1: error: bad'; exit 1");
    let checkers = world.own(&[]);
    let unsaved = world.subject("a.x", "typed", false);
    assert_eq!(why(&checkers.check(&[unsaved], soon()).await), "only what is saved can be checked");
    let gone = world.subject("a.x", "typed", true);
    assert_eq!(why(&checkers.check(&[gone], soon()).await), "the file on the disk is another text");
    let subject = world.saved("a.x", "text");
    assert_eq!(why(&checkers.check(&[subject], soon()).await), "the file was changed while it was checked");
    // A byte order mark does not count.
    let world = CheckerFixture::new("exit 0");
    world.write("a.x", "\u{feff}text");
    let reports = world.own(&[]).check(&[world.subject("a.x", "text", true)], soon()).await;
    assert_eq!(reports[0].verdict, Verdict::Proven(vec![]));
}

#[tokio::test]
async fn checks_requested_before_a_run_share_it() {
    let world = CheckerFixture::new("echo run >> runs; exit 0");
    let checkers = world.own(&[]);
    let (a, b) = ([world.saved("a.x", "a")], [world.saved("b.x", "b")]);
    let (one, two) = tokio::join!(checkers.check(&a, soon()), checkers.check(&b, soon()));
    assert_eq!(
        (one[0].verdict.clone(), two[0].verdict.clone()),
        (Verdict::Proven(vec![]), Verdict::Proven(vec![]))
    );
    assert_eq!(fs::read_to_string(world.path("runs")).unwrap(), "run\n");
    checkers.check(&a, soon()).await;
    assert_eq!(fs::read_to_string(world.path("runs")).unwrap(), "run\nrun\n");
}

#[tokio::test]
async fn a_command_with_a_file_runs_for_each_file() {
    let world = CheckerFixture::new("echo \"$1:1:1: error: in $2\"; exit 1");
    let checkers = world.own(&["$FILE", "--stdin=$FILE"]);
    let subjects = [world.saved("a.x", "a"), world.saved("b c.x", "b")];
    let reports = checkers.check(&subjects, soon()).await;
    let verdicts: Vec<_> = reports.iter().map(|report| report.verdict.clone()).collect();
    let expected = |name| {
        let message = format!("in --stdin={}", world.path(name).display());
        Verdict::Proven(vec![problem(0, 0, 1, &message)])
    };
    assert_eq!(verdicts, [expected("a.x"), expected("b c.x")]);
}

#[tokio::test]
async fn a_checker_that_does_not_end_is_killed() {
    let world = CheckerFixture::new("echo $$ > pid.new; mv pid.new pid; exec sleep 1000");
    let (checkers, subject) = (world.own(&[]), [world.saved("a.x", "a")]);
    // The debounce alone takes longer.
    let checking = checkers.check(&subject, Instant::now() + Duration::from_millis(20));
    assert_eq!(why(&checking.await), "it did not end in time");
    let began = async {
        while !world.path("pid").exists() {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        reports = checkers.check(&subject, soon()) => panic!("{reports:?}"),
        () = began => {}
    }
    let pid = fs::read_to_string(world.path("pid")).unwrap();
    let status = Path::new("/proc").join(pid.trim()).join("stat");
    let is_gone = || fs::read_to_string(&status).map_or(true, |stat| stat.contains(") Z "));
    let gone = async {
        while !is_gone() {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(10), gone).await.unwrap();
}

#[tokio::test]
async fn a_failed_checker_is_not_taken_for_clean() {
    for (script, words) in [
        ("echo 'no such option: x' >&2; exit 2", "it ended with code 2: no such option: x"),
        ("kill -9 $$", "it was ended by signal 9"),
        ("exec yes 'a.x is long'", "it printed more than 8388608 bytes"),
        ("head -c 1000 /dev/urandom; exit 1", "it ended with code 1"),
    ] {
        let world = CheckerFixture::new(script);
        let reports = world.own(&[]).check(&[world.saved("a.x", "a")], soon()).await;
        assert!(why(&reports).starts_with(words), "{reports:?}");
    }
    let world = CheckerFixture::new("");
    let spec = |command: &str, format| CheckerSpec {
        command: vec![command.into()],
        extensions: vec![".x".into()],
        format: Some(format),
        ..CheckerSpec::default()
    };
    let subject = [world.saved("a.x", "a")];
    let reports = world
        .checkers("mine", spec("no-such-checker", CheckerOutputFormat::Lines))
        .check(&subject, soon())
        .await;
    assert_eq!(why(&reports), "`no-such-checker` (from the configuration) is not in PATH");
    let world = CheckerFixture::new("echo hello");
    let reports = world
        .checkers("mine", spec("./check", CheckerOutputFormat::Json))
        .check(&[world.saved("a.x", "a")], soon())
        .await;
    assert!(
        why(&reports)
            .starts_with("its output is not in the configured `format`; it ended with code 0: hello")
    );
    // Its own timeout, which is shorter.
    let world = CheckerFixture::new("exec sleep 1000");
    let short = CheckerSpec { timeout: Some(200), ..spec("./check", CheckerOutputFormat::Lines) };
    let reports = world.checkers("mine", short).check(&[world.saved("a.x", "a")], soon()).await;
    assert_eq!(why(&reports), "it did not end within 0.2 s");
}

#[tokio::test]
async fn cargo_reports_errors_and_unchecked_dependents_are_unknown() {
    let world = CheckerFixture::new("");
    world.write("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"a\", \"b\"]\n");
    let manifest = "[package]\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    world.write("a/Cargo.toml", &format!("{manifest}name = \"a\"\n"));
    world.write(
        "b/Cargo.toml",
        &format!("{manifest}name = \"b\"\n[dependencies]\na = {{ path = \"../a\" }}\n"),
    );
    let wrong = world.saved("a/src/lib.rs", "/// ö\npub fn one() -> u8 {\n    \"😀\"; \"1\"\n}\n");
    let above = world.saved("b/src/lib.rs", "pub fn two() -> u8 {\n    a::one() + 1\n}\n");
    let checkers = world.checkers("cargo", CheckerSpec::default());
    let reports = checkers.check(&[wrong, above.clone()], soon()).await;
    let Verdict::Proven(found) = &reports[0].verdict else { panic!("{reports:?}") };
    assert_eq!((found[0].code.as_deref(), found[0].source.as_deref()), (Some("E0308"), Some("rustc")));
    assert_eq!((found[0].span.start, found[0].span.end), (Position::new(2, 10), Position::new(2, 13)));
    let unseen = "something that it depends on has errors, so it was not checked";
    assert_eq!(reports[1].verdict, Verdict::Unknown { why: unseen.into() });
    let right = world.saved("a/src/lib.rs", "pub fn one() -> u8 {\n    1\n}\n");
    let reports = checkers.check(&[right, above], soon()).await;
    assert!(reports.iter().all(|report| report.verdict == Verdict::Proven(vec![])), "{reports:?}");
}
