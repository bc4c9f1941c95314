//! Narrow windows, wide characters, no colours, and the waiting line.

use serde_json::json;

use super::approval::{edit, scripted};
use super::screen::{CTRL_C, TestTerminal};
use crate::model_server::ScriptedTurn;

#[test]
fn a_narrow_window_has_one_key_per_line() {
    let command = json!({ "command": "cargo check --workspace", "description": "Check" });
    let scripted = scripted([ScriptedTurn::new().call("c1", "bash", command)]);
    let mut terminal = TestTerminal::start_sized(&scripted.env, &["run", "Go"], 30, 40);
    terminal.wait_for_text("because…\n  ›");
    assert_eq!(
        terminal.rows(),
        [
            "? Check",
            "  $ cargo check --workspace",
            "  why: `\"bash\": { \"*\": \"ask\" }` (built i",
            "n)",
            "  [y] yes",
            "  [a] always (bash: cargo check *)",
            "  [p] always in this project",
            "  [e] edit what always allows",
            "  [n] no, stop",
            "  [r] no, because…",
            "  ›",
        ]
    );
    terminal.line("n");
    assert_eq!(terminal.wait_for_exit(), Some(1));
}

#[test]
fn wide_characters_stay_readable() {
    let scripted = scripted([
        edit("c1", "one", "二つの長い行があります、四十桁より広いです"),
        ScriptedTurn::new().text("終わり🎉"),
    ]);
    let mut terminal = TestTerminal::start_sized(&scripted.env, &["run", "Go"], 30, 40);
    terminal.wait_for_text("because…\n  ›");
    let rows = terminal.rows();
    assert_eq!(rows[3..7], ["  -one", "  +二つの長い行があります、四十桁より広", "いです", "   last"]);
    terminal.line("y");
    assert_eq!(terminal.wait_for_exit(), Some(0));
    assert!(terminal.text().contains("\n\n終わり🎉\n"), "{}", terminal.text());
}

/// The waiting line appears and disappears, also if the window has become narrower than it.
#[tokio::test]
async fn the_waiting_line_leaves_nothing_behind() {
    for environment in [("NO_COLOR", "1"), ("NO_COLOR", "")] {
        let mut scripted = scripted([ScriptedTurn::new().gate("begin").text("Hi").gate("here")]);
        scripted.env = scripted.env.env(environment.0, environment.1);
        let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
        terminal.wait_for_text("thinking…");
        terminal.resize(10, 20);
        scripted.server.open_gate("begin");
        terminal.wait_until("the text", |terminal| terminal.rows() == ["Hi"]);
        terminal.keys(CTRL_C);
        assert_eq!(terminal.wait_for_exit(), Some(130));
        scripted.server.wait_for_hangup("here").await;
        let rows = terminal.rows();
        assert_eq!(rows[..2], ["Hi^C", "cancelled"], "{rows:?}");
        assert!(!rows.iter().any(|row| row.contains("what runs")), "{rows:?}");
    }
}

#[test]
fn without_colours_only_the_waiting_line_is_cleared() {
    let mut scripted = scripted([edit("c1", "one", "two"), ScriptedTurn::new().text("Done.")]);
    scripted.env = scripted.env.env("NO_COLOR", "1");
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text("because…  ›");
    terminal.line("y");
    assert_eq!(terminal.wait_for_exit(), Some(0));
    assert!(terminal.raw().contains("\r\u{1b}[2K"), "{:?}", terminal.raw());
    assert!(!terminal.raw().replace("\u{1b}[2K", "").contains('\u{1b}'), "{:?}", terminal.raw());
}

#[test]
fn a_terminal_that_can_do_nothing_gets_no_codes_at_all() {
    for term in [None, Some("dumb")] {
        let mut scripted = scripted([edit("c1", "one", "two"), ScriptedTurn::new().text("Done.")]);
        scripted.env = match term {
            Some(term) => scripted.env.env("TERM", term),
            None => scripted.env.without_env("TERM"),
        };
        let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
        terminal.wait_for_text("because…  ›");
        terminal.line("y");
        assert_eq!(terminal.wait_for_exit(), Some(0));
        assert!(
            !terminal.raw().contains('\u{1b}') && !terminal.raw().contains("thinking"),
            "{:?}",
            terminal.raw()
        );
    }
}
