//! Undoing the agent's changes: through the buffers, by merge, whatever the user typed in between.

use serde_json::{Value, json};

use super::scripted_daemon::{ScriptedDaemon, edit, text_turn};
use super::scripted_editor::ScriptedEditor;
use crate::model_server::ScriptedTurn;

const TEXT: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";

/// Two turns: the first with two edits, the second with one.
fn after_two_turns() -> (ScriptedDaemon, ScriptedEditor, String, String) {
    let daemon = ScriptedDaemon::new([
        edit("c1", "a.txt", "two", "TWO"),
        edit("c2", "a.txt", "four", "FOUR"),
        text_turn("Done."),
        edit("c3", "a.txt", "six", "SIX"),
        text_turn("Done."),
    ]);
    let mut client = daemon.client("vscode");
    let (session, uri) = (client.new_session(), daemon.uri("a.txt"));
    client.open(&uri, TEXT);
    client.run_turn(&session, "One");
    client.run_turn(&session, "Two");
    assert_eq!(client.text(&uri), "one\nTWO\nthree\nFOUR\nfive\nSIX\nseven\n");
    (daemon, client, session, uri)
}

fn undo(client: &mut ScriptedEditor, session: &str, what: Value) -> Vec<String> {
    outcomes(&client.request_ok("copydesk/undo", json!({ "session": session, "what": what })))
}

fn redo(client: &mut ScriptedEditor, session: &str) -> Vec<String> {
    outcomes(&client.request_ok("copydesk/redo", json!({ "session": session })))
}

fn outcomes(result: &Value) -> Vec<String> {
    let files = result["files"].as_array().unwrap().iter();
    files.map(|file| file["outcome"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn one_call_is_taken_back_and_brought_again() {
    let (_env, mut client, session, uri) = after_two_turns();
    let calls = client.calls(&session);
    assert_eq!(undo(&mut client, &session, json!({ "call": calls[1] })), ["undone"]);
    assert_eq!(client.text(&uri), "one\nTWO\nthree\nfour\nfive\nSIX\nseven\n");
    assert_eq!(undo(&mut client, &session, json!({ "call": calls[1] })), [""; 0], "it is undone already");
    assert_eq!(redo(&mut client, &session), ["undone"]);
    assert_eq!(client.text(&uri), "one\nTWO\nthree\nFOUR\nfive\nSIX\nseven\n");
    assert_eq!(redo(&mut client, &session), [""; 0], "there is nothing more to redo");
}

#[test]
fn one_turn_is_taken_back_with_what_was_typed_since_left_in() {
    let (_env, mut client, session, uri) = after_two_turns();
    client.type_text(&uri, "one", "un");
    client.type_text(&uri, "seven\n", "seven\neight\n");
    assert_eq!(undo(&mut client, &session, json!({ "turn": 1 })), ["undone", "undone"]);
    assert_eq!(client.text(&uri), "un\ntwo\nthree\nfour\nfive\nSIX\nseven\neight\n");
    client.type_text(&uri, "three", "trois");
    assert_eq!(redo(&mut client, &session), ["undone", "undone"]);
    assert_eq!(client.text(&uri), "un\nTWO\ntrois\nFOUR\nfive\nSIX\nseven\neight\n");
}

#[test]
fn everything_after_a_part_is_taken_back() {
    let (_env, mut client, session, uri) = after_two_turns();
    let calls = client.calls(&session);
    assert_eq!(undo(&mut client, &session, json!({ "after": calls[0] })), ["undone", "undone"]);
    assert_eq!(client.text(&uri), "one\nTWO\nthree\nfour\nfive\nsix\nseven\n");
    let prompt = client.parts(&session)[0]["id"].clone();
    assert_eq!(undo(&mut client, &session, json!({ "after": prompt })), ["undone"]);
    assert_eq!(client.text(&uri), TEXT);
}

#[test]
fn a_line_that_a_user_changed_too_stays_and_the_others_go_back() {
    let (_env, mut client, session, uri) = after_two_turns();
    client.type_text(&uri, "FOUR", "QUATRE");
    let result = client.request_ok("copydesk/undo", json!({ "session": session, "what": { "turn": 1 } }));
    let mut told = outcomes(&result);
    told.sort();
    assert_eq!(told, ["conflict", "undone"]);
    assert_eq!(client.text(&uri), "one\ntwo\nthree\nQUATRE\nfive\nSIX\nseven\n");
    for file in result["files"].as_array().unwrap() {
        assert_eq!(file["uri"], uri.as_str());
        assert_eq!(file.get("message").is_some(), file["outcome"] == "conflict", "{file}");
    }
}

#[test]
fn closed_files_are_taken_back_on_the_disk() {
    let daemon = ScriptedDaemon::new([
        edit("c1", "a.txt", "old", "new"),
        ScriptedTurn::new().call("c2", "write", json!({ "filePath": "deep/made.txt", "content": "made\n" })),
        text_turn("Done."),
    ]);
    daemon.scripted.env.write("a.txt", "old\r\n");
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.run_turn(&session, "Edit");
    assert_eq!(daemon.scripted.env.read("a.txt"), "new\r\n");
    assert_eq!(daemon.scripted.env.read("deep/made.txt"), "made\n");
    assert_eq!(undo(&mut client, &session, json!({ "turn": 1 })), ["undone", "undone"]);
    assert_eq!(daemon.scripted.env.read("a.txt"), "old\r\n");
    assert!(!daemon.scripted.env.exists("deep/made.txt"), "what was made is gone again");
    assert_eq!(redo(&mut client, &session), ["undone", "undone"]);
    assert_eq!(daemon.scripted.env.read("deep/made.txt"), "made\n");
    // The user's own text in it stays.
    daemon.scripted.env.write("deep/made.txt", "made, and more\n");
    let told = undo(&mut client, &session, json!({ "turn": 1 }));
    assert!(told.contains(&"conflict".to_owned()), "{told:?}");
    assert_eq!(daemon.scripted.env.read("deep/made.txt"), "made, and more\n");
    // A deleted file is reported as gone.
    assert_eq!(redo(&mut client, &session), ["undone"]);
    std::fs::remove_file(daemon.scripted.env.path("a.txt")).unwrap();
    let told = undo(&mut client, &session, json!({ "turn": 1 }));
    assert!(told.contains(&"gone".to_owned()), "{told:?}");
}

#[test]
fn a_buffer_without_a_file_is_taken_back_too() {
    let uri = "untitled:Untitled-1";
    let daemon = ScriptedDaemon::new([edit("c1", uri, "draft", "letter"), text_turn("Done.")]);
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.open(uri, "A draft.\n");
    client.run_turn(&session, "Edit");
    let result = client.request_ok("copydesk/undo", json!({ "session": session, "what": { "turn": 1 } }));
    assert_eq!(result["files"], json!([{ "uri": uri, "outcome": "undone" }]));
    assert_eq!(client.text(uri), "A draft.\n");
}

#[test]
fn nothing_is_taken_back_while_a_turn_runs() {
    let daemon = ScriptedDaemon::new([ScriptedTurn::new().text("a").gate("g").text("b")]);
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.prompt(&session, "Go");
    daemon.wait_for_gate("g");
    client.wait_for_event(&session, "delta");
    let params = json!({ "session": session, "what": { "turn": 1 } });
    assert_eq!(client.request_error("copydesk/undo", params.clone()).0, -31006);
    assert_eq!(client.request_error("copydesk/redo", json!({ "session": session })).0, -31006);
    daemon.open_gate("g");
    assert_eq!(client.wait_for_turn_end(&session), "done");
    assert_eq!(client.request_ok("copydesk/undo", params), json!({ "files": [] }));
    let params = json!({ "session": session, "what": { "turn": 7 } });
    assert_eq!(client.request_error("copydesk/undo", params).0, -31002);
}

#[test]
fn it_works_after_the_daemon_was_killed() {
    let (mut daemon, client, session, uri) = after_two_turns();
    let text = client.text(&uri).to_owned();
    drop(client);
    daemon.restart();
    let mut client = daemon.client("vscode");
    client.open(&uri, &text);
    client.type_text(&uri, "seven", "sept");
    assert_eq!(undo(&mut client, &session, json!({ "turn": 2 })), ["undone"]);
    assert_eq!(client.text(&uri), "one\nTWO\nthree\nFOUR\nfive\nsix\nsept\n");
    drop(client);
    daemon.restart();
    let mut client = daemon.client("vscode");
    client.open(&uri, "one\nTWO\nthree\nFOUR\nfive\nsix\nsept\n");
    assert_eq!(redo(&mut client, &session), ["undone"]);
    assert_eq!(client.text(&uri), "one\nTWO\nthree\nFOUR\nfive\nSIX\nsept\n");
}

#[test]
fn an_editor_that_refuses_to_undo_is_told_as_a_conflict_and_can_be_asked_again() {
    let (_env, mut client, session, uri) = after_two_turns();
    client.applies_edits = false;
    let count = client.edits.len();
    for _ in 0..count {
        client.wait_for_method("workspace/applyEdit");
    }
    let id = client.send_request("copydesk/undo", json!({ "session": session, "what": { "turn": 2 } }));
    let asked = client.wait_for_method("workspace/applyEdit");
    client.answer(&asked, json!({ "applied": false, "failureReason": "not now" }));
    let file = client.wait_for_response(&id)["result"]["files"][0].clone();
    assert_eq!(file["outcome"], "conflict");
    assert!(file["message"].as_str().unwrap().contains("not now"), "{file}");
    client.applies_edits = true;
    assert_eq!(undo(&mut client, &session, json!({ "turn": 2 })), ["undone"]);
    assert_eq!(client.text(&uri), "one\nTWO\nthree\nFOUR\nfive\nsix\nseven\n");
}

/// `batch` stands for its calls, also for undo.
#[test]
fn a_call_that_stands_for_others_is_taken_back_with_them() {
    let edit = |old: &str, new: &str| {
        let parameters = json!({ "filePath": "a.txt", "oldString": old, "newString": new });
        json!({ "tool": "edit", "parameters": parameters })
    };
    let calls = json!({ "tool_calls": [edit("two", "TWO"), edit("four", "FOUR")] });
    let config = json!({ "permission": "allow", "tools": { "batch": true } });
    let daemon = ScriptedDaemon::with_config(
        [ScriptedTurn::new().call("c1", "batch", calls), text_turn("Done.")],
        config,
    );
    daemon.scripted.env.write("a.txt", TEXT);
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.run_turn(&session, "Edit");
    assert_ne!(daemon.scripted.env.read("a.txt"), TEXT);
    let batch = client.parts(&session).into_iter().find(|part| part["content"]["name"] == "batch").unwrap();
    let undone = undo(&mut client, &session, json!({ "call": batch["id"] }));
    assert_eq!(undone, ["undone", "undone"]);
    assert_eq!(daemon.scripted.env.read("a.txt"), TEXT);
}
