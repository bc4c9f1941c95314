//! What the list shows, where its rows lead, and that it follows events.

use serde_json::json;

use super::super::commands::NeovimUser;
use super::{TEXT, after_three_turns, done, edit};
use crate::model_server::ScriptedTurn;
use crate::neovim::crashes::block_on;
use crate::neovim::neovim_session::{allow_edits_environment, environment_with_rules, for_each_neovim};
use crate::sessions::tasks::{arguments, script_session};

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn each_turn_has_its_files_calls_and_hunks() {
    for_each_neovim(|program| {
        let (mut user, _scripted) = after_three_turns(program);
        user.open_list();
        user.window.assert_screen("changes");
        // Close the latest turn, and open the first one.
        user.window.keys("gg<Tab>");
        user.move_to_row("Turn 1");
        user.window.keys("<CR>");
        user.window.assert_screen("changes-first");
        // A hunk closes its call, a file closes everything below it.
        user.move_to_row("1 -1 .*y$\\|1 -1 .*y  ");
        user.window.keys("za");
        assert!(user.row().contains("▸ ✓ Edited b.txt"));
        user.move_to_row("▾ a.txt");
        user.window.keys("<Tab>");
        assert!(!user.list_text().contains("Edited a.txt"), "{}", user.list_text());
        user.window.keys("q");
        assert_eq!(user.window.lua("return #vim.api.nvim_tabpage_list_wins(0)"), 1);
        // A reopened list starts afresh; with a number the cursor is on that turn, which is open.
        user.run_command("Copydesk changes 1", json!([]));
        assert!(user.row().starts_with("▾ Turn 1  "));
        assert!(user.list_text().starts_with("▾ Turn 3"), "{}", user.list_text());
        user.window.keys("g?");
        user.window.assert_screen("changes-keys");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn moving_shows_each_place_as_it_is_now_and_return_goes_there() {
    for_each_neovim(|program| {
        let (mut user, _scripted) = after_three_turns(program);
        // Nothing is undecided: places are found by their lines, which have moved.
        user.run_command("Copydesk accept-all", json!([]));
        user.window.wait_until("require('copydesk.review').count() == 0");
        user.window.keys("ggO<CR>above<CR><Esc>gg");
        user.open_list();
        let shown = "return vim.api.nvim_win_call(vim.fn.win_getid(1), function()
            return { vim.fn.expand('%:t'), vim.fn.getline('.') }
          end)";
        user.move_to_row("Turn 1");
        user.window.keys("<Tab>");
        assert!(!user.list_text().contains("undecided"), "{}", user.list_text());
        for (row, there) in [("\\d  +2 -1 ", "3"), ("\\d  +1 -2 ", "EIGHT"), ("\\d  +1 -1 *1", "1")] {
            user.move_to_row(row);
            assert_eq!(user.window.lua(shown), json!(["a.txt", there]), "{row}");
        }
        user.move_to_row("▾ b.txt");
        assert_eq!(user.window.lua(shown), json!(["b.txt", "y"]));
        assert_eq!(user.window.lua("return vim.bo.filetype"), "copydesk-changes");
        user.window.keys("q");
        assert_eq!(user.cursor_position(), ("a.txt".into(), 1));
        user.open_list();
        user.move_to_row("EIGHT");
        user.window.keys("<CR>");
        assert_eq!(user.row(), "EIGHT");
        assert_eq!(user.cursor_position().0, "a.txt");
        // A place that the user went to stays.
        user.window.command("2wincmd w");
        user.window.keys("q");
        assert_eq!(user.row(), "EIGHT");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_the_user_did_to_a_hunk_is_said_and_the_rest_is_accepted() {
    for_each_neovim(|program| {
        let (mut user, _scripted) = after_three_turns(program);
        user.window.command("call search('EIGHT')");
        user.window.keys("ccEight and a bit<Esc>");
        // The text accepted is the final one, not an intermediate one.
        let hunks = "vim.inspect(require('copydesk.review.state').all())";
        user.window.wait_until(&format!("{hunks}:find('Eight and a bit', 1, true) ~= nil"));
        user.open_list();
        user.wait_for_list_text("undecided, changed by you");
        user.window.assert_screen("changes-typed");
        // One hunk, then the rest of the file, then another turn.
        user.move_to_row("EIGHT");
        user.window.keys("a");
        user.wait_until_list_lacks("changed by you");
        user.window.wait_until("require('copydesk.review').count() == 3");
        user.move_to_row("▾ a.txt");
        user.window.keys("a");
        user.window.wait_until("require('copydesk.review').count() == 2");
        assert_eq!(user.list_text().matches("undecided").count(), 1, "{}", user.list_text());
        user.window.keys("a");
        assert_eq!(user.next_notification(), "nothing in it is undecided");
        user.move_to_row("Turn 1");
        user.window.keys("<Tab>");
        user.move_to_row("b.txt");
        user.window.keys("A");
        user.window.wait_until("require('copydesk.review').count() == 0");
        user.wait_until_list_lacks("undecided");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_list_follows_a_turn_and_leaves_the_focus_alone() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([
            edit(ScriptedTurn::new(), "c1", "a.txt", "one", "1"),
            done(),
            edit(ScriptedTurn::new().text("I begin").gate("begun"), "c2", "a.txt", "two", "2"),
            ScriptedTurn::new().text("Half").gate("half"),
        ]);
        scripted.env.write("a.txt", TEXT);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.command("edit a.txt");
        user.run_turn("First");
        user.open_list();
        user.move_to_row("Edited a.txt");
        user.window.command("1wincmd w | normal! 5G");
        user.run_command("Copydesk! ask Second", json!([]));
        block_on(scripted.server.wait_for_gate("begun"));
        user.wait_for_list_text("Turn 2  Second  no changes");
        scripted.server.open_gate("begun");
        block_on(scripted.server.wait_for_gate("half"));
        user.wait_for_list_text("Turn 2  Second  1 file  +1 -1  1 undecided");
        assert_eq!(user.cursor_position(), ("a.txt".into(), 5));
        // The list's cursor has stayed on its row, and the first turn open.
        let row = "return vim.api.nvim_win_call(vim.fn.win_getid(2), function() return vim.fn.line('.') end)";
        let lines = user.list_text();
        let at = lines.lines().position(|line| line.contains("Turn 1")).unwrap();
        assert_eq!(user.window.lua(row), at + 3, "{lines}");
        scripted.server.open_gate("half");
        user.window.wait_for_turn_end();
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_edit_that_waits_is_in_the_list() {
    for_each_neovim(|program| {
        let scripted = environment_with_rules(
            [edit(ScriptedTurn::new(), "c1", "a.txt", "two", "2"), done()],
            json!({ "edit": "ask" }),
        );
        scripted.env.write("a.txt", TEXT);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.command("edit a.txt");
        user.run_command("Copydesk! ask Edit", json!([]));
        user.window.wait_until("require('copydesk.review').count() == 1");
        user.open_list();
        user.wait_for_list_text("waits for you");
        user.window.assert_screen("changes-waits");
        user.move_to_row("waits for you");
        user.window.keys("a");
        user.window.wait_for_turn_end();
        user.wait_until_list_lacks("waits for you");
        user.wait_for_list_text("Turn 1  Edit  1 file  +1 -1");
        assert_eq!(user.window.lines("a.txt"), TEXT.trim_end().replace("two", "2"));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_a_task_did_before_it_was_stopped_is_in_the_list() {
    for_each_neovim(|program| {
        let scripted = environment_with_rules([], json!({ "edit": "allow" }));
        let task = ScriptedTurn::new().call("c1", "task", arguments("general", "Fix"));
        script_session(&scripted.server, "Go", [task]);
        let fix = edit(ScriptedTurn::new(), "e1", "a.txt", "two", "2");
        script_session(
            &scripted.server,
            "Fix",
            [fix, ScriptedTurn::new().gate_before_response("fixed").text("Fixed.")],
        );
        scripted.env.write("a.txt", TEXT);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.command("edit a.txt");
        user.run_command("Copydesk! ask Go", json!([]));
        block_on(scripted.server.wait_for_gate("fixed"));
        user.window.wait_until("require('copydesk.review').count() == 1");
        user.run_command("Copydesk stop", json!([]));
        user.window.wait_for_turn_end();
        block_on(scripted.server.wait_for_hangup("fixed"));
        user.open_list();
        user.wait_for_list_text("Turn 1  Go  1 file  +1 -1  1 undecided");
        user.move_to_row("a.txt");
        user.window.keys("u");
        assert_eq!(user.next_notification(), "undone: a.txt");
        assert_eq!(user.window.lines("a.txt"), TEXT.trim_end());
    });
}
