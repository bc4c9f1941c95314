//! Ctrl-C, Ctrl-D and closed windows.

use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;

use serde_json::json;

use super::approval::{PROMPT, edit, scripted, scripted_with_config};
use super::screen::{CTRL_C, CTRL_D, TestTerminal};
use crate::cli::environment::BINARY;
use crate::model_server::ScriptedTurn;

#[test]
fn ctrl_c_at_the_question_cancels_the_turn() {
    let scripted = scripted([edit("c1", "one", "two"), ScriptedTurn::new().text("ok")]);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text(PROMPT);
    terminal.keys(CTRL_C);
    assert_eq!(terminal.wait_for_exit(), Some(130));
    let text = terminal.text();
    assert!(text.contains("› ^C\n– edit Edit a.txt (+1 -1)\ncancelled\n"), "{text}");
    assert!(!text.contains("leaves at once"), "what was waited for is gone: {text}");
    assert_eq!(scripted.env.read("a.txt"), "zero\none\nlast\n");
    scripted.run(&["--continue", "And?"]);
    let history = scripted.request_body(1)["messages"].to_string();
    assert!(history.contains("cancelled"), "{history}");
}

#[tokio::test]
async fn ctrl_c_cancels_what_the_model_is_writing() {
    let scripted = scripted([ScriptedTurn::new().text("Once upon a").gate("here")]);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text("Once upon a");
    terminal.keys(CTRL_C);
    assert_eq!(terminal.wait_for_exit(), Some(130));
    scripted.server.wait_for_hangup("here").await;
    assert!(terminal.text().contains("Once upon a^C\ncancelled"), "{}", terminal.text());
}

/// A stubborn command gets time to end, unless the user presses again.
#[test]
fn a_second_ctrl_c_leaves_at_once() {
    let stubborn = json!({ "command": "trap '' TERM; echo > started; while :; do read line < pipe; done" });
    let scripted = scripted_with_config(
        [ScriptedTurn::new().call("c1", "bash", stubborn)],
        json!({ "permission": { "bash": "allow" } }),
    );
    assert_eq!(scripted.env.shell("mkfifo pipe").code, Some(0));
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_until("the command", |_| scripted.env.exists("started"));
    terminal.keys(CTRL_C);
    terminal.wait_for_text("Ctrl-C again leaves at once");
    terminal.keys(CTRL_C);
    assert_eq!(terminal.wait_for_exit(), Some(130));
    assert!(terminal.text().ends_with("left at once"), "{}", terminal.text());
}

#[test]
fn ctrl_d_is_a_no() {
    let scripted = scripted([edit("c1", "one", "two")]);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text(PROMPT);
    terminal.keys(CTRL_D);
    assert_eq!(terminal.wait_for_exit(), Some(1));
    assert!(terminal.text().contains("› \n✗ edit Edit a.txt (+1 -1): you said no\n"), "{}", terminal.text());
    assert_eq!(scripted.env.read("a.txt"), "zero\none\nlast\n");
}

/// Also if the signal is ignored, as under `nohup`.
#[test]
fn a_window_that_is_closed_ends_it() {
    for ignored in ["", "trap '' HUP; "] {
        let scripted = scripted([edit("c1", "one", "two"), ScriptedTurn::new().text("ok")]);
        let mut shell = Command::new("sh");
        scripted.env.prepare(&mut shell);
        let words = format!("{ignored}exec {BINARY} run Go");
        let mut terminal = TestTerminal::run(shell, &["sh", "-c", &words], 60, 100);
        terminal.wait_for_text(PROMPT);
        let status = terminal.close().wait().unwrap();
        assert!(status.signal().is_some() || status.code() != Some(0), "{status}");
        assert_eq!(scripted.env.read("a.txt"), "zero\none\nlast\n");
        assert_eq!(scripted.run(&["--continue", "And?"]).code, Some(0));
    }
}

/// The user is at the terminal, but does not see the question.
#[test]
fn a_question_that_nobody_reads_cancels_the_turn() {
    let scripted = scripted([edit("c1", "one", "two")]);
    let mut shell = Command::new("sh");
    scripted.env.prepare(&mut shell);
    let words = format!("{{ {BINARY} run Go; echo \"code $?\" >&2; }} | head -1");
    let mut terminal = TestTerminal::run(shell, &["sh", "-c", &words], 60, 100);
    assert_eq!(terminal.wait_for_exit(), Some(0));
    let text = terminal.text();
    assert!(text.contains("standard output is closed: the turn was cancelled"), "{text}");
    assert!(text.contains("code 130"), "{text}");
    assert_eq!(scripted.env.read("a.txt"), "zero\none\nlast\n");
}
