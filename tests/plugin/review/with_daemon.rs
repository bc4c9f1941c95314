//! With the real daemon: the agent edits, the user decides in Neovim, and the model is told.

use serde_json::{Value, json};

use super::super::commands::NeovimUser;
use crate::model_server::ScriptedTurn;
use crate::neovim::crashes::block_on;
use crate::neovim::neovim_session::{
    allow_edits_environment, environment_with_rules, for_each_neovim, result,
};

const OLD: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n";
const NEW: &str = "one\nTWO\nthree\nFOUR\nfive\nSIX\nseven\nEIGHT\nnine\n";

fn four_hunks() -> ScriptedTurn {
    ScriptedTurn::new().call("c1", "edit", json!({ "filePath": "a.txt", "oldString": OLD, "newString": NEW }))
}

/// Waits until so many hunks are undecided, on both sides.
#[track_caller]
fn wait_for_hunks(person: &mut NeovimUser, hunks: u64) {
    person.window.nvim.wait_for_message("CopydeskReview", |told| told["hunks"] == hunks);
}

/// The drawn hunks, each as its first row and its number of rows.
#[track_caller]
fn drawn(person: &mut NeovimUser) -> Value {
    person.window.lua(
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
        scripted.desk.write("a.txt", OLD);
        let mut person = NeovimUser::start(program, &scripted.desk);
        person.window.command("edit a.txt");
        person.run_turn("Edit");
        wait_for_hunks(&mut person, 4);
        assert_eq!(drawn(&mut person), json!([[1, 1], [3, 1], [5, 1], [7, 1]]));
        person.window.keys("gg");
        person.window.keys("]h");
        person.window.keys("gha");
        wait_for_hunks(&mut person, 3);
        person.window.keys("]h");
        person.window.command("Copydesk reject Keep it small.");
        wait_for_hunks(&mut person, 2);
        person.window.wait_until("vim.fn.getline(4) == 'four'");
        person.window.keys("6GcwSix<Esc>");
        person.window.command("Copydesk comment Why capitals?");
        assert_eq!(person.next_notification(), "1 comment waits for the agent's next step");
        assert_eq!(drawn(&mut person), json!([[5, 1], [7, 1]]));
        person.run_turn("Go on");
        let sent = scripted.last_message(2);
        for said in [
            "`a.txt` line 2: accepted.",
            "`a.txt` line 4: rejected; the lines are as they were before. They say: Keep it small.",
            "`a.txt` line 6: not decided yet, and changed by the person; it now reads:",
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
        let scripted = environment_with_rules(
            [four_hunks(), ScriptedTurn::new().text("Done.")],
            json!({ "edit": "ask" }),
        );
        scripted.desk.write("a.txt", OLD);
        let mut person = NeovimUser::start(program, &scripted.desk);
        person.window.command("edit a.txt");
        person.run_command("Copydesk! ask Edit", json!([]));
        wait_for_hunks(&mut person, 4);
        assert_eq!(person.window.lines("a.txt"), OLD.trim_end());
        // Typing above moves the hunks, and is not lost.
        person.window.keys("ggOzero<Esc>");
        person.window.keys("]h");
        person.window.keys("gha");
        wait_for_hunks(&mut person, 3);
        person.window.keys("]h");
        person.window.keys("ghe");
        person.window.keys("cGFour, and a half<Esc>");
        person.window.command("write");
        wait_for_hunks(&mut person, 2);
        person.window.wait_until("vim.fn.bufnr('copydesk://edit') == -1");
        assert_eq!(drawn(&mut person), json!([[6, 1], [8, 1]]));
        person.window.keys("]h");
        person.window.command("Copydesk reject Six is a good number.");
        wait_for_hunks(&mut person, 1);
        person.window.keys("]h");
        person.window.keys("gha");
        person.window.wait_for_turn_end();
        let text = "zero\none\nTWO\nthree\nFour, and a half\nfive\nsix\nseven\nEIGHT\nnine";
        assert_eq!(person.window.lines("a.txt"), text);
        let (said, failed) = result(&scripted, 1, "c1");
        assert!(
            !failed && said.contains("line 7: rejected; the lines are as they were before. They say: Six"),
            "{said}"
        );
        assert!(said.contains("Four, and a half"), "{said}");
        person.window.wait_until("#require('copydesk.ask').list() == 0");
        let marks = "return #vim.api.nvim_buf_get_extmarks(vim.fn.bufnr('a.txt'), -1, 0, -1, {})";
        assert_eq!(person.window.lua(marks), 0);
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
        scripted.desk.write("a.txt", OLD);
        let mut person = NeovimUser::start(program, &scripted.desk);
        person.window.command("edit a.txt");
        person.run_turn("Edit");
        let all = json!([[1, 1], [3, 1], [5, 1], [7, 3]]);
        person.window.wait_until("vim.fn.getline('$') == 'ten' and require('copydesk.review').count() == 4");
        assert_eq!(drawn(&mut person), all);
        let last = "return require('copydesk.review.draw').all(vim.fn.bufnr('a.txt'))[4].hunk.new";
        person.window.keys("u");
        person.window.wait_until("vim.fn.getline('$') == 'nine'");
        person
            .window
            .wait_until("#require('copydesk.review.draw').all(vim.fn.bufnr('a.txt'))[4].hunk.new == 1");
        assert_eq!(drawn(&mut person), json!([[1, 1], [3, 1], [5, 1], [7, 1]]));
        person.window.keys("<C-r>");
        person
            .window
            .wait_until("#require('copydesk.review.draw').all(vim.fn.bufnr('a.txt'))[4].hunk.new == 3");
        assert_eq!(person.window.lua(last), json!(["EIGHT", "NINE", "ten"]));
        assert_eq!(drawn(&mut person), all);
        // A rejection can be undone like any other edit.
        person.window.nvim.discard_messages();
        person.window.keys("2G");
        person.window.keys("ghr");
        wait_for_hunks(&mut person, 3);
        person.window.wait_until("vim.fn.getline(2) == 'two'");
        assert_eq!(drawn(&mut person), json!([[3, 1], [5, 1], [7, 3]]));
        person.window.keys("u");
        wait_for_hunks(&mut person, 4);
        assert_eq!(drawn(&mut person), all);
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
        scripted.desk.write("a.txt", OLD);
        let mut person = NeovimUser::start(program, &scripted.desk);
        person.window.command("edit a.txt");
        person.run_command("Copydesk! ask Edit", json!([]));
        block_on(scripted.server.wait_for_gate("begun"));
        scripted.server.open_gate("begun");
        person.window.wait_for_turn_end();
        person.run_command("Copydesk! ask Edit", json!([]));
        for number in 0..20 {
            person.window.keys(&format!("ggOtyped {number}<Esc>"));
        }
        person.window.wait_for_turn_end();
        person.window.wait_until("require('copydesk.review').count() == 4");
        let is_right =
            "vim.iter(require('copydesk.review.draw').all(vim.fn.bufnr('a.txt'))):all(function(found)
            local line = vim.api.nvim_buf_get_lines(found.bufnr, found.first, found.first + 1, true)[1]
            return line == found.hunk.new[1] and found.count == 1
          end) and #require('copydesk.review.draw').all(vim.fn.bufnr('a.txt')) == 4";
        person.window.wait_until(is_right);
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
        scripted.desk.write("a.txt", "one\ntwo\nthree\n");
        let mut person = NeovimUser::start(program, &scripted.desk);
        person.window.command("edit a.txt");
        person.run_command("Copydesk review before", json!([]));
        assert_eq!(person.next_notification(), "from the next edit on: edits wait for your approval");
        person.run_command("Copydesk! ask Edit", json!([]));
        wait_for_hunks(&mut person, 1);
        assert_eq!(person.window.lines("a.txt"), "one\ntwo\nthree");
        person.window.wait_until("require('copydesk.chat.float').window()");
        person.window.command("Copydesk accept-all");
        person.window.wait_for_turn_end();
        assert_eq!(person.window.lines("a.txt"), "one\n2\nthree");
        person.run_command("Copydesk review rules", json!([]));
        person.next_notification();
        person.run_turn("Edit");
        wait_for_hunks(&mut person, 1);
        assert_eq!(person.window.lines("a.txt"), "one\n2\n3");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_was_undecided_is_there_again_in_another_neovim() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([four_hunks(), ScriptedTurn::new().text("Done.")]);
        scripted.desk.write("a.txt", OLD);
        let mut person = NeovimUser::start(program, &scripted.desk);
        person.window.command("edit a.txt");
        person.run_turn("Edit");
        wait_for_hunks(&mut person, 4);
        person.window.keys("2Ggha");
        wait_for_hunks(&mut person, 3);
        person.window.command("silent write");
        person.window.quit_with("qall!");
        let mut person = NeovimUser::start(program, &scripted.desk);
        person.window.command("edit a.txt");
        person.run_command("Copydesk sessions", json!(["Edit"]));
        wait_for_hunks(&mut person, 3);
        assert_eq!(drawn(&mut person), json!([[3, 1], [5, 1], [7, 1]]));
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
        let mut person = NeovimUser::start(program, &scripted.desk);
        person.run_turn("Write");
        person.window.wait_until("require('copydesk.review').count() > 0");
        person.window.command("edit one.txt");
        person.run_command("Copydesk reject-file", json!(["Reject them"]));
        wait_for_hunks(&mut person, 0);
        assert!(!scripted.desk.exists("one.txt"));
        person.run_turn("Write");
        person.window.wait_until("require('copydesk.review').count() > 0");
        person.window.command("edit two.txt");
        person.window.keys("Gomine<Esc>");
        person.run_command("Copydesk reject-file", json!(["Reject them", "Keep it"]));
        person.window.nvim.wait_for_message("select", |told| told["labels"][1] == "Delete it");
        assert!(scripted.desk.exists("two.txt"));
        person.run_command("Copydesk reject-file", json!(["Reject them", "Delete it"]));
        wait_for_hunks(&mut person, 0);
        assert!(!scripted.desk.exists("two.txt"));
    });
}
