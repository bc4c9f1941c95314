//! The conversation on small screens, its windows' sizes, and Markdown.

use serde_json::json;

use super::super::plugin_neovim::PluginNeovim;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::{allow_edits_environment, edit, environment_with_rules, for_each_neovim};

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_list_that_is_closed_gives_its_rows_back() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment(edit("a.txt", "two", "2"));
        scripted.env.write("a.txt", "one\ntwo\n");
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("edit a.txt");
        window.command("Copydesk ask Change it");
        window.wait_for_turn_end();
        window.wait_until("require('copydesk.review').count() == 1");
        let sizes = "return vim.tbl_map(vim.api.nvim_win_get_height, vim.api.nvim_tabpage_list_wins(0))";
        let before = window.lua(sizes);
        for _ in 0..3 {
            window.command("Copydesk review");
            assert_ne!(window.lua(sizes), before);
            window.keys("q");
            window.wait_until("#vim.api.nvim_tabpage_list_wins(0) == 3");
            window.screen();
            assert_eq!(window.lua(sizes), before);
        }
    });
}

/// Markdown is hidden in the model's text only, and can be yanked.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn markdown_is_hidden_where_the_model_writes() {
    for_each_neovim(|program| {
        let text = "A **bold `word`** and `code`, 2 ** 3.\n\n```rust\nlet x = \"**\";\n```\n";
        let turns = [
            ScriptedTurn::new().text(text).call("c1", "read", json!({ "filePath": "__init__.py" })),
            ScriptedTurn::new().text("Done"),
        ];
        let scripted = allow_edits_environment(turns);
        scripted.env.write("__init__.py", "pass\n");
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("Copydesk ask Look at **__init__.py**");
        window.wait_for_turn_end();
        window.assert_screen("chat-markdown");
        window.command("2wincmd w");
        window.keys("gg/bold<CR>yy");
        assert_eq!(window.lua("return vim.fn.getreg('\"')"), "A **bold `word`** and `code`, 2 ** 3.\n");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn nothing_is_covered_on_a_screen_of_80_columns() {
    for_each_neovim(|program| {
        let path = "a_folder_with_a_long_name/and_another_one/file.txt";
        let turns = [
            ScriptedTurn::new().text("I look.").call("c1", "read", json!({ "filePath": path })),
            ScriptedTurn::new().text("Done."),
        ];
        let scripted = allow_edits_environment(turns);
        scripted.env.write(path, "text\n");
        scripted.env.write("b.txt", "text\n");
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.lua("vim.o.columns, vim.o.lines = 80, 24");
        window.command("edit b.txt");
        window.command("Copydesk ask Repair the total of the cart in the shop and tell me why it was wrong");
        window.wait_for_turn_end();
        window.assert_screen("chat-80");
        // A message that needs more than a line would ask for a key.
        let fits = "vim.notify = vim.notify_once
            local line = require('copydesk.message').fit(('long '):rep(40))
            return { vim.fn.strdisplaywidth(line) <= vim.v.echospace, line:find('Copydesk status', 1, true) ~= nil }";
        assert_eq!(window.lua(fits), json!([true, true]));
    });
}

/// Neovim itself updates no folds in Insert mode.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn calls_are_folded_while_the_user_types() {
    for_each_neovim(|program| {
        let turns = [
            ScriptedTurn::new().text("I look.").call("c1", "read", json!({ "filePath": "b.txt" })),
            ScriptedTurn::new().text("Done."),
        ];
        let scripted = allow_edits_environment(turns);
        scripted.env.write("b.txt", "one\ntwo\nthree\n");
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("edit b.txt");
        window.lua("T.type('A and')");
        window.wait_until("vim.fn.mode() == 'i' and vim.fn.getline(1) == 'one and'");
        window.command("Copydesk ask Look");
        window.wait_for_turn_end();
        window.wait_until("require('copydesk.chat.transcript').is_drawn()");
        let closed = "local window = vim.fn.win_findbuf(vim.fn.bufnr('copydesk://chat'))[1]
            return vim.api.nvim_win_call(window, function()
              local row = vim.fn.search('read b.txt', 'nw')
              return { vim.fn.foldclosed(row) == row, vim.fn.foldclosed(row - 2), vim.fn.foldclosed('$') }
            end)";
        assert_eq!(window.lua(closed), json!([true, -1, -1]));
        let typing = "return { vim.fn.mode(), vim.fn.col('.'), vim.fn.bufname() }";
        assert_eq!(window.lua(typing), json!(["i", 8, "b.txt"]));
    });
}

/// Of several calls that failed, each names its file, and what the user decided is not told in words for the model.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_failed_call_names_its_subject() {
    for_each_neovim(|program| {
        let change = |old: &str, file: &str| json!({ "filePath": file, "oldString": old, "newString": "2" });
        let code = json!({ "operation": "findReferences", "symbol": "nowhere" });
        let turns = [
            ScriptedTurn::new()
                .call("c1", "edit", change("one", "a.txt"))
                .call("c2", "edit", change("nothing", "b.txt"))
                .call("c3", "bash", json!({ "command": "sleep 600", "timeout": 1 }))
                .call("c4", "lsp", code),
            ScriptedTurn::new().text("Done."),
        ];
        let scripted = environment_with_rules(turns, json!({ "edit": "ask", "bash": "allow" }));
        scripted.env.write("a.txt", "one\n");
        scripted.env.write("b.txt", "one\n");
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("Copydesk ask Change them");
        window.nvim.wait_for_message("CopydeskAsk", |_| true);
        window.command("Copydesk reject use three");
        window.wait_for_turn_end();
        window.wait_until("require('copydesk.chat.transcript').is_drawn()");
        let chat = window.lines("copydesk://chat");
        for line in [
            "✗ edit a.txt · rejected: use three",
            "✗ edit b.txt · The old text is not in the file, which is unchanged.",
            "✗ bash sleep 600 · ended at its timeout",
            "✗ lsp findReferences nowhere · No file of the workspace defines `nowhere`.",
        ] {
            assert!(chat.contains(line), "{line}\n{chat}");
        }
        assert!(!chat.contains("✗ The user"), "{chat}");
    });
}

/// Neovim shows no part of a line at the top of a window, unless it is told to.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_paragraph_that_is_higher_than_the_window_stays_in_sight() {
    for_each_neovim(|program| {
        let long = (1..=200).fold(String::new(), |text, number| text + &format!("word{number} "));
        let turns = [ScriptedTurn::new().text(format!("{long}\n\nThat was it.\n\nReally."))];
        let scripted = allow_edits_environment(turns);
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.lua("vim.o.columns, vim.o.lines = 80, 24");
        window.command("Copydesk ask Tell me");
        window.wait_for_turn_end();
        window.assert_screen("chat-high");
    });
}
