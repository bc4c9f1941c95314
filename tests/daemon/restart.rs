//! The daemon goes away under an open editor: pending requests get an error, and the next daemon knows what the last
//! one knew.

use serde_json::{Value, json};

use super::fake_daemon::{FakeDaemon, connect_shim};
use super::stdio_editor::{StdioEditor, daemon_environment, kill};

fn open(uri: &str, text: &str) -> Value {
    json!({ "textDocument": { "uri": uri, "languageId": "rust", "version": 1, "text": text } })
}

/// A change that inserts text.
fn insert(uri: &str, version: u32, line: u32, character: u32, text: &str) -> Value {
    let place = json!({ "line": line, "character": character });
    let changes = json!([{ "range": { "start": place, "end": place }, "text": text }]);
    json!({ "textDocument": { "uri": uri, "version": version }, "contentChanges": changes })
}

#[test]
fn an_editor_survives_its_daemon() {
    let env = daemon_environment();
    let (mut editor, before) = StdioEditor::start_initialized(&env);
    for _ in 0..3 {
        let pid = editor.request("copydesk/status", json!({}))["result"]["pid"].as_u64().unwrap();
        kill(pid, "-KILL");
        let restarted = editor.next();
        assert_eq!((&restarted["method"], &restarted["params"]), (&json!("copydesk/restarted"), &json!({})));
    }
    let after = editor.request("copydesk/status", json!({}));
    assert_ne!(after["result"]["pid"].as_u64(), Some(before));
    editor.leave();
    env.run(&["stop"]);
}

#[test]
fn the_next_daemon_is_told_what_the_last_one_knew() {
    let env = daemon_environment();
    let by_hand = FakeDaemon::listen(&env);
    let mut editor = StdioEditor::start(&env);
    editor.send(&json!({ "id": 1, "method": "initialize", "params": {
        "clientInfo": { "name": "Neovim" },
        "capabilities": { "general": { "positionEncodings": ["utf-8", "utf-16"] } },
    } }));
    editor.notify("initialized", json!({}));
    let mut first = by_hand.accept();
    let greeting = first.answer_initialize(env!("CARGO_PKG_VERSION"));
    assert_eq!(editor.next()["id"], 1);
    editor.notify("textDocument/didOpen", open("file:///b", "eins\n"));
    editor.notify("textDocument/didOpen", open("file:///a", "\u{e4}\rx\nzwei\n"));
    editor.notify("textDocument/didOpen", open("file:///closed", ""));
    editor.notify("textDocument/didClose", json!({ "textDocument": { "uri": "file:///closed" } }));
    // After the letter of two bytes, before the `\r` that ends no line for Neovim; then in its second line.
    editor.notify("textDocument/didChange", insert("file:///a", 2, 0, 2, "!"));
    editor.notify("textDocument/didChange", insert("file:///a", 3, 1, 4, "?"));
    editor.notify("workspace/didChangeConfiguration", json!({ "settings": { "a": 1 } }));
    for _ in 0..7 {
        first.next();
    }
    drop(first);

    let mut second = by_hand.accept();
    let again = second.expect_method("initialize");
    // Only the negotiated encoding is offered now.
    let mut expected = greeting.clone();
    expected["params"]["capabilities"]["general"]["positionEncodings"] = json!(["utf-8"]);
    assert_eq!(again, expected);
    // Sent before the new daemon has responded, so it is queued.
    editor.notify("textDocument/didChange", insert("file:///b", 2, 0, 0, "x"));
    second.answer(&again, json!({ "capabilities": {} }));
    second.expect_method("initialized");
    assert_eq!(second.expect_method("workspace/didChangeConfiguration")["params"]["settings"]["a"], 1);
    let document = |message: Value| message["params"]["textDocument"].clone();
    let item = |uri: &str, version: u32, text: &str| json!({ "uri": uri, "languageId": "rust", "version": version, "text": text });
    assert_eq!(document(second.expect_method("textDocument/didOpen")), item("file:///b", 1, "eins\n"));
    assert_eq!(
        document(second.expect_method("textDocument/didOpen")),
        item("file:///a", 3, "\u{e4}!\rx\nzwei?\n")
    );
    assert_eq!(second.expect_method("textDocument/didChange")["params"]["textDocument"]["version"], 2);
    assert_eq!(editor.next()["method"], "copydesk/restarted");
    editor.leave();
    second.assert_closed();
}

#[test]
fn whoever_waits_is_told_and_old_replies_reach_nobody() {
    let env = daemon_environment();
    let (by_hand, mut editor, mut first) = connect_shim(&env, env!("CARGO_PKG_VERSION"));
    for id in [json!(7), json!("seven")] {
        editor.send(&json!({ "id": id, "method": "copydesk/models", "params": {} }));
        first.expect_method("copydesk/models");
    }
    first.send(&json!({ "id": 1, "method": "copydesk/permission/ask", "params": {} }));
    assert_eq!(editor.next()["id"], 1);
    let value = json!({ "kind": "begin", "title": "Working" });
    first.send(&json!({ "method": "$/progress", "params": { "token": "t", "value": value } }));
    assert_eq!(editor.next()["params"]["value"]["kind"], "begin");
    drop(first);
    assert_eq!(editor.next()["params"], json!({ "token": "t", "value": { "kind": "end" } }));
    for id in [json!(7), json!("seven")] {
        let told = editor.next();
        assert_eq!((&told["id"], &told["error"]["code"]), (&id, &json!(-32803)));
        assert!(told["error"]["message"].as_str().unwrap().contains("ended before it answered"), "{told}");
    }
    let mut second = by_hand.accept();
    second.answer_initialize(env!("CARGO_PKG_VERSION"));
    assert_eq!(editor.next()["method"], "copydesk/restarted");
    // The new daemon restarts its ids. The late reply to the old one must not be taken for the new one.
    second.send(&json!({ "id": 1, "method": "copydesk/permission/ask", "params": {} }));
    let asked = editor.next();
    assert_ne!(asked["id"], 1);
    editor.send(&json!({ "id": 1, "result": "to the old one" }));
    editor.send(&json!({ "id": asked["id"], "result": "to the new one" }));
    let reply = second.next();
    assert_eq!((&reply["id"], &reply["result"]), (&json!(1), &json!("to the new one")));
    second.send(&json!({ "method": "$/cancelRequest", "params": { "id": 1 } }));
    assert_eq!(editor.next()["params"]["id"], asked["id"]);
    editor.leave();
}

/// It accepts the connection and never answers `initialize`.
#[test]
fn an_editor_can_leave_while_a_new_daemon_does_not_answer() {
    let env = daemon_environment();
    let (by_hand, editor, first) = connect_shim(&env, env!("CARGO_PKG_VERSION"));
    drop(first);
    let mut second = by_hand.accept();
    second.expect_method("initialize");
    editor.leave();
}

#[test]
fn a_daemon_that_goes_before_it_answered_the_greeting_is_not_noticed() {
    let env = daemon_environment();
    let by_hand = FakeDaemon::listen(&env);
    let mut editor = StdioEditor::start(&env);
    editor.send(&json!({ "id": 0, "method": "initialize", "params": {} }));
    let mut first = by_hand.accept();
    first.expect_method("initialize");
    drop(first);
    let mut second = by_hand.accept();
    let greeting = second.expect_method("initialize");
    second.answer(&greeting, json!({ "capabilities": { "second": true } }));
    assert_eq!(editor.next()["result"]["capabilities"]["second"], true);
    editor.leave();
}

#[test]
fn an_editor_that_shuts_down_needs_no_new_daemon() {
    let env = daemon_environment();
    let by_hand = FakeDaemon::listen(&env);
    let mut editor = StdioEditor::start(&env);
    editor.send(&json!({ "id": 0, "method": "initialize", "params": {} }));
    let mut first = by_hand.accept();
    let greeting = first.expect_method("initialize");
    first.answer(&greeting, json!({ "capabilities": {} }));
    editor.next();
    editor.send(&json!({ "id": 1, "method": "shutdown" }));
    first.expect_method("shutdown");
    drop(first);
    assert_eq!(editor.next(), json!({ "jsonrpc": "2.0", "id": 1, "result": null }));
    editor.notify("exit", Value::Null);
    assert_eq!(editor.leave().code(), Some(0));
}

#[test]
fn a_refusal_of_the_daemon_is_passed_on() {
    let env = daemon_environment();
    let (mut editor, hello) =
        (StdioEditor::start(&env), json!({ "protocol": 999, "client": "x", "version": "1" }));
    let refusal = editor.request("initialize", json!({ "initializationOptions": { "copydesk": hello } }));
    assert_eq!(refusal["error"]["code"], -31005);
    assert!(refusal["error"]["message"].as_str().unwrap().contains("Update"), "{refusal}");
    editor.leave();
    env.run(&["stop"]);
}

#[test]
fn an_older_daemon_is_asked_to_hand_over() {
    let env = daemon_environment();
    let (by_hand, mut editor, old) = connect_shim(&env, "0.0.1");
    let mut aside = by_hand.accept();
    aside.answer_initialize("0.0.1");
    let stop = aside.expect_method("copydesk/stop");
    assert_eq!(stop["params"], json!({ "when": "idle" }));
    aside.answer(&stop, json!({ "waitingFor": 0 }));
    aside.assert_closed();
    // Its last turn is done.
    drop((old, by_hand));
    assert_eq!(editor.next()["method"], "copydesk/restarted");
    let status = editor.request("copydesk/status", json!({}));
    assert_eq!(status["result"]["version"], env!("CARGO_PKG_VERSION"));
    editor.leave();
    env.run(&["stop"]);
}

#[test]
fn daemons_that_fall_one_after_the_other_are_not_started_for_ever() {
    let env = daemon_environment();
    let (by_hand, mut editor, first) = connect_shim(&env, env!("CARGO_PKG_VERSION"));
    drop(first);
    for _ in 0..5 {
        by_hand.accept().expect_method("initialize");
    }
    let told = editor.next();
    assert_eq!((&told["method"], &told["params"]["type"]), (&json!("window/showMessage"), &json!(1)));
    assert_eq!(editor.request("copydesk/models", json!({}))["error"]["code"], -32803);
    // The editor's next message triggers a retry.
    let asks = std::thread::spawn(move || {
        loop {
            editor.send(&json!({ "id": "again", "method": "copydesk/models", "params": {} }));
            let said = editor.next();
            if said["error"].is_null() {
                return (said, editor.next(), editor);
            }
        }
    });
    let mut second = by_hand.accept();
    second.answer_initialize(env!("CARGO_PKG_VERSION"));
    let asked = second.expect_method("copydesk/models");
    second.answer(&asked, json!({ "models": [] }));
    let (restarted, answer, editor) = asks.join().unwrap();
    assert_eq!((&restarted["method"], &answer["id"]), (&json!("copydesk/restarted"), &json!("again")));
    editor.leave();
}

#[test]
fn a_burst_keeps_its_order_in_both_directions() {
    let env = daemon_environment();
    let (_by_hand, mut editor, mut hand) = connect_shim(&env, env!("CARGO_PKG_VERSION"));
    // Neither reads until it has written everything, which is more than pipes hold.
    let filler = "x".repeat(2000);
    for number in 0..400 {
        editor.notify("a", json!({ "number": number, "filler": filler }));
        hand.send(&json!({ "method": "b", "params": { "number": number, "filler": filler } }));
    }
    for number in 0..400 {
        assert_eq!(hand.next()["params"]["number"], number);
        assert_eq!(editor.next()["params"]["number"], number);
    }
    editor.leave();
}
