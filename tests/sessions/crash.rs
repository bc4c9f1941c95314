//! Kills copydesk after every single event of a session, and opens the session again: nothing announced as complete may
//! be missing, and unfinished work must be marked.

use std::io::{BufRead as _, BufReader};

use serde_json::{Value, json};

use super::harness::ScriptedEnvironment;
use crate::model_server::ScriptedTurn;

/// Two tools, then text. The same answers however often it is asked.
fn scripted() -> ScriptedEnvironment {
    let scripted = ScriptedEnvironment::new([]);
    let so_far = |count: usize| {
        move |request: &crate::model_server::RecordedRequest| {
            request.body["messages"].as_array().unwrap().len() == count
        }
    };
    let calls = ScriptedTurn::new()
        .reasoning("Hm.")
        .signed("s")
        .text("I look.")
        .call("c1", "read", json!({ "filePath": "a.txt" }))
        .call("c2", "bash", json!({ "command": "echo two" }));
    scripted.server.on_each_request(so_far(1), calls);
    scripted.server.on_each_request(so_far(3), ScriptedTurn::new().text("Done."));
    scripted.server.on_each_request(|_| true, ScriptedTurn::new().text("Going on."));
    scripted.env.write("a.txt", "text\n");
    scripted
}

/// Runs until so many events are printed, then kills. Returns the events, fewer if it ended before.
fn run_and_kill_after(scripted: &ScriptedEnvironment, count: usize) -> Vec<Value> {
    let mut child = scripted.start(&["--json", "--auto", "Go"]);
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let events = lines.take(count).map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    events
}

fn stored(scripted: &ScriptedEnvironment) -> Vec<Value> {
    let sessions = scripted.env.run(&["sessions", "list", "--json"]).json();
    let Some(id) = sessions[0]["id"].as_str() else { return Vec::new() };
    let archive = scripted.env.run(&["sessions", "export", id]).json();
    archive["parts"].as_array().unwrap().clone()
}

/// What the store and the protocol have in common; each has its own form for the rest.
fn common_content(content: &Value) -> Value {
    let kind = content["kind"].as_str().unwrap().replace('_', "").to_lowercase();
    json!([
        kind,
        content["text"],
        content["name"],
        content["arguments"],
        content["output"]["output"],
        content["model"]
    ])
}

#[test]
fn nothing_complete_is_lost_wherever_it_dies() {
    let all = run_and_kill_after(&scripted(), usize::MAX);
    assert_eq!(all.last().unwrap()["event"], "turnEnded");
    assert!(all.len() > 20, "{}", all.len());
    for count in 1..=all.len() {
        let scripted = scripted();
        let events = run_and_kill_after(&scripted, count);
        let parts = stored(&scripted);
        for event in events.iter().filter(|event| event["event"] == "part") {
            let part = &event["part"];
            if part["state"]["kind"] != "completed" {
                continue;
            }
            let kept = parts.iter().find(|kept| kept["id"] == part["id"]);
            assert_eq!(
                kept.map(|kept| common_content(&kept["content"])),
                Some(common_content(&part["content"])),
                "after {count} events"
            );
        }
        if parts.is_empty() {
            continue;
        }
        // It continues, every call has a result, and no orphaned call is left running.
        let ran = scripted.run(&["--auto", "--continue", "Go on"]);
        assert_eq!(ran.code, Some(0), "after {count} events: {ran:?}");
        let open = |part: &&Value| ["pending", "running"].contains(&part["state"]["state"].as_str().unwrap());
        let parts = stored(&scripted);
        assert_eq!(parts.iter().filter(open).count(), 0, "after {count} events");
        let last = scripted.server.requests().last().unwrap().body.clone();
        let (calls, results) = (
            last.to_string().matches("\"tool_use\"").count(),
            last.to_string().matches("\"tool_result\"").count(),
        );
        assert_eq!(calls, results, "after {count} events: {last:#}");
    }
}
