//! Other clients on the same session: editors that answer what the terminal is asked, and that prompt before it.

use std::process::{Command, Stdio};

use serde_json::json;

use crate::cli::environment::BINARY;
use crate::editors::scripted_editor::{ScriptedEditor, uri};
use crate::model_server::ScriptedTurn;
use crate::sessions::harness::{RunLocation, ScriptedEnvironment};
use crate::terminal::approval::{PROMPT, edit, scripted, scripted_with_config};
use crate::terminal::screen::{CTRL_C, TestTerminal};

fn latest(scripted: &ScriptedEnvironment) -> String {
    let sessions = scripted.env.run(&["sessions", "list", "--json"]).json();
    sessions[0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn the_user_at_the_terminal_decides() {
    let scripted = scripted([edit("c1", "one", "two"), ScriptedTurn::new().text("Done.")]);
    let _up = scripted.start_daemon(RunLocation::Daemon);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text(PROMPT);
    assert_eq!(scripted.env.read("a.txt"), "zero\none\nlast\n", "nothing was done yet");
    terminal.line("y");
    assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
    assert_eq!(scripted.env.read("a.txt"), "zero\ntwo\nlast\n");
    // On a slow machine the call's duration is shown after it.
    let text = terminal.text();
    let shown = text.split_once("✓ edit Edited a.txt (+1 -1)").and_then(|(_, after)| after.split_once('\n'));
    assert!(shown.is_some_and(|(_, after)| after.starts_with("\nDone.")), "{text}");
}

#[test]
fn a_question_that_was_decided_elsewhere_is_taken_off_the_screen() {
    let scripted =
        scripted([edit("c1", "one", "two"), edit("c2", "two", "three"), ScriptedTurn::new().text("Done.")]);
    let _up = scripted.start_daemon(RunLocation::Daemon);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text(PROMPT);
    terminal.keys("n");
    let mut editor = ScriptedEditor::new(&scripted.env, "nvim");
    editor.load(&latest(&scripted));
    let ask = editor.wait_for_method("copydesk/permission/ask");
    editor.answer(&ask, json!({ "reply": "once" }));
    terminal.wait_for_text("  decided in nvim\n✓ edit Edited a.txt (+1 -1)");
    // What was typed at the first question does not answer the second.
    terminal.wait_for_text_times(PROMPT, 2);
    assert_eq!(scripted.env.read("a.txt"), "zero\ntwo\nlast\n");
    terminal.line("y");
    assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
    assert_eq!(scripted.env.read("a.txt"), "zero\nthree\nlast\n");
}

#[tokio::test]
async fn a_turn_of_others_is_waited_for_and_not_shown() {
    let scripted = ScriptedEnvironment::new([
        ScriptedTurn::new().text("For the editor.").gate("first"),
        ScriptedTurn::new().text("For the shell."),
    ]);
    let _up = scripted.start_daemon(RunLocation::Daemon);
    let mut editor = ScriptedEditor::new(&scripted.env, "nvim");
    let session = editor.new_session();
    editor.prompt(&session, "Do this first");
    scripted.server.wait_for_gate("first").await;
    let run = scripted.start(&["--session", &session, "And then this"]);
    // The prompt of the run is queued once the daemon has two clients and has responded to the second.
    let attached = || scripted.env.run(&["status", "--json"]).json()["clients"] == 3;
    while !attached() {
        tokio::task::yield_now().await;
    }
    scripted.server.open_gate("first");
    let output = run.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "For the shell.\n");
    assert!(output.status.success());
}

#[tokio::test]
async fn of_prompts_in_the_same_words_each_has_its_own_turn() {
    let scripted = ScriptedEnvironment::new([
        ScriptedTurn::new().text("Before.").gate("before"),
        ScriptedTurn::new().text("For the editor.").gate("editor"),
        ScriptedTurn::new().text("For the shell."),
    ]);
    let _up = scripted.start_daemon(RunLocation::Daemon);
    let mut editor = ScriptedEditor::new(&scripted.env, "nvim");
    let session = editor.new_session();
    editor.prompt(&session, "Do this first");
    scripted.server.wait_for_gate("before").await;
    assert_eq!(editor.prompt(&session, "And then this")["queued"], true);
    let run = scripted.start(&["--session", &session, "And then this"]);
    while scripted.env.run(&["status", "--json"]).json()["clients"] != 3 {
        tokio::task::yield_now().await;
    }
    scripted.server.open_gate("before");
    scripted.server.wait_for_gate("editor").await;
    scripted.server.open_gate("editor");
    let output = run.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "For the shell.\n");
    assert!(output.status.success());
}

#[test]
fn a_question_that_was_left_behind_is_asked_again() {
    let scripted = scripted([
        edit("c1", "one", "two"),
        ScriptedTurn::new().text("Theirs."),
        ScriptedTurn::new().text("Mine."),
    ]);
    let _up = scripted.start_daemon(RunLocation::Daemon);
    let mut left = TestTerminal::start(&scripted.env, &["run", "Go"]);
    left.wait_for_text(PROMPT);
    left.close().wait().unwrap();
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "--continue", "And?"]);
    terminal.wait_for_text("? Edit a.txt (+1 -1)");
    terminal.wait_for_text(PROMPT);
    terminal.line("y");
    assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
    assert!(terminal.text().contains("Mine.") && !terminal.text().contains("Theirs."), "{}", terminal.text());
    assert_eq!(scripted.env.read("a.txt"), "zero\ntwo\nlast\n");
}

/// An unattended run decides for its own turn only.
#[tokio::test]
async fn asks_of_others_are_left_to_them() {
    let scripted = scripted([
        edit("c1", "one", "two"),
        ScriptedTurn::new().text("ok"),
        ScriptedTurn::new().text("Mine."),
    ]);
    let _up = scripted.start_daemon(RunLocation::Daemon);
    let mut editor = ScriptedEditor::new(&scripted.env, "nvim");
    let session = editor.new_session();
    editor.prompt(&session, "Do this first");
    let ask = editor.wait_for_method("copydesk/permission/ask");
    let run = scripted.start(&["--auto", "--session", &session, "And then this"]);
    while scripted.env.run(&["status", "--json"]).json()["clients"] != 3 {
        tokio::task::yield_now().await;
    }
    assert_eq!(scripted.env.read("a.txt"), "zero\none\nlast\n", "--auto approved for somebody else");
    editor.answer(&ask, json!({ "reply": "reject", "reason": "no" }));
    let output = run.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "Mine.\n");
    assert_eq!(scripted.env.read("a.txt"), "zero\none\nlast\n");
}

/// The user saves the file.
#[test]
fn undo_goes_through_the_editor_that_has_the_file_open() {
    let allowed = json!({ "permission": { "edit": "allow" } });
    let scripted =
        scripted_with_config([edit("c1", "one", "two"), ScriptedTurn::new().text("Done.")], allowed);
    let _up = scripted.start_daemon(RunLocation::Daemon);
    let mut editor = ScriptedEditor::new(&scripted.env, "vscode");
    let file = uri(&scripted.env, "a.txt");
    editor.open(&file, "unsaved\none\nlast\n");
    let session = editor.new_session();
    editor.run_turn(&session, "Go");
    editor.wait_for_method("workspace/applyEdit");
    editor.type_text(&file, "last", "typed");
    assert_eq!(editor.text(&file), "unsaved\ntwo\ntyped\n");
    // Sent after it, so that the daemon knows the typed text.
    editor.request_ok("copydesk/status", json!({}));
    let mut undo = Command::new(BINARY);
    scripted.env.prepare(&mut undo);
    let undo = undo.args(["undo", &session]).stdout(Stdio::piped()).spawn().unwrap();
    editor.wait_for_method("workspace/applyEdit");
    let output = undo.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "✓ a.txt undone\n");
    assert_eq!(editor.text(&file), "unsaved\none\ntyped\n");
    assert_eq!(scripted.env.read("a.txt"), "zero\none\nlast\n");
}

#[test]
fn ctrl_c_cancels_the_turn_in_the_daemon() {
    let scripted = scripted([edit("c1", "one", "two"), ScriptedTurn::new().text("ok")]);
    let _up = scripted.start_daemon(RunLocation::Daemon);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text(PROMPT);
    terminal.keys(CTRL_C);
    assert_eq!(terminal.wait_for_exit(), Some(130));
    assert!(terminal.text().contains("› ^C\n– edit Edit a.txt (+1 -1)\ncancelled\n"), "{}", terminal.text());
    let status = scripted.env.run(&["status", "--json"]).json();
    assert_eq!(status["sessions"].as_array().unwrap().iter().filter(|one| one["running"] == true).count(), 0);
    assert_eq!(scripted.run(&["--continue", "And?"]).code, Some(0));
    assert!(scripted.request_body(1)["messages"].to_string().contains("cancelled"));
}

#[test]
fn a_second_ctrl_c_leaves_the_daemon_to_end_it() {
    let stubborn = json!({ "command": "trap '' TERM; echo > started; while :; do read line < pipe; done" });
    let allowed = json!({ "permission": { "bash": "allow" } });
    let scripted = scripted_with_config([ScriptedTurn::new().call("c1", "bash", stubborn)], allowed);
    assert_eq!(scripted.env.shell("mkfifo pipe").code, Some(0));
    let _up = scripted.start_daemon(RunLocation::Daemon);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_until("the command", |_| scripted.env.exists("started"));
    terminal.keys(CTRL_C);
    terminal.wait_for_text("Ctrl-C again leaves at once");
    terminal.keys(CTRL_C);
    assert_eq!(terminal.wait_for_exit(), Some(130));
    assert!(terminal.text().ends_with("left at once"), "{}", terminal.text());
    // It was cancelled the first time: a stubborn process is killed, and the session is released.
    while scripted.env.run(&["status", "--json"]).json()["sessions"] != json!([]) {}
}

#[test]
fn a_question_of_the_agent_that_was_answered_elsewhere_goes_too() {
    let options = json!([{ "label": "this" }, { "label": "that" }]);
    let question = json!({ "questions": [{ "question": "Which one?", "header": "", "options": options }] });
    let scripted =
        scripted([ScriptedTurn::new().call("c1", "question", question), ScriptedTurn::new().text("Done.")]);
    let _up = scripted.start_daemon(RunLocation::Daemon);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text("no answer, stop  ›");
    terminal.keys("1");
    let mut editor = ScriptedEditor::new(&scripted.env, "nvim");
    let loaded = editor.load(&latest(&scripted));
    assert_eq!(loaded["questions"][0]["questions"][0]["text"], "Which one?");
    let asked = editor.wait_for_method("copydesk/question/ask");
    editor.answer(&asked, json!({ "reply": "answered", "answers": [["that"]] }));
    terminal.wait_for_text("  decided in nvim\n✓ question that");
    assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
}

#[test]
fn the_user_at_the_terminal_answers_a_question() {
    let question = json!({ "questions": [{ "question": "Which one?", "header": "", "options": [] }] });
    let scripted =
        scripted([ScriptedTurn::new().call("c1", "question", question), ScriptedTurn::new().text("Done.")]);
    let _up = scripted.start_daemon(RunLocation::Daemon);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text("no answer, stop  ›");
    terminal.line("the blue one");
    assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
    assert!(scripted.last_model_input(1).contains("→ the blue one"), "{}", scripted.last_model_input(1));
}
