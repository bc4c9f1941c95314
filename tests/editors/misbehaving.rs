//! Editors that do not do what they should: nothing is lost, nobody else notices, and the model is told the truth.

use serde_json::{Value, json};

use super::client::{Client, changed};
use super::desk::{Running, edit, read, says};

const TEXT: &str = "one\ntwo\nthree\n";

/// A turn that edits `two` into `TWO`, stopped where the editor has the edit before it.
struct Asked {
    desk: Running,
    client: Client,
    session: String,
    uri: String,
    edit: Value,
}

fn asked(name: &str) -> Asked {
    let desk = Running::new([edit("c1", "a.txt", "two", "TWO"), says("Done.")]);
    desk.scripted.desk.write("a.txt", TEXT);
    let mut client = desk.client(name);
    let (session, uri) = (client.session(), desk.uri("a.txt"));
    client.open(&uri, TEXT);
    client.obeys = false;
    client.prompt(&session, "Edit");
    let edit = client.request("workspace/applyEdit");
    Asked { desk, client, session, uri, edit }
}

impl Asked {
    /// The turn ends well: an edit that could not be made is no end of the world.
    fn told(&mut self) -> String {
        assert_eq!(self.client.ended(&self.session), "done");
        assert_eq!(self.desk.scripted.desk.read("a.txt"), TEXT, "never the disk");
        self.desk.told(1)
    }

    fn document(&self) -> Value {
        self.edit["params"]["edit"]["documentChanges"][0].clone()
    }
}

#[test]
fn one_that_refuses_is_believed() {
    let mut asked = asked("vscode");
    let reason = json!({ "applied": false, "failureReason": "the buffer is read-only" });
    asked.client.answer(&asked.edit, reason);
    let told = asked.told();
    assert!(told.contains("The editor did not change `a.txt`: the buffer is read-only"), "{told}");
}

#[test]
fn one_that_answers_with_an_error_has_refused() {
    let mut asked = asked("vscode");
    let error = json!({ "code": -32603, "message": "E21: Cannot make changes, 'modifiable' is off" });
    let id = asked.edit["id"].clone();
    asked
        .client
        .write(&crate::daemon::editor::framed(&json!({ "jsonrpc": "2.0", "id": id, "error": error })));
    let told = asked.told();
    assert!(told.contains("'modifiable' is off"), "{told}");
}

#[test]
fn one_that_says_yes_and_does_nothing_is_found_out_by_its_text() {
    // Neovim: the person typed, so it did not make the edit, and says yes.
    let mut asked = asked("Neovim");
    asked.client.types(&asked.uri, "one", "one!");
    asked.client.answer(&asked.edit, json!({ "applied": true }));
    let second = asked.client.request("workspace/applyEdit");
    asked.client.obey(&second);
    assert!(asked.told().contains("what they wrote is kept"));
    assert_eq!(asked.client.text(&asked.uri), "one!\nTWO\nthree\n");
}

#[test]
fn one_that_says_yes_and_shows_nothing_is_not_believed() {
    let mut asked = asked("vscode");
    asked.client.answer(&asked.edit, json!({ "applied": true }));
    let told = asked.told();
    assert!(told.contains("its text does not show it"), "{told}");
    // The journal does not claim that it was made.
    let undo = json!({ "session": asked.session, "what": { "turn": 1 } });
    assert_eq!(asked.client.call("copydesk/undo", undo)["files"], json!([]));
}

#[test]
fn one_that_tells_late_is_waited_for() {
    let mut asked = asked("vscode");
    // The yes comes first, a keystroke from before it next, and only then the edit.
    asked.client.answer(&asked.edit, json!({ "applied": true }));
    asked.client.types(&asked.uri, "three", "three!");
    asked.client.call("copydesk/status", json!({}));
    let document = asked.document();
    asked.client.make(&document);
    asked.told();
    assert_eq!(asked.client.text(&asked.uri), "one\nTWO\nthree!\n");
}

#[test]
fn one_that_answers_twice_is_heard_once() {
    let mut asked = asked("vscode");
    asked.client.obey(&asked.edit);
    asked.client.answer(&asked.edit, json!({ "applied": false }));
    let told = asked.told();
    assert!(told.contains("Edited a.txt"), "{told}");
    assert_eq!(asked.client.text(&asked.uri), "one\nTWO\nthree\n");
}

#[test]
fn one_that_makes_the_edit_in_a_text_that_has_moved_on_loses_no_keystroke_of_ours() {
    let mut asked = asked("vscode");
    // It should have refused: the lines are others now.
    asked.client.types(&asked.uri, "one\n", "zero\none\n");
    let document = asked.document();
    asked.client.make(&document);
    asked.client.answer(&asked.edit, json!({ "applied": true }));
    // Whatever it did is its text; the desk does not write over it.
    let mangled = asked.client.text(&asked.uri).to_owned();
    asked.told();
    assert_eq!(asked.client.text(&asked.uri), mangled);
}

#[test]
fn one_that_dies_with_the_edit_in_its_hands_leaves_the_file_alone() {
    let asked = asked("vscode");
    let Asked { desk, client, session, .. } = asked;
    drop(client);
    let mut next = desk.client("nvim");
    next.load(&session);
    next.call("copydesk/status", json!({}));
    if next.load(&session).get("running").is_some() {
        assert_eq!(next.ended(&session), "done");
    }
    assert_eq!(desk.scripted.desk.read("a.txt"), TEXT);
    let told = desk.told(1);
    assert!(told.contains("the editor is gone"), "{told}");
}

#[test]
fn versions_that_go_backwards_make_a_text_unknown_until_it_is_opened_again() {
    let desk = Running::new([
        edit("c1", "a.txt", "two", "TWO"),
        read("c2", "a.txt"),
        says("I see."),
        edit("c3", "a.txt", "two", "TWO"),
        says("Done."),
    ]);
    desk.scripted.desk.write("a.txt", TEXT);
    let mut client = desk.client("vscode");
    let (session, uri) = (client.session(), desk.uri("a.txt"));
    client.open(&uri, TEXT);
    client.types(&uri, "one", "ONE");
    client.types(&uri, "three", "THREE");
    for version in [2, 1, 4, 5] {
        client.tell("textDocument/didChange", changed(&uri, version, &json!([{ "text": "?" }])));
    }
    let shown = client.request("window/showMessage");
    let message = shown["params"]["message"].as_str().unwrap();
    assert!(message.contains(&uri) && message.contains("version 2 was told after version 3"), "{message}");
    client.turn(&session, "Edit");
    // The person is told once, not with every key.
    assert!(!client.has(|message| message["method"] == "window/showMessage"));
    for number in [1, 2] {
        assert!(desk.told(number).contains("whose text of it is not known"), "{}", desk.told(number));
    }
    assert_eq!((client.edits.len(), desk.scripted.desk.read("a.txt")), (0, TEXT.to_owned()));
    client.close(&uri);
    client.open(&uri, TEXT);
    client.turn(&session, "Edit");
    assert_eq!(client.text(&uri), "one\nTWO\nthree\n");
}

#[test]
fn a_document_that_is_open_twice_is_open_until_both_are_closed() {
    let desk = Running::new([edit("c1", "a.txt", "old", "new"), says("Done.")]);
    desk.scripted.desk.write("a.txt", "on disk: old\n");
    std::os::unix::fs::symlink(desk.scripted.desk.path("a.txt"), desk.scripted.desk.path("link.txt"))
        .unwrap();
    let mut client = desk.client("vscode");
    let session = client.session();
    let (file, link) = (desk.uri("a.txt"), desk.uri("link.txt"));
    client.open(&file, "buffer: old\n");
    client.open(&link, "link: old\n");
    client.close(&link);
    client.turn(&session, "Edit");
    assert_eq!(client.text(&file), "buffer: new\n");
    assert_eq!(desk.scripted.desk.read("a.txt"), "on disk: old\n");
}
