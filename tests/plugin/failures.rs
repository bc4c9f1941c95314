//! Faults around a conversation: daemons and connections that break, files of every kind, and the rest of the user's
//! Neovim.

use std::path::Path;

use serde_json::{Value, json};

use super::plugin_neovim::PluginNeovim;
use crate::daemon::stdio_editor::kill;
use crate::model_server::ScriptedTurn;
use crate::neovim::crashes::block_on;
use crate::neovim::neovim_session::{allow_edits_environment, edit, for_each_neovim, result};
use crate::sessions::harness::ScriptedEnvironment;

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_daemon_that_is_killed_is_replaced_and_the_conversation_goes_on() {
    for_each_neovim(|program| {
        let scripted =
            allow_edits_environment([ScriptedTurn::new().text("One."), ScriptedTurn::new().text("Two.")]);
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("Copydesk ask First");
        window.wait_for_turn_end();
        let ask = "return T.await(function(done)
            require('copydesk.client').request('copydesk/status', {}, function(_, r) done(r.pid) end)
        end)";
        let pid = window.lua(ask).as_u64().unwrap();
        window.nvim.discard_messages();
        kill(pid, "-KILL");
        window.nvim.wait_for_message("CopydeskSession", |told| told["what"] == "loaded");
        window.command("Copydesk ask Second");
        window.wait_for_turn_end();
        window.wait_until("require('copydesk.chat.transcript').is_drawn()");
        let lines = window.lines("copydesk://chat");
        assert!(["First", "One.", "Second", "Two."].iter().all(|said| lines.contains(said)), "{lines}");
    });
}

/// As Ctrl-Z in a terminal does.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_edit_is_not_made_after_the_model_was_told_that_it_failed() {
    for_each_neovim(|program| {
        let told = ScriptedTurn::new().gate_before_response("told").text("I see.");
        let [first, _] = edit("a.txt", "two", "TWO");
        let scripted = allow_edits_environment([first.gate_before_response("begin"), told]);
        scripted.env.write("a.txt", "one\ntwo\n");
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("edit a.txt");
        window.command("Copydesk ask Edit");
        block_on(scripted.server.wait_for_gate("begin"));
        let neovim = window.lua("return vim.fn.getpid()").as_u64().unwrap();
        kill(neovim, "-STOP");
        scripted.server.open_gate("begin");
        block_on(scripted.server.wait_for_gate("told"));
        kill(neovim, "-CONT");
        scripted.server.open_gate("told");
        window.wait_for_turn_end();
        let (told, is_error) = result(&scripted, 1, "c1");
        assert!(is_error && told.contains("did not answer in time"), "{told}");
        assert_eq!(window.lines("a.txt"), "one\ntwo");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_line_that_breaks_is_made_again_and_the_turn_is_shown_to_its_end() {
    for_each_neovim(|program| {
        let scripted =
            allow_edits_environment([ScriptedTurn::new().text("I begin").gate("half").text(" and end.")]);
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("Copydesk ask Work");
        block_on(scripted.server.wait_for_gate("half"));
        // Kill the process between Neovim and the daemon, as a crash would.
        let shim = window.lua("return vim.fn.system({ 'pgrep', '-P', vim.fn.getpid(), '-f', ' lsp' })");
        let shim: u64 = shim.as_str().unwrap().trim().parse().unwrap();
        window.nvim.discard_messages();
        kill(shim, "-KILL");
        window.nvim.wait_for_message("CopydeskSession", |told| told["what"] == "loaded");
        scripted.server.open_gate("half");
        window.wait_for_turn_end();
        window.wait_until("require('copydesk.chat.transcript').is_drawn()");
        let lines = window.lines("copydesk://chat");
        assert!(lines.ends_with("I begin and end."), "{lines}");
        assert_eq!(window.lua("return T.said"), json!([]), "no message is shown");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_turn_that_ends_while_the_line_is_broken_is_told_when_it_stands_again() {
    for_each_neovim(|program| {
        let scripted =
            allow_edits_environment([ScriptedTurn::new().text("I begin").gate("half").text(" and end.")]);
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("Copydesk ask Work");
        block_on(scripted.server.wait_for_gate("half"));
        window.lua("require('copydesk.client').stop()");
        scripted.server.open_gate("half");
        let runs = || {
            let status: Value =
                serde_json::from_str(&scripted.env.run(&["status", "--json"]).stdout).unwrap();
            status["sessions"].as_array().unwrap().iter().any(|session| session["running"] == true)
        };
        while runs() {}
        window.command("Copydesk restart");
        window.wait_for_turn_end();
        window.wait_until("require('copydesk.chat.transcript').is_drawn()");
        assert!(window.lines("copydesk://chat").ends_with("I begin and end."));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_buffer_that_is_wiped_during_a_turn_is_edited_on_the_disk() {
    for_each_neovim(|program| {
        let (scripted, mut window) = start_gated_turn(program);
        window.command("1wincmd w | enew | bwipeout! a.txt");
        scripted.server.open_gate("half");
        window.wait_for_turn_end();
        assert!(!result(&scripted, 2, "c1").1);
        assert_eq!(scripted.env.read("a.txt"), "one\n2\n");
    });
}

/// A turn that is going to change `two` in the open file, and waits before it does.
fn start_gated_turn(program: &Path) -> (ScriptedEnvironment, PluginNeovim) {
    let [first, last] = edit("a.txt", "two", "2");
    let turns = [ScriptedTurn::new().text("So").gate("half").call("c0", "list", json!({})), first, last];
    let scripted = allow_edits_environment(turns);
    scripted.env.write("a.txt", "one\ntwo\n");
    let mut window = PluginNeovim::open(program, &scripted.env);
    window.command("edit a.txt");
    window.command("Copydesk ask Change it");
    block_on(scripted.server.wait_for_gate("half"));
    (scripted, window)
}

fn bytes(scripted: &ScriptedEnvironment) -> Vec<u8> {
    std::fs::read(scripted.env.path("a.txt")).unwrap()
}

/// The name, the options before it is opened, its bytes, and its bytes after the agent has replaced `two` and the user has
/// written the file.
const FILES: &[(&str, &str, &[u8], &[u8])] = &[
    ("latin", "set fileencodings=ucs-bom,utf-8,latin1", b"\xe4\ntwo\n", b"\xe4\n2\n"),
    ("marked", "", b"\xef\xbb\xbfone\ntwo\n", b"\xef\xbb\xbfone\n2\n"),
    ("dos", "", b"one\r\ntwo\r\n", b"one\r\n2\r\n"),
    ("without an end", "set nofixendofline", b"one\ntwo", b"one\n2"),
    ("with a swap file", "set swapfile", b"one\ntwo\n", b"one\n2\n"),
];

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn files_of_every_kind_are_what_a_user_would_have_written() {
    for_each_neovim(|program| {
        for (name, options, before, after) in FILES {
            let scripted = allow_edits_environment(edit("a.txt", "two", "2"));
            scripted.env.write("a.txt", before);
            let mut window = PluginNeovim::open(program, &scripted.env);
            window.command(options);
            window.command("edit a.txt");
            window.command("Copydesk ask Change it");
            window.wait_for_turn_end();
            assert!(!result(&scripted, 1, "c1").1, "{name}: {}", result(&scripted, 1, "c1").0);
            assert_eq!(bytes(&scripted), *before, "{name}: nothing is saved");
            window.command("1wincmd w | silent write");
            assert_eq!(bytes(&scripted), *after, "{name}");
            window.command("silent undo | silent write");
            assert_eq!(bytes(&scripted), *before, "{name}: one undo takes it back");
        }
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_very_long_line_is_edited_as_any_other() {
    for_each_neovim(|program| {
        let long = "x".repeat(3_000_000);
        let scripted = allow_edits_environment(edit("a.txt", "two", "2"));
        scripted.env.write("a.txt", format!("{long}\ntwo\n"));
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("edit a.txt");
        window.command("Copydesk ask Change it");
        window.wait_for_turn_end();
        assert_eq!(window.lua("return vim.fn.getbufline(vim.fn.bufnr('a.txt'), 2)"), json!(["2"]));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_user_can_write_all_and_quit_in_the_middle_of_a_turn() {
    for_each_neovim(|program| {
        let (scripted, mut window) = start_gated_turn(program);
        window.keys("<C-w>tothree<Esc>");
        window.quit_with("wqa");
        assert_eq!(scripted.env.read("a.txt"), "one\nthree\ntwo\n");
        // The turn continues without the editor.
        let mut later = PluginNeovim::open(program, &scripted.env);
        later.lua("vim.ui.select = function(items, _, done) done(items[1], 1) end");
        later.command("Copydesk chat");
        later.command("Copydesk sessions");
        later.nvim.wait_for_message("CopydeskSession", |told| told["what"] == "loaded");
        scripted.server.open_gate("half");
        later.wait_for_turn_end();
        assert_eq!(scripted.env.read("a.txt"), "one\nthree\n2\n");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_rest_of_neovim_does_not_notice_the_conversation() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([ScriptedTurn::new().text("One.")]);
        scripted.env.write("a.txt", "a\n");
        scripted.env.write("b.txt", "b\n");
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("edit a.txt | edit b.txt");
        window.command("Copydesk ask Work");
        window.wait_for_turn_end();
        window.command("1wincmd w | let g:seen = [] | bufdo call add(g:seen, expand('%:t'))");
        assert_eq!(window.lua("return vim.g.seen"), json!(["a.txt", "b.txt"]));
        assert_eq!(window.lua("return vim.fn.winnr('$')"), 3);
        // Another tab page has its own windows of the same conversation.
        window.command("tabnew a.txt | Copydesk chat");
        assert_eq!(window.lua("return vim.fn.winnr('$')"), 3);
        window.command("Copydesk chat");
        assert_eq!(window.lua("return { vim.fn.winnr('$'), vim.fn.expand('%:t') }"), json!([1, "a.txt"]));
        window.command("tabclose");
        assert_eq!(window.lua("return vim.fn.winnr('$')"), 3);
        // Closing one of the two closes the other.
        window.command("3wincmd w | quit");
        window.wait_until("vim.fn.winnr('$') == 1");
        window.command("mksession! Session.vim");
        let saved = scripted.env.read("Session.vim");
        assert!(saved.contains("b.txt") && !saved.contains("copydesk://"), "{saved}");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_session_file_of_neovim_brings_the_conversation_back() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([ScriptedTurn::new().text("One.")]);
        scripted.env.write("a.txt", "a\n");
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("edit a.txt");
        window.command("Copydesk ask Work");
        window.wait_for_turn_end();
        window.command("mksession! Session.vim");
        window.quit_with("qall");
        let mut later = PluginNeovim::open(program, &scripted.env);
        later.command("silent source Session.vim");
        let shown = "return vim.iter(vim.api.nvim_tabpage_list_wins(0)):map(function(win)
            return vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win)):match('[^/]*$')
        end):totable()";
        let windows = later.lua(shown).to_string();
        assert!(windows.contains("a.txt"), "{windows}");
        later.command("Copydesk chat");
        later.command("Copydesk chat");
        assert_eq!(later.lua("return T.said"), json!([]));
    });
}
