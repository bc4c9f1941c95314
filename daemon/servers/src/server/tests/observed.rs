//! Servers that an editor started: the judge's verdicts on the editor's reports, and the messages that it has the editor send.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use copydesk_text::PositionEncoding;
use serde_json::{Value, json};

use super::super::*;
use super::fake_server::{FakeServer, after, diagnostics, full, sleep_ms, summary};
use copydesk_workspace::disk_watcher::FileChangeType;

const A: &str = "file:///w/a.c";

/// The texts that the editor has sent to the daemon, with their versions.
#[derive(Debug, Default)]
struct SentTexts(Mutex<BTreeMap<PathBuf, (i32, String)>>);

impl SentTexts {
    fn send(&self, path: &str, version: i32, text: &str) {
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        texts.insert(path.into(), (version, text.to_owned()));
    }
}

impl ObservedTexts for SentTexts {
    fn open_text(&self, path: &Path, version: i32) -> Option<Arc<String>> {
        let texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (sent, text) = texts.get(path)?;
        (*sent == version).then(|| Arc::new(text.clone()))
    }

    fn saved_text(&self, _path: &Path) -> Option<Arc<String>> {
        None
    }
}

struct Observed {
    server: Arc<LanguageServer>,
    /// Receives the messages that the editor has to send.
    editor: FakeServer,
    texts: Arc<SentTexts>,
}

fn observe(name: &str, capabilities: Value) -> Observed {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (reader, writer) = tokio::io::split(ours);
    let texts = Arc::new(SentTexts::default());
    let launch = EditorServerLaunch {
        name: name.to_owned(),
        own_name: None,
        languages: Vec::new(),
        command: vec![name.to_owned()],
        root: Some("/w".into()),
        encoding: PositionEncoding::Utf8,
        capabilities,
        is_running: false,
    };
    let server =
        LanguageServer::observe(launch, Arc::clone(&texts) as Arc<dyn ObservedTexts>, reader, writer);
    Observed { server, editor: FakeServer::on(theirs), texts }
}

impl Observed {
    fn open(&self, uri: &str, version: i32, text: &str) {
        self.texts.send(uri.trim_start_matches("file://"), version, text);
        let (document, language) = (Some(version), "c".to_owned());
        let event = DocumentEvent::Opened { language, version, document, is_modified: false, is_first: true };
        self.server.observe_document(uri, event);
    }

    fn change(&self, uri: &str, version: i32, text: &str) {
        self.texts.send(uri.trim_start_matches("file://"), version, text);
        let event = DocumentEvent::Changed { version, document: Some(version), is_modified: true };
        self.server.observe_document(uri, event);
    }

    fn receive(&self, method: &str, params: Value) {
        let params = serde_json::value::to_raw_value(&params).unwrap();
        self.server.observe_message(method, &params);
    }

    fn publish(&self, uri: &str, version: i32, messages: &[&str]) {
        let params = json!({ "uri": uri, "version": version, "diagnostics": diagnostics(messages) });
        self.receive("textDocument/publishDiagnostics", params);
    }

    fn progress(&self, kind: &str) {
        let value = json!({ "kind": kind, "title": "cargo check" });
        self.receive("$/progress", json!({ "token": "rust-analyzer/flycheck/0", "value": value }));
    }

    async fn check(&self, uri: &str) -> String {
        let path = PathBuf::from(uri.trim_start_matches("file://"));
        summary(&self.server.check(&path, after(3000)).await)
    }
}

#[tokio::test(start_paused = true)]
async fn a_pull_names_the_version_that_the_server_must_have() {
    let mut observed = observe("unknown", json!({ "textDocumentSync": 1, "diagnosticProvider": {} }));
    observed.open(A, 7, "int a;");
    let path = PathBuf::from("/w/a.c");
    let (verdict, asked) = tokio::join!(
        observed.server.check(&path, after(3000)),
        observed.editor.respond("textDocument/diagnostic", full(&["bad"])),
    );
    assert_eq!(summary(&verdict), "proven: bad");
    assert_eq!(asked[EXPECTED_DOCUMENT], json!({ "uri": A, "version": 7 }));
}

/// The editor rejects the pull, and reports the new text.
#[tokio::test(start_paused = true)]
async fn a_text_that_changes_before_the_pull_is_sent_is_unknown() {
    let mut observed = observe("unknown", json!({ "textDocumentSync": 1, "diagnosticProvider": {} }));
    observed.open(A, 1, "int a;");
    let (server, path) = (Arc::clone(&observed.server), PathBuf::from("/w/a.c"));
    let checking = tokio::spawn(async move { summary(&server.check(&path, after(3000)).await) });
    tokio::task::yield_now().await;
    observed.change(A, 2, "int b;");
    observed.editor.respond_error("textDocument/diagnostic", -32801).await;
    assert_eq!(checking.await.unwrap(), "unknown: the text was changed again before the answer had come");
}

#[tokio::test(start_paused = true)]
async fn positions_are_converted_to_utf_16_with_their_own_text() {
    let observed = observe("ruff", json!({ "textDocumentSync": 1 }));
    observed.open("file:///w/a.py", 1, "é𝄞word");
    let place = |character| json!({ "line": 0, "character": character });
    let item = json!({ "range": { "start": place(6), "end": place(999) }, "message": "bad" });
    observed.receive(
        "textDocument/publishDiagnostics",
        json!({ "uri": "file:///w/a.py", "version": 1, "diagnostics": [item] }),
    );
    let verdict = observed.server.check(Path::new("/w/a.py"), after(3000)).await;
    let span = verdict.diagnostics().unwrap()[0].span;
    assert_eq!((span.start.character, span.end.character), (3, 7));
}

/// clangd caches the preamble of a text. Sent the same text once more, it builds a new preamble.
#[tokio::test(start_paused = true)]
async fn a_text_is_resent_under_a_version_of_the_daemons_own() {
    let mut observed = observe("clangd", json!({ "textDocumentSync": 2 }));
    observed.open(A, 1, "int a;");
    observed.publish(A, 1, &[]);
    assert_eq!(observed.check(A).await, "proven:");
    observed.change(A, 2, "#include <x>\nint a;");
    observed.publish(A, 2, &["with the cached preamble"]);
    let path = PathBuf::from("/w/a.c");
    let checking = observed.server.check(&path, after(3000));
    let touching = async {
        let touch = observed.editor.expect("textDocument/didChange").await;
        assert_eq!((&touch["contentChanges"], &touch["forceRebuild"]), (&json!([]), &json!(true)));
        assert_eq!(touch[EXPECTED_DOCUMENT]["version"], 2);
        i32::try_from(touch["textDocument"]["version"].as_i64().unwrap()).unwrap()
    };
    let (verdict, ()) = tokio::join!(checking, async {
        let version = touching.await;
        assert!(version > 1_000_000_000);
        let params =
            json!({ "uri": A, "version": version, "diagnostics": diagnostics(&["with a new preamble"]) });
        let params = serde_json::value::to_raw_value(&params).unwrap();
        observed.server.observe_message("textDocument/publishDiagnostics", &params);
    });
    assert_eq!(summary(&verdict), "proven: with a new preamble");
    // The editor's next version has a smaller number, but is a later text.
    observed.change(A, 3, "#include <x>\nint b;");
    observed.publish(A, 3, &["below it"]);
    assert_eq!(observed.check(A).await, "proven: below it");
}

/// Without `--use-dirty-headers` clangd sees only the saved state of other files.
#[tokio::test(start_paused = true)]
async fn a_text_is_unknown_while_a_file_that_it_may_include_is_unsaved() {
    let observed = observe("clangd", json!({ "textDocumentSync": 2 }));
    let header = "file:///w/b.h";
    observed.open(header, 1, "one");
    observed.open(A, 1, "int a;");
    observed.publish(A, 1, &[]);
    assert_eq!(observed.check(A).await, "proven:");
    observed.change(header, 2, "two");
    let blind = "unknown: it sees other files as they were saved, and one was changed since";
    assert_eq!(observed.check(A).await, blind);
}

#[tokio::test(start_paused = true)]
async fn a_compiler_is_pending_until_a_run_after_the_last_save_ends() {
    let observed = observe("rust-analyzer", json!({ "textDocumentSync": 2 }));
    let pending = || observed.server.pending_compiler().is_some();
    observed.open("file:///w/a.rs", 1, "one");
    assert!(pending(), "it has never run");
    observed.progress("begin");
    observed.progress("end");
    assert!(pending(), "another run may begin at once");
    sleep_ms(300).await;
    assert!(!pending());
    observed.change("file:///w/a.rs", 2, "two");
    assert!(pending(), "the text is not saved");
    observed.server.observe_document("file:///w/a.rs", DocumentEvent::Saved { is_modified: false });
    assert!(pending(), "it has not compiled the saved text");
    observed.progress("begin");
    observed.publish("file:///w/a.rs", 2, &["rustc: wrong"]);
    observed.progress("end");
    sleep_ms(300).await;
    assert!(!pending());
    let items = observed.server.compiler_diagnostics("file:///w/a.rs");
    assert_eq!(items.iter().map(|one| &*one.message).collect::<Vec<_>>(), ["rustc: wrong"]);
    observed.server.observe_watched_files(&[("file:///w/b.rs".to_owned(), FileChangeType::Changed)]);
    assert!(pending(), "another file was written");
}

#[tokio::test(start_paused = true)]
async fn an_answer_soon_after_a_disk_change_is_only_likely() {
    let mut observed = observe("unknown", json!({ "textDocumentSync": 1, "diagnosticProvider": {} }));
    observed.open(A, 1, "int a;");
    observed.server.observe_watched_files(&[("file:///w/b.c".to_owned(), FileChangeType::Created)]);
    let path = PathBuf::from("/w/a.c");
    for (wait, expected) in [(0, "likely:"), (2500, "proven:")] {
        sleep_ms(wait).await;
        let (verdict, _) = tokio::join!(
            observed.server.check(&path, after(3000)),
            observed.editor.respond("textDocument/diagnostic", full(&[])),
        );
        assert_eq!(summary(&verdict), expected, "{wait}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_without_publishes_and_pulls_gives_no_diagnostics() {
    let silent = observe("silent", json!({ "textDocumentSync": 1 }));
    let speaks = observe("speaks", json!({ "textDocumentSync": 1 }));
    let known = observe("lua_ls", json!({ "textDocumentSync": 1 }));
    speaks.publish(A, 1, &[]);
    sleep_ms(31_000).await;
    assert!(!silent.server.gives_no_diagnostics(), "it got no text yet");
    for server in [&silent, &speaks, &known] {
        server.open(A, 1, "int a;");
    }
    assert!(!silent.server.gives_no_diagnostics(), "it may be about to publish");
    sleep_ms(31_000).await;
    assert!(silent.server.gives_no_diagnostics() && !speaks.server.gives_no_diagnostics());
    assert!(!known.server.gives_no_diagnostics(), "it is known to publish, and nothing was wrong yet");
}

/// Neovim opens a document again with the number that it had, or with 0, after the file changed on the disk.
#[tokio::test(start_paused = true)]
async fn a_late_publish_for_a_closed_text_proves_nothing() {
    let observed = observe("ruff", json!({ "textDocumentSync": 1 }));
    let file = "file:///w/a.py";
    observed.open(file, 0, "one");
    observed.server.observe_document(file, DocumentEvent::Closed);
    observed.open(file, 0, "two");
    observed.publish(file, 0, &["about the first text, or the second"]);
    assert_eq!(observed.check(file).await, "unknown: it said nothing of this text in time");
    observed.publish(file, 0, &["hardly about the first text any more"]);
    assert_eq!(observed.check(file).await, "likely: hardly about the first text any more");
    observed.change(file, 4, "two");
    observed.publish(file, 4, &["about the second"]);
    assert_eq!(observed.check(file).await, "proven: about the second");
}

#[tokio::test(start_paused = true)]
async fn a_check_does_not_outlive_its_text() {
    let observed = observe("ruff", json!({ "textDocumentSync": 1 }));
    let file = "file:///w/a.py";
    observed.open(file, 12, "one");
    let (server, path) = (Arc::clone(&observed.server), PathBuf::from("/w/a.py"));
    let checking = tokio::spawn(async move { summary(&server.check(&path, after(3000)).await) });
    tokio::task::yield_now().await;
    observed.server.observe_document(file, DocumentEvent::Closed);
    observed.open(file, 12, "reloaded");
    observed.publish(file, 12, &["about the reloaded text"]);
    assert_eq!(checking.await.unwrap(), "unknown: the text was changed again before the answer had come");
}

#[tokio::test(start_paused = true)]
async fn columns_without_the_text_are_not_proven() {
    let observed = observe("ruff", json!({ "textDocumentSync": 1 }));
    let (language, document) = ("python".to_owned(), None);
    let event = DocumentEvent::Opened { language, version: 1, document, is_modified: false, is_first: true };
    observed.server.observe_document("file:///w/a.py", event);
    observed.publish("file:///w/a.py", 1, &["bad"]);
    assert_eq!(observed.check("file:///w/a.py").await, "likely: bad");
}

#[tokio::test(start_paused = true)]
async fn a_save_to_another_file_leaves_the_text_unsaved() {
    let observed = observe("clangd", json!({ "textDocumentSync": 2 }));
    let header = "file:///w/b.h";
    observed.open(header, 1, "one");
    observed.open(A, 1, "int a;");
    observed.publish(A, 1, &[]);
    observed.change(header, 2, "two");
    observed.server.observe_document(header, DocumentEvent::Saved { is_modified: true });
    let blind = "unknown: it sees other files as they were saved, and one was changed since";
    assert_eq!(observed.check(A).await, blind);
}

#[tokio::test(start_paused = true)]
async fn a_modified_buffer_that_the_editor_does_not_sync_is_unseen() {
    let observed = observe("ruff", json!({ "textDocumentSync": 1 }));
    observed.open(A, 1, "one");
    assert!(!observed.server.has_unseen_text(A));
    let event = DocumentEvent::Changed { version: 2, document: None, is_modified: true };
    observed.server.observe_document(A, event);
    assert!(observed.server.has_unseen_text(A));
    let event = DocumentEvent::Changed { version: 3, document: None, is_modified: false };
    observed.server.observe_document(A, event);
    assert!(!observed.server.has_unseen_text(A));
}

/// A server that rejects pulls may still publish.
#[tokio::test(start_paused = true)]
async fn a_publish_counts_if_the_pull_is_rejected() {
    let mut observed = observe("unknown", json!({ "textDocumentSync": 1, "diagnosticProvider": {} }));
    observed.open(A, 1, "int a;");
    observed.publish(A, 1, &["published"]);
    let path = PathBuf::from("/w/a.c");
    let (verdict, ()) = tokio::join!(
        observed.server.check(&path, after(3000)),
        observed.editor.respond_error("textDocument/diagnostic", -32803),
    );
    assert_eq!(summary(&verdict), "proven: published");
}

/// A server that is not in the table shows by its progress that it indexes; other progress delays nothing.
#[tokio::test(start_paused = true)]
async fn a_server_is_not_ready_while_it_reports_indexing() {
    let mut observed = observe("unknown", json!({ "textDocumentSync": 1, "diagnosticProvider": {} }));
    observed.open(A, 1, "int a;");
    let progress =
        |title: &str, kind: &str| json!({ "token": title, "value": { "kind": kind, "title": title } });
    observed.receive("$/progress", progress("Indexing", "begin"));
    assert!(observed.server.is_indexing());
    assert_eq!(observed.check(A).await, "unknown: it is still reading the project: Indexing");
    observed.receive("$/progress", progress("Indexing", "end"));
    observed.receive("$/progress", progress("Formatting", "begin"));
    let path = PathBuf::from("/w/a.c");
    let (verdict, _) = tokio::join!(
        observed.server.check(&path, after(3000)),
        observed.editor.respond("textDocument/diagnostic", full(&[])),
    );
    assert_eq!(summary(&verdict), "proven:");
}
