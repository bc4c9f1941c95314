//! No handler waits for what is slow: the network, the model, a language server.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

use copydesk_protocol::method::{Direction, MethodKind};
use copydesk_protocol::table::methods;
use serde_json::{Value, json};

use super::scripted_daemon::{ScriptedDaemon, read, text_turn};
use crate::model_server::{RecordedRequest, ScriptedTurn};

/// The codes of JSON-RPC for a request that no handler has seen.
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;

/// Serves one page when the test says so.
struct SlowPage {
    url: String,
    requests: Receiver<TcpStream>,
}

impl SlowPage {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/rules.md", listener.local_addr().unwrap());
        let (sender, requests) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if sender.send(stream).is_err() {
                    return;
                }
            }
        });
        Self { url, requests }
    }

    /// Waits for the request, which stays unanswered.
    fn wait_for_request(&self) -> TcpStream {
        let mut stream = self.requests.recv().unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            request.push(byte[0]);
        }
        stream
    }
}

fn answer(mut request: TcpStream, text: &str) {
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", text.len());
    request.write_all(head.as_bytes()).and_then(|()| request.write_all(text.as_bytes())).unwrap();
}

#[test]
fn a_prompt_is_taken_while_instructions_are_fetched_and_the_model_gets_them() {
    let page = SlowPage::start();
    let daemon = ScriptedDaemon::with_config([text_turn("Done.")], json!({ "instructions": [page.url] }));
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.prompt(&session, "Go");
    client.wait_for_event(&session, "turnStarted");
    // Only now: a daemon that waited for the page would have given up on it before it answered the prompt.
    answer(page.wait_for_request(), "ALWAYS RHYME");
    assert_eq!(client.wait_for_turn_end(&session), "done");
    let requests = daemon.scripted.server.requests();
    assert!(
        requests[0].body["system"].to_string().contains("ALWAYS RHYME"),
        "{}",
        requests[0].body["system"]
    );
}

#[test]
fn a_turn_that_waits_for_the_network_is_cancelled_at_once() {
    let page = SlowPage::start();
    let daemon = ScriptedDaemon::with_config([], json!({ "instructions": [page.url] }));
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.prompt(&session, "Go");
    let _unanswered = page.wait_for_request();
    client.request_ok("copydesk/turn/cancel", json!({ "session": session }));
    assert_eq!(client.wait_for_turn_end(&session), "cancelled");
    assert!(daemon.scripted.server.requests().is_empty(), "the model was not asked");
}

/// Params for each request that a client may send, with a session whose turn waits for the model. What ends the session, its turn or
/// the daemon comes last.
fn requests(session: &str, spare: &str) -> Vec<(&'static str, Value)> {
    let own = || json!({ "session": session });
    let start = json!({ "line": 0, "character": 0 });
    let range = json!({ "start": start, "end": start });
    vec![
        ("session/new", json!({})),
        ("session/list", json!({})),
        ("session/pending", json!({})),
        ("session/load", own()),
        ("session/parts", json!({ "session": session, "before": "none" })),
        ("session/fork", json!({ "session": session, "before": "none" })),
        ("session/rename", json!({ "session": session, "title": "Slow" })),
        ("session/setModel", json!({ "session": session, "model": "script/m-1" })),
        ("session/setAgent", json!({ "session": session, "agent": "plan" })),
        ("session/setReview", json!({ "session": session, "review": "before" })),
        ("session/setPreset", json!({ "session": session, "preset": "careful" })),
        ("session/search", json!({ "query": "Go" })),
        ("turn/start", json!({ "session": session, "text": "More" })),
        ("turn/steer", json!({ "session": session, "text": "Other" })),
        ("undo", json!({ "session": session, "what": { "turn": 1 } })),
        ("redo", own()),
        ("review/list", own()),
        ("review/decide", json!({ "session": session, "decisions": [] })),
        ("review/comment", json!({ "session": session, "uri": "file:///a", "line": 0, "text": "no" })),
        (
            "inline/start",
            json!({ "session": session, "uri": "file:///a", "range": range, "instruction": "Go" }),
        ),
        ("inline/refine", json!({ "session": session, "review": "none" })),
        ("inline/cancel", json!({ "session": session, "review": "none" })),
        ("models", json!({})),
        ("provider/list", json!({})),
        ("provider/setKey", json!({ "provider": "groq", "key": "gsk-1" })),
        ("permission/list", json!({})),
        ("permission/revoke", json!({ "pattern": "none" })),
        ("permission/explain", json!({ "key": "bash", "target": "make" })),
        ("agents", json!({})),
        ("status", json!({})),
        ("diagnostics", json!({})),
        ("document/verify", json!({ "uri": "file:///a", "version": 1, "bytes": 1 })),
        ("log/set", json!({ "level": "info", "until": "detach" })),
        ("trust/set", json!({ "trusted": true })),
        ("servers/restart", json!({ "name": "silent" })),
        ("turn/stopCall", json!({ "session": session, "part": "none" })),
        ("turn/cancel", own()),
        ("session/leave", own()),
        ("session/delete", json!({ "session": spare })),
        ("stop", json!({ "when": "idle" })),
    ]
}

/// What a handler answers does not matter here, only that there is one, that it understands the params, and that it answers. So this test
/// also fails for a request without a handler.
#[test]
fn every_request_is_answered_while_the_model_and_a_language_server_are_silent() {
    // It reads nothing and says nothing.
    let silent = json!({ "silent": { "command": ["sleep", "600"], "extensions": [".txt"] } });
    let daemon = ScriptedDaemon::with_config([], json!({ "permission": "allow", "lsp": silent }));
    let is_first =
        |request: &RecordedRequest| request.body["messages"].as_array().is_some_and(|all| all.len() == 1);
    daemon.scripted.server.on_request(is_first, read("c1", "f.txt"));
    daemon.scripted.server.on_each_request(|_| true, ScriptedTurn::new().gate("model").text("Late."));
    daemon.scripted.env.write("f.txt", "text\n");
    let mut client = daemon.client("vscode");
    let (session, spare) = (client.new_session(), client.new_session());
    client.prompt(&session, "Go");
    daemon.wait_for_gate("model");
    let requests = requests(&session, &spare);
    let listed: Vec<_> = requests.iter().map(|(name, _)| format!("copydesk/{name}")).collect();
    for method in methods() {
        let is_request = method.direction == Direction::ToDaemon && method.kind == MethodKind::Request;
        assert!(
            !is_request || listed.iter().any(|name| name == method.name),
            "{} is not listed",
            method.name
        );
    }
    for (name, params) in requests {
        let answered = client.send_and_wait(&format!("copydesk/{name}"), params);
        assert!(answered.get("result").is_some() || answered.get("error").is_some(), "{name}: {answered}");
        let code = answered.pointer("/error/code").and_then(Value::as_i64);
        assert!(!matches!(code, Some(METHOD_NOT_FOUND | INVALID_PARAMS)), "{name}: {answered}");
    }
    daemon.open_gate("model");
}
