//! Each tool makes metadata that views decode into its variant. What needs the network or other agents is compared in `web` and
//! `tasks`.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use copydesk_diagnostics::tracker::TrackerOptions;
use copydesk_diagnostics::{DiagnosticsSources, DiagnosticsTracker, SyntaxSource};
use copydesk_metadata::{CallDetail, CallMetadata, ProblemProof, ProblemSeverity};
use copydesk_servers::diagnostic::Severity;
use copydesk_servers::source::DiagnosticsSource;
use serde_json::{Value, json};

use super::fixture::{DiskDocuments, ToolFixture, fixture, fixture_answering};
use crate::context::ToolContext;

/// Makes a call and compares the variant that its metadata is decoded into. The fixture checks
/// at every call of every test that the metadata survives a round trip.
async fn check(
    fixture: &ToolFixture,
    agent: &str,
    name: &str,
    arguments: Value,
    variant: &str,
) -> CallMetadata {
    fixture.asked();
    let outcome = fixture.call_as(agent, name, arguments).await;
    // A rule about the key by which a tool is offered also decides its calls.
    let keys: Vec<_> = fixture.asked().into_iter().map(|ask| ask.key).collect();
    let is_offered = |key: &str| {
        fixture.registry().definitions(|offered| offered == key).iter().any(|tool| tool.name == name)
    };
    assert!(keys.is_empty() || keys.iter().any(|key| is_offered(key)), "{name} asks for {keys:?}");
    let metadata = CallMetadata::from_value(outcome.metadata.to_value());
    let detail = format!("{:?}", metadata.detail);
    assert_eq!(detail.split('(').next(), Some(variant), "{name}: {outcome:?}");
    metadata
}

#[tokio::test]
async fn every_tool_has_its_variant() {
    let files = [
        ("a.txt", "one\ntwo\n"),
        ("b.txt", "three\n"),
        ("area.rs", "fn area() {}\n"),
        (".copydesk/skills/tidy/SKILL.md", "---\nname: tidy\ndescription: Tidies up\n---\nTidy up.\n"),
        (".copydesk/skills/tidy/notes.txt", "x"),
    ];
    let fixture = fixture(&files);
    fixture.put("dot.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let patch =
        "*** Begin Patch\n*** Add File: c.txt\n+c\n*** Update File: b.txt\n@@\n-three\n+drei\n*** End Patch";
    let todos = json!([{ "content": "Look", "status": "in_progress" }]);
    let edits = json!([{ "oldString": "two", "newString": "zwei" }]);
    let calls = [
        ("read", json!({ "filePath": "a.txt" }), "TextPage"),
        ("read", json!({ "file_path": "b.txt" }), "TextPage"),
        ("read", json!({ "filePath": "dot.png" }), "MediaFile"),
        ("read", json!({ "filePath": "." }), "FileList"),
        ("read", json!({ "filePath": "none" }), "Other"),
        ("list", json!({}), "FileList"),
        ("glob", json!({ "pattern": "*.txt" }), "FileList"),
        ("grep", json!({ "pattern": "o" }), "TextSearch"),
        ("lsp", json!({ "operation": "workspaceSymbol", "symbol": "area" }), "CodePlaces"),
        ("edit", json!({ "filePath": "a.txt", "oldString": "one", "newString": "eins" }), "Edit"),
        ("multiedit", json!({ "filePath": "a.txt", "edits": edits }), "Edit"),
        ("write", json!({ "filePath": "new.txt", "content": "new\n" }), "Edit"),
        ("apply_patch", json!({ "patchText": patch }), "Edit"),
        ("refactor", json!({ "operation": "insertAfter", "symbol": "area", "content": "fn b() {}" }), "Edit"),
        ("bash", json!({ "command": "true" }), "Command"),
        ("bash", json!({ "command": "echo no; exit 3" }), "Command"),
        ("bash", json!({ "command": "kill -9 $$" }), "Command"),
        ("bash", json!({ "command": "echo so far; sleep 60", "timeout": 50 }), "Command"),
        ("todowrite", json!({ "todos": todos }), "TodoList"),
        ("todoread", json!({}), "TodoList"),
        ("skill", json!({ "name": "tidy" }), "Skill"),
    ];
    let mut shown = BTreeSet::from(["bash", "job", "question", "plan_enter", "plan_exit"]);
    for (name, arguments, variant) in calls {
        check(&fixture, "build", name, arguments, variant).await;
        shown.insert(name);
    }
    let in_background = json!({ "command": "true", "background": true });
    let started = check(&fixture, "build", "bash", in_background, "BackgroundCommand").await;
    let CallDetail::BackgroundCommand(started) = *started.detail else { panic!("{started:?}") };
    check(&fixture, "build", "job", json!({ "id": started.job, "wait": 60_000 }), "Job").await;

    let talk = fixture_answering(|questions| Ok(vec![vec![questions[0].options[0].label.clone()]]));
    talk.put(".copydesk/plans/19700101-000000-look.md", b"# Plan\n");
    let choice = |label: &str| json!({ "label": label, "description": "" });
    let question = json!({ "question": "Which?", "header": "Which", "options": [choice("a"), choice("b")] });
    check(&talk, "build", "question", json!({ "questions": [question] }), "Questions").await;
    check(&talk, "build", "plan_enter", json!({}), "AgentSwitch").await;
    check(&talk, "plan", "plan_exit", json!({}), "AgentSwitch").await;

    let all = fixture.registry().definitions(|_| true);
    let missing: Vec<_> =
        all.iter().map(|tool| tool.name.as_str()).filter(|name| !shown.contains(name)).collect();
    assert_eq!(missing, ["batch", "webfetch"], "the session takes a `batch` apart");
}

/// The tracker makes its part of the metadata as JSON.
#[tokio::test]
async fn what_the_tracker_makes_is_decoded() {
    let fixture = fixture(&[("a.json", "{}\n")]);
    let syntax = Some(Arc::new(SyntaxSource::default()) as Arc<dyn DiagnosticsSource>);
    let sources = DiagnosticsSources { syntax, ..DiagnosticsSources::default() };
    let options = TrackerOptions { wait: Duration::from_secs(60), min_severity: Severity::Error };
    let checks = DiagnosticsTracker::new(sources, Arc::new(DiskDocuments), &fixture.path(""), options);
    let context = ToolContext { checks, ..fixture.context() };
    fixture.call("read", json!({ "filePath": "a.json" })).await;
    let arguments = json!({ "filePath": "a.json", "oldString": "{}", "newString": "{" }).to_string();
    let outcome = fixture.registry().run_raw_call("edit", &arguments, context).await;
    let found = outcome.metadata.diagnostics().unwrap_or_else(|| panic!("{outcome:?}"));
    assert_eq!((found.new.len(), found.reports.len()), (1, 1), "{found:?}");
    assert_eq!(
        (found.reports[0].proof, found.new[0].severity),
        (ProblemProof::Proven, ProblemSeverity::Error)
    );
    assert_eq!(CallMetadata::from_value(outcome.metadata.to_value()), outcome.metadata);
}
