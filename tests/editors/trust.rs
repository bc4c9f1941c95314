//! `copydesk/trust/set`, and what sessions are told of it.

use serde_json::{Value, json};

use super::scripted_daemon::{ScriptedDaemon, text_turn};
use super::scripted_editor::ScriptedEditor;

const SET: &str = "copydesk/trust/set";

fn trust_of(editor: &mut ScriptedEditor, session: &str) -> Value {
    editor.load(session)["trust"]["trust"].clone()
}

/// How often the session warned that its folder is not trusted.
fn warnings(editor: &mut ScriptedEditor, session: &str) -> usize {
    editor.load(session)["warnings"].to_string().matches("is not trusted: no language server").count()
}

#[test]
fn trust_counts_from_the_next_prompt_on() {
    let daemon = ScriptedDaemon::new([text_turn("One."), text_turn("Two."), text_turn("Three.")]);
    daemon.scripted.env.forget_trust();
    let mut editor = daemon.client("e");
    let session = editor.new_session();
    assert_eq!(trust_of(&mut editor, &session), "unasked");
    editor.run_turn(&session, "Go");
    assert_eq!(warnings(&mut editor, &session), 1);
    editor.run_turn(&session, "Go");
    assert_eq!(warnings(&mut editor, &session), 1, "once per session");

    let set = editor.request_ok(SET, json!({ "trusted": true }));
    let root = daemon.scripted.env.path("").canonicalize().unwrap();
    assert_eq!(set, json!({ "folder": root, "trust": "trusted" }));
    assert_eq!(trust_of(&mut editor, &session), "trusted");
    let set = editor.request_ok(SET, json!({ "trusted": false }));
    assert_eq!(set["trust"], "restricted");
    editor.run_turn(&session, "Go");
    assert_eq!(trust_of(&mut editor, &session), "restricted");
}

/// The editor asked the user before the configuration changed.
#[test]
fn what_an_editor_passes_on_never_trusts_a_changed_configuration() {
    let daemon = ScriptedDaemon::new([]);
    daemon.scripted.env.forget_trust();
    daemon.scripted.env.write("copydesk.jsonc", r#"{ "shell": "sh" }"#);
    let mut editor = daemon.client("e");
    let is_file_trusted = || {
        daemon.scripted.env.run(&["config", "--json"]).json()["files"].as_array().unwrap().last().unwrap()["trusted"].clone()
    };
    assert_eq!(is_file_trusted(), false);
    let passed_on = json!({ "folder": daemon.scripted.env.path(""), "trusted": true, "passedOn": true });
    editor.request_ok(SET, passed_on.clone());
    assert_eq!(is_file_trusted(), true);
    daemon.scripted.env.write("copydesk.jsonc", r#"{ "shell": "bash" }"#);
    editor.request_ok(SET, passed_on.clone());
    assert_eq!(is_file_trusted(), false);
    // Nor does it overrule the user.
    editor.request_ok(SET, json!({ "trusted": false }));
    assert_eq!(editor.request_ok(SET, passed_on)["trust"], "restricted");
    editor.request_ok(SET, json!({ "folder": daemon.scripted.env.path(""), "trusted": true }));
    assert_eq!(is_file_trusted(), true);
}

#[test]
fn a_folder_that_cannot_be_trusted_is_an_error() {
    let daemon = ScriptedDaemon::new([]);
    let mut editor = daemon.client("e");
    for folder in ["/", "not/absolute"] {
        let (_, told) = editor.request_error(SET, json!({ "folder": folder, "trusted": true }));
        assert!(told.contains(folder), "{told}");
    }
}
