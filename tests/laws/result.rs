//! The third law: cancelled is a result. No handler is left half done, and no client ever gets −32800.

use serde_json::json;

use super::naive::NaiveServerClient;
use crate::editors::scripted_daemon::{ScriptedDaemon, edit, text_turn};

#[tokio::test(start_paused = true)]
async fn the_naive_server_answers_a_cancel_with_an_error_and_drops_the_handler() {
    let mut raw = NaiveServerClient::connect().await;
    raw.send_request(1, "long", json!({})).await;
    raw.notify("$/cancelRequest", json!({ "id": 1 })).await;
    assert_eq!(raw.next().await["error"]["code"], -32800);
}

#[test]
fn a_request_that_is_cancelled_on_its_way_is_done_and_answered_all_the_same() {
    let daemon = ScriptedDaemon::new([edit("c1", "a.txt", "old", "new"), text_turn("Done.")]);
    let mut client = daemon.client("vscode");
    let (session, uri) = (client.new_session(), daemon.uri("a.txt"));
    client.open(&uri, "old\n");
    client.run_turn(&session, "Edit");
    client.wait_for_method("workspace/applyEdit");
    // It waits for the editor, which does not respond yet.
    client.applies_edits = false;
    let id = client.send_request("copydesk/undo", json!({ "session": session, "what": { "turn": 1 } }));
    let asked = client.wait_for_method("workspace/applyEdit");
    client.notify("$/cancelRequest", json!({ "id": id }));
    client.request_ok("copydesk/status", json!({}));
    client.apply_edit_request(&asked);
    let answer = client.wait_for_response(&id);
    assert_eq!(answer["result"]["files"][0]["outcome"], "undone", "{answer}");
    assert_eq!(client.text(&uri), "old\n");
    // The journal knows the outcome: there is nothing left to undo, and something to redo.
    let again = client.request_ok("copydesk/undo", json!({ "session": session, "what": { "turn": 1 } }));
    assert_eq!(again["files"], json!([]));
    client.applies_edits = true;
    let redone = client.request_ok("copydesk/redo", json!({ "session": session }));
    assert_eq!(redone["files"][0]["outcome"], "undone", "{redone}");
    assert_eq!(client.text(&uri), "new\n");
}

#[test]
fn a_cancelled_turn_is_told_as_its_end_and_open_asks_are_settled_first() {
    let daemon = ScriptedDaemon::with_asked_edits([edit("c1", "a.txt", "old", "new")]);
    daemon.scripted.env.write("a.txt", "old\n");
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.prompt(&session, "Edit");
    let ask = client.wait_for_method("copydesk/permission/ask");
    assert_eq!(client.request_ok("copydesk/turn/cancel", json!({ "session": session })), json!({}));
    client.wait_for_method("copydesk/permission/settled");
    assert_eq!(client.wait_for_turn_end(&session), "cancelled");
    let kinds: Vec<_> = client.events.iter().map(|event| event["event"]["event"].clone()).collect();
    let at = |kind: &str| kinds.iter().position(|known| known == kind).unwrap();
    assert!(at("settled") < at("turnEnded"), "{kinds:?}");
    // A cancelled request gets a result, and changes nothing.
    client.answer(&ask, json!({ "reply": "cancelled" }));
    client.answer(&ask, json!({ "reply": "once" }));
    client.request_ok("copydesk/status", json!({}));
    assert_eq!(daemon.scripted.env.read("a.txt"), "old\n");
}
