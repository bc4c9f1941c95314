//! Completion in the prompt: mentions, symbols, commands; and commands sent as a prompt.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use super::commands::NeovimUser;
use crate::neovim::neovim_session::{allow_edits_environment, for_each_neovim};
use crate::sessions::harness::ScriptedEnvironment;

fn project() -> ScriptedEnvironment {
    let scripted = allow_edits_environment([]);
    for name in ["src/cart.rs", "src/coupon.rs", "docs/my cart.md", ".git/config"] {
        scripted.env.write(name, "x\n");
    }
    scripted
}

/// A user with the prompt open and the list of files ready.
fn prompting(program: &std::path::Path, scripted: &ScriptedEnvironment) -> NeovimUser {
    // Wide enough for the menu: Neovims differ in how they mark truncated items.
    let mut user = NeovimUser::start_with(program, &scripted.env, json!({ "chat": { "size": 60 } }));
    user.window.command("edit src/cart.rs");
    user.window.command("Copydesk chat");
    user.window.wait_until("#require('copydesk.complete.files').list(vim.fn.getcwd()) > 0");
    user
}

/// The completions at the end of a line of the prompt: the start of the word, and the words.
fn completions_at(user: &mut NeovimUser, line: &str) -> (Value, Vec<String>) {
    let code = "local text = ...
        vim.wo.virtualedit = 'onemore'
        vim.api.nvim_buf_set_lines(0, 0, -1, true, vim.split(text, '\\n'))
        local last = vim.fn.getline('$')
        vim.api.nvim_win_set_cursor(0, { vim.fn.line('$'), #last })
        local complete = require('copydesk.complete').omnifunc
        local start = complete(1, '')
        local words = start >= 0 and complete(0, last:sub(start + 1)).words or {}
        return { start, vim.tbl_map(function(item) return item.word end, words) }";
    let found = user.window.nvim.lua(code, json!([line]));
    (found[0].clone(), serde_json::from_value(found[1].clone()).unwrap_or_default())
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn mentions_and_commands_are_offered_where_they_can_stand() {
    for_each_neovim(|program| {
        let scripted = project();
        let mut user = prompting(program, &scripted);
        for (line, start, first) in [
            ("plain words", -3, vec![]),
            ("mail ann@ca", -3, vec![]),
            ("see @sele", 4, vec!["@selection"]),
            ("see @cartr", 4, vec!["@src/cart.rs"]),
            ("see (@mycart", 5, vec![r#"@"docs/my cart.md""#]),
            (r#"@"docs/my c"#, 0, vec![r#"@"docs/my cart.md""#]),
            ("@coup", 0, vec!["@src/coupon.rs"]),
            ("@nothing-like-it", 0, vec![]),
            ("/sto", 0, vec!["/stop"]),
            ("/undo ca", 6, vec!["call"]),
            ("/sessions ", 10, vec!["rename", "delete", "open"]),
            ("/etc/passwd", -3, vec![]),
            ("words\n/sto", -3, vec![]),
        ] {
            let (column, words) = completions_at(&mut user, line);
            assert_eq!(
                (column, words),
                (json!(start), first.into_iter().map(str::to_owned).collect()),
                "{line}"
            );
        }
        let (_, words) = completions_at(&mut user, "@");
        let begins = ["@buffer", "@selection", "@diagnostics", "@quickfix", "@symbol:", "@src/cart.rs"];
        assert_eq!(words[..6], begins, "{words:?}");
        assert!(!words.iter().any(|word| word.contains(".git/")), "{words:?}");
        let (_, words) = completions_at(&mut user, "/");
        assert!(words.len() > 15 && words.contains(&"/new".to_owned()), "{words:?}");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_menu_opens_by_itself_and_chooses_nothing() {
    for_each_neovim(|program| {
        let scripted = project();
        let mut user = prompting(program, &scripted);
        let before = user.window.lua("return vim.go.completeopt");
        user.window.lua("T.type('iSee @')");
        user.window.wait_until("vim.fn.pumvisible() == 1");
        assert_eq!(user.window.lua("return vim.api.nvim_get_current_line()"), "See @");
        user.window.lua("T.type('coup')");
        user.window.wait_until("#vim.fn.complete_info({ 'items' }).items == 1");
        let screen = user.window.screen();
        let menu: Vec<_> = screen.lines().filter(|line| line.contains("coupon")).map(str::trim).collect();
        assert_eq!(menu.len(), 1, "{screen}");
        user.window.lua("T.type('<Down><C-y> please<Esc>')");
        user.window.wait_until("vim.fn.mode() == 'n'");
        assert_eq!(user.window.lua("return vim.api.nvim_get_current_line()"), "See @src/coupon.rs please");
        assert_eq!(user.window.lua("return vim.go.completeopt"), before);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_menu_that_was_closed_stays_closed_for_that_word() {
    for_each_neovim(|program| {
        let scripted = project();
        let mut user = prompting(program, &scripted);
        // Typed faster than Neovim reacts.
        user.window.lua("T.type('i@co')");
        user.window.wait_until("vim.fn.pumvisible() == 1");
        user.window.lua("T.type('<C-e>u')");
        user.window.wait_until("vim.api.nvim_get_current_line() == '@cou' and vim.fn.pumvisible() == 0");
        user.window.lua("T.type('p @')");
        user.window.wait_until("vim.fn.pumvisible() == 1");
        assert_eq!(user.window.lua("return vim.api.nvim_get_current_line()"), "@coup @");
        // Without completions there is no message.
        user.window.lua("T.type('<Esc>cc/reject for a reason')");
        user.window.wait_until("vim.api.nvim_get_current_line() == '/reject for a reason'");
        assert!(!user.window.screen().contains("not found"), "{}", user.window.screen());
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_menu_is_legible() {
    for_each_neovim(|program| {
        let scripted = project();
        let mut user = prompting(program, &scripted);
        user.window.lua("T.type('iLook at @')");
        user.window.wait_until("vim.fn.pumvisible() == 1");
        user.window.assert_screen("complete-mention");
        user.window.lua("T.type('<Esc>cc/st')");
        user.window.wait_until("#vim.fn.complete_info({ 'items' }).items == 2");
        user.window.assert_screen("complete-command");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn files_that_come_later_are_shown_then() {
    for_each_neovim(|program| {
        let scripted = project();
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.command("Copydesk chat");
        user.window.lua(
            "vim.api.nvim_create_autocmd('CompleteChanged', {
               callback = function() T.tell('menu', vim.fn.complete_info({ 'items' })) end,
             })
             T.type('i@')",
        );
        user.window.nvim.wait_for_message("menu", |told| told.to_string().contains("@src/coupon.rs"));
        assert_eq!(user.window.lua("return vim.api.nvim_get_current_line()"), "@");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn files_are_found_without_git_and_ripgrep() {
    for_each_neovim(|program| {
        let scripted = project();
        scripted.env.write("target/debug/cart.d", "x\n");
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.lua("vim.env.PATH = '/nowhere'");
        user.window.wait_until("#require('copydesk.complete.files').list(vim.fn.getcwd()) > 0");
        let files = user.window.lua("return require('copydesk.complete.files').list(vim.fn.getcwd())");
        assert_eq!(files, json!(["docs/my cart.md", "src/cart.rs", "src/coupon.rs"]));
    });
}

/// A program may be killed in the middle of a name.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn half_a_name_is_not_offered() {
    for_each_neovim(|program| {
        let scripted = project();
        scripted.env.write("~/bin/git", "#!/bin/sh\nprintf 'src/cart.rs\\0src/cou'\n");
        let bin = scripted.env.path("~/bin");
        std::fs::set_permissions(bin.join("git"), std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.nvim.lua("vim.env.PATH = ...", json!([format!("{}:/usr/bin:/bin", bin.display())]));
        user.window.wait_until("#require('copydesk.complete.files').list(vim.fn.getcwd()) > 0");
        let files = user.window.lua("return require('copydesk.complete.files').list(vim.fn.getcwd())");
        assert_eq!(files, json!(["src/cart.rs"]));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn symbols_come_from_the_language_server_and_go_along() {
    for_each_neovim(|program| {
        let scripted = project();
        scripted.env.write("shop.txt", "fn total() {\n  tax()\n}\nfn tax() {}\n");
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.lua(include_str!("server.lua"));
        user.window.lua(
            "local function range(first, last)
               return { start = { line = first, character = 0 }, ['end'] = { line = last, character = 1 } }
             end
             local tax = { name = 'tax', kind = 12, range = range(3, 3), selectionRange = range(3, 3) }
             local total = { name = 'total', kind = 12, range = range(0, 2), selectionRange = range(0, 0), children = { tax } }
             T.serve('words', 'text', {
               capabilities = { documentSymbolProvider = true },
               answers = { ['textDocument/documentSymbol'] = { result = { total } } },
             })",
        );
        user.window.command("edit shop.txt");
        user.window.wait_until("#vim.lsp.get_clients({ name = 'words' }) == 1");
        user.window.command("Copydesk chat");
        assert_eq!(completions_at(&mut user, "@symbol:").1, Vec::<String>::new());
        user.window.wait_until("require('copydesk.complete.symbols').known('tax')");
        assert_eq!(completions_at(&mut user, "@symbol:tot").1, ["@symbol:total"]);
        let gather = "return require('copydesk.context').gather('@symbol:total').items[1].text";
        assert_eq!(user.window.lua(gather), "fn total() {\n  tax()\n}");
        // A server may respond late, when the file is gone, and with anything.
        user.window.lua(
            "local words = T.servers.words
             words.held['textDocument/documentSymbol'] = {}
             words.answers['textDocument/documentSymbol'].result = { 7, vim.NIL, { name = 'odd', range = 7 } }
             local buffer = vim.fn.bufnr('shop.txt')
             vim.api.nvim_buf_set_lines(buffer, 0, 0, true, { '' })
             require('copydesk.complete.symbols').ask(buffer, '', function() T.has_come = true end)
             vim.cmd('bwipeout! shop.txt')
             words:release('textDocument/documentSymbol')",
        );
        user.window.wait_until("T.has_come");
        let odd = "return { vim.v.errmsg, require('copydesk.complete.symbols').known('odd') == nil }";
        assert_eq!(user.window.lua(odd), json!(["", true]));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_command_in_the_prompt_is_run_and_other_words_are_sent() {
    for_each_neovim(|program| {
        let scripted = project();
        let mut user = prompting(program, &scripted);
        user.window.keys("i/add %<Esc><CR>");
        assert_eq!(user.next_notification(), "added to the next prompt: src/cart.rs");
        assert_eq!(user.window.lines("copydesk://prompt"), "");
        for text in ["/etc/passwd is odd", "/nothing", "/stop\nand more", "words"] {
            let is_command =
                user.window.nvim.lua("return require('copydesk.complete').slash(...)", json!([text]));
            assert_eq!(is_command, false, "{text}");
        }
    });
}
