//! Asks and questions: in the quick pick, in the tree, in documents. The model is told what the user answered, whatever was dismissed
//! on the way.

use serde_json::json;

use super::vscode_user::VscodeUser;
use crate::daemon::stdio_editor::SOCKET;
use crate::editors::scripted_editor::ScriptedEditor;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::environment_with_config;
use crate::sessions::tasks::task;

pub(super) const PICK: &str = ".quick-input-widget .monaco-list-row";
const TITLE: &str = ".quick-input-widget .quick-input-title";
const ROW: &str = ".customview-tree .monaco-list-row";
/// Longer than a row of the pick; `$(trash)` is no icon.
const LONG: &str = "printf '%s $(trash)\\n' a rather long line of a command that does not fit into one row of the pick\nfalse";

/// The model belongs to a family that writes patches if its name says so.
fn start_with_model(model: &str) -> VscodeUser {
    let config = json!({ "model": model, "permission": { "bash": "ask", "edit": "ask" }, "agent": { "build": { "steps": 1000 } } });
    let scripted = environment_with_config([], config);
    scripted.env.write("a.txt", "one\ntwo\nthree\n");
    VscodeUser::start(scripted)
}

pub(super) fn start() -> VscodeUser {
    start_with_model("script/m-1")
}

/// One command in a turn, without waiting for its end.
pub(super) fn ask_for_command(user: &mut VscodeUser, call: &str, command: &str) {
    user.queue_call(call, "bash", json!({ "command": command }));
    ask(user, "Run it");
}

/// Prompts once the status bar no longer counts an ask that was answered before: a click would meet it while it changes.
fn ask(user: &mut VscodeUser, prompt: &str) {
    wait_until_gone(user, ".statusbar-item", "waiting");
    user.ask(prompt);
}

fn wait_for_status(user: &mut VscodeUser, text: &str) {
    user.window.wait_for(&mut user.server, ".statusbar-item", text);
}

/// Opens the only ask by the status bar.
pub(super) fn open_by_status_bar(user: &mut VscodeUser) {
    wait_for_status(user, "1 waiting");
    user.window.click(&mut user.server, ".statusbar-item a", "1 waiting");
    user.window.wait_for(&mut user.server, PICK, "");
}

pub(super) fn choose(user: &mut VscodeUser, label: &str) {
    user.window.click(&mut user.server, PICK, label);
}

fn wait_until_gone(user: &mut VscodeUser, selector: &str, text: &str) {
    user.window.user(
        &mut user.server,
        "wait",
        json!({ "selector": selector, "text": text, "state": "hidden" }),
    );
}

fn show_tree(user: &mut VscodeUser) {
    user.window.command("copydesk.waiting.focus", json!([]));
}

/// Presses a button of an ask in the tree.
fn press_in_tree(user: &mut VscodeUser, row: &str, button: &str) {
    let button = format!("a.action-label[aria-label^='{button}']");
    user.window.user(
        &mut user.server,
        "clickOnRow",
        json!({ "selector": ROW, "text": row, "button": button }),
    );
}

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn permission_asks_are_answered_in_the_pick_and_in_the_tree() {
    let mut user = start();
    a_short_command_is_allowed_in_the_pick(&mut user);
    a_long_command_is_shown_in_full_and_rejected_with_a_reason(&mut user);
    leaving_the_pick_loses_nothing_and_the_tree_answers(&mut user);
    a_rejection_without_a_reason_stops_the_turn(&mut user);
    always_holds_from_then_on(&mut user);
    what_is_answered_elsewhere_closes_here(&mut user);
    an_edit_is_shown_in_its_review(&mut user);
}

fn a_short_command_is_allowed_in_the_pick(user: &mut VscodeUser) {
    ask_for_command(user, "short", "echo short");
    user.window.wait_for(&mut user.server, ".notification-toast", "Copydesk asks");
    user.window.screenshot(&mut user.server, "waiting-toast");
    open_by_status_bar(user);
    user.window.screenshot(&mut user.server, "waiting-pick");
    choose(user, "Allow once");
    assert_eq!(user.wait_for_turn_end(), "done");
    let (told, failed) = user.result("short");
    assert!(!failed && told.contains("short"), "{told}");
    wait_until_gone(user, ".statusbar-item", "waiting");
}

fn a_long_command_is_shown_in_full_and_rejected_with_a_reason(user: &mut VscodeUser) {
    ask_for_command(user, "long", LONG);
    open_by_status_bar(user);
    let seen = "vscode.workspace.textDocuments.find((one) => one.uri.scheme === 'copydesk-ask')?.getText()";
    let document = user.window.wait_until(seen, json!([]));
    assert!(document.as_str().unwrap().contains(&format!("```sh\n{LONG}\n```")), "{document}");
    user.window.wait_for(&mut user.server, PICK, "$\u{200b}(trash)");
    user.window.screenshot(&mut user.server, "waiting-long");
    choose(user, "Reject with a reason");
    user.window.wait_for(&mut user.server, TITLE, "Reject with a reason");
    user.window.user(&mut user.server, "type", json!({ "text": "not on Mondays" }));
    user.window.press(&mut user.server, "Enter");
    assert_eq!(user.wait_for_turn_end(), "done");
    let (told, failed) = user.result("long");
    assert!(failed && told.contains("not on Mondays"), "{told}");
    let tabs = "!vscode.window.tabGroups.all.flatMap((group) => group.tabs).some((tab) => tab.input?.uri?.scheme === 'copydesk-ask')";
    user.window.wait_until(tabs, json!([]));
}

fn leaving_the_pick_loses_nothing_and_the_tree_answers(user: &mut VscodeUser) {
    ask_for_command(user, "left", "echo left");
    open_by_status_bar(user);
    user.window.press(&mut user.server, "Escape");
    wait_until_gone(user, ".quick-input-widget", "Allow once");
    wait_for_status(user, "1 waiting");
    show_tree(user);
    user.window.wait_for(&mut user.server, ROW, "echo left");
    user.window.wait_for(&mut user.server, ROW, "Always would allow: bash echo *");
    user.window.screenshot(&mut user.server, "waiting-tree");
    press_in_tree(user, "echo left", "Allow Once");
    assert_eq!(user.wait_for_turn_end(), "done");
    assert!(!user.result("left").1);
    wait_until_gone(user, ROW, "echo left");
}

fn a_rejection_without_a_reason_stops_the_turn(user: &mut VscodeUser) {
    user.scripted.server.queue_turn(ScriptedTurn::new().call(
        "stop",
        "bash",
        json!({ "command": "echo stop" }),
    ));
    ask(user, "Run it");
    show_tree(user);
    user.window.wait_for(&mut user.server, ROW, "echo stop");
    press_in_tree(user, "echo stop", "Reject");
    assert_eq!(user.wait_for_turn_end(), "rejected");
}

fn always_holds_from_then_on(user: &mut VscodeUser) {
    ask_for_command(user, "always", "seq 3");
    show_tree(user);
    user.window.wait_for(&mut user.server, ROW, "Always would allow: bash seq *");
    press_in_tree(user, "seq 3", "Always Allow");
    assert_eq!(user.wait_for_turn_end(), "done");
    let (told, failed) = user.run_call("bash", json!({ "command": "seq 4" }));
    assert!(!failed && told.contains('4'), "{told}");
}

fn what_is_answered_elsewhere_closes_here(user: &mut VscodeUser) {
    ask_for_command(user, "elsewhere", "echo elsewhere");
    open_by_status_bar(user);
    let asked = user.witness().take_message("the ask", |message| {
        message["method"] == "copydesk/permission/ask"
            && message["params"]["title"].to_string().contains("elsewhere")
    });
    user.witness().answer(&asked, json!({ "reply": "once" }));
    wait_until_gone(user, ".quick-input-widget", "Allow once");
    wait_until_gone(user, ".statusbar-item", "1 waiting");
    wait_for_status(user, "answered in witness");
    assert_eq!(user.wait_for_turn_end(), "done");
}

fn an_edit_is_shown_in_its_review(user: &mut VscodeUser) {
    user.queue_call("read", "read", json!({ "filePath": "a.txt" }));
    user.run_turn("Read it");
    user.queue_call("edit", "edit", json!({ "filePath": "a.txt", "oldString": "two", "newString": "TWO" }));
    ask(user, "Change it");
    open_by_status_bar(user);
    user.window.wait_for(&mut user.server, PICK, "Review 1 hunk");
    user.window.wait_for(&mut user.server, ".tabs-container .tab", "a.txt (proposed)");
    user.window.screenshot(&mut user.server, "waiting-edit");
    choose(user, "Allow once");
    assert_eq!(user.wait_for_turn_end(), "done");
    let (told, failed) = user.result("edit");
    assert!(!failed, "{told}");
    user.window.wait_for_text("a.txt", "one\nTWO\nthree\n");
    wait_until_gone(user, ".tabs-container .tab", "a.txt (proposed)");
}

fn an_edit_of_several_files_is_shown_whole(user: &mut VscodeUser) {
    let patch =
        "*** Begin Patch\n*** Add File: b.txt\n+new one\n*** Add File: c.txt\n+new two\n*** End Patch";
    user.queue_call("patch", "apply_patch", json!({ "patchText": patch }));
    ask(user, "Add them");
    open_by_status_bar(user);
    let seen = "vscode.workspace.textDocuments.find((one) => one.uri.scheme === 'copydesk-ask')?.getText()";
    let document = user.window.wait_until(seen, json!([])).as_str().unwrap().to_owned();
    assert!(document.contains("+new one\n") && document.contains("+new two\n"), "{document}");
    user.window.screenshot(&mut user.server, "waiting-patch");
    choose(user, "Allow once");
    assert_eq!(user.wait_for_turn_end(), "done");
    assert_eq!(
        (user.scripted.env.read("b.txt"), user.scripted.env.read("c.txt")),
        ("new one\n".into(), "new two\n".into())
    );
}

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn questions_take_one_answer_several_or_own_words_and_a_patch_is_shown_whole() {
    let mut user = start_with_model("script/gpt-5");
    let options = json!([{ "label": "SQLite", "description": "one file" }, { "label": "Postgres" }]);
    let tests = json!([{ "label": "unit" }, { "label": "end to end" }, { "label": "none" }]);
    let questions = json!([
        { "question": "Which database?", "header": "Database", "options": options },
        { "question": "Which tests?", "header": "Tests", "options": tests, "multiple": true },
        { "question": "Which name?", "header": "Name", "options": [] },
    ]);
    user.queue_call("q1", "question", json!({ "questions": questions }));
    user.ask("Ask me");
    open_by_status_bar(&mut user);
    user.window.wait_for(&mut user.server, TITLE, "Database");
    user.window.screenshot(&mut user.server, "waiting-question");
    choose(&mut user, "Something else");
    let own = json!({ "selector": ".quick-input-widget input[placeholder*='in your own words']" });
    user.window.user(&mut user.server, "wait", own);
    user.window.user(&mut user.server, "type", json!({ "text": "plain files" }));
    user.window.press(&mut user.server, "Enter");
    user.window.wait_for(&mut user.server, TITLE, "Tests");
    choose(&mut user, "unit");
    choose(&mut user, "end to end");
    user.window.screenshot(&mut user.server, "waiting-several");
    user.window.press(&mut user.server, "Enter");
    user.window.wait_for(&mut user.server, TITLE, "Name");
    user.window.user(&mut user.server, "type", json!({ "text": "desk" }));
    user.window.press(&mut user.server, "Enter");
    assert_eq!(user.wait_for_turn_end(), "done");
    let (told, _) = user.result("q1");
    assert!(
        told.contains("plain files") && told.contains("unit, end to end") && told.contains("desk"),
        "{told}"
    );
    a_question_is_refused_with_other_words(&mut user);
    an_edit_of_several_files_is_shown_whole(&mut user);
}

fn a_question_is_refused_with_other_words(user: &mut VscodeUser) {
    let question = json!({ "question": "Which colour?", "header": "Colour", "options": [{ "label": "red" }], "custom": false });
    user.queue_call("q2", "question", json!({ "questions": [question] }));
    ask(user, "Ask me again");
    open_by_status_bar(user);
    user.window.wait_for(&mut user.server, TITLE, "Colour");
    user.window.click(&mut user.server, ".quick-input-widget .quick-input-titlebar a.codicon-comment", "");
    let told = json!({ "selector": ".quick-input-widget input[placeholder^='What should the model']" });
    user.window.user(&mut user.server, "wait", told);
    user.window.user(&mut user.server, "type", json!({ "text": "no colours at all" }));
    user.window.press(&mut user.server, "Enter");
    assert_eq!(user.wait_for_turn_end(), "done");
    let (told, _) = user.result("q2");
    assert!(told.contains("no colours at all"), "{told}");
}

/// Several asks at once, one of another session that this window attached to later; and the same asks after the connection is lost.
#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn several_asks_wait_side_by_side_and_come_once() {
    let mut user = start();
    let server = &user.scripted.server;
    let write = |name: &str| json!({ "filePath": name, "content": "new\n" });
    let both =
        ScriptedTurn::new().call("one", "write", write("one.txt")).call("two", "write", write("two.txt"));
    server.queue_turn(both);
    server.queue_turn(ScriptedTurn::new().text("Done."));
    user.ask("Write both");
    wait_for_status(&mut user, "2 waiting");
    user.command("restart", json!([]));
    wait_for_status(&mut user, "2 waiting");
    show_tree(&mut user);
    user.window.wait_for(&mut user.server, ROW, "one.txt");
    let asks = json!({ "selector": format!("{ROW}[aria-level='1'][aria-label*='(+1']") });
    assert_eq!(
        user.window.user(&mut user.server, "count", asks),
        2,
        "an ask that is sent again is no second one"
    );
    user.window.screenshot(&mut user.server, "waiting-two");
    user.window.click(&mut user.server, ".statusbar-item a", "2 waiting");
    user.window.wait_for(&mut user.server, TITLE, "2 things wait");
    choose(&mut user, "two.txt");
    choose(&mut user, "Allow once");
    wait_for_status(&mut user, "1 waiting");
    press_in_tree(&mut user, "one.txt", "Allow Once");
    assert_eq!(user.wait_for_turn_end(), "done");
    assert!(!user.result("one").1 && !user.result("two").1);
    an_ask_of_a_subagent_names_it(&mut user);
    an_ask_of_another_session_names_it(&mut user);
}

fn an_ask_of_a_subagent_names_it(user: &mut VscodeUser) {
    let server = &user.scripted.server;
    server.queue_turn(task("t1", "general", "Look around"));
    server.queue_turn(ScriptedTurn::new().call("below", "bash", json!({ "command": "echo below" })));
    server.queue_turn(ScriptedTurn::new().text("I looked."));
    server.queue_turn(ScriptedTurn::new().text("Done."));
    user.ask("Delegate");
    show_tree(user);
    user.window.wait_for(&mut user.server, ROW, "subagent general");
    press_in_tree(user, "subagent general", "Allow Once");
    assert_eq!(user.wait_for_turn_end(), "done");
}

fn an_ask_of_another_session_names_it(user: &mut VscodeUser) {
    assert!(user.scripted.env.exists(SOCKET));
    let mut other = ScriptedEditor::new(&user.scripted.env, "other");
    let session = other.new_session();
    other.request_ok("copydesk/session/rename", json!({ "session": session, "title": "Elsewhere" }));
    user.queue_call("foreign", "bash", json!({ "command": "echo foreign" }));
    other.prompt(&session, "Run it");
    other.wait_for_method("copydesk/permission/ask");
    user.window.reload(&mut user.server);
    show_tree(user);
    user.window.wait_for(&mut user.server, ROW, "session “Elsewhere”");
    user.window.screenshot(&mut user.server, "waiting-foreign");
    press_in_tree(user, "session “Elsewhere”", "Allow Once");
    assert_eq!(other.wait_for_turn_end(&session), "done");
}
