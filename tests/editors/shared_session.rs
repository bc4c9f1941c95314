//! Two clients on one session: both get everything in the same order; an ask goes to both and the first reply wins.

use serde_json::{Value, json};

use super::scripted_daemon::{ScriptedDaemon, edit, read, text_turn};
use crate::model_server::ScriptedTurn;

fn with_asked_bash() -> ScriptedDaemon {
    let daemon = ScriptedDaemon::with_asked_edits([edit("c1", "a.txt", "old", "new"), text_turn("Done.")]);
    daemon.scripted.env.write("a.txt", "old\n");
    daemon
}

#[test]
fn both_get_every_event_in_the_same_order() {
    let daemon = ScriptedDaemon::new([
        ScriptedTurn::new().reasoning("Hm.").text("I look around, slowly.").call("c1", "list", json!({})),
        text_turn("That is all."),
    ]);
    let (mut one, mut other) = (daemon.client("vscode"), daemon.client("nvim"));
    let session = one.new_session();
    other.load(&session);
    one.run_turn(&session, "Look");
    assert_eq!(other.wait_for_turn_end(&session), "done");
    assert!(one.events.len() > 10, "{:?}", one.events);
    assert_eq!(one.events, other.events);
}

#[test]
fn the_first_reply_wins_and_the_other_is_told_by_whom() {
    // Also if both have the same name, as two windows of one editor do.
    for names in [["vscode", "nvim"], ["nvim", "nvim"]] {
        let daemon = with_asked_bash();
        let [mut one, mut other] = names.map(|name| daemon.client(name));
        let session = one.new_session();
        other.load(&session);
        one.prompt(&session, "Edit");
        let asks = [&mut one, &mut other].map(|client| client.wait_for_method("copydesk/permission/ask"));
        assert_eq!(asks[0]["params"], asks[1]["params"]);
        assert_eq!(asks[0]["params"]["patterns"], json!(["a.txt"]));
        assert!(asks[0]["params"]["metadata"]["diff"].as_str().unwrap().contains("-old\n+new"));
        other.answer(&asks[1], json!({ "reply": "once" }));
        let settled =
            [&mut one, &mut other].map(|client| client.wait_for_method("copydesk/permission/settled"));
        assert_eq!(settled[0]["params"]["by"], names[1], "the other is told who");
        assert_eq!(settled[1]["params"].get("by"), None, "who replied knows");
        assert_eq!(settled[0]["params"]["ask"], asks[0]["params"]["ask"]);
        // Too late, and contradictory.
        one.answer(&asks[0], json!({ "reply": "reject" }));
        assert_eq!(
            (one.wait_for_turn_end(&session), other.wait_for_turn_end(&session)),
            (json!("done"), json!("done"))
        );
        assert_eq!(daemon.scripted.env.read("a.txt"), "new\n");
    }
}

#[test]
fn a_reply_of_cancelled_leaves_the_ask_to_the_others() {
    let daemon = with_asked_bash();
    let (mut one, mut other) = (daemon.client("vscode"), daemon.client("nvim"));
    let session = one.new_session();
    other.load(&session);
    one.prompt(&session, "Edit");
    let (first, second) =
        (one.wait_for_method("copydesk/permission/ask"), other.wait_for_method("copydesk/permission/ask"));
    one.answer(&first, json!({ "reply": "cancelled" }));
    one.request_ok("copydesk/status", json!({}));
    other.answer(&second, json!({ "reply": "reject", "reason": "Not that file." }));
    assert_eq!(one.wait_for_turn_end(&session), "done");
    assert!(daemon.last_model_input(1).contains("Not that file."), "{}", daemon.last_model_input(1));
    assert_eq!(daemon.scripted.env.read("a.txt"), "old\n");
}

#[test]
fn an_open_ask_waits_for_whoever_attaches_next() {
    let daemon = with_asked_bash();
    let mut first = daemon.client("vscode");
    let session = first.new_session();
    first.prompt(&session, "Edit");
    let asked = first.wait_for_method("copydesk/permission/ask");
    drop(first);
    let mut next = daemon.client("nvim");
    let loaded = next.load(&session);
    assert_eq!(loaded["asks"][0]["ask"], asked["params"]["ask"]);
    let again = next.wait_for_method("copydesk/permission/ask");
    assert_eq!(again["params"], asked["params"]);
    // A client that loads again is asked again; it answers the newer request.
    next.load(&session);
    let newer = next.wait_for_method("copydesk/permission/ask");
    next.answer(&again, json!({ "reply": "cancelled" }));
    next.answer(&newer, json!({ "reply": "once" }));
    assert_eq!(next.wait_for_turn_end(&session), "done");
    assert_eq!(next.load(&session)["asks"], json!([]));
    assert_eq!(daemon.scripted.env.read("a.txt"), "new\n");
}

#[test]
fn rubbish_as_a_reply_is_no_reply() {
    let daemon = with_asked_bash();
    let (mut one, mut other) = (daemon.client("vscode"), daemon.client("nvim"));
    let session = one.new_session();
    other.load(&session);
    other.prompt(&session, "Edit");
    let asked = one.wait_for_method("copydesk/permission/ask");
    for result in [json!({ "reply": "perhaps" }), json!(null), json!("yes"), json!({})] {
        one.answer(&asked, result);
    }
    one.write(&crate::daemon::stdio_editor::frame_message(
        &json!({ "jsonrpc": "2.0", "id": 4711, "result": {} }),
    ));
    one.request_ok("copydesk/status", json!({}));
    let asked = other.wait_for_method("copydesk/permission/ask");
    other.answer(&asked, json!({ "reply": "once" }));
    other.answer(&asked, json!({ "reply": "once" }));
    assert_eq!(other.wait_for_turn_end(&session), "done");
    assert_eq!(daemon.scripted.env.read("a.txt"), "new\n");
}

#[test]
fn the_home_is_whoever_prompted_last() {
    let daemon = ScriptedDaemon::new([
        read("c1", "a.txt"),
        text_turn("1"),
        read("c2", "a.txt"),
        text_turn("2"),
        read("c3", "a.txt"),
        text_turn("3"),
    ]);
    let (mut one, mut other) = (daemon.client("vscode"), daemon.client("nvim"));
    let (session, uri) = (one.new_session(), daemon.uri("a.txt"));
    other.load(&session);
    one.open(&uri, "of the one\n");
    other.open(&uri, "of the other\n");
    let told = |number: usize| daemon.last_model_input(number);
    one.run_turn(&session, "Read");
    assert_eq!(other.wait_for_turn_end(&session), "done");
    assert!(told(1).contains("of the one"), "{}", told(1));
    other.run_turn(&session, "Read");
    assert!(told(3).contains("of the other"), "{}", told(3));
    // Without a buffer in its own editor, the other's counts.
    other.close(&uri);
    other.run_turn(&session, "Read");
    assert!(told(5).contains("of the one"), "{}", told(5));
}

#[test]
fn what_the_home_has_not_open_is_edited_at_the_other_client() {
    let daemon = ScriptedDaemon::new([edit("c1", "a.txt", "old", "new"), text_turn("Done.")]);
    daemon.scripted.env.write("a.txt", "on disk: old\n");
    let (mut home, mut other) = (daemon.client("vscode"), daemon.client("nvim"));
    let (session, uri) = (home.new_session(), daemon.uri("a.txt"));
    other.open(&uri, "in a buffer: old\n");
    other.request_ok("copydesk/status", json!({}));
    home.prompt(&session, "Edit");
    other.wait_for_method("workspace/applyEdit");
    assert_eq!(home.wait_for_turn_end(&session), "done");
    assert_eq!(other.text(&uri), "in a buffer: new\n");
    assert_eq!(daemon.scripted.env.read("a.txt"), "on disk: old\n", "never the disk");
    assert_eq!(home.edits, Vec::<Value>::new());
}
