//! Background commands: the session continues, the model is told when they end, and none outlives the session.

use std::process::Command;

use serde_json::{Value, json};

use super::harness::{ScriptedEnvironment, events};
use crate::editors::scripted_daemon::ScriptedDaemon;
use crate::model_server::{RecordedRequest, ScriptedModelServer, ScriptedTurn};

fn last_message_text(request: &RecordedRequest) -> String {
    request.body["messages"].to_string()
}

/// A model that starts a job, and then works until it is told that the job has ended.
fn busy(server: &ScriptedModelServer, command: &str) {
    let start = ScriptedTurn::new().call("c1", "bash", json!({ "command": command, "background": true }));
    server.on_each_request(|request| !last_message_text(request).contains("tool_use"), start);
    server.on_each_request(
        |request| last_message_text(request).contains(") has ended: "),
        ScriptedTurn::new().text("I heard."),
    );
    server.on_each_request(|_| true, ScriptedTurn::new().call("c2", "list", json!({})));
}

/// The id of the job that the model got.
fn job(scripted: &ScriptedEnvironment) -> String {
    let told = scripted.last_model_input(1);
    let number = told.split("as job ").nth(1).unwrap_or_else(|| panic!("{told}"));
    number.split('.').next().unwrap().to_owned()
}

#[test]
fn the_end_of_a_job_is_told_at_the_next_step() {
    let scripted = ScriptedEnvironment::with_config([], json!({ "permission": "allow" }));
    busy(&scripted.server, "echo over; exit 3");
    let ran = scripted.run(&["--json", "Go"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let last = scripted.server.requests().len() - 1;
    let told = scripted.last_model_input(last);
    let words = format!("Job {} (`echo over; exit 3`) has ended: exit code 3 after", job(&scripted));
    assert!(told.contains(&words) && told.ends_with("the end of it:\nover\n</copydesk-note>"), "{told}");
    let notes = |event: &&Value| event["part"]["content"]["kind"] == "note";
    assert_eq!(events(&ran).iter().filter(notes).count(), 1, "once");
    // It did not run inside a call.
    let title = events(&ran).iter().any(|event| {
        event["part"]["content"]["output"]["title"]
            .as_str()
            .is_some_and(|title| title.starts_with("echo over; exit 3 (job "))
    });
    assert!(title, "{ran:?}");
}

/// No turn runs when it ends: the next one, started by a prompt, is told.
#[test]
fn a_job_that_ends_while_nobody_works_is_told_with_the_next_turn() {
    let daemon = ScriptedDaemon::new([]);
    let server = &daemon.scripted.server;
    let start = ScriptedTurn::new().call(
        "c1",
        "bash",
        json!({ "command": "read < open; exit 7", "background": true }),
    );
    server.on_each_request(|request| !last_message_text(request).contains("tool_use"), start);
    server.on_each_request(
        |request| !last_message_text(request).contains("And now?"),
        ScriptedTurn::new().text("It runs."),
    );
    server.on_each_request(
        |request| last_message_text(request).contains(") has ended: exit code 7"),
        ScriptedTurn::new().text("I heard."),
    );
    server.on_each_request(|_| true, ScriptedTurn::new().call("c2", "list", json!({})));
    let fifo = Command::new("mkfifo").arg(daemon.scripted.env.path("open")).status().unwrap();
    assert!(fifo.success());
    let mut client = daemon.client("Neovim");
    let session = client.new_session();
    client.run_turn(&session, "Go");
    assert_eq!(server.requests().len(), 2);
    daemon.scripted.env.write("open", "\n");
    client.run_turn(&session, "And now?");
    let parts = client.parts(&session);
    let turns: Vec<_> = parts
        .iter()
        .filter(|part| part["content"]["kind"] == "prompt")
        .map(|part| part["turn"].clone())
        .collect();
    assert_eq!(turns, [json!(1), json!(2)], "it has begun none by itself");
    assert!(last_message_text(server.requests().last().unwrap()).contains("has ended: exit code 7"));
}

/// Also while no turn runs, and to clients that attach later.
#[test]
fn views_are_told_what_runs_in_the_background_and_how_it_ended() {
    let command = "read < open; exit 7\n# more";
    let start = ScriptedTurn::new().call("c1", "bash", json!({ "command": command, "background": true }));
    let daemon = ScriptedDaemon::new([start, ScriptedTurn::new().text("It runs.")]);
    assert!(Command::new("mkfifo").arg(daemon.scripted.env.path("open")).status().unwrap().success());
    let mut client = daemon.client("Neovim");
    let session = client.new_session();
    client.run_turn(&session, "Go");
    let begun = client.wait_for_event(&session, "jobs");
    let running = &begun["running"][0];
    assert_eq!((&running["command"], &begun["ended"]), (&json!("read < open; exit 7…"), &json!([])));
    assert_eq!(running["id"].to_string(), job(&daemon.scripted));
    let mut other = daemon.client("Zed");
    assert_eq!(other.load(&session)["jobs"][0]["id"], running["id"]);
    daemon.scripted.env.write("open", "\n");
    let over = client.wait_for_event(&session, "jobs");
    assert_eq!((&over["running"], &over["ended"][0]["id"]), (&json!([]), &running["id"]));
    let state = over["ended"][0]["state"].as_str().unwrap();
    assert!(state.starts_with("exit code 7 after"), "{state}");
    assert_eq!(other.wait_for_event(&session, "jobs"), over);
    assert_eq!(client.load(&session).get("jobs"), None);
}

#[test]
fn a_job_ends_with_the_session_and_the_model_is_told_when_it_comes_back() {
    let command = "echo $$ > pid; echo started; sleep 600";
    let scripted = ScriptedEnvironment::new([
        ScriptedTurn::new().call("c1", "bash", json!({ "command": command, "background": true })),
        ScriptedTurn::new().call("c2", "bash", json!({ "command": "until [ -s pid ]; do :; done" })),
        ScriptedTurn::new().text("It runs."),
        ScriptedTurn::new().text("I see."),
        ScriptedTurn::new().text("Yes."),
    ]);
    assert_eq!(scripted.run(&["--auto", "Go"]).code, Some(0));
    let pid = scripted.env.read("pid");
    assert_eq!(pid.trim(), job(&scripted));
    while Command::new("kill").args(["-0", pid.trim()]).output().unwrap().status.success() {
        std::thread::yield_now();
    }
    scripted.run(&["--continue", "Still there?"]);
    let told = scripted.last_model_input(3);
    assert!(told.contains(&format!("Job {} is gone", pid.trim())), "{told}");
    scripted.run(&["--continue", "Sure?"]);
    assert!(!scripted.last_model_input(4).contains("is gone"), "once: {}", scripted.last_model_input(4));
}

/// Its output is in a file that may be searched and read without asking. The file is complete when clients learn of the end.
#[test]
fn the_output_of_a_job_can_be_searched() {
    let daemon = ScriptedDaemon::with_config([], json!({ "permission": { "bash": "allow" } }));
    let mut client = daemon.client("Neovim");
    let session = client.new_session();
    let outputs = daemon.scripted.env.path(&format!("~/.local/share/copydesk/output/{session}"));
    let start = json!({ "command": "echo needle in the hay", "background": true });
    let search = json!({ "pattern": "needle", "path": outputs });
    for turn in [
        ScriptedTurn::new().call("c1", "bash", start),
        ScriptedTurn::new().text("It runs."),
        ScriptedTurn::new().call("c2", "grep", search),
        ScriptedTurn::new().text("Found."),
    ] {
        daemon.scripted.server.queue_turn(turn);
    }
    client.run_turn(&session, "Go");
    while client.wait_for_event(&session, "jobs")["ended"].as_array().unwrap().is_empty() {}
    client.run_turn(&session, "Search");
    let found = daemon.last_model_input(3);
    assert!(found.contains("1: needle in the hay"), "{found}");
    assert!(!client.has_message(|message| message["method"] == "copydesk/permission/ask"));
}

#[test]
fn the_outputs_of_other_sessions_are_asked_for() {
    let scripted = ScriptedEnvironment::new([]);
    scripted.env.write("~/.local/share/copydesk/output/other/c1.txt", "needle");
    for path in ["output", "output/other", "output/other/c1.txt"] {
        let path = scripted.env.path("~/.local/share/copydesk").join(path);
        let search = json!({ "pattern": "needle", "path": path });
        scripted.server.queue_turn(ScriptedTurn::new().call("c1", "grep", search));
        scripted.server.queue_turn(ScriptedTurn::new().text("ok"));
        scripted.run(&["Go"]);
        let told = scripted.last_model_input(scripted.server.requests().len() - 1);
        assert!(told.contains("Nobody is there to approve this"), "{told}");
    }
}
