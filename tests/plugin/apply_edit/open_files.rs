//! The agent moves and deletes files that are open in Neovim: their buffers follow, and nothing unsaved is lost.

use std::path::Path;

use serde_json::{Value, json};

use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::{environment_with_config, for_each_neovim, result};
use crate::plugin::commands::NeovimUser;
use crate::sessions::harness::ScriptedEnvironment;

const MOVE: &str = "*** Update File: a.lua
*** Move to: sub/b.py
@@
 one
-two
+TWO
";

fn scripted_environment(body: &str, permission: Value) -> ScriptedEnvironment {
    let patch = format!("*** Begin Patch\n{}\n*** End Patch\n", body.trim_end());
    let turns = [
        ScriptedTurn::new().call("c1", "apply_patch", json!({ "patchText": patch })),
        ScriptedTurn::new().text("Done."),
    ];
    let config = json!({ "model": "script/gpt-5", "permission": permission });
    let scripted = environment_with_config(turns, config);
    scripted.env.write("a.lua", "one\ntwo\nthree\nfour\n");
    scripted
}

/// `a.lua` in the first buffer, with a language server that notes what it is told.
fn user(program: &Path, scripted: &ScriptedEnvironment) -> NeovimUser {
    let mut user = NeovimUser::start(program, &scripted.env);
    user.window.lua(
        "TOLD = {}
         local function server()
           return {
             request = function(method, _, done)
               local sync = { openClose = true, change = 1 }
               done(nil, method == 'initialize' and { capabilities = { textDocumentSync = sync } } or nil)
               return true, 1
             end,
             notify = function(method, params)
               local document = params and params.textDocument
               if document then table.insert(TOLD, method:match('/(.*)') .. ' ' .. vim.fs.basename(document.uri)) end
               return true
             end,
             is_closing = function() return false end,
             terminate = function() end,
           }
         end
         vim.cmd('silent edit a.lua')
         vim.lsp.start({ name = 'noting', cmd = server, root_dir = vim.uv.cwd() })
         assert(vim.wait(10000, function() return #TOLD > 0 end, 1))",
    );
    user
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_moved_buffer_keeps_everything_and_comes_back_with_undo() {
    for_each_neovim(|program| {
        let scripted = scripted_environment(MOVE, json!({ "edit": "allow" }));
        let mut user = user(program, &scripted);
        user.window.keys("Gofive<Esc>3G0ma");
        user.run_turn("Move");
        let (told, failed) = result(&scripted, 1, "c1");
        assert!(!failed, "{told}");
        let state = "local lines = vim.api.nvim_buf_get_lines(1, 0, -1, true)
             return { vim.fn.fnamemodify(vim.api.nvim_buf_get_name(1), ':.'), table.concat(lines, ' '), vim.bo[1].modified,
               vim.fn.line('.'), vim.api.nvim_buf_get_mark(1, 'a')[1], vim.bo[1].filetype,
               vim.fn.bufnr('^' .. vim.uv.cwd() .. '/a.lua$') }";
        assert_eq!(
            user.window.lua(state),
            json!(["sub/b.py", "one TWO three four five", true, 3, 3, "python", -1])
        );
        assert!(!scripted.env.exists("a.lua"));
        assert_eq!(scripted.env.read("sub/b.py"), "one\ntwo\nthree\nfour\n", "nothing is saved");
        let told =
            user.window.lua("return vim.tbl_filter(function(one) return not one:find('Change') end, TOLD)");
        assert_eq!(told, json!(["didOpen a.lua", "didClose a.lua", "didOpen b.py"]));
        user.window.command("Copydesk undo");
        user.window
            .wait_until("vim.api.nvim_buf_get_name(1):find('a.lua$') and vim.fn.filereadable('a.lua') == 1");
        assert_eq!(user.window.lua(state), json!(["a.lua", "one two three four five", true, 3, 3, "lua", 1]));
        // The user's own undo goes back to before the session; and the file is written without a `!`.
        user.window.keys("uuu");
        assert_eq!(user.window.lines(1), "one\ntwo\nthree\nfour");
        user.window.keys("Gosix<Esc>");
        user.window.command("silent write");
        assert_eq!(scripted.env.read("a.lua"), "one\ntwo\nthree\nfour\nsix\n");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_deleted_file_takes_its_buffer_along_and_both_come_back() {
    for_each_neovim(|program| {
        for is_shown in [false, true] {
            let scripted = scripted_environment("*** Delete File: a.lua", json!({ "edit": "allow" }));
            let mut user = user(program, &scripted);
            user.window.keys("3G");
            user.window.command(if is_shown { "split" } else { "edit other.txt" });
            user.run_turn("Delete");
            let (told, failed) = result(&scripted, 1, "c1");
            assert!(!failed, "{told}");
            assert!(!scripted.env.exists("a.lua"));
            assert_eq!(
                user.window.lua("return { vim.fn.bufexists('a.lua'), TOLD[#TOLD] }"),
                json!([0, "didClose a.lua"])
            );
            let windows = user.window.lua("return #vim.api.nvim_tabpage_list_wins(0)");
            assert_eq!(windows, if is_shown { 2 } else { 1 });
            // Rejected in the review, the file comes back, and its buffer.
            user.run_command("Copydesk reject-all", json!(["Reject them"]));
            user.window.wait_until("vim.fn.bufloaded('a.lua') == 1");
            assert_eq!(user.window.lines("a.lua"), "one\ntwo\nthree\nfour");
            assert_eq!(user.window.lua("return vim.bo[vim.fn.bufnr('a.lua')].buflisted"), true);
            let shown = user.window.lua("return { vim.fn.bufname(), vim.fn.line('.') }");
            assert_eq!(shown, if is_shown { json!(["a.lua", 3]) } else { json!(["other.txt", 1]) });
        }
    });
}

/// Typed before the call, or when the deletion is on its way.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_with_unsaved_text_is_not_deleted() {
    for_each_neovim(|program| {
        for is_late in [false, true] {
            let scripted = scripted_environment("*** Delete File: a.lua", json!({ "edit": "allow" }));
            let mut user = user(program, &scripted);
            if is_late {
                user.window.lua(
                    "local operation = require('copydesk.apply.file_operation')
                     local run = operation.run
                     operation.run = function(params) vim.cmd('normal! Gofive') return run(params) end",
                );
            } else {
                user.window.keys("Gofive<Esc>");
            }
            user.run_turn("Delete");
            let (told, failed) = result(&scripted, 1, "c1");
            assert!(failed && told.contains("text there that is not saved"), "{told}");
            assert_eq!(scripted.env.read("a.lua"), "one\ntwo\nthree\nfour\n");
            assert_eq!(user.window.lines("a.lua"), "one\ntwo\nthree\nfour\nfive");
            assert_eq!(user.window.lua("return vim.bo.modified"), true);
        }
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_move_is_decided_before_in_its_buffer() {
    for_each_neovim(|program| {
        let scripted = scripted_environment(MOVE, json!({ "edit": "ask" }));
        let mut user = user(program, &scripted);
        user.run_command("Copydesk! ask Move", json!([]));
        user.window.wait_until("#require('copydesk.ask').list() == 1");
        user.window.wait_until("require('copydesk.review.state').count() == 2");
        assert_eq!(user.window.lua("return vim.fn.bufname()"), "a.lua");
        user.window.command("Copydesk accept-all");
        user.window.wait_for_turn_end();
        assert_eq!(user.window.lua("return vim.fn.bufname()"), "sub/b.py");
        assert_eq!(user.window.lines(1), "one\nTWO\nthree\nfour");
    });
}
