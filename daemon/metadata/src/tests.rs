//! Every shape is decoded into its variant; no value is lost, whatever it is.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::{
    CallDetail, CallMetadata, PermissionAskDetail, PermissionAskMetadata, ProblemProof, ProblemSeverity,
};

fn call_variant(value: &Value) -> &'static str {
    match *CallMetadata::from_value(value.clone()).detail {
        CallDetail::Edit(_) => "edit",
        CallDetail::Task(_) => "task",
        CallDetail::TodoList(_) => "todo list",
        CallDetail::Questions(_) => "questions",
        CallDetail::Batch(_) => "batch",
        CallDetail::WebPage(_) => "web page",
        CallDetail::WebSearch(_) => "web search",
        CallDetail::Skill(_) => "skill",
        CallDetail::TextPage(_) => "text page",
        CallDetail::MediaFile(_) => "media file",
        CallDetail::CodePlaces(_) => "code places",
        CallDetail::TextSearch(_) => "text search",
        CallDetail::FileList(_) => "file list",
        CallDetail::Job(_) => "job",
        CallDetail::BackgroundCommand(_) => "background command",
        CallDetail::AgentSwitch(_) => "agent switch",
        CallDetail::Command(_) => "command",
        CallDetail::Other(_) => "other",
    }
}

fn ask_variant(value: &Value) -> &'static str {
    match *PermissionAskMetadata::from_value(value.clone()).detail {
        PermissionAskDetail::Edit(_) => "edit",
        PermissionAskDetail::Command(_) => "command",
        PermissionAskDetail::Plan(_) => "plan",
        PermissionAskDetail::Fetch(_) => "fetch",
        PermissionAskDetail::Search(_) => "search",
        PermissionAskDetail::Task(_) => "task",
        PermissionAskDetail::RepeatedCall(_) => "repeated call",
        PermissionAskDetail::Skill(_) => "skill",
        PermissionAskDetail::Other(_) => "other",
    }
}

fn file() -> Value {
    json!({ "filepath": "/w/a", "diff": "@@", "additions": 2, "deletions": 1 })
}

fn diagnostics() -> Value {
    let problem =
        json!({ "path": "a", "line": 1, "column": 2, "severity": "warning", "source": "r", "message": "m" });
    let reports = json!([{ "source": "r", "proof": "likely" }]);
    json!({ "reports": reports, "new": [problem], "unsure": [], "fixed": 0, "remaining": 1, "waitedMs": 5 })
}

fn with(mut value: Value, key: &str, field: Value) -> Value {
    value[key] = field;
    value
}

/// The shapes that tools make, and those that older versions made: with `null` for what is absent.
fn call_shapes() -> Vec<(&'static str, Value)> {
    let usage = json!({ "input": 1, "output": 2, "reasoning": 0, "cacheRead": 0, "cacheWrite": 0 });
    let task = json!({ "agent": "a", "description": "d", "session": "s", "calls": 1, "usage": usage });
    let done =
        json!({ "state": "out of steps", "files": [{ "filepath": "/w/a", "additions": 1, "deletions": 0 }] });
    let mut done_task = task.clone();
    done_task.as_object_mut().unwrap().extend(done.as_object().unwrap().clone());
    vec![
        ("edit", file()),
        ("edit", with(with(file(), "tiers", json!({ "exact": 1 })), "diagnostics", diagnostics())),
        ("edit", json!({ "files": [with(file(), "path", json!("a"))], "additions": 2, "deletions": 1 })),
        ("task", task.clone()),
        ("task", with(task, "now", json!("thinking"))),
        ("task", done_task),
        (
            "todo list",
            json!({ "todos": [{ "content": "c", "status": "in_progress", "priority": "low" }], "isNew": true }),
        ),
        ("questions", json!({ "questions": [{ "header": "", "text": "t" }], "answers": [["x"]] })),
        ("batch", json!({ "calls": [{ "name": "read", "title": "t", "isError": false }], "surplus": 0 })),
        ("web page", json!({ "url": "u", "title": "t", "type": "text/html", "bytes": 1, "status": 200 })),
        ("web page", json!({ "url": "u", "title": null, "type": "", "bytes": 1, "status": 404 })),
        ("web search", json!({ "query": "q", "count": 3 })),
        ("skill", json!({ "name": "n", "path": "/s", "foreign": true, "files": ["x"] })),
        ("text page", json!({ "first": 1, "last": 2, "total": 3, "truncated": true })),
        ("media file", json!({ "mime": "image/png" })),
        ("text search", json!({ "matches": 1, "truncated": false })),
        ("file list", json!({ "count": 1, "truncated": false })),
        ("job", json!({ "job": 1, "running": true })),
        ("background command", json!({ "job": 1, "file": "/f" })),
        ("background command", json!({ "job": 1, "file": null })),
        ("agent switch", json!({ "agent": "plan" })),
        ("agent switch", json!({ "path": "p.md", "agent": "build" })),
        ("command", json!({ "exit": 0, "truncated": false })),
        ("command", json!({ "exit": null, "truncated": false, "signal": 9, "output": "x" })),
        ("command", json!({ "output": "so far" })),
        ("other", json!(null)),
        ("other", json!({})),
        ("other", json!({ "refused": "doom_loop" })),
        ("other", json!({ "own": 1 })),
        ("other", json!(7)),
        ("other", json!(["/w/a", "@@", 2, 1])),
    ]
}

fn ask_shapes() -> Vec<(&'static str, Value)> {
    vec![
        ("edit", with(file(), "diagnostics", diagnostics())),
        ("command", json!({ "command": "ls", "workdir": ".", "description": null })),
        ("plan", json!({ "plan": "p" })),
        ("fetch", json!({ "url": "u" })),
        ("search", json!({ "query": "q" })),
        ("task", json!({ "prompt": "p" })),
        ("repeated call", json!({ "name": "read", "arguments": {}, "times": 3 })),
        ("skill", json!({ "path": "/s" })),
        ("other", json!(null)),
    ]
}

#[test]
fn every_shape_has_its_variant() {
    for (variant, value) in call_shapes() {
        assert_eq!(call_variant(&value), variant, "{value}");
        assert_eq!(CallMetadata::from_value(value.clone()).to_value(), value);
    }
    for (variant, value) in ask_shapes() {
        assert_eq!(ask_variant(&value), variant, "{value}");
        assert_eq!(PermissionAskMetadata::from_value(value.clone()).to_value(), value);
        let asked = PermissionAskMetadata::from_value(value).with_session("s1");
        assert_eq!(PermissionAskMetadata::from_value(asked.to_value()), asked, "{variant}");
    }
}

#[test]
fn notes_stand_beside_the_fields_of_any_tool() {
    let value = json!({ "exit": 0, "repaired": ["single quotes"] });
    let metadata = CallMetadata::from_value(value.clone());
    assert_eq!((metadata.notes.repaired.len(), metadata.command().unwrap().exit), (1, Some(0)));
    assert_eq!(metadata.to_value(), value);
    let refused = CallMetadata::from_value(json!({ "refused": "doom_loop" }));
    assert_eq!(
        (refused.notes.refused.as_deref(), refused.detail.clone()),
        (Some("doom_loop"), Box::default())
    );
}

/// A view loses the field of which it does not know the shape, and nothing else.
#[test]
fn a_field_of_another_shape_counts_as_absent_and_is_kept() {
    let problem =
        json!({ "path": "a", "line": 1, "column": 2, "severity": "fatal", "source": "r", "message": "m" });
    let told = with(diagnostics(), "new", json!([7, problem]));
    let told = with(told, "reports", json!([{ "source": "r", "proof": "sworn" }]));
    let value = with(with(file(), "diff", json!(7)), "diagnostics", told);
    let value = with(value, "fromTheFuture", json!([1]));
    let metadata = CallMetadata::from_value(value.clone());
    assert_eq!((metadata.changed_files().len(), &metadata.changed_files()[0].diff), (1, &None));
    let found = metadata.diagnostics().unwrap();
    assert_eq!((found.new.len(), found.new[0].severity), (1, ProblemSeverity::Error));
    assert_eq!(found.reports[0].proof, ProblemProof::Unknown);
    assert_eq!(metadata.to_value(), value);
    let broken = with(file(), "diagnostics", json!(7));
    assert_eq!(CallMetadata::from_value(broken).diagnostics(), None);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<f32>().prop_map(|number| json!(f64::from(number))),
        "(error|proven|completed|pending|x)?".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((known_key(), inner), 0..8)
                .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn known_key() -> impl Strategy<Value = String> {
    prop::sample::select(
        "agent additions answers arguments bytes calls code column command content cost count deletions description \
         diagnostics diff exit file filepath files first fixed foreign from header input isError isNew job last line matches \
         message mime name new now output own path plan prompt proof query questions reasoning refused remaining repaired \
         reports running sandboxNote sandboxed session severity signal source state status surplus text tiers timedOut times title todos total \
         truncated type unlisted unsure url usage waitedMs why workdir"
            .split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>(),
    )
}

/// A known shape with a few fields of other values.
fn odd_shape() -> impl Strategy<Value = Value> {
    let shapes: Vec<_> = call_shapes().into_iter().chain(ask_shapes()).map(|(_, value)| value).collect();
    let changes = prop::collection::vec((known_key(), any_json()), 0..4);
    (prop::sample::select(shapes), changes).prop_map(|(mut shape, changes)| {
        if let Value::Object(fields) = &mut shape {
            fields.extend(changes);
        }
        shape
    })
}

proptest! {
    #[test]
    fn nothing_is_lost(value in prop_oneof![any_json(), odd_shape()]) {
        prop_assert_eq!(CallMetadata::from_value(value.clone()).to_value(), value.clone());
        prop_assert_eq!(PermissionAskMetadata::from_value(value.clone()).to_value(), value);
    }
}
