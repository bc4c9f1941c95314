//! Copydesk is killed while a subagent works.

use std::io::{BufRead as _, BufReader};

use serde_json::{Value, json};

use super::{edit, is_about, parts, requests, results, script_session, scripted, task, text_turn};
use crate::model_server::{RecordedRequest, ScriptedTurn};
use crate::sessions::harness::ScriptedEnvironment;

/// Killed at every event while a subagent works: both sessions have everything complete, and both continue.
#[test]
fn nothing_complete_is_lost_when_it_dies_while_an_agent_works() {
    let play = || {
        let scripted = scripted(json!({}));
        let go = |number: usize| {
            move |request: &RecordedRequest| {
                is_about(request, "Go") && request.body["messages"].as_array().unwrap().len() == number
            }
        };
        scripted.server.on_each_request(go(1), task("c1", "general", "Look"));
        let is_resumed =
            |request: &RecordedRequest| request.body["messages"].to_string().contains("Take it up");
        scripted.server.on_each_request(
            move |request| is_about(request, "Go") && !is_resumed(request),
            text_turn("Going on."),
        );
        let look = |number: usize| {
            move |request: &RecordedRequest| {
                is_about(request, "Look") && request.body["messages"].as_array().unwrap().len() == number
            }
        };
        scripted.server.on_each_request(
            look(1),
            text_turn("I look.").call("r1", "read", json!({ "filePath": "a.txt" })),
        );
        scripted.server.on_each_request(look(3), edit("e1", "two", "2"));
        scripted.server.on_each_request(|request| is_about(request, "Look"), text_turn("Below done."));
        // It may have been killed before the subagent got anything.
        scripted.server.on_each_request(|request| is_about(request, "Go on"), text_turn("Below done."));
        scripted
    };
    let killed_after = |scripted: &ScriptedEnvironment, count: usize| -> Vec<Value> {
        let mut child = scripted.start(&["--json", "--auto", "Go"]);
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let events = lines.take(count).map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
        child.kill().unwrap();
        child.wait().unwrap();
        events
    };
    let all = killed_after(&play(), usize::MAX);
    let is_call = |event: &Value| {
        event["part"]["content"]["kind"] == "call" && event["part"]["state"]["kind"] == "pending"
    };
    let first = all.iter().position(is_call).unwrap() + 1;
    let last = all.iter().rposition(|event| event["event"] == "progress").unwrap() + 1;
    assert!(last > first + 4, "{all:#?}");
    for count in first..=last {
        let scripted = play();
        let events = killed_after(&scripted, count);
        let session = events[0]["session"]["id"].as_str().unwrap();
        let calls = |parts: &[Value]| {
            parts
                .iter()
                .find(|part| part["content"]["call"] == "c1")
                .map(|part| part["id"].as_str().unwrap().to_owned())
        };
        let id = calls(&parts(&scripted, session)).unwrap();
        let ran = scripted.run(&["--continue", "Go on"]);
        assert_eq!(ran.code, Some(0), "after {count} events: {ran:?}");
        let last = requests(&scripted.server, "Go").pop().unwrap();
        let result = results(&last).remove(0);
        // It may have ended between the last event read and the kill.
        if result.contains("interrupted") {
            assert!(
                result.contains(&format!("pass `task_id` {id} to go on")),
                "after {count} events: {result}"
            );
        } else {
            assert!(
                result.contains(&format!("task_id: {id}\nstate: completed")),
                "after {count} events: {result}"
            );
        }
        // What the subagent had shown as complete is there, and its file changes can be undone.
        let has_begun = scripted.env.run(&["sessions", "export", &id]).code == Some(0);
        let shown = events.iter().rev().find(|event| event["event"] == "progress");
        assert!(has_begun || shown.is_none(), "after {count} events");
        if shown.is_some_and(|shown| shown["metadata"]["calls"] == 2) {
            let kept = parts(&scripted, &id);
            let done = |kind: &str| {
                kept.iter()
                    .any(|part| part["content"]["kind"] == kind && part["state"]["state"] == "completed")
            };
            assert!(done("text") && done("call"), "after {count} events: {kept:#?}");
        }
        if scripted.env.read("a.txt") != "one\ntwo\nthree\n" {
            let undone = scripted.env.run(&["undo"]);
            assert_eq!(undone.code, Some(0), "after {count} events: {undone:?}");
            assert_eq!(scripted.env.read("a.txt"), "one\ntwo\nthree\n");
        }
        // The subagent continues, every call has its result, and no orphaned call is left running.
        if has_begun {
            let again =
                json!({ "description": "On", "prompt": "Go on", "subagent_type": "general", "task_id": id });
            script_session(
                &scripted.server,
                "Go",
                [ScriptedTurn::new().call("c2", "task", again), text_turn("Taken up.")],
            );
            let ran = scripted.run(&["--auto", "--continue", "Take it up"]);
            assert_eq!(ran.code, Some(0), "after {count} events: {ran:?}");
            let result = results(&requests(&scripted.server, "Go").pop().unwrap()).pop().unwrap();
            assert!(result.contains("state: completed\n\nBelow done."), "after {count} events: {result}");
            let mut below = requests(&scripted.server, "Look");
            below.extend(requests(&scripted.server, "Go on"));
            let last = below.pop().unwrap().to_string();
            let count_of = |kind: &str| last.matches(kind).count();
            assert_eq!(count_of("\"tool_use\""), count_of("\"tool_result\""), "after {count} events: {last}");
            let open =
                |part: &&Value| ["pending", "running"].contains(&part["state"]["state"].as_str().unwrap());
            assert_eq!(parts(&scripted, &id).iter().filter(open).count(), 0, "after {count} events");
        }
    }
}

/// Clients see no call that runs forever, even if the task is not resumed.
#[tokio::test]
async fn what_was_under_way_below_is_marked_when_the_session_above_goes_on() {
    let config = json!({ "permission": { "bash": "allow" }, "subagent_depth": 2 });
    let scripted = scripted(config);
    let sleeps = ScriptedTurn::new().call("b1", "bash", json!({ "command": "touch started; sleep 600" }));
    script_session(&scripted.server, "Go", [task("c1", "general", "Look"), text_turn("I see.")]);
    script_session(&scripted.server, "Look", [task("d1", "general", "Deeper")]);
    script_session(&scripted.server, "Deeper", [sleeps]);
    let mut child = scripted.start(&["Go"]);
    scripted.wait_for_file("started").await;
    child.kill().unwrap();
    child.wait().unwrap();
    let ran = scripted.run(&["--continue", "And now?"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let list = scripted.env.run(&["sessions", "list", "--json"]).json();
    let call = |session: &str| {
        let all = parts(&scripted, session);
        let call = all.into_iter().find(|part| part["content"]["kind"] == "call").unwrap();
        (call["id"].as_str().unwrap().to_owned(), call["state"]["state"].as_str().unwrap().to_owned())
    };
    let (look, _) = call(list[0]["id"].as_str().unwrap());
    let (deeper, above) = call(&look);
    assert_eq!((above.as_str(), call(&deeper).1.as_str()), ("interrupted", "interrupted"));
}
