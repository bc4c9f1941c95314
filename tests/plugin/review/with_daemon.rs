//! With the real daemon: the agent edits, the user decides in Neovim, and the model is told.

use std::path::Path;

use serde_json::{Value, json};

use super::super::commands::NeovimUser;
use crate::model_server::ScriptedTurn;
use crate::neovim::crashes::block_on;
use crate::neovim::neovim_session::{
    allow_edits_environment, environment_with_rules, for_each_neovim, result,
};
use crate::sessions::harness::ScriptedEnvironment;

const OLD: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n";
const NEW: &str = "one\nTWO\nthree\nFOUR\nfive\nSIX\nseven\nEIGHT\nnine\n";

fn four_hunks() -> ScriptedTurn {
    ScriptedTurn::new().call("c1", "edit", json!({ "filePath": "a.txt", "oldString": OLD, "newString": NEW }))
}

/// A user whose buffer shows the four hunks of a call that waits for the decision.
#[track_caller]
fn with_four_hunks_that_wait(program: &Path) -> (ScriptedEnvironment, NeovimUser) {
    let turns = [four_hunks(), ScriptedTurn::new().text("Done.")];
    let scripted = environment_with_rules(turns, json!({ "edit": "ask" }));
    scripted.env.write("a.txt", OLD);
    let mut user = NeovimUser::start(program, &scripted.env);
    user.window.command("edit a.txt");
    user.run_command("Copydesk! ask Edit", json!([]));
    wait_for_hunks(&mut user, 4);
    (scripted, user)
}

/// Waits until so many hunks are undecided, on both sides.
#[track_caller]
fn wait_for_hunks(user: &mut NeovimUser, hunks: u64) {
    user.window.nvim.wait_for_message("CopydeskReview", |told| told["hunks"] == hunks);
}

/// The drawn hunks, each as its first row and its number of rows.
#[track_caller]
fn drawn(user: &mut NeovimUser) -> Value {
    user.window.lua(
        "return vim.tbl_map(function(found)
           return { found.first, found.count }
         end, require('copydesk.review.draw').all(vim.fn.bufnr('a.txt')))",
    )
}

/// The main case: of four hunks one is accepted, one rejected with a comment, one edited by the user, and one left open.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_next_request_says_what_was_decided_of_four_hunks() {
    for_each_neovim(|program| {
        let turns = [four_hunks(), ScriptedTurn::new().text("Done."), ScriptedTurn::new().text("I see.")];
        let scripted = allow_edits_environment(turns);
        scripted.env.write("a.txt", OLD);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.command("edit a.txt");
        user.run_turn("Edit");
        wait_for_hunks(&mut user, 4);
        assert_eq!(drawn(&mut user), json!([[1, 1], [3, 1], [5, 1], [7, 1]]));
        user.window.keys("gg");
        user.window.keys("]h");
        user.window.keys("gha");
        wait_for_hunks(&mut user, 3);
        user.window.keys("]h");
        user.window.command("Copydesk reject Keep it small.");
        wait_for_hunks(&mut user, 2);
        user.window.wait_until("vim.fn.getline(4) == 'four'");
        user.window.keys("6GcwSix<Esc>");
        user.window.command("Copydesk comment Why capitals?");
        assert_eq!(user.next_notification(), "1 comment waits for the agent's next step");
        assert_eq!(drawn(&mut user), json!([[5, 1], [7, 1]]));
        user.run_turn("Go on");
        let sent = scripted.last_message(2);
        for said in [
            "`a.txt` line 2: accepted.",
            "`a.txt` line 4: rejected; the lines are as they were before. They say: Keep it small.",
            "`a.txt` line 6: not decided yet, and changed by the user; it now reads:",
            "`a.txt` line 8: not decided yet.",
            "Why capitals?",
        ] {
            assert!(sent.contains(said), "{said}\n{sent}");
        }
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_edit_that_waits_is_decided_hunk_by_hunk_in_its_place() {
    for_each_neovim(|program| {
        let (scripted, mut user) = with_four_hunks_that_wait(program);
        assert_eq!(user.window.lines("a.txt"), OLD.trim_end());
        // Typing above moves the hunks, and is not lost.
        user.window.keys("ggOzero<Esc>");
        user.window.keys("]h");
        user.window.keys("gha");
        wait_for_hunks(&mut user, 3);
        user.window.keys("]h");
        user.window.keys("ghe");
        user.window.keys("cGFour, and a half<Esc>");
        user.window.command("write");
        wait_for_hunks(&mut user, 2);
        user.window.wait_until("vim.fn.bufnr('copydesk://edit') == -1");
        assert_eq!(drawn(&mut user), json!([[6, 1], [8, 1]]));
        user.window.keys("]h");
        user.window.command("Copydesk reject Six is a good number.");
        wait_for_hunks(&mut user, 1);
        user.window.keys("]h");
        user.window.keys("gha");
        user.window.wait_for_turn_end();
        let text = "zero\none\nTWO\nthree\nFour, and a half\nfive\nsix\nseven\nEIGHT\nnine";
        assert_eq!(user.window.lines("a.txt"), text);
        let (said, failed) = result(&scripted, 1, "c1");
        assert!(
            !failed && said.contains("line 7: rejected; the lines are as they were before. They say: Six"),
            "{said}"
        );
        assert!(said.contains("Four, and a half"), "{said}");
        user.window.wait_until("#require('copydesk.ask').list() == 0");
        let marks = "return #vim.api.nvim_buf_get_extmarks(vim.fn.bufnr('a.txt'), -1, 0, -1, {})";
        assert_eq!(user.window.lua(marks), 0);
    });
}

/// The user types in a line that the waiting call would change, and then says yes to the hunk, or to the call. What was typed
/// stays, and both sides are told.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_is_typed_in_a_proposed_hunk_survives_every_yes() {
    for_each_neovim(|program| {
        let (scripted, mut user) = with_four_hunks_that_wait(program);
        user.window.keys("2GA, typed<Esc>");
        user.window.wait_until("require('copydesk.review.draw').all(vim.fn.bufnr('a.txt'))[1].hunk.edited");
        user.window.keys("gha");
        let refused =
            "the lines that this hunk would replace were changed meanwhile; edit the hunk, or reject it";
        assert_eq!(user.next_notification(), refused);
        assert_eq!(user.window.lines("a.txt"), OLD.replacen("two", "two, typed", 1).trim_end());
        user.window.command("Copydesk allow");
        let failed = format!("Not all of it was changed: {refused}.");
        assert_eq!(user.next_notification(), failed);
        user.window.wait_for_turn_end();
        assert_eq!(user.window.lines("a.txt"), NEW.replacen("TWO", "two, typed", 1).trim_end());
        let (said, failed) = result(&scripted, 1, "c1");
        assert!(!failed && said.contains("line 4: accepted."), "{said}");
        assert!(
            said.contains("The rest could not be changed: the user has typed in the same lines."),
            "{said}"
        );
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn undo_and_redo_take_hunks_away_and_bring_them_back() {
    for_each_neovim(|program| {
        let more = json!({ "filePath": "a.txt", "oldString": "nine", "newString": "NINE\nten" });
        let scripted = allow_edits_environment([
            four_hunks(),
            ScriptedTurn::new().call("c2", "edit", more),
            ScriptedTurn::new().text("Done."),
        ]);
        scripted.env.write("a.txt", OLD);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.command("edit a.txt");
        user.run_turn("Edit");
        let all = json!([[1, 1], [3, 1], [5, 1], [7, 3]]);
        user.window.wait_until("vim.fn.getline('$') == 'ten' and require('copydesk.review').count() == 4");
        assert_eq!(drawn(&mut user), all);
        let last = "return require('copydesk.review.draw').all(vim.fn.bufnr('a.txt'))[4].hunk.new";
        user.window.keys("u");
        user.window.wait_until("vim.fn.getline('$') == 'nine'");
        user.window
            .wait_until("#require('copydesk.review.draw').all(vim.fn.bufnr('a.txt'))[4].hunk.new == 1");
        assert_eq!(drawn(&mut user), json!([[1, 1], [3, 1], [5, 1], [7, 1]]));
        user.window.keys("<C-r>");
        user.window
            .wait_until("#require('copydesk.review.draw').all(vim.fn.bufnr('a.txt'))[4].hunk.new == 3");
        assert_eq!(user.window.lua(last), json!(["EIGHT", "NINE", "ten"]));
        assert_eq!(drawn(&mut user), all);
        // A rejection can be undone like any other edit.
        user.window.nvim.discard_messages();
        user.window.keys("2G");
        user.window.keys("ghr");
        wait_for_hunks(&mut user, 3);
        user.window.wait_until("vim.fn.getline(2) == 'two'");
        assert_eq!(drawn(&mut user), json!([[3, 1], [5, 1], [7, 3]]));
        user.window.keys("u");
        wait_for_hunks(&mut user, 4);
        assert_eq!(drawn(&mut user), all);
    });
}

/// The agent has made four hunks, and the model answers one more prompt.
#[track_caller]
fn after_four_hunks(program: &Path) -> (ScriptedEnvironment, NeovimUser) {
    let answers = [ScriptedTurn::new().text("Done."), ScriptedTurn::new().text("I see.")];
    let scripted = allow_edits_environment([four_hunks()].into_iter().chain(answers));
    scripted.env.write("a.txt", OLD);
    let mut user = NeovimUser::start(program, &scripted.env);
    user.window.command("edit a.txt");
    user.run_turn("Edit");
    wait_for_hunks(&mut user, 4);
    (scripted, user)
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_undone_edit_is_told_as_a_rejection() {
    for_each_neovim(|program| {
        let (scripted, mut user) = after_four_hunks(program);
        user.window.keys("u");
        wait_for_hunks(&mut user, 0);
        user.run_turn("Go on");
        let told = scripted.last_message(2);
        for line in [2, 4, 6, 8] {
            let said = format!("`a.txt` line {line}: rejected; the lines are as they were before.");
            assert!(told.contains(&said), "{said}\n{told}");
        }
    });
}

/// Restoring the file on the disk is no decision in the editor.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_that_neovim_reads_again_is_not_told_as_a_rejection() {
    for_each_neovim(|program| {
        let (scripted, mut user) = after_four_hunks(program);
        user.window.command("write");
        scripted.env.write("a.txt", OLD);
        user.window.command("checktime");
        wait_for_hunks(&mut user, 0);
        user.run_turn("Go on");
        let told = scripted.last_message(2);
        assert!(!told.contains("rejected"), "{told}");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn typing_while_the_agent_edits_leaves_every_hunk_at_its_place() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([
            ScriptedTurn::new().text("I begin").gate("begun"),
            four_hunks(),
            ScriptedTurn::new().text("Done."),
        ]);
        scripted.env.write("a.txt", OLD);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.command("edit a.txt");
        user.run_command("Copydesk! ask Edit", json!([]));
        block_on(scripted.server.wait_for_gate("begun"));
        scripted.server.open_gate("begun");
        user.window.wait_for_turn_end();
        user.run_command("Copydesk! ask Edit", json!([]));
        for number in 0..20 {
            user.window.keys(&format!("ggOtyped {number}<Esc>"));
        }
        user.window.wait_for_turn_end();
        user.window.wait_until("require('copydesk.review').count() == 4");
        let is_right =
            "vim.iter(require('copydesk.review.draw').all(vim.fn.bufnr('a.txt'))):all(function(found)
            local line = vim.api.nvim_buf_get_lines(found.bufnr, found.first, found.first + 1, true)[1]
            return line == found.hunk.new[1] and found.count == 1
          end) and #require('copydesk.review.draw').all(vim.fn.bufnr('a.txt')) == 4";
        user.window.wait_until(is_right);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn when_to_review_is_chosen_while_the_session_goes_on() {
    for_each_neovim(|program| {
        let edit = |old: &str, new: &str| {
            ScriptedTurn::new().call(
                "c1",
                "edit",
                json!({ "filePath": "a.txt", "oldString": old, "newString": new }),
            )
        };
        let scripted = allow_edits_environment([
            edit("two", "2"),
            ScriptedTurn::new().text("Done."),
            edit("three", "3"),
            ScriptedTurn::new().text("Done."),
        ]);
        scripted.env.write("a.txt", "one\ntwo\nthree\n");
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.command("edit a.txt");
        user.run_command("Copydesk review before", json!([]));
        assert_eq!(user.next_notification(), "from the next edit on: edits wait for your approval");
        user.run_command("Copydesk! ask Edit", json!([]));
        wait_for_hunks(&mut user, 1);
        assert_eq!(user.window.lines("a.txt"), "one\ntwo\nthree");
        user.window.wait_until("require('copydesk.chat.float').window()");
        user.window.command("Copydesk accept-all");
        user.window.wait_for_turn_end();
        assert_eq!(user.window.lines("a.txt"), "one\n2\nthree");
        // On a screen of 80 columns, Neovim leaves 58 for them behind the plugin's name.
        for (when, told) in [
            ("after", "edits are made at once; you review them afterwards"),
            ("rules", "the rules decide whether edits wait for your approval"),
        ] {
            user.run_command(&format!("Copydesk review {when}"), json!([]));
            assert_eq!(user.next_notification(), told);
            assert!(told.len() <= 58, "{told}");
        }
        user.run_turn("Edit");
        wait_for_hunks(&mut user, 1);
        assert_eq!(user.window.lines("a.txt"), "one\n2\n3");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_was_undecided_is_there_again_in_another_neovim() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([four_hunks(), ScriptedTurn::new().text("Done.")]);
        scripted.env.write("a.txt", OLD);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.command("edit a.txt");
        user.run_turn("Edit");
        wait_for_hunks(&mut user, 4);
        user.window.keys("2Ggha");
        wait_for_hunks(&mut user, 3);
        user.window.command("silent write");
        user.window.quit_with("qall!");
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.command("edit a.txt");
        user.run_command("Copydesk sessions", json!(["Edit"]));
        wait_for_hunks(&mut user, 3);
        assert_eq!(drawn(&mut user), json!([[3, 1], [5, 1], [7, 1]]));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_that_the_agent_made_is_deleted_by_a_no_and_asked_about_if_it_was_typed_in() {
    for_each_neovim(|program| {
        let write = |name: &str| {
            ScriptedTurn::new().call("c1", "write", json!({ "filePath": name, "content": "a\nb\n" }))
        };
        let done = || ScriptedTurn::new().text("Done.");
        let scripted = allow_edits_environment([write("one.txt"), done(), write("two.txt"), done()]);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.run_turn("Write");
        user.window.wait_until("require('copydesk.review').count() > 0");
        user.window.command("edit one.txt");
        user.run_command("Copydesk reject-file", json!(["Reject them"]));
        wait_for_hunks(&mut user, 0);
        assert!(!scripted.env.exists("one.txt"));
        user.run_turn("Write");
        user.window.wait_until("require('copydesk.review').count() > 0");
        user.window.command("edit two.txt");
        user.window.keys("Gomine<Esc>");
        user.run_command("Copydesk reject-file", json!(["Reject them", "Keep it"]));
        user.window.nvim.wait_for_message("select", |told| told["labels"][1] == "Delete it");
        assert!(scripted.env.exists("two.txt"));
        user.run_command("Copydesk reject-file", json!(["Reject them", "Delete it"]));
        wait_for_hunks(&mut user, 0);
        assert!(!scripted.env.exists("two.txt"));
    });
}
