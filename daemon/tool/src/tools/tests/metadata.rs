//! The metadata that each tool makes, as it is stored and sent, and the variant that views decode it into. What the network or
//! other agents are needed for is compared in `web` and `tasks`.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use copydesk_diagnostics::tracker::TrackerOptions;
use copydesk_diagnostics::{DiagnosticsSources, DiagnosticsTracker, SyntaxSource};
use copydesk_metadata::{CallMetadata, ProblemProof, ProblemSeverity};
use copydesk_servers::CheckedDocument;
use copydesk_servers::diagnostic::Severity;
use copydesk_servers::source::{DiagnosticsSource, DocumentProvider};
use expect_test::expect;
use serde_json::{Value, json};

use super::desk::{Desk, desk, desk_answering};
use crate::context::ToolContext;

/// `tool Variant JSON`
async fn row(desk: &Desk, agent: &str, name: &str, arguments: Value) -> String {
    let outcome = desk.call_as(agent, name, arguments).await;
    let metadata = outcome.metadata.to_value();
    let detail = format!("{:?}", CallMetadata::from_value(metadata.clone()).detail);
    let variant = detail.split('(').next().unwrap().to_owned();
    format!("{name} {variant} {}\n", desk.plain(&metadata.to_string()))
}

#[tokio::test]
async fn every_tool_has_its_variant() {
    let skill = ".copydesk/skills/tidy/SKILL.md";
    let files = [
        ("a.txt", "one\ntwo\n"),
        ("b.txt", "three\n"),
        (skill, "---\nname: tidy\ndescription: Tidies up\n---\nTidy up.\n"),
        (".copydesk/skills/tidy/notes.txt", "x"),
    ];
    let desk = desk(&files);
    desk.put("dot.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let patch = "*** Begin Patch\n*** Add File: c.txt\n+c\n*** Update File: a.txt\n*** Move to: d.txt\n@@\n-eins\n+uno\n*** End Patch";
    let todos = json!([{ "content": "Look", "status": "in_progress" }]);
    let edits = json!([{ "oldString": "two", "newString": "zwei" }]);
    let calls = [
        ("read", json!({ "filePath": "a.txt" })),
        ("read", json!({ "filePath": "dot.png" })),
        ("read", json!({ "filePath": "." })),
        ("list", json!({})),
        ("glob", json!({ "pattern": "*.txt" })),
        ("grep", json!({ "pattern": "o" })),
        ("edit", json!({ "filePath": "a.txt", "oldString": "one", "newString": "eins" })),
        ("multiedit", json!({ "filePath": "a.txt", "edits": edits })),
        ("write", json!({ "filePath": "new.txt", "content": "new\n" })),
        ("apply_patch", json!({ "patchText": patch })),
        ("bash", json!({ "command": "true" })),
        ("bash", json!({ "command": "echo no; exit 3" })),
        ("bash", json!({ "command": "kill -9 $$" })),
        ("bash", json!({ "command": "echo so far; sleep 60", "timeout": 50 })),
        ("bash", json!({ "command": "true", "background": true })),
        ("job", json!({ "id": 1, "wait": 60_000 })),
        ("todowrite", json!({ "todos": todos })),
        ("todoread", json!({})),
        ("skill", json!({ "name": "tidy" })),
        ("read", json!({ "file_path": "b.txt" })),
        ("read", json!({ "filePath": "none" })),
    ];
    let mut rows = String::new();
    for (name, arguments) in &calls {
        rows += &row(&desk, "build", name, arguments.clone()).await;
    }
    let talk = desk_answering(|questions| Ok(vec![vec![questions[0].options[0].label.clone()]]));
    let choice = |label: &str| json!({ "label": label, "description": "" });
    let question = json!({ "question": "Which?", "header": "Which", "options": [choice("a"), choice("b")] });
    talk.put(".copydesk/plans/19700101-000000-look.md", b"# Plan\n");
    rows += &row(&talk, "build", "question", json!({ "questions": [question] })).await;
    rows += &row(&talk, "build", "plan_enter", json!({})).await;
    rows += &row(&talk, "plan", "plan_exit", json!({})).await;
    expect![[""]].assert_eq(&rows);

    let shown: BTreeSet<_> = rows.lines().filter_map(|row| row.split(' ').next()).collect();
    let all = desk.registry().definitions(|_| true);
    let missing: Vec<_> =
        all.iter().map(|tool| tool.name.as_str()).filter(|name| !shown.contains(name)).collect();
    assert_eq!(missing, ["batch", "webfetch"], "`batch` is taken apart by the session");
}

/// The texts of the disk.
struct Disk;

impl DocumentProvider for Disk {
    fn document(&self, path: &Path) -> Option<CheckedDocument> {
        let text = Arc::new(std::fs::read_to_string(path).ok()?);
        Some(CheckedDocument { path: path.to_owned(), text, is_saved: true })
    }

    fn differs_from_disk(&self, _path: &Path) -> bool {
        false
    }
}

/// The tracker makes its part of the metadata as JSON.
#[tokio::test]
async fn what_the_tracker_makes_is_decoded() {
    let desk = desk(&[("a.json", "{}\n")]);
    let syntax = Some(Arc::new(SyntaxSource::default()) as Arc<dyn DiagnosticsSource>);
    let sources = DiagnosticsSources { syntax, ..DiagnosticsSources::default() };
    let options = TrackerOptions { wait: Duration::from_secs(60), min_severity: Severity::Error };
    let checks = DiagnosticsTracker::new(sources, Arc::new(Disk), &desk.path(""), options);
    let context = ToolContext { checks, ..desk.context() };
    desk.call("read", json!({ "filePath": "a.json" })).await;
    let arguments = json!({ "filePath": "a.json", "oldString": "{}", "newString": "{" }).to_string();
    let outcome = desk.registry().run_raw_call("edit", &arguments, context).await;
    let found = outcome.metadata.diagnostics().unwrap_or_else(|| panic!("{outcome:?}"));
    assert_eq!((found.new.len(), found.reports.len()), (1, 1), "{found:?}");
    assert_eq!(
        (found.reports[0].proof, found.new[0].severity),
        (ProblemProof::Proven, ProblemSeverity::Error)
    );
    assert_eq!(CallMetadata::from_value(outcome.metadata.to_value()), outcome.metadata);
}
