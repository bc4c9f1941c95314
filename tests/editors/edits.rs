//! Edits on their way into an editor that behaves, while the user types there.

use serde_json::{Value, json};

use super::encoding::EditorEncoding;
use super::scripted_daemon::{ScriptedDaemon, edit, read, text_turn};
use super::scripted_editor::ScriptedEditor;
use crate::model_server::ScriptedTurn;

/// An edit of `a.txt` that waits for the gate.
fn gated_edit(call: &str, gate: &str, old: &str, new: &str) -> ScriptedTurn {
    let arguments = json!({ "filePath": "a.txt", "oldString": old, "newString": new });
    ScriptedTurn::new().gate_before_response(gate).call(call, "edit", arguments)
}

#[test]
fn an_open_file_is_edited_in_its_buffer_by_the_least_that_differs() {
    let text = "fn total() {\n    let tax = 1;\n    tax + 2\n}\n";
    let daemon = ScriptedDaemon::new([
        edit("c1", "a.rs", "    let tax = 1;\n    tax + 2\n", "    let tax = 3;\n    tax + 2\n"),
        text_turn("Done."),
    ]);
    daemon.scripted.env.write("a.rs", "on disk\n");
    let mut client = daemon.client("vscode");
    let (session, uri) = (client.new_session(), daemon.uri("a.rs"));
    client.open(&uri, text);
    client.type_text(&uri, "fn", "pub fn");
    client.run_turn(&session, "Edit");
    assert_eq!(client.text(&uri), "pub fn total() {\n    let tax = 3;\n    tax + 2\n}\n");
    assert_eq!(daemon.scripted.env.read("a.rs"), "on disk\n", "nothing is saved");
    let [edited] = client.edits.as_slice() else { panic!("{:?}", client.edits) };
    assert!(edited["label"].as_str().unwrap().contains("a.rs"), "{edited}");
    let document = &edited["edit"]["documentChanges"][0];
    assert_eq!(document["textDocument"], json!({ "uri": uri, "version": 2 }));
    let touched: Vec<_> =
        document["edits"].as_array().unwrap().iter().map(|edit| edit["range"].clone()).collect();
    let lines = |range: &Value| {
        range["start"]["line"] == 1
            && (range["end"]["line"] == 1 || range["end"] == json!({ "line": 2, "character": 0 }))
    };
    assert!(touched.len() == 1 && touched.iter().all(lines), "{touched:?}");
}

#[test]
fn characters_are_counted_as_was_agreed() {
    let text = "e\u{301} 👩\u{200d}👩\u{200d}👧 𝔘 = old; // 🦀 old?\n";
    for units in [EditorEncoding::Utf8, EditorEncoding::Utf16, EditorEncoding::Utf32] {
        let daemon = ScriptedDaemon::new([edit("c1", "a.txt", "𝔘 = old", "𝔘 = n🎉w"), text_turn("Done.")]);
        let mut client = ScriptedEditor::with_encoding(&daemon.scripted.env, "vscode", units);
        let (session, uri) = (client.new_session(), daemon.uri("a.txt"));
        client.open(&uri, text);
        client.type_text(&uri, "🦀 old?", "🦀🦀 old?");
        client.run_turn(&session, "Edit");
        assert_eq!(
            client.text(&uri),
            "e\u{301} 👩\u{200d}👩\u{200d}👧 𝔘 = n🎉w; // 🦀🦀 old?\n",
            "{units:?}"
        );
        // The daemon has the same text as the editor.
        daemon.scripted.server.queue_turn(read("c2", "a.txt"));
        daemon.scripted.server.queue_turn(text_turn("Read."));
        client.run_turn(&session, "Read");
        assert!(
            daemon.last_model_input(3).contains(client.text(&uri).trim_end()),
            "{units:?}: {}",
            daemon.last_model_input(3)
        );
    }
}

/// What the user types between the model's read and the edit, and the final text.
#[test]
fn what_a_user_types_while_the_edit_is_on_its_way_stays() {
    let text = "one\ntwo\nthree\nfour\nfive\nsix\n";
    for (typed, expected) in [
        (("one", "zero\none"), "zero\none\ntwo\nthree\nFOUR\nfive\nsix\n"),
        (("six", "six!"), "one\ntwo\nthree\nFOUR\nfive\nsix!\n"),
        (("one\ntwo\n", ""), "three\nFOUR\nfive\nsix\n"),
    ] {
        let daemon = ScriptedDaemon::new([edit("c1", "a.txt", "four", "FOUR"), text_turn("Done.")]);
        let mut client = daemon.client("vscode");
        let (session, uri) = (client.new_session(), daemon.uri("a.txt"));
        client.open(&uri, text);
        client.applies_edits = false;
        client.prompt(&session, "Edit");
        let asked = client.wait_for_method("workspace/applyEdit");
        // The edit has arrived, and the user types: it is for a stale version.
        client.type_text(&uri, typed.0, typed.1);
        client.applies_edits = true;
        client.apply_edit_request(&asked);
        assert_eq!(client.wait_for_turn_end(&session), "done");
        assert_eq!(client.text(&uri), expected);
        assert_eq!(client.edits.len(), 2, "the second one fits");
        assert!(
            daemon.last_model_input(1).contains("what they wrote is kept"),
            "{}",
            daemon.last_model_input(1)
        );
    }
}

/// The model rewrites a file from memory, and does not know what the user typed since it read the file.
#[test]
fn a_write_does_not_remove_what_the_model_was_not_shown() {
    let text: String = (1..=30).map(|line| format!("line {line}\n")).collect();
    let changed = |from: &str, to: &str, text: &str| text.replace(from, to);
    let edited = changed("line 3\n", "line three\n", &text);
    let first = ScriptedTurn::new().gate_before_response("typed").call(
        "c2",
        "edit",
        json!({ "filePath": "a.txt", "oldString": "line 3\n", "newString": "line three\n" }),
    );
    let write = |call: &str, content: &str| {
        ScriptedTurn::new().call(call, "write", json!({ "filePath": "a.txt", "content": content }))
    };
    // An edit, or a write into which the typing is merged; then a write of the whole file.
    for (first, is_gated) in [(first, true), (write("c2", &edited), false)] {
        let daemon = ScriptedDaemon::new([
            read("c1", "a.txt"),
            first,
            write("c3", &changed("line 9\n", "line nine\n", &edited)),
            read("c4", "a.txt"),
            text_turn("Done."),
        ]);
        let mut client = daemon.client("vscode");
        let (session, uri) = (client.new_session(), daemon.uri("a.txt"));
        client.open(&uri, &text);
        client.applies_edits = is_gated;
        client.prompt(&session, "Edit");
        if is_gated {
            daemon.wait_for_gate("typed");
            client.type_text(&uri, "line 25", "line 25, mine");
            daemon.open_gate("typed");
        } else {
            let asked = client.wait_for_method("workspace/applyEdit");
            client.type_text(&uri, "line 25", "line 25, mine");
            client.applies_edits = true;
            client.apply_edit_request(&asked);
        }
        assert_eq!(client.wait_for_turn_end(&session), "done");
        assert_eq!(client.text(&uri), changed("line 25\n", "line 25, mine\n", &edited));
        let told = daemon.last_model_input(3);
        assert!(told.contains("`a.txt` has lines that you were not shown, from line 1 on"), "{told}");
        // Now it was shown the text.
        daemon.scripted.server.queue_turn(write("c5", "all of it\n"));
        daemon.scripted.server.queue_turn(text_turn("Done."));
        client.run_turn(&session, "Write");
        assert_eq!(client.text(&uri), "all of it\n");
    }
}

#[test]
fn the_same_lines_are_a_conflict_that_the_model_is_told_with_both_texts() {
    let daemon = ScriptedDaemon::new([edit("c1", "a.txt", "four", "FOUR"), text_turn("I see.")]);
    let mut client = daemon.client("vscode");
    let (session, uri) = (client.new_session(), daemon.uri("a.txt"));
    client.open(&uri, "three\nfour\nfive\n");
    client.applies_edits = false;
    client.prompt(&session, "Edit");
    let asked = client.wait_for_method("workspace/applyEdit");
    client.type_text(&uri, "four", "quatre");
    client.apply_edit_request(&asked);
    assert_eq!(client.wait_for_turn_end(&session), "done");
    assert_eq!(client.text(&uri), "three\nquatre\nfive\n");
    let told = daemon.last_model_input(1);
    assert!(told.contains("FOUR") && told.contains("quatre"), "{told}");
    assert!(told.contains("The user has changed the same lines"), "{told}");
}

#[test]
fn typing_right_behind_the_edit_is_told_from_it() {
    let daemon = ScriptedDaemon::new([edit("c1", "a.txt", "two", "TWO"), text_turn("Done.")]);
    let mut client = daemon.client("vscode");
    let (session, uri) = (client.new_session(), daemon.uri("a.txt"));
    client.open(&uri, "one\ntwo\nthree\n");
    client.applies_edits = false;
    client.prompt(&session, "Edit");
    let asked = client.wait_for_method("workspace/applyEdit");
    client.apply_document_edit(&asked["params"]["edit"]["documentChanges"][0]);
    client.type_text(&uri, "TWO", "TWO and a half");
    client.answer(&asked, json!({ "applied": true }));
    assert_eq!(client.wait_for_turn_end(&session), "done");
    assert_eq!(client.text(&uri), "one\nTWO and a half\nthree\n");
    assert_eq!(client.edits.len(), 1);
    // Undo reverts the edit, not the typing: both are on one line here, so it stays.
    let undone = client.send_request("copydesk/undo", json!({ "session": session, "what": { "turn": 1 } }));
    let outcome = client.wait_for_response(&undone)["result"]["files"][0]["outcome"].clone();
    assert_eq!(outcome, "conflict");
    assert_eq!(client.text(&uri), "one\nTWO and a half\nthree\n");
}

#[test]
fn a_buffer_without_a_file_is_read_and_edited_by_its_name() {
    let uri = "untitled:Untitled-1";
    let daemon =
        ScriptedDaemon::new([read("c1", uri), edit("c2", uri, "draft", "letter"), text_turn("Done.")]);
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.open(uri, "A draft.\n");
    client.run_turn(&session, "Edit");
    assert!(daemon.last_model_input(1).contains("1: A draft."), "{}", daemon.last_model_input(1));
    assert_eq!(client.text(uri), "A letter.\n");
    // A closed document is gone.
    client.close(uri);
    daemon.scripted.server.queue_turn(read("c3", uri));
    daemon.scripted.server.queue_turn(text_turn("Gone."));
    client.run_turn(&session, "Read");
    assert!(daemon.last_model_input(4).contains("does not exist"), "{}", daemon.last_model_input(4));
}

#[test]
fn unsaved_text_is_found_by_grep_and_what_is_only_on_disk_is_not() {
    let grep =
        |call: &str, pattern: &str| ScriptedTurn::new().call(call, "grep", json!({ "pattern": pattern }));
    let daemon = ScriptedDaemon::new([grep("c1", "unsaved"), grep("c2", "stale"), text_turn("Done.")]);
    daemon.scripted.env.write("a.txt", "stale\n");
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.open(&daemon.uri("a.txt"), "unsaved\n");
    client.run_turn(&session, "Search");
    assert!(
        daemon.last_model_input(1).contains("a.txt") && daemon.last_model_input(1).contains("unsaved"),
        "{}",
        daemon.last_model_input(1)
    );
    assert!(!daemon.last_model_input(2).contains("a.txt"), "{}", daemon.last_model_input(2));
}

#[test]
fn the_model_is_told_what_a_command_did_not_see() {
    let shell =
        |call: &str, command: &str| ScriptedTurn::new().call(call, "bash", json!({ "command": command }));
    let daemon = ScriptedDaemon::new([
        edit("c1", "a.txt", "old", "new"),
        shell("c2", "cat a.txt"),
        shell("c3", "echo new > a.txt"),
        shell("c4", "true"),
        shell("c5", "echo newer > a.txt; rm b.txt"),
        shell("c6", "true"),
        text_turn("Done."),
    ]);
    daemon.scripted.env.write("a.txt", "old\n");
    daemon.scripted.env.write("b.txt", "same\n");
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.open(&daemon.uri("a.txt"), "old\n");
    client.open(&daemon.uri("b.txt"), "same\n");
    client.run_turn(&session, "Work");
    let note = "(Not saved in the editor, so the command saw another text of: a.txt)";
    let seen = daemon.last_model_input(2);
    assert!(seen.contains("old") && seen.contains(note), "{seen}");
    assert!(daemon.last_model_input(3).contains(note), "before the command began");
    assert!(!daemon.last_model_input(4).contains(note), "{}", daemon.last_model_input(4));
    assert!(
        !daemon.last_model_input(6).contains("Not saved"),
        "the disk is newer: {}",
        daemon.last_model_input(6)
    );
}

/// A build that hangs may hang because of a text that is not saved.
#[test]
fn the_model_is_told_what_a_command_did_not_see_before_its_timeout() {
    let hangs = json!({ "command": "echo begun; sleep 600", "timeout": 1 });
    let daemon = ScriptedDaemon::new([
        edit("c1", "a.txt", "old", "new"),
        ScriptedTurn::new().call("c2", "bash", hangs),
        text_turn("Done."),
    ]);
    daemon.scripted.env.write("a.txt", "old\n");
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.open(&daemon.uri("a.txt"), "old\n");
    client.run_turn(&session, "Work");
    let seen = daemon.last_model_input(2);
    let note = "(Not saved in the editor, so the command saw another text of: a.txt)";
    assert!(seen.contains("ended at its timeout") && seen.contains(note), "{seen}");
}

#[test]
fn a_file_that_changes_on_the_disk_while_it_is_open_is_the_editors_business() {
    let daemon =
        ScriptedDaemon::new([read("c1", "a.txt"), gated_edit("c2", "g", "old", "new"), text_turn("Done.")]);
    daemon.scripted.env.write("a.txt", "old\n");
    let mut client = daemon.client("vscode");
    let (session, uri) = (client.new_session(), daemon.uri("a.txt"));
    client.open(&uri, "old\n");
    client.prompt(&session, "Edit");
    daemon.wait_for_gate("g");
    daemon.scripted.env.write("a.txt", "somebody else's\n");
    daemon.open_gate("g");
    assert_eq!(client.wait_for_turn_end(&session), "done");
    assert_eq!(client.text(&uri), "new\n");
    assert_eq!(daemon.scripted.env.read("a.txt"), "somebody else's\n");
}

#[test]
fn a_closed_file_that_changed_since_it_was_read_is_left_alone() {
    let daemon =
        ScriptedDaemon::new([read("c1", "a.txt"), gated_edit("c2", "g", "old", "new"), text_turn("Done.")]);
    daemon.scripted.env.write("a.txt", "old\n");
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.prompt(&session, "Edit");
    daemon.wait_for_gate("g");
    daemon.scripted.env.write("a.txt", "old, and somebody else's\n");
    daemon.open_gate("g");
    assert_eq!(client.wait_for_turn_end(&session), "done");
    assert!(
        daemon.last_model_input(2).contains("has changed since it was read"),
        "{}",
        daemon.last_model_input(2)
    );
    assert_eq!(daemon.scripted.env.read("a.txt"), "old, and somebody else's\n");
    assert!(!client.has_message(|message| message["method"] == "copydesk/document/changed"));
}

#[test]
fn whoever_is_attached_is_told_of_files_that_were_written_or_made() {
    let make = ScriptedTurn::new().call("c2", "write", json!({ "filePath": "b.txt", "content": "b\n" }));
    let daemon = ScriptedDaemon::new([edit("c1", "a.txt", "old", "new"), make, text_turn("Done.")]);
    daemon.scripted.env.write("a.txt", "old\n");
    let (mut client, mut other) = (daemon.client("vscode"), daemon.client("nvim"));
    let session = client.new_session();
    client.run_turn(&session, "Edit");
    assert_eq!(daemon.scripted.env.read("a.txt"), "new\n");
    for client in [&mut client, &mut other] {
        for (file, reason) in [("a.txt", "written"), ("b.txt", "created")] {
            let told = client.wait_for_method("copydesk/document/changed");
            assert_eq!(told["params"], json!({ "uri": daemon.uri(file), "reason": reason }));
        }
    }
}

#[test]
fn a_file_that_is_opened_or_closed_in_the_middle_is_edited_where_it_is_then() {
    let daemon = ScriptedDaemon::new([
        read("c1", "a.txt"),
        gated_edit("c2", "opened", "one", "two"),
        gated_edit("c3", "closed", "one", "three"),
        text_turn("Done."),
    ]);
    daemon.scripted.env.write("a.txt", "one\n");
    let mut client = daemon.client("vscode");
    let (session, uri) = (client.new_session(), daemon.uri("a.txt"));
    client.prompt(&session, "Edit");
    daemon.wait_for_gate("opened");
    client.open(&uri, "one\n");
    client.request_ok("copydesk/status", json!({}));
    daemon.open_gate("opened");
    client.wait_for_method("workspace/applyEdit");
    assert_eq!(client.text(&uri), "two\n");
    daemon.wait_for_gate("closed");
    // Not saved: the disk still has the old text.
    client.close(&uri);
    client.request_ok("copydesk/status", json!({}));
    daemon.open_gate("closed");
    assert_eq!(client.wait_for_turn_end(&session), "done");
    // The model has seen another text than the one on disk, and is told so.
    assert_eq!(daemon.scripted.env.read("a.txt"), "one\n");
    assert!(
        daemon.last_model_input(3).contains("has changed since it was read"),
        "{}",
        daemon.last_model_input(3)
    );
}
