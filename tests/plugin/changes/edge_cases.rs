//! Sessions without changes, long ones, deleted ones; deleted files; invalid parts; other tab pages.

use std::fs;

use serde_json::json;

use super::super::commands::NeovimUser;
use super::{TEXT, after_three_turns, done, edit};
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::{allow_edits_environment, for_each_neovim};

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn where_there_is_nothing_to_list_it_is_said() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([ScriptedTurn::new().text("Just talk.")]);
        let mut person = NeovimUser::start(program, &scripted.desk);
        person.open_list();
        assert_eq!(person.next_notification(), "there is no session; `:Copydesk sessions` opens one");
        person.run_command("Copydesk changes now", json!([]));
        assert_eq!(person.next_notification(), "`changes` takes a turn number, not `now`");
        person.run_turn("Talk");
        person.run_command("Copydesk changes 9", json!([]));
        assert_eq!(person.next_notification(), "the session has no turn 9");
        person.run_command("Copydesk changes 0", json!([]));
        assert_eq!(person.next_notification(), "the session has no turn 0");
        assert_eq!(person.window.lua("return #vim.api.nvim_tabpage_list_wins(0)"), 1);
        person.open_list();
        assert_eq!(person.list_text(), "  Turn 1  Talk  no changes");
        for keys in ["<CR>", "<Tab>"] {
            person.window.keys(keys);
        }
        person.window.keys("u");
        assert_eq!(person.next_notification(), "there is nothing to undo");
        person.window.keys("r");
        assert_eq!(person.next_notification(), "there is nothing to redo");
        person.window.keys("a");
        assert_eq!(person.next_notification(), "nothing in it is undecided");
        // Another session, and then none.
        person.run_command("Copydesk new", json!([]));
        person.wait_for_list_text("The session is empty.");
        person.run_command("Copydesk sessions delete Talk", json!(["Talk", "Delete it"]));
        assert_eq!(person.next_notification(), "deleted “Talk”");
        assert_eq!(person.list_text(), "The session is empty.");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_session_that_is_deleted_leaves_an_empty_list() {
    for_each_neovim(|program| {
        let (mut person, _scripted) = after_three_turns(program);
        person.open_list();
        person.run_command("Copydesk sessions delete", json!(["Number", "Delete it"]));
        person.wait_for_list_text("No session is open.");
        assert!(person.next_notification().starts_with("deleted “Number the lines"));
        for keys in ["u", "r", "a", "A", "<CR>", "<Tab>"] {
            person.window.keys(keys);
        }
        person.window.keys("q");
        assert_eq!(person.cursor_position().0, "a.txt");
        assert_eq!(person.window.lua("return #T.said"), 1);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_that_went_and_parts_that_make_no_sense_are_passed_over() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([edit(ScriptedTurn::new(), "c1", "b.txt", "x", "y"), done()]);
        scripted.desk.write("a.txt", TEXT);
        scripted.desk.write("b.txt", "x\n");
        let mut person = NeovimUser::start(program, &scripted.desk);
        person.window.command("edit a.txt");
        person.run_turn("Edit");
        person.run_command("Copydesk accept-all", json!([]));
        person.window.wait_until("require('copydesk.review').count() == 0");
        fs::remove_file(scripted.desk.path("b.txt")).unwrap();
        person.open_list();
        person.move_to_row("▾ b.txt");
        person.window.keys("<CR>");
        assert_eq!(person.next_notification(), "`b.txt` no longer exists");
        assert_eq!(person.window.lua("return vim.bo.filetype"), "copydesk-changes");
        person.window.keys("u");
        assert!(person.next_notification().starts_with("no longer there: b.txt"));
        assert!(!person.list_text().contains("undone"), "{}", person.list_text());
        // As no daemon sends it.
        let odd = "local view = require('copydesk.session').current()
            for _, part in ipairs(view.parts) do
              if part.content.kind == 'call' then
                part.content.output.metadata = vim.json.decode(...)
              end
            end
            vim.cmd('Copydesk changes')
            return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '|')";
        let none = "  Turn 1  Edit  no changes";
        for (metadata, listed) in [
            ("null", none),
            ("7", none),
            ("{}", none),
            (r#"{"filepath": "/b", "diff": null}"#, none),
            (r#"{"filepath": 5, "diff": "x"}"#, none),
            (r#"{"filepath": "/b", "diff": 7, "additions": 2}"#, "▾ Turn 1  Edit  1 file  +2|  ▾ /b  +2|"),
            (
                r#"{"filepath": "/b", "diff": "@@ nonsense\n+a\n-b", "additions": "x"}"#,
                "▾ Turn 1  Edit  1 file|  ▾ /b|",
            ),
            (
                r#"{"filepath": "/b\nc", "diff": "--- /dev/null\n+++ b/b\n@@ -0,0 +1,9 @@\n+a\u0000b\n"}"#,
                "▾ Turn 1  Edit  1 file|  ▾ /b c  new file|",
            ),
        ] {
            person.window.command("silent! bwipeout copydesk://changes");
            let lines = person.window.nvim.lua(odd, json!([metadata]));
            let lines = lines.as_str().unwrap();
            assert!(lines.starts_with(listed), "{metadata}: {lines}");
            person.window.keys("GG");
            person.window.screen();
        }
        assert_eq!(person.window.lua("return #T.said"), 2);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn earlier_turns_are_loaded_when_they_are_asked_for() {
    for_each_neovim(|program| {
        let turns: Vec<ScriptedTurn> = (1..=6)
            .flat_map(|number: u32| {
                let (old, new) = (format!("<{}>", number - 1), format!("<{number}>"));
                [edit(ScriptedTurn::new(), "c", "a.txt", &old, &new), done()]
            })
            .collect();
        let scripted = allow_edits_environment(turns);
        scripted.desk.write("a.txt", "<0>\n");
        let mut person = NeovimUser::start(program, &scripted.desk);
        for number in 1..=6 {
            person.run_turn(&format!("Turn it to {number}"));
        }
        person.window.quit_with("qall!");
        let page = json!({ "chat": { "page": 16 } });
        let mut person = NeovimUser::start_with(program, &scripted.desk, page);
        person.run_command("Copydesk sessions", json!(["Turn it"]));
        person.window.wait_until("require('copydesk.session').current()");
        person.open_list();
        let first = person.list_text();
        assert!(first.starts_with("▾ Turn 6") && first.ends_with("… earlier turns"), "{first}");
        assert!(!first.contains("Turn 2"), "{first}");
        person.window.keys("G<CR>");
        person.wait_for_list_text("Turn 3");
        person.window.keys("gg");
        person.run_command("Copydesk changes 1", json!([]));
        person.wait_for_list_text("▾ Turn 1  Turn it to 1");
        person.window.wait_until("vim.fn.getline('.'):find('Turn 1', 1, true)");
        assert!(!person.list_text().contains("earlier turns"), "{}", person.list_text());
        // An undo from before survives a reload.
        person.window.keys("u");
        assert!(person.next_notification().contains("a.txt"));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn every_tab_page_has_a_list_of_its_own() {
    for_each_neovim(|program| {
        let (mut person, _scripted) = after_three_turns(program);
        person.open_list();
        person.move_to_row("EIGHT");
        person.window.command("tab split b.txt");
        person.open_list();
        assert_eq!(person.window.lua("return { vim.fn.tabpagenr(), vim.fn.winnr('$') }"), json!([2, 2]));
        person.move_to_row("three and a half\\|+2 -1    3");
        person.window.keys("u");
        person.next_notification();
        person.window.keys("q");
        assert_eq!(person.window.lua("return { vim.fn.tabpagenr(), vim.fn.winnr('$') }"), json!([2, 1]));
        assert_eq!(person.cursor_position().0, "b.txt");
        // The other one is unchanged, and so is its document window.
        person.window.command("tabprevious");
        assert!(person.row().contains("EIGHT"));
        person.window.keys("q");
        assert_eq!(person.cursor_position().0, "a.txt");
        assert_eq!(person.window.lua("return #vim.fn.win_findbuf(vim.fn.bufnr('a.txt'))"), 1);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn from_the_command_line_window_and_a_float_nothing_breaks() {
    for_each_neovim(|program| {
        let scripted =
            allow_edits_environment([edit(ScriptedTurn::new(), "c1", "a.txt", "one", "1"), done()]);
        scripted.desk.write("a.txt", TEXT);
        let setup = json!({ "chat": { "position": "float" } });
        let mut person = NeovimUser::start_with(program, &scripted.desk, setup);
        person.window.command("edit a.txt");
        person.run_turn("Edit");
        person.window.command("Copydesk chat");
        person.window.command("wincmd w");
        person.window.command("Copydesk changes");
        assert_eq!(person.window.lua("return vim.bo.filetype"), "copydesk-changes");
        person.move_to_row("+1 -1    1");
        person.window.keys("<CR>");
        assert_eq!(person.cursor_position(), ("a.txt".into(), 1));
        person.window.lua("vim.api.nvim_feedkeys('q:', 'n', false)");
        person.window.wait_until("vim.fn.getcmdwintype() == ':'");
        person.window.command("Copydesk changes");
        assert!(person.next_notification().starts_with("cannot open a window from the command-line window"));
    });
}

/// Each hunk as its line, the new lines and the old ones.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn diffs_are_read_whatever_is_in_them() {
    let cases = [
        (json!(""), json!([])),
        (json!(7), json!([])),
        (json!("+a\n-b\n"), json!([])),
        (json!("@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n"), json!([[2, ["c"], ["b"]]])),
        (json!("@@ -1 +1 @@\r\n-b\r\n+c\r\n"), json!([[1, ["c"], ["b"]]])),
        (
            json!(
                "@@ -1,5 +1,4 @@\n a\n-b\n c\n-d\n+e\n f\n@@ -9 +8,2 @@\n x\n+y\n\\ No newline at end of file\n"
            ),
            json!([[2, [], ["b"]], [3, ["e"], ["d"]], [9, ["y"], []]]),
        ),
        // Lines that look like a diff header, and a text that becomes empty.
        (
            json!("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a\n-- b\n+++ c\n+@@ -1 +1 @@\n"),
            json!([[1, ["++ c", "@@ -1 +1 @@"], ["-- a", "- b"]]]),
        ),
        (json!("@@ -1,2 +0,0 @@\n-a\n-b\n"), json!([[1, [], ["a", "b"]]])),
        // A truncated diff.
        (json!("@@ -1,9 +1,9 @@\n-a\n… more\n@@ -20 +20 @@\n-b\n"), json!([[1, [], ["a"]], [20, [], ["b"]]])),
    ];
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let mut person = NeovimUser::start(program, &scripted.desk);
        for (diff, hunks) in &cases {
            let read = "return vim.json.decode(vim.json.encode(vim.tbl_map(function(hunk)
                return { hunk.line, #hunk.added > 0 and hunk.added or vim.NIL, #hunk.removed > 0 and hunk.removed or vim.NIL }
              end, (require('copydesk.changes.diff').read(...)))))";
            let found = person.window.nvim.lua(read, json!([diff]));
            let text = found.to_string().replace("null", "[]").replace("{}", "[]");
            assert_eq!(text, hunks.to_string(), "{diff}");
        }
    });
}
