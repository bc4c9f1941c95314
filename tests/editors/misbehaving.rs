//! Editors that misbehave: nothing is lost, nobody else notices, and the model is told the truth.

use serde_json::{Value, json};

use super::scripted_daemon::{ScriptedDaemon, edit, read, text_turn};
use super::scripted_editor::{ScriptedEditor, did_change_params};

const TEXT: &str = "one\ntwo\nthree\n";

/// A turn that edits `two` into `TWO`, stopped while the edit waits in the editor.
struct PendingEditTurn {
    daemon: ScriptedDaemon,
    client: ScriptedEditor,
    session: String,
    uri: String,
    edit: Value,
}

fn start_pending_edit(name: &str) -> PendingEditTurn {
    let daemon = ScriptedDaemon::new([edit("c1", "a.txt", "two", "TWO"), text_turn("Done.")]);
    daemon.scripted.env.write("a.txt", TEXT);
    let mut client = daemon.client(name);
    let (session, uri) = (client.new_session(), daemon.uri("a.txt"));
    client.open(&uri, TEXT);
    client.applies_edits = false;
    client.prompt(&session, "Edit");
    let edit = client.wait_for_method("workspace/applyEdit");
    PendingEditTurn { daemon, client, session, uri, edit }
}

impl PendingEditTurn {
    /// Ends the turn: it succeeds even if the edit failed.
    fn finish_turn(&mut self) -> String {
        assert_eq!(self.client.wait_for_turn_end(&self.session), "done");
        assert_eq!(self.daemon.scripted.env.read("a.txt"), TEXT, "never the disk");
        self.daemon.last_model_input(1)
    }

    fn document(&self) -> Value {
        self.edit["params"]["edit"]["documentChanges"][0].clone()
    }
}

#[test]
fn one_that_refuses_is_believed() {
    let mut asked = start_pending_edit("vscode");
    let reason = json!({ "applied": false, "failureReason": "the buffer is read-only" });
    asked.client.answer(&asked.edit, reason);
    let told = asked.finish_turn();
    assert!(told.contains("The editor did not change `a.txt`: the buffer is read-only"), "{told}");
}

#[test]
fn one_that_answers_with_an_error_has_refused() {
    let mut asked = start_pending_edit("vscode");
    let error = json!({ "code": -32603, "message": "E21: Cannot make changes, 'modifiable' is off" });
    let id = asked.edit["id"].clone();
    asked.client.write(&crate::daemon::stdio_editor::frame_message(
        &json!({ "jsonrpc": "2.0", "id": id, "error": error }),
    ));
    let told = asked.finish_turn();
    assert!(told.contains("'modifiable' is off"), "{told}");
}

#[test]
fn one_that_says_yes_and_does_nothing_is_found_out_by_its_text() {
    // As Neovim does: the user typed, so it did not apply the edit, but says yes.
    let mut asked = start_pending_edit("Neovim");
    asked.client.type_text(&asked.uri, "one", "one!");
    asked.client.answer(&asked.edit, json!({ "applied": true }));
    let second = asked.client.wait_for_method("workspace/applyEdit");
    asked.client.apply_edit_request(&second);
    assert!(asked.finish_turn().contains("what they wrote is kept"));
    assert_eq!(asked.client.text(&asked.uri), "one!\nTWO\nthree\n");
}

#[test]
fn one_that_says_yes_and_shows_nothing_is_not_believed() {
    let mut asked = start_pending_edit("vscode");
    asked.client.answer(&asked.edit, json!({ "applied": true }));
    let told = asked.finish_turn();
    assert!(told.contains("its text does not show it"), "{told}");
    // The journal does not claim that the edit was made.
    let undo = json!({ "session": asked.session, "what": { "turn": 1 } });
    assert_eq!(asked.client.request_ok("copydesk/undo", undo)["files"], json!([]));
}

#[test]
fn one_that_tells_late_is_waited_for() {
    let mut asked = start_pending_edit("vscode");
    // The yes comes first, then an earlier keystroke, and only then the edit.
    asked.client.answer(&asked.edit, json!({ "applied": true }));
    asked.client.type_text(&asked.uri, "three", "three!");
    asked.client.request_ok("copydesk/status", json!({}));
    let document = asked.document();
    asked.client.apply_document_edit(&document);
    asked.finish_turn();
    assert_eq!(asked.client.text(&asked.uri), "one\nTWO\nthree!\n");
}

#[test]
fn one_that_answers_twice_is_heard_once() {
    let mut asked = start_pending_edit("vscode");
    asked.client.apply_edit_request(&asked.edit);
    asked.client.answer(&asked.edit, json!({ "applied": false }));
    let told = asked.finish_turn();
    assert!(told.contains("Edited a.txt"), "{told}");
    assert_eq!(asked.client.text(&asked.uri), "one\nTWO\nthree\n");
}

#[test]
fn one_that_makes_the_edit_in_a_text_that_has_moved_on_loses_no_keystroke_of_ours() {
    let mut asked = start_pending_edit("vscode");
    // It should have rejected the edit: the lines have changed.
    asked.client.type_text(&asked.uri, "one\n", "zero\none\n");
    let document = asked.document();
    asked.client.apply_document_edit(&document);
    asked.client.answer(&asked.edit, json!({ "applied": true }));
    // Whatever it did is its text; the daemon does not overwrite it.
    let mangled = asked.client.text(&asked.uri).to_owned();
    asked.finish_turn();
    assert_eq!(asked.client.text(&asked.uri), mangled);
}

#[test]
fn one_that_dies_with_the_edit_in_its_hands_leaves_the_file_alone() {
    let asked = start_pending_edit("vscode");
    let PendingEditTurn { daemon, client, session, .. } = asked;
    drop(client);
    let mut next = daemon.client("nvim");
    next.load(&session);
    next.request_ok("copydesk/status", json!({}));
    if next.load(&session).get("running").is_some() {
        assert_eq!(next.wait_for_turn_end(&session), "done");
    }
    assert_eq!(daemon.scripted.env.read("a.txt"), TEXT);
    let told = daemon.last_model_input(1);
    assert!(told.contains("the editor is gone"), "{told}");
}

#[test]
fn versions_that_go_backwards_make_a_text_unknown_until_it_is_opened_again() {
    let daemon = ScriptedDaemon::new([
        edit("c1", "a.txt", "two", "TWO"),
        read("c2", "a.txt"),
        text_turn("I see."),
        edit("c3", "a.txt", "two", "TWO"),
        text_turn("Done."),
    ]);
    daemon.scripted.env.write("a.txt", TEXT);
    let mut client = daemon.client("vscode");
    let (session, uri) = (client.new_session(), daemon.uri("a.txt"));
    client.open(&uri, TEXT);
    client.type_text(&uri, "one", "ONE");
    client.type_text(&uri, "three", "THREE");
    for version in [2, 1, 4, 5] {
        client.notify("textDocument/didChange", did_change_params(&uri, version, &json!([{ "text": "?" }])));
    }
    let shown = client.wait_for_method("window/showMessage");
    let message = shown["params"]["message"].as_str().unwrap();
    assert!(
        message.contains(&uri) && message.contains("the editor sent version 2 after version 3"),
        "{message}"
    );
    client.run_turn(&session, "Edit");
    // The user is told once, not on every key.
    assert!(!client.has_message(|message| message["method"] == "window/showMessage"));
    for number in [1, 2] {
        assert!(
            daemon.last_model_input(number).contains("whose text of it is not known"),
            "{}",
            daemon.last_model_input(number)
        );
    }
    assert_eq!((client.edits.len(), daemon.scripted.env.read("a.txt")), (0, TEXT.to_owned()));
    client.close(&uri);
    client.open(&uri, TEXT);
    client.run_turn(&session, "Edit");
    assert_eq!(client.text(&uri), "one\nTWO\nthree\n");
}

#[test]
fn a_document_that_is_open_twice_is_open_until_both_are_closed() {
    let daemon = ScriptedDaemon::new([edit("c1", "a.txt", "old", "new"), text_turn("Done.")]);
    daemon.scripted.env.write("a.txt", "on disk: old\n");
    std::os::unix::fs::symlink(daemon.scripted.env.path("a.txt"), daemon.scripted.env.path("link.txt"))
        .unwrap();
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    let (file, link) = (daemon.uri("a.txt"), daemon.uri("link.txt"));
    client.open(&file, "buffer: old\n");
    client.open(&link, "link: old\n");
    client.close(&link);
    client.run_turn(&session, "Edit");
    assert_eq!(client.text(&file), "buffer: new\n");
    assert_eq!(daemon.scripted.env.read("a.txt"), "on disk: old\n");
}
