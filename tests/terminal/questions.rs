//! Questions, plans and to-do lists, as the user sees them at a terminal.

use serde_json::{Value, json};

use super::approval::{scripted, scripted_with_config};
use super::screen::{CTRL_C, CTRL_D, TestTerminal};
use crate::model_server::ScriptedTurn;
use crate::sessions::tasks::{script_fallback, script_session, task};

/// The end of the line on which an answer is typed.
const ANSWER: &str = "no answer, stop  ›";

fn questions(more: Value) -> ScriptedTurn {
    let options = json!([
        { "label": "SQLite (recommended)", "description": "one file, no server" },
        { "label": "Postgres", "description": "a server of its own" },
    ]);
    let mut one =
        json!({ "question": "Which database should it use?", "header": "Database", "options": options });
    one.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    ScriptedTurn::new().text("Two things.").call("c1", "question", json!({ "questions": [one] }))
}

#[test]
fn a_question_is_answered_by_number() {
    let scripted = scripted([questions(json!({})), ScriptedTurn::new().text("Done.")]);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text(ANSWER);
    assert_eq!(
        terminal.rows(),
        [
            "Two things.",
            "",
            "? Which database should it use?",
            "  1  SQLite (recommended)  one file, no server",
            "  2  Postgres  a server of its own",
            "  [1-2] choose one  […] your own words  [q] no answer, stop  ›",
        ]
    );
    terminal.line("2");
    assert_eq!(terminal.wait_for_exit(), Some(0));
    assert!(terminal.text().contains("✓ question Database: Postgres\n\nDone."), "{}", terminal.text());
    assert!(
        scripted.last_model_input(1).contains("Which database should it use?\n→ Postgres"),
        "{}",
        scripted.last_model_input(1)
    );
}

#[test]
fn words_several_answers_and_what_cannot_be_meant() {
    let scripted = scripted([questions(json!({ "multiple": true })), ScriptedTurn::new().text("Done.")]);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text_times(ANSWER, 1);
    terminal.line("3");
    terminal.wait_for_text("there is no 3: type 1 to 2");
    terminal.wait_for_text_times(ANSWER, 2);
    terminal.line("");
    terminal.wait_for_text("type one or more of 1 to 2, or your own words, then Enter");
    terminal.wait_for_text_times(ANSWER, 3);
    terminal.line("1, 2, and a café");
    assert_eq!(terminal.wait_for_exit(), Some(0));
    let told = scripted.last_model_input(1);
    assert!(told.contains("→ SQLite (recommended), Postgres, and a café"), "{told}");
}

#[test]
fn several_questions_come_one_after_the_other() {
    let one = |text: &str| json!({ "question": text, "header": "", "options": [] });
    let turn = ScriptedTurn::new().call(
        "c1",
        "question",
        json!({ "questions": [one("What name?"), one("Which port?")] }),
    );
    let scripted = scripted([turn, ScriptedTurn::new().text("Done.")]);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text("? What name? (1 of 2)\n  […] your own words  [q] no answer, stop  ›");
    terminal.line("desk");
    terminal.wait_for_text("? Which port? (2 of 2)");
    terminal.wait_for_text_times(ANSWER, 2);
    terminal.line("8080");
    assert_eq!(terminal.wait_for_exit(), Some(0));
    assert!(terminal.text().contains("✓ question desk; 8080"), "{}", terminal.text());
}

#[test]
fn no_answer_stops_the_turn() {
    for keys in ["q\r", CTRL_D] {
        let scripted = scripted([questions(json!({}))]);
        let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
        terminal.wait_for_text(ANSWER);
        terminal.keys(keys);
        assert_eq!(terminal.wait_for_exit(), Some(1), "{}", terminal.text());
        let end = "✗ question Which database should it use?: you gave no answer\nstopped at your request\n";
        assert!(terminal.text().contains(end), "{}", terminal.text());
    }
}

#[test]
fn who_asks_is_said_where_it_is_another_agent() {
    let asks = json!({ "agent": { "general": { "permission": { "question": "allow" } } } });
    let scripted = scripted_with_config([], asks);
    script_session(&scripted.server, "Go", [task("t1", "general", "Look")]);
    script_session(&scripted.server, "Look", [questions(json!({}))]);
    for words in ["Go", "Look"] {
        script_fallback(&scripted.server, words, ScriptedTurn::new().text("Too late."));
    }
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text("? general: Which database should it use?\n");
    terminal.wait_for_text(ANSWER);
    terminal.line("q");
    assert_eq!(terminal.wait_for_exit(), Some(1), "{}", terminal.text());
    let text = terminal.text();
    assert!(
        text.contains("task general: About Look") && text.contains("stopped at your request\n"),
        "{text}"
    );
    assert!(!text.contains("✗ task Which database"), "{text}");
}

#[test]
fn ctrl_c_at_a_question_cancels_the_turn() {
    let scripted = scripted([questions(json!({}))]);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text(ANSWER);
    terminal.keys(CTRL_C);
    assert_eq!(terminal.wait_for_exit(), Some(130), "{}", terminal.text());
    assert!(
        terminal.text().contains("– question Which database should it use?\ncancelled"),
        "{}",
        terminal.text()
    );
}

#[test]
fn a_list_is_shown_once_and_then_what_has_changed() {
    let todo =
        |content: &str, status: &str| json!({ "content": content, "status": status, "priority": "medium" });
    let write =
        |call: &str, list: Value| ScriptedTurn::new().call(call, "todowrite", json!({ "todos": list }));
    let scripted = scripted([
        write(
            "c1",
            json!([
                todo("Look at the cart", "in_progress"),
                todo("Mend the total", "pending"),
                todo("Run the tests", "pending")
            ]),
        ),
        write(
            "c2",
            json!([
                todo("Look at the cart", "completed"),
                todo("Mend the total", "in_progress"),
                todo("Run the tests", "pending")
            ]),
        ),
        ScriptedTurn::new().text("Done."),
    ]);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    assert_eq!(terminal.wait_for_exit(), Some(0));
    assert_eq!(
        terminal.rows()[..9],
        [
            "✓ todowrite 0/3 done",
            "  [-] Look at the cart",
            "  [ ] Mend the total",
            "  [ ] Run the tests",
            "✓ todowrite 1/3 done",
            "  [x] Look at the cart",
            "  [-] Mend the total",
            "",
            "Done.",
        ]
    );
}

/// A background command stays visible, and its end is reported.
#[test]
fn what_runs_in_the_background_is_shown_until_it_ends() {
    let start = json!({ "command": "read < open; exit 3", "background": true });
    let next = ScriptedTurn::new().gate_before_response("next").text("Done.");
    let scripted = scripted_with_config(
        [ScriptedTurn::new().call("c1", "bash", start), next],
        json!({ "permission": { "bash": "allow" } }),
    );
    let fifo = std::process::Command::new("mkfifo").arg(scripted.env.path("open")).status().unwrap();
    assert!(fifo.success());
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text("… · 1 job running");
    scripted.env.write("open", "\n");
    terminal.wait_for_text("read < open; exit 3: exit code 3 after");
    scripted.server.open_gate("next");
    assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
    let text = terminal.text();
    assert!(text.contains("\n– job ") && text.contains("\n\nDone.") && !text.contains("running"), "{text}");
}

/// From the suggestion to the approval, with a change request in between.
#[test]
fn a_plan_is_suggested_written_sent_back_and_approved() {
    let enter = ScriptedTurn::new().call("c1", "plan_enter", json!({ "reason": "It touches many files." }));
    let scripted =
        scripted_with_config([enter.clone(), ScriptedTurn::new().text("What is it about?")], json!({}));
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text("? Plan first, before anything is changed? It touches many files.");
    terminal.wait_for_text(ANSWER);
    terminal.line("1");
    assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
    assert!(terminal.text().contains("✓ plan_enter Plan first"), "{}", terminal.text());
    let system = scripted.request_body(1)["system"].to_string();
    let start = system.find(".copydesk/plans/").unwrap_or_else(|| panic!("{system}"));
    let plan = system[start..].split_once("-NAME.md").unwrap().0.to_owned() + "-mend.md";
    let exit = |call: &str| ScriptedTurn::new().call(call, "plan_exit", json!({}));
    for turn in [
        ScriptedTurn::new().call(
            "c2",
            "write",
            json!({ "filePath": plan, "content": "# Mend it\n\n1. Look.\n" }),
        ),
        exit("c3"),
        ScriptedTurn::new().call(
            "c4",
            "edit",
            json!({ "filePath": plan, "oldString": "Look", "newString": "Test" }),
        ),
        exit("c5"),
        ScriptedTurn::new().call("c6", "bash", json!({ "command": "touch done" })),
        ScriptedTurn::new().text("Done."),
    ] {
        scripted.server.queue_turn(turn);
    }
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "--continue", "Mend it"]);
    let keys = "[y] yes  [n] no, stop  [r] no, because…  ›";
    terminal
        .wait_for_text(&format!("? Carry out the plan in {plan}?\n\n  # Mend it\n\n  1. Look.\n\n  {keys}"));
    terminal.line("r");
    terminal.wait_for_text("because ›");
    terminal.line("test first");
    terminal.wait_for_text(&format!("  1. Test.\n\n  {keys}"));
    assert!(
        scripted.last_model_input(4).contains("The user said no: test first You are still planning"),
        "{}",
        scripted.last_model_input(4)
    );
    terminal.line("y");
    terminal.wait_for_text("always (bash: touch *)");
    terminal.line("y");
    assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
    assert!(terminal.text().contains(&format!("✓ plan_exit Approved {plan}\n")), "{}", terminal.text());
    assert!(!scripted.request_body(6)["system"].to_string().contains("Here you plan"));
}
