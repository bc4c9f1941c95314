//! The user decides on the agent's edits, hunk by hunk, and the model is told exactly that.

use expect_test::expect;
use serde_json::{Value, json};

use super::scripted_daemon::{ScriptedDaemon, edit, text_turn};
use super::scripted_editor::ScriptedEditor;
use crate::model_server::ScriptedTurn;

const OLD: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n";
const NEW: &str = "one\nTWO\nthree\nFOUR\nfive\nSIX\nseven\nEIGHT\nnine\n";

/// The lines that change, as the model would edit them.
fn four_hunks() -> ScriptedTurn {
    edit("c1", "a.txt", OLD, NEW)
}

/// An editor with the file open, and the agent's edit in it.
fn open_with_agent_edit(daemon: &ScriptedDaemon) -> (ScriptedEditor, String, String) {
    let mut client = daemon.client("vscode");
    let (session, uri) = (client.new_session(), daemon.uri("a.txt"));
    client.open(&uri, OLD);
    client.run_turn(&session, "Edit");
    (client, session, uri)
}

pub(crate) fn list(client: &mut ScriptedEditor, session: &str) -> Vec<Value> {
    let listed = client.request_ok("copydesk/review/list", json!({ "session": session }));
    listed["reviews"].as_array().unwrap().clone()
}

/// A decision on a listed hunk.
pub(crate) fn decision_on(hunk: &Value, verdict: &str) -> Value {
    let id = if hunk["hunk"].is_null() { &hunk["review"] } else { &hunk["hunk"] };
    json!({ "hunk": id, "expected": hunk["expected"], "verdict": verdict })
}

pub(crate) fn decide(client: &mut ScriptedEditor, session: &str, decisions: &[Value]) -> Vec<String> {
    let params = json!({ "session": session, "decisions": decisions });
    let decided = client.request_ok("copydesk/review/decide", params);
    let outcome = |decided: &Value| decided["outcome"].as_str().unwrap().to_owned();
    decided["decided"].as_array().unwrap().iter().map(outcome).collect()
}

fn lines(review: &Value) -> Vec<String> {
    let line = |hunk: &Value| format!("{} {} {}", hunk["line"], hunk["old"][0], hunk["new"][0]);
    review["hunks"].as_array().unwrap().iter().map(line).collect()
}

/// The main case: of four hunks one is accepted, one rejected with a comment, one edited by the user, and one left open.
#[test]
fn the_next_request_says_what_was_decided_of_four_hunks() {
    let daemon = ScriptedDaemon::new([four_hunks(), text_turn("Done."), text_turn("I see.")]);
    let (mut client, session, uri) = open_with_agent_edit(&daemon);
    assert_eq!(client.text(&uri), NEW);
    let told = client.wait_for_event(&session, "reviewChanged");
    assert_eq!(told["review"]["total"], 4, "{told}");
    let reviews = list(&mut client, &session);
    let [review] = reviews.as_slice() else { panic!("{reviews:?}") };
    assert_eq!(
        (&review["when"], &review["path"], &review["uri"]),
        (&json!("after"), &json!("a.txt"), &json!(uri))
    );
    let expected = ["1 \"two\" \"TWO\"", "3 \"four\" \"FOUR\"", "5 \"six\" \"SIX\"", "7 \"eight\" \"EIGHT\""];
    assert_eq!(lines(review), expected);
    let mut reject = decision_on(&review["hunks"][1], "reject");
    reject["comment"] = json!("Keep it small.");
    let decisions = [decision_on(&review["hunks"][0], "accept"), reject];
    assert_eq!(decide(&mut client, &session, &decisions), ["done", "done"]);
    client.type_text(&uri, "SIX", "Six");
    assert_eq!(client.text(&uri), "one\nTWO\nthree\nfour\nfive\nSix\nseven\nEIGHT\nnine\n");
    client.run_turn(&session, "Go on");
    expect![[r#"
        Go on<copydesk-note>
        What the user did with your edits since your last step:
        - `a.txt` line 2: accepted.
        - `a.txt` line 4: rejected; the lines are as they were before. They say: Keep it small.
        - `a.txt` line 6: not decided yet, and changed by the user; it now reads:
          Six
        - `a.txt` line 8: not decided yet.
        </copydesk-note>"#]]
    .assert_eq(&daemon.last_model_input(2));
}

#[test]
fn before_an_edit_the_call_waits_and_its_result_says_what_was_decided() {
    let daemon = ScriptedDaemon::with_asked_edits([four_hunks(), text_turn("Done.")]);
    let mut client = daemon.client("vscode");
    let (session, uri) = (client.new_session(), daemon.uri("a.txt"));
    client.open(&uri, OLD);
    client.prompt(&session, "Edit");
    let ask = client.wait_for_method("copydesk/permission/ask");
    assert_eq!(ask["params"]["key"], "edit");
    assert_eq!(client.text(&uri), OLD, "nothing changes before approval");
    let reviews = list(&mut client, &session);
    let [review] = reviews.as_slice() else { panic!("{reviews:?}") };
    assert_eq!((&review["when"], &review["ask"]), (&json!("before"), &ask["params"]["ask"]));
    let hunk = |at: usize| &review["hunks"][at];
    // Typing elsewhere moves the hunks, and is not lost.
    client.type_text(&uri, "one", "zero\none");
    let mut own = decision_on(hunk(1), "accept");
    own["text"] = json!("Four, and a half\n");
    let mut reject = decision_on(hunk(2), "reject");
    reject["comment"] = json!("Six is a good number.");
    let decisions = [decision_on(hunk(0), "accept"), own, reject];
    assert_eq!(decide(&mut client, &session, &decisions), ["done", "done", "done"]);
    assert_eq!(client.text(&uri), "zero\none\nTWO\nthree\nFour, and a half\nfive\nsix\nseven\neight\nnine\n");
    assert_eq!(decide(&mut client, &session, &[decision_on(hunk(3), "accept")]), ["done"]);
    client.wait_for_event(&session, "settled");
    assert_eq!(client.wait_for_turn_end(&session), "done");
    assert_eq!(client.text(&uri), "zero\none\nTWO\nthree\nFour, and a half\nfive\nsix\nseven\nEIGHT\nnine\n");
    expect![[r#"
        The user decided hunk by hunk:
        - `a.txt` line 3: accepted.
        - `a.txt` line 5: accepted with the user's own changes; it now reads:
          Four, and a half
        - `a.txt` line 7: rejected; the lines are as they were before. They say: Six is a good number.
        - `a.txt` line 9: accepted."#]]
    .assert_eq(&daemon.last_model_input(1));
    assert_eq!(list(&mut client, &session), [] as [Value; 0], "what was decided is not asked again");
}

#[test]
fn who_says_yes_to_the_ask_accepts_what_is_left_of_it() {
    for (reply, text) in [
        (json!({ "reply": "once" }), NEW),
        (
            json!({ "reply": "reject", "reason": "Enough." }),
            "one\nTWO\nthree\nfour\nfive\nsix\nseven\neight\nnine\n",
        ),
    ] {
        let daemon = ScriptedDaemon::with_config(
            [four_hunks(), text_turn("Done.")],
            json!({ "permission": { "read": "allow", "edit": "ask" } }),
        );
        let mut client = daemon.client("vscode");
        let (session, uri) = (client.new_session(), daemon.uri("a.txt"));
        client.open(&uri, OLD);
        client.prompt(&session, "Edit");
        let ask = client.wait_for_method("copydesk/permission/ask");
        let review = list(&mut client, &session).remove(0);
        assert_eq!(decide(&mut client, &session, &[decision_on(&review["hunks"][0], "accept")]), ["done"]);
        client.answer(&ask, reply.clone());
        assert_eq!(client.wait_for_turn_end(&session), "done");
        assert_eq!(client.text(&uri), text, "{reply}");
        assert!(
            daemon.last_model_input(1).contains("- `a.txt` line 2: accepted."),
            "{}",
            daemon.last_model_input(1)
        );
        assert_eq!(list(&mut client, &session), [] as [Value; 0]);
    }
}

#[test]
fn of_two_editors_the_first_decides_and_the_second_is_told() {
    let daemon = ScriptedDaemon::new([four_hunks(), text_turn("Done.")]);
    let (mut one, mut two) = (daemon.client("vscode"), daemon.client("vscode"));
    let (session, uri) = (one.new_session(), daemon.uri("a.txt"));
    two.load(&session);
    one.open(&uri, OLD);
    one.run_turn(&session, "Edit");
    let review = list(&mut two, &session).remove(0);
    let hunk = &review["hunks"][0];
    assert_eq!(decide(&mut one, &session, &[decision_on(hunk, "accept")]), ["done"]);
    let params = json!({ "session": session, "decisions": [decision_on(hunk, "reject")] });
    let late = two.request_ok("copydesk/review/decide", params)["decided"][0].clone();
    assert_eq!(late["outcome"], "refused");
    assert!(late["message"].as_str().unwrap().contains("it was kept"), "{late}");
    let gone = two.take_message("a hunk that is gone", |message| {
        message["params"]["event"]["event"] == "reviewChanged"
            && message["params"]["event"]["gone"].as_array().is_some_and(|gone| gone.contains(&hunk["hunk"]))
    });
    assert_eq!(gone["params"]["event"]["review"]["total"], 3, "{gone}");
    // A rejection reaches the client that has the document open.
    assert_eq!(decide(&mut two, &session, &[decision_on(&review["hunks"][1], "reject")]).len(), 1);
}

/// To the daemon, the editor's undo and redo are ordinary typing.
#[test]
fn hunks_that_the_editor_took_back_come_again_when_it_makes_them_again() {
    let daemon = ScriptedDaemon::new([four_hunks(), text_turn("Done.")]);
    let (mut client, session, uri) = open_with_agent_edit(&daemon);
    let before = list(&mut client, &session).remove(0);
    let left = |client: &mut ScriptedEditor, hunks: u32| {
        client.take_message("as many hunks", |message| {
            let event = &message["params"]["event"];
            event["event"] == "reviewChanged" && event["review"]["total"] == hunks
        })
    };
    for _ in 0..2 {
        left(&mut client, 4);
        client.type_text(&uri, NEW, OLD);
        left(&mut client, 0);
        assert_eq!(list(&mut client, &session), [] as [Value; 0]);
        client.type_text(&uri, OLD, NEW);
    }
    left(&mut client, 4);
    let after = list(&mut client, &session).remove(0);
    assert_eq!(after["hunks"], before["hunks"]);
    assert_eq!(decide(&mut client, &session, &[decision_on(&after, "reject")]), ["done"]);
    assert_eq!(client.text(&uri), OLD);
}

#[test]
fn bad_decisions_change_nothing_and_say_why() {
    let daemon = ScriptedDaemon::new([four_hunks(), text_turn("Done.")]);
    let (mut client, session, uri) = open_with_agent_edit(&daemon);
    let review = list(&mut client, &session).remove(0);
    let bad = |hunk: &str, expected: &str| json!({ "hunk": hunk, "expected": expected, "verdict": "reject" });
    let decisions =
        [bad("none", "x"), bad("99.1", "x"), bad("99", "x"), bad("1.99", "x"), bad("1", "x"), bad("1.", "x")];
    let params = json!({ "session": session, "decisions": decisions });
    let decided = client.request_ok("copydesk/review/decide", params)["decided"].clone();
    for decided in decided.as_array().unwrap() {
        assert_eq!(decided["outcome"], "refused", "{decided}");
        assert!(decided["message"].is_string(), "{decided}");
    }
    // The hunk has changed since the user saw it.
    client.type_text(&uri, "TWO", "TWICE");
    assert_eq!(decide(&mut client, &session, &[decision_on(&review["hunks"][0], "reject")]), ["refused"]);
    // Twice in one request, and a stale whole review.
    let once = decision_on(&review["hunks"][1], "accept");
    assert_eq!(decide(&mut client, &session, &[once.clone(), once]), ["done", "refused"]);
    assert_eq!(decide(&mut client, &session, &[decision_on(&review, "reject")]), ["refused"]);
    assert_eq!(client.text(&uri), NEW.replace("TWO", "TWICE"));
    let (code, why) =
        client.request_error("copydesk/review/decide", json!({ "session": "nope", "decisions": [] }));
    assert!(code < 0 && why.contains("nope"), "{why}");
    let empty = json!({ "session": session, "uri": uri, "line": 1, "text": " " });
    assert!(client.request_error("copydesk/review/comment", empty).1.contains("empty"));
}

#[test]
fn an_editor_that_refuses_leaves_the_hunk_undecided() {
    let daemon = ScriptedDaemon::new([four_hunks(), text_turn("Done."), text_turn("Ok.")]);
    let (mut client, session, _) = open_with_agent_edit(&daemon);
    let review = list(&mut client, &session).remove(0);
    client.applies_edits = false;
    let decisions = json!({ "session": session, "decisions": [decision_on(&review["hunks"][0], "reject")] });
    let id = client.send_request("copydesk/review/decide", decisions);
    let first = client.edits.len();
    while client.edits.len() == first {
        let request = client.wait_for_method("workspace/applyEdit");
        client.answer(&request, json!({ "applied": false, "failureReason": "no" }));
    }
    let decided = client.wait_for_response(&id)["result"]["decided"][0].clone();
    assert_eq!(decided["outcome"], "refused", "{decided}");
    let again = list(&mut client, &session).remove(0);
    assert_eq!(again["total"], 4);
    assert!(again["hunks"][0]["deciding"].is_null(), "{again}");
    client.run_turn(&session, "Go on");
    assert!(!daemon.last_model_input(2).contains("rejected"), "{}", daemon.last_model_input(2));
}

#[test]
fn when_edits_are_reviewed_is_changed_in_the_middle_of_a_turn() {
    let daemon = ScriptedDaemon::with_config(
        [edit("c1", "a.txt", "two", "TWO"), edit("c2", "a.txt", "four", "FOUR"), text_turn("Done.")],
        json!({ "permission": { "read": "allow", "edit": "ask" } }),
    );
    let mut client = daemon.client("vscode");
    let (session, uri) = (client.new_session(), daemon.uri("a.txt"));
    client.open(&uri, OLD);
    client.prompt(&session, "Edit");
    client.wait_for_method("copydesk/permission/ask");
    let set = json!({ "session": session, "review": "after" });
    let changed = client.request_ok("copydesk/session/setReview", set);
    assert_eq!(changed["session"]["review"], "after");
    assert_eq!(
        client.wait_for_turn_end(&session),
        "done",
        "the one that waited is made, and the next one is not asked about"
    );
    assert_eq!(client.text(&uri), OLD.replace("two", "TWO").replace("four", "FOUR"));
    let review = list(&mut client, &session).remove(0);
    // Nobody has accepted the proposed one: it is as undecided as the other.
    assert_eq!(lines(&review), ["1 \"two\" \"TWO\"", "3 \"four\" \"FOUR\""]);
    let back = client.request_ok("copydesk/session/setReview", json!({ "session": session }));
    assert!(back["session"]["review"].is_null(), "{back}");
}

#[test]
fn who_types_what_the_call_waits_to_write_has_decided() {
    let daemon = ScriptedDaemon::with_asked_edits([edit("c1", "a.txt", "two", "TWO"), text_turn("Done.")]);
    let mut client = daemon.client("vscode");
    let (session, uri) = (client.new_session(), daemon.uri("a.txt"));
    client.open(&uri, OLD);
    client.prompt(&session, "Edit");
    client.wait_for_method("copydesk/permission/ask");
    assert_eq!(list(&mut client, &session).len(), 1);
    client.type_text(&uri, "two", "TWO");
    client.wait_for_event(&session, "settled");
    assert_eq!(client.wait_for_turn_end(&session), "done");
    assert_eq!(client.text(&uri), OLD.replace("two", "TWO"));
    assert_eq!(list(&mut client, &session), [] as [Value; 0]);
}

#[test]
fn a_decision_that_is_cancelled_on_its_way_does_not_stay_undecided_for_ever() {
    let daemon = ScriptedDaemon::new([four_hunks(), text_turn("Done.")]);
    let (mut client, session, _) = open_with_agent_edit(&daemon);
    let review = list(&mut client, &session).remove(0);
    client.applies_edits = false;
    let decisions = json!({ "session": session, "decisions": [decision_on(&review["hunks"][0], "reject")] });
    let id = client.send_request("copydesk/review/decide", decisions);
    let request = client.wait_for_method("workspace/applyEdit");
    client.notify("$/cancelRequest", json!({ "id": id }));
    client.wait_for_response(&id);
    client.answer(&request, json!({ "applied": false, "failureReason": "no" }));
    let mut lists = (0..1000).map(|_| list(&mut client, &session).remove(0));
    let review =
        lists.find(|review| review["hunks"][0]["deciding"].is_null()).expect("it is undecided again");
    assert_eq!(review["total"], 4);
}

#[test]
fn comments_and_files_that_the_user_changed_go_as_one_note() {
    let daemon = ScriptedDaemon::new([four_hunks(), text_turn("Done."), text_turn("I see.")]);
    daemon.scripted.env.write("a.txt", OLD);
    let mut client = daemon.client("vscode");
    let (session, uri) = (client.new_session(), daemon.uri("a.txt"));
    client.run_turn(&session, "Edit");
    let comment =
        |line: u32, text: &str| json!({ "session": session, "uri": uri, "line": line, "text": text });
    assert_eq!(client.request_ok("copydesk/review/comment", comment(1, "Why capitals?"))["comments"], 1);
    assert_eq!(client.request_ok("copydesk/review/comment", comment(3, "Here too."))["comments"], 2);
    client.run_turn(&session, "See my comments.");
    expect![[r#"
        See my comments.<copydesk-note>
        What the user did with your edits since your last step:
        - `a.txt` line 2: the user says: Why capitals?
          TWO
        - `a.txt` line 4: the user says: Here too.
          FOUR
        - `a.txt` line 2: not decided yet.
        - `a.txt` line 4: not decided yet.
        - `a.txt` line 6: not decided yet.
        - `a.txt` line 8: not decided yet.
        </copydesk-note>"#]]
    .assert_eq(&daemon.last_model_input(2));
    daemon.scripted.server.queue_turn(text_turn("Ok."));
    daemon.scripted.env.write("a.txt", "something else\n");
    client.run_turn(&session, "And now?");
    assert!(
        daemon.last_model_input(3).contains("Changed since you last read them, but not by you: `a.txt`."),
        "{}",
        daemon.last_model_input(3)
    );
}

#[test]
fn a_review_outlives_the_daemon_and_the_editor() {
    let mut daemon = ScriptedDaemon::new([four_hunks(), text_turn("Done.")]);
    daemon.scripted.env.write("a.txt", OLD);
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.run_turn(&session, "Edit");
    let review = list(&mut client, &session).remove(0);
    assert_eq!(decide(&mut client, &session, &[decision_on(&review["hunks"][3], "accept")]), ["done"]);
    drop(client);
    daemon.restart();
    daemon.scripted.env.write("a.txt", format!("zero\n{NEW}"));
    let mut client = daemon.client("vscode");
    let review = list(&mut client, &session).remove(0);
    assert_eq!(lines(&review), ["2 \"two\" \"TWO\"", "4 \"four\" \"FOUR\"", "6 \"six\" \"SIX\""]);
    assert_eq!(decide(&mut client, &session, &[decision_on(&review, "reject")]), ["done"]);
    assert_eq!(daemon.scripted.env.read("a.txt"), format!("zero\n{}", OLD.replace("eight", "EIGHT")));
}
