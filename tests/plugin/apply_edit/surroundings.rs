//! Everything around the text stays as it is: the list of buffers, the windows, the mode.

use serde_json::json;

use super::{apply, open, text};
use crate::neovim::neovim_session::for_each_neovim;
use crate::plugin::mock_daemon_neovim::MockDaemonNeovim;

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn buffers_that_nobody_sees_are_changed_and_stay_unseen() {
    let around =
        "return { vim.api.nvim_list_bufs(), vim.api.nvim_list_wins(), vim.api.nvim_get_current_buf(),
        vim.fn.bufnr('#'), vim.bo[B].buflisted, vim.fn.winlayout(), vim.fn.winsaveview(), vim.fn.mode() }";
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        for (name, hide, keys) in [
            ("hidden", "vim.cmd('enew')", ""),
            ("hidden, while the user types", "vim.cmd('enew')", "iwords"),
            ("hidden, while the user selects", "vim.cmd('edit other')", "v"),
            ("unlisted", "vim.bo[B].buflisted = false vim.cmd('enew')", ""),
            ("in another tab", "vim.cmd('tabnew')", ""),
            ("shown beside", "vim.cmd('vnew')", ""),
            (
                "behind a float",
                "vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), true,
                { relative = 'editor', row = 1, col = 1, width = 20, height = 5 })",
                "",
            ),
            ("behind the command line", "vim.cmd('vnew')", ":echo"),
        ] {
            bare.lua("vim.cmd('silent! tabonly! | silent! only! | silent! %bwipeout!')");
            open(&mut bare, "f", "one\ntwo\nthree");
            bare.lua(hide);
            bare.keys(keys);
            let before = bare.lua(around);
            assert_eq!(
                apply(&mut bare, &[(0, 0, 0, 0, "zero\n"), (2, 0, 2, 5, "3")]),
                json!({ "applied": true }),
                "{name}"
            );
            assert_eq!(text(&mut bare), "zero\none\ntwo\n3", "{name}");
            assert_eq!(bare.lua(around), before, "{name}");
            assert_eq!(
                bare.lua("return { vim.bo[B].modified, S.known(B) == S.text(B) }"),
                json!([true, true]),
                "{name}"
            );
            bare.keys("<Esc><Esc>");
        }
    });
}

/// One file has several names; the daemon uses the one that it got.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_buffer_is_found_by_every_name_of_its_file() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        bare.write("with space & [b].txt", "x\n");
        bare.lua("vim.uv.fs_symlink('with space & [b].txt', 'link')");
        let found = bare.lua(
            "vim.cmd('silent edit ' .. vim.fn.fnameescape('with space & [b].txt'))
             local bufnr, buffer = vim.api.nvim_get_current_buf(), require('copydesk.buffer')
             local here = vim.uv.cwd()
             local count = #vim.api.nvim_list_bufs()
             local found = {}
             for _, uri in ipairs({
               buffer.uri(bufnr),
               vim.uri_from_fname(here .. '/link'),
               'file://' .. here .. '/with%20space%20%26%20%5Bb%5D.txt',
               'file://' .. here .. '/with%20space%20&%20%5bb%5d.txt',
               'file://' .. here .. '/with',
               'file://' .. here,
               'file://',
               'untitled:Untitled-' .. bufnr,
               'https://example.org/x',
               'nonsense',
             }) do
               found[#found + 1] = buffer.of(uri) == bufnr
             end
             return { found, #vim.api.nvim_list_bufs() == count }",
        );
        let expected = json!([[true, true, true, true, false, false, false, false, false, false], true]);
        assert_eq!(found, expected);
    });
}

/// Neovim 0.10 restarts its versions for all clients when another one attaches.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn another_language_server_does_not_make_an_edit_stale() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        open(&mut bare, "f", "one\ntwo");
        bare.lua(
            "vim.api.nvim_buf_set_lines(B, 0, 0, true, { 'typed' })
             require('copydesk.sync').flush(B)
             VERSION = S.documents[vim.uri_from_bufnr(B)].version
             local ours = S.client
             S.start('utf-16')
             vim.lsp.buf_attach_client(B, S.client.id)
             S.client = ours",
        );
        let same = bare.lua("return require('copydesk.buffer').version(B) == VERSION");
        assert_eq!(same, true);
        assert_eq!(apply(&mut bare, &[(1, 0, 1, 3, "1")]), json!({ "applied": true }));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_user_in_the_middle_of_a_command_is_left_there() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        for (name, keys, more, expected) in [
            ("replacing", "2GRab", "c<Esc>", "zero\none\nabc words\nthree"),
            ("typing after another word", "2Gea X", "Y<Esc>", "zero\none\ntwo XY words\nthree"),
        ] {
            open(&mut bare, name, "one\ntwo words\nthree");
            bare.keys(keys);
            let before = bare.lua("return vim.api.nvim_get_mode().mode");
            assert_eq!(apply(&mut bare, &[(0, 0, 0, 0, "zero\n")]), json!({ "applied": true }), "{name}");
            assert_eq!(bare.lua("return vim.api.nvim_get_mode().mode"), before, "{name}");
            bare.keys(more);
            assert_eq!(text(&mut bare), expected, "{name}");
            bare.keys("<Esc>");
        }
    });
}

/// An operator remembers its start by line, which would change: the edit waits.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_operator_gets_its_motion_before_the_text_is_changed() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        let begin = "ANSWER = nil
            coroutine.wrap(function() ANSWER = S.apply({ [B] = { { 0, 0, 0, 0, 'zero\\n' } } }) end)()
            return ANSWER";
        for (name, keys, more, applied, expected) in [
            ("it goes nowhere", "2Gd", "<Esc>", true, "zero\none\ntwo words\nthree"),
            ("it takes a word", "2Gd", "w", false, "one\nwords\nthree"),
            ("nobody goes on", "2Gd", "", false, "one\ntwo words\nthree"),
        ] {
            open(&mut bare, name, "one\ntwo words\nthree");
            bare.keys(keys);
            assert!(bare.lua(begin).is_null(), "{name}");
            bare.keys(more);
            let answer = bare.lua("vim.wait(30000, function() return ANSWER end, 5) return ANSWER");
            assert_eq!(answer["applied"], applied, "{name}: {answer}");
            assert_eq!(text(&mut bare), expected, "{name}");
            bare.keys("<Esc>");
        }
        // In another buffer there is nothing to wait for.
        open(&mut bare, "other", "one");
        bare.lua("vim.cmd('vnew')");
        bare.keys("d");
        assert_eq!(bare.lua(begin), json!({ "applied": true }));
    });
}

/// A completion and a `:substitute` that asks remember their lines, too, and would hit others.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_somebody_is_asked_about_is_not_pulled_away() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        let begin = "local row = ...
            ANSWER = nil
            coroutine.wrap(function() ANSWER = S.apply({ [B] = { { row, 0, row, 0, 'new\\n' } } }) end)()
            return ANSWER ~= nil";
        bare.lua(
            "local function nothing() return 0 end
            vim.api.nvim_create_user_command('Plain', nothing, { nargs = '*' })
            vim.api.nvim_create_user_command('Shown', nothing, { nargs = '*', preview = nothing })",
        );
        for (name, keys, row, at_once, more, applied, expected) in [
            ("a completion", "2GA<C-n>", 0, false, "<C-y>", true, "new\nalpha\nalphabet\nalphabet"),
            ("nobody chooses", "2GA<C-n>", 0, false, "", false, "alpha\nalphabet\nalphabet"),
            ("below a completion", "2GA<C-n>", 2, true, "<C-y>", true, "alpha\nalphabet\nnew\nalphabet"),
            ("a substitution", ":%s/al/el/c<CR>y", 0, false, "yq", false, "elpha\nel\nalphabet"),
            ("a preview that is left", ":%s/al/el", 0, false, "<Esc>", true, "new\nalpha\nal\nalphabet"),
            ("a preview that is entered", ":%s/al/el<CR>", 0, true, "", true, "new\nelpha\nel\nelphabet"),
            ("a preview that stays", ":%s/al/el", 0, false, "", false, "alpha\nal\nalphabet"),
            ("another command line", ":echo 1", 0, true, "<Esc>", true, "new\nalpha\nal\nalphabet"),
            ("a user's command", ":Plain x", 0, true, "<Esc>", true, "new\nalpha\nal\nalphabet"),
            ("a user's preview", ":Shown x", 0, false, "<Esc>", true, "new\nalpha\nal\nalphabet"),
            // Neovim repeats what was typed in the block's other lines by their numbers.
            ("a block", "<C-v>jAéx", 0, false, "<Esc>", false, "aéxlpha\naéxl\nalphabet"),
            ("a change of a line", "ccéx", 0, true, "<Esc>", true, "new\néx\nal\nalphabet"),
        ] {
            // Older versions do nothing else while they ask.
            if name == "a substitution" && bare.lua("return vim.fn.has('nvim-0.11')") == 0 {
                continue;
            }
            open(&mut bare, name, "alpha\nal\nalphabet");
            bare.keys(keys);
            assert_eq!(bare.lua_with(begin, json!([row])), at_once, "{name}");
            bare.keys(more);
            let answer = bare.lua("vim.wait(30000, function() return ANSWER end, 5) return ANSWER");
            assert_eq!(answer["applied"], applied, "{name}: {answer}");
            bare.keys("<Esc>");
            assert_eq!(text(&mut bare), expected, "{name}");
        }
        // Until a preview ends, Neovim reports no change of any buffer.
        open(&mut bare, "not previewed", "one");
        bare.lua("vim.cmd('vnew')");
        bare.keys(":%s/al/el");
        assert_eq!(bare.lua_with(begin, json!([0])), false);
        bare.keys("<Esc>");
        let answer = bare.lua("vim.wait(30000, function() return ANSWER end, 5) return ANSWER");
        assert_eq!(answer, json!({ "applied": true }));
        assert_eq!(text(&mut bare), "new\none");
    });
}
