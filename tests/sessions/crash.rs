//! The desk is killed after every single event of a session, and opened again: nothing that was announced as complete may
//! be missing, and what was under way must be told from what is done.

use std::io::{BufRead as _, BufReader};

use serde_json::{Value, json};

use super::harness::Scripted;
use crate::model_server::Turn;

/// Two tools, then a word. The same answers however often it is asked.
fn scripted() -> Scripted {
    let scripted = Scripted::new([]);
    let so_far = |count: usize| {
        move |request: &crate::model_server::Recorded| {
            request.body["messages"].as_array().unwrap().len() == count
        }
    };
    let calls = Turn::new()
        .reasoning("Hm.")
        .signed("s")
        .text("I look.")
        .call("c1", "read", json!({ "filePath": "a.txt" }))
        .call("c2", "bash", json!({ "command": "echo two" }));
    scripted.server.whenever(so_far(1), calls);
    scripted.server.whenever(so_far(3), Turn::new().text("Done."));
    scripted.server.whenever(|_| true, Turn::new().text("Going on."));
    scripted.desk.write("a.txt", "text\n");
    scripted
}

/// Runs until so many events have been printed, then kills. Gives the events, fewer if it ended before.
fn killed_after(scripted: &Scripted, count: usize) -> Vec<Value> {
    let mut child = scripted.start(&["--json", "--auto", "Go"]);
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let events = lines.take(count).map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    events
}

fn stored(scripted: &Scripted) -> Vec<Value> {
    let sessions = scripted.desk.run(&["sessions", "list", "--json"]).json();
    let Some(id) = sessions[0]["id"].as_str() else { return Vec::new() };
    let archive = scripted.desk.run(&["sessions", "export", id]).json();
    archive["parts"].as_array().unwrap().clone()
}

/// What the store and the protocol have in common; each has words of its own for the rest.
fn said(content: &Value) -> Value {
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
    let all = killed_after(&scripted(), usize::MAX);
    assert_eq!(all.last().unwrap()["event"], "turnEnded");
    assert!(all.len() > 20, "{}", all.len());
    for count in 1..=all.len() {
        let scripted = scripted();
        let events = killed_after(&scripted, count);
        let parts = stored(&scripted);
        for event in events.iter().filter(|event| event["event"] == "part") {
            let part = &event["part"];
            if part["state"]["kind"] != "completed" {
                continue;
            }
            let kept = parts.iter().find(|kept| kept["id"] == part["id"]);
            assert_eq!(
                kept.map(|kept| said(&kept["content"])),
                Some(said(&part["content"])),
                "after {count} events"
            );
        }
        if parts.is_empty() {
            continue;
        }
        // It goes on, every call has a result, and nothing is under way that nobody runs.
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
