//! The start: what is loaded when, wrong options, the maps, the Lua API.

use expect_test::expect;
use serde_json::{Value, json};

use super::commands::NeovimUser;
use super::plugin_neovim::PLUGIN_FOLDER;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::{allow_edits_environment, for_each_neovim};

fn words(value: &Value) -> Vec<String> {
    serde_json::from_value(value.clone()).unwrap_or_else(|_| panic!("{value}"))
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn nothing_is_loaded_before_the_first_use() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let mut user = NeovimUser::start(program, &scripted.env);
        let loaded = "local names = {}
            for name in pairs(package.loaded) do
              if vim.startswith(name, 'copydesk') then names[#names + 1] = name end
            end
            table.sort(names)
            return names";
        assert_eq!(words(&user.window.lua(loaded)), ["copydesk", "copydesk.config"]);
        assert_eq!(user.window.lua("return vim.fn.exists(':Copydesk')"), 2);
        let quiet = "return package.loaded['vim.lsp'] == nil or #vim.lsp.get_clients() == 0";
        assert_eq!(user.window.lua(quiet), true);
        let quiet = "local copydesk = require('copydesk')
            return { copydesk.statusline(), copydesk.status() }";
        let status =
            json!({ "connection": "off", "running": false, "waiting": 0, "undecided": 0, "added": [] });
        assert_eq!(user.window.lua(quiet), json!(["", status]));
        assert_eq!(words(&user.window.lua(loaded)), ["copydesk", "copydesk.config"]);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn every_command_has_a_map_and_nothing_else_is_mapped() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let mut user = NeovimUser::start(program, &scripted.env);
        let names = words(&user.window.lua("return require('copydesk.command').names"));
        let mapped = "local mode = ...
            local found = {}
            for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
              local name = map.lhs:match('^<Plug>%(copydesk%-([%a-]+)%)$')
              if name then found[#found + 1] = name end
              assert(name or not (map.rhs or ''):find('Copydesk'), map.lhs)
            end
            return found";
        let mut wanted = names.clone();
        wanted.sort();
        let mut found = words(&user.window.nvim.lua(mapped, json!(["n"])));
        found.sort();
        assert_eq!(found, wanted);
        let mut visual = words(&user.window.nvim.lua(mapped, json!(["x"])));
        visual.sort();
        assert_eq!(visual, ["accept", "add", "ask", "comment", "reject"]);
        let files = "return vim.tbl_map(function(path) return vim.fn.fnamemodify(path, ':t:r') end,
            vim.api.nvim_get_runtime_file('lua/copydesk/command/*.lua', true))";
        let mut files = words(&user.window.lua(files));
        files.sort();
        assert_eq!(files, wanted, "one file for each command");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn wrong_options_are_told_one_by_one_and_the_defaults_stand_in() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let setup = json!({ "history": 0, "chat": { "siz": 3, "page": 1.5 }, "icons": 5, "nonsense": true });
        let mut user = NeovimUser::start_with(program, &scripted.env, setup);
        let mut said: Vec<_> = (0..5).map(|_| user.next_notification()).collect();
        said.sort();
        expect![[r#"
            setup: `chat.page` must be a whole number
            setup: `history` must be greater than zero
            setup: `icons` is a table, not a number
            setup: there is no option `chat.siz`; did you mean `size`?
            setup: there is no option `nonsense`; there are ask_float, autostart, chat, cmd, follow, history, icons, keys, notify, progress, review"#]]
        .assert_eq(&said.join("\n"));
        assert_eq!(user.window.lua("return require('copydesk.config').get().history"), 200);
        user.window.lua("require('copydesk').setup('right')");
        assert_eq!(user.next_notification(), "setup: `setup` takes a table, not a string");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn autostart_connects_when_neovim_has_started() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let mut user = NeovimUser::start_with(program, &scripted.env, json!({ "autostart": true }));
        user.window.nvim.wait_for_message("CopydeskConnection", |told| told["status"] == "ready");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_older_neovim_is_told_once_and_left_alone() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let mut user = NeovimUser::start(program, &scripted.env);
        let code = "vim.api.nvim_del_user_command('Copydesk')
            vim.g.loaded_copydesk = nil
            local has = vim.fn.has
            vim.fn.has = function(what) return what == 'nvim-0.10' and 0 or has(what) end
            local said = vim.api.nvim_exec2('source ' .. (...), { output = true }).output
            vim.fn.has = has
            local again = vim.api.nvim_exec2('source ' .. (...), { output = true }).output
            return { said, again, vim.fn.exists(':Copydesk') }";
        let line = "Copydesk needs Neovim 0.10 or newer; it is disabled in this one.";
        let found = user.window.nvim.lua(code, json!([format!("{PLUGIN_FOLDER}/plugin/copydesk.lua")]));
        assert_eq!(found, json!([line, "", 0]));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn other_plugins_have_a_small_api() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([ScriptedTurn::new().text("Done.")]);
        scripted.env.write("a.txt", "one\n");
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.command("edit a.txt");
        user.window.lua(
            "local copydesk = require('copydesk')
             copydesk.on('TurnEnded', function(data) T.tell('heard', data['end']) end)
             copydesk.add('%')
             copydesk.ask('What is it?', {
               context = { { uri = 'nvim:notes', text = 'a note' } },
               done = function(problem) T.tell('taken', { problem = problem }) end,
             })",
        );
        assert_eq!(user.window.nvim.wait_for_message("taken", |_| true), json!([]));
        assert_eq!(user.window.nvim.wait_for_message("heard", |_| true), json!({ "kind": "done" }));
        let sent = scripted.last_message(0);
        assert!(sent.contains(r"What is it?\n\n[a.txt]\none\n\n\n[nvim:notes]\na note"), "{sent}");
        assert_eq!(user.window.lua("return vim.fn.expand('%')"), "a.txt");
        let status = user.window.lua("return require('copydesk').status()");
        assert_eq!(
            (&status["title"], &status["running"]),
            (&json!("What is it?"), &json!(false)),
            "{status}"
        );
        assert_eq!(user.window.lua("return require('copydesk').statusline()"), "✓");
        let visible = "return require('copydesk.chat').is_visible()";
        assert_eq!(user.window.lua(visible), true);
        user.window.lua("require('copydesk').close()");
        assert_eq!(user.window.lua(visible), false);
        user.window.lua("require('copydesk').input('and more')");
        assert_eq!(user.window.lines("copydesk://prompt"), "and more");
        user.window.lua("require('copydesk').toggle()");
        assert_eq!(user.window.lua(visible), false);
        user.window.lua("require('copydesk').stop()");
        assert_eq!(
            user.window.nvim.wait_for_message("said", |said| said["text"] == "Copydesk: no turn is running")
                ["level"],
            2
        );
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn highlight_groups_stay_what_a_user_made_them() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.command("highlight CopydeskYou guifg=#123456");
        user.run_command("Copydesk stop", json!([]));
        user.next_notification();
        let links = "local links = {}
            for name in pairs(require('copydesk.highlight').groups) do
              local found = vim.api.nvim_get_hl(0, { name = name })
              links[name] = found.link or found.fg
              assert(not found.link or next(vim.api.nvim_get_hl(0, { name = found.link })), found.link)
            end
            return links";
        let before = user.window.lua(links);
        assert_eq!((&before["CopydeskYou"], &before["CopydeskDim"]), (&json!(0x12_34_56), &json!("Comment")));
        user.window.command("colorscheme habamax");
        let after = user.window.lua(links);
        assert_eq!(after["CopydeskDim"], "Comment", "{after}");
    });
}
