//! What the list shows, where its rows lead, and that it follows what happens.

use serde_json::json;

use super::super::commands::Person;
use super::{TEXT, after_three_turns, done, edit};
use crate::model_server::Turn;
use crate::neovim::lives::wait;
use crate::neovim::window::{desk, on_each, with_rules};
use crate::sessions::tasks::{arguments, plays};

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn each_turn_has_its_files_calls_and_hunks() {
    on_each(|program| {
        let (mut person, _scripted) = after_three_turns(program);
        person.lists();
        person.window.sees("changes");
        // The latest turn is closed, and the first one opened.
        person.window.keys("gg<Tab>");
        person.on("Turn 1");
        person.window.keys("<CR>");
        person.window.sees("changes-first");
        // A hunk closes with its call, a file with all that is below it.
        person.on("1 -1 .*y$\\|1 -1 .*y  ");
        person.window.keys("za");
        assert!(person.row().contains("▸ ✓ Edited b.txt"));
        person.on("▾ a.txt");
        person.window.keys("<Tab>");
        assert!(!person.listed().contains("Edited a.txt"), "{}", person.listed());
        person.window.keys("q");
        assert_eq!(person.window.lua("return #vim.api.nvim_tabpage_list_wins(0)"), 1);
        // Opened anew it begins anew; with a number the cursor is on that turn, which is open.
        person.gives("Copydesk changes 1", json!([]));
        assert!(person.row().starts_with("▾ Turn 1  "));
        assert!(person.listed().starts_with("▾ Turn 3"), "{}", person.listed());
        person.window.keys("g?");
        person.window.sees("changes-keys");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn moving_shows_each_place_as_it_is_now_and_return_goes_there() {
    on_each(|program| {
        let (mut person, _scripted) = after_three_turns(program);
        // Nothing is undecided: places are found by their lines, which have moved.
        person.gives("Copydesk accept-all", json!([]));
        person.window.until("require('copydesk.review').count() == 0");
        person.window.keys("ggO<CR>above<CR><Esc>gg");
        person.lists();
        let shown = "return vim.api.nvim_win_call(vim.fn.win_getid(1), function()
            return { vim.fn.expand('%:t'), vim.fn.getline('.') }
          end)";
        person.on("Turn 1");
        person.window.keys("<Tab>");
        assert!(!person.listed().contains("undecided"), "{}", person.listed());
        for (row, there) in [("\\d  +2 -1 ", "3"), ("\\d  +1 -2 ", "EIGHT"), ("\\d  +1 -1 *1", "1")] {
            person.on(row);
            assert_eq!(person.window.lua(shown), json!(["a.txt", there]), "{row}");
        }
        person.on("▾ b.txt");
        assert_eq!(person.window.lua(shown), json!(["b.txt", "y"]));
        assert_eq!(person.window.lua("return vim.bo.filetype"), "copydesk-changes");
        person.window.keys("q");
        assert_eq!(person.place(), ("a.txt".into(), 1));
        person.lists();
        person.on("EIGHT");
        person.window.keys("<CR>");
        assert_eq!(person.row(), "EIGHT");
        assert_eq!(person.place().0, "a.txt");
        // What was gone to stays.
        person.window.command("2wincmd w");
        person.window.keys("q");
        assert_eq!(person.row(), "EIGHT");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_the_person_did_to_a_hunk_is_said_and_the_rest_is_accepted() {
    on_each(|program| {
        let (mut person, _scripted) = after_three_turns(program);
        person.window.command("call search('EIGHT')");
        person.window.keys("ccEight and a bit<Esc>");
        // What is accepted is what was typed at last, not on the way there.
        let hunks = "vim.inspect(require('copydesk.review.state').all())";
        person.window.until(&format!("{hunks}:find('Eight and a bit', 1, true) ~= nil"));
        person.lists();
        person.reads_in_list("undecided, changed by you");
        person.window.sees("changes-typed");
        // One hunk, then what is left of the file, then another turn.
        person.on("EIGHT");
        person.window.keys("a");
        person.reads_no_more("changed by you");
        person.window.until("require('copydesk.review').count() == 3");
        person.on("▾ a.txt");
        person.window.keys("a");
        person.window.until("require('copydesk.review').count() == 2");
        assert_eq!(person.listed().matches("undecided").count(), 1, "{}", person.listed());
        person.window.keys("a");
        assert_eq!(person.hears(), "nothing of it is undecided");
        person.on("Turn 1");
        person.window.keys("<Tab>");
        person.on("b.txt");
        person.window.keys("A");
        person.window.until("require('copydesk.review').count() == 0");
        person.reads_no_more("undecided");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_list_follows_a_turn_and_leaves_the_focus_alone() {
    on_each(|program| {
        let scripted = desk([
            edit(Turn::new(), "c1", "a.txt", "one", "1"),
            done(),
            edit(Turn::new().text("I begin").gate("begun"), "c2", "a.txt", "two", "2"),
            Turn::new().text("Half").gate("half"),
        ]);
        scripted.desk.write("a.txt", TEXT);
        let mut person = Person::at(program, &scripted.desk);
        person.window.command("edit a.txt");
        person.asks("First");
        person.lists();
        person.on("Edited a.txt");
        person.window.command("1wincmd w | normal! 5G");
        person.gives("Copydesk! ask Second", json!([]));
        wait(scripted.server.reached("begun"));
        person.reads_in_list("Turn 2  Second  no changes");
        scripted.server.open("begun");
        wait(scripted.server.reached("half"));
        person.reads_in_list("Turn 2  Second  1 file  +1 -1  1 undecided");
        assert_eq!(person.place(), ("a.txt".into(), 5));
        // The list's own cursor has stayed with its row, and the first turn open.
        let row = "return vim.api.nvim_win_call(vim.fn.win_getid(2), function() return vim.fn.line('.') end)";
        let lines = person.listed();
        let at = lines.lines().position(|line| line.contains("Turn 1")).unwrap();
        assert_eq!(person.window.lua(row), at + 3, "{lines}");
        scripted.server.open("half");
        person.window.ended();
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_edit_that_waits_is_in_the_list() {
    on_each(|program| {
        let scripted =
            with_rules([edit(Turn::new(), "c1", "a.txt", "two", "2"), done()], json!({ "edit": "ask" }));
        scripted.desk.write("a.txt", TEXT);
        let mut person = Person::at(program, &scripted.desk);
        person.window.command("edit a.txt");
        person.gives("Copydesk! ask Edit", json!([]));
        person.window.until("require('copydesk.review').count() == 1");
        person.lists();
        person.reads_in_list("waits for you");
        person.window.sees("changes-waits");
        person.on("waits for you");
        person.window.keys("a");
        person.window.ended();
        person.reads_no_more("waits for you");
        person.reads_in_list("Turn 1  Edit  1 file  +1 -1");
        assert_eq!(person.window.lines("a.txt"), TEXT.trim_end().replace("two", "2"));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_a_task_did_before_it_was_stopped_is_in_the_list() {
    on_each(|program| {
        let scripted = with_rules([], json!({ "edit": "allow" }));
        let task = Turn::new().call("c1", "task", arguments("general", "Fix"));
        plays(&scripted.server, "Go", [task]);
        let fix = edit(Turn::new(), "e1", "a.txt", "two", "2");
        plays(&scripted.server, "Fix", [fix, Turn::new().hold("fixed").text("Fixed.")]);
        scripted.desk.write("a.txt", TEXT);
        let mut person = Person::at(program, &scripted.desk);
        person.window.command("edit a.txt");
        person.gives("Copydesk! ask Go", json!([]));
        wait(scripted.server.reached("fixed"));
        person.window.until("require('copydesk.review').count() == 1");
        person.gives("Copydesk stop", json!([]));
        person.window.ended();
        wait(scripted.server.closed("fixed"));
        person.lists();
        person.reads_in_list("Turn 1  Go  1 file  +1 -1  1 undecided");
        person.on("a.txt");
        person.window.keys("u");
        assert_eq!(person.hears(), "undone: a.txt");
        assert_eq!(person.window.lines("a.txt"), TEXT.trim_end());
    });
}
