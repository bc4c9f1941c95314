//! Code actions whose edits come by a command.

use std::path::Path;
use std::sync::Arc;

use copydesk_text::Position;
use serde_json::{Value, json};

use super::super::*;
use super::fake_server::{FakeServer, after, start_fake, subject};

/// A server with an action that is a command, and the action.
async fn start(quirks: Value) -> (Arc<LanguageServer>, FakeServer, ServerCodeAction) {
    let capabilities = json!({ "textDocumentSync": 1, "codeActionProvider": true });
    let (server, mut fake) = start_fake(quirks, capabilities).await;
    server.sync_document(&subject("/a.x", "one\n"), "x");
    fake.expect("textDocument/didOpen").await;
    let asked = async {
        let range = Position::new(0, 0)..Position::new(0, 3);
        server.code_actions(Path::new("/a.x"), &range, &[], &[], after(1000)).await
    };
    let answer = json!([
        { "title": "Fix", "kind": "quickfix", "command": { "title": "Fix", "command": "fix.it", "arguments": [1] } },
        { "title": "Not now", "kind": "refactor", "disabled": { "reason": "no" } },
    ]);
    let (actions, _) = tokio::join!(asked, fake.respond("textDocument/codeAction", answer));
    let [action] = actions.unwrap().try_into().unwrap();
    (server, fake, action)
}

fn edit(text: &str) -> Value {
    let place = json!({ "line": 0, "character": 0 });
    let edit = json!({ "range": { "start": place, "end": place }, "newText": text });
    json!({ "edit": { "changes": { "file:///a.x": [edit] } } })
}

/// What the server hears when it wants an edit made.
async fn apply(fake: &mut FakeServer, params: Value) -> Value {
    fake.send(json!({ "id": "e", "method": "workspace/applyEdit", "params": params })).await;
    fake.next().await["result"]["applied"].clone()
}

#[tokio::test(start_paused = true)]
async fn the_edits_of_a_command_are_collected_and_others_are_refused() {
    let (server, mut fake, action) = start(json!({ "editCommands": ["fix."] })).await;
    assert_eq!(server.unknown_command(&action), None);
    assert_eq!(apply(&mut fake, edit("x")).await, false);
    let running = async { server.code_action_edit(&action, after(1000)).await };
    let answering = async {
        let asked = fake.next().await;
        assert_eq!(asked["params"], json!({ "command": "fix.it", "arguments": [1] }));
        assert_eq!(apply(&mut fake, edit("x")).await, true);
        assert_eq!(apply(&mut fake, edit("y")).await, true);
        fake.send(json!({ "id": asked["id"], "result": null })).await;
    };
    let (whole, ()) = tokio::join!(running, answering);
    assert_eq!(whole.unwrap().operations.len(), 2);
    assert_eq!(apply(&mut fake, edit("x")).await, false);
}

#[tokio::test(start_paused = true)]
async fn a_command_that_was_given_up_changes_nothing_and_no_other_one_runs_beside_it() {
    let (server, mut fake, action) = start(json!({})).await;
    assert_eq!(server.unknown_command(&action), Some("fix.it"));
    let late = server.code_action_edit(&action, after(100)).await;
    assert_eq!(late, Err(CodeQueryError::TimedOut));
    let first = fake.next().await;
    assert_eq!(apply(&mut fake, edit("late")).await, false);
    // The next one waits for the answer to the first.
    assert_eq!(server.code_action_edit(&action, after(100)).await, Err(CodeQueryError::TimedOut));
    let running = async { server.code_action_edit(&action, after(1000)).await };
    let answering = async {
        fake.send(json!({ "id": first["id"], "result": null })).await;
        let second = fake.next().await;
        assert_eq!(second["method"], "workspace/executeCommand");
        assert_eq!(apply(&mut fake, edit("own")).await, true);
        fake.send(json!({ "id": second["id"], "result": null })).await;
    };
    let (whole, ()) = tokio::join!(running, answering);
    assert_eq!(whole.unwrap().operations.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_command_with_an_edit_that_is_not_understood_makes_none() {
    for broken in [json!({ "edit": { "changes": { "jdt://x": [] } } }), edit(&"x".repeat(5 << 20))] {
        let (server, mut fake, action) = start(json!({})).await;
        let running = async { server.code_action_edit(&action, after(1000)).await };
        let answering = async {
            let asked = fake.next().await;
            assert_eq!(apply(&mut fake, edit("x")).await, true);
            apply(&mut fake, broken).await;
            fake.send(json!({ "id": asked["id"], "result": null })).await;
        };
        let (whole, ()) = tokio::join!(running, answering);
        assert!(matches!(whole, Err(CodeQueryError::Failed(_))), "{whole:?}");
    }
}
