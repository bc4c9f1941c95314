//! Questions to the user: they go to every client, the first answer wins, and a client that attaches later is asked,
//! too.

use serde_json::{Value, json};

use super::scripted_daemon::{ScriptedDaemon, text_turn};
use crate::model_server::{ScriptedTurn, ScriptedUsage};
use crate::sessions::tasks::{requests, script_fallback, script_session, task};

fn question() -> ScriptedTurn {
    let options = json!([{ "label": "SQLite", "description": "one file" }, { "label": "Postgres" }]);
    let one = json!({ "question": "Which database?", "header": "Database", "options": options });
    let two = json!({ "question": "Which tests?", "header": "Tests", "options": [], "multiple": true });
    ScriptedTurn::new().call("c1", "question", json!({ "questions": [one, two] }))
}

fn answered(answers: Value) -> Value {
    json!({ "reply": "answered", "answers": answers })
}

#[test]
fn the_first_answer_wins_and_the_other_is_told_by_whom() {
    let daemon = ScriptedDaemon::with_asked_edits([question(), text_turn("Done.")]);
    let (mut one, mut other) = (daemon.client("vscode"), daemon.client("nvim"));
    let session = one.new_session();
    other.load(&session);
    one.prompt(&session, "Go");
    let asked = [&mut one, &mut other].map(|client| client.wait_for_method("copydesk/question/ask"));
    assert_eq!(asked[0]["params"], asked[1]["params"]);
    let questions = &asked[0]["params"]["questions"];
    assert_eq!(
        questions[0],
        json!({ "header": "Database", "text": "Which database?", "multiple": false, "custom": true,
            "options": [{ "label": "SQLite", "description": "one file" }, { "label": "Postgres" }] })
    );
    assert_eq!(one.wait_for_event(&session, "questioned")["questions"], *questions);
    other.answer(&asked[1], answered(json!([["Postgres"], ["a", "b"]])));
    let settled = [&mut one, &mut other].map(|client| client.wait_for_method("copydesk/question/settled"));
    assert_eq!(settled[0]["params"]["by"], "nvim");
    assert_eq!(settled[1]["params"].get("by"), None);
    // Too late.
    one.answer(&asked[0], answered(json!([["SQLite"], []])));
    assert_eq!(
        (one.wait_for_turn_end(&session), other.wait_for_turn_end(&session)),
        (json!("done"), json!("done"))
    );
    let told = daemon.last_model_input(1);
    assert!(told.contains("Which database?\n→ Postgres\n\nWhich tests?\n→ a, b"), "{told}");
    assert_eq!(one.events, other.events);
}

#[test]
fn open_questions_wait_for_whoever_attaches_next() {
    let daemon = ScriptedDaemon::with_asked_edits([question(), text_turn("Done.")]);
    let mut first = daemon.client("vscode");
    let session = first.new_session();
    first.prompt(&session, "Go");
    let asked = first.wait_for_method("copydesk/question/ask");
    drop(first);
    let mut next = daemon.client("nvim");
    let loaded = next.load(&session);
    assert_eq!(loaded["questions"][0]["question"], asked["params"]["question"]);
    let again = next.wait_for_method("copydesk/question/ask");
    assert_eq!(again["params"], asked["params"]);
    for rubbish in [json!({ "reply": "perhaps" }), json!(null), json!({ "reply": "cancelled" })] {
        next.answer(&again, rubbish);
    }
    next.load(&session);
    let newer = next.wait_for_method("copydesk/question/ask");
    // Fewer answers than questions, and an empty list as Lua writes it.
    next.answer(&newer, answered(json!([["SQLite"], {}])));
    next.load(&session);
    let newest = next.wait_for_method("copydesk/question/ask");
    next.answer(&newest, answered(json!([["SQLite"]])));
    assert_eq!(next.wait_for_turn_end(&session), "done");
    assert!(
        daemon.last_model_input(1).contains("Which tests?\n→ (nothing)"),
        "{}",
        daemon.last_model_input(1)
    );
    assert_eq!(next.load(&session)["questions"], json!([]));
}

#[test]
fn a_question_that_is_dismissed_stops_the_turn_and_one_with_a_reason_does_not() {
    let daemon = ScriptedDaemon::with_asked_edits([question(), question(), text_turn("Then SQLite.")]);
    let mut client = daemon.client("nvim");
    let session = client.new_session();
    client.prompt(&session, "Go");
    let asked = client.wait_for_method("copydesk/question/ask");
    client.answer(&asked, json!({ "reply": "rejected" }));
    assert_eq!(client.wait_for_turn_end(&session), "rejected");
    client.prompt(&session, "Go on");
    let asked = client.wait_for_method("copydesk/question/ask");
    client.answer(&asked, json!({ "reply": "rejected", "reason": "You know best." }));
    assert_eq!(client.wait_for_turn_end(&session), "done");
    let told = daemon.last_model_input(2);
    assert!(told.contains("There is no answer: You know best."), "{told}");
    assert!(
        daemon.scripted.request_body(1)["messages"].to_string().contains("The user dismissed the question.")
    );
}

/// After a rejection the user is asked nothing else.
#[test]
fn a_no_to_one_thing_ends_all_that_waits() {
    let edit = json!({ "filePath": "a.txt", "oldString": "old", "newString": "new" });
    for first in ["copydesk/permission/ask", "copydesk/question/ask"] {
        let daemon = ScriptedDaemon::with_asked_edits([question().call("c2", "edit", edit.clone())]);
        daemon.scripted.env.write("a.txt", "old\n");
        let mut client = daemon.client("nvim");
        let session = client.new_session();
        client.prompt(&session, "Go");
        let asks =
            ["copydesk/permission/ask", "copydesk/question/ask"].map(|method| client.wait_for_method(method));
        let (at, reply) = if first == asks[0]["method"] { (0, "reject") } else { (1, "rejected") };
        client.answer(&asks[at], json!({ "reply": reply }));
        client.wait_for_method("copydesk/permission/settled");
        client.wait_for_method("copydesk/question/settled");
        assert_eq!(client.wait_for_turn_end(&session), "rejected");
        assert_eq!(daemon.scripted.env.read("a.txt"), "old\n");
    }
}

#[test]
fn the_end_of_the_turn_closes_a_question() {
    let daemon = ScriptedDaemon::with_asked_edits([question(), text_turn("Go on.")]);
    let mut client = daemon.client("nvim");
    let session = client.new_session();
    client.prompt(&session, "Go");
    let asked = client.wait_for_method("copydesk/question/ask");
    client.request_ok("copydesk/turn/cancel", json!({ "session": session }));
    let settled = client.wait_for_method("copydesk/question/settled");
    assert_eq!(settled["params"]["question"], asked["params"]["question"]);
    assert_eq!(client.wait_for_turn_end(&session), "cancelled");
    client.answer(&asked, answered(json!([["SQLite"], []])));
    client.run_turn(&session, "Go on");
    assert_eq!(client.load(&session)["questions"], json!([]));
}

/// A question of a subagent: it is signed, and a rejection stops both.
#[test]
fn a_question_of_a_task_is_signed_and_a_no_stops_whoever_asked() {
    let config =
        json!({ "permission": "allow", "agent": { "general": { "permission": { "question": "allow" } } } });
    let daemon = ScriptedDaemon::with_config([], config);
    let server = &daemon.scripted.server;
    script_session(server, "Go", [task("t1", "general", "Look")]);
    script_session(server, "Look", [question()]);
    script_fallback(server, "Go", text_turn("Too late."));
    script_fallback(server, "Look", text_turn("I go on alone."));
    let mut client = daemon.client("nvim");
    let session = client.new_session();
    client.prompt(&session, "Go");
    let asked = client.wait_for_method("copydesk/question/ask");
    assert_eq!(
        (&asked["params"]["session"], &asked["params"]["agent"]),
        (&json!(session), &json!("general"))
    );
    assert_eq!(client.load(&session)["questions"][0]["agent"], "general");
    let asked = client.wait_for_method("copydesk/question/ask");
    client.answer(&asked, json!({ "reply": "rejected" }));
    assert_eq!(client.wait_for_turn_end(&session), "rejected");
    assert_eq!(requests(server, "Look").len(), 1, "it has not gone on");
    let parts = client.parts(&session);
    let ended = parts.iter().find(|part| part["content"]["name"] == "task").unwrap();
    let output = ended["content"]["output"]["output"].as_str().unwrap();
    assert!(output.contains("state: rejected"), "{output}");
    // A reason is for the model, which continues; the session's own questions are not signed.
    script_session(server, "Again", [task("t1", "general", "See"), question(), text_turn("Done.")]);
    script_session(server, "See", [question(), text_turn("I go on.")]);
    let session = client.new_session();
    client.prompt(&session, "Again");
    let asked = client.wait_for_method("copydesk/question/ask");
    client.answer(&asked, json!({ "reply": "rejected", "reason": "Not now." }));
    let asked = client.wait_for_method("copydesk/question/ask");
    assert_eq!(asked["params"].get("agent"), None);
    client.answer(&asked, json!({ "reply": "rejected", "reason": "Nor now." }));
    assert_eq!(client.wait_for_turn_end(&session), "done");
    assert_eq!(requests(server, "See").len(), 2);
}

/// Every client sees that the session has another agent.
#[test]
fn clients_are_told_when_the_agent_becomes_another() {
    let enter = ScriptedTurn::new().call("c1", "plan_enter", json!({ "reason": "It is large." }));
    let daemon = ScriptedDaemon::with_asked_edits([enter, text_turn("I plan.")]);
    let mut client = daemon.client("nvim");
    let session = client.new_session();
    client.prompt(&session, "Go");
    let asked = client.wait_for_method("copydesk/question/ask");
    client.answer(&asked, answered(json!([["Plan first"]])));
    assert_eq!(client.wait_for_turn_end(&session), "done");
    let agents: Vec<_> = client
        .events
        .iter()
        .filter(|event| event["event"]["event"] == "session")
        .map(|event| event["event"]["session"]["agent"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(agents.last().unwrap(), "plan", "{agents:?}");
    assert_eq!(client.load(&session)["session"]["agent"], "plan");
    assert!(daemon.scripted.request_body(1)["system"].to_string().contains("Here you plan"));
    // It survives a restart of the daemon.
    let mut daemon = daemon;
    daemon.restart();
    let mut client = daemon.client("nvim");
    assert_eq!(client.load(&session)["session"]["agent"], "plan");
    daemon.scripted.server.queue_turn(text_turn("Still."));
    client.run_turn(&session, "And now?");
    assert!(daemon.scripted.request_body(2)["system"].to_string().contains("Here you plan"));
}

/// The user's latest choice counts, not the one at the start of the turn.
#[test]
fn a_model_that_is_chosen_while_a_plan_is_asked_about_stays_chosen() {
    let daemon = ScriptedDaemon::new([
        ScriptedTurn::new().call("c1", "plan_enter", json!({})),
        text_turn("Which plan?"),
    ]);
    let mut config: Value =
        serde_json::from_str(&daemon.scripted.env.read(crate::cli::environment::USER_CONFIG)).unwrap();
    config["provider"]["script"]["models"] = json!({ "m-1": {}, "m-2": {} });
    daemon.scripted.env.write(crate::cli::environment::USER_CONFIG, config.to_string());
    let mut client = daemon.client("nvim");
    let session = client.new_session();
    client.prompt(&session, "Go");
    let asked = client.wait_for_method("copydesk/question/ask");
    client.request_ok("copydesk/session/setModel", json!({ "session": session, "model": "script/m-2" }));
    client.answer(&asked, answered(json!([[asked["params"]["questions"][0]["options"][0]["label"]]])));
    assert_eq!(client.wait_for_turn_end(&session), "done");
    let sent = daemon.scripted.request_body(1);
    assert!(sent["system"].to_string().contains("Here you plan"), "{sent}");
    assert_eq!(sent["model"], "m-2");
    assert_eq!(client.load(&session)["session"]["model"], "script/m-2");
}

/// The request waits; nothing is sent before the user agrees.
#[test]
fn a_limit_of_costs_waits_for_the_user() {
    let used = |turn: ScriptedTurn| turn.usage(ScriptedUsage { input: 1_000, ..ScriptedUsage::default() });
    let step = |number: u32| {
        used(ScriptedTurn::new().call("c1", "glob", json!({ "pattern": format!("*.{number}") })))
    };
    let turns = [1, 2, 3, 4].map(step);
    // A request costs a tenth of a cent.
    let daemon = ScriptedDaemon::with_config(turns, json!({ "limits": { "session": 0.0015 } }));
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.prompt(&session, "Go");
    let asked = client.wait_for_method("copydesk/question/ask");
    assert_eq!(daemon.scripted.server.requests().len(), 2);
    let question = &asked["params"]["questions"][0];
    assert_eq!(question["text"], "This session cost $0.0020; the limit is $0.0015. Go on?");
    client.answer(&asked, answered(json!([["Go on"]])));
    // After the same amount again.
    let again = client.wait_for_method("copydesk/question/ask");
    assert_eq!(
        again["params"]["questions"][0]["text"],
        "This session cost $0.0040; the limit is $0.0035. Go on?"
    );
    client.answer(&again, answered(json!([["Stop"]])));
    let end = client.wait_for_turn_end(&session);
    assert_eq!(end, "failed", "{end}");
}
