//! The second law: no handler waits for a user or a model, and reading waits for nothing.

use serde_json::json;

use super::naive::NaiveServerClient;
use crate::editors::scripted_daemon::{ScriptedDaemon, edit, text_turn};
use crate::model_server::ScriptedTurn;

const BURST: i32 = 300;

#[tokio::test(start_paused = true)]
async fn four_asks_stop_the_naive_server_for_ever() {
    let mut raw = NaiveServerClient::connect().await;
    for id in 1..=4 {
        raw.send_request(id, "ask", json!({})).await;
    }
    raw.burst(BURST).await;
    for _ in 0..4 {
        let asked = raw.next().await;
        assert_eq!(asked["method"], "copydesk/permission/ask");
        raw.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "reply": "once" } })).await;
    }
    assert!(raw.is_stuck().await, "the framework has learned to read on while handlers wait");
    assert_eq!(raw.versions.lock().unwrap().len(), 0, "no change is applied either");
}

#[test]
fn four_asks_are_answered_while_three_hundred_changes_come_in() {
    let paths = ["a", "b", "c", "d"];
    let daemon = ScriptedDaemon::with_asked_edits([]);
    for path in paths {
        let prompt = format!("Edit {path}");
        let is_first = move |request: &crate::model_server::RecordedRequest| {
            let messages = request.body["messages"].as_array().unwrap();
            messages.len() == 1 && messages[0].to_string().contains(&prompt)
        };
        daemon.scripted.env.write(path, "old\n");
        daemon.scripted.server.on_request(is_first, edit(path, path, "old", "new"));
    }
    daemon.scripted.server.on_each_request(|_| true, text_turn("Done."));
    let mut client = daemon.client("vscode");
    let uri = daemon.uri("other");
    client.open(&uri, "|\n");
    let sessions: Vec<_> = paths.iter().map(|_| client.new_session()).collect();
    for (session, path) in sessions.iter().zip(paths) {
        client.prompt(session, &format!("Edit {path}"));
    }
    let asks: Vec<_> = paths.iter().map(|_| client.wait_for_method("copydesk/permission/ask")).collect();
    for _ in 0..BURST {
        client.type_text(&uri, "|", "x|");
    }
    for ask in &asks {
        client.answer(ask, json!({ "reply": "once" }));
    }
    for session in &sessions {
        assert_eq!(client.wait_for_turn_end(session), "done");
    }
    for path in paths {
        assert_eq!(daemon.scripted.env.read(path), "new\n");
    }
    assert!(
        !client.has_message(|message| message["method"] == "window/showMessage"),
        "all changes were understood"
    );
}

#[tokio::test(start_paused = true)]
async fn four_long_requests_make_the_naive_server_deaf() {
    let mut raw = NaiveServerClient::connect().await;
    for id in 1..=4 {
        raw.send_request(id, "long", json!({})).await;
    }
    raw.send_request(5, "ping", json!({})).await;
    raw.notify("$/cancelRequest", json!({ "id": 1 })).await;
    assert!(raw.is_stuck().await, "the framework answers while it is busy");
}

#[test]
fn a_ping_and_a_cancel_are_answered_while_eight_turns_run() {
    let gates: Vec<_> = (0..8).map(|number| format!("gate {number}")).collect();
    let daemon =
        ScriptedDaemon::new(gates.iter().map(|gate| ScriptedTurn::new().text("Hm").gate(gate).text("m.")));
    let mut client = daemon.client("vscode");
    let sessions: Vec<_> = gates.iter().map(|_| client.new_session()).collect();
    for (session, gate) in sessions.iter().zip(&gates) {
        client.prompt(session, "Think");
        daemon.wait_for_gate(gate);
    }
    let status = client.request_ok("copydesk/status", json!({}));
    let running = status["sessions"].as_array().unwrap().iter().filter(|live| live["running"] == true);
    assert_eq!(running.count(), 8);
    client.request_ok("copydesk/turn/cancel", json!({ "session": sessions[3] }));
    assert_eq!(client.wait_for_turn_end(&sessions[3]), "cancelled");
    daemon.wait_for_hangup(&gates[3]);
    for (number, session) in sessions.iter().enumerate().filter(|(number, _)| *number != 3) {
        daemon.open_gate(&gates[number]);
        assert_eq!(client.wait_for_turn_end(session), "done");
    }
}
