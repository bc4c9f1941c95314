//! Tests the judge alone: each test fills a record and moves a clock. No server, no process, no waiting.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, json};

use super::*;
use crate::server::initialize::{PullOptions, TextSyncKind};
use crate::server::parse;
use crate::server::registrations::RegistrationRequest;
use crate::source::CheckedDocument;

struct JudgedServer {
    record: ServerRecord,
    quirks: Quirks,
    began: Instant,
}

impl JudgedServer {
    fn new(quirks: serde_json::Value) -> Self {
        let quirks: Quirks = serde_json::from_value(quirks).unwrap();
        let began = Instant::now();
        Self { record: ServerRecord::new(&quirks, began), quirks, began }
    }

    fn at(&self, ms: u64) -> Instant {
        self.began + Duration::from_millis(ms)
    }

    /// Syncs a text, and returns its version.
    fn sync(&mut self, name: &str, text: &str, is_saved: bool, ms: u64) -> i32 {
        let path = PathBuf::from(name);
        let subject = CheckedDocument { path: path.clone(), text: Arc::new(text.to_owned()), is_saved };
        let now = self.at(ms);
        self.record.tick += 1;
        let mode = (TextSyncKind::Full, &Map::new());
        self.record.documents.sync(&subject, "c", mode, (now, self.record.tick));
        self.record.invalidate_preamble(&path, &self.quirks);
        self.record.readiness.document_opened(now);
        self.record.documents.get(&path).unwrap().version
    }

    fn resend(&mut self, name: &str, ms: u64) -> i32 {
        let now = self.at(ms);
        self.record.documents.resend_text(Path::new(name), (TextSyncKind::Full, &Map::new()), now);
        self.record.documents.get(Path::new(name)).unwrap().version
    }

    fn publish(&mut self, name: &str, version: Option<i32>, ms: u64) {
        let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 1 } });
        let item = json!({ "range": range, "severity": 1, "message": "wrong" });
        let params = json!({ "uri": format!("file://{name}"), "version": version, "diagnostics": [item] });
        let publish = parse::parse_publish(&serde_json::value::to_raw_value(&params).unwrap()).unwrap();
        let now = self.at(ms);
        self.record.tick += 1;
        assert!(self.record.receive_publish(publish, &self.quirks, now).is_some());
    }

    fn judge(&self, name: &str, ms: u64) -> CheckAction {
        self.record.judge(Path::new(name), None, &self.quirks, self.at(ms)).action
    }

    fn verdict(&self, name: &str, ms: u64) -> &'static str {
        self.judge(name, ms).name()
    }
}

#[test]
fn a_publish_for_the_version_is_proof_and_one_for_an_older_version_is_not() {
    let mut server = JudgedServer::new(json!({ "ready": "firstAnswer", "republishMs": 50 }));
    let first = server.sync("/a.c", "one", true, 0);
    server.publish("/a.c", Some(first), 10);
    assert_eq!(server.judge("/a.c", 10), CheckAction::Wait(Some(server.at(60))));
    assert_eq!(server.verdict("/a.c", 60), "proven");
    server.sync("/a.c", "two", false, 100);
    server.publish("/a.c", Some(first), 110);
    assert_eq!(server.judge("/a.c", 60_000), CheckAction::Wait(None));
}

#[test]
fn a_publish_without_a_version_is_likely_after_the_quiet_time() {
    let mut server =
        JudgedServer::new(json!({ "ready": "firstAnswer", "debounceMs": 200, "publishDelayMs": 1000 }));
    server.sync("/a.c", "one", true, 0);
    server.publish("/a.c", None, 100);
    assert_eq!(server.verdict("/a.c", 60_000), "wait", "it may be about the text before");
    server.publish("/a.c", None, 300);
    assert_eq!(server.verdict("/a.c", 1299), "wait", "it publishes for the first text piece by piece");
    assert_eq!(server.verdict("/a.c", 1301), "likely");
}

/// gopls publishes twice for one version: first the type checker's diagnostics, then all of them.
#[test]
fn the_second_publish_for_a_version_ends_the_wait() {
    let mut server =
        JudgedServer::new(json!({ "ready": "firstAnswer", "partialFirst": true, "republishMs": 1200 }));
    let version = server.sync("/a.go", "one", true, 0);
    server.publish("/a.go", Some(version), 10);
    assert_eq!(server.judge("/a.go", 100), CheckAction::Wait(Some(server.at(1210))));
    server.publish("/a.go", Some(version), 300);
    assert_eq!(server.verdict("/a.go", 321), "proven");
}

/// clangd keeps its preamble, and publishes for the next text with the old one.
#[test]
fn a_text_with_another_preamble_is_resent() {
    let quirks = json!({ "ready": "firstAnswer", "resendParams": { "forceRebuild": true }, "preamblePrefixes": ["#"] });
    let mut server = JudgedServer::new(quirks);
    let opened = server.sync("/a.c", "int a;", true, 0);
    server.publish("/a.c", Some(opened), 10);
    assert_eq!(server.verdict("/a.c", 20), "proven", "no preamble existed when it was opened");
    let same_head = server.sync("/a.c", "int b;", false, 100);
    server.publish("/a.c", Some(same_head), 110);
    assert_eq!(server.verdict("/a.c", 120), "proven", "the preamble is the same");
    let other_head = server.sync("/a.c", "#include <x>\nint b;", false, 200);
    server.publish("/a.c", Some(other_head), 210);
    assert_eq!(server.judge("/a.c", 220), CheckAction::Resend);
    let again = server.resend("/a.c", 230);
    server.publish("/a.c", Some(again), 240);
    assert_eq!(server.verdict("/a.c", 250), "proven");
}

#[test]
fn a_server_that_sees_only_saved_files_needs_a_save() {
    let mut server = JudgedServer::new(json!({ "ready": "firstAnswer", "dirtyDependents": "saved" }));
    let version = server.sync("/a.c", "one", true, 0);
    server.publish("/a.c", Some(version), 10);
    assert_eq!(server.verdict("/a.c", 20), "proven");
    server.sync("/b.h", "two", false, 30);
    let decision = server.record.judge(Path::new("/a.c"), None, &server.quirks, server.at(40));
    assert_eq!(decision.action.name(), "unknown");
    assert_eq!(decision.why, "it sees other files as they were saved, and one was changed since");
}

#[test]
fn a_pull_waits_until_the_server_has_read_the_disk() {
    let mut server = JudgedServer::new(json!({ "ready": "firstAnswer" }));
    server.sync("/a.c", "one", true, 0);
    server.record.capabilities.pull = Some(PullOptions::default());
    let path = Path::new("/a.c");
    assert_eq!(server.judge("/a.c", 10), CheckAction::Pull);
    server.record.disk_changed = Some(server.at(20));
    assert_eq!(server.judge("/a.c", 30), CheckAction::Wait(Some(server.at(320))));
    assert_eq!(server.judge("/a.c", 320), CheckAction::Pull);
    assert!(
        !server.record.is_pull_proof(path, &server.quirks, server.at(320)),
        "it may not have read the disk"
    );
    assert!(server.record.is_pull_proof(path, &server.quirks, server.at(2020)));
    // A server that reads the disk in the order of its messages is asked at once, and its response is proof.
    server.quirks.disk_in_order = true;
    assert_eq!(server.judge("/a.c", 30), CheckAction::Pull);
    assert!(server.record.is_pull_proof(path, &server.quirks, server.at(30)));
}

#[test]
fn a_server_may_register_pulls_later() {
    let mut server = JudgedServer::new(json!({ "ready": "firstAnswer", "pull": "only" }));
    server.sync("/a.c", "one", true, 0);
    assert_eq!(server.judge("/a.c", 10), CheckAction::Wait(None));
    let registrations = json!({ "registrations": [{ "id": "1", "method": "textDocument/diagnostic" }] });
    server.record.registrations.register(RegistrationRequest::read(&registrations, Path::new("/")));
    assert_eq!(server.judge("/a.c", 20), CheckAction::Pull);
}

/// rust-analyzer reloads the project when a module is created.
#[test]
fn a_response_during_a_reload_does_not_count() {
    let mut server = JudgedServer::new(json!({ "ready": "serverStatus" }));
    server.sync("/a.rs", "one", true, 0);
    server.record.capabilities.pull = Some(PullOptions::default());
    assert_eq!(server.verdict("/a.rs", 10), "wait", "it has not sent its status yet");
    let set_quiescent = |server: &mut JudgedServer, quiescent: bool, ms| {
        let now = server.at(ms);
        server.record.readiness.update_status(&json!({ "quiescent": quiescent }), now);
    };
    set_quiescent(&mut server, false, 20);
    assert_eq!(server.verdict("/a.rs", 30), "wait");
    set_quiescent(&mut server, true, 40);
    assert_eq!(server.judge("/a.rs", 50), CheckAction::Pull);
    let asked = server.record.reported_ready(&server.quirks, server.at(50));
    let judge_pull =
        |server: &JudgedServer, ms| server.record.judge_pull(asked, &server.quirks, server.at(ms));
    assert_eq!(judge_pull(&server, 60), PullJudgement::Accept);
    set_quiescent(&mut server, false, 70);
    assert_eq!(judge_pull(&server, 80), PullJudgement::AskAgain);
    set_quiescent(&mut server, true, 90);
    assert_eq!(judge_pull(&server, 100), PullJudgement::AskAgain, "it reloaded between request and response");
}

#[test]
fn a_server_is_about_to_reload_when_its_configuration_changed() {
    let mut server = JudgedServer::new(json!({ "ready": "serverStatus" }));
    server.sync("/a.rs", "one", true, 0);
    server.record.capabilities.pull = Some(PullOptions::default());
    let set_status = |server: &mut JudgedServer, health: &str, quiescent: bool, ms| {
        let (now, status) = (server.at(ms), json!({ "health": health, "quiescent": quiescent }));
        server.record.readiness.update_status(&status, now);
    };
    set_status(&mut server, "ok", true, 10);
    server.record.configuration_changed = Some((server.at(50), server.at(1550)));
    assert_eq!(server.verdict("/a.rs", 60), "wait");
    set_status(&mut server, "ok", false, 70);
    set_status(&mut server, "ok", true, 90);
    assert_eq!(server.judge("/a.rs", 100), CheckAction::Pull, "it has reloaded");
    server.record.configuration_changed = Some((server.at(200), server.at(1700)));
    assert_eq!(server.judge("/a.rs", 1800), CheckAction::Pull, "it does not reload");
    set_status(&mut server, "error", true, 1900);
    assert_eq!(server.verdict("/a.rs", 2000), "unknown", "it could not load the project");
}

#[test]
fn a_text_that_changed_since_the_question_is_not_judged() {
    let mut server = JudgedServer::new(json!({ "ready": "firstAnswer" }));
    let asked = server.sync("/a.c", "one", true, 0);
    server.sync("/a.c", "two", false, 10);
    let decision = server.record.judge(Path::new("/a.c"), Some(asked), &server.quirks, server.at(20));
    assert_eq!((decision.action.name(), decision.version), ("unknown", asked));
    // The same text under another version is the same.
    server.sync("/a.c", "one", false, 30);
    let again = server.record.judge(Path::new("/a.c"), Some(asked), &server.quirks, server.at(40));
    assert_eq!(again.action, CheckAction::Wait(None));
}
