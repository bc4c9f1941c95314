//! The user reverts the agent's hunks by VS Code's own means, "Revert Block" and undo: they are rejected, and the model is told. A redo brings them
//! back.

use serde_json::json;

use super::vscode_user::VscodeUser;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::allow_edits_environment;

const OLD: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
const NEW: &str = "one\nTWO\nthree\nFOUR\nfive\nSIX\nseven\n";
const REVERT_BLOCK: &str = ".multiDiffEntry .gutterItem .action-label[aria-label*=\"Revert Block\"]";
/// VS Code changes only parts of these lines, and tells of each part.
const OLD_CODE: &str = "f() {}\n\ng\nh()\n\nsame\nlast()\n";
const NEW_CODE: &str = "f() {\n  x\n}\n\nh(y)\n\nsame\nlast(z)\n";

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn what_is_reverted_is_rejected_and_what_is_redone_is_undecided() {
    let mut user = VscodeUser::start(allow_edits_environment([]));
    a_reverted_block_is_rejected(&mut user);
    undo_and_redo_keep_every_hunk(&mut user);
    a_file_that_is_read_again_is_not_rejected(&mut user);
}

/// What the model is told at the beginning of the next turn.
fn next_request(user: &mut VscodeUser) -> String {
    user.scripted.server.queue_turn(ScriptedTurn::new().text("I see."));
    user.run_turn("Go on");
    user.scripted.last_message(user.scripted.server.requests().len() - 1)
}

fn a_reverted_block_is_rejected(user: &mut VscodeUser) {
    user.scripted.env.write("a.txt", OLD);
    user.window.open("a.txt");
    let (told, failed) = user.edit("a.txt", OLD, NEW);
    assert!(!failed, "{told}");
    user.wait_for_hunks(3);
    user.window.command("copydesk.review.openAll", json!([]));
    user.window.wait_for(&mut user.server, ".multiDiffEntry .view-line", "FOUR");
    user.window.user(
        &mut user.server,
        "hover",
        json!({ "selector": ".multiDiffEntry .modified .view-line", "text": "FOUR" }),
    );
    user.window.screenshot(&mut user.server, "revert-block");
    user.window.user(&mut user.server, "click", json!({ "selector": REVERT_BLOCK, "nth": 1 }));
    user.window.wait_for_text("a.txt", &NEW.replace("FOUR", "four"));
    user.wait_for_hunks(2);
    let told = next_request(user);
    for said in [
        "`a.txt` line 4: rejected; the lines are as they were before.",
        "`a.txt` line 2: not decided yet",
        "`a.txt` line 6: not decided yet",
    ] {
        assert!(told.contains(said), "{said}\n{told}");
    }
    user.command("review.acceptAll", json!([]));
    user.wait_for_hunks(0);
}

fn undo_and_redo_keep_every_hunk(user: &mut VscodeUser) {
    user.scripted.env.write("b.txt", OLD_CODE);
    user.window.open("b.txt");
    let (told, failed) = user.edit("b.txt", OLD_CODE, NEW_CODE);
    assert!(!failed, "{told}");
    user.wait_for_hunks(3);
    for _ in 0..2 {
        user.focus_page();
        user.window.press(&mut user.server, "Control+z");
        user.window.wait_for_text("b.txt", OLD_CODE);
        user.wait_for_hunks(0);
        user.wait_for_lenses("b.txt", &[]);
        user.window.press(&mut user.server, "Control+y");
        user.window.wait_for_text("b.txt", NEW_CODE);
        user.wait_for_hunks(3);
        user.wait_for_lenses("b.txt", &[0, 4, 7]);
    }
    let told = next_request(user);
    assert!(!told.contains("rejected"), "{told}");
    user.focus_page();
    user.window.press(&mut user.server, "Control+z");
    user.window.wait_for_text("b.txt", OLD_CODE);
    user.wait_for_hunks(0);
    let told = next_request(user);
    assert_eq!(told.matches(": rejected; the lines are as they were before.").count(), 3, "{told}");
}

/// Restoring the file on the disk is no decision in the editor.
fn a_file_that_is_read_again_is_not_rejected(user: &mut VscodeUser) {
    user.scripted.env.write("c.txt", OLD);
    user.window.open("c.txt");
    let (told, failed) = user.edit("c.txt", OLD, NEW);
    assert!(!failed, "{told}");
    user.wait_for_hunks(3);
    assert_eq!(
        user.window.js("return await vscode.window.activeTextEditor.document.save()", json!([])),
        true
    );
    user.scripted.env.write("c.txt", OLD);
    user.window.wait_for_text("c.txt", OLD);
    user.wait_for_hunks(0);
    let told = next_request(user);
    assert!(!told.contains("rejected"), "{told}");
}
