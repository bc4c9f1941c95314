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
        let (mut person, _scripted) = after_three_turns(program);
        person.open_list();
        person.window.assert_screen("changes");
        // Close the latest turn, and open the first one.
        person.window.keys("gg<Tab>");
        person.move_to_row("Turn 1");
        person.window.keys("<CR>");
        person.window.assert_screen("changes-first");
        // A hunk closes its call, a file closes everything below it.
        person.move_to_row("1 -1 .*y$\\|1 -1 .*y  ");
        person.window.keys("za");
        assert!(person.row().contains("▸ ✓ Edited b.txt"));
        person.move_to_row("▾ a.txt");
        person.window.keys("<Tab>");
        assert!(!person.list_text().contains("Edited a.txt"), "{}", person.list_text());
        person.window.keys("q");
        assert_eq!(person.window.lua("return #vim.api.nvim_tabpage_list_wins(0)"), 1);
        // A reopened list starts afresh; with a number the cursor is on that turn, which is open.
        person.run_command("Copydesk changes 1", json!([]));
        assert!(person.row().starts_with("▾ Turn 1  "));
        assert!(person.list_text().starts_with("▾ Turn 3"), "{}", person.list_text());
        person.window.keys("g?");
        person.window.assert_screen("changes-keys");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn moving_shows_each_place_as_it_is_now_and_return_goes_there() {
    for_each_neovim(|program| {
        let (mut person, _scripted) = after_three_turns(program);
        // Nothing is undecided: places are found by their lines, which have moved.
        person.run_command("Copydesk accept-all", json!([]));
        person.window.wait_until("require('copydesk.review').count() == 0");
        person.window.keys("ggO<CR>above<CR><Esc>gg");
        person.open_list();
        let shown = "return vim.api.nvim_win_call(vim.fn.win_getid(1), function()
            return { vim.fn.expand('%:t'), vim.fn.getline('.') }
          end)";
        person.move_to_row("Turn 1");
        person.window.keys("<Tab>");
        assert!(!person.list_text().contains("undecided"), "{}", person.list_text());
        for (row, there) in [("\\d  +2 -1 ", "3"), ("\\d  +1 -2 ", "EIGHT"), ("\\d  +1 -1 *1", "1")] {
            person.move_to_row(row);
            assert_eq!(person.window.lua(shown), json!(["a.txt", there]), "{row}");
        }
        person.move_to_row("▾ b.txt");
        assert_eq!(person.window.lua(shown), json!(["b.txt", "y"]));
        assert_eq!(person.window.lua("return vim.bo.filetype"), "copydesk-changes");
        person.window.keys("q");
        assert_eq!(person.cursor_position(), ("a.txt".into(), 1));
        person.open_list();
        person.move_to_row("EIGHT");
        person.window.keys("<CR>");
        assert_eq!(person.row(), "EIGHT");
        assert_eq!(person.cursor_position().0, "a.txt");
        // A place that the user went to stays.
        person.window.command("2wincmd w");
        person.window.keys("q");
        assert_eq!(person.row(), "EIGHT");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_the_person_did_to_a_hunk_is_said_and_the_rest_is_accepted() {
    for_each_neovim(|program| {
        let (mut person, _scripted) = after_three_turns(program);
        person.window.command("call search('EIGHT')");
        person.window.keys("ccEight and a bit<Esc>");
        // The text accepted is the final one, not an intermediate one.
        let hunks = "vim.inspect(require('copydesk.review.state').all())";
        person.window.wait_until(&format!("{hunks}:find('Eight and a bit', 1, true) ~= nil"));
        person.open_list();
        person.wait_for_list_text("undecided, changed by you");
        person.window.assert_screen("changes-typed");
        // One hunk, then the rest of the file, then another turn.
        person.move_to_row("EIGHT");
        person.window.keys("a");
        person.wait_until_list_lacks("changed by you");
        person.window.wait_until("require('copydesk.review').count() == 3");
        person.move_to_row("▾ a.txt");
        person.window.keys("a");
        person.window.wait_until("require('copydesk.review').count() == 2");
        assert_eq!(person.list_text().matches("undecided").count(), 1, "{}", person.list_text());
        person.window.keys("a");
        assert_eq!(person.next_notification(), "nothing in it is undecided");
        person.move_to_row("Turn 1");
        person.window.keys("<Tab>");
        person.move_to_row("b.txt");
        person.window.keys("A");
        person.window.wait_until("require('copydesk.review').count() == 0");
        person.wait_until_list_lacks("undecided");
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
        scripted.desk.write("a.txt", TEXT);
        let mut person = NeovimUser::start(program, &scripted.desk);
        person.window.command("edit a.txt");
        person.run_turn("First");
        person.open_list();
        person.move_to_row("Edited a.txt");
        person.window.command("1wincmd w | normal! 5G");
        person.run_command("Copydesk! ask Second", json!([]));
        block_on(scripted.server.wait_for_gate("begun"));
        person.wait_for_list_text("Turn 2  Second  no changes");
        scripted.server.open_gate("begun");
        block_on(scripted.server.wait_for_gate("half"));
        person.wait_for_list_text("Turn 2  Second  1 file  +1 -1  1 undecided");
        assert_eq!(person.cursor_position(), ("a.txt".into(), 5));
        // The list's cursor has stayed on its row, and the first turn open.
        let row = "return vim.api.nvim_win_call(vim.fn.win_getid(2), function() return vim.fn.line('.') end)";
        let lines = person.list_text();
        let at = lines.lines().position(|line| line.contains("Turn 1")).unwrap();
        assert_eq!(person.window.lua(row), at + 3, "{lines}");
        scripted.server.open_gate("half");
        person.window.wait_for_turn_end();
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
        scripted.desk.write("a.txt", TEXT);
        let mut person = NeovimUser::start(program, &scripted.desk);
        person.window.command("edit a.txt");
        person.run_command("Copydesk! ask Edit", json!([]));
        person.window.wait_until("require('copydesk.review').count() == 1");
        person.open_list();
        person.wait_for_list_text("waits for you");
        person.window.assert_screen("changes-waits");
        person.move_to_row("waits for you");
        person.window.keys("a");
        person.window.wait_for_turn_end();
        person.wait_until_list_lacks("waits for you");
        person.wait_for_list_text("Turn 1  Edit  1 file  +1 -1");
        assert_eq!(person.window.lines("a.txt"), TEXT.trim_end().replace("two", "2"));
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
        scripted.desk.write("a.txt", TEXT);
        let mut person = NeovimUser::start(program, &scripted.desk);
        person.window.command("edit a.txt");
        person.run_command("Copydesk! ask Go", json!([]));
        block_on(scripted.server.wait_for_gate("fixed"));
        person.window.wait_until("require('copydesk.review').count() == 1");
        person.run_command("Copydesk stop", json!([]));
        person.window.wait_for_turn_end();
        block_on(scripted.server.wait_for_hangup("fixed"));
        person.open_list();
        person.wait_for_list_text("Turn 1  Go  1 file  +1 -1  1 undecided");
        person.move_to_row("a.txt");
        person.window.keys("u");
        assert_eq!(person.next_notification(), "undone: a.txt");
        assert_eq!(person.window.lines("a.txt"), TEXT.trim_end());
    });
}
