//! A person selects lines, says what to do with them, and decides on what the model writes in their place.

use serde_json::{Value, json};

use super::client::Client;
use super::desk::{Running, says};
use super::reviews::{decide, list, on};
use crate::model_server::Turn;

const TEXT: &str = "one\ntwo\nthree\nfour\n";

fn start(client: &mut Client, session: &str, uri: &str, instruction: &str) -> String {
    let range = json!({ "start": { "line": 1, "character": 0 }, "end": { "line": 3, "character": 0 } });
    let params = json!({ "session": session, "uri": uri, "range": range, "instruction": instruction });
    client.call("copydesk/inline/start", params)["review"].as_str().unwrap().to_owned()
}

/// The next word about a review that is as wanted.
fn told(client: &mut Client, wanted: impl Fn(&Value) -> bool) -> Value {
    let message = client.take("a change of the review", |message| {
        let event = &message["params"]["event"];
        event["event"] == "reviewChanged" && wanted(event)
    });
    message["params"]["event"].clone()
}

fn is_ready(event: &Value) -> bool {
    event["review"]["writing"].is_null() && event["review"]["total"] != 0
}

fn opened(desk: &Running) -> (Client, String, String) {
    let mut client = desk.client("vscode");
    let (session, uri) = (client.session(), desk.uri("a.txt"));
    client.open(&uri, TEXT);
    (client, session, uri)
}

#[test]
fn what_the_model_writes_grows_in_its_place_and_is_there_when_it_is_accepted() {
    let desk = Running::asking([Turn::new().text("TWO\nTH").gate("half").text("REE")]);
    let (mut client, session, uri) = opened(&desk);
    let review = start(&mut client, &session, &uri, "capitals");
    desk.reached("half");
    let growing = told(&mut client, |event| event["review"]["total"] == 1);
    assert_eq!(growing["review"]["writing"], true);
    assert_eq!(growing["review"]["hunks"][0]["new"], json!(["TWO"]), "whole lines, and the rest as it was");
    let early = json!({ "hunk": review, "expected": growing["review"]["expected"], "verdict": "accept" });
    assert_eq!(decide(&mut client, &session, &[early]), ["refused"], "it is not there yet");
    client.types(&uri, "one", "zero\none");
    desk.open("half");
    let ready = told(&mut client, is_ready);
    assert_eq!(ready["review"]["review"], json!(review));
    assert_eq!(
        client.text(&uri),
        "zero\none\ntwo\nthree\nfour\n",
        "nothing is changed before it is accepted"
    );
    let listed = list(&mut client, &session).remove(0);
    assert_eq!((&listed["when"], &listed["hunks"][0]["old"]), (&json!("before"), &json!(["two", "three"])));
    assert_eq!(decide(&mut client, &session, &[on(&listed, "accept")]), ["done"]);
    assert_eq!(client.text(&uri), "zero\none\nTWO\nTHREE\nfour\n");
    assert_eq!(list(&mut client, &session), [] as [Value; 0]);
    let asked = desk.scripted.sent(0);
    let said = asked["messages"][0]["content"][0]["text"].as_str().unwrap();
    assert!(said.contains("<selection>\ntwo\nthree\n</selection>") && said.ends_with("capitals"), "{said}");
    assert!(asked["tools"].as_array().is_none_or(Vec::is_empty), "{asked}");
}

#[test]
fn a_follow_up_is_about_what_was_written_and_a_retry_asks_the_same_again() {
    let desk = Running::asking([says("TWO\nTHREE"), says("Two\nThree"), says("2\n3")]);
    let (mut client, session, uri) = opened(&desk);
    let review = start(&mut client, &session, &uri, "capitals");
    told(&mut client, is_ready);
    let refine = json!({ "session": session, "review": review, "instruction": "only the first letter" });
    client.call("copydesk/inline/refine", refine);
    told(&mut client, |event| {
        is_ready(event) && event["review"]["hunks"][0]["new"] == json!(["Two", "Three"])
    });
    client.call("copydesk/inline/refine", json!({ "session": session, "review": review }));
    told(&mut client, |event| is_ready(event) && event["review"]["hunks"][0]["new"] == json!(["2", "3"]));
    let (second, third) = (desk.scripted.sent(1), desk.scripted.sent(2));
    assert_eq!(second["messages"], third["messages"]);
    let messages = second["messages"].as_array().unwrap();
    assert_eq!(messages[1]["content"][0]["text"], "TWO\nTHREE");
    assert_eq!(client.text(&uri), TEXT);
    let listed = list(&mut client, &session).remove(0);
    assert_eq!(decide(&mut client, &session, &[on(&listed, "reject")]), ["done"]);
    assert_eq!(client.text(&uri), TEXT);
    let late = json!({ "session": session, "review": review, "instruction": "again" });
    assert!(client.refused("copydesk/inline/refine", late).1.contains("begin another"));
}

#[test]
fn one_that_is_given_up_leaves_nothing_behind() {
    let desk = Running::asking([Turn::new().text("TWO\n").gate("half").text("THREE")]);
    let (mut client, session, uri) = opened(&desk);
    let review = start(&mut client, &session, &uri, "capitals");
    desk.reached("half");
    told(&mut client, |event| event["review"]["total"] == 1);
    client.call("copydesk/inline/cancel", json!({ "session": session, "review": review }));
    desk.hung_up("half");
    told(&mut client, |event| event["review"]["total"] == 0);
    assert_eq!(client.text(&uri), TEXT);
    assert_eq!(list(&mut client, &session), [] as [Value; 0]);
}

#[test]
fn what_goes_wrong_is_said_and_changes_nothing() {
    let fails = Turn::new().text("x").error(crate::model_server::Failure::Invalid, "no such thing");
    let desk = Running::asking([fails, says("two\nthree\n")]);
    let (mut client, session, uri) = opened(&desk);
    start(&mut client, &session, &uri, "capitals");
    let failed = told(&mut client, |event| event["failed"].is_string());
    assert_eq!(failed["review"]["total"], 0, "{failed}");
    start(&mut client, &session, &uri, "leave it");
    let same = told(&mut client, |event| event["failed"].is_string());
    assert!(same["failed"].as_str().unwrap().contains("as it is"), "{same}");
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } });
    let params = |uri: &str, said: &str| json!({ "session": session, "uri": uri, "range": range, "instruction": said });
    assert!(client.refused("copydesk/inline/start", params(&uri, " ")).1.contains("say what"));
    let missing = desk.uri("missing.txt");
    assert!(client.refused("copydesk/inline/start", params(&missing, "do")).1.contains("missing.txt"));
    assert_eq!(client.text(&uri), TEXT);
}
