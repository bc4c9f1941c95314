//! Invalid messages: the sender gets an error, the text stays right, and the next message is understood.

use serde_json::{Value, json};

use super::encoding::EditorEncoding;
use super::scripted_daemon::{ScriptedDaemon, edit, read, text_turn};
use super::scripted_editor::{ScriptedEditor, did_change_params};
use crate::daemon::stdio_editor::frame_message;

fn error(client: &mut ScriptedEditor, message: &Value) -> Value {
    client.write(&frame_message(message));
    client.take_message("an error", |message| message.get("error").is_some())
}

#[test]
fn what_is_no_message_is_answered_with_its_own_error() {
    let daemon = ScriptedDaemon::new([]);
    let mut client = daemon.client("vscode");
    for (message, id, code) in [
        (json!([]), Value::Null, -32600),
        (
            json!([{ "jsonrpc": "2.0", "id": 1, "method": "copydesk/status", "params": {} }]),
            Value::Null,
            -32600,
        ),
        (json!("hello"), Value::Null, -32600),
        (json!({}), Value::Null, -32600),
        (json!({ "id": 9 }), json!(9), -32600),
        (json!({ "id": 10, "method": 5 }), json!(10), -32600),
        (json!({ "id": 11, "method": "copydesk/no/such", "params": {} }), json!(11), -32601),
        (json!({ "id": "12", "method": "textDocument/hover", "params": {} }), json!("12"), -32601),
    ] {
        let told = error(&mut client, &message);
        assert_eq!((&told["id"], &told["error"]["code"]), (&id, &json!(code)), "{message} → {told}");
    }
    client.write(b"Content-Length: 4\r\n\r\nnull");
    assert_eq!(
        client.take_message("an error", |message| message.get("error").is_some())["error"]["code"],
        -32600
    );
    client.write(b"Content-Length: 1\r\n\r\n{");
    assert_eq!(
        client.take_message("an error", |message| message.get("error").is_some())["error"]["code"],
        -32700
    );
    client.notify("copydesk/no/such", json!({}));
    client.notify("$/setTrace", json!({ "value": "off" }));
    client.request_ok("copydesk/status", json!({}));
}

#[test]
fn params_of_another_kind_are_refused_with_where() {
    let daemon = ScriptedDaemon::new([]);
    let mut client = daemon.client("vscode");
    for (method, params) in [
        ("session/load", json!({ "session": 5 })),
        ("session/load", json!({})),
        ("turn/start", json!({ "session": "x" })),
        ("turn/start", json!({ "session": "x", "text": "t", "context": [{ "range": 1 }] })),
        ("undo", json!({ "session": "x", "what": { "everything": true } })),
        ("undo", json!({ "session": "x", "what": { "turn": -1 } })),
        ("session/list", json!({ "limit": "many" })),
        ("stop", json!({ "when": "tomorrow" })),
        ("session/new", json!("text")),
    ] {
        let (code, message) = client.request_error(&format!("copydesk/{method}"), params.clone());
        assert_eq!(code, -32602, "{method} {params}: {message}");
        assert!(!message.is_empty());
    }
    // As Lua and vscode-jsonrpc write "nothing".
    for params in [json!(null), json!([]), json!([null]), json!([{}])] {
        client.request_ok("copydesk/status", params);
    }
    let id = json!("without");
    client.write(&frame_message(&json!({ "jsonrpc": "2.0", "id": id, "method": "copydesk/status" })));
    assert!(client.wait_for_response(&id).get("error").is_none());
}

#[test]
fn nothing_is_answered_before_the_greeting() {
    let daemon = ScriptedDaemon::new([]);
    let mut client = ScriptedEditor::connect(&daemon.scripted.env, EditorEncoding::Utf16);
    assert_eq!(client.request_error("copydesk/status", json!({})).0, -32002);
    client.open(&daemon.uri("a.txt"), "text\n");
    client.request_ok("initialize", json!({}));
    assert_eq!(client.request_ok("copydesk/status", json!({}))["documents"], 0);
    assert_eq!(client.request_error("initialize", json!({})).0, -32600, "once is enough");
    client.request_ok("copydesk/status", json!({}));
}

#[test]
fn positions_past_the_end_are_the_end() {
    let daemon = ScriptedDaemon::new([read("c1", "a.txt"), text_turn("Read.")]);
    let mut client = daemon.client("vscode");
    let (session, uri) = (client.new_session(), daemon.uri("a.txt"));
    client.open(&uri, "one\ntwo");
    let far = json!({ "line": 4_000_000_000_u32, "character": 4_000_000_000_u32 });
    let line = json!({ "line": 0, "character": 4_000_000_000_u32 });
    let change = json!([
        { "range": { "start": far, "end": far }, "text": "!" },
        { "range": { "start": line, "end": line }, "text": "?" },
    ]);
    client.notify("textDocument/didChange", did_change_params(&uri, 2, &change));
    client.run_turn(&session, "Read");
    assert!(daemon.last_model_input(1).contains("1: one?\n2: two!"), "{}", daemon.last_model_input(1));
    assert!(!client.has_message(|message| message["method"] == "window/showMessage"));
}

#[test]
fn notifications_that_make_no_sense_are_told_to_the_user_and_lose_only_their_document() {
    let daemon = ScriptedDaemon::new([read("c1", "good.txt"), read("c2", "bad.txt"), text_turn("Read.")]);
    for path in ["good.txt", "bad.txt"] {
        daemon.scripted.env.write(path, "on disk\n");
    }
    let mut client = daemon.client("vscode");
    let (session, good, bad) = (client.new_session(), daemon.uri("good.txt"), daemon.uri("bad.txt"));
    client.open(&good, "good buffer\n");
    client.open(&bad, "bad buffer\n");
    let never = daemon.uri("never.txt");
    client.notify("textDocument/didChange", did_change_params(&never, 2, &json!([{ "text": "?" }])));
    let (start, end) = (json!({ "line": 0, "character": 5 }), json!({ "line": 0, "character": 1 }));
    let backwards = json!([{ "range": { "start": start, "end": end }, "text": "" }]);
    client.notify("textDocument/didChange", did_change_params(&bad, 2, &backwards));
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": never } }));
    client.notify("textDocument/didOpen", json!({ "textDocument": { "uri": 5 } }));
    client.notify("textDocument/didChange", json!(null));
    for words in [never.as_str(), bad.as_str()] {
        client.take_message(words, |message| {
            message["method"] == "window/showMessage"
                && message["params"]["message"].as_str().unwrap().contains(words)
        });
    }
    client.run_turn(&session, "Read");
    assert!(daemon.last_model_input(1).contains("good buffer"), "{}", daemon.last_model_input(1));
    assert!(
        daemon.last_model_input(2).contains("whose text of it is not known"),
        "{}",
        daemon.last_model_input(2)
    );
}

/// An unreadable change may have been anything.
#[test]
fn a_change_that_cannot_be_read_makes_its_document_unknown() {
    let daemon = ScriptedDaemon::new([edit("c1", "a.txt", "old", "new"), text_turn("I see.")]);
    daemon.scripted.env.write("a.txt", "on disk: old\n");
    let mut client = daemon.client("vscode");
    let (session, uri) = (client.new_session(), daemon.uri("a.txt"));
    client.open(&uri, "buffer: old\n");
    client.notify(
        "textDocument/didChange",
        did_change_params(&uri, 2, &json!([{ "range": "somewhere", "text": "x" }])),
    );
    client.wait_for_method("window/showMessage");
    client.run_turn(&session, "Edit");
    assert!(
        daemon.last_model_input(1).contains("whose text of it is not known"),
        "{}",
        daemon.last_model_input(1)
    );
    assert_eq!(client.edits, Vec::<Value>::new());
    assert_eq!(daemon.scripted.env.read("a.txt"), "on disk: old\n");
}
