//! Agents that work for agents, as editors see them: what they ask and edit is the session's that called them, and their own
//! session can be looked at.

use serde_json::{Value, json};

use super::client::Client;
use super::desk::{Running, edit, says};
use super::reviews::{decide, list, on};
use crate::model_server::Turn;
use crate::sessions::tasks::{arguments, plays, requests, results, task, task_id};

const BUSY: i64 = -31006;
const TEXT: &str = "one\ntwo\nthree\nfour\nfive\n";

fn read() -> Turn {
    Turn::new().call("r1", "read", json!({ "filePath": "a.txt" }))
}

/// An editor with the file open, in a session whose agent gives a task.
fn given(desk: &Running) -> (Client, String, String) {
    plays(&desk.scripted.server, "Go", [task("c1", "general", "Change")]);
    let mut client = desk.client("vscode");
    let (session, uri) = (client.session(), desk.uri("a.txt"));
    client.open(&uri, TEXT);
    (client, session, uri)
}

/// The session of the task, as soon as it is told.
fn below(client: &mut Client, session: &str) -> String {
    client.event(session, "progress")["metadata"]["session"].as_str().unwrap().to_owned()
}

/// Lets the editor work until this many hunks are undecided.
fn hunks(client: &mut Client, session: &str, total: usize) {
    while client.event(session, "reviewChanged")["review"]["total"] != total {}
}

/// Attaches to a session and waits until its model has said this much.
fn said(client: &mut Client, session: &str, words: &str) -> Value {
    loop {
        let loaded = client.load(session);
        let last = loaded["parts"].as_array().unwrap().last().unwrap();
        if last["content"]["text"] == words {
            return loaded;
        }
        client.event(session, "delta");
    }
}

fn told(desk: &Running, words: &str, number: usize) -> String {
    requests(&desk.scripted.server, words)[number]["messages"].to_string()
}

#[test]
fn what_an_agent_asks_reaches_everybody_and_the_first_reply_wins() {
    let desk = Running::asking([]);
    let (mut one, session, uri) = given(&desk);
    plays(&desk.scripted.server, "Go", [says("Done.")]);
    plays(&desk.scripted.server, "Change", [read(), edit("e1", "a.txt", "two", "2"), says("Changed.")]);
    let mut other = desk.client("nvim");
    other.load(&session);
    one.prompt(&session, "Go");
    let (ask, also) = (one.request("copydesk/permission/ask"), other.request("copydesk/permission/ask"));
    assert_eq!(ask["params"], also["params"]);
    let asked = &ask["params"];
    assert_eq!(
        (&asked["session"], &asked["title"]),
        (&json!(session), &json!("general: Edit a.txt (+1 -1)"))
    );
    assert_eq!(
        asked["part"],
        json!(one.calls(&session)[0]),
        "it is asked by the call of the session that is seen"
    );
    assert_eq!(asked["metadata"]["session"], json!(below(&mut one, &session)));
    // The hunk is among those of the session that is seen, and waits for the same ask.
    let reviews = list(&mut one, &session);
    assert_eq!((&reviews[0]["when"], &reviews[0]["ask"]), (&json!("before"), &asked["ask"]), "{reviews:?}");
    other.answer(&also, json!({ "reply": "once" }));
    let settled = one.request("copydesk/permission/settled");
    assert_eq!((&settled["params"]["ask"], &settled["params"]["by"]), (&asked["ask"], &json!("nvim")));
    one.answer(&ask, json!({ "reply": "cancelled" }));
    assert_eq!(one.ended(&session), "done");
    assert_eq!(one.text(&uri), TEXT.replace("two", "2"));
    assert!(list(&mut one, &session).is_empty(), "what was said yes to is not to be decided again");
    let held = one.call("copydesk/status", json!({}))["sessions"].clone();
    assert_eq!(held, json!([{ "session": session, "running": false }]), "whoever is done is let go");
}

#[test]
fn what_a_task_that_is_ended_had_asked_is_not_asked_any_more() {
    let desk = Running::asking([]);
    let (mut client, session, uri) = given(&desk);
    plays(&desk.scripted.server, "Go", [says("I see.")]);
    plays(&desk.scripted.server, "Change", [read(), edit("e1", "a.txt", "two", "2")]);
    client.prompt(&session, "Go");
    let ask = client.request("copydesk/permission/ask");
    let id = ask["params"]["metadata"]["session"].clone();
    client.call("copydesk/turn/cancel", json!({ "session": id }));
    let settled = client.request("copydesk/permission/settled");
    assert_eq!(settled["params"], json!({ "session": session, "ask": ask["params"]["ask"] }));
    // A reply that comes late changes nothing.
    client.answer(&ask, json!({ "reply": "once" }));
    assert_eq!(client.ended(&session), "done");
    assert_eq!(client.text(&uri), TEXT);
    assert!(list(&mut client, &session).is_empty());
    assert_eq!(client.load(&session)["asks"], json!([]));
}

#[test]
fn always_is_for_the_session_and_all_that_work_for_it() {
    let desk = Running::asking([]);
    let (mut client, session, _) = given(&desk);
    let run = |call: &str, file: &str| {
        Turn::new().call(call, "bash", json!({ "command": format!("touch {file}") }))
    };
    plays(&desk.scripted.server, "Go", [run("c2", "above"), task("c3", "general", "More"), says("Done.")]);
    plays(&desk.scripted.server, "Change", [run("b1", "first"), run("b2", "second"), says("Made.")]);
    plays(&desk.scripted.server, "More", [run("b1", "third"), says("Made.")]);
    client.prompt(&session, "Go");
    let ask = client.request("copydesk/permission/ask");
    assert_eq!(
        (&ask["params"]["key"], &ask["params"]["metadata"]["command"]),
        (&json!("bash"), &json!("touch first"))
    );
    client.answer(&ask, json!({ "reply": "always" }));
    assert_eq!(client.ended(&session), "done");
    assert!(["above", "first", "second", "third"].iter().all(|file| desk.scripted.desk.exists(file)));
    assert!(!client.has(|message| message["method"] == "copydesk/permission/ask"));
}

#[test]
fn hunks_are_decided_one_by_one_and_whoever_works_is_told() {
    let desk = Running::new([]);
    let (mut client, session, uri) = given(&desk);
    let new = "ONE\ntwo\nTHREE\nfour\nFIVE\n";
    let child = [
        read(),
        edit("e1", "a.txt", TEXT, new),
        Turn::new().hold("look").call("r2", "glob", json!({ "pattern": "*" })),
        says("Changed."),
    ];
    plays(&desk.scripted.server, "Change", child);
    plays(&desk.scripted.server, "Go", [Turn::new().hold("above").text("Done."), says("I see.")]);
    client.prompt(&session, "Go");
    hunks(&mut client, &session, 3);
    desk.reached("look");
    let reviews = list(&mut client, &session);
    let [review] = reviews.as_slice() else { panic!("{reviews:?}") };
    assert_eq!((&review["when"], review["hunks"].as_array().unwrap().len()), (&json!("after"), 3));
    assert_eq!(review["hunks"][0]["by"], json!(client.calls(&session)), "it is by the call that is seen");
    // While the agent works, it is told.
    assert_eq!(decide(&mut client, &session, &[on(&review["hunks"][0], "reject")]), ["done"]);
    desk.open("look");
    desk.reached("above");
    assert!(told(&desk, "Change", 3).contains("`a.txt` line 1: rejected"), "{}", told(&desk, "Change", 3));
    assert!(!told(&desk, "Go", 1).contains("rejected"), "{}", told(&desk, "Go", 1));
    // When it is done, the session is that it worked for.
    let reviews = list(&mut client, &session);
    assert_eq!(decide(&mut client, &session, &[on(&reviews[0]["hunks"][0], "reject")]), ["done"]);
    desk.open("above");
    assert_eq!(client.ended(&session), "done");
    assert_eq!(client.text(&uri), "one\ntwo\nthree\nfour\nFIVE\n");
    client.turn(&session, "Go on");
    let told = told(&desk, "Go", 2);
    assert!(
        told.contains("`a.txt` line 3: rejected") && told.contains("`a.txt` line 5: not decided yet"),
        "{told}"
    );
    // The rest is taken back with the turn.
    client.call("copydesk/undo", json!({ "session": session, "what": { "turn": 1 } }));
    assert_eq!(client.text(&uri), TEXT);
}

#[test]
fn of_two_agents_each_is_told_of_its_own_edits() {
    let desk = Running::new([]);
    let server = &desk.scripted.server;
    let both = Turn::new().call("c1", "task", arguments("general", "Left")).call(
        "c2",
        "task",
        arguments("general", "Right"),
    );
    plays(server, "Go", [both, says("Done.")]);
    for (words, old, new, gate) in [("Left", "one", "1", "left"), ("Right", "five", "5", "right")] {
        let held = Turn::new().hold(gate).call("r2", "glob", json!({ "pattern": "*" }));
        plays(server, words, [read(), edit("e1", "a.txt", old, new), held, says("Changed.")]);
    }
    let mut client = desk.client("vscode");
    let (session, uri) = (client.session(), desk.uri("a.txt"));
    client.open(&uri, TEXT);
    client.prompt(&session, "Go");
    hunks(&mut client, &session, 2);
    desk.reached("left");
    desk.reached("right");
    assert_eq!(client.text(&uri), "1\ntwo\nthree\nfour\n5\n");
    let review = list(&mut client, &session).remove(0);
    let decisions = [on(&review["hunks"][0], "reject"), on(&review["hunks"][1], "accept")];
    assert_eq!(decide(&mut client, &session, &decisions), ["done", "done"]);
    desk.open("left");
    desk.open("right");
    assert_eq!(client.ended(&session), "done");
    let (left, right) = (told(&desk, "Left", 3), told(&desk, "Right", 3));
    assert!(left.contains("line 1: rejected") && !left.contains("accepted"), "{left}");
    assert!(right.contains("line 5: accepted") && !right.contains("rejected"), "{right}");
}

#[test]
fn reviewing_is_chosen_for_all_of_them_at_any_time() {
    let desk = Running::new([]);
    let (mut client, session, uri) = given(&desk);
    plays(&desk.scripted.server, "Go", [says("Done.")]);
    let child = [
        read(),
        edit("e1", "a.txt", "one", "1"),
        Turn::new().hold("look").call(
            "e2",
            "edit",
            json!({ "filePath": "a.txt", "oldString": "two", "newString": "2" }),
        ),
        edit("e3", "a.txt", "three", "3"),
        says("Changed."),
    ];
    plays(&desk.scripted.server, "Change", child);
    client.prompt(&session, "Go");
    hunks(&mut client, &session, 1);
    desk.reached("look");
    assert_eq!(client.text(&uri), TEXT.replace("one", "1"), "it is allowed");
    client.call("copydesk/session/setReview", json!({ "session": session, "review": "before" }));
    desk.open("look");
    let ask = client.request("copydesk/permission/ask");
    assert_eq!(ask["params"]["title"], "general: Edit a.txt (+1 -1)");
    // From now on nobody need be asked, and whoever waits goes on.
    client.call("copydesk/session/setReview", json!({ "session": session, "review": "after" }));
    assert_eq!(client.ended(&session), "done");
    assert_eq!(client.text(&uri), "1\n2\n3\nfour\nfive\n");
}

#[test]
fn a_no_without_a_reason_stops_everything() {
    let desk = Running::asking([]);
    let (mut client, session, uri) = given(&desk);
    plays(&desk.scripted.server, "Change", [read(), edit("e1", "a.txt", "two", "2")]);
    client.prompt(&session, "Go");
    let ask = client.request("copydesk/permission/ask");
    client.answer(&ask, json!({ "reply": "reject" }));
    assert_eq!(client.ended(&session), "rejected");
    assert_eq!(client.text(&uri), TEXT);
    let part = client.parts(&session).into_iter().rfind(|part| part["content"]["name"] == "task").unwrap();
    let output = part["content"]["output"]["output"].as_str().unwrap();
    assert!(
        output.starts_with(
            "general: About Change: the person said no to something in it, and stopped it\ntask_id: "
        ),
        "{output}"
    );
    assert_eq!(part["content"]["output"]["metadata"]["state"], "rejected");
}

#[test]
fn whoever_cancels_the_turn_cancels_all_who_work_for_it() {
    let desk = Running::asking([]);
    let (mut client, session, _) = given(&desk);
    plays(&desk.scripted.server, "Change", [says("I begin.").gate("half").text("I go on.")]);
    client.prompt(&session, "Go");
    let id = below(&mut client, &session);
    desk.reached("half");
    said(&mut client, &id, "I begin.");
    client.call("copydesk/turn/cancel", json!({ "session": session }));
    assert_eq!(client.ended(&session), "cancelled");
    desk.hung_up("half");
    let part = client.parts(&session).into_iter().rfind(|part| part["content"]["name"] == "task").unwrap();
    assert_eq!(part["state"]["kind"], "interrupted");
    // Also while it waits for a person, who is not asked any more.
    plays(&desk.scripted.server, "Go", [task("c2", "general", "Ask")]);
    plays(&desk.scripted.server, "Ask", [read(), edit("e1", "a.txt", "two", "2")]);
    client.prompt(&session, "Again");
    client.request("copydesk/permission/ask");
    client.call("copydesk/turn/cancel", json!({ "session": session }));
    client.request("copydesk/permission/settled");
    assert_eq!(client.ended(&session), "cancelled");
    // What it had said is kept, and it can be taken up.
    let again = json!({ "description": "On", "prompt": "Go on", "subagent_type": "general", "task_id": id });
    plays(&desk.scripted.server, "Go", [Turn::new().call("c3", "task", again), says("Done.")]);
    plays(&desk.scripted.server, "Change", [says("Now I do.")]);
    client.turn(&session, "Take it up");
    assert!(told(&desk, "Change", 1).contains("I begin."), "{}", told(&desk, "Change", 1));
}

#[test]
fn the_session_of_an_agent_can_be_looked_at_and_ended() {
    let desk = Running::asking([]);
    let (mut client, session, _) = given(&desk);
    plays(&desk.scripted.server, "Go", [says("Too bad.")]);
    plays(&desk.scripted.server, "Change", [says("Look: ").gate("half").text("more")]);
    client.prompt(&session, "Go");
    let id = below(&mut client, &session);
    desk.reached("half");
    let mut other = desk.client("nvim");
    let loaded = said(&mut other, &id, "Look: ");
    assert_eq!((&loaded["session"]["parent"], &loaded["running"]), (&json!(session), &json!(1)));
    let text = loaded["parts"].as_array().unwrap().last().unwrap();
    assert_eq!((&text["state"]["kind"], &text["content"]["text"]), (&json!("running"), &json!("Look: ")));
    // It works for another: nobody else prompts it now.
    let (code, message) = other.refused("copydesk/turn/start", json!({ "session": id, "text": "Hello" }));
    assert_eq!(code, BUSY, "{message}");
    let (code, _) = other.refused("copydesk/turn/steer", json!({ "session": id, "text": "Hello" }));
    assert_eq!(code, BUSY);
    let listed = client.call("copydesk/session/list", json!({}));
    assert_eq!(listed["sessions"].as_array().unwrap().len(), 1, "{listed}");
    other.call("copydesk/turn/cancel", json!({ "session": id }));
    assert_eq!(other.ended(&id), "cancelled");
    desk.hung_up("half");
    assert_eq!(client.ended(&session), "done", "the others go on");
    let told = results(&requests(&desk.scripted.server, "Go")[1]).remove(0);
    assert!(
        told.starts_with("general: About Change: the person ended it before it was done\n")
            && told.contains("Look:"),
        "{told}"
    );
    assert_eq!(task_id(&told), id);
    // Now it is a session like any other, and its edits are its own.
    plays(&desk.scripted.server, "Change", [edit("e1", "a.txt", "two", "2"), says("Made.")]);
    let uri = desk.uri("a.txt");
    other.open(&uri, TEXT);
    other.call("copydesk/session/setReview", json!({ "session": id, "review": "after" }));
    other.turn(&id, "Do it yourself");
    assert_eq!((list(&mut other, &id).len(), list(&mut client, &session).len()), (1, 0));
    // Until it is called again.
    let again = json!({ "description": "On", "prompt": "Go on", "subagent_type": "general", "task_id": id });
    plays(&desk.scripted.server, "Go", [Turn::new().call("c2", "task", again), says("Done.")]);
    plays(&desk.scripted.server, "Change", [edit("e2", "a.txt", "four", "4"), says("Made.")]);
    client.call("copydesk/session/setReview", json!({ "session": session, "review": "after" }));
    client.prompt(&session, "Take it up");
    assert_eq!(client.ended(&session), "done");
    assert_eq!(client.text(&uri), TEXT.replace("four", "4"));
    assert_eq!((list(&mut other, &id).len(), list(&mut client, &session).len()), (1, 1));
}

#[test]
fn what_is_left_of_a_task_goes_with_its_session() {
    let desk = Running::asking([]);
    let (mut client, session, _) = given(&desk);
    plays(&desk.scripted.server, "Change", [says("Look: ").gate("half").text("more")]);
    client.prompt(&session, "Go");
    let id = below(&mut client, &session);
    desk.reached("half");
    let mut other = desk.client("nvim");
    other.load(&id);
    client.call("copydesk/session/delete", json!({ "session": session }));
    other.event(&id, "deleted");
    desk.hung_up("half");
    let (_, message) = other.refused("copydesk/session/load", json!({ "session": id }));
    assert!(message.contains("there is no session"), "{message}");
    // Nothing is held for it any more.
    let status = client.call("copydesk/status", json!({}));
    assert_eq!(status["sessions"], json!([]), "{status}");
}

#[test]
fn a_desk_that_is_killed_while_an_agent_works_knows_both_sessions() {
    let mut desk = Running::asking([]);
    let (mut client, session, _) = given(&desk);
    plays(
        &desk.scripted.server,
        "Change",
        [
            says("I look.").call("r1", "read", json!({ "filePath": "a.txt" })),
            Turn::new().hold("half").text("more"),
        ],
    );
    client.prompt(&session, "Go");
    let id = below(&mut client, &session);
    desk.reached("half");
    desk.start_again();
    desk.hung_up("half");
    let mut client = desk.client("vscode");
    let states = |loaded: &Value| -> Vec<(String, String)> {
        let parts = loaded["parts"].as_array().unwrap().iter();
        let state = |part: &Value| {
            (
                part["content"]["kind"].as_str().unwrap().to_owned(),
                part["state"]["kind"].as_str().unwrap().to_owned(),
            )
        };
        parts.map(state).filter(|(kind, _)| kind == "call" || kind == "text").collect()
    };
    let pair = |kind: &str, state: &str| (kind.to_owned(), state.to_owned());
    assert_eq!(states(&client.load(&session)), [pair("call", "interrupted")]);
    assert_eq!(states(&client.load(&id)), [pair("text", "completed"), pair("call", "completed")]);
    plays(&desk.scripted.server, "Go", [says("I see.")]);
    client.turn(&session, "Go on");
    let told = results(&requests(&desk.scripted.server, "Go")[1]).remove(0);
    assert!(told.contains("interrupted") && told.contains(&format!("`task_id` {id}")), "{told}");
}
