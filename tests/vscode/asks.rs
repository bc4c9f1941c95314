//! Asks: shown, never lost by dismissing them, closed when another client answers; and edits that wait for the decision before they are made.

use serde_json::{Value, json};

use super::vscode_user::VscodeUser;
use crate::neovim::neovim_session::environment_with_rules;

const TOAST: &str = ".notification-toast";
const LISTED: &str = ".notifications-center .notification-list-item";
const PICK: &str = ".quick-input-widget:not([style*=\"display: none\"])";
const ROW: &str = ".quick-input-widget .monaco-list-row";

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn asks_wait_for_the_user_and_for_nobody_else() {
    let rules = json!({ "edit": "ask", "bash": "ask" });
    let mut user = VscodeUser::start(environment_with_rules([], rules));
    an_ask_is_answered_at_the_page(&mut user);
    a_dismissed_ask_is_still_there_and_a_reason_reaches_the_model(&mut user);
    an_ask_that_is_answered_elsewhere_closes(&mut user);
    an_edit_that_waits_is_decided_hunk_by_hunk(&mut user);
}

/// Asks for a command that the user has to allow; returns the id of its call.
fn ask_for_command(user: &mut VscodeUser, command: &str) -> String {
    // The page may still show the ask before.
    let gone = json!({ "selector": ".statusbar-item", "text": "waiting", "state": "detached" });
    user.window.user(&mut user.server, "wait", gone);
    let id = format!("call_{}", user.scripted.server.requests().len());
    user.queue_call(&id, "bash", json!({ "command": command, "description": "Makes a file" }));
    user.ask("Work");
    user.window.wait_for(&mut user.server, ".statusbar-item", "1 waiting");
    id
}

fn an_ask_is_answered_at_the_page(user: &mut VscodeUser) {
    ask_for_command(user, "echo made > made.txt");
    user.window.wait_for(&mut user.server, TOAST, "Copydesk asks");
    user.window.click(&mut user.server, ".notification-toast .monaco-button", "Answer");
    user.window.wait_for(&mut user.server, ROW, "Allow once");
    user.window.screenshot(&mut user.server, "ask");
    // Enter allows nothing by chance: it shows the command.
    user.window.press(&mut user.server, "Enter");
    user.window.user(&mut user.server, "wait", json!({ "selector": PICK, "state": "hidden" }));
    user.window.wait_until(
        "vscode.window.activeTextEditor?.document.getText().includes('echo made > made.txt')",
        json!([]),
    );
    user.window.click(&mut user.server, ".statusbar-item", "1 waiting");
    assert!(!user.scripted.env.exists("made.txt"));
    user.window.click(&mut user.server, ROW, "Allow once");
    assert_eq!(user.wait_for_turn_end(), "done");
    assert_eq!(user.scripted.env.read("made.txt"), "made\n");
    let gone = json!({ "selector": ".statusbar-item", "text": "1 waiting", "state": "detached" });
    user.window.user(&mut user.server, "wait", gone);
}

fn a_dismissed_ask_is_still_there_and_a_reason_reaches_the_model(user: &mut VscodeUser) {
    let call = ask_for_command(user, "echo again > again.txt");
    user.window.js("void vscode.commands.executeCommand('copydesk.waiting.answer')", json!([]));
    user.window.wait_for(&mut user.server, ROW, "Reject with a reason");
    user.window.press(&mut user.server, "Escape");
    user.window.user(&mut user.server, "wait", json!({ "selector": PICK, "state": "hidden" }));
    user.window.wait_for(&mut user.server, ".statusbar-item", "1 waiting");
    user.window.click(&mut user.server, ".statusbar-item", "1 waiting");
    user.window.click(&mut user.server, ROW, "Reject with a reason");
    user.window.wait_for(&mut user.server, ".quick-input-message", "Why not?");
    user.window.user(&mut user.server, "type", json!({ "text": "Not in this folder." }));
    user.window.press(&mut user.server, "Enter");
    assert_eq!(user.wait_for_turn_end(), "done");
    let (told, _) = user.result(&call);
    assert!(told.contains("Not in this folder."), "{told}");
    assert!(!user.scripted.env.exists("again.txt"));
}

fn an_ask_that_is_answered_elsewhere_closes(user: &mut VscodeUser) {
    ask_for_command(user, "echo other > other.txt");
    user.window.js("void vscode.commands.executeCommand('copydesk.waiting.answer')", json!([]));
    user.window.wait_for(&mut user.server, ROW, "Allow once");
    let is_open = |message: &Value| message["params"].to_string().contains("other.txt");
    let ask = user.witness().take_message("the ask", |message| {
        message["method"] == "copydesk/permission/ask" && is_open(message)
    });
    user.witness().answer(&ask, json!({ "reply": "once" }));
    user.window.user(&mut user.server, "wait", json!({ "selector": PICK, "state": "hidden" }));
    assert_eq!(user.wait_for_turn_end(), "done");
    assert_eq!(user.scripted.env.read("other.txt"), "other\n");
    // VS Code keeps its notification. Its button says what has happened, and raises no other one.
    let before = notifications(user);
    user.window.click(&mut user.server, &format!("{LISTED} .monaco-button"), "Answer");
    user.window.wait_for(&mut user.server, ".statusbar-item", "this was answered");
    assert!(notifications(user).len() < before.len());
}

/// The notifications that VS Code keeps, the newest first.
fn notifications(user: &mut VscodeUser) -> Vec<String> {
    let shown = json!({ "selector": ".notifications-center.visible" });
    // VS Code closes the list when the last notification goes, also just after it was opened.
    let is_shown = (0..20).any(|_| {
        user.window.command("notifications.showList", json!([]));
        user.window.user(&mut user.server, "count", shown.clone()) != json!(0)
    });
    assert!(is_shown, "VS Code does not show its notifications");
    let texts = json!({ "selector": format!("{LISTED} .notification-list-item-message") });
    serde_json::from_value(user.window.user(&mut user.server, "texts", texts)).unwrap()
}

fn an_edit_that_waits_is_decided_hunk_by_hunk(user: &mut VscodeUser) {
    let old = "one\ntwo\nthree\nfour\nfive\n";
    user.scripted.env.write("a.txt", old);
    user.window.open("a.txt");
    let new = old.replace("two", "TWO").replace("four", "FOUR");
    user.queue_call("waits", "edit", json!({ "filePath": "a.txt", "oldString": old, "newString": new }));
    user.ask("Work");
    user.wait_for_hunks(2);
    assert_eq!(user.window.document("a.txt").unwrap().text, old, "nothing is written before it is accepted");
    user.wait_for_lenses("a.txt", &[1, 3]);
    user.window.user(&mut user.server, "waitForNote", json!({ "text": "→ TWO" }));
    user.window.screenshot(&mut user.server, "review-before");
    user.run_at("a.txt", 1, "review.accept");
    user.wait_for_hunks(1);
    user.run_at("a.txt", 3, "review.reject");
    assert_eq!(user.wait_for_turn_end(), "done");
    user.window.wait_for_text("a.txt", &old.replace("two", "TWO"));
    let (told, failed) = user.result("waits");
    assert!(!failed && told.contains("rejected"), "{told}");
    let told = notifications(user);
    assert!(!told.iter().any(|text| text.contains("a.txt")), "its hunks were in front of the user: {told:?}");
}
