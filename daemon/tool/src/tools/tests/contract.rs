//! What models and people rely on: the names of tools and parameters, and what a tool that edits states.

use serde_json::{Value, json};

use super::fixture::fixture;
use crate::tool::TouchedFiles;
use crate::tools::EDITING_TOOLS;

#[tokio::test]
async fn names_are_those_that_models_know() {
    let specs = fixture(&[]).registry().definitions(|_| true);
    let parameters = |schema: &Value| {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let properties = schema["properties"].as_object().cloned().unwrap_or_default();
        let names = properties.iter().map(|(name, property)| {
            assert!(property["description"].is_string(), "{name} is not described");
            if required.contains(&Value::from(name.as_str())) { name.clone() } else { format!("{name}?") }
        });
        names.collect::<Vec<_>>().join(" ")
    };
    let seen: Vec<_> = specs.iter().map(|spec| (spec.name.as_str(), parameters(&spec.parameters))).collect();
    let expected = [
        ("apply_patch", "patchText"),
        ("bash", "command timeout? workdir? description? background? unsandboxed?"),
        ("batch", "tool_calls"),
        ("edit", "filePath oldString newString replaceAll?"),
        ("glob", "pattern path?"),
        ("grep", "pattern path? include?"),
        ("job", "id? wait? stop?"),
        ("list", "path?"),
        ("lsp", "operation filePath? line? character? symbol? depth? body? offset?"),
        ("multiedit", "filePath edits"),
        ("plan_enter", "reason?"),
        ("plan_exit", ""),
        ("question", "questions"),
        ("read", "filePath offset? limit?"),
        (
            "refactor",
            "operation filePath? line? character? symbol? newName? newPath? title? problem? content? endLine?",
        ),
        ("todoread", ""),
        ("todowrite", "todos"),
        ("webfetch", "url format? timeout?"),
        ("write", "filePath content"),
    ];
    assert_eq!(seen, expected.map(|(name, parameters)| (name, parameters.to_owned())));
    for spec in specs {
        // Every request carries all of them.
        assert!((100..2000).contains(&spec.prompt.len()), "{}: {} bytes", spec.name, spec.prompt.len());
    }
}

/// The registry cannot know that a tool edits. Without these statements its calls would run beside others that touch the same
/// file, and a user who disables `edit` would not disable it.
#[tokio::test]
async fn a_tool_that_changes_files_names_them_and_states_how_it_edits() {
    let fixture = fixture(&[("a", "one\n")]);
    let edit = json!({ "oldString": "one", "newString": "two" });
    let patch = "*** Begin Patch\n*** Update File: a\n@@\n-one\n+two\n*** End Patch";
    let calls = [
        ("apply_patch", json!({ "patchText": patch })),
        ("edit", json!({ "filePath": "a", "oldString": "one", "newString": "two" })),
        ("multiedit", json!({ "filePath": "a", "edits": [edit] })),
        ("refactor", json!({ "operation": "format", "filePath": "a" })),
        ("write", json!({ "filePath": "a", "content": "two\n" })),
    ];
    let editing = fixture.registry().definitions(|key| key == "edit");
    let editing: Vec<_> = editing.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(editing, calls.each_ref().map(|(name, _)| *name));
    assert_eq!(editing, EDITING_TOOLS.each_ref().map(|tool| tool.name));
    let all = fixture.registry().definitions(|_| true);
    for tool in EDITING_TOOLS {
        let is_tool = |name: &&str| all.iter().any(|known| known.name == **name);
        assert!(tool.equivalent.iter().all(is_tool), "{}: {:?}", tool.name, tool.equivalent);
    }
    for (name, arguments) in calls {
        let touched = fixture.registry().touched_files(name, &arguments.to_string(), &fixture.context());
        assert_ne!(touched, TouchedFiles::Nothing, "{name}");
    }
}
