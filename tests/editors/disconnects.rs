//! Clients that disconnect in the middle: the turn continues without its editor, and its work survives the daemon.

use serde_json::json;

use super::scripted_daemon::{ScriptedDaemon, edit, read, text_turn};
use super::scripted_editor;
use crate::daemon::stdio_editor::StdioEditor;
use crate::model_server::ScriptedTurn;

#[test]
fn a_turn_goes_on_without_its_editor() {
    let daemon = ScriptedDaemon::new([ScriptedTurn::new().text("The answer").gate("g").text(" is 42.")]);
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.prompt(&session, "Think");
    daemon.wait_for_gate("g");
    client.wait_for_event(&session, "delta");
    drop(client);
    let mut next = daemon.client("vscode");
    let loaded = next.load(&session);
    assert_eq!(loaded["running"], 1);
    // The step has started, though none of its parts is complete.
    let parts = loaded["parts"].as_array().unwrap().iter();
    let states: Vec<_> = parts.map(|part| (&part["content"]["kind"], &part["state"]["kind"])).collect();
    let expected = [("prompt", "completed"), ("stepStart", "running"), ("text", "running")];
    assert_eq!(json!(states), json!(expected));
    daemon.open_gate("g");
    assert_eq!(next.wait_for_turn_end(&session), "done");
    assert_eq!(next.load(&session)["parts"][2]["content"]["text"], "The answer is 42.");
}

#[test]
fn a_turn_that_nobody_watches_comes_to_its_end() {
    let daemon = ScriptedDaemon::new([
        ScriptedTurn::new().text("The answer").gate("g").text(" is 42."),
        text_turn("And more."),
    ]);
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.prompt(&session, "Think");
    daemon.wait_for_gate("g");
    // Queue one more.
    assert_eq!(client.prompt(&session, "Think again")["queued"], true);
    drop(client);
    let mut other = daemon.client("nvim");
    // The daemon has noticed once the other is the only client.
    while other.request_ok("copydesk/status", json!({}))["clients"] != 1 {}
    daemon.open_gate("g");
    while other.request_ok("copydesk/status", json!({}))["sessions"] != json!([]) {}
    let loaded = other.load(&session);
    let texts: Vec<_> = loaded["parts"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|part| part["content"]["text"].as_str())
        .collect();
    assert_eq!(texts, ["Think", "The answer is 42.", "Think again", "And more."]);
}

#[test]
fn a_prompt_is_heard_even_if_the_editor_is_gone_at_once() {
    for _ in 0..10 {
        let daemon = ScriptedDaemon::new([text_turn("Heard.")]);
        let mut client = daemon.client("vscode");
        let session = client.new_session();
        client.send_request("copydesk/turn/start", json!({ "session": session, "text": "Bye" }));
        drop(client);
        let mut other = daemon.client("nvim");
        let answer = |parts: &serde_json::Value| {
            parts["parts"].as_array().unwrap().iter().any(|part| part["content"]["text"] == "Heard.")
        };
        while !answer(&other.load(&session)) {}
    }
}

#[test]
fn a_killed_daemon_leaves_what_was_done_and_marks_what_was_not() {
    let wait = json!({ "command": "echo begun; cat fifo", "description": "Wait" });
    let mut daemon = ScriptedDaemon::new([
        edit("c1", "a.txt", "old", "new"),
        ScriptedTurn::new().text("Now I wait.").call("c2", "bash", wait),
    ]);
    daemon.scripted.env.write("a.txt", "old\n");
    let fifo = daemon.scripted.env.path("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.prompt(&session, "Edit, then wait");
    while !client.wait_for_event(&session, "progress")["metadata"].to_string().contains("begun") {}
    daemon.restart();
    client.read_to_the_end();
    let mut client = daemon.client("vscode");
    let loaded = client.load(&session);
    assert_eq!(loaded.get("running"), None);
    let calls: Vec<_> = loaded["parts"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|part| part["content"]["kind"] == "call")
        .map(|part| (part["content"]["call"].as_str().unwrap(), part["state"]["kind"].as_str().unwrap()))
        .collect();
    assert_eq!(calls, [("c1", "completed"), ("c2", "interrupted")]);
    assert_eq!(daemon.scripted.env.read("a.txt"), "new\n");
    // It continues from there, and knows that it was interrupted.
    daemon.scripted.server.queue_turn(text_turn("On we go."));
    client.run_turn(&session, "Go on");
    let sent = daemon.scripted.request_body(2)["messages"].to_string();
    assert!(sent.contains("Now I wait.") && sent.contains("interrupted"), "{sent}");
}

#[test]
fn a_daemon_that_stops_cancels_what_runs_and_says_so() {
    let daemon = ScriptedDaemon::new([ScriptedTurn::new().text("a").gate("g").text("b")]);
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.prompt(&session, "Go");
    daemon.wait_for_gate("g");
    client.wait_for_event(&session, "delta");
    let mut other = daemon.client("nvim");
    assert_eq!(other.request_ok("copydesk/stop", json!({ "when": "now" })), json!({ "waitingFor": 1 }));
    assert_eq!(client.wait_for_turn_end(&session), "cancelled");
    client.read_to_the_end();
    other.read_to_the_end();
    daemon.wait_for_hangup("g");
}

/// Through `copydesk lsp`, as editors do.
#[test]
fn the_daemon_is_killed_under_an_editor_and_the_next_one_knows_its_unsaved_text() {
    let mut daemon = ScriptedDaemon::new([read("c1", "a.txt"), text_turn("Read.")]);
    daemon.scripted.env.write("a.txt", "on disk\n");
    let uri = daemon.uri("a.txt");
    let mut editor = StdioEditor::start(&daemon.scripted.env);
    let hello = json!({ "copydesk": { "protocol": 1, "client": "nvim", "version": "0.1.0" } });
    let folder = scripted_editor::uri(&daemon.scripted.env, "");
    let params = json!({ "rootUri": folder, "capabilities": {}, "initializationOptions": hello });
    assert!(editor.request("initialize", params).get("error").is_none());
    editor.notify("initialized", json!({}));
    let item = json!({ "uri": uri, "languageId": "text", "version": 1, "text": "typed\n" });
    editor.notify("textDocument/didOpen", json!({ "textDocument": item }));
    let end = json!({ "line": 1, "character": 0 });
    let change = json!([{ "range": { "start": end, "end": end }, "text": "and not saved\n" }]);
    editor.notify("textDocument/didChange", scripted_editor::did_change_params(&uri, 2, &change));
    assert_eq!(editor.request("copydesk/status", json!({}))["result"]["documents"], 1);
    daemon.crash();
    while editor.next()["method"] != "copydesk/restarted" {}
    let made = editor.request("copydesk/session/new", json!({}));
    let session = made["result"]["session"]["id"].clone();
    editor.request("copydesk/session/load", json!({ "session": session }));
    let params = json!({ "session": session, "text": "Read it" });
    editor.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "copydesk/turn/start", "params": params }));
    while editor.next()["params"]["event"]["event"] != "turnEnded" {}
    assert!(
        daemon.last_model_input(1).contains("1: typed\n2: and not saved"),
        "{}",
        daemon.last_model_input(1)
    );
    editor.leave();
    daemon.scripted.env.run(&["stop", "--now"]);
}
