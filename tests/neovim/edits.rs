//! Edits arrive in the user's open buffer, and the agent sees the text of that buffer.

use serde_json::json;

use super::neovim_session::{
    DEFAULT_DEBOUNCE_MS, NeovimSession, allow_edits_environment, edit, environment_with_rules,
    for_each_neovim, result,
};
use crate::model_server::ScriptedTurn;

const TEN: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_edit_lands_in_the_buffer_and_one_undo_takes_it_back() {
    for_each_neovim(|program| {
        // Two hunks of one call are one undo step.
        let scripted = allow_edits_environment(edit(
            "a.txt",
            "two\nthree\nfour\nfive",
            "2\nthree\nfour\n5\nfive and a half",
        ));
        scripted.env.write("a.txt", TEN);
        let mut window =
            NeovimSession::with_debounce(program, &scripted.env, &["a.txt"], DEFAULT_DEBOUNCE_MS);
        window.run_lua(
            "vim.api.nvim_win_set_cursor(0, { 9, 2 })
             vim.cmd('8mark a | 3mark b')
             T.names = vim.api.nvim_create_namespace('test')
             T.mark = vim.api.nvim_buf_set_extmark(0, T.names, 6, 3, {})",
        );
        window.run_turn();
        let (told, failed) = result(&scripted, 1, "c1");
        assert!(!failed, "{told}");
        let after = "one\n2\nthree\nfour\n5\nfive and a half\nsix\nseven\neight\nnine\nten\n";
        assert_eq!(window.text("a.txt"), after);
        assert_eq!(scripted.env.read("a.txt"), TEN, "the disk is the user's to write");
        let here = "return { vim.bo.modified, vim.fn.getline('.'), vim.fn.col('.'), vim.fn.getline(\"'a\"),
            vim.fn.getline(\"'b\"),
            vim.fn.getline(vim.api.nvim_buf_get_extmark_by_id(0, T.names, T.mark, {})[1] + 1) }";
        assert_eq!(window.run_lua(here), json!([true, "nine", 3, "eight", "three", "seven"]));
        window.run_lua("vim.cmd('silent undo')");
        assert_eq!(window.text("a.txt"), TEN);
        assert_eq!(window.run_lua("return vim.bo.modified"), false);
    });
}

/// Many edits of one call, some inside others: one undo step for the user, as for the agent.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn all_edits_of_a_multiedit_are_one_undo_step_in_the_buffer() {
    for_each_neovim(|program| {
        let edits = json!([
            { "oldString": "two", "newString": "2" },
            { "oldString": "2", "newString": "second" },
            { "oldString": "nine\nten\n", "newString": "nine and ten\n" },
            { "oldString": "one\n", "newString": "" },
        ]);
        let wrong =
            json!([{ "oldString": "three", "newString": "3" }, { "oldString": "nowhere", "newString": "x" }]);
        let call = |call: &str, edits: &serde_json::Value| {
            ScriptedTurn::new().call(call, "multiedit", json!({ "filePath": "a.txt", "edits": edits }))
        };
        let scripted = allow_edits_environment([
            call("c1", &edits),
            call("c2", &wrong),
            ScriptedTurn::new().text("Done."),
        ]);
        scripted.env.write("a.txt", TEN);
        let mut window =
            NeovimSession::with_debounce(program, &scripted.env, &["a.txt"], DEFAULT_DEBOUNCE_MS);
        window.run_lua("vim.cmd('normal! 4Gccunsaved words')");
        let before = TEN.replace("four", "unsaved words");
        window.run_turn();
        let (told, failed) = result(&scripted, 1, "c1");
        assert!(!failed, "{told}");
        let (told, failed) = result(&scripted, 2, "c2");
        assert!(failed && told.contains("Edit 2 of 2 cannot be made, so none was"), "{told}");
        let after = "second\nthree\nunsaved words\nfive\nsix\nseven\neight\nnine and ten\n";
        assert_eq!(window.text("a.txt"), after, "all of the first, nothing of the second");
        assert_eq!(scripted.env.read("a.txt"), TEN, "the disk is the user's to write");
        window.run_lua("vim.cmd('silent undo')");
        assert_eq!(window.text("a.txt"), before);
        window.run_lua("vim.cmd('silent undo')");
        assert_eq!(window.text("a.txt"), TEN);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_is_not_saved_is_what_the_tools_see() {
    for_each_neovim(|program| {
        let look = ScriptedTurn::new()
            .call("c1", "read", json!({ "filePath": "a.txt" }))
            .call("c2", "grep", json!({ "pattern": "unsaved" }))
            .call("c3", "glob", json!({ "pattern": "**/*.new" }))
            .call("c4", "read", json!({ "filePath": "sub/fresh.new" }))
            .call(
                "c5",
                "edit",
                json!({ "filePath": "sub/fresh.new", "oldString": "never", "newString": "not yet" }),
            )
            .call("c6", "edit", json!({ "filePath": "a.txt", "oldString": "unsaved", "newString": "seen" }));
        let scripted = allow_edits_environment([look, ScriptedTurn::new().text("Done.")]);
        scripted.env.write("a.txt", TEN);
        let mut window =
            NeovimSession::with_debounce(program, &scripted.env, &["a.txt"], DEFAULT_DEBOUNCE_MS);
        window.run_lua("vim.cmd('normal! 4Gccunsaved words') vim.cmd('silent edit sub/fresh.new')");
        window.run_lua(
            "vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'unsaved and', 'never written' }) T.attach()",
        );
        window.run_turn();
        let seen = |call| result(&scripted, 1, call);
        assert!(seen("c1").0.contains("4: unsaved words"), "{}", seen("c1").0);
        let grep = seen("c2").0;
        assert!(
            grep.contains("a.txt") && grep.contains("fresh.new") && grep.contains("unsaved and"),
            "{grep}"
        );
        assert!(seen("c3").0.contains("sub/fresh.new"), "{}", seen("c3").0);
        assert!(seen("c4").0.contains("2: never written"), "{}", seen("c4").0);
        for call in ["c5", "c6"] {
            assert!(!seen(call).1, "{}", seen(call).0);
        }
        assert_eq!(window.text("fresh.new"), "unsaved and\nnot yet written\n");
        assert!(window.text("a.txt").contains("seen words"));
        assert!(!scripted.env.exists("sub/fresh.new"));
        assert_eq!(scripted.env.read("a.txt"), TEN);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_buffer_that_cannot_be_changed_is_an_error_that_says_so() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment(edit("a.txt", "two", "2"));
        scripted.env.write("a.txt", TEN);
        let mut window = NeovimSession::open(program, &scripted.env, &["a.txt"]);
        window.run_lua("vim.bo.modifiable = false");
        window.run_turn();
        let (told, failed) = result(&scripted, 1, "c1");
        assert!(failed && told.contains("modifiable"), "{told}");
        assert_eq!(window.text("a.txt"), TEN);
        assert_eq!(scripted.env.read("a.txt"), TEN);
    });
}

/// `readonly` is about writing the file, and the edit does not write it.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_buffer_that_is_read_only_can_be_edited_as_by_hand() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment(edit("a.txt", "two", "2"));
        scripted.env.write("a.txt", TEN);
        let mut window = NeovimSession::open(program, &scripted.env, &["a.txt"]);
        window.run_lua("vim.bo.readonly = true");
        window.run_turn();
        assert!(!result(&scripted, 1, "c1").1);
        assert_eq!(window.text("a.txt"), TEN.replace("two", "2"));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_buffer_counts_while_it_is_open_and_the_disk_afterwards() {
    for_each_neovim(|program| {
        let read = || ScriptedTurn::new().call("c1", "read", json!({ "filePath": "a.txt" }));
        let scripted = allow_edits_environment([
            read(),
            ScriptedTurn::new().text("Done."),
            read(),
            ScriptedTurn::new().text("Done."),
        ]);
        scripted.env.write("a.txt", TEN);
        let mut window = NeovimSession::open(program, &scripted.env, &["a.txt"]);
        scripted.env.write("a.txt", "another text\n");
        window.run_turn();
        assert!(result(&scripted, 1, "c1").0.contains("2: two"));
        window.run_lua("vim.cmd('silent bwipeout! a.txt') T.request('copydesk/status', vim.empty_dict())");
        window.run_turn();
        assert!(result(&scripted, 3, "c1").0.contains("1: another text"), "{}", result(&scripted, 3, "c1").0);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_edit_that_needs_a_word_is_made_when_it_is_given() {
    for_each_neovim(|program| {
        let turns = edit("a.txt", "two", "2").into_iter().chain(edit("a.txt", "three", "3"));
        let scripted = environment_with_rules(turns, json!({ "edit": "ask" }));
        scripted.env.write("a.txt", TEN);
        let mut window = NeovimSession::open(program, &scripted.env, &["a.txt"]);
        window.run_lua("T.reply = { reply = 'reject', reason = 'Not that one' }");
        window.run_turn();
        let (told, failed) = result(&scripted, 1, "c1");
        assert!(failed && told.contains("Not that one"), "{told}");
        assert_eq!(window.text("a.txt"), TEN);
        window.run_lua("T.reply = { reply = 'once' }");
        window.run_turn();
        assert!(!result(&scripted, 3, "c1").1);
        assert_eq!(window.text("a.txt"), TEN.replace("three", "3"));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_of_a_hundred_thousand_lines_is_edited_in_the_middle() {
    for_each_neovim(|program| {
        let text: String = (0..100_000).map(|number| format!("line {number} of many\n")).collect();
        let scripted = allow_edits_environment(edit("large.txt", "line 50000 of many", "the middle"));
        scripted.env.write("large.txt", &text);
        let mut window = NeovimSession::open(program, &scripted.env, &["large.txt"]);
        window.run_lua("vim.cmd('normal! 100Gotyped above') vim.cmd('normal! Gotyped below')");
        window.run_turn();
        assert!(!result(&scripted, 1, "c1").1);
        let expected = text.replace("line 50000 of many", "the middle");
        let expected =
            expected.replace("line 99 of many\n", "line 99 of many\ntyped above\n") + "typed below\n";
        assert_eq!(window.text("large.txt"), expected);
    });
}

/// Neovim 0.10 opens with version 0, and ignores that version when an edit comes for it.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn typing_into_a_buffer_that_was_just_opened_moves_the_edit() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment(edit("a.txt", "two\nthree\nfour\nfive", "2\nthree\nfour\n5"));
        scripted.env.write("a.txt", TEN);
        let mut window =
            NeovimSession::with_debounce(program, &scripted.env, &["a.txt"], DEFAULT_DEBOUNCE_MS);
        window.run_lua(
            "T.before = function()
                vim.api.nvim_buf_set_lines(0, 0, 0, true, { 'typed', 'typed too' })
                T.before = nil
            end",
        );
        window.run_turn();
        assert!(!result(&scripted, 1, "c1").1);
        let expected = format!("typed\ntyped too\n{}", TEN.replace("two", "2").replace("five", "5"));
        assert_eq!(window.text("a.txt"), expected);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_edit_of_many_hunks_is_known_to_be_one() {
    for_each_neovim(|program| {
        for debounce in [0, DEFAULT_DEBOUNCE_MS] {
            let turns = edit("a.txt", TEN, "0\none\n2\nthree\n4\nfive\nseven\n8\nnine\nten\neleven\n");
            let scripted = allow_edits_environment(turns);
            scripted.env.write("a.txt", TEN);
            let mut window = NeovimSession::with_debounce(program, &scripted.env, &["a.txt"], debounce);
            window.run_turn();
            assert!(!result(&scripted, 1, "c1").1, "{}", result(&scripted, 1, "c1").0);
            assert_eq!(window.text("a.txt"), "0\none\n2\nthree\n4\nfive\nseven\n8\nnine\nten\neleven\n");
            window.run_lua("vim.cmd('silent undo')");
            assert_eq!(window.text("a.txt"), TEN);
        }
    });
}
