//! An edit of several hunks, decided one by one, in its own process and over the daemon: what each key does, the resulting
//! file, and what the model is told.

use std::os::unix::process::ExitStatusExt as _;

use expect_test::expect;
use serde_json::json;

use super::approval::{PROMPT, scripted, scripted_with_config};
use super::screen::{CTRL_C, CTRL_D, ENTER, TestTerminal};
use crate::model_server::ScriptedTurn;
use crate::sessions::harness::{RunLocation, ScriptedEnvironment};

pub(crate) const OLD: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n";
pub(crate) const NEW: &str = "one\nTWO\nthree\nFOUR\nfive\nSIX\nseven\nEIGHT\nnine\n";

/// The end of the question at one of several hunks.
const HUNK: &str = "[y,n,e,c,a,d,A,q,?] ›";

pub(crate) const BOTH: [RunLocation; 2] = [RunLocation::OwnProcess, RunLocation::Daemon];

pub(crate) fn edit(old: &str, new: &str) -> ScriptedTurn {
    ScriptedTurn::new().call("c1", "edit", json!({ "filePath": "a.txt", "oldString": old, "newString": new }))
}

/// A model that makes four hunks, and then answers.
pub(crate) fn four_hunks() -> ScriptedEnvironment {
    let scripted = scripted([edit(OLD, NEW), ScriptedTurn::new().text("Done.")]);
    scripted.env.write("a.txt", OLD);
    scripted
}

/// Types an answer at each hunk.
fn decide(terminal: &mut TestTerminal, answers: &[&str]) {
    for (at, answer) in answers.iter().enumerate() {
        terminal.wait_for_text(&format!("hunk {} of 4", at + 1));
        wait_for_question(terminal);
        terminal.line(answer);
    }
}

/// Waits for an unanswered question.
pub(crate) fn wait_for_question(terminal: &mut TestTerminal) {
    terminal.wait_until("the question", |terminal| terminal.text().trim_end().ends_with(HUNK));
}

#[test]
fn each_hunk_is_shown_and_decided_by_itself() {
    for place in BOTH {
        let scripted = four_hunks();
        let _up = scripted.start_daemon(place);
        let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
        wait_for_question(&mut terminal);
        let first = [
            "? Edit a.txt (+4 -4)",
            "a.txt  hunk 1 of 4  line 2",
            "   one",
            "  -two",
            "  +TWO",
            "   three",
            "  accept this hunk? [y,n,e,c,a,d,A,q,?] ›",
        ];
        assert_eq!(terminal.rows(), first);
        decide(&mut terminal, &["y", "n"]);
        terminal.wait_for_text("hunk 3 of 4  line 6");
        assert_eq!(scripted.env.read("a.txt"), OLD.replace("two", "TWO"), "what is accepted is made at once");
        wait_for_question(&mut terminal);
        terminal.line("c");
        terminal.wait_for_text("because ›");
        terminal.line("Six is a good number.");
        terminal.wait_for_text("hunk 4 of 4  line 8");
        wait_for_question(&mut terminal);
        terminal.line("Y");
        assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
        assert_eq!(scripted.env.read("a.txt"), OLD.replace("two", "TWO").replace("eight", "EIGHT"));
        assert!(terminal.text().contains("✓ edit Edited a.txt, in part"), "{}", terminal.text());
        expect![[r#"
            The user decided hunk by hunk:
            - `a.txt` line 2: accepted.
            - `a.txt` line 4: rejected; the lines are as they were before.
            - `a.txt` line 6: rejected; the lines are as they were before. They say: Six is a good number.
            - `a.txt` line 8: accepted."#]]
        .assert_eq(&scripted.last_model_input(1));
    }
}

#[test]
fn the_rest_of_the_file_is_accepted_or_rejected_at_once() {
    let left = OLD.replace("two", "TWO");
    for (answers, text, told) in [
        (&["a"][..], NEW, "The changed places now read:"),
        (&["n", "a"], &NEW.replace("TWO", "two"), "- `a.txt` line 8: accepted."),
        (&["y", "d"], &left, "- `a.txt` line 8: rejected; the lines are as they were before."),
        (&["d"], OLD, "Nothing was changed. Do not try the same again."),
        (&["y", "A"], NEW, "- `a.txt` line 8: accepted."),
    ] {
        for place in BOTH {
            let scripted = four_hunks();
            let _up = scripted.start_daemon(place);
            let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
            decide(&mut terminal, answers);
            assert_eq!(terminal.wait_for_exit(), Some(0), "{answers:?} {}", terminal.text());
            assert_eq!(scripted.env.read("a.txt"), *text, "{answers:?}");
            assert!(
                scripted.last_model_input(1).contains(told),
                "{answers:?} {}",
                scripted.last_model_input(1)
            );
            assert!(terminal.text().contains("Done."), "{}", terminal.text());
        }
    }
}

#[test]
fn what_is_accepted_hunk_by_hunk_is_the_edit() {
    let scripted = four_hunks();
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    decide(&mut terminal, &["y", "y", "y", "y"]);
    assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
    assert_eq!(scripted.env.read("a.txt"), NEW);
    assert!(terminal.text().contains("✓ edit Edited a.txt (+4 -4)"), "{}", terminal.text());
}

#[test]
fn always_is_for_the_session() {
    let turns = [edit(OLD, NEW), edit("one", "ONE"), ScriptedTurn::new().text("ok")];
    let scripted = scripted(turns);
    scripted.env.write("a.txt", OLD);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    decide(&mut terminal, &["A"]);
    assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
    assert_eq!(scripted.env.read("a.txt"), NEW.replace("one", "ONE"));
}

/// `q`, Ctrl-D: the turn ends, and accepted hunks stay.
#[test]
fn no_to_the_rest_stops_the_turn() {
    for place in BOTH {
        for stop in ["q\r", CTRL_D] {
            let scripted = scripted([edit(OLD, NEW)]);
            scripted.env.write("a.txt", OLD);
            let _up = scripted.start_daemon(place);
            let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
            decide(&mut terminal, &["y", "y"]);
            terminal.wait_for_text("hunk 3 of 4");
            wait_for_question(&mut terminal);
            terminal.keys(stop);
            assert_eq!(terminal.wait_for_exit(), Some(1), "{}", terminal.text());
            let text = terminal.text();
            assert!(
                text.contains(
                    "\n  2 hunks were accepted and stay\n✗ edit Edit a.txt (+4 -4): you said no to the rest\n"
                ),
                "{text}"
            );
            assert!(text.contains("stopped at your request"), "{text}");
            assert_eq!(scripted.env.read("a.txt"), OLD.replace("two", "TWO").replace("four", "FOUR"));
        }
    }
}

#[test]
fn ctrl_c_in_the_middle_keeps_what_was_accepted_and_says_so() {
    for place in BOTH {
        let scripted = four_hunks();
        let _up = scripted.start_daemon(place);
        let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
        decide(&mut terminal, &["y"]);
        terminal.wait_for_text("hunk 2 of 4");
        wait_for_question(&mut terminal);
        terminal.keys(CTRL_C);
        assert_eq!(terminal.wait_for_exit(), Some(130), "{}", terminal.text());
        let text = terminal.text();
        assert!(text.contains("› ^C\n  1 hunk was accepted and stays\n"), "{text}");
        assert!(text.contains("– edit Edit a.txt (+4 -4)\ncancelled\n"), "{text}");
        assert_eq!(scripted.env.read("a.txt"), OLD.replace("two", "TWO"));
        scripted.run(&["--continue", "And?"]);
        let history = scripted.request_body(1)["messages"].to_string();
        assert!(history.contains("Before that the user decided:\\n- `a.txt` line 2: accepted."), "{history}");
    }
}

#[test]
fn a_window_that_is_closed_in_the_middle_has_decided_what_it_has() {
    for place in BOTH {
        let theirs = (place == RunLocation::Daemon).then(|| ScriptedTurn::new().text("Theirs."));
        let scripted =
            scripted([edit(OLD, NEW)].into_iter().chain(theirs).chain([ScriptedTurn::new().text("Mine.")]));
        scripted.env.write("a.txt", OLD);
        let _up = scripted.start_daemon(place);
        let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
        decide(&mut terminal, &["y", "n"]);
        terminal.wait_for_text("hunk 3 of 4");
        wait_for_question(&mut terminal);
        let status = terminal.close().wait().unwrap();
        assert!(status.signal().is_some() || status.code() != Some(0), "{status}");
        assert_eq!(scripted.env.read("a.txt"), OLD.replace("two", "TWO"));
        if place == RunLocation::OwnProcess {
            assert_eq!(scripted.run(&["--continue", "And?"]).code, Some(0));
            continue;
        }
        // The daemon still waits for a decision on the others.
        let mut terminal = TestTerminal::start(&scripted.env, &["run", "--continue", "And?"]);
        terminal.wait_for_text("hunk 1 of 2  line 6");
        wait_for_question(&mut terminal);
        terminal.line("a");
        terminal.wait_for_text("Mine.");
        assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
        assert_eq!(scripted.env.read("a.txt"), NEW.replace("FOUR", "four"));
    }
}

#[test]
fn one_hunk_has_the_short_question() {
    let keys = "  [y] yes  [n] no  [e] edit  [A] always  [q] no, stop  [c] no, because…  ›";
    for (answer, code, text) in
        [("y", 0, "two"), ("a", 0, "two"), ("n", 0, "one"), ("d", 0, "one"), ("q", 1, "one")]
    {
        for place in BOTH {
            let ends = (code == 0).then(|| ScriptedTurn::new().text("Done."));
            let scripted = scripted([edit("one", "two")].into_iter().chain(ends));
            let _up = scripted.start_daemon(place);
            let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
            terminal.wait_for_text(PROMPT);
            assert_eq!(terminal.rows().last().unwrap(), keys);
            terminal.line(answer);
            assert_eq!(terminal.wait_for_exit(), Some(code), "{answer} {}", terminal.text());
            assert_eq!(scripted.env.read("a.txt"), format!("zero\n{text}\nlast\n"), "{answer}");
            let said_no = terminal.text().contains("✗ edit Edit a.txt (+1 -1): you said no");
            assert_eq!(said_no, text == "one", "{answer} {}", terminal.text());
        }
    }
}

#[test]
fn a_comment_needs_words() {
    let scripted = four_hunks();
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    for nothing in [" \r", CTRL_D] {
        wait_for_question(&mut terminal);
        terminal.line("c");
        terminal
            .wait_until("the second question", |terminal| terminal.text().trim_end().ends_with("because ›"));
        terminal.keys(nothing);
    }
    terminal.wait_for_text_times("no comment, so nothing is decided", 2);
    wait_for_question(&mut terminal);
    terminal.line("a");
    assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
    assert_eq!(scripted.env.read("a.txt"), NEW);
}

#[test]
fn help_and_other_keys_decide_nothing() {
    let scripted = four_hunks();
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    wait_for_question(&mut terminal);
    terminal.line("?");
    terminal.wait_for_text("  d  reject this hunk and all that follow in the file\n");
    terminal.wait_for_text("  A  accept, and do not ask again (edit: *)\n");
    wait_for_question(&mut terminal);
    terminal.line("maybe");
    terminal.wait_for_text("  not `maybe`: type y, n, e, c, a, d, A, q, ?, then Enter");
    wait_for_question(&mut terminal);
    terminal.line("p");
    terminal.wait_for_text_times("  -two\n  +TWO\n", 2);
    wait_for_question(&mut terminal);
    assert_eq!(scripted.env.read("a.txt"), OLD);
    terminal.line("d");
    assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
    assert_eq!(scripted.env.read("a.txt"), OLD);
}

/// Another process writes to the file while the user decides: they do not accept what they have not seen.
///
/// The key is typed before the file changes, because the command may list the hunks once more after the question is on the screen: the
/// news that the review belongs to the ask can arrive later than the ask. A list that reads the new file withdraws the question, with
/// what was typed. Else the decision is refused. Either way the user sees the new hunk, and nothing is accepted.
#[test]
fn a_hunk_that_has_changed_meanwhile_is_shown_and_asked_again() {
    let scripted = four_hunks();
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    wait_for_question(&mut terminal);
    terminal.keys("y");
    // In one step, so that no list reads half of it.
    scripted.env.write("b.txt", OLD.replace("two", "2"));
    std::fs::rename(scripted.env.path("b.txt"), scripted.env.path("a.txt")).unwrap();
    terminal.keys(ENTER);
    terminal.wait_for_text("\n  -2\n  +TWO\n");
    wait_for_question(&mut terminal);
    let why = ["this hunk has changed since it was shown", "decided or changed elsewhere"];
    // If the question is withdrawn before the terminal has the Enter, that is an empty line.
    let is_told = |why: &&str| {
        let shown =
            |between| terminal.text().contains(&format!("  {why}\n{between}a.txt  hunk 1 of 4  line 2\n"));
        shown("") || shown("\n")
    };
    assert!(why.iter().any(is_told), "{}", terminal.text());
    assert_eq!(scripted.env.read("a.txt"), OLD.replace("two", "2"));
    terminal.line("y");
    terminal.wait_for_text("the lines that this hunk would replace were changed meanwhile");
    wait_for_question(&mut terminal);
    terminal.line("n");
    terminal.wait_for_text("hunk 2 of 4");
    wait_for_question(&mut terminal);
    terminal.line("d");
    assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
    assert_eq!(scripted.env.read("a.txt"), OLD.replace("two", "2"));
}

#[test]
fn a_new_file_is_one_hunk() {
    for (answer, made) in [("y", true), ("n", false)] {
        for place in BOTH {
            let write = json!({ "filePath": "new.txt", "content": "a\nb\n" });
            let scripted =
                scripted([ScriptedTurn::new().call("c1", "write", write), ScriptedTurn::new().text("ok")]);
            let _up = scripted.start_daemon(place);
            let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
            terminal.wait_for_text(PROMPT);
            assert!(terminal.text().contains("\n  +a\n  +b\n"), "{}", terminal.text());
            terminal.line(answer);
            assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
            assert_eq!(scripted.env.exists("new.txt"), made);
        }
    }
}

#[test]
fn long_hunks_and_wide_lines_are_cut_to_the_window() {
    let numbered = |word: &str| (0..60).map(|number| format!("{word} {number}\n")).collect::<String>();
    let old = format!("{}middle\nlast\n", numbered("old"));
    let new = format!("{}middle\n{}\n", numbered("new"), "wide ".repeat(40));
    let scripted = scripted([edit(&old, &new), ScriptedTurn::new().text("ok")]);
    scripted.env.write("a.txt", &old);
    let mut terminal = TestTerminal::start_sized(&scripted.env, &["run", "Go"], 24, 60);
    wait_for_question(&mut terminal);
    let rows = terminal.rows();
    assert_eq!(rows[..2], ["? Edit a.txt (+61 -61)", "a.txt  hunk 1 of 2  line 1"], "{rows:?}");
    assert!(rows.contains(&"  -… 54 more lines; p prints them".to_owned()), "{rows:?}");
    assert!(rows.contains(&"  +new 0".to_owned()) && rows.len() < 24, "{rows:?}");
    terminal.line("y");
    terminal.wait_for_text("hunk 2 of 2");
    wait_for_question(&mut terminal);
    let rows = terminal.rows();
    let wide = rows.iter().position(|row| row.starts_with("  +wide wide")).unwrap();
    assert!(rows[wide].ends_with('…'), "{rows:?}");
    assert!(rows[wide + 1].starts_with("  accept"), "{rows:?}");
    terminal.line("y");
    assert_eq!(terminal.wait_for_exit(), Some(0));
    assert_eq!(scripted.env.read("a.txt"), new);
}

#[test]
fn hunks_cannot_steer_the_terminal() {
    let hostile = "\u{1b}[2J\u{1b}]0;t\u{7}\u{9b}2J\u{8}\rover\u{202e}";
    let scripted = scripted_with_config(
        [edit(OLD, &NEW.replace("TWO", hostile)), ScriptedTurn::new().text("ok")],
        json!({}),
    );
    scripted.env.write("a.txt", OLD);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    wait_for_question(&mut terminal);
    terminal.line("a");
    assert_eq!(terminal.wait_for_exit(), Some(0));
    let raw = terminal.raw();
    for steering in ["\u{1b}[2J", "\u{1b}]", "\u{7}", "\u{8}", "\u{9b}", "\u{202e}"] {
        assert!(!raw.contains(steering), "{steering:?} in {raw:?}");
    }
    assert!(terminal.text().contains("? Edit a.txt (+4 -4)"), "{}", terminal.text());
}
