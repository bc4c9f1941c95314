//! A patch moves and deletes files that are open in an editor: their documents follow, and nothing unsaved is lost.

use serde_json::{Value, json};

use super::reviews::{decide, decision_on, list};
use super::scripted_daemon::{ScriptedDaemon, text_turn};
use super::scripted_editor::ScriptedEditor;
use crate::model_server::ScriptedTurn;

const PATCH: &str = "*** Begin Patch
*** Update File: old.sh
*** Move to: bin/new.sh
@@
-echo old
+echo new
*** Delete File: gone.txt
*** End Patch
";

/// A daemon with both files, and an editor that has them open.
fn start(permission: Value, gate: Option<&str>) -> (ScriptedDaemon, ScriptedEditor, String) {
    let patch = ScriptedTurn::new().call("c1", "apply_patch", json!({ "patchText": PATCH }));
    let patch = gate.into_iter().fold(patch, ScriptedTurn::gate);
    let config = json!({ "model": "script/gpt-5", "permission": permission });
    let daemon = ScriptedDaemon::with_config([patch, text_turn("Done.")], config);
    daemon.scripted.env.write("old.sh", "echo old\nexit\n");
    daemon.scripted.env.write("gone.txt", "bye\n");
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.open(&daemon.uri("old.sh"), "echo old\nexit\n");
    client.open(&daemon.uri("gone.txt"), "bye\n");
    (daemon, client, session)
}

/// What is open with which text, and what is on disk.
fn describe(daemon: &ScriptedDaemon, client: &ScriptedEditor) -> String {
    let names = ["old.sh", "bin/new.sh", "gone.txt"];
    let open = names.iter().filter_map(|name| {
        let (_, text) = client.texts.get(&daemon.uri(name))?;
        Some(format!("{name} open {text:?}\n"))
    });
    let closed = names.iter().filter(|name| daemon.scripted.env.exists(name));
    let closed = closed.map(|name| format!("{name} on disk {:?}\n", daemon.scripted.env.read(name)));
    open.chain(closed).collect()
}

const BEFORE: &str = "old.sh open \"echo old\\nexit\\n\"
gone.txt open \"bye\\n\"
old.sh on disk \"echo old\\nexit\\n\"
gone.txt on disk \"bye\\n\"
";
/// The edit is made in the document and not saved.
const AFTER: &str = "bin/new.sh open \"echo new\\nexit\\n\"
bin/new.sh on disk \"echo old\\nexit\\n\"
";
/// The document of a deleted file stays closed.
const RESTORED: &str = "old.sh open \"echo old\\nexit\\n\"
old.sh on disk \"echo old\\nexit\\n\"
gone.txt on disk \"bye\\n\"
";

#[test]
fn open_files_are_moved_and_deleted_and_undo_brings_them_back() {
    for permission in [json!("allow"), json!({ "edit": "ask" })] {
        let (daemon, mut client, session) = start(permission.clone(), None);
        client.prompt(&session, "Patch");
        if permission != "allow" {
            let ask = client.wait_for_method("copydesk/permission/ask");
            assert_eq!(describe(&daemon, &client), BEFORE);
            client.answer(&ask, json!({ "reply": "once" }));
        }
        assert_eq!(client.wait_for_turn_end(&session), "done");
        assert_eq!(describe(&daemon, &client), AFTER, "{}", daemon.last_model_input(1));
        let call = client.calls(&session).remove(0);
        client.request_ok("copydesk/undo", json!({ "session": session, "what": { "call": call } }));
        assert_eq!(describe(&daemon, &client), RESTORED);
        assert_eq!(list(&mut client, &session), [] as [Value; 0]);
        client.request_ok("copydesk/redo", json!({ "session": session }));
        assert_eq!(describe(&daemon, &client), AFTER);
    }
}

#[test]
fn a_move_is_reviewed_after_with_its_lines_and_can_be_rejected() {
    let (daemon, mut client, session) = start(json!("allow"), None);
    client.run_turn(&session, "Patch");
    let reviews = list(&mut client, &session);
    let moved = reviews.iter().find(|review| review["path"] == "bin/new.sh").unwrap();
    assert_eq!((&moved["file"]["kind"], &moved["file"]["from"]), (&json!("renamed"), &json!("old.sh")));
    assert_eq!((&moved["uri"], &moved["total"]), (&json!(daemon.uri("bin/new.sh")), &json!(1)));
    let all: Vec<_> = reviews.iter().map(|review| decision_on(review, "reject")).collect();
    assert_eq!(decide(&mut client, &session, &all), ["done"; 2]);
    assert_eq!(describe(&daemon, &client), RESTORED);
    assert_eq!(list(&mut client, &session), [] as [Value; 0]);
}

#[test]
fn a_move_is_decided_before_apart_from_its_lines() {
    for (file, lines, expected) in [("accept", "reject", "echo old"), ("reject", "accept", "echo new")] {
        let (daemon, mut client, session) = start(json!({ "edit": "ask" }), None);
        client.prompt(&session, "Patch");
        client.wait_for_method("copydesk/permission/ask");
        let reviews = list(&mut client, &session);
        let review = |path: &str| reviews.iter().find(|review| review["path"] == path).unwrap();
        let decisions = [
            decision_on(review("bin/new.sh"), file),
            decision_on(review("old.sh"), lines),
            decision_on(review("gone.txt"), "reject"),
        ];
        assert_eq!(decide(&mut client, &session, &decisions), ["done"; 3]);
        assert_eq!(client.wait_for_turn_end(&session), "done");
        let place = if file == "accept" { "bin/new.sh" } else { "old.sh" };
        let text = format!("{place} open {:?}\n", format!("{expected}\nexit\n"));
        assert!(describe(&daemon, &client).starts_with(&text), "{}", describe(&daemon, &client));
        assert!(daemon.scripted.env.exists(place) && daemon.scripted.env.exists("gone.txt"));
    }
}

/// What is typed and not saved moves along; a file with such text is not deleted, and nothing else of the call is done.
#[test]
fn unsaved_text_moves_along_and_is_not_deleted() {
    let (daemon, mut client, session) = start(json!("allow"), Some("written"));
    client.prompt(&session, "Patch");
    daemon.wait_for_gate("written");
    client.type_text(&daemon.uri("old.sh"), "exit", "exit 1");
    daemon.open_gate("written");
    assert_eq!(client.wait_for_turn_end(&session), "done");
    assert_eq!(describe(&daemon, &client), AFTER.replacen("exit", "exit 1", 1));

    let (daemon, mut client, session) = start(json!("allow"), Some("written"));
    client.prompt(&session, "Patch");
    daemon.wait_for_gate("written");
    client.type_text(&daemon.uri("gone.txt"), "bye", "good bye");
    daemon.open_gate("written");
    assert_eq!(client.wait_for_turn_end(&session), "done");
    assert_eq!(describe(&daemon, &client), BEFORE.replacen("bye", "good bye", 1));
    let told = daemon.last_model_input(1);
    assert!(told.contains("`gone.txt` is open in an editor and has text there that is not saved"), "{told}");
    assert_eq!(list(&mut client, &session), [] as [Value; 0]);
}

/// The edit of another file does not fit what the user typed: the moved file goes back, with its document.
#[test]
fn a_move_is_taken_back_with_the_rest_of_its_call() {
    let patch = PATCH.replace("*** End", "*** Update File: c.txt\n@@\n-two\n+TWO\n*** End");
    let patch = ScriptedTurn::new().call("c1", "apply_patch", json!({ "patchText": patch })).gate("written");
    let config = json!({ "model": "script/gpt-5", "permission": "allow" });
    let daemon = ScriptedDaemon::with_config([patch, text_turn("I see.")], config);
    for (name, text) in [("old.sh", "echo old\n"), ("gone.txt", "bye\n"), ("c.txt", "one\ntwo\n")] {
        daemon.scripted.env.write(name, text);
    }
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.open(&daemon.uri("old.sh"), "echo old\n");
    client.open(&daemon.uri("c.txt"), "one\ntwo\n");
    // The editor refuses every edit of the third file.
    client.texts.insert(daemon.uri("c.txt"), (7, "one\ntwo\n".to_owned()));
    client.prompt(&session, "Patch");
    daemon.wait_for_gate("written");
    daemon.open_gate("written");
    assert_eq!(client.wait_for_turn_end(&session), "done");
    let expected =
        "old.sh open \"echo old\\n\"\nold.sh on disk \"echo old\\n\"\ngone.txt on disk \"bye\\n\"\n";
    assert_eq!(describe(&daemon, &client), expected, "{}", daemon.last_model_input(1));
    assert_eq!(list(&mut client, &session), [] as [Value; 0]);
}
