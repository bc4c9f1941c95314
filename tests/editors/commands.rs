//! Commands that ignore signals, when the daemon ends: however it ends, none of their processes is left.
//!
//! Each of their processes holds a pipe open; its end is the end of the last one.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::Command;

use serde_json::json;

use super::scripted_daemon::{ScriptedDaemon, text_turn};
use crate::daemon::stdio_editor::kill;
use crate::model_server::ScriptedTurn;

/// Ignores signals, and so does its child.
const STUBBORN: &str =
    "trap '' TERM HUP INT; exec 3> held; (while :; do sleep 1000; done) & echo begun; echo begun >&3; wait";

/// The test's end of the pipe.
struct CommandPipe(BufReader<File>);

impl CommandPipe {
    /// Waits until the command has started.
    fn wait_for_start(daemon: &ScriptedDaemon) -> Self {
        let mut held = BufReader::new(File::open(daemon.scripted.env.path("held")).unwrap());
        let mut line = String::new();
        held.read_line(&mut line).unwrap();
        assert_eq!(line, "begun\n");
        Self(held)
    }

    /// Whether a process holds the other end; does not wait.
    fn is_open(&self) -> bool {
        let path = format!("/proc/self/fd/{}", self.0.get_ref().as_raw_fd());
        let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
        let mut now = OpenOptions::new().read(true).custom_flags(flags).open(path).unwrap();
        match now.read(&mut [0]) {
            Ok(0) => false,
            Err(error) if error.kind() == ErrorKind::WouldBlock => true,
            other => panic!("{other:?}"),
        }
    }

    fn assert_closed(mut self) {
        assert_eq!(self.0.read_to_string(&mut String::new()).unwrap(), 0);
    }
}

/// A call that does not end.
fn with_running_command() -> ScriptedDaemon {
    running(STUBBORN, [])
}

/// A call that ends and leaves a process behind.
fn with_background_command() -> ScriptedDaemon {
    running(&format!("({STUBBORN}) > /dev/null 2>&1 &"), [text_turn("Done.")])
}

fn running(script: &str, more: impl IntoIterator<Item = ScriptedTurn>) -> ScriptedDaemon {
    let bash = ScriptedTurn::new().call("c1", "bash", json!({ "command": script, "description": "Stay" }));
    let daemon = ScriptedDaemon::new([bash].into_iter().chain(more));
    let path = daemon.scripted.env.path("held");
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    daemon
}

#[test]
fn a_command_that_does_not_listen_is_gone_when_the_daemon_has_stopped() {
    let mut daemon = with_running_command();
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.prompt(&session, "Go");
    let held = CommandPipe::wait_for_start(&daemon);
    assert!(held.is_open());
    let stop = daemon.scripted.env.run(&["stop", "--now"]);
    assert!(stop.code == Some(0) && stop.stdout.starts_with("The daemon has stopped.\n"), "{stop:?}");
    assert!(!held.is_open());
    // Attached clients know how it ended, and so do later ones.
    assert_eq!(client.wait_for_turn_end(&session), "cancelled");
    daemon.restart();
    let loaded = daemon.client("nvim").load(&session);
    let call = loaded["parts"].as_array().unwrap().iter().find(|part| part["content"]["kind"] == "call");
    let call = call.unwrap_or_else(|| panic!("{loaded:#}"));
    assert_eq!(call["state"]["kind"], "interrupted");
    let output = call["content"]["output"]["output"].as_str().unwrap();
    assert!(output.contains("it was ended") && output.contains("begun"), "{output}");
}

#[test]
fn what_a_command_left_in_the_background_is_gone_when_the_daemon_has_ended() {
    let daemon = with_background_command();
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.prompt(&session, "Go");
    let held = CommandPipe::wait_for_start(&daemon);
    assert_eq!(client.wait_for_turn_end(&session), "done");
    assert!(held.is_open());
    kill(daemon.pid().into(), "-TERM");
    client.read_to_the_end();
    assert!(!held.is_open());
}

#[test]
fn a_killed_daemon_takes_its_commands_along() {
    for (mut daemon, ends) in [(with_running_command(), false), (with_background_command(), true)] {
        let mut client = daemon.client("vscode");
        let session = client.new_session();
        client.prompt(&session, "Go");
        let held = CommandPipe::wait_for_start(&daemon);
        if ends {
            assert_eq!(client.wait_for_turn_end(&session), "done");
        }
        assert!(held.is_open());
        daemon.crash();
        held.assert_closed();
    }
}

/// A queued prompt must not start when the shutdown cancels the one before it.
#[test]
fn a_daemon_that_ends_begins_nothing_more() {
    let daemon = ScriptedDaemon::new([ScriptedTurn::new().text("a").gate("g")]);
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.prompt(&session, "First");
    daemon.wait_for_gate("g");
    assert_eq!(client.prompt(&session, "Second")["queued"], true);
    assert_eq!(client.request_ok("copydesk/stop", json!({ "when": "now" })), json!({ "waitingFor": 1 }));
    client.read_to_the_end();
    daemon.wait_for_hangup("g");
    let started = client.events.iter().filter(|event| event["event"]["event"] == "turnStarted").count();
    assert_eq!((started, daemon.scripted.server.requests().len()), (1, 1));
}
