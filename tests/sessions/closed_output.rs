//! The reader of a run's output goes away, as after `| head -1`: the turn is cancelled and stored as such.

use std::fs::OpenOptions;
use std::io::{BufRead as _, BufReader, Lines, Read as _};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::harness::{RunLocation, ScriptedEnvironment};
use crate::cli::environment::BINARY;
use crate::model_server::ScriptedTurn;

const EVERYTHING: [(RunLocation, &[&str]); 4] = [
    (RunLocation::OwnProcess, &[]),
    (RunLocation::OwnProcess, &["--json"]),
    (RunLocation::Daemon, &[]),
    (RunLocation::Daemon, &["--json"]),
];

/// Reads until a line contains these words. Dropping the result closes the pipe.
fn read_until(child: &mut Child, words: &str) -> Lines<BufReader<ChildStdout>> {
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains(words)), "`{words}` did not come");
    lines
}

fn end(mut child: Child) -> (Option<i32>, String) {
    let code = child.wait().unwrap().code();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    (code, said)
}

/// The parts of the only session.
fn stored_parts(scripted: &ScriptedEnvironment) -> Vec<Value> {
    let sessions = scripted.env.run(&["sessions", "list", "--json"]).json();
    let id = sessions[0]["id"].as_str().unwrap().to_owned();
    scripted.env.run(&["sessions", "export", &id]).json()["parts"].as_array().unwrap().clone()
}

/// What the model was writing is interrupted, and the turn says how it ended.
#[track_caller]
fn assert_stored_as_cancelled(scripted: &ScriptedEnvironment) {
    let parts = stored_parts(scripted);
    let [.., written, end] = &parts[..] else { panic!("{parts:#?}") };
    assert_eq!(written["state"]["state"], "interrupted", "{parts:#?}");
    assert_eq!(end["content"]["kind"], "turn_end", "{parts:#?}");
}

#[track_caller]
fn assert_cancelled(child: Child) {
    let (code, said) = end(child);
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("standard output is closed: the turn was cancelled"), "{said}");
}

#[tokio::test]
async fn what_the_model_writes_is_cancelled() {
    for (place, options) in EVERYTHING {
        let more = ScriptedTurn::new().text("First.\n").gate("closed").text("More.").gate("never");
        let scripted = ScriptedEnvironment::new([more.call("c1", "bash", json!({ "command": "touch ran" }))]);
        let _up = scripted.start_daemon(place);
        let mut child = scripted.start(&[options, &["--auto", "Go"]].concat());
        drop(read_until(&mut child, "First."));
        scripted.server.open_gate("closed");
        scripted.server.wait_for_hangup("never").await;
        assert_cancelled(child);
        assert!(!scripted.env.exists("ran"));
        assert_stored_as_cancelled(&scripted);
    }
}

#[tokio::test]
async fn whoever_goes_while_nothing_happens_is_missed() {
    for (place, options) in EVERYTHING {
        let scripted = ScriptedEnvironment::new([ScriptedTurn::new().text("First.\n").gate("never")]);
        let _up = scripted.start_daemon(place);
        let mut child = scripted.start(&[options, &["Go"]].concat());
        drop(read_until(&mut child, "First."));
        scripted.server.wait_for_hangup("never").await;
        assert_cancelled(child);
    }
}

#[tokio::test]
async fn a_command_that_runs_is_ended() {
    for (place, options) in EVERYTHING {
        // Nothing ever writes there.
        let command = "echo $$ > written; mv written started; read line < never";
        let turn = ScriptedTurn::new().text("First.\n").call("c1", "bash", json!({ "command": command }));
        let scripted = ScriptedEnvironment::with_config([turn], json!({ "permission": { "bash": "allow" } }));
        assert_eq!(scripted.env.shell("mkfifo never").code, Some(0));
        let _up = scripted.start_daemon(place);
        let mut child = scripted.start(&[options, &["Go"]].concat());
        let reader = read_until(&mut child, "First.");
        scripted.wait_for_file("started").await;
        let shell = scripted.env.read("started");
        drop(reader);
        assert_cancelled(child);
        let alive = scripted.env.shell(&format!("kill -0 {}", shell.trim()));
        assert_ne!(alive.code, Some(0), "it runs still: {alive:?}");
        let parts = stored_parts(&scripted);
        let call = parts.iter().find(|part| part["content"]["name"] == "bash").unwrap();
        assert_eq!(call["state"]["state"], "interrupted", "{parts:#?}");
    }
}

/// A full disk is an error, too, and must not leave the turn half done.
#[tokio::test]
async fn what_cannot_be_written_is_told() {
    let turn = ScriptedTurn::new().text("First.\n").gate("never");
    let scripted = ScriptedEnvironment::new([turn.call("c1", "bash", json!({ "command": "touch ran" }))]);
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = Command::new(BINARY);
    command.args(["run", "--auto", "Go"]).stdin(Stdio::null()).stdout(full).stderr(Stdio::piped());
    scripted.env.prepare(&mut command);
    let child = command.spawn().unwrap();
    scripted.server.wait_for_hangup("never").await;
    let (code, said) = end(child);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("error: cannot write to standard output; the turn was cancelled: "), "{said}");
    assert_stored_as_cancelled(&scripted);
}
