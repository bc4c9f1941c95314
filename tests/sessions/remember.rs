//! `/remember`: words of the user for the project's instructions.

use serde_json::json;

use super::harness::ScriptedEnvironment;
use crate::model_server::ScriptedTurn;

fn environment(turns: impl IntoIterator<Item = ScriptedTurn>) -> ScriptedEnvironment {
    ScriptedEnvironment::with_config(turns, json!({ "permission": { "edit": "allow" } }))
}

/// Without a request. The model reads a note, and the file with the next session.
#[test]
fn words_are_added_to_the_instructions() {
    let scripted = environment([ScriptedTurn::new().text("Yes.")]);
    let ran = scripted.run(&["/remember Use spaces, never tabs."]);
    assert_eq!((ran.code, scripted.server.requests().len()), (Some(0), 0), "{ran:?}");
    assert_eq!(scripted.env.read("AGENTS.md"), "# Instructions\n\n- Use spaces, never tabs.\n");
    assert_eq!(scripted.run(&["--continue", "/remember Be brief."]).code, Some(0));
    assert_eq!(scripted.env.read("AGENTS.md"), "# Instructions\n\n- Use spaces, never tabs.\n- Be brief.\n");
    let ran = scripted.run(&["--continue", "Do you know?"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let messages = scripted.request_body(0)["messages"].to_string();
    assert!(messages.contains("it holds from now on:\\nBe brief."), "{messages}");
    assert!(!messages.contains("tool_use"), "{messages}");
    assert!(!ran.stderr.contains("interrupted"), "{ran:?}");
    // It is an edit: it can be undone.
    assert_eq!(scripted.env.run(&["undo"]).code, Some(0));
    assert_eq!(scripted.env.read("AGENTS.md"), "# Instructions\n\n- Use spaces, never tabs.\n");
}

#[test]
fn nothing_is_added_without_words_or_against_the_rules() {
    let scripted = environment([]);
    let ran = scripted.run(&["/remember"]);
    assert!(ran.code == Some(1) && ran.stderr.contains("Write what to remember"), "{ran:?}");
    let denied = ScriptedEnvironment::with_config([], json!({ "permission": { "edit": "deny" } }));
    let ran = denied.run(&["/remember Be brief."]);
    assert!(ran.code == Some(1) && ran.stderr.contains("may not edit files"), "{ran:?}");
    assert!(!denied.env.path("AGENTS.md").exists());
}
