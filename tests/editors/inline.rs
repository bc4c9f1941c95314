//! The user selects lines, gives an instruction, and decides on the text that the model writes in their place.

use serde_json::{Value, json};

use super::reviews::{decide, decision_on, list};
use super::scripted_daemon::{ScriptedDaemon, text_turn};
use super::scripted_editor::ScriptedEditor;
use crate::model_server::ScriptedTurn;

const TEXT: &str = "one\ntwo\nthree\nfour\n";

fn start(client: &mut ScriptedEditor, session: &str, uri: &str, instruction: &str) -> String {
    let range = json!({ "start": { "line": 1, "character": 0 }, "end": { "line": 3, "character": 0 } });
    let params = json!({ "session": session, "uri": uri, "range": range, "instruction": instruction });
    client.request_ok("copydesk/inline/start", params)["review"].as_str().unwrap().to_owned()
}

/// The next matching event of a review.
fn wait_for_review_event(client: &mut ScriptedEditor, wanted: impl Fn(&Value) -> bool) -> Value {
    let message = client.take_message("a change of the review", |message| {
        let event = &message["params"]["event"];
        event["event"] == "reviewChanged" && wanted(event)
    });
    message["params"]["event"].clone()
}

fn is_ready(event: &Value) -> bool {
    event["review"]["writing"].is_null() && event["review"]["total"] != 0
}

fn open_document(daemon: &ScriptedDaemon) -> (ScriptedEditor, String, String) {
    let mut client = daemon.client("vscode");
    let (session, uri) = (client.new_session(), daemon.uri("a.txt"));
    client.open(&uri, TEXT);
    (client, session, uri)
}

#[test]
fn what_the_model_writes_grows_in_its_place_and_is_there_when_it_is_accepted() {
    let daemon =
        ScriptedDaemon::with_asked_edits([ScriptedTurn::new().text("TWO\nTH").gate("half").text("REE")]);
    let (mut client, session, uri) = open_document(&daemon);
    let review = start(&mut client, &session, &uri, "capitals");
    daemon.wait_for_gate("half");
    let growing = wait_for_review_event(&mut client, |event| event["review"]["total"] == 1);
    assert_eq!(growing["review"]["writing"], true);
    assert_eq!(growing["review"]["hunks"][0]["new"], json!(["TWO"]), "whole lines, and the rest as it was");
    let early = json!({ "hunk": review, "expected": growing["review"]["expected"], "verdict": "accept" });
    assert_eq!(decide(&mut client, &session, &[early]), ["refused"], "it is not there yet");
    client.type_text(&uri, "one", "zero\none");
    daemon.open_gate("half");
    let ready = wait_for_review_event(&mut client, is_ready);
    assert_eq!(ready["review"]["review"], json!(review));
    assert_eq!(
        client.text(&uri),
        "zero\none\ntwo\nthree\nfour\n",
        "nothing is changed before it is accepted"
    );
    let listed = list(&mut client, &session).remove(0);
    assert_eq!((&listed["when"], &listed["hunks"][0]["old"]), (&json!("before"), &json!(["two", "three"])));
    assert_eq!(decide(&mut client, &session, &[decision_on(&listed, "accept")]), ["done"]);
    assert_eq!(client.text(&uri), "zero\none\nTWO\nTHREE\nfour\n");
    assert_eq!(list(&mut client, &session), [] as [Value; 0]);
    let asked = daemon.scripted.request_body(0);
    let said = asked["messages"][0]["content"][0]["text"].as_str().unwrap();
    assert!(said.contains("<selection>\ntwo\nthree\n</selection>") && said.ends_with("capitals"), "{said}");
    assert!(asked["tools"].as_array().is_none_or(Vec::is_empty), "{asked}");
}

#[test]
fn a_follow_up_is_about_what_was_written_and_a_retry_asks_the_same_again() {
    let daemon = ScriptedDaemon::with_asked_edits([
        text_turn("TWO\nTHREE"),
        text_turn("Two\nThree"),
        text_turn("2\n3"),
    ]);
    let (mut client, session, uri) = open_document(&daemon);
    let review = start(&mut client, &session, &uri, "capitals");
    wait_for_review_event(&mut client, is_ready);
    let refine = json!({ "session": session, "review": review, "instruction": "only the first letter" });
    client.request_ok("copydesk/inline/refine", refine);
    wait_for_review_event(&mut client, |event| {
        is_ready(event) && event["review"]["hunks"][0]["new"] == json!(["Two", "Three"])
    });
    client.request_ok("copydesk/inline/refine", json!({ "session": session, "review": review }));
    wait_for_review_event(&mut client, |event| {
        is_ready(event) && event["review"]["hunks"][0]["new"] == json!(["2", "3"])
    });
    let (second, third) = (daemon.scripted.request_body(1), daemon.scripted.request_body(2));
    assert_eq!(second["messages"], third["messages"]);
    let messages = second["messages"].as_array().unwrap();
    assert_eq!(messages[1]["content"][0]["text"], "TWO\nTHREE");
    assert_eq!(client.text(&uri), TEXT);
    let listed = list(&mut client, &session).remove(0);
    assert_eq!(decide(&mut client, &session, &[decision_on(&listed, "reject")]), ["done"]);
    assert_eq!(client.text(&uri), TEXT);
    let late = json!({ "session": session, "review": review, "instruction": "again" });
    assert!(client.request_error("copydesk/inline/refine", late).1.contains("start another"));
}

#[test]
fn one_that_is_given_up_leaves_nothing_behind() {
    let daemon =
        ScriptedDaemon::with_asked_edits([ScriptedTurn::new().text("TWO\n").gate("half").text("THREE")]);
    let (mut client, session, uri) = open_document(&daemon);
    let review = start(&mut client, &session, &uri, "capitals");
    daemon.wait_for_gate("half");
    wait_for_review_event(&mut client, |event| event["review"]["total"] == 1);
    client.request_ok("copydesk/inline/cancel", json!({ "session": session, "review": review }));
    daemon.wait_for_hangup("half");
    wait_for_review_event(&mut client, |event| event["review"]["total"] == 0);
    assert_eq!(client.text(&uri), TEXT);
    assert_eq!(list(&mut client, &session), [] as [Value; 0]);
}

#[test]
fn what_goes_wrong_is_said_and_changes_nothing() {
    let fails =
        ScriptedTurn::new().text("x").error(crate::model_server::ScriptedErrorKind::Invalid, "no such thing");
    let daemon = ScriptedDaemon::with_asked_edits([fails, text_turn("two\nthree\n")]);
    let (mut client, session, uri) = open_document(&daemon);
    start(&mut client, &session, &uri, "capitals");
    let failed = wait_for_review_event(&mut client, |event| event["failed"].is_string());
    assert_eq!(failed["review"]["total"], 0, "{failed}");
    start(&mut client, &session, &uri, "leave it");
    let same = wait_for_review_event(&mut client, |event| event["failed"].is_string());
    assert!(same["failed"].as_str().unwrap().contains("nothing changed"), "{same}");
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } });
    let params = |uri: &str, said: &str| json!({ "session": session, "uri": uri, "range": range, "instruction": said });
    assert!(
        client.request_error("copydesk/inline/start", params(&uri, " ")).1.contains("needs an instruction")
    );
    let missing = daemon.uri("missing.txt");
    assert!(client.request_error("copydesk/inline/start", params(&missing, "do")).1.contains("missing.txt"));
    assert_eq!(client.text(&uri), TEXT);
}
