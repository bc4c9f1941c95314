//! Models that edit by patches, and others: the tools that each gets, and the effect.

use serde_json::{Value, json};

use super::harness::{RunLocation, ScriptedEnvironment};
use super::tasks::{script_session, task};
use crate::model_server::ScriptedTurn;

const PATCH: &str = "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+TWO\n*** Add File: b.txt\n+new\n*** End Patch\n";

fn patch() -> ScriptedTurn {
    ScriptedTurn::new().call("c1", "apply_patch", json!({ "patchText": PATCH }))
}

fn offered(scripted: &ScriptedEnvironment, number: usize) -> Vec<String> {
    let tools = scripted.request_body(number)["tools"].clone();
    let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
    let changes = |name: &String| ["apply_patch", "edit", "multiedit", "write"].contains(&name.as_str());
    tools.as_array().unwrap().iter().map(name).filter(changes).collect()
}

#[test]
fn a_model_is_offered_the_tools_that_it_knows() {
    let (patches, replaces) = (["apply_patch"].as_slice(), ["edit", "multiedit", "write"].as_slice());
    let said = |edits: &str| json!({ "provider": { "script": { "models": { "*": { "edits": edits } } } } });
    for (model, edits, expected) in [
        ("gpt-5", None, patches),
        ("gpt-4.1", None, replaces),
        ("gpt-oss-120b", None, replaces),
        ("m-1", None, replaces),
        ("m-1", Some("patch"), patches),
        ("gpt-5", Some("replace"), replaces),
    ] {
        let scripted = ScriptedEnvironment::with_config(
            [ScriptedTurn::new().text("Hello.")],
            json!({ "model": format!("script/{model}") }),
        );
        if let Some(edits) = edits {
            let said = said(edits).to_string().replace("\"*\"", &format!("\"{model}\""));
            scripted.env.write("copydesk.jsonc", &said);
        }
        assert_eq!(scripted.run(&["Hello"]).code, Some(0));
        assert_eq!(offered(&scripted, 0), expected, "{model} {edits:?}");
    }
}

#[test]
fn who_may_not_edit_may_not_patch() {
    let none: [&str; 0] = [];
    for (more, expected) in [
        (json!({ "tools": { "write": false } }), &none[..]),
        (json!({ "tools": { "edit": false } }), &none),
        (json!({ "permission": { "edit": "deny" } }), &none),
        // The planning agent writes the plan.
        (json!({ "default_agent": "plan" }), &["apply_patch"]),
    ] {
        let mut config = more.clone();
        config["model"] = json!("script/gpt-5");
        let scripted =
            ScriptedEnvironment::with_config([patch(), ScriptedTurn::new().text("I see.")], config);
        scripted.env.write("a.txt", "one\ntwo\n");
        assert_eq!(scripted.run(&["--auto", "Patch"]).code, Some(0));
        assert_eq!(offered(&scripted, 0), expected, "{more}");
        assert_eq!(scripted.env.read("a.txt"), "one\ntwo\n", "{more}");
    }
}

#[test]
fn a_patch_is_shown_file_by_file() {
    let scripted = ScriptedEnvironment::with_config(
        [patch(), ScriptedTurn::new().text("Done.")],
        json!({ "model": "script/gpt-5" }),
    );
    scripted.env.write("a.txt", "one\ntwo\n");
    let ran = scripted.run(&["--auto", "Patch"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(
        (scripted.env.read("a.txt"), scripted.env.read("b.txt")),
        ("one\nTWO\n".into(), "new\n".into())
    );
    assert!(ran.stdout.contains("✓ apply_patch Patched 2 files (+2 -1)"), "{ran:?}");
    for line in ["--- a/a.txt", "-two", "+TWO", "--- /dev/null", "+++ b/b.txt", "+new"] {
        assert!(ran.stdout.lines().any(|shown| shown.trim() == line), "{line}: {ran:?}");
    }
    let told = scripted.last_model_input(1);
    assert!(told.starts_with("Patched 2 files (+2 -1).\nEdited a.txt (+1 -1)."), "{told}");
}

/// Edits of subagents count like any other.
#[test]
fn the_tiers_of_edits_in_tasks_are_in_the_status() {
    let scripted = ScriptedEnvironment::new([]);
    script_session(&scripted.server, "Go", [task("c1", "general", "Fix"), ScriptedTurn::new().text("Done.")]);
    let edit = json!({ "filePath": "a.txt", "oldString": "one", "newString": "1" });
    script_session(
        &scripted.server,
        "Fix",
        [ScriptedTurn::new().call("e1", "edit", edit), ScriptedTurn::new().text("Fixed.")],
    );
    scripted.env.write("a.txt", "one\n");
    let _up = scripted.start_daemon(RunLocation::Daemon);
    let ran = scripted.run(&["--auto", "Go"]);
    assert_eq!((ran.code, scripted.env.read("a.txt").as_str()), (Some(0), "1\n"), "{ran:?}");
    let status = scripted.env.run(&["status"]).stdout;
    assert!(status.contains("Edits located since its start: exact 1."), "{status}");
}

/// The daemon counts the match tiers of edits.
#[test]
fn the_tiers_of_edits_are_in_the_status() {
    let edits = json!([
        { "oldString": "one", "newString": "1" },
        { "oldString": "  two\n  three", "newString": "  2\n  3" },
    ]);
    let scripted = ScriptedEnvironment::new([
        ScriptedTurn::new().call("c1", "multiedit", json!({ "filePath": "a.txt", "edits": edits })),
        ScriptedTurn::new().call(
            "c2",
            "edit",
            json!({ "filePath": "a.txt", "oldString": "four", "newString": "4" }),
        ),
        ScriptedTurn::new().call(
            "c3",
            "edit",
            json!({ "filePath": "a.txt", "oldString": "five", "newString": "5" }),
        ),
        ScriptedTurn::new().text("Done."),
    ]);
    scripted.env.write("a.txt", "one\n    two\n    three\nfour\n");
    let _up = scripted.start_daemon(RunLocation::Daemon);
    let told = |arguments: &[&str]| scripted.env.run(arguments).stdout;
    assert!(!told(&["status"]).contains("Edits located"));
    let ran = scripted.run(&["--auto", "Edit"]);
    assert_eq!((ran.code, scripted.env.read("a.txt").as_str()), (Some(0), "1\n    2\n    3\n4\n"), "{ran:?}");
    assert!(told(&["status"]).contains("Edits located since its start: exact 2, indentation 1."));
    let status: Value = serde_json::from_str(&told(&["status", "--json"])).unwrap();
    let expected = json!([{ "tier": "exact", "count": 2 }, { "tier": "indentation", "count": 1 }]);
    assert_eq!(status["tiers"], expected);
}
