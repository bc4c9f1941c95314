//! Buffers without a name are documents, too, until they get one.

use serde_json::json;

use crate::neovim::neovim_session::for_each_neovim;
use crate::plugin::mock_daemon_neovim::MockDaemonNeovim;

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_daemon_has_the_text_of_an_unnamed_buffer_whatever_happens_to_it() {
    for_each_neovim(|program| {
        for (seed, encoding) in ["utf-8", "utf-16", "utf-32"].into_iter().enumerate() {
            let mut bare = MockDaemonNeovim::start(program, encoding);
            bare.lua(include_str!("../random.lua"));
            bare.lua_with("R.seed(...)", json!([seed]));
            let version = bare.lua_with("return R.untitled(...)", json!([300])).as_u64().unwrap();
            assert!(version > 300, "tame deeds: {version}");
        }
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn several_unnamed_buffers_are_several_documents_and_can_be_edited() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        let seen = bare.lua(
            "local first = S.attach(vim.api.nvim_get_current_buf())
             vim.api.nvim_buf_set_lines(first, 0, -1, true, { 'one' })
             vim.cmd('new')
             local second = S.attach(vim.api.nvim_get_current_buf())
             vim.api.nvim_buf_set_lines(second, 0, -1, true, { 'two' })
             require('copydesk.sync').flush()
             local answer = S.apply({ [first] = { { 0, 0, 0, 3, '1' } }, [second] = { { 1, 0, 1, 0, 'more\\n' } } })
             local buffer = require('copydesk.buffer')
             return { answer, S.known(first), S.known(second), S.lines(first), S.lines(second),
               buffer.of(buffer.uri(first)) == first, buffer.of(buffer.uri(second)) == second }",
        );
        let expected = json!([{ "applied": true }, "1\n", "two\nmore\n", ["1"], ["two", "more"], true, true]);
        assert_eq!(seen, expected);
    });
}

/// Ways to get a name, and what the daemon has open afterwards.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_buffer_that_gets_a_name_is_another_document_with_the_same_text() {
    for_each_neovim(|program| {
        for command in ["file name.txt", "saveas name.txt", "write name.txt", "write! name.txt | edit"] {
            let mut bare = MockDaemonNeovim::start(program, "utf-8");
            let seen = bare.lua_with(
                "local command = ...
                 require('copydesk.attach').all(S.client)
                 local bufnr = vim.api.nvim_get_current_buf()
                 vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, { 'one' })
                 vim.cmd('silent ' .. command)
                 local names = vim.tbl_keys(S.documents)
                 local answer = S.apply({ [bufnr] = { { 0, 0, 0, 3, 'two' } } })
                 return { #names, vim.fs.basename(names[1]), answer, S.known(bufnr) }",
                json!([command]),
            );
            assert_eq!(seen, json!([1, "name.txt", { "applied": true }, "two\n"]), "{command}");
        }
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_is_no_document_any_more_is_closed() {
    for_each_neovim(|program| {
        for command in
            ["bwipeout!", "bunload!", "bdelete!", "setlocal buftype=nofile", "setlocal nobuflisted"]
        {
            let mut bare = MockDaemonNeovim::start(program, "utf-8");
            let seen = bare.lua_with(
                "local command = ...
                 vim.cmd('new')
                 local bufnr = S.attach(vim.api.nvim_get_current_buf())
                 vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, { 'one' })
                 require('copydesk.sync').flush()
                 local uri = require('copydesk.buffer').uri(bufnr)
                 local before = S.documents[uri].text
                 vim.cmd('silent ' .. command)
                 require('copydesk.sync').flush()
                 return { before, S.documents[uri] == nil }",
                json!([command]),
            );
            assert_eq!(seen, json!(["one\n", true]), "{command}");
        }
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_is_typed_is_told_without_being_asked_for() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        bare.lua("B = S.attach(vim.api.nvim_get_current_buf())");
        bare.keys("iwords");
        let told = bare.lua(
            "local uri = require('copydesk.buffer').uri(B)
             return vim.wait(10000, function() return S.documents[uri].text == 'words\\n' end, 5)",
        );
        assert_eq!(told, true);
        bare.lua("require('copydesk.sync').close_all(S.client)");
        assert_eq!(bare.lua("return vim.tbl_count(S.documents)"), 0);
    });
}

/// Neovim reuses an empty buffer for the first file that is opened.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_empty_buffer_that_becomes_a_file_is_that_file() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        bare.write("a.txt", "one\n");
        let seen = bare.lua(
            "require('copydesk.attach').all(S.client)
             local bufnr = vim.api.nvim_get_current_buf()
             vim.cmd('silent edit a.txt')
             local names = vim.tbl_keys(S.documents)
             return { vim.api.nvim_get_current_buf() == bufnr, #names, vim.fs.basename(names[1]), S.known(bufnr) }",
        );
        assert_eq!(seen, json!([true, 1, "a.txt", "one\n"]));
    });
}
