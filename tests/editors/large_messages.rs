//! Messages beyond the limits: the sender is told the limit, and the connection goes on.

use serde_json::json;

use super::scripted_daemon::{ScriptedDaemon, edit, text_turn};
use super::scripted_editor::did_change_params;

const LIMIT: &str = "more than 1000000 JSON values, which is the limit";

#[test]
fn a_request_with_too_many_values_is_refused_with_the_limit() {
    let daemon = ScriptedDaemon::new([]);
    let mut client = daemon.client("vscode");
    let (code, message) = client.request_error("copydesk/status", json!({ "many": vec![0; 1_200_000] }));
    assert_eq!(code, -32600);
    assert!(message.contains(LIMIT), "{message}");
    client.notify("copydesk/no/such", json!(vec![0; 1_200_000]));
    let told = client.take_message("an error", |message| message.get("error").is_some());
    assert!(told["id"].is_null() && told["error"]["message"].as_str().unwrap().contains(LIMIT), "{told}");
    client.request_ok("copydesk/status", json!({}));
}

#[test]
fn a_change_with_too_many_pieces_loses_its_document_and_says_why() {
    let daemon = ScriptedDaemon::new([edit("c1", "a.txt", "old", "new"), text_turn("I see.")]);
    daemon.scripted.env.write("a.txt", "on disk: old\n");
    let mut client = daemon.client("vscode");
    let (session, uri) = (client.new_session(), daemon.uri("a.txt"));
    client.open(&uri, "buffer: old\n");
    let pieces = json!(vec![json!({ "text": "" }); 600_000]);
    client.notify("textDocument/didChange", did_change_params(&uri, 2, &pieces));
    let shown = client.wait_for_method("window/showMessage");
    assert!(shown["params"]["message"].as_str().unwrap().contains(LIMIT), "{shown}");
    client.run_turn(&session, "Edit");
    let told = daemon.last_model_input(1);
    assert!(told.contains("whose text of it is not known"), "{told}");
}
