//! Subagents on a terminal: one line for each, and their asks among the others.

use serde_json::json;

use super::approval::{PROMPT, edited, scripted_with_config};
use super::screen::{CTRL_C, TestTerminal};
use crate::model_server::ScriptedTurn;
use crate::sessions::tasks::{arguments, requests, results, script_session};

#[test]
fn what_they_do_is_one_line_and_what_they_ask_is_answered() {
    let scripted = scripted_with_config([], json!({}));
    let both = ScriptedTurn::new().call("c1", "task", arguments("general", "Change")).call(
        "c2",
        "task",
        arguments("explore", "Look"),
    );
    script_session(&scripted.server, "Go", [both, ScriptedTurn::new().text("Done.")]);
    let read = ScriptedTurn::new().call("r1", "read", json!({ "filePath": "a.txt" }));
    let held = ScriptedTurn::new().gate_before_response("change").call("e1", "edit", edited("one", "two"));
    script_session(&scripted.server, "Change", [read, held, ScriptedTurn::new().text("Changed.")]);
    let grep = ScriptedTurn::new().call("g1", "grep", json!({ "pattern": "last" }));
    script_session(
        &scripted.server,
        "Look",
        [grep, ScriptedTurn::new().gate_before_response("look").text("Found.")],
    );
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_until("both at work", |terminal| {
        let text = terminal.text();
        text.contains("general: thinking (1 call)") && text.contains("explore: thinking (1 call)")
    });
    assert_eq!(terminal.rows().len(), 1, "{:?}", terminal.rows());
    scripted.server.open_gate("change");
    terminal.wait_for_text(PROMPT);
    assert_eq!(terminal.rows()[0], "? general: Edit a.txt (+1 -1)");
    terminal.line("y");
    terminal.wait_for_text("✓ task general: About Change");
    scripted.server.open_gate("look");
    assert_eq!(terminal.wait_for_exit(), Some(0));
    assert_eq!(scripted.env.read("a.txt"), "zero\ntwo\nlast\n");
    let text = terminal.text();
    assert!(
        text.contains("✓ task general: About Change  2 calls, ")
            && text.contains("✓ task explore: About Look  1 call, "),
        "{text}"
    );
    assert!(text.contains("\n\nDone."), "{text}");
}

#[test]
fn a_no_with_a_reason_is_for_the_agent_that_asked() {
    let scripted = scripted_with_config([], json!({}));
    script_session(
        &scripted.server,
        "Go",
        [
            ScriptedTurn::new().call("c1", "task", arguments("general", "Change")),
            ScriptedTurn::new().text("Done."),
        ],
    );
    let read = ScriptedTurn::new().call("r1", "read", json!({ "filePath": "a.txt" }));
    script_session(
        &scripted.server,
        "Change",
        [
            read,
            ScriptedTurn::new().call("e1", "edit", edited("one", "two")),
            ScriptedTurn::new().text("As you wish."),
        ],
    );
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text(PROMPT);
    terminal.line("c");
    terminal.wait_for_text("because ›");
    terminal.line("leave it");
    assert_eq!(terminal.wait_for_exit(), Some(0));
    let below = results(&requests(&scripted.server, "Change")[2]).remove(1);
    assert!(below.contains("rejected") && below.contains("leave it"), "{below}");
    assert!(results(&requests(&scripted.server, "Go")[1])[0].ends_with("As you wish."));
    assert_eq!(scripted.env.read("a.txt"), "zero\none\nlast\n");
}

#[test]
fn ctrl_c_ends_them_all() {
    let scripted = scripted_with_config([], json!({}));
    script_session(
        &scripted.server,
        "Go",
        [ScriptedTurn::new().call("c1", "task", arguments("general", "Change"))],
    );
    script_session(
        &scripted.server,
        "Change",
        [ScriptedTurn::new().text("I begin.").gate("half").text("I go on.")],
    );
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text("general: writing (0 calls)");
    terminal.keys(CTRL_C);
    assert_eq!(terminal.wait_for_exit(), Some(130));
    assert!(
        terminal.text().contains("– task general: About Change: the user ended it"),
        "{}",
        terminal.text()
    );
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(scripted.server.wait_for_hangup("half"));
}
