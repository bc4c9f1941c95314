//! Text of models and tools cannot control the terminal.

use serde_json::json;

use super::approval::{PROMPT, scripted};
use super::screen::TestTerminal;
use crate::model_server::ScriptedTurn;

/// A title, a cleared screen, a hidden text, a link, the clipboard, the cursor, a bell, and colours like ours.
const HOSTILE: &str = "\u{1b}]0;title\u{7}\u{1b}[2J\u{1b}[8m\u{1b}]8;;http://evil\u{1b}\\link\u{1b}]8;;\u{1b}\\\
                       \u{1b}]52;c;ZXZpbA==\u{7}\u{1b}[1;1H\u{9b}2J\u{7}\u{8}\rover\u{1b}[32mgreen\u{202e}\u{e0041}";

/// Every sequence that we write ourselves.
const OURS: [&str; 7] = ["[0m", "[1m", "[2m", "[31m", "[32m", "[33m", "[2K"];

#[test]
fn no_escape_sequence_gets_through() {
    let scripted = scripted([
        ScriptedTurn::new().reasoning(HOSTILE).signed("s").text(HOSTILE).call(
            "c1",
            "bash",
            json!({ "command": format!("printf '%s' '{HOSTILE}'"), "description": HOSTILE }),
        ),
        ScriptedTurn::new().call(
            "c2",
            "edit",
            json!({ "filePath": "a.txt", "oldString": "one", "newString": HOSTILE }),
        ),
        ScriptedTurn::new().call("c3", "read", json!({ "filePath": HOSTILE })).call(
            "c4",
            HOSTILE,
            json!({ "a": HOSTILE }),
        ),
        ScriptedTurn::new().text("The end."),
    ]);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text_times(PROMPT, 1);
    terminal.line("y");
    terminal.wait_for_text_times(PROMPT, 2);
    terminal.line("y");
    assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
    let raw = terminal.raw();
    for code in raw.split('\u{1b}').skip(1) {
        assert!(OURS.iter().any(|ours| code.starts_with(ours)), "{code:?} in {raw:?}");
    }
    let moves = raw.replace("\r\n", "").replace("\r\u{1b}[2K", "");
    for steering in ['\r', '\u{7}', '\u{8}', '\u{9b}', '\u{202e}', '\u{e0041}'] {
        assert!(!moves.contains(steering), "{steering:?} in {raw:?}");
    }
    assert!(terminal.text().contains("The end."), "nothing was cleared: {}", terminal.text());
}

/// Colours mean something here: red is removed, green is added. A change may not use them.
#[test]
fn a_change_cannot_choose_its_colour() {
    let new = "\u{1b}[0m\u{1b}[2mharmless";
    let edit = json!({ "filePath": "a.txt", "oldString": "one", "newString": new });
    let scripted = scripted([ScriptedTurn::new().call("c1", "edit", edit)]);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text(PROMPT);
    let rows = terminal.rows();
    let row = rows.iter().position(|row| row.starts_with("  +")).unwrap();
    for column in 2..rows[row].chars().count() {
        let cell =
            terminal.screen().cell(u16::try_from(row).unwrap(), u16::try_from(column).unwrap()).unwrap();
        assert!(cell.fgcolor() == vt100::Color::Idx(2) && !cell.dim(), "{column} of {}", rows[row]);
    }
    terminal.line("q");
    assert_eq!(terminal.wait_for_exit(), Some(1));
}
