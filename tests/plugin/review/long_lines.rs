//! Hunks with lines so long that the daemon sends only their beginning.

use serde_json::{Value, json};

use super::super::commands::NeovimUser;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::{allow_edits_environment, environment_with_rules, for_each_neovim};

/// More than one line, and characters that a cut must not split.
fn long_text(word: &str) -> String {
    format!("first\n{}{word}{}\nmiddle\n{}{word}", "é".repeat(50_000), "x".repeat(1000), "y".repeat(9000))
}

fn replace_all() -> ScriptedTurn {
    let arguments =
        json!({ "filePath": "a.txt", "oldString": "OLD", "newString": "NEWER", "replaceAll": true });
    ScriptedTurn::new().call("c1", "edit", arguments)
}

fn wait_for_hunks(user: &mut NeovimUser, hunks: u64) {
    user.window.nvim.wait_for_message("CopydeskReview", |told| told["hunks"] == hunks);
}

fn drawn(user: &mut NeovimUser) -> Value {
    user.window.lua(
        "return vim.tbl_map(function(found)
           local hunk = found.hunk
           return { found.first, found.count, #hunk.old[1] <= 8192, hunk.oldCut[1].bytes, hunk.newCut[1].bytes }
         end, require('copydesk.review.draw').all(vim.fn.bufnr('a.txt')))",
    )
}

fn text(user: &mut NeovimUser) -> Value {
    user.window.lua("return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\\n')")
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn hunks_of_long_lines_are_found_accepted_and_rejected() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([replace_all(), ScriptedTurn::new().text("Done.")]);
        // The last line has no line end.
        scripted.env.write("a.txt", long_text("OLD"));
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.command("edit a.txt");
        user.run_turn("Edit");
        wait_for_hunks(&mut user, 2);
        assert_eq!(drawn(&mut user), json!([[1, 1, true, 101_003, 101_005], [3, 1, true, 9003, 9005]]));
        // Lines that move along are found again.
        user.window.keys("ggOabove<Esc>");
        user.window.keys("3G");
        user.window.command("Copydesk reject");
        wait_for_hunks(&mut user, 1);
        user.window.keys("5G");
        user.window.command("Copydesk accept");
        wait_for_hunks(&mut user, 0);
        let (old, new) = (long_text("OLD"), long_text("NEWER"));
        let lines =
            |text: &str, from: usize| text.split('\n').skip(from).take(2).collect::<Vec<_>>().join("\n");
        assert_eq!(text(&mut user), format!("above\n{}\n{}", lines(&old, 0), lines(&new, 2)));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_proposed_long_line_shows_its_length_and_is_made_whole() {
    for_each_neovim(|program| {
        let turns = [replace_all(), ScriptedTurn::new().text("Done.")];
        let scripted = environment_with_rules(turns, json!({ "edit": "ask" }));
        scripted.env.write("a.txt", format!("{}OLD\n", "z".repeat(9000)));
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.command("edit a.txt");
        user.run_command("Copydesk! ask Edit", json!([]));
        wait_for_hunks(&mut user, 1);
        let shown = user.window.lua(
            "local one = require('copydesk.review.draw').all(vim.api.nvim_get_current_buf())[1]
             local lines, _, cut = require('copydesk.review.hunk_lines').virtual(one.one, one.hunk)
             return require('copydesk.review.hunk_lines').with_lengths(lines, cut)[1]:sub(-17)",
        );
        assert_eq!(shown, "z… (9005 bytes)");
        user.window.command("Copydesk accept");
        wait_for_hunks(&mut user, 0);
        user.window.wait_until("vim.fn.getline(1):sub(-5) == 'NEWER'");
        user.window.wait_for_turn_end();
    });
}
