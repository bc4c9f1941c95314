//! Inline edits: the user selects lines and gives an instruction; what the model writes grows as a proposal, and is in the document
//! only when it is accepted.

use serde_json::json;

use super::vscode_user::VscodeUser;
use crate::model_server::{ScriptedErrorKind, ScriptedTurn};
use crate::neovim::neovim_session::allow_edits_environment;

const TEXT: &str = "one\ntwo\nthree\nfour\n";
const INPUT: &str = ".review-widget";
const PROGRESS: &str = ".notification-toast";

fn start() -> VscodeUser {
    let scripted = allow_edits_environment([]);
    scripted.env.write("a.txt", TEXT);
    let mut user = VscodeUser::start(scripted);
    user.window.open("a.txt");
    user
}

/// Selects whole lines, from 0, the last one exclusive.
fn select(user: &mut VscodeUser, first: u32, end: u32) {
    let select = "vscode.window.activeTextEditor.selection = new vscode.Selection(args[0], 0, args[1], 0)";
    user.window.js(select, json!([first, end]));
}

/// Opens the input at the lines, which has the focus.
fn open_input(user: &mut VscodeUser, title: &str) {
    user.window.begin_js("await vscode.commands.executeCommand('copydesk.edit')", json!([]));
    user.window.wait_for(&mut user.server, INPUT, title);
    user.window.wait_for(&mut user.server, &format!("{INPUT} .monaco-editor.focused"), "");
}

/// Gives an instruction by keys, in the input.
fn instruct(user: &mut VscodeUser, title: &str, instruction: &str) {
    open_input(user, title);
    user.window.user(&mut user.server, "type", json!({ "text": instruction }));
    user.window.press(&mut user.server, "Enter");
    wait_until_gone(user, INPUT, "");
}

fn is_unchanged(user: &mut VscodeUser) {
    let seen = user.window.document("a.txt").unwrap();
    assert_eq!(
        (seen.text.as_str(), seen.is_dirty),
        (TEXT, false),
        "only an accepted edit changes the document"
    );
}

fn wait_until_gone(user: &mut VscodeUser, selector: &str, text: &str) {
    user.window.user(
        &mut user.server,
        "wait",
        json!({ "selector": selector, "text": text, "state": "hidden" }),
    );
}

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn an_inline_edit_grows_as_a_proposal_and_is_written_when_accepted() {
    let mut user = start();
    an_input_that_is_dismissed_asks_nothing(&mut user);
    a_failure_is_told(&mut user);
    one_that_is_cancelled_leaves_nothing(&mut user);
    one_is_refined_and_accepted(&mut user);
    one_is_tried_again(&mut user);
}

/// The input stands under the lines that it is about, and leaves the selection and the Comments panel alone.
fn an_input_that_is_dismissed_asks_nothing(user: &mut VscodeUser) {
    select(user, 1, 3);
    open_input(user, "Edit a.txt:2-3");
    user.window.user(&mut user.server, "type", json!({ "text": "capi" }));
    user.window.screenshot(&mut user.server, "inline-input");
    assert_eq!(user.window.user(&mut user.server, "count", json!({ "selector": ".comments-panel" })), 0);
    user.window.press(&mut user.server, "Escape");
    wait_until_gone(user, INPUT, "");
    // The input is an editor, too, and may still count as the active one.
    let selected = "const editor = vscode.window.visibleTextEditors.find(({ document }) => document.fileName.endsWith('a.txt')); \
         return [editor.selection.start.line, editor.selection.end.line]";
    assert_eq!(user.window.js(selected, json!([])), json!([1, 3]));
    assert_eq!(user.scripted.server.requests().len(), 0);
    is_unchanged(user);
}

fn a_failure_is_told(user: &mut VscodeUser) {
    let fails = ScriptedTurn::new().text("x").error(ScriptedErrorKind::Invalid, "no such thing");
    user.scripted.server.queue_turn(fails);
    select(user, 1, 3);
    instruct(user, "Edit a.txt:2-3", "capitals");
    user.window.wait_for(&mut user.server, PROGRESS, "no such thing");
    wait_until_gone(user, PROGRESS, "rewriting a.txt:2-3");
    is_unchanged(user);
    user.window.command("notifications.clearAll", json!([]));
}

fn one_that_is_cancelled_leaves_nothing(user: &mut VscodeUser) {
    user.scripted
        .server
        .queue_turn(ScriptedTurn::new().gate("before").text("TWO\n").gate("half").text("THREE"));
    select(user, 1, 3);
    instruct(user, "Edit a.txt:2-3", "capitals");
    user.window.wait_for(&mut user.server, PROGRESS, "rewriting a.txt:2-3");
    user.wait_for_gate("before");
    user.window.screenshot(&mut user.server, "inline-writing");
    user.open_gate("before");
    user.wait_for_gate("half");
    user.window.wait_for(&mut user.server, ".peekview-widget .view-line", "TWO");
    user.window.screenshot(&mut user.server, "inline-growing");
    is_unchanged(user);
    user.window.click(&mut user.server, ".notification-toast .monaco-button", "Cancel");
    crate::neovim::crashes::block_on(user.scripted.server.wait_for_hangup("half"));
    wait_until_gone(user, PROGRESS, "rewriting a.txt:2-3");
    wait_until_gone(user, ".peekview-widget", "");
    is_unchanged(user);
}

fn one_is_refined_and_accepted(user: &mut VscodeUser) {
    user.scripted.server.queue_turn(ScriptedTurn::new().text("TWO\nTHREE"));
    user.scripted.server.queue_turn(ScriptedTurn::new().text("Two\n").gate("refining").text("Three"));
    select(user, 1, 3);
    instruct(user, "Edit a.txt:2-3", "capitals");
    // It cannot be refined by chance: the daemon has answered, and the review shows it.
    user.window.wait_for(&mut user.server, ".codelens-decoration a", "Accept");
    user.window.screenshot(&mut user.server, "inline-proposal");
    is_unchanged(user);
    instruct(user, "Refine the edit of a.txt:2-3", "only the first letter");
    user.wait_for_gate("refining");
    user.window.wait_for(&mut user.server, PROGRESS, "rewriting a.txt:2-3");
    user.window.screenshot(&mut user.server, "inline-refining");
    user.open_gate("refining");
    wait_until_gone(user, PROGRESS, "rewriting a.txt:2-3");
    is_unchanged(user);
    user.window.command("copydesk.review.acceptFile", json!([]));
    user.window.wait_for_text("a.txt", "one\nTwo\nThree\nfour\n");
    wait_until_gone(user, ".peekview-widget", "");
    user.window.command("undo", json!([]));
    user.window.wait_for_text("a.txt", TEXT);
    let asked = user.scripted.request_body(3);
    let said = asked["messages"].as_array().unwrap().last().unwrap().to_string();
    assert!(said.contains("only the first letter"), "{asked}");
}

fn one_is_tried_again(user: &mut VscodeUser) {
    user.scripted.server.queue_turn(ScriptedTurn::new().text("second\nthird"));
    user.scripted.server.queue_turn(ScriptedTurn::new().text("II\n").gate("again").text("III"));
    select(user, 1, 3);
    instruct(user, "Edit a.txt:2-3", "roman");
    user.window.wait_for(&mut user.server, ".codelens-decoration a", "Accept");
    user.command("edit.retry", json!([]));
    user.wait_for_gate("again");
    user.window.wait_for(&mut user.server, PROGRESS, "rewriting a.txt:2-3");
    user.open_gate("again");
    wait_until_gone(user, PROGRESS, "rewriting a.txt:2-3");
    is_unchanged(user);
    user.window.command("copydesk.review.acceptFile", json!([]));
    user.window.wait_for_text("a.txt", "one\nII\nIII\nfour\n");
}
