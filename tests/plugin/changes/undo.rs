//! Undo and redo, from the list and from the conversation.

use serde_json::json;

use super::super::commands::NeovimUser;
use super::{TEXT, after_three_turns, done, edit};
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::{allow_edits_environment, environment_with_config, for_each_neovim};

const AFTER: &str = "1\ntwo\n3\nthree and a half\nfour\nfive\nsix\nseven\nEIGHT";

/// A call that changed two files has a row below each, and each row is about its own file.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_of_a_call_that_changed_several_is_decided_alone_and_not_taken_back_alone() {
    for_each_neovim(|program| {
        let patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** Update File: b.txt\n@@\n-x\n+y\n*** End Patch\n";
        let turns = [ScriptedTurn::new().call("c1", "apply_patch", json!({ "patchText": patch })), done()];
        let config = json!({ "model": "script/gpt-5", "permission": { "edit": "allow" } });
        let scripted = environment_with_config(turns, config);
        scripted.env.write("a.txt", TEXT);
        scripted.env.write("b.txt", "x\n");
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.command("edit a.txt");
        user.run_turn("Patch");
        user.window.wait_until("require('copydesk.review').count() == 2");
        user.open_list();
        let rows = user.list_text();
        for name in ["a.txt", "b.txt"] {
            assert!(rows.contains(&format!("▾ {name}  +1 -1  1 undecided")), "{rows}");
        }
        // Its hunk closes the call's row below its own file only.
        user.move_to_row("b.txt");
        user.window.keys("jj<Tab>");
        assert_eq!(user.window.lua("return vim.fn.line('.')"), 6, "{}", user.list_text());
        assert_eq!(user.list_text().matches("▸").count(), 1, "{}", user.list_text());
        user.move_to_row("▾ b.txt");
        user.window.keys("u");
        assert_eq!(
            user.next_notification(),
            "the same call also changed `a.txt`; press `u` on the call to undo all of it"
        );
        assert_eq!(scripted.env.read("b.txt"), "y\n");
        user.window.keys("a");
        user.wait_for_list_text("▾ b.txt  +1 -1\\n");
        user.window.wait_until("require('copydesk.review').count() == 1");
        assert!(user.list_text().contains("▾ a.txt  +1 -1  1 undecided"), "{}", user.list_text());
        user.window.keys("ju");
        let said = user.next_notification();
        assert!(said.starts_with("undone: ") && said.contains("a.txt") && said.contains("b.txt"), "{said}");
        assert_eq!(user.window.lines("b.txt"), "x");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_turn_a_file_and_a_call_are_taken_back_from_the_list() {
    for_each_neovim(|program| {
        let (mut user, scripted) = after_three_turns(program);
        user.open_list();
        user.move_to_row("Turn 1");
        user.window.keys("<Tab>u");
        let said = user.next_notification();
        assert!(said.starts_with("undone: ") && said.contains("a.txt") && said.contains("b.txt"), "{said}");
        user.wait_for_list_text("2 files  +2 -2  undone");
        assert_eq!(scripted.env.read("b.txt"), "x\n");
        assert_eq!(user.window.lines("a.txt"), AFTER.replacen('1', "one", 1));
        user.window.keys("u");
        assert_eq!(user.next_notification(), "there is nothing to undo");
        user.window.keys("r");
        let said = user.next_notification();
        assert!(said.starts_with("redone: ") && said.contains("b.txt"), "{said}");
        user.wait_until_list_lacks("undone");
        // One of two calls that changed the file.
        user.move_to_row("Edited a.txt (+2 -1)");
        user.window.keys("u");
        assert_eq!(user.next_notification(), "undone: a.txt");
        user.wait_for_list_text("partly undone");
        user.window.assert_screen("changes-undone");
        assert_eq!(user.window.lines("a.txt"), AFTER.replace("3\nthree and a half", "three"));
        user.window.keys("<C-r>");
        assert_eq!(user.next_notification(), "redone: a.txt");
        user.wait_until_list_lacks("undone");
        // Both calls of the file, but not those of other turns; each is an undo of its own.
        user.window.keys("gg");
        user.move_to_row("▾ a.txt");
        user.window.keys("u");
        assert_eq!(user.next_notification(), "undone: a.txt");
        assert_eq!(user.window.lines("a.txt"), TEXT.trim_end().replacen("one", "1", 1));
        user.window.keys("r");
        assert_eq!(user.next_notification(), "redone: a.txt");
        user.wait_for_list_text("partly undone");
        user.window.keys("r");
        assert_eq!(user.next_notification(), "redone: a.txt");
        assert_eq!(user.window.lines("a.txt"), AFTER);
        user.move_to_row("EIGHT");
        user.window.keys("u");
        assert!(user.next_notification().starts_with("a single hunk cannot be undone"));
        assert_eq!(user.window.lines("a.txt"), AFTER);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn lines_that_the_user_changed_too_are_not_called_undone() {
    for_each_neovim(|program| {
        let (mut user, scripted) = after_three_turns(program);
        user.window.command("call setline(1, 'mine')");
        user.open_list();
        user.move_to_row("Turn 1");
        user.window.keys("<Tab>u");
        let said = user.next_notification();
        assert!(said.starts_with("left as it is, because you changed the same lines: a.txt"), "{said}");
        user.wait_for_list_text("partly undone");
        let lines = user.list_text();
        let of = |words: &str| lines.lines().rfind(|line| line.contains(words)).unwrap().to_owned();
        assert!(of("▾ b.txt").ends_with("  undone") && !of("▾ a.txt").contains("undone"), "{lines}");
        assert_eq!(scripted.env.read("b.txt"), "x\n");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn nothing_is_taken_back_while_a_turn_runs() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([
            edit(ScriptedTurn::new(), "c1", "a.txt", "one", "1"),
            ScriptedTurn::new().text("Done."),
            ScriptedTurn::new().text("I begin").stall("begun"),
        ]);
        scripted.env.write("a.txt", TEXT);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.run_turn("First");
        user.run_command("Copydesk! ask More", json!([]));
        user.wait_for_text("I begin");
        user.open_list();
        user.move_to_row("Turn 1");
        user.window.keys("u");
        assert_eq!(user.next_notification(), "a turn is running; `:Copydesk stop` stops it, then try again");
        user.window.keys("r");
        assert_eq!(user.next_notification(), "a turn is running; `:Copydesk stop` stops it, then try again");
        assert!(!user.list_text().contains("undone"));
        user.run_command("Copydesk stop", json!([]));
        user.window.wait_for_turn_end();
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_conversation_leads_to_the_list_and_takes_back_too() {
    for_each_neovim(|program| {
        let (mut user, scripted) = after_three_turns(program);
        user.window.command("Copydesk chat");
        user.window.command("wincmd k");
        user.window.wait_until("require('copydesk.chat.transcript').is_drawn()");
        user.window.command("call search('Edited b.txt')");
        user.window.keys("u");
        assert_eq!(user.next_notification(), "undone: b.txt");
        assert_eq!(scripted.env.read("b.txt"), "x\n");
        user.window.keys("u");
        assert_eq!(user.next_notification(), "there is nothing to undo");
        user.window.keys("<C-r>");
        assert_eq!(user.next_notification(), "redone: b.txt");
        user.window.command("call search('Number the lines')");
        user.window.keys("u");
        let said = user.next_notification();
        assert!(said.starts_with("undone: ") && said.contains("a.txt") && said.contains("b.txt"), "{said}");
        user.window.command("call search('Just talk')");
        user.window.keys("u");
        assert!(user.next_notification().starts_with("there is nothing to undo here; "));
        // The list opens at the turn under the cursor, below everything.
        user.window.command("call search('Edited b.txt', 'b')");
        user.window.keys("c");
        assert!(user.row().starts_with("▾ Turn 1  "));
        user.window.assert_screen("changes-chat");
        user.move_to_row("▾ b.txt");
        user.window.keys("<CR>");
        assert_eq!(user.cursor_position(), ("b.txt".into(), 1));
    });
}
