//! Subagents as editors see them: their asks and edits belong to the session that called them, and a client can attach to
//! their own session.

use serde_json::{Value, json};

use super::reviews::{decide, decision_on, list};
use super::scripted_daemon::{ScriptedDaemon, edit, text_turn};
use super::scripted_editor::ScriptedEditor;
use crate::model_server::ScriptedTurn;
use crate::sessions::tasks::{arguments, requests, results, script_session, task, task_id};

const BUSY: i64 = -31006;
const TEXT: &str = "one\ntwo\nthree\nfour\nfive\n";

fn read() -> ScriptedTurn {
    ScriptedTurn::new().call("r1", "read", json!({ "filePath": "a.txt" }))
}

/// An editor with the file open, in a session whose agent starts a task.
fn start_task(daemon: &ScriptedDaemon) -> (ScriptedEditor, String, String) {
    script_session(&daemon.scripted.server, "Go", [task("c1", "general", "Change")]);
    let mut client = daemon.client("vscode");
    let (session, uri) = (client.new_session(), daemon.uri("a.txt"));
    client.open(&uri, TEXT);
    (client, session, uri)
}

/// The task's session, as soon as it is announced.
fn task_session(client: &mut ScriptedEditor, session: &str) -> String {
    client.wait_for_event(session, "progress")["metadata"]["session"].as_str().unwrap().to_owned()
}

/// Lets the editor work until this many hunks are undecided.
fn wait_for_hunks(client: &mut ScriptedEditor, session: &str, total: usize) {
    while client.wait_for_event(session, "reviewChanged")["review"]["total"] != total {}
}

/// Attaches to a session and waits until its model has sent this text.
fn wait_for_text(client: &mut ScriptedEditor, session: &str, words: &str) -> Value {
    loop {
        let loaded = client.load(session);
        let last = loaded["parts"].as_array().unwrap().last().unwrap();
        if last["content"]["text"] == words {
            return loaded;
        }
        client.wait_for_event(session, "delta");
    }
}

fn model_input(daemon: &ScriptedDaemon, words: &str, number: usize) -> String {
    requests(&daemon.scripted.server, words)[number]["messages"].to_string()
}

#[test]
fn what_an_agent_asks_reaches_everybody_and_the_first_reply_wins() {
    let daemon = ScriptedDaemon::with_asked_edits([]);
    let (mut one, session, uri) = start_task(&daemon);
    script_session(&daemon.scripted.server, "Go", [text_turn("Done.")]);
    script_session(
        &daemon.scripted.server,
        "Change",
        [read(), edit("e1", "a.txt", "two", "2"), text_turn("Changed.")],
    );
    let mut other = daemon.client("nvim");
    other.load(&session);
    one.prompt(&session, "Go");
    let (ask, also) =
        (one.wait_for_method("copydesk/permission/ask"), other.wait_for_method("copydesk/permission/ask"));
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
    assert_eq!(asked["metadata"]["session"], json!(task_session(&mut one, &session)));
    // The hunk belongs to the visible session, and waits for the same ask.
    let reviews = list(&mut one, &session);
    assert_eq!((&reviews[0]["when"], &reviews[0]["ask"]), (&json!("before"), &asked["ask"]), "{reviews:?}");
    other.answer(&also, json!({ "reply": "once" }));
    let settled = one.wait_for_method("copydesk/permission/settled");
    assert_eq!((&settled["params"]["ask"], &settled["params"]["by"]), (&asked["ask"], &json!("nvim")));
    one.answer(&ask, json!({ "reply": "cancelled" }));
    assert_eq!(one.wait_for_turn_end(&session), "done");
    assert_eq!(one.text(&uri), TEXT.replace("two", "2"));
    assert!(list(&mut one, &session).is_empty(), "what was said yes to is not to be decided again");
    let held = one.request_ok("copydesk/status", json!({}))["sessions"].clone();
    let only = json!([{ "session": session, "running": false, "attached": ["vscode", "nvim"] }]);
    assert_eq!(held, only, "a completed session is released");
}

#[test]
fn what_a_task_that_is_ended_had_asked_is_not_asked_any_more() {
    let daemon = ScriptedDaemon::with_asked_edits([]);
    let (mut client, session, uri) = start_task(&daemon);
    script_session(&daemon.scripted.server, "Go", [text_turn("I see.")]);
    script_session(&daemon.scripted.server, "Change", [read(), edit("e1", "a.txt", "two", "2")]);
    client.prompt(&session, "Go");
    let ask = client.wait_for_method("copydesk/permission/ask");
    let id = ask["params"]["metadata"]["session"].clone();
    client.request_ok("copydesk/turn/cancel", json!({ "session": id }));
    let settled = client.wait_for_method("copydesk/permission/settled");
    assert_eq!(settled["params"], json!({ "session": session, "ask": ask["params"]["ask"] }));
    // A late reply changes nothing.
    client.answer(&ask, json!({ "reply": "once" }));
    assert_eq!(client.wait_for_turn_end(&session), "done");
    assert_eq!(client.text(&uri), TEXT);
    assert!(list(&mut client, &session).is_empty());
    assert_eq!(client.load(&session)["asks"], json!([]));
}

#[test]
fn always_is_for_the_session_and_all_that_work_for_it() {
    let daemon = ScriptedDaemon::with_asked_edits([]);
    let (mut client, session, _) = start_task(&daemon);
    let run = |call: &str, file: &str| {
        ScriptedTurn::new().call(call, "bash", json!({ "command": format!("touch {file}") }))
    };
    script_session(
        &daemon.scripted.server,
        "Go",
        [run("c2", "above"), task("c3", "general", "More"), text_turn("Done.")],
    );
    script_session(
        &daemon.scripted.server,
        "Change",
        [run("b1", "first"), run("b2", "second"), text_turn("Made.")],
    );
    script_session(&daemon.scripted.server, "More", [run("b1", "third"), text_turn("Made.")]);
    client.prompt(&session, "Go");
    let ask = client.wait_for_method("copydesk/permission/ask");
    assert_eq!(
        (&ask["params"]["key"], &ask["params"]["metadata"]["command"]),
        (&json!("bash"), &json!("touch first"))
    );
    client.answer(&ask, json!({ "reply": "always" }));
    assert_eq!(client.wait_for_turn_end(&session), "done");
    assert!(["above", "first", "second", "third"].iter().all(|file| daemon.scripted.env.exists(file)));
    assert!(!client.has_message(|message| message["method"] == "copydesk/permission/ask"));
}

#[test]
fn hunks_are_decided_one_by_one_and_whoever_works_is_told() {
    let daemon = ScriptedDaemon::new([]);
    let (mut client, session, uri) = start_task(&daemon);
    let new = "ONE\ntwo\nTHREE\nfour\nFIVE\n";
    let child = [
        read(),
        edit("e1", "a.txt", TEXT, new),
        ScriptedTurn::new().gate_before_response("look").call("r2", "glob", json!({ "pattern": "*" })),
        text_turn("Changed."),
    ];
    script_session(&daemon.scripted.server, "Change", child);
    script_session(
        &daemon.scripted.server,
        "Go",
        [ScriptedTurn::new().gate_before_response("above").text("Done."), text_turn("I see.")],
    );
    client.prompt(&session, "Go");
    wait_for_hunks(&mut client, &session, 3);
    daemon.wait_for_gate("look");
    let reviews = list(&mut client, &session);
    let [review] = reviews.as_slice() else { panic!("{reviews:?}") };
    assert_eq!((&review["when"], review["hunks"].as_array().unwrap().len()), (&json!("after"), 3));
    assert_eq!(review["hunks"][0]["by"], json!(client.calls(&session)), "it is by the call that is seen");
    // While the subagent works, it is told of the decision.
    assert_eq!(decide(&mut client, &session, &[decision_on(&review["hunks"][0], "reject")]), ["done"]);
    daemon.open_gate("look");
    daemon.wait_for_gate("above");
    assert!(
        model_input(&daemon, "Change", 3).contains("`a.txt` line 1: rejected"),
        "{}",
        model_input(&daemon, "Change", 3)
    );
    assert!(!model_input(&daemon, "Go", 1).contains("rejected"), "{}", model_input(&daemon, "Go", 1));
    // Once it is done, its parent session is told.
    let reviews = list(&mut client, &session);
    assert_eq!(decide(&mut client, &session, &[decision_on(&reviews[0]["hunks"][0], "reject")]), ["done"]);
    daemon.open_gate("above");
    assert_eq!(client.wait_for_turn_end(&session), "done");
    assert_eq!(client.text(&uri), "one\ntwo\nthree\nfour\nFIVE\n");
    client.run_turn(&session, "Go on");
    let told = model_input(&daemon, "Go", 2);
    assert!(
        told.contains("`a.txt` line 3: rejected") && told.contains("`a.txt` line 5: not decided yet"),
        "{told}"
    );
    // Undoing the turn reverts the rest.
    client.request_ok("copydesk/undo", json!({ "session": session, "what": { "turn": 1 } }));
    assert_eq!(client.text(&uri), TEXT);
}

#[test]
fn of_two_agents_each_is_told_of_its_own_edits() {
    let daemon = ScriptedDaemon::new([]);
    let server = &daemon.scripted.server;
    let both = ScriptedTurn::new().call("c1", "task", arguments("general", "Left")).call(
        "c2",
        "task",
        arguments("general", "Right"),
    );
    script_session(server, "Go", [both, text_turn("Done.")]);
    for (words, old, new, gate) in [("Left", "one", "1", "left"), ("Right", "five", "5", "right")] {
        let held =
            ScriptedTurn::new().gate_before_response(gate).call("r2", "glob", json!({ "pattern": "*" }));
        script_session(server, words, [read(), edit("e1", "a.txt", old, new), held, text_turn("Changed.")]);
    }
    let mut client = daemon.client("vscode");
    let (session, uri) = (client.new_session(), daemon.uri("a.txt"));
    client.open(&uri, TEXT);
    client.prompt(&session, "Go");
    wait_for_hunks(&mut client, &session, 2);
    daemon.wait_for_gate("left");
    daemon.wait_for_gate("right");
    assert_eq!(client.text(&uri), "1\ntwo\nthree\nfour\n5\n");
    let review = list(&mut client, &session).remove(0);
    let decisions = [decision_on(&review["hunks"][0], "reject"), decision_on(&review["hunks"][1], "accept")];
    assert_eq!(decide(&mut client, &session, &decisions), ["done", "done"]);
    daemon.open_gate("left");
    daemon.open_gate("right");
    assert_eq!(client.wait_for_turn_end(&session), "done");
    let (left, right) = (model_input(&daemon, "Left", 3), model_input(&daemon, "Right", 3));
    assert!(left.contains("line 1: rejected") && !left.contains("accepted"), "{left}");
    assert!(right.contains("line 5: accepted") && !right.contains("rejected"), "{right}");
}

#[test]
fn reviewing_is_chosen_for_all_of_them_at_any_time() {
    let daemon = ScriptedDaemon::new([]);
    let (mut client, session, uri) = start_task(&daemon);
    script_session(&daemon.scripted.server, "Go", [text_turn("Done.")]);
    let child = [
        read(),
        edit("e1", "a.txt", "one", "1"),
        ScriptedTurn::new().gate_before_response("look").call(
            "e2",
            "edit",
            json!({ "filePath": "a.txt", "oldString": "two", "newString": "2" }),
        ),
        edit("e3", "a.txt", "three", "3"),
        text_turn("Changed."),
    ];
    script_session(&daemon.scripted.server, "Change", child);
    client.prompt(&session, "Go");
    wait_for_hunks(&mut client, &session, 1);
    daemon.wait_for_gate("look");
    assert_eq!(client.text(&uri), TEXT.replace("one", "1"), "it is allowed");
    client.request_ok("copydesk/session/setReview", json!({ "session": session, "review": "before" }));
    daemon.open_gate("look");
    let ask = client.wait_for_method("copydesk/permission/ask");
    assert_eq!(ask["params"]["title"], "general: Edit a.txt (+1 -1)");
    // From now on nothing needs approval, and a waiting call continues.
    client.request_ok("copydesk/session/setReview", json!({ "session": session, "review": "after" }));
    assert_eq!(client.wait_for_turn_end(&session), "done");
    assert_eq!(client.text(&uri), "1\n2\n3\nfour\nfive\n");
}

#[test]
fn a_no_without_a_reason_stops_everything() {
    let daemon = ScriptedDaemon::with_asked_edits([]);
    let (mut client, session, uri) = start_task(&daemon);
    script_session(&daemon.scripted.server, "Change", [read(), edit("e1", "a.txt", "two", "2")]);
    client.prompt(&session, "Go");
    let ask = client.wait_for_method("copydesk/permission/ask");
    client.answer(&ask, json!({ "reply": "reject" }));
    assert_eq!(client.wait_for_turn_end(&session), "rejected");
    assert_eq!(client.text(&uri), TEXT);
    let part = client.parts(&session).into_iter().rfind(|part| part["content"]["name"] == "task").unwrap();
    let output = part["content"]["output"]["output"].as_str().unwrap();
    assert!(
        output.starts_with(
            "general: About Change: the user said no to something in it, and stopped it\ntask_id: "
        ),
        "{output}"
    );
    assert_eq!(part["content"]["output"]["metadata"]["state"], "rejected");
}

#[test]
fn whoever_cancels_the_turn_cancels_all_who_work_for_it() {
    let daemon = ScriptedDaemon::with_asked_edits([]);
    let (mut client, session, _) = start_task(&daemon);
    script_session(&daemon.scripted.server, "Change", [text_turn("I begin.").gate("half").text("I go on.")]);
    client.prompt(&session, "Go");
    let id = task_session(&mut client, &session);
    daemon.wait_for_gate("half");
    wait_for_text(&mut client, &id, "I begin.");
    client.request_ok("copydesk/turn/cancel", json!({ "session": session }));
    assert_eq!(client.wait_for_turn_end(&session), "cancelled");
    daemon.wait_for_hangup("half");
    let part = client.parts(&session).into_iter().rfind(|part| part["content"]["name"] == "task").unwrap();
    assert_eq!(part["state"]["kind"], "interrupted");
    // Also while it waits for the user, whose ask is then settled.
    script_session(&daemon.scripted.server, "Go", [task("c2", "general", "Ask")]);
    script_session(&daemon.scripted.server, "Ask", [read(), edit("e1", "a.txt", "two", "2")]);
    client.prompt(&session, "Again");
    client.wait_for_method("copydesk/permission/ask");
    client.request_ok("copydesk/turn/cancel", json!({ "session": session }));
    client.wait_for_method("copydesk/permission/settled");
    assert_eq!(client.wait_for_turn_end(&session), "cancelled");
    // Its text is kept, and it can be resumed.
    let again = json!({ "description": "On", "prompt": "Go on", "subagent_type": "general", "task_id": id });
    script_session(
        &daemon.scripted.server,
        "Go",
        [ScriptedTurn::new().call("c3", "task", again), text_turn("Done.")],
    );
    script_session(&daemon.scripted.server, "Change", [text_turn("Now I do.")]);
    client.run_turn(&session, "Take it up");
    assert!(model_input(&daemon, "Change", 1).contains("I begin."), "{}", model_input(&daemon, "Change", 1));
}

#[test]
fn the_session_of_an_agent_can_be_looked_at_and_ended() {
    let daemon = ScriptedDaemon::with_asked_edits([]);
    let (mut client, session, _) = start_task(&daemon);
    script_session(&daemon.scripted.server, "Go", [text_turn("Too bad.")]);
    script_session(&daemon.scripted.server, "Change", [text_turn("Look: ").gate("half").text("more")]);
    client.prompt(&session, "Go");
    let id = task_session(&mut client, &session);
    daemon.wait_for_gate("half");
    let mut other = daemon.client("nvim");
    let loaded = wait_for_text(&mut other, &id, "Look: ");
    assert_eq!((&loaded["session"]["parent"], &loaded["running"]), (&json!(session), &json!(1)));
    let text = loaded["parts"].as_array().unwrap().last().unwrap();
    assert_eq!((&text["state"]["kind"], &text["content"]["text"]), (&json!("running"), &json!("Look: ")));
    // It works for another session: nobody else may prompt it now.
    let (code, message) =
        other.request_error("copydesk/turn/start", json!({ "session": id, "text": "Hello" }));
    assert_eq!(code, BUSY, "{message}");
    let (code, _) = other.request_error("copydesk/turn/steer", json!({ "session": id, "text": "Hello" }));
    assert_eq!(code, BUSY);
    let listed = client.request_ok("copydesk/session/list", json!({}));
    assert_eq!(listed["sessions"].as_array().unwrap().len(), 1, "{listed}");
    other.request_ok("copydesk/turn/cancel", json!({ "session": id }));
    assert_eq!(other.wait_for_turn_end(&id), "cancelled");
    daemon.wait_for_hangup("half");
    assert_eq!(client.wait_for_turn_end(&session), "done", "the others go on");
    let told = results(&requests(&daemon.scripted.server, "Go")[1]).remove(0);
    assert!(
        told.starts_with("general: About Change: the user ended it before it was done\n")
            && told.contains("Look:"),
        "{told}"
    );
    assert_eq!(task_id(&told), id);
    // Now it is an ordinary session, and its edits are its own.
    script_session(&daemon.scripted.server, "Change", [edit("e1", "a.txt", "two", "2"), text_turn("Made.")]);
    let uri = daemon.uri("a.txt");
    other.open(&uri, TEXT);
    other.request_ok("copydesk/session/setReview", json!({ "session": id, "review": "after" }));
    other.run_turn(&id, "Do it yourself");
    assert_eq!((list(&mut other, &id).len(), list(&mut client, &session).len()), (1, 0));
    // Until it is called again.
    let again = json!({ "description": "On", "prompt": "Go on", "subagent_type": "general", "task_id": id });
    script_session(
        &daemon.scripted.server,
        "Go",
        [ScriptedTurn::new().call("c2", "task", again), text_turn("Done.")],
    );
    script_session(&daemon.scripted.server, "Change", [edit("e2", "a.txt", "four", "4"), text_turn("Made.")]);
    client.request_ok("copydesk/session/setReview", json!({ "session": session, "review": "after" }));
    client.prompt(&session, "Take it up");
    assert_eq!(client.wait_for_turn_end(&session), "done");
    assert_eq!(client.text(&uri), TEXT.replace("four", "4"));
    assert_eq!((list(&mut other, &id).len(), list(&mut client, &session).len()), (1, 1));
}

#[test]
fn what_is_left_of_a_task_goes_with_its_session() {
    let daemon = ScriptedDaemon::with_asked_edits([]);
    let (mut client, session, _) = start_task(&daemon);
    script_session(&daemon.scripted.server, "Change", [text_turn("Look: ").gate("half").text("more")]);
    client.prompt(&session, "Go");
    let id = task_session(&mut client, &session);
    daemon.wait_for_gate("half");
    let mut other = daemon.client("nvim");
    other.load(&id);
    client.request_ok("copydesk/session/delete", json!({ "session": session }));
    other.wait_for_event(&id, "deleted");
    daemon.wait_for_hangup("half");
    let (_, message) = other.request_error("copydesk/session/load", json!({ "session": id }));
    assert!(message.contains("there is no session"), "{message}");
    // The daemon holds nothing for it any more.
    let status = client.request_ok("copydesk/status", json!({}));
    assert_eq!(status["sessions"], json!([]), "{status}");
}

#[test]
fn a_daemon_that_is_stopped_while_an_agent_works_ends_it() {
    let mut daemon = ScriptedDaemon::with_asked_edits([]);
    let (mut client, session, _) = start_task(&daemon);
    script_session(&daemon.scripted.server, "Change", [text_turn("Look: ").gate("half").text("more")]);
    client.prompt(&session, "Go");
    let id = task_session(&mut client, &session);
    daemon.wait_for_gate("half");
    wait_for_text(&mut client, &id, "Look: ");
    assert_eq!(daemon.scripted.env.run(&["stop", "--now"]).code, Some(0));
    daemon.wait_for_hangup("half");
    assert_eq!(
        (client.wait_for_turn_end(&id), client.wait_for_turn_end(&session)),
        (json!("cancelled"), json!("cancelled"))
    );
    client.read_to_the_end();
    daemon.restart();
    let loaded = daemon.client("vscode").load(&id);
    let [.., text, end] = &loaded["parts"].as_array().unwrap()[..] else { panic!("{loaded}") };
    assert_eq!((&text["state"]["kind"], &text["content"]["text"]), (&json!("interrupted"), &json!("Look: ")));
    assert_eq!(end["content"]["kind"], "turnEnd", "{end}");
}

#[test]
fn a_daemon_that_is_killed_while_an_agent_works_knows_both_sessions() {
    let mut daemon = ScriptedDaemon::with_asked_edits([]);
    let (mut client, session, _) = start_task(&daemon);
    script_session(
        &daemon.scripted.server,
        "Change",
        [
            text_turn("I look.").call("r1", "read", json!({ "filePath": "a.txt" })),
            ScriptedTurn::new().gate_before_response("half").text("more"),
        ],
    );
    client.prompt(&session, "Go");
    let id = task_session(&mut client, &session);
    daemon.wait_for_gate("half");
    daemon.restart();
    daemon.wait_for_hangup("half");
    let mut client = daemon.client("vscode");
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
    script_session(&daemon.scripted.server, "Go", [text_turn("I see.")]);
    client.run_turn(&session, "Go on");
    let told = results(&requests(&daemon.scripted.server, "Go")[1]).remove(0);
    assert!(told.contains("interrupted") && told.contains(&format!("`task_id` {id}")), "{told}");
}
