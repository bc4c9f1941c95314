//! A session's lifecycle over the protocol: created, listed, attached to in the middle, changed, deleted.

use serde_json::{Value, json};

use super::scripted_daemon::{ScriptedDaemon, read, text_turn};
use super::scripted_editor::ScriptedEditor;
use crate::model_server::ScriptedTurn;

fn kinds(parts: &Value) -> Vec<&str> {
    parts.as_array().unwrap().iter().map(|part| part["content"]["kind"].as_str().unwrap()).collect()
}

#[test]
fn a_client_that_comes_in_the_middle_gets_what_there_is_and_then_every_event() {
    let turn = ScriptedTurn::new().reasoning("Let me see.").text("The answer").gate("half").text(" is 42.");
    let daemon = ScriptedDaemon::new([turn]);
    let mut first = daemon.client("vscode");
    let session = first.new_session();
    assert_eq!(first.prompt(&session, "What is it?")["queued"], false);
    daemon.wait_for_gate("half");
    // The text that this client has received so far.
    let told = |client: &ScriptedEditor| {
        let deltas = client.events.iter().filter(|event| event["event"]["event"] == "delta");
        deltas.filter_map(|event| event["event"]["text"].as_str()).collect::<String>()
    };
    while !told(&first).contains("The answer") {
        first.take_message("a delta", |message| message["params"]["event"]["event"] == "delta");
    }
    let mut second = daemon.client("nvim");
    let loaded = second.load(&session);
    assert_eq!((&loaded["running"], &loaded["earlier"]), (&json!(1), &json!(false)));
    assert_eq!(kinds(&loaded["parts"]), ["prompt", "stepStart", "reasoning", "text"]);
    let open = &loaded["parts"][3];
    assert_eq!((&open["content"]["text"], &open["state"]["kind"]), (&json!("The answer"), &json!("running")));
    let seq = loaded["seq"].as_u64().unwrap();
    assert_eq!(seq, *first.numbers(&session).last().unwrap());
    daemon.open_gate("half");
    assert_eq!(
        (first.wait_for_turn_end(&session), second.wait_for_turn_end(&session)),
        (json!("done"), json!("done"))
    );
    // The deltas continue the loaded text.
    assert_eq!(told(&second), " is 42.");
    let numbers = second.numbers(&session);
    assert_eq!(numbers, (seq + 1..=seq + numbers.len() as u64).collect::<Vec<_>>());
    let all = first.numbers(&session);
    assert_eq!(all, (1..=all.len() as u64).collect::<Vec<_>>());
    // Loading again shows the same.
    let again = second.load(&session);
    assert_eq!(again["seq"], *all.last().unwrap());
    assert_eq!(again.get("running"), None);
    assert_eq!(again["parts"][3]["content"]["text"], "The answer is 42.");
    assert_eq!(kinds(&again["parts"]), ["prompt", "stepStart", "reasoning", "text", "stepFinish"]);
    // The stored parts are the announced ones, in the order in which they began.
    assert_eq!(again["parts"], json!(first.parts(&session)));
}

#[test]
fn a_running_call_is_loaded_with_what_it_showed_last() {
    let bash = json!({ "command": "echo begun; cat fifo >/dev/null; echo ended", "description": "Wait" });
    let daemon = ScriptedDaemon::new([ScriptedTurn::new().call("c1", "bash", bash), text_turn("Done.")]);
    let fifo = daemon.scripted.env.path("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let mut first = daemon.client("vscode");
    let session = first.new_session();
    first.prompt(&session, "Wait");
    while !first.wait_for_event(&session, "progress")["metadata"].to_string().contains("begun") {}
    let loaded = daemon.client("nvim").load(&session);
    let call = loaded["parts"].as_array().unwrap().last().unwrap();
    assert_eq!(call["state"]["kind"], "running");
    assert!(call["content"]["progress"].to_string().contains("begun"), "{call}");
    std::fs::write(&fifo, "go").unwrap();
    assert_eq!(first.wait_for_turn_end(&session), "done");
}

#[test]
fn sessions_are_listed_page_by_page_the_last_used_first() {
    let daemon = ScriptedDaemon::new([]);
    let mut client = daemon.client("vscode");
    let made: Vec<_> = (0..5)
        .map(|_| {
            client.request_ok("copydesk/session/new", json!({}))["session"]["id"].as_str().unwrap().to_owned()
        })
        .collect();
    let mut listed = Vec::new();
    loop {
        let mut params = json!({ "limit": 2 });
        if let Some(last) = listed.last() {
            params["before"] = json!(last);
        }
        let page = client.request_ok("copydesk/session/list", params);
        let ids = page["sessions"].as_array().unwrap().iter().map(|session| session["id"].as_str().unwrap());
        let ids: Vec<_> = ids.map(str::to_owned).collect();
        if ids.is_empty() {
            break;
        }
        assert!(ids.len() <= 2);
        listed.extend(ids);
    }
    let mut expected = made.clone();
    expected.reverse();
    assert_eq!(listed, expected);
    let elsewhere = client.request_ok("copydesk/session/list", json!({ "folder": "/nowhere" }));
    assert_eq!(elsewhere, json!({ "sessions": [] }));
}

#[test]
fn whoever_leaves_gets_no_more_events_and_the_turn_goes_on() {
    let daemon = ScriptedDaemon::new([ScriptedTurn::new().text("a").gate("g").text("b")]);
    let (mut stays, mut leaves) = (daemon.client("vscode"), daemon.client("nvim"));
    let session = stays.new_session();
    leaves.load(&session);
    leaves.prompt(&session, "Go");
    daemon.wait_for_gate("g");
    leaves.wait_for_event(&session, "delta");
    assert_eq!(leaves.request_ok("copydesk/session/leave", json!({ "session": session })), json!({}));
    let known = leaves.events.len();
    daemon.open_gate("g");
    assert_eq!(stays.wait_for_turn_end(&session), "done");
    leaves.request_ok("copydesk/status", json!({}));
    assert_eq!(leaves.events.len(), known);
}

#[test]
fn what_a_session_is_called_is_told_to_everybody() {
    let daemon = ScriptedDaemon::new([]);
    let (mut one, mut other) = (daemon.client("vscode"), daemon.client("nvim"));
    let session = one.new_session();
    other.load(&session);
    let renamed =
        one.request_ok("copydesk/session/rename", json!({ "session": session, "title": " The tax " }));
    assert_eq!(renamed["session"]["title"], "The tax");
    assert_eq!(other.wait_for_event(&session, "session")["session"]["title"], "The tax");
    let listed = one.request_ok("copydesk/session/list", json!({}));
    assert_eq!(listed["sessions"][0]["title"], "The tax");
}

#[test]
fn a_session_is_deleted_while_its_turn_runs() {
    let daemon =
        ScriptedDaemon::new([ScriptedTurn::new().text("a").gate("g").text("b"), text_turn("Another.")]);
    let (mut one, mut other) = (daemon.client("vscode"), daemon.client("nvim"));
    let session = one.new_session();
    other.load(&session);
    one.prompt(&session, "Go");
    daemon.wait_for_gate("g");
    assert_eq!(one.request_ok("copydesk/session/delete", json!({ "session": session })), json!({}));
    daemon.wait_for_hangup("g");
    one.wait_for_event(&session, "deleted");
    other.wait_for_event(&session, "deleted");
    assert_eq!(other.request_error("copydesk/session/load", json!({ "session": session })).0, -31001);
    assert_eq!(one.request_ok("copydesk/session/list", json!({})), json!({ "sessions": [] }));
    // The daemon counts no turn that does not exist: it would never be idle.
    let next = one.new_session();
    one.run_turn(&next, "Go");
    let status = one.request_ok("copydesk/status", json!({}));
    assert_eq!(status["sessions"], json!([{ "session": next, "running": false, "attached": ["vscode"] }]));
    assert_eq!(one.request_ok("copydesk/stop", json!({ "when": "idle" })), json!({ "waitingFor": 0 }));
    one.read_to_the_end();
}

#[test]
fn model_and_agent_are_those_of_the_next_turn() {
    let models = json!({ "m-1": {}, "m-2": {} });
    let daemon = ScriptedDaemon::with_config(
        [ScriptedTurn::new().text("a").gate("g").text("b"), text_turn("c"), text_turn("d")],
        json!({}),
    );
    let mut config: Value =
        serde_json::from_str(&daemon.scripted.env.read(crate::cli::environment::USER_CONFIG)).unwrap();
    config["provider"]["script"]["models"] = models;
    daemon.scripted.env.write(crate::cli::environment::USER_CONFIG, config.to_string());
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.prompt(&session, "One");
    daemon.wait_for_gate("g");
    let params = json!({ "session": session, "model": "script/m-2" });
    assert_eq!(client.request_ok("copydesk/session/setModel", params)["session"]["model"], "script/m-2");
    daemon.open_gate("g");
    assert_eq!(client.wait_for_turn_end(&session), "done");
    client.run_turn(&session, "Two");
    let params = json!({ "session": session, "agent": "plan" });
    assert_eq!(client.request_ok("copydesk/session/setAgent", params)["session"]["agent"], "plan");
    client.run_turn(&session, "Three");
    let sent: Vec<_> = (0..3).map(|number| daemon.scripted.request_body(number)).collect();
    let models: Vec<_> = sent.iter().map(|sent| sent["model"].as_str().unwrap()).collect();
    assert_eq!(models, ["m-1", "m-2", "m-2"]);
    assert_eq!(sent[0]["system"], sent[1]["system"]);
    assert_ne!(sent[1]["system"], sent[2]["system"], "another agent has other words");
    // It is the same conversation.
    assert_eq!(sent[2]["messages"].as_array().unwrap().len(), 5);
}

#[test]
fn a_prompt_is_queued_or_joins_the_turn() {
    let daemon = ScriptedDaemon::new([
        ScriptedTurn::new().text("a").gate("g").call("c1", "list", json!({})),
        text_turn("Steered."),
        text_turn("Queued."),
    ]);
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    let first = client.prompt(&session, "First");
    daemon.wait_for_gate("g");
    let third = client.prompt(&session, "Third");
    assert_eq!((&first["queued"], &third["queued"]), (&json!(false), &json!(true)));
    let steer = json!({ "session": session, "text": "Second" });
    let second = client.request_ok("copydesk/turn/steer", steer.clone());
    assert_eq!(second["joined"], true);
    daemon.open_gate("g");
    assert_eq!(
        (client.wait_for_turn_end(&session), client.wait_for_turn_end(&session)),
        (json!("done"), json!("done"))
    );
    // Each has the id that its client was given.
    for prompted in [&first, &third] {
        assert_eq!(client.wait_for_event(&session, "turnStarted")["prompt"], prompted["prompt"]);
    }
    let parts = client.parts(&session);
    let prompts = parts.iter().filter(|part| part["content"]["kind"] == "prompt").map(|part| &part["id"]);
    assert!(prompts.eq([&first, &second, &third].map(|prompted| &prompted["prompt"])), "{parts:#?}");
    assert!(
        daemon.last_model_input(1).contains("Second") && !daemon.last_model_input(1).contains("Third"),
        "{}",
        daemon.last_model_input(1)
    );
    assert!(daemon.last_model_input(2).contains("Third"), "{}", daemon.last_model_input(2));
    daemon.scripted.server.queue_turn(text_turn("On its own."));
    assert_eq!(client.request_ok("copydesk/turn/steer", steer)["joined"], false);
    assert_eq!(client.wait_for_turn_end(&session), "done");
}

#[test]
fn parts_are_paged_backwards() {
    let daemon = ScriptedDaemon::new([text_turn("One."), text_turn("Two."), text_turn("Three.")]);
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    for text in ["1", "2", "3"] {
        client.run_turn(&session, text);
    }
    let all = client.load(&session)["parts"].as_array().unwrap().clone();
    let loaded = client.request_ok("copydesk/session/load", json!({ "session": session, "limit": 2 }));
    assert_eq!(loaded["earlier"], true);
    let mut shown = loaded["parts"].as_array().unwrap().clone();
    loop {
        let params = json!({ "session": session, "before": shown[0]["id"], "limit": 5 });
        let page = client.request_ok("copydesk/session/parts", params);
        let parts = page["parts"].as_array().unwrap();
        shown.splice(0..0, parts.iter().cloned());
        if page["earlier"] == false {
            break;
        }
        assert_eq!(parts.len(), 5);
    }
    assert_eq!(shown, all);
    let params = json!({ "session": session, "before": "nothing" });
    assert_eq!(client.request_error("copydesk/session/parts", params).0, -31002);
}

#[test]
fn what_was_said_is_found() {
    let daemon = ScriptedDaemon::new([text_turn("The zebra crossing is striped.")]);
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.run_turn(&session, "Tell me");
    let found = client.request_ok("copydesk/session/search", json!({ "query": "zebra" }));
    assert_eq!(found["found"][0]["session"], session.as_str());
    assert!(found["found"][0]["excerpt"].as_str().unwrap().contains("zebra"), "{found}");
    assert_eq!(
        client.request_ok("copydesk/session/search", json!({ "query": "giraffe" })),
        json!({ "found": [] })
    );
}

#[test]
fn what_a_user_points_at_goes_with_the_prompt() {
    let daemon = ScriptedDaemon::new([text_turn("I see.")]);
    let mut client = daemon.client("vscode");
    let (session, uri) = (client.new_session(), daemon.uri("a.txt"));
    client.open(&uri, "not saved\n");
    let context = json!([{ "uri": uri }, { "uri": daemon.uri("b.txt"), "text": "as seen" }]);
    let params = json!({ "session": session, "text": "Look", "context": context });
    client.request_ok("copydesk/turn/start", params);
    assert_eq!(client.wait_for_turn_end(&session), "done");
    let told = daemon.last_model_input(0);
    assert!(told.contains("[a.txt]\nnot saved") && told.contains("[b.txt]\nas seen"), "{told}");
}

#[test]
fn what_is_not_there_is_refused_by_its_own_code() {
    let daemon = ScriptedDaemon::new([]);
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    for method in [
        "session/load",
        "session/delete",
        "session/rename",
        "session/setModel",
        "session/setAgent",
        "session/parts",
        "turn/start",
        "turn/steer",
        "turn/cancel",
        "undo",
        "redo",
    ] {
        let params = json!({ "session": "none", "title": "t", "text": "t", "model": "script/m-1", "agent": "plan",
            "before": "x", "what": { "turn": 1 } });
        let (code, message) = client.request_error(&format!("copydesk/{method}"), params);
        assert_eq!(code, -31001, "{method}: {message}");
    }
    let model = json!({ "session": session, "model": "nobody/none" });
    let (code, message) = client.request_error("copydesk/session/setModel", model);
    assert_eq!(code, -31003);
    assert!(message.contains("nobody"), "{message}");
    let agent = json!({ "session": session, "agent": "nobody" });
    assert_eq!(client.request_error("copydesk/session/setAgent", agent).0, -31004);
    assert_eq!(client.request_error("copydesk/session/new", json!({ "agent": "nobody" })).0, -31004);
    assert_eq!(client.request_error("copydesk/session/new", json!({ "model": "nobody/none" })).0, -31003);
    assert_eq!(client.request_error("copydesk/session/new", json!({ "folder": "/no/such" })).0, -32803);
    let undo = json!({ "session": session, "what": { "call": "none" } });
    assert_eq!(client.request_error("copydesk/undo", undo).0, -31002);
    // None of this ends the session, and unused sessions are released.
    client.request_ok("copydesk/session/leave", json!({ "session": session }));
    client.request_ok("copydesk/session/rename", json!({ "session": session, "title": "Still here" }));
    assert_eq!(client.request_ok("copydesk/status", json!({}))["sessions"], json!([]));
}

#[test]
fn another_protocol_is_refused_with_what_to_update() {
    let daemon = ScriptedDaemon::new([]);
    for (protocol, update, words) in [(999, "desk", "copydesk stop"), (0, "client", "extension")] {
        let mut client =
            ScriptedEditor::connect(&daemon.scripted.env, super::encoding::EditorEncoding::Utf16);
        let hello = json!({ "protocol": protocol, "client": "vscode", "version": "9" });
        let params = json!({ "capabilities": {}, "initializationOptions": { "copydesk": hello } });
        let answer = client.send_and_wait("initialize", params);
        assert_eq!(answer["error"]["code"], -31005);
        assert_eq!(
            (&answer["error"]["data"]["update"], &answer["error"]["data"]["retry"]),
            (&json!(update), &json!(false))
        );
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("Update") && message.contains(words), "{message}");
    }
}

#[test]
fn an_editor_without_our_extension_is_sent_nothing_of_ours() {
    let daemon = ScriptedDaemon::new([read("c1", "a.txt"), text_turn("Read.")]);
    daemon.scripted.env.write("a.txt", "on disk\n");
    let mut plain = ScriptedEditor::connect(&daemon.scripted.env, super::encoding::EditorEncoding::Utf16);
    plain.request_ok("initialize", json!({ "capabilities": {} }));
    plain.notify("initialized", json!({}));
    plain.open(&daemon.uri("a.txt"), "in the buffer\n");
    plain.request_ok("copydesk/status", json!({}));
    let mut ours = daemon.client("vscode");
    let session = ours.new_session();
    plain.load(&session);
    ours.run_turn(&session, "Read");
    // Its buffers still count.
    assert!(daemon.last_model_input(1).contains("in the buffer"), "{}", daemon.last_model_input(1));
    plain.request_ok("copydesk/status", json!({}));
    assert!(!plain.has_message(|message| message["method"].is_string()));
}

#[test]
fn a_warning_about_the_configuration_reaches_every_client_once() {
    let turns = [text_turn("One."), text_turn("Two.")];
    let daemon = ScriptedDaemon::with_config(turns, json!({ "modle": "x" }));
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.run_turn(&session, "Go");
    let is_warning = |message: &Value| message["params"]["event"]["event"] == "warning";
    let warned = client.take_message("a warning", is_warning);
    let message = warned["params"]["event"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("modle"), "{message}");
    // A client that comes later is told by what it loads.
    let mut other = daemon.client("nvim");
    assert_eq!(other.load(&session)["warnings"], json!([message]));
    // The model is another: everything is built anew, and the same is found odd.
    client.request_ok("copydesk/session/setAgent", json!({ "session": session, "agent": "plan" }));
    client.run_turn(&session, "Go on");
    assert!(!client.has_message(is_warning), "it is told once");
}
