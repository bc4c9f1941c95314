//! A renamed document: the daemon is told at once, and continues with the text.

use serde_json::json;

use crate::neovim::neovim_session::for_each_neovim;
use crate::plugin::mock_daemon_neovim::MockDaemonNeovim;

/// With `a.txt` open in `B`, and modified.
fn opened(program: &std::path::Path) -> MockDaemonNeovim {
    let mut bare = MockDaemonNeovim::start(program, "utf-8");
    bare.write("a.txt", "one\n");
    bare.write("taken.txt", "taken\n");
    bare.lua(
        "require('copydesk.attach').all(S.client)
         vim.cmd('silent edit taken.txt')
         vim.cmd('silent edit a.txt')
         B = vim.api.nvim_get_current_buf()
         vim.api.nvim_buf_set_lines(B, 0, 1, true, { 'typed' })",
    );
    bare
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_buffer_that_gets_another_name_is_another_document() {
    for_each_neovim(|program| {
        for (command, name) in [
            ("file b.txt", "b.txt"),
            ("saveas b.txt", "b.txt"),
            ("lua vim.api.nvim_buf_set_name(B, 'b.txt')", "b.txt"),
            ("0file", ""),
            ("lua pcall(vim.cmd.file, 'taken.txt')", "a.txt"),
        ] {
            let mut bare = opened(program);
            bare.lua_with("vim.cmd('silent ' .. ...)", json!([command]));
            let seen = bare.lua(
                "vim.api.nvim_buf_set_lines(B, -1, -1, true, { 'more' })
                 local applied = S.apply({ [B] = { { 0, 0, 0, 0, 'zero\\n' } } })
                 local names = {}
                 for uri in pairs(S.documents) do
                   table.insert(names, vim.startswith(uri, 'file:') and vim.fs.basename(uri) or '')
                 end
                 table.sort(names)
                 return { applied.applied, S.known(B), names }",
            );
            let mut names = vec![name, "taken.txt"];
            names.sort_unstable();
            assert_eq!(seen, json!([true, "zero\ntyped\nmore\n", names]), "{command}");
        }
    });
}
