//! Inline edits in Neovim: a selection, an instruction, and the model's text as a hunk in its place.

use serde_json::json;

use super::commands::NeovimUser;
use crate::model_server::{ScriptedErrorKind, ScriptedTurn};
use crate::neovim::crashes::block_on;
use crate::neovim::neovim_session::{environment_with_rules, for_each_neovim};
use crate::sessions::harness::ScriptedEnvironment;

const TEXT: &str = "one\ntwo\nthree\nfour\n";

fn scripted_environment(turns: impl IntoIterator<Item = ScriptedTurn>) -> ScriptedEnvironment {
    let scripted = environment_with_rules(turns, json!({ "edit": "ask" }));
    scripted.env.write("a.txt", TEXT);
    scripted
}

fn wait_for_hunks(user: &mut NeovimUser, hunks: u64) {
    user.window.nvim.wait_for_message("CopydeskReview", |told| told["hunks"] == hunks);
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_is_written_grows_in_its_place_and_is_accepted_with_a_key() {
    for_each_neovim(|program| {
        let scripted = scripted_environment([ScriptedTurn::new().text("TWO\nTH").gate("half").text("REE")]);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.lua("vim.o.columns, vim.o.lines = 64, 14");
        user.window.command("edit a.txt");
        user.window.keys("2GVj");
        user.window.keys(":Copydesk edit in capitals<CR>");
        block_on(scripted.server.wait_for_gate("half"));
        wait_for_hunks(&mut user, 1);
        user.window.keys("2G");
        user.window.assert_screen("inline-growing");
        assert_eq!(user.window.lines("a.txt"), TEXT.trim_end());
        user.window.keys("gha");
        assert!(user.next_notification().contains("still writing"));
        // The user continues typing above.
        user.window.keys("ggOzero<Esc>");
        scripted.server.open_gate("half");
        user.window.wait_until(
            "vim.iter(require('copydesk.review.state').all()):all(function(one) return not one.writing end)",
        );
        user.window.keys("3G");
        user.window.assert_screen("inline-written");
        user.window.keys("gha");
        wait_for_hunks(&mut user, 0);
        assert_eq!(user.window.lines("a.txt"), "zero\none\nTWO\nTHREE\nfour");
        user.window.keys("u");
        assert_eq!(user.window.lines("a.txt"), "zero\none\ntwo\nthree\nfour");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn it_is_changed_by_a_follow_up_tried_again_and_rejected() {
    for_each_neovim(|program| {
        let says = |text: &str| ScriptedTurn::new().text(text);
        let scripted = scripted_environment([says("TWO"), says("Two"), says("2")]);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.command("edit a.txt");
        user.window.command("2Copydesk edit in capitals");
        wait_for_hunks(&mut user, 1);
        let written = |user: &mut NeovimUser, text: &str| {
            user.window.wait_until(&format!(
                "vim.iter(require('copydesk.review.state').all()):any(function(one)
                   return not one.writing and vim.tbl_values(one.hunks)[1].new[1] == '{text}'
                 end)"
            ));
        };
        written(&mut user, "TWO");
        user.window.command("2");
        user.window.command("Copydesk edit only the first letter");
        written(&mut user, "Two");
        user.window.command("Copydesk! edit");
        written(&mut user, "2");
        user.window.command("Copydesk reject");
        // Between two tries there were none for a while, too.
        user.window.wait_until("require('copydesk.review').count() == 0");
        assert_eq!(user.window.lines("a.txt"), TEXT.trim_end());
        user.window.command("Copydesk! edit");
        let said = user.next_notification();
        assert!(said.contains("no inline edit under the cursor"), "{said}");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn one_that_is_given_up_or_fails_leaves_the_text_as_it_is() {
    for_each_neovim(|program| {
        let scripted = scripted_environment([
            ScriptedTurn::new().text("TWO\n").gate("half").text("THREE"),
            ScriptedTurn::new().text("x").error(ScriptedErrorKind::Invalid, "no such thing"),
        ]);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.command("edit a.txt");
        user.window.command("2,3Copydesk edit in capitals");
        block_on(scripted.server.wait_for_gate("half"));
        wait_for_hunks(&mut user, 1);
        user.window.command("2");
        user.window.command("Copydesk reject");
        block_on(scripted.server.wait_for_hangup("half"));
        wait_for_hunks(&mut user, 0);
        user.window.command("2,3Copydesk edit in capitals");
        assert!(user.next_notification().contains("no such thing"));
        assert_eq!(user.window.lines("a.txt"), TEXT.trim_end());
        let marks = "return #vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace('copydesk.inline'), 0, -1, {})";
        assert_eq!(user.window.lua(marks), 0, "nothing says that something is being written");
    });
}

/// The daemon may tell that an edit has failed before it answers the request that started it.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn no_mark_stays_of_one_that_ended_before_its_start_was_answered() {
    for_each_neovim(|program| {
        let scripted = scripted_environment([ScriptedTurn::new().gate("late").text("TWO")]);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.command("edit a.txt");
        user.window.lua(
            "local client = require('copydesk.client')
             local ask = client.await_request
             client.await_request = function(method, params)
               local problem, result = ask(method, params)
               if result and result.review then
                 require('copydesk.inline').ended(result.review, 'it failed')
                 vim.schedule(function() T.tell('started', {}) end)
               end
               return problem, result
             end",
        );
        user.window.command("2,3Copydesk edit in capitals");
        assert_eq!(user.next_notification(), "it failed");
        user.window.nvim.wait_for_message("started", |_| true);
        block_on(scripted.server.wait_for_gate("late"));
        let marks = "return #vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace('copydesk.inline'), 0, -1, {})";
        assert_eq!(user.window.lua(marks), 0);
        scripted.server.open_gate("late");
        wait_for_hunks(&mut user, 1);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_second_edit_of_the_same_lines_refines_the_first() {
    for_each_neovim(|program| {
        let scripted = scripted_environment([
            ScriptedTurn::new().gate("first").text("TWO\nTHREE"),
            ScriptedTurn::new().text("Two\nThree"),
            ScriptedTurn::new().text("2\n3"),
        ]);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.command("edit a.txt");
        // Before the first has written anything, and after.
        user.window.command("2,3Copydesk edit in capitals");
        block_on(scripted.server.wait_for_gate("first"));
        user.window.command("2,3Copydesk edit only the first letters");
        block_on(scripted.server.wait_for_hangup("first"));
        let written = |user: &mut NeovimUser, text: &str| {
            user.window.wait_until(&format!(
                "vim.iter(require('copydesk.review.state').all()):any(function(one)
                   return not one.writing and (vim.tbl_values(one.hunks)[1] or {{ new = {{}} }}).new[1] == '{text}'
                 end)"
            ));
        };
        written(&mut user, "Two");
        user.window.command("2,3Copydesk edit as numbers");
        written(&mut user, "2");
        assert_eq!(user.window.lua("return #require('copydesk.review.state').all()"), 1);
        user.window.command("2 | Copydesk accept");
        user.window.wait_until("require('copydesk.review').count() == 0");
        assert_eq!(user.window.lines("a.txt"), "one\n2\n3\nfour");
    });
}
