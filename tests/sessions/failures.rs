//! Failures: failing models, cancelled turns, a killed process.

use std::io::Read as _;
use std::process::Command;

use serde_json::json;

use super::harness::{ScriptedEnvironment, events};
use crate::model_server::{ScriptedErrorKind, ScriptedTurn};

#[test]
fn a_failure_is_told_and_the_exit_code_says_so() {
    let scripted =
        ScriptedEnvironment::new([ScriptedTurn::failure(ScriptedErrorKind::Unauthorized, "Bad key")]);
    let ran = scripted.run(&["Hello"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("script rejected the key from the configuration (401)"), "{ran:?}");
    ran.assert_hides("0987654321");
}

#[test]
fn without_a_model_it_says_what_to_do() {
    let env = crate::cli::environment::TestEnvironment::new().without_local_providers();
    let ran = env.run(&["run", "Hello"]);
    assert!(ran.code == Some(0) && ran.stdout.contains("I am the offline model"), "{ran:?}");
    assert!(ran.stdout.contains("copydesk auth add anthropic"), "{ran:?}");
}

/// The stream breaks after the call is complete: the call has run once, and does not run again.
#[test]
fn a_break_after_a_call_does_not_repeat_it() {
    let scripted = ScriptedEnvironment::new([
        ScriptedTurn::new()
            .call("c1", "bash", json!({ "command": "echo ran >> log" }))
            .split()
            .text("And th")
            .truncated(),
        ScriptedTurn::new().text("Done."),
    ]);
    let ran = scripted.run(&["--auto", "Go"]);
    assert_eq!((scripted.env.read("log").as_str(), ran.code), ("ran\n", Some(0)), "{ran:?}");
    assert!(scripted.last_message(1).contains("exit code 0"), "{}", scripted.last_message(1));
}

#[test]
fn text_of_an_attempt_that_failed_is_not_kept() {
    let scripted = ScriptedEnvironment::new([
        ScriptedTurn::new().text("half an ans").split().text("wer").end(),
        ScriptedTurn::new().text("The answer."),
        ScriptedTurn::new().text("ok"),
    ]);
    let ran = scripted.run(&["--json", "Go"]);
    let voids = events(&ran).iter().filter(|event| event["event"] == "void").count();
    assert!(voids >= 1, "{ran:?}");
    scripted.run(&["--continue", "And?"]);
    let history = scripted.request_body(2)["messages"].to_string();
    assert!(history.contains("The answer.") && !history.contains("half an ans"), "{history}");
}

#[tokio::test]
async fn ctrl_c_cancels_and_is_recorded() {
    let scripted = ScriptedEnvironment::new([
        ScriptedTurn::new().text("Thinking about").gate("here"),
        ScriptedTurn::new().text("ok"),
    ]);
    let mut child = scripted.start(&["Go"]);
    scripted.server.wait_for_gate("here").await;
    // Sent is not received: wait until the text is printed.
    let mut printed = vec![0; "Thinking about".len()];
    child.stdout.as_mut().unwrap().read_exact(&mut printed).unwrap();
    assert_eq!(printed, b"Thinking about");
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("cancelled"));
    scripted.server.wait_for_hangup("here").await;
    // The partial text is there when the session continues.
    scripted.run(&["--continue", "Go on"]);
    assert!(scripted.request_body(1)["messages"].to_string().contains("Thinking about"));
}

#[tokio::test]
async fn a_command_that_runs_is_ended_by_cancel() {
    let command = "echo $$ > pid; echo started > started; sleep 600";
    let scripted = ScriptedEnvironment::new([
        ScriptedTurn::new().call("c1", "bash", json!({ "command": command })),
        ScriptedTurn::new().text("ok"),
    ]);
    let child = scripted.start(&["--auto", "Go"]);
    scripted.wait_for_file("started").await;
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    let pid = scripted.env.read("pid");
    let alive = Command::new("kill").args(["-0", pid.trim()]).output().unwrap().status.success();
    assert!(!alive, "the command is gone");
    scripted.run(&["--continue", "What happened?"]);
    let history = scripted.request_body(1)["messages"].to_string();
    assert!(history.contains("cancelled"), "{history}");
}

/// `kill -9` in the middle of a command: everything complete is there, and the call is marked.
#[tokio::test]
async fn a_killed_daemon_loses_nothing_that_was_complete() {
    let scripted = ScriptedEnvironment::new([
        ScriptedTurn::new().text("First.").call("c1", "bash", json!({ "command": "echo one" })),
        ScriptedTurn::new().text("Second.").call(
            "c2",
            "bash",
            json!({ "command": "echo started > started; sleep 600" }),
        ),
        ScriptedTurn::new().text("ok"),
    ]);
    let mut child = scripted.start(&["--auto", "Go"]);
    scripted.wait_for_file("started").await;
    child.kill().unwrap();
    child.wait().unwrap();
    let ran = scripted.run(&["--continue", "And now?"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let history = scripted.request_body(2)["messages"].to_string();
    for kept in ["Go", "First.", "one", "Second.", "This call was interrupted", "And now?"] {
        assert!(history.contains(kept), "{kept}: {history}");
    }
}

#[test]
fn a_model_that_never_stops_is_stopped() {
    let turns = (0..3).map(|number| ScriptedTurn::new().call(format!("c{number}"), "list", json!({})));
    let scripted = ScriptedEnvironment::with_config(turns, json!({ "agent": { "build": { "steps": 3 } } }));
    let ran = scripted.run(&["Go"]);
    assert!(ran.code == Some(1) && ran.stderr.contains("stopped after 3 steps"), "{ran:?}");
}

#[test]
fn five_hundred_calls_at_once_are_survived() {
    let mut turn = ScriptedTurn::new();
    for number in 0..500 {
        turn = turn.call(format!("c{number}"), "read", json!({ "filePath": "a.txt" }));
    }
    let scripted = ScriptedEnvironment::new([turn, ScriptedTurn::new().text("Done.")]);
    scripted.env.write("a.txt", "text\n");
    let ran = scripted.run(&["Go"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let results = scripted.request_body(1)["messages"][2]["content"].as_array().unwrap().clone();
    assert_eq!(results.len(), 500, "every call has its result");
    assert!(
        results[0].to_string().contains("1: text") && results[499].to_string().contains("Too many calls")
    );
}

#[test]
fn a_damaged_store_is_told_of_and_kept() {
    let scripted = ScriptedEnvironment::new([ScriptedTurn::new().text("ok")]);
    scripted.env.write("~/.local/share/copydesk/sessions.db", "garbage ".repeat(200));
    let ran = scripted.run(&["Hello"]);
    assert!(
        ran.code == Some(0)
            && ran.stderr.contains("the damaged file is ~/.local/share/copydesk/sessions.db.damaged-"),
        "{ran:?}"
    );
}

#[test]
fn a_project_cannot_allow_itself_anything() {
    let turns = [
        ScriptedTurn::new().call("c1", "bash", json!({ "command": "touch ran" })),
        ScriptedTurn::new().text("ok"),
    ];
    let scripted = ScriptedEnvironment::new(turns);
    scripted.env.write(
        "copydesk.jsonc",
        r#"{ "permission": "allow", "agent": { "build": { "permission": { "bash": "allow" } } } }"#,
    );
    let ran = scripted.run(&["Go"]);
    assert!(!scripted.env.exists("ran"), "{ran:?}");
    assert!(ran.stderr.contains("is not trusted"), "{ran:?}");
}
