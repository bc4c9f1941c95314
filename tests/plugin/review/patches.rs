//! A patch of two files that are open in Neovim: one ask, hunks in both, and one undo step in each.

use serde_json::{Value, json};

use super::super::commands::NeovimUser;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::{environment_with_config, for_each_neovim, result};
use crate::sessions::harness::ScriptedEnvironment;

const A: &str = "one\ntwo\nthree\n";
const B: &str = "alpha\nbeta\n";
const PATCH: &str = "*** Begin Patch
*** Update File: a.txt
@@
 one
-two
+TWO
@@
 three
+four
*** Update File: b.txt
@@
-beta
+BETA
*** End Patch
";

fn scripted_environment(permission: Value) -> ScriptedEnvironment {
    let turns = [
        ScriptedTurn::new().call("c1", "apply_patch", json!({ "patchText": PATCH })),
        ScriptedTurn::new().text("Done."),
    ];
    let scripted =
        environment_with_config(turns, json!({ "model": "script/gpt-5", "permission": permission }));
    scripted.env.write("a.txt", A);
    scripted.env.write("b.txt", B);
    scripted
}

/// Both files in windows of their own, the cursor in the first.
fn user(program: &std::path::Path, scripted: &ScriptedEnvironment) -> NeovimUser {
    let mut user = NeovimUser::start(program, &scripted.env);
    user.window.command("edit b.txt");
    user.window.command("split a.txt");
    user
}

#[track_caller]
fn wait_for_hunks(user: &mut NeovimUser, hunks: u64) {
    user.window.nvim.wait_for_message("CopydeskReview", |told| told["hunks"] == hunks);
}

/// The drawn hunks of a buffer, each as its first row and its number of rows.
#[track_caller]
fn drawn(user: &mut NeovimUser, name: &str) -> Value {
    let drawn = "return vim.tbl_map(function(found)
           return { found.first, found.count }
         end, require('copydesk.review.draw').all(vim.fn.bufnr('NAME')))";
    user.window.lua(&drawn.replace("NAME", name))
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_patch_is_one_step_of_undo_in_each_buffer_and_its_hunks_are_in_both() {
    for_each_neovim(|program| {
        let scripted = scripted_environment(json!({ "edit": "allow" }));
        let mut user = user(program, &scripted);
        user.run_turn("Patch");
        wait_for_hunks(&mut user, 3);
        assert_eq!(user.window.lines("a.txt"), "one\nTWO\nthree\nfour");
        assert_eq!(user.window.lines("b.txt"), "alpha\nBETA");
        assert_eq!(drawn(&mut user, "a.txt"), json!([[1, 1], [3, 1]]));
        assert_eq!(drawn(&mut user, "b.txt"), json!([[1, 1]]));
        let (said, failed) = result(&scripted, 1, "c1");
        assert!(!failed && said.starts_with("Patched 2 files (+3 -2).\nEdited a.txt (+2 -1)."), "{said}");
        user.window.keys("u");
        user.window.wait_until("vim.fn.line('$') == 3");
        assert_eq!(user.window.lines("a.txt"), A.trim_end());
        assert_eq!(user.window.lines("b.txt"), "alpha\nBETA");
        wait_for_hunks(&mut user, 1);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_patch_that_waits_is_decided_in_both_buffers() {
    for_each_neovim(|program| {
        let scripted = scripted_environment(json!({ "edit": "ask" }));
        let mut user = user(program, &scripted);
        user.run_command("Copydesk! ask Patch", json!([]));
        wait_for_hunks(&mut user, 3);
        // The hunks and the ask arrive independently.
        user.window.wait_until("#require('copydesk.ask').list() == 1");
        assert_eq!(
            (user.window.lines("a.txt").as_str(), user.window.lines("b.txt").as_str()),
            (A.trim_end(), B.trim_end())
        );
        user.window.keys("gg");
        user.window.keys("]h");
        user.window.keys("gha");
        wait_for_hunks(&mut user, 2);
        user.window.keys("]h");
        user.window.command("Copydesk reject Three are enough.");
        wait_for_hunks(&mut user, 1);
        assert_eq!(user.window.lua("return #require('copydesk.ask').list()"), 1, "b.txt is undecided");
        // Nothing is left in this buffer, so its keys are gone.
        user.window.command("Copydesk next");
        user.window.wait_until("vim.fn.expand('%:t') == 'b.txt'");
        user.window.keys("gha");
        user.window.wait_for_turn_end();
        assert_eq!(user.window.lines("a.txt"), "one\nTWO\nthree");
        assert_eq!(user.window.lines("b.txt"), "alpha\nBETA");
        let (said, failed) = result(&scripted, 1, "c1");
        assert!(!failed && said.starts_with("The user decided hunk by hunk:\n"), "{said}");
        for line in [
            "- `a.txt` line 2: accepted.",
            "- `a.txt` line 4: rejected; the lines are as they were before. They say: Three are enough.",
            "- `b.txt` line 2: accepted.",
        ] {
            assert!(said.lines().any(|told| told == line), "{line}\n{said}");
        }
        user.window.wait_until("#require('copydesk.ask').list() == 0");
    });
}

/// How it looks: the ask with the change of each file, the completed call, and the list of changes.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_patch_is_told_file_by_file() {
    for_each_neovim(|program| {
        let scripted = scripted_environment(json!({ "edit": "ask" }));
        let mut user = user(program, &scripted);
        user.run_command("Copydesk! ask Patch", json!([]));
        wait_for_hunks(&mut user, 3);
        user.window.wait_until("#require('copydesk.ask').list() == 1");
        let asked = user.window.lua(
            "local asking = require('copydesk.chat.asking')
             return table.concat(asking.all(require('copydesk.ask').list()).lines, '\\n')",
        );
        let asked = asked.as_str().unwrap();
        for line in [
            "Edit 2 files (+3 -2): a.txt, b.txt",
            "a.txt (+2 -1)",
            "+TWO",
            "b.txt (+1 -1)",
            "+BETA",
            "3 hunks, to decide one by one",
        ] {
            assert!(asked.contains(line), "{line}\n{asked}");
        }
        user.window.command("Copydesk accept-all");
        user.window.wait_for_turn_end();
        let shown = "local view, lines = require('copydesk.session').current(), {}
             for _, part in ipairs(view.parts) do
               if part.content.kind == 'call' then
                 vim.list_extend(lines, require('copydesk.chat.render').part(part, 'text').lines)
               end
             end
             return table.concat(lines, '\\n')";
        let shown = user.window.lua(shown);
        let shown = shown.as_str().unwrap();
        for line in ["Patched 2 files (+3 -2)", "\na.txt (+2 -1)\n", "+TWO", "\nb.txt (+1 -1)\n", "+BETA"] {
            assert!(shown.contains(line), "{line}\n{shown}");
        }
        let files = "local view = require('copydesk.session').current()
             local turn = require('copydesk.changes.turns').of(view, {})[1]
             return vim.tbl_map(function(file)
               return { vim.fs.basename(file.path), file.additions, file.deletions, #file.calls }
             end, turn.files)";
        assert_eq!(user.window.lua(files), json!([["a.txt", 2, 1, 1], ["b.txt", 1, 1, 1]]));
        // From a row of a diff to its file.
        let jump = "local view = require('copydesk.session').current()
             local part = vim.iter(view.parts):find(function(part) return part.content.kind == 'call' end)
             local lines = require('copydesk.chat.render').part(part, 'text').lines
             return vim.tbl_map(function(row)
               local place = require('copydesk.chat.jump').place(part, lines, row, view.session.folder)
               return { vim.fs.basename(place.path), place.line }
             end, vim.iter(ipairs(lines)):map(function(row, line)
               return (line == '+TWO' or line == '+BETA' or line:find('^b.txt')) and row or nil
             end):totable())";
        assert_eq!(user.window.lua(jump), json!([["a.txt", 2], ["b.txt", 2], ["b.txt", 2]]));
    });
}
