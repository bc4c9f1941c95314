//! `status`, `log`, `doctor`, `restart` and `:checkhealth`.

use expect_test::expect;
use serde_json::json;

use super::NeovimUser;
use super::failures::PID;
use crate::model_server::{ScriptedTurn, ScriptedUsage};
use crate::neovim::neovim_session::{allow_edits_environment, for_each_neovim};

/// Masks figures that differ between runs.
fn steady(text: &str) -> String {
    let mut out = String::new();
    let mut is_number = false;
    for letter in text.chars() {
        if !letter.is_ascii_digit() {
            out.push(letter);
        } else if !is_number {
            out.push('0');
        }
        is_number = letter.is_ascii_digit();
    }
    out
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn status_is_one_screen() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([ScriptedTurn::new().text("Done.").usage(ScriptedUsage {
            input: 1000,
            output: 50,
            ..ScriptedUsage::default()
        })]);
        scripted.env.write("a.txt", "one\n");
        let mut user = NeovimUser::start(program, &scripted.env);
        user.run_command("edit a.txt | Copydesk status", json!([]));
        user.window.wait_until("vim.bo.buftype == 'nofile'");
        let text = user.window.lines("copydesk://status");
        expect![[r"
            Connection   not connected; connects on first use
            Plugin       version 0.0.0"]]
        .assert_eq(&steady(&text));
        user.window.keys("q");
        user.run_turn("Work");
        user.run_command("Copydesk add", json!([]));
        user.next_notification();
        user.run_command("Copydesk status", json!([]));
        user.window.wait_until("vim.bo.buftype == 'nofile'");
        let text = user.window.lines("copydesk://status");
        expect![[r"
            Connection   connected
            Plugin       version 0.0.0
            Daemon       version 0.0.0, process 0
                         0 session open, 0 with a running turn
                         0 client, 0 document
            Documents    0 from this Neovim

            Session      Work
            Folder       PROJECT
            Agent        build
            Preset       normal
            Model        script/m-0
            Turn         none is running
            Tokens       0 in the last request
            Context      system 0, tools 0, conversation 0, of 0
            Cost         $0.0
            Added        a.txt"]]
        .assert_eq(&steady(
            &text.replace(scripted.env.path("").to_str().unwrap().trim_end_matches('/'), "PROJECT"),
        ));
        assert_eq!(user.window.lua("return vim.bo.buflisted"), false);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn log_opens_both_logs_and_neither_is_a_document() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.connect();
        user.window.lua("require('vim.lsp.log').error('something of ours') ");
        user.run_command("Copydesk log", json!([]));
        user.window.wait_until("vim.fn.tabpagenr('$') == 2 and #vim.api.nvim_tabpage_list_wins(0) == 2");
        let shown = "local all = {}
            for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
              local buffer = vim.api.nvim_win_get_buf(window)
              local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, true)
              all[#all + 1] = { vim.fs.basename(vim.api.nvim_buf_get_name(buffer)), vim.bo[buffer].buflisted, #lines > 0 }
            end
            return all";
        let log = user.window.lua(shown);
        assert_eq!(log, json!([["daemon.log", false, true], ["lsp.log", false, true]]));
    });
}

/// Another Neovim may have it open, and other plugins' callbacks may fail.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn log_is_opened_whatever_else_opening_a_file_brings_up() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let mut user = NeovimUser::start(program, &scripted.env);
        let prepared = user.window.lua(
            "local log = (vim.lsp.log or require('vim.lsp.log')).get_filename()
             vim.fn.mkdir(vim.fs.dirname(log), 'p')
             vim.fn.writefile({ 'words', 'vim: set textwidth=33 :' }, log)
             local crash = \"lua vim.uv.kill(vim.uv.os_getpid(), 'sigkill')\"
             local other = { vim.v.progpath, '--headless', '--clean', '-c', 'set directory=. swapfile', '-c', 'edit ' .. log }
             vim.list_extend(other, { '-c', 'normal ox', '-c', 'preserve', '-c', crash })
             T.await(function(done) vim.system(other, {}, done) end)
             vim.o.directory, vim.o.swapfile, vim.o.shortmess, vim.o.modeline = '.', true, '', true
             vim.api.nvim_create_autocmd('BufReadPost', { callback = function() error('mine') end })
             return vim.uv.fs_stat(vim.fs.dirname(log) .. '/.lsp.log.swp') ~= nil",
        );
        assert_eq!(prepared, true);
        user.run_command("Copydesk log", json!([]));
        user.window.wait_until("vim.fn.expand('%:t') == 'lsp.log'");
        let seen =
            "return { vim.bo.modifiable, vim.bo.textwidth, vim.go.modeline, vim.go.modelines, T.said }";
        assert_eq!(user.window.lua(seen), json!([false, 0, true, 5, []]));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_command_line_window_is_told_of() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.lua("T.type('q:')");
        user.window.wait_until("vim.fn.getcmdwintype() == ':'");
        for name in ["chat", "status", "log", "doctor"] {
            user.run_command(&format!("Copydesk {name}"), json!([]));
            let way_out = "cannot open a window from the command-line window; leave it with <C-c>";
            assert_eq!(user.next_notification(), way_out, "{name}");
        }
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn doctor_shows_what_the_program_finds() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let mut user = NeovimUser::start(program, &scripted.env);
        for _ in 0..2 {
            user.run_command("Copydesk doctor", json!([]));
            user.window.wait_until("vim.fn.bufnr('copydesk://doctor') > 0");
        }
        let text = user.window.lines("copydesk://doctor");
        assert!(
            text.contains("✓ shell") && text.contains("script/m-1") && !text.contains('\u{1b}'),
            "{text}"
        );
        user.window.wait_until("#vim.api.nvim_list_wins() == 2");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn restart_connects_anew_and_keeps_the_session() {
    for_each_neovim(|program| {
        let scripted =
            allow_edits_environment([ScriptedTurn::new().text("One."), ScriptedTurn::new().text("Two.")]);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.run_turn("First");
        let client = user.window.lua("return require('copydesk.client').get().id");
        user.run_command("Copydesk restart", json!([]));
        assert_eq!(user.next_notification(), "connected");
        assert_ne!(user.window.lua("return require('copydesk.client').get().id"), client);
        user.run_turn("Second");
        assert!(scripted.last_message(1).contains("Second"));
        assert!(scripted.request_body(1)["messages"].to_string().contains("First"));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn restart_with_a_bang_has_a_new_daemon() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([ScriptedTurn::new().text("One.")]);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.run_turn("First");
        let before = user.window.lua(PID);
        user.run_command("Copydesk! restart", json!([]));
        assert_eq!(user.next_notification(), "The daemon has stopped.");
        assert_eq!(user.next_notification(), "connected");
        assert_ne!(user.window.lua(PID), before);
        let parts = "require('copydesk.session').current().parts[1]";
        user.window.wait_until(parts);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn checkhealth_finds_nothing_wrong_where_nothing_is() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.connect();
        user.window.command("checkhealth copydesk");
        let text = user.window.lines("%");
        assert!(!text.contains("ERROR"), "{text}");
        for words in ["connection: ready", "protocol 1", "all options are valid", "model: script/m-1"] {
            assert!(text.contains(words), "no `{words}`: {text}");
        }
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn checkhealth_says_what_to_do() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let setup = json!({ "cmd": "copydesk-nowhere", "chat": { "positon": "left" }, "notify": "some" });
        let mut user = NeovimUser::start_with(program, &scripted.env, setup);
        user.window.lua("vim.ui.select = setmetatable({}, { __call = function() end })");
        user.window.command("checkhealth copydesk");
        let text = user.window.lines("%");
        for words in [
            "`vim.ui.select`: another one",
            "cannot find the program `copydesk-nowhere`",
            "cargo install --path daemon/cli",
            "there is no option `chat.positon`; did you mean `position`?",
            "`notify` is one of all, asks, none, not \"some\"",
        ] {
            assert!(text.contains(words), "no `{words}`: {text}");
        }
    });
}
