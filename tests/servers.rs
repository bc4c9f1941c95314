//! Language servers as real processes that follow a script, well-behaved or not: what is reported about a text is true or
//! unknown, and no process is left. `tests/language_server` is the program.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use copydesk_servers::{
    CheckedDocument, LanguageServer, LanguageServerState, Quirks, ServerLaunch, ServerStartError, Verdict,
};
use copydesk_workspace::process::Processes;
use copydesk_workspace::process::sandbox::ProgramSandbox;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::Instant;

/// Longer than anything here takes, on any machine.
const LONG: Duration = Duration::from_secs(60);

/// Cargo builds examples beside the tests, but not if only the tests are requested.
fn program() -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let build = || {
        let tests = std::env::current_exe().unwrap();
        let built = tests.ancestors().nth(2).unwrap();
        if let Some(cargo) = std::env::var_os("CARGO") {
            let mut build = Command::new(cargo);
            build.args(["build", "--quiet", "--package", "copydesk", "--example", "language_server"]);
            if built.ends_with("release") {
                build.arg("--release");
            }
            assert!(build.arg("--target-dir").arg(built.parent().unwrap()).status().unwrap().success());
        }
        built.join("examples/language_server")
    };
    BUILT.get_or_init(build).clone()
}

/// A folder with a scripted server.
struct ScriptedServerFixture {
    folder: TempDir,
    processes: Processes,
}

impl ScriptedServerFixture {
    fn new() -> Self {
        let processes = Processes::new(vec![("PATH".into(), "/usr/bin:/bin".into())]);
        Self { folder: tempfile::tempdir().unwrap(), processes }
    }

    async fn start(&self, script: Value, quirks: Value) -> Result<Arc<LanguageServer>, ServerStartError> {
        let root = self.folder.path().canonicalize().unwrap();
        let path = root.join("script.json");
        fs::write(&path, script.to_string()).unwrap();
        let mut quirks = quirks;
        quirks.as_object_mut().unwrap().entry("ready").or_insert(json!("firstAnswer"));
        let launch = ServerLaunch {
            name: "scripted".into(),
            command: vec![program().into(), OsString::from(path)],
            environment: Vec::new(),
            sandbox: ProgramSandbox::default(),
            root,
            folders: Vec::new(),
            initialization: Value::Null,
            settings: Value::Null,
            quirks: serde_json::from_value::<Quirks>(quirks).unwrap(),
        };
        LanguageServer::start(launch, &self.processes).await
    }

    fn subject(&self, name: &str, text: &str) -> CheckedDocument {
        let path = self.folder.path().canonicalize().unwrap().join(name);
        CheckedDocument { path, text: Arc::new(text.to_owned()), is_saved: false }
    }

    /// Opens a text; returns a short form of its diagnostics.
    async fn check(&self, server: &LanguageServer, text: &str) -> String {
        self.check_within(server, text, LONG).await
    }

    async fn check_within(&self, server: &LanguageServer, text: &str, time: Duration) -> String {
        let subject = self.subject("a.txt", text);
        server.sync_document(&subject, "plaintext");
        summarize_verdict(&server.check(&subject.path, Instant::now() + time).await)
    }
}

fn summarize_verdict(said: &Verdict) -> String {
    let Some(found) = said.diagnostics() else { return format!("{said:?}") };
    let found: Vec<_> = found
        .iter()
        .map(|one| format!("{}:{} {}", one.span.start.line, one.span.start.character, one.message))
        .collect();
    format!("{:?} {}", said.proof(), found.join(", ")).trim_end().to_owned()
}

fn rules() -> Value {
    json!([{ "find": "BAD", "message": "this is bad", "code": 7, "source": "scripted" }])
}

/// Each server, well-behaved or not, and the same edits.
#[tokio::test]
async fn what_is_wrong_with_each_text_is_said_whatever_else_a_server_does() {
    let versions = json!({});
    for (name, script, quirks) in [
        ("pull", json!({ "pull": true, "push": "never" }), json!({})),
        ("registers", json!({ "registersPull": true, "push": "never" }), json!({ "pull": "only" })),
        ("cancels", json!({ "pull": true, "push": "never", "cancelsPulls": 3 }), json!({})),
        ("versions", json!({}), versions.clone()),
        ("late", json!({ "pushAfterMs": 200 }), versions.clone()),
        ("partial", json!({ "partialFirstMs": 100 }), json!({ "partialFirst": true, "republishMs": 5000 })),
        ("garbage", json!({ "garbage": "npm WARN old\n\u{0}x" }), versions.clone()),
        ("floods", json!({ "floods": true }), versions.clone()),
        ("complains", json!({ "complains": "x".repeat(200_000) }), versions),
    ] {
        let place = ScriptedServerFixture::new();
        let mut script = script;
        script["rules"] = rules();
        let server = place.start(script, quirks).await.unwrap();
        for (text, expected) in [
            ("good\nBAD\n", "Proven 1:0 this is bad"),
            ("good\n", "Proven"),
            ("good\nbetter\n", "Proven"),
            ("ä\n\n𝄞 BAD\nand BAD\n", "Proven 2:3 this is bad, 3:4 this is bad"),
        ] {
            assert_eq!(place.check(&server, text).await, expected, "{name}: {text}");
        }
        server.shut_down(Duration::from_secs(10)).await;
        assert_eq!(server.state(), LanguageServerState::Ended { why: "it was stopped".into() });
    }
}

#[tokio::test]
async fn without_versions_it_is_likely_and_silence_is_understood_where_it_is_known() {
    let place = ScriptedServerFixture::new();
    let script = json!({ "rules": rules(), "push": "withoutVersions", "pushAfterMs": 150, "silentWhenUnchanged": true });
    let quirks = json!({ "debounceMs": 100, "silentWhenUnchanged": true, "publishDelayMs": 1500 });
    let server = place.start(script, quirks).await.unwrap();
    assert_eq!(place.check(&server, "BAD\n").await, "Likely 0:0 this is bad");
    assert_eq!(place.check(&server, "BAD\nmore\n").await, "Likely 0:0 this is bad", "it says nothing");
    assert_eq!(place.check(&server, "\nBAD\n").await, "Likely 1:0 this is bad");
    assert_eq!(place.check(&server, "good\n").await, "Likely");
}

#[tokio::test]
async fn wrong_versions_prove_nothing() {
    let place = ScriptedServerFixture::new();
    let script = json!({ "rules": rules(), "wrongVersions": true, "pushAfterMs": 300 });
    let server = place.start(script, json!({ "debounceMs": 100 })).await.unwrap();
    assert_eq!(place.check(&server, "BAD\n").await, "Likely 0:0 this is bad");
}

#[tokio::test]
async fn what_is_past_the_end_or_no_text_or_too_much_is_made_sense_of() {
    let place = ScriptedServerFixture::new();
    let script = json!({ "rules": rules(), "pastTheEnd": true, "invalidUtf8": true });
    let server = place.start(script, json!({})).await.unwrap();
    assert_eq!(place.check(&server, "BAD\nlast").await, "Proven 1:4 \u{FFFD}this is bad");
    let script = json!({ "rules": rules(), "more": 100_000 });
    let server = place.start(script, json!({})).await.unwrap();
    let subject = place.subject("a.txt", "BAD\n");
    server.sync_document(&subject, "plaintext");
    let said = server.check(&subject.path, Instant::now() + LONG).await;
    let found = said.diagnostics().unwrap();
    assert_eq!((found.len(), &*found[0].message), (10_000, "this is bad"));
}

#[tokio::test]
async fn while_it_reads_the_project_it_is_unknown_and_then_known() {
    for (status, ready) in
        [(true, json!("serverStatus")), (false, json!({ "progressEnds": { "beginsMs": 60_000 } }))]
    {
        let place = ScriptedServerFixture::new();
        let script = json!({ "rules": rules(), "indexesMs": 1500, "serverStatus": status });
        let server = place.start(script, json!({ "ready": ready })).await.unwrap();
        let mut states = server.subscribe_state();
        states
            .wait_for(|state| matches!(state, LanguageServerState::Indexing { message: Some(_), .. }))
            .await
            .unwrap();
        let said = place.check_within(&server, "BAD\n", Duration::ZERO).await;
        assert!(said.contains("it is still reading the project: "), "{said}");
        assert_eq!(place.check(&server, "BAD\n").await, "Proven 0:0 this is bad");
    }
}

#[tokio::test]
async fn a_server_that_crashes_says_why() {
    let place = ScriptedServerFixture::new();
    let script = json!({ "exitsAtStart": 3, "complains": "no tsconfig anywhere\n" });
    let error = place.start(script, json!({})).await.unwrap_err().to_string();
    assert_eq!(
        error,
        "it ended while it was starting: it exited with code 3, and said: no tsconfig anywhere"
    );
    let script = json!({ "rules": rules(), "crashesAfter": 1 });
    let server = place.start(script, json!({})).await.unwrap();
    assert_eq!(place.check(&server, "BAD\n").await, "Proven 0:0 this is bad");
    assert_eq!(place.check(&server, "good\n").await, "Proven");
    assert!(place.check(&server, "BAD again\n").await.contains("it has ended: "));
    let why = "it exited with code 101, and said: panic: as the script says".to_owned();
    server
        .subscribe_state()
        .wait_for(|state| *state == LanguageServerState::Ended { why: why.clone() })
        .await
        .unwrap();
}

#[tokio::test]
async fn a_server_that_never_answers_costs_no_more_than_the_time_that_was_given() {
    let place = ScriptedServerFixture::new();
    let script =
        json!({ "pull": true, "push": "never", "neverAnswers": ["textDocument/diagnostic", "shutdown"] });
    let server = place.start(script, json!({})).await.unwrap();
    let said = place.check_within(&server, "BAD\n", Duration::from_millis(200)).await;
    assert!(said.contains("it did not answer in time"), "{said}");
    let script = json!({ "rules": rules(), "stopsReading": true });
    let deaf = place.start(script, json!({})).await.unwrap();
    let said = place.check_within(&deaf, &"BAD\n".repeat(500_000), Duration::from_millis(200)).await;
    assert!(said.contains("it said nothing of this text in time"), "{said}");
    deaf.shut_down(Duration::from_millis(200)).await;
    assert!(!is_running(deaf.process_group().unwrap()));
}

/// Whether a process of a group is alive.
fn is_running(group: i32) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut stats = processes.filter_map(|process| fs::read_to_string(process.path().join("stat")).ok());
    stats.any(|stat| {
        let mut fields = stat.rsplit(") ").next().unwrap().split(' ');
        !matches!(fields.next(), Some("Z" | "X")) && fields.nth(1) == Some(group.to_string().as_str())
    })
}

#[tokio::test]
async fn one_that_does_not_want_to_end_is_ended_and_one_that_nobody_holds_too() {
    let place = ScriptedServerFixture::new();
    let stays = json!({ "stays": true });
    let server = place.start(stays.clone(), json!({})).await.unwrap();
    let group = server.process_group().unwrap();
    assert!(is_running(group));
    server.shut_down(Duration::from_millis(300)).await;
    assert!(!is_running(group));
    let server = place.start(stays, json!({})).await.unwrap();
    let group = server.process_group().unwrap();
    drop(server);
    while is_running(group) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn what_follows_a_save_and_what_is_said_of_other_files() {
    let place = ScriptedServerFixture::new();
    let rules = json!([
        { "find": "BAD", "message": "compiled badly", "source": "compiler", "saved": true },
        { "find": "uses f", "message": "no f", "unlessElsewhere": "has f" },
    ]);
    let quirks = json!({
        "dirtyDependents": "pushed", "saveSources": ["compiler"], "saveTokens": ["scripted/"], "saveBeginsMs": 60_000,
    });
    let server = place.start(json!({ "rules": rules, "tellsOfAll": true }), quirks).await.unwrap();
    let (one, other) = (place.subject("a.txt", "has f\nBAD\n"), place.subject("b.txt", "uses f\n"));
    server.sync_document(&one, "plaintext");
    server.sync_document(&other, "plaintext");
    let until = || Instant::now() + LONG;
    assert_eq!(summarize_verdict(&server.check(&other.path, until()).await), "Proven");
    let mark = server.event_mark();
    let one = CheckedDocument { text: Arc::new("BAD\n".into()), ..one };
    server.sync_document(&one, "plaintext");
    assert_eq!(
        summarize_verdict(&server.check(&one.path, until()).await),
        "Proven",
        "the compiler has not run"
    );
    server.did_save(&one.path);
    let saved = server.check_saved(&one.path, until()).await.unwrap();
    assert_eq!(summarize_verdict(&saved), "Proven 0:0 compiled badly");
    let others = server.check_other_files(mark, &BTreeSet::new(), until()).await;
    let others: Vec<_> =
        others.iter().map(|(path, said)| (path.as_path(), summarize_verdict(said))).collect();
    assert_eq!(others, [(Path::new(&other.path), "Likely 0:0 no f".to_owned())]);
}
