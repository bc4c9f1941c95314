//! Commands on a terminal: their output while they run, and how a failure looks.

use serde_json::{Value, json};
use vt100::Color;

use super::approval::{PROMPT, scripted, scripted_with_config};
use super::screen::TestTerminal;
use crate::model_server::ScriptedTurn;
use crate::sessions::harness::{RunLocation, ScriptedEnvironment};

fn allowed(arguments: Value) -> ScriptedEnvironment {
    let turns = [ScriptedTurn::new().call("c1", "bash", arguments), ScriptedTurn::new().text("ok")];
    scripted_with_config(turns, json!({ "permission": { "bash": "allow" } }))
}

/// The row that begins so, and its first colour.
fn row(terminal: &TestTerminal, begins: &str) -> (usize, Color) {
    let rows = terminal.rows();
    let at = rows.iter().position(|row| row.starts_with(begins)).unwrap_or_else(|| panic!("{rows:#?}"));
    (at, terminal.screen().cell(u16::try_from(at).unwrap(), 0).unwrap().fgcolor())
}

#[test]
fn a_command_that_failed_does_not_look_like_one_that_did_not() {
    for place in [RunLocation::OwnProcess, RunLocation::Daemon] {
        let printed = r"printf 'one\ntwo\n\nthree\nfour\n\033[31mfive\033[0m\tsix\n'; exit 3";
        let scripted = allowed(json!({ "command": printed, "description": "Try it" }));
        let _up = scripted.start_daemon(place);
        let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
        assert_eq!(terminal.wait_for_exit(), Some(0));
        let (at, colour) = row(&terminal, "✗ bash Try it  exit code 3");
        assert_eq!(colour, Color::Idx(1));
        let rows = terminal.rows();
        assert_eq!(rows[at + 1..at + 8], ["  one", "  two", "  three", "  four", "  five    six", "", "ok"]);
    }
}

#[test]
fn how_a_command_ended_is_told() {
    let killed = json!({ "command": "echo begun; kill -9 $$", "description": "Die" });
    // It may have had no time to start.
    let late = json!({ "command": "read line < pipe", "description": "Wait", "timeout": 200 });
    for (arguments, told, printed) in [
        (killed, "✗ bash Die  ended by signal 9", "  begun"),
        (late, "✗ bash Wait  ended at its timeout", ""),
    ] {
        let scripted = allowed(arguments);
        assert_eq!(scripted.env.shell("mkfifo pipe").code, Some(0));
        let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
        assert_eq!(terminal.wait_for_exit(), Some(0));
        let (at, colour) = row(&terminal, told);
        assert_eq!((colour, terminal.rows()[at + 1].as_str()), (Color::Idx(1), printed));
    }
    let scripted = allowed(json!({ "command": "echo fine", "description": "Try it" }));
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    assert_eq!(terminal.wait_for_exit(), Some(0));
    let (at, colour) = row(&terminal, "✓ bash Try it");
    assert_eq!((colour, terminal.rows()[at + 1..at + 3].join("|")), (Color::Idx(2), "|ok".to_owned()));
}

/// Two pipes: a second reader could get the end of the first writer.
const TALKS: &str = "echo one; read line < pipe; printf 'two\\n\\n'; read line < other; exit 0";

/// The output of a command that waits for the pipes is visible while it runs, and gone when it ends.
fn is_seen(scripted: &ScriptedEnvironment, terminal: &mut TestTerminal) {
    terminal.wait_until("the first line", |terminal| is_last(terminal, "bash Talk…", "· one"));
    terminal.wait_until("a time", |terminal| is_last(terminal, "bash Talk… ", " s · one"));
    scripted.env.write("pipe", "\n");
    terminal.wait_until("the second line", |terminal| is_last(terminal, "bash Talk…", "· two"));
    scripted.env.write("other", "\n");
    assert_eq!(terminal.wait_for_exit(), Some(0));
    let text = terminal.text();
    assert!(!text.contains("bash Talk…") && text.contains("✓ bash Talk\n\nok"), "{text}");
}

fn is_last(terminal: &TestTerminal, begins: &str, ends: &str) -> bool {
    terminal.rows().last().is_some_and(|row| row.starts_with(begins) && row.ends_with(ends))
}

#[test]
fn what_a_running_command_prints_is_seen() {
    for place in [RunLocation::OwnProcess, RunLocation::Daemon] {
        let scripted = allowed(json!({ "command": TALKS, "description": "Talk" }));
        assert_eq!(scripted.env.shell("mkfifo pipe other").code, Some(0));
        let _up = scripted.start_daemon(place);
        let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
        is_seen(&scripted, &mut terminal);
    }
}

#[test]
fn what_a_command_prints_is_seen_after_an_ask() {
    let talk = json!({ "command": TALKS, "description": "Talk" });
    let scripted = scripted([ScriptedTurn::new().call("c1", "bash", talk), ScriptedTurn::new().text("ok")]);
    assert_eq!(scripted.env.shell("mkfifo pipe other").code, Some(0));
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text(PROMPT);
    terminal.line("y");
    is_seen(&scripted, &mut terminal);
}

/// In a narrow window it is still one row, which can be erased.
#[test]
fn what_a_running_command_prints_fits_the_window() {
    let command = "printf 'a long line with many words 日本語 %0100d\\n' 0; read line < pipe";
    let scripted = allowed(json!({ "command": command, "description": "Talk" }));
    assert_eq!(scripted.env.shell("mkfifo pipe").code, Some(0));
    let mut terminal = TestTerminal::start_sized(&scripted.env, &["run", "Go"], 30, 40);
    terminal.wait_until("one row", |terminal| {
        let rows = terminal.rows();
        rows.len() == 1 && rows[0].starts_with("bash Talk…") && rows[0].contains("· a long line")
    });
    scripted.env.write("pipe", "\n");
    assert_eq!(terminal.wait_for_exit(), Some(0));
    assert!(terminal.text().starts_with("✓ bash Talk"), "{}", terminal.text());
}

/// A pipe gets no line that would have to be erased.
#[test]
fn a_pipe_gets_only_what_stays() {
    let scripted = allowed(json!({ "command": "echo hi; exit 3", "description": "Try it" }));
    let ran = scripted.run(&["Go"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("✗ bash Try it  exit code 3") && ran.stdout.contains("\n  hi\n"), "{ran:?}");
    assert!(!ran.stderr.contains("bash") && !ran.stderr.contains('\u{1b}'), "{ran:?}");
}
