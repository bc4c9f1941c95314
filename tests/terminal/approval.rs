//! Asks on a terminal: what is shown before, and what each key does.

use serde_json::{Value, json};
use vt100::Color;

use super::screen::TestTerminal;
use crate::model_server::ScriptedTurn;
use crate::sessions::harness::ScriptedEnvironment;

/// The end of the question, where the answer is typed.
pub(crate) const PROMPT: &str = "no, because…  ›";

/// The same if the keys do not fit on one line.
pub(crate) const LISTED_PROMPT: &str = "no, because…\n  ›";

/// A scripted model and a terminal that has colours and can clear a line.
pub(crate) fn scripted(turns: impl IntoIterator<Item = ScriptedTurn>) -> ScriptedEnvironment {
    scripted_with_config(turns, json!({}))
}

pub(crate) fn scripted_with_config(
    turns: impl IntoIterator<Item = ScriptedTurn>,
    config: Value,
) -> ScriptedEnvironment {
    let mut scripted = ScriptedEnvironment::with_config(turns, config);
    scripted.env = scripted.env.env("TERM", "xterm-256color");
    scripted.env.write("a.txt", "zero\none\nlast\n");
    scripted
}

pub(crate) fn edit(call: &str, old: &str, new: &str) -> ScriptedTurn {
    ScriptedTurn::new().call(call, "edit", edited(old, new))
}

pub(crate) fn edited(old: &str, new: &str) -> Value {
    json!({ "filePath": "a.txt", "oldString": old, "newString": new })
}

#[test]
fn the_change_is_shown_before_it_is_asked_about() {
    let scripted = scripted([edit("c1", "one", "two"), ScriptedTurn::new().text("Done.")]);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text(PROMPT);
    let rows = terminal.rows();
    assert_eq!(
        rows,
        [
            "? Edit a.txt (+1 -1)",
            "  @@ -1,3 +1,3 @@",
            "   zero",
            "  -one",
            "  +two",
            "   last",
            "  [y] yes  [n] no  [e] edit  [A] always  [q] no, stop  [c] no, because…  ›",
        ]
    );
    let colour = |row| terminal.screen().cell(row, 2).unwrap().fgcolor();
    assert_eq!((colour(2), colour(3), colour(4)), (Color::Default, Color::Idx(1), Color::Idx(2)));
    assert_eq!(scripted.env.read("a.txt"), "zero\none\nlast\n", "nothing was done yet");
    terminal.line("y");
    assert_eq!(terminal.wait_for_exit(), Some(0));
    assert_eq!(scripted.env.read("a.txt"), "zero\ntwo\nlast\n");
    assert!(terminal.text().contains("✓ edit Edited a.txt (+1 -1)\n\nDone."), "{}", terminal.text());
}

#[test]
fn yes_is_for_once_and_always_is_for_the_session() {
    let turns = [
        edit("c1", "one", "two"),
        edit("c2", "two", "three"),
        edit("c3", "three", "four"),
        ScriptedTurn::new().text("ok"),
    ];
    let scripted = scripted(turns);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text_times(PROMPT, 1);
    terminal.line("y");
    terminal.wait_for_text_times(PROMPT, 2);
    terminal.line("A");
    assert_eq!(terminal.wait_for_exit(), Some(0));
    assert_eq!(terminal.text().matches(PROMPT).count(), 2, "the third is not asked about");
    assert_eq!(scripted.env.read("a.txt"), "zero\nfour\nlast\n");
}

#[test]
fn no_and_stop_ends_the_turn() {
    let scripted = scripted([edit("c1", "one", "two")]);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text(PROMPT);
    terminal.line("q");
    assert_eq!(terminal.wait_for_exit(), Some(1));
    assert_eq!(scripted.env.read("a.txt"), "zero\none\nlast\n");
    let text = terminal.text();
    assert!(text.contains("✗ edit Edit a.txt (+1 -1): you said no\nstopped at your request\n"), "{text}");
}

#[test]
fn no_with_a_reason_reaches_the_model() {
    let scripted = scripted([edit("c1", "one", "two"), ScriptedTurn::new().text("I see.")]);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text(PROMPT);
    terminal.line("c");
    terminal.wait_for_text("because ›");
    terminal.line("make it dré");
    assert_eq!(terminal.wait_for_exit(), Some(0));
    assert_eq!(scripted.env.read("a.txt"), "zero\none\nlast\n");
    assert!(scripted.last_message(1).contains("make it dré"), "{}", scripted.last_message(1));
    assert!(terminal.text().contains("you said no\n\nI see."), "{}", terminal.text());
}

#[test]
fn another_key_is_explained() {
    let scripted = scripted([edit("c1", "one", "two"), ScriptedTurn::new().text("ok")]);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text(PROMPT);
    terminal.line("maybe");
    terminal.wait_for_text("not `maybe`: type y, n, e, c, A, q, ?, then Enter");
    terminal.wait_for_text_times(PROMPT, 2);
    terminal.line("");
    terminal.wait_for_text("\n  type y, n, e, c, A, q, ?, then Enter");
    terminal.wait_for_text_times(PROMPT, 3);
    terminal.keys("yx\u{7f}\r");
    assert_eq!(terminal.wait_for_exit(), Some(0));
    assert_eq!(scripted.env.read("a.txt"), "zero\ntwo\nlast\n");
}

#[test]
fn several_asks_come_one_after_the_other() {
    let turn = ScriptedTurn::new().call("c1", "edit", edited("one", "two")).call(
        "c2",
        "bash",
        json!({ "command": "echo first >> log\necho second >> log", "description": "Log" }),
    );
    let scripted = scripted([turn, ScriptedTurn::new().text("ok")]);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text_times(PROMPT, 1);
    assert_eq!(terminal.text().matches("? ").count(), 1, "{}", terminal.text());
    terminal.line("y");
    terminal.wait_for_text_times(PROMPT, 2);
    assert!(!scripted.env.exists("log"), "the second waits for its own answer");
    terminal.line("y");
    assert_eq!(terminal.wait_for_exit(), Some(0));
    assert_eq!(scripted.env.read("log"), "first\nsecond\n");
    assert!(
        terminal.text().contains("  $ echo first >> log\n    echo second >> log\n"),
        "{}",
        terminal.text()
    );
}

/// A user who types while the model writes has not seen what they would approve.
#[tokio::test]
async fn what_was_typed_before_the_question_is_no_answer() {
    let turn = ScriptedTurn::new().text("Wait.").gate("typed").call("c1", "edit", edited("one", "two"));
    let scripted = scripted([turn]);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text("Wait.");
    terminal.line("y");
    terminal.wait_for_text("Wait.y");
    scripted.server.open_gate("typed");
    terminal.wait_for_text(PROMPT);
    terminal.line("q");
    assert_eq!(terminal.wait_for_exit(), Some(1), "{}", terminal.text());
    assert_eq!(scripted.env.read("a.txt"), "zero\none\nlast\n");
}

/// Anything but an edit is asked about as a whole, with its own keys.
#[test]
fn a_command_has_its_own_keys() {
    let command =
        || ScriptedTurn::new().call("c1", "bash", json!({ "command": "touch log", "description": "Log" }));
    for (answers, code) in [(&["x", "q", "n"][..], 1), (&["d", "c", "a"], 0), (&["y"], 0)] {
        let scripted =
            scripted([command()].into_iter().chain((code == 0).then(|| ScriptedTurn::new().text("ok"))));
        let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
        for (at, answer) in answers.iter().enumerate() {
            terminal.wait_for_text_times(LISTED_PROMPT, at + 1);
            let keys = [
                "  [y] yes",
                "  [a] always (bash: touch *)",
                "  [p] always in this project",
                "  [e] edit what always allows",
                "  [n] no, stop",
                "  [r] no, because…",
                "  ›",
            ];
            assert!(terminal.rows().ends_with(&keys.map(str::to_owned)), "{:?}", terminal.rows());
            terminal.line(answer);
        }
        assert_eq!(terminal.wait_for_exit(), Some(code), "{}", terminal.text());
        assert_eq!(scripted.env.exists("log"), code == 0);
    }
}

/// Other calls of the step end before or during the ask: they are printed before or after it.
#[test]
fn nothing_touches_the_line_on_which_the_answer_is_typed() {
    let list = |call: ScriptedTurn, id: &str| call.call(id, "grep", json!({ "pattern": "zero" }));
    let turn = ScriptedTurn::new().call("c1", "edit", edited("one", "two"));
    let scripted =
        scripted([["c2", "c3", "c4"].into_iter().fold(turn, list), ScriptedTurn::new().text("ok")]);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text(PROMPT);
    terminal.keys("mayb");
    terminal.wait_for_text("› mayb");
    terminal.line("e");
    terminal.wait_for_text_times(PROMPT, 2);
    terminal.line("y");
    assert_eq!(terminal.wait_for_exit(), Some(0));
    let text = terminal.text();
    assert!(
        text.contains(&format!(
            "last\n  [y] yes  [n] no  [e] edit  [A] always  [q] no, stop  [c] {PROMPT} maybe\n  not `maybe`"
        )),
        "{text}"
    );
    assert!(text.contains(&format!("{PROMPT} y\n")), "{text}");
    assert_eq!(text.matches("✓ grep").count(), 3, "{text}");
}
