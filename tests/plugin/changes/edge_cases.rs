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
        let mut user = NeovimUser::start(program, &scripted.env);
        user.open_list();
        assert_eq!(user.next_notification(), "there is no session; `:Copydesk sessions` opens one");
        user.run_command("Copydesk changes now", json!([]));
        assert_eq!(user.next_notification(), "`changes` takes a turn number, not `now`");
        user.run_turn("Talk");
        user.run_command("Copydesk changes 9", json!([]));
        assert_eq!(user.next_notification(), "the session has no turn 9");
        user.run_command("Copydesk changes 0", json!([]));
        assert_eq!(user.next_notification(), "the session has no turn 0");
        assert_eq!(user.window.lua("return #vim.api.nvim_tabpage_list_wins(0)"), 1);
        user.open_list();
        assert_eq!(user.list_text(), "  Turn 1  Talk  no changes");
        for keys in ["<CR>", "<Tab>"] {
            user.window.keys(keys);
        }
        user.window.keys("u");
        assert_eq!(user.next_notification(), "there is nothing to undo");
        user.window.keys("r");
        assert_eq!(user.next_notification(), "there is nothing to redo");
        user.window.keys("a");
        assert_eq!(user.next_notification(), "nothing in it is undecided");
        // Another session, and then none.
        user.run_command("Copydesk new", json!([]));
        user.wait_for_list_text("The session is empty.");
        user.run_command("Copydesk sessions delete Talk", json!(["Talk", "Delete it"]));
        assert_eq!(user.next_notification(), "deleted “Talk”");
        assert_eq!(user.list_text(), "The session is empty.");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_session_that_is_deleted_leaves_an_empty_list() {
    for_each_neovim(|program| {
        let (mut user, _scripted) = after_three_turns(program);
        user.open_list();
        user.run_command("Copydesk sessions delete", json!(["Number", "Delete it"]));
        user.wait_for_list_text("No session is open.");
        assert!(user.next_notification().starts_with("deleted “Number the lines"));
        for keys in ["u", "r", "a", "A", "<CR>", "<Tab>"] {
            user.window.keys(keys);
        }
        user.window.keys("q");
        assert_eq!(user.cursor_position().0, "a.txt");
        assert_eq!(user.window.lua("return #T.said"), 1);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_that_went_and_parts_that_make_no_sense_are_passed_over() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([edit(ScriptedTurn::new(), "c1", "b.txt", "x", "y"), done()]);
        scripted.env.write("a.txt", TEXT);
        scripted.env.write("b.txt", "x\n");
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.command("edit a.txt");
        user.run_turn("Edit");
        user.run_command("Copydesk accept-all", json!([]));
        user.window.wait_until("require('copydesk.review').count() == 0");
        fs::remove_file(scripted.env.path("b.txt")).unwrap();
        user.open_list();
        user.move_to_row("▾ b.txt");
        user.window.keys("<CR>");
        assert_eq!(user.next_notification(), "`b.txt` no longer exists");
        assert_eq!(user.window.lua("return vim.bo.filetype"), "copydesk-changes");
        user.window.keys("u");
        assert!(user.next_notification().starts_with("no longer there: b.txt"));
        assert!(!user.list_text().contains("undone"), "{}", user.list_text());
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
            user.window.command("silent! bwipeout copydesk://changes");
            let lines = user.window.nvim.lua(odd, json!([metadata]));
            let lines = lines.as_str().unwrap();
            assert!(lines.starts_with(listed), "{metadata}: {lines}");
            user.window.keys("GG");
            user.window.screen();
        }
        assert_eq!(user.window.lua("return #T.said"), 2);
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
        scripted.env.write("a.txt", "<0>\n");
        let mut user = NeovimUser::start(program, &scripted.env);
        for number in 1..=6 {
            user.run_turn(&format!("Turn it to {number}"));
        }
        user.window.quit_with("qall!");
        let page = json!({ "chat": { "page": 16 } });
        let mut user = NeovimUser::start_with(program, &scripted.env, page);
        // What waits is told once there is a connection, unless the user has opened it by then.
        user.window.connect();
        assert!(user.next_notification().contains("has 1 undecided hunk"));
        user.run_command("Copydesk sessions", json!(["Turn it"]));
        user.window.wait_until("require('copydesk.session').current()");
        user.open_list();
        let first = user.list_text();
        assert!(first.starts_with("▾ Turn 6") && first.ends_with("… earlier turns"), "{first}");
        assert!(!first.contains("Turn 2"), "{first}");
        user.window.keys("G<CR>");
        user.wait_for_list_text("Turn 3");
        user.window.keys("gg");
        user.run_command("Copydesk changes 1", json!([]));
        user.wait_for_list_text("▾ Turn 1  Turn it to 1");
        user.window.wait_until("vim.fn.getline('.'):find('Turn 1', 1, true)");
        assert!(!user.list_text().contains("earlier turns"), "{}", user.list_text());
        // An undo from before survives a reload.
        user.window.keys("u");
        assert!(user.next_notification().contains("a.txt"));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn every_tab_page_has_a_list_of_its_own() {
    for_each_neovim(|program| {
        let (mut user, _scripted) = after_three_turns(program);
        user.open_list();
        user.move_to_row("EIGHT");
        user.window.command("tab split b.txt");
        user.open_list();
        assert_eq!(user.window.lua("return { vim.fn.tabpagenr(), vim.fn.winnr('$') }"), json!([2, 2]));
        user.move_to_row("three and a half\\|+2 -1    3");
        user.window.keys("u");
        user.next_notification();
        user.window.keys("q");
        assert_eq!(user.window.lua("return { vim.fn.tabpagenr(), vim.fn.winnr('$') }"), json!([2, 1]));
        assert_eq!(user.cursor_position().0, "b.txt");
        // The other one is unchanged, and so is its document window.
        user.window.command("tabprevious");
        assert!(user.row().contains("EIGHT"));
        user.window.keys("q");
        assert_eq!(user.cursor_position().0, "a.txt");
        assert_eq!(user.window.lua("return #vim.fn.win_findbuf(vim.fn.bufnr('a.txt'))"), 1);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn from_the_command_line_window_and_a_float_nothing_breaks() {
    for_each_neovim(|program| {
        let scripted =
            allow_edits_environment([edit(ScriptedTurn::new(), "c1", "a.txt", "one", "1"), done()]);
        scripted.env.write("a.txt", TEXT);
        let setup = json!({ "chat": { "position": "float" } });
        let mut user = NeovimUser::start_with(program, &scripted.env, setup);
        user.window.command("edit a.txt");
        user.run_turn("Edit");
        user.window.command("Copydesk chat");
        user.window.command("wincmd w");
        user.window.command("Copydesk changes");
        assert_eq!(user.window.lua("return vim.bo.filetype"), "copydesk-changes");
        user.move_to_row("+1 -1    1");
        user.window.keys("<CR>");
        assert_eq!(user.cursor_position(), ("a.txt".into(), 1));
        user.window.lua("vim.api.nvim_feedkeys('q:', 'n', false)");
        user.window.wait_until("vim.fn.getcmdwintype() == ':'");
        user.window.command("Copydesk changes");
        assert!(user.next_notification().starts_with("cannot open a window from the command-line window"));
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
        let mut user = NeovimUser::start(program, &scripted.env);
        for (diff, hunks) in &cases {
            let read = "return vim.json.decode(vim.json.encode(vim.tbl_map(function(hunk)
                return { hunk.line, #hunk.added > 0 and hunk.added or vim.NIL, #hunk.removed > 0 and hunk.removed or vim.NIL }
              end, (require('copydesk.changes.diff').read(...)))))";
            let found = user.window.nvim.lua(read, json!([diff]));
            let text = found.to_string().replace("null", "[]").replace("{}", "[]");
            assert_eq!(text, hunks.to_string(), "{diff}");
        }
    });
}
