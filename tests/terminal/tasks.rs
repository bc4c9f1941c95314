//! Agents that work for agents, on a terminal: one line for each, and their asks among the others.

use serde_json::json;

use super::approval::{PROMPT, edited, with};
use super::screen::{CTRL_C, Terminal};
use crate::model_server::Turn;
use crate::sessions::tasks::{arguments, plays, requests, results};

#[test]
fn what_they_do_is_one_line_and_what_they_ask_is_answered() {
    let scripted = with([], json!({}));
    let both = Turn::new().call("c1", "task", arguments("general", "Change")).call(
        "c2",
        "task",
        arguments("explore", "Look"),
    );
    plays(&scripted.server, "Go", [both, Turn::new().text("Done.")]);
    let read = Turn::new().call("r1", "read", json!({ "filePath": "a.txt" }));
    let held = Turn::new().hold("change").call("e1", "edit", edited("one", "two"));
    plays(&scripted.server, "Change", [read, held, Turn::new().text("Changed.")]);
    let grep = Turn::new().call("g1", "grep", json!({ "pattern": "last" }));
    plays(&scripted.server, "Look", [grep, Turn::new().hold("look").text("Found.")]);
    let mut terminal = Terminal::start(&scripted.desk, &["run", "Go"]);
    terminal.until("both at work", |terminal| {
        let text = terminal.text();
        text.contains("general: thinking (1 call)") && text.contains("explore: thinking (1 call)")
    });
    assert_eq!(terminal.rows().len(), 1, "{:?}", terminal.rows());
    scripted.server.open("change");
    terminal.shows(PROMPT);
    assert_eq!(terminal.rows()[0], "? general: Edit a.txt (+1 -1)");
    terminal.line("y");
    terminal.shows("✓ task general: About Change");
    scripted.server.open("look");
    assert_eq!(terminal.ends(), Some(0));
    assert_eq!(scripted.desk.read("a.txt"), "zero\ntwo\nlast\n");
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
    let scripted = with([], json!({}));
    plays(
        &scripted.server,
        "Go",
        [Turn::new().call("c1", "task", arguments("general", "Change")), Turn::new().text("Done.")],
    );
    let read = Turn::new().call("r1", "read", json!({ "filePath": "a.txt" }));
    plays(
        &scripted.server,
        "Change",
        [read, Turn::new().call("e1", "edit", edited("one", "two")), Turn::new().text("As you wish.")],
    );
    let mut terminal = Terminal::start(&scripted.desk, &["run", "Go"]);
    terminal.shows(PROMPT);
    terminal.line("c");
    terminal.shows("because ›");
    terminal.line("leave it");
    assert_eq!(terminal.ends(), Some(0));
    let below = results(&requests(&scripted.server, "Change")[2]).remove(1);
    assert!(below.contains("rejected") && below.contains("leave it"), "{below}");
    assert!(results(&requests(&scripted.server, "Go")[1])[0].ends_with("As you wish."));
    assert_eq!(scripted.desk.read("a.txt"), "zero\none\nlast\n");
}

#[test]
fn ctrl_c_ends_them_all() {
    let scripted = with([], json!({}));
    plays(&scripted.server, "Go", [Turn::new().call("c1", "task", arguments("general", "Change"))]);
    plays(&scripted.server, "Change", [Turn::new().text("I begin.").gate("half").text("I go on.")]);
    let mut terminal = Terminal::start(&scripted.desk, &["run", "Go"]);
    terminal.shows("general: writing (0 calls)");
    terminal.keys(CTRL_C);
    assert_eq!(terminal.ends(), Some(130));
    assert!(
        terminal.text().contains("– task general: About Change: the person ended it"),
        "{}",
        terminal.text()
    );
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(scripted.server.closed("half"));
}
