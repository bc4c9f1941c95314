//! Without a mouse: the first five minutes by the command palette, and the chat by its keys. Nothing here clicks, and no test puts the focus.

use serde_json::json;

use super::vscode_user::VscodeUser;
use super::walkthrough::{self, PRACTICE_FILE};
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::environment_with_rules;

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn the_first_five_minutes_need_no_mouse() {
    let mut user = walkthrough::start();
    a_practice_project_is_made_and_trusted(&mut user);
    its_error_is_seen(&mut user);
    it_is_repaired(&mut user);
    walkthrough::a_local_server_is_found(&mut user);
}

/// Runs a command by the palette.
fn run(user: &mut VscodeUser, name: &str) {
    walkthrough::run_by_name(user, name);
}

fn a_practice_project_is_made_and_trusted(user: &mut VscodeUser) {
    run(user, "Copydesk: Practise on a Small Project");
    user.window.wait_for_next_folder(&user.server);
    user.window.wait_for(&mut user.server, ".tab", "newsstand.ts");
    run(user, "Workspaces: Manage Workspace Trust");
    user.window.wait_for(&mut user.server, ".workspace-trust-editor", "Trust");
    user.window.press(&mut user.server, "Control+Enter");
    user.window.wait_until("vscode.workspace.isTrusted", json!([]));
    user.window.press(&mut user.server, "Escape");
    let gone = json!({ "selector": ".workspace-trust-editor", "state": "detached" });
    user.window.user(&mut user.server, "wait", gone);
}

fn its_error_is_seen(user: &mut VscodeUser) {
    // The window is loaded again, because it has no TypeScript yet.
    run(user, "Copydesk: Practise on a Small Project");
    user.window.wait_for_next_folder(&user.server);
    user.window
        .wait_until("vscode.languages.getDiagnostics(T.uri('src/newsstand.ts')).length === 1", json!([]));
    run(user, "Copydesk: Practise on a Small Project");
    let at_error = "vscode.window.activeTextEditor?.document.getText(vscode.window.activeTextEditor.selection) === 'titel'";
    user.window.wait_until(at_error, json!([]));
}

fn it_is_repaired(user: &mut VscodeUser) {
    let repaired = user.scripted.env.read(PRACTICE_FILE).replace("titel", "title");
    run(user, "Copydesk: Fix the Problems Here");
    user.window.wait_for(&mut user.server, ".codelens-decoration a", "Accept");
    user.attach_witness();
    user.wait_for_hunks(1);
    // The next hunk is in the diff of the proposal.
    user.window.press(&mut user.server, "Alt+F5");
    let in_proposal = "vscode.window.activeTextEditor?.document.uri.scheme === 'copydesk-proposal'";
    user.window.wait_until(in_proposal, json!([]));
    user.window.wait_for(&mut user.server, ".editor-actions .codicon-check", "");
    user.window.press(&mut user.server, "Control+Alt+Enter");
    user.wait_for_hunks(0);
    user.window.wait_for_text("src/newsstand.ts", &repaired);
    user.window
        .wait_until("vscode.languages.getDiagnostics(T.uri('src/newsstand.ts')).length === 0", json!([]));
}

const TEXT: &str = "one\ntwo\nthree\nfour\n";

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn the_chat_needs_no_mouse() {
    let scripted = environment_with_rules([], json!({ "edit": "allow", "bash": "ask" }));
    scripted.env.write("a.txt", TEXT);
    let mut user = VscodeUser::start(scripted);
    user.window.press(&mut user.server, "Control+Alt+j");
    user.wait_in_chat("textarea:focus", "");
    a_prompt_names_a_file(&mut user);
    hunks_are_decided(&mut user);
    an_ask_is_answered(&mut user);
    rows_are_walked_and_unfolded(&mut user);
    a_turn_is_stopped(&mut user);
    a_prompt_is_found_again(&mut user);
    a_command_is_run(&mut user);
}

fn press(user: &mut VscodeUser, keys: &str) {
    user.window.press(&mut user.server, keys);
}

fn a_prompt_names_a_file(user: &mut VscodeUser) {
    user.scripted.server.queue_turn(ScriptedTurn::new().text("I see it."));
    user.begin_prompt();
    user.type_in_chat("Look at @a.t");
    user.wait_in_chat("[role=option][aria-selected=true]", "a.txt");
    press(user, "Tab");
    user.in_chat("waitForValue", json!({ "selector": "textarea", "text": "Look at @a.txt " }));
    user.window.screenshot(&mut user.server, "chat-mention");
    press(user, "Enter");
    user.wait_in_chat(".prompt .chip", "a.txt");
    user.attach_witness();
    user.finish_prompt();
    let asked = user.scripted.request_body(0).to_string();
    assert!(asked.contains("three"), "the file does not go along: {asked}");
}

fn hunks_are_decided(user: &mut VscodeUser) {
    let new = TEXT.replace("two", "TWO").replace("four", "FOUR");
    user.queue_call("edits", "edit", json!({ "filePath": "a.txt", "oldString": TEXT, "newString": new }));
    user.prompt_in_chat("Edit it");
    user.finish_prompt();
    user.wait_for_hunks(2);
    user.wait_in_chat(".hunk.undecided .diff-added", "+TWO");
    press(user, "Control+ArrowUp");
    user.wait_in_chat(".hunk:focus", "a.txt:2");
    press(user, "ArrowDown");
    user.wait_in_chat(".hunk:focus", "a.txt:4");
    press(user, "r");
    user.wait_for_hunks(1);
    user.wait_in_chat(".hunk.rejected", "a.txt:4");
    press(user, "Escape");
    user.wait_in_chat("textarea:focus", "");
    press(user, "Control+ArrowUp");
    user.wait_in_chat(".hunk:focus", "a.txt:2");
    press(user, "a");
    user.wait_for_hunks(0);
    user.wait_in_chat(".hunk.accepted", "a.txt:2");
    assert_eq!(user.scripted.env.read("a.txt"), TEXT.replace("two", "TWO"));
    press(user, "Escape");
    user.wait_in_chat("textarea:focus", "");
}

fn an_ask_is_answered(user: &mut VscodeUser) {
    user.queue_call(
        "runs",
        "bash",
        json!({ "command": "echo made > made.txt", "description": "Makes a file" }),
    );
    user.prompt_in_chat("Make a file");
    user.wait_in_chat(".ask .subject", "echo made > made.txt");
    press(user, "ArrowUp");
    user.wait_in_chat("[data-reply='1']:focus", "");
    press(user, "Enter");
    user.finish_prompt();
    assert_eq!(user.scripted.env.read("made.txt"), "made\n");
    user.wait_in_chat("textarea:focus", "");
}

fn rows_are_walked_and_unfolded(user: &mut VscodeUser) {
    // That of the third turn: the last row is drawn.
    user.wait_in_chat(":nth-match(.turn-summary, 3)", "");
    press(user, "Control+ArrowUp");
    user.wait_in_chat("article.summary-row:focus", "");
    press(user, "ArrowUp");
    user.wait_in_chat("article.answer-row:focus", "Done.");
    press(user, "ArrowUp");
    user.wait_in_chat("article.call-row:focus", "Makes a file");
    press(user, "Enter");
    user.wait_in_chat("article.call-row:focus .detail-text", "echo made > made.txt");
    press(user, "Home");
    user.wait_in_chat("article.prompt-row:focus", "Look at @a.txt");
    press(user, "Escape");
    user.wait_in_chat("textarea:focus", "");
}

fn a_turn_is_stopped(user: &mut VscodeUser) {
    user.scripted
        .server
        .queue_turn(ScriptedTurn::new().text("I begin.\n\n").gate("middle").text("Never said."));
    user.prompt_in_chat("Go on");
    user.wait_for_gate("middle");
    user.wait_in_chat(".answer", "I begin.");
    press(user, "Escape");
    assert_eq!(user.wait_for_turn_end(), "cancelled");
    crate::neovim::crashes::block_on(user.scripted.server.wait_for_hangup("middle"));
    user.wait_until_gone_in_chat(".working");
    user.wait_in_chat(".remedies .button", "Continue");
}

fn a_prompt_is_found_again(user: &mut VscodeUser) {
    press(user, "ArrowUp");
    user.in_chat("waitForValue", json!({ "selector": "textarea", "text": "Go on" }));
    press(user, "ArrowUp");
    user.in_chat("waitForValue", json!({ "selector": "textarea", "text": "Make a file" }));
    press(user, "ArrowDown");
    press(user, "ArrowDown");
    user.in_chat("waitForValue", json!({ "selector": "textarea", "text": "" }));
}

fn a_command_is_run(user: &mut VscodeUser) {
    user.type_in_chat("/ne");
    user.wait_in_chat("[role=option][aria-selected=true]", "new");
    press(user, "Enter");
    user.wait_in_chat(".welcome", "answers.");
    user.in_chat("waitForValue", json!({ "selector": "textarea", "text": "" }));
}
