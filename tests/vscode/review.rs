//! The agent edits, the user decides at the page, by lens, key, tree and undo; the next request of the model says what was decided.

use serde_json::json;

use super::vscode_user::VscodeUser;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::allow_edits_environment;

const OLD: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n";
const NEW: &str = "one\nTWO\nthree\nFOUR\nfive\nSIX\nseven\nEIGHT\nnine\n";

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn the_next_request_says_what_was_decided_at_the_page() {
    let mut user = VscodeUser::start(allow_edits_environment([]));
    user.scripted.env.write("a.txt", OLD);
    user.scripted.env.write("b.txt", "one\ntwo\n");
    user.window.open("a.txt");
    let (told, failed) = user.edit("a.txt", OLD, NEW);
    assert!(!failed, "{told}");
    user.wait_for_hunks(4);
    user.wait_for_lenses("a.txt", &[1, 3, 5, 7]);
    decide_by_lens_and_key(&mut user);
    comment_and_leave_open(&mut user);
    user.scripted.server.queue_turn(ScriptedTurn::new().text("I see."));
    user.run_turn("Go on");
    let sent = user.scripted.last_message(2);
    for said in [
        "`a.txt` line 2: accepted.",
        "`a.txt` line 4: rejected; the lines are as they were before.",
        "`a.txt` line 6: not decided yet",
        "`a.txt` line 8: not decided yet",
        "Why capitals?",
    ] {
        assert!(sent.contains(said), "{said}\n{sent}");
    }
    decide_in_the_tree(&mut user);
    an_undone_edit_is_decided(&mut user);
}

fn decide_by_lens_and_key(user: &mut VscodeUser) {
    user.window.click(&mut user.server, ".codelens-decoration a", "Accept");
    user.wait_for_hunks(3);
    user.wait_for_lenses("a.txt", &[3, 5, 7]);
    user.focus_page();
    user.window.press(&mut user.server, "Control+Home");
    user.window.press(&mut user.server, "Alt+F5");
    user.window.wait_until("vscode.window.activeTextEditor.selection.active.line === 3", json!([]));
    user.window.press(&mut user.server, "Control+Alt+Backspace");
    user.wait_for_hunks(2);
    user.window.wait_for_text("a.txt", &NEW.replace("FOUR", "four"));
    user.wait_for_lenses("a.txt", &[5, 7]);
}

fn comment_and_leave_open(user: &mut VscodeUser) {
    user.window.js("vscode.window.activeTextEditor.selection = new vscode.Selection(5, 0, 5, 0)", json!([]));
    user.window.press(&mut user.server, "Control+Alt+M");
    user.window.wait_for(&mut user.server, ".review-widget .monaco-editor.focused", "");
    user.window.user(&mut user.server, "type", json!({ "text": "Why capitals?" }));
    user.window.press(&mut user.server, "Control+Enter");
    // The next prompt would take a selection along.
    let unselected = "vscode.window.activeTextEditor?.selection.isEmpty && vscode.window.activeTextEditor.selection.active.line === 5";
    user.window.wait_until(unselected, json!([]));
    // Decisions are feedback, too.
    user.witness().take_message("the comment", |message| {
        message["params"]["event"]["event"] == "feedback"
            && message["params"].to_string().contains("Why capitals?")
    });
}

fn decide_in_the_tree(user: &mut VscodeUser) {
    let (told, failed) = user.edit("b.txt", "two", "TWO");
    assert!(!failed, "{told}");
    user.wait_for_hunks(3);
    user.window.command("copydesk.review.focus", json!([]));
    let row = ".customview-tree .monaco-list-row";
    user.window.wait_for(&mut user.server, row, "b.txt");
    user.window.screenshot(&mut user.server, "review-tree");
    let reject =
        json!({ "selector": row, "text": "b.txt", "button": ".action-label[aria-label*=\"Reject\"]" });
    user.window.user(&mut user.server, "clickOnRow", reject);
    user.wait_for_hunks(2);
    assert_eq!(user.scripted.env.read("b.txt"), "one\ntwo\n");
}

/// Ctrl+Z of the agent's edit is an ordinary change of the user: the text is as before, and the hunks are gone.
fn an_undone_edit_is_decided(user: &mut VscodeUser) {
    user.scripted.env.write("c.txt", "one\ntwo\n");
    user.window.open("c.txt");
    let (told, failed) = user.edit("c.txt", "two", "TWO");
    assert!(!failed, "{told}");
    user.wait_for_hunks(3);
    user.focus_page();
    user.window.press(&mut user.server, "Control+z");
    user.window.wait_for_text("c.txt", "one\ntwo\n");
    user.wait_for_hunks(2);
    user.wait_for_lenses("c.txt", &[]);
}
