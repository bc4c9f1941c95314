//! Commands that do not want to end, when the daemon does: whichever way it goes, nothing of them is left behind.
//!
//! Each of their processes holds a pipe open; its end is the end of the last one.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::Command;

use serde_json::json;

use super::desk::{Running, says};
use crate::daemon::editor::kill;
use crate::model_server::Turn;

/// Does not listen, and neither does what it has started.
const STUBBORN: &str =
    "trap '' TERM HUP INT; exec 3> held; (while :; do sleep 1000; done) & echo begun; echo begun >&3; wait";

/// Whoever has the other end of the pipe.
struct Held(BufReader<File>);

impl Held {
    /// Waits until the command is there.
    fn begun(desk: &Running) -> Self {
        let mut held = BufReader::new(File::open(desk.scripted.desk.path("held")).unwrap());
        let mut line = String::new();
        held.read_line(&mut line).unwrap();
        assert_eq!(line, "begun\n");
        Self(held)
    }

    /// Whether anybody has it now; without waiting.
    fn is_held(&self) -> bool {
        let path = format!("/proc/self/fd/{}", self.0.get_ref().as_raw_fd());
        let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
        let mut now = OpenOptions::new().read(true).custom_flags(flags).open(path).unwrap();
        match now.read(&mut [0]) {
            Ok(0) => false,
            Err(error) if error.kind() == ErrorKind::WouldBlock => true,
            other => panic!("{other:?}"),
        }
    }

    fn gone(mut self) {
        assert_eq!(self.0.read_to_string(&mut String::new()).unwrap(), 0);
    }
}

/// A call that does not end.
fn staying() -> Running {
    running(STUBBORN, [])
}

/// One that ends and leaves something behind.
fn leaving() -> Running {
    running(&format!("({STUBBORN}) > /dev/null 2>&1 &"), [says("Done.")])
}

fn running(script: &str, more: impl IntoIterator<Item = Turn>) -> Running {
    let bash = Turn::new().call("c1", "bash", json!({ "command": script, "description": "Stay" }));
    let desk = Running::new([bash].into_iter().chain(more));
    let path = desk.scripted.desk.path("held");
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    desk
}

#[test]
fn a_command_that_does_not_listen_is_gone_when_the_daemon_has_stopped() {
    let mut desk = staying();
    let mut client = desk.client("vscode");
    let session = client.session();
    client.prompt(&session, "Go");
    let held = Held::begun(&desk);
    assert!(held.is_held());
    let stop = desk.scripted.desk.run(&["stop", "--now"]);
    assert!(stop.code == Some(0) && stop.stdout.starts_with("The daemon has ended.\n"), "{stop:?}");
    assert!(!held.is_held());
    // Who was attached knows how it ended, and so does whoever comes next.
    assert_eq!(client.ended(&session), "cancelled");
    desk.start_again();
    let loaded = desk.client("nvim").load(&session);
    let call = loaded["parts"].as_array().unwrap().iter().find(|part| part["content"]["kind"] == "call");
    let call = call.unwrap_or_else(|| panic!("{loaded:#}"));
    assert_eq!(call["state"]["kind"], "interrupted");
    let output = call["content"]["output"]["output"].as_str().unwrap();
    assert!(output.contains("it was ended") && output.contains("begun"), "{output}");
}

#[test]
fn what_a_command_left_in_the_background_is_gone_when_the_daemon_has_ended() {
    let desk = leaving();
    let mut client = desk.client("vscode");
    let session = client.session();
    client.prompt(&session, "Go");
    let held = Held::begun(&desk);
    assert_eq!(client.ended(&session), "done");
    assert!(held.is_held());
    kill(desk.pid().into(), "-TERM");
    client.read_to_the_end();
    assert!(!held.is_held());
}

#[test]
fn a_killed_daemon_takes_its_commands_along() {
    for (mut desk, ends) in [(staying(), false), (leaving(), true)] {
        let mut client = desk.client("vscode");
        let session = client.session();
        client.prompt(&session, "Go");
        let held = Held::begun(&desk);
        if ends {
            assert_eq!(client.ended(&session), "done");
        }
        assert!(held.is_held());
        desk.crash();
        held.gone();
    }
}

/// A queued prompt must not begin when the one before it is cancelled by the end.
#[test]
fn a_daemon_that_ends_begins_nothing_more() {
    let desk = Running::new([Turn::new().text("a").gate("g")]);
    let mut client = desk.client("vscode");
    let session = client.session();
    client.prompt(&session, "First");
    desk.reached("g");
    assert_eq!(client.prompt(&session, "Second")["queued"], true);
    assert_eq!(client.call("copydesk/stop", json!({ "when": "now" })), json!({ "waitingFor": 1 }));
    client.read_to_the_end();
    desk.hung_up("g");
    let started = client.events.iter().filter(|event| event["event"]["event"] == "turnStarted").count();
    assert_eq!((started, desk.scripted.server.requests().len()), (1, 1));
}
