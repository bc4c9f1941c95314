//! A model's text is styled, and stays what it wrote.

use super::approval::scripted;
use super::screen::TestTerminal;
use crate::model_server::ScriptedTurn;

const TEXT: &str = "# Title\n\nSome **bold** and *slanted* words, `code` too.\n\n- one\n\n```rust\nlet a = 2 ** b;\n```\n> said\nplain";

#[test]
fn words_are_styled_and_none_is_changed() {
    let scripted = scripted([ScriptedTurn::new().text(TEXT).chunk(3)]);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    assert_eq!(terminal.wait_for_exit(), Some(0));
    let rows = terminal.rows();
    let lines: Vec<_> = TEXT.lines().collect();
    assert_eq!(rows[..lines.len()], lines);
    let cell = |row: u16, words: &str| {
        let column = u16::try_from(rows[usize::from(row)].find(words).unwrap()).unwrap();
        terminal.screen().cell(row, column).unwrap()
    };
    assert!(cell(0, "Title").bold() && cell(2, "bold").bold() && cell(2, "slanted").italic());
    let cyan = vt100::Color::Idx(6);
    assert!(cell(2, "code").fgcolor() == cyan && cell(7, "let").fgcolor() == cyan && !cell(7, "b;").bold());
    assert!(cell(6, "```").dim() && cell(8, "```").dim() && cell(9, "said").dim());
    assert!(!cell(2, "Some").bold() && cell(10, "plain").fgcolor() == vt100::Color::Default);
}

/// Text is shown without waiting for the end of a line or of a pair of marks.
#[tokio::test]
async fn words_are_seen_as_they_come() {
    let turn = ScriptedTurn::new()
        .text("Some **bo")
        .gate("one")
        .text("ld** `co")
        .gate("two")
        .text("de`")
        .gate("three");
    let scripted = scripted([turn]);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    for (seen, gate) in [("Some **bo", "one"), ("Some **bold** `co", "two")] {
        terminal.wait_until(seen, |terminal| terminal.rows() == [seen]);
        scripted.server.open_gate(gate);
    }
    terminal.wait_for_text("Some **bold** `code");
    scripted.server.open_gate("three");
    assert_eq!(terminal.wait_for_exit(), Some(0));
    assert!(terminal.text().contains("Some **bold** `code`\n"), "{}", terminal.text());
}

#[test]
fn without_colours_and_in_pipes_it_is_as_it_was_written() {
    let scripted = scripted([ScriptedTurn::new().text(TEXT), ScriptedTurn::new().text(TEXT)]);
    let ran = scripted.run(&["Go"]);
    assert_eq!(ran.stdout, format!("{TEXT}\n"));
    let ran = scripted.run(&["--json", "Go"]);
    assert!(!ran.stdout.contains("\u{1b}") && !ran.stdout.contains("u001b"), "{ran:?}");
}
