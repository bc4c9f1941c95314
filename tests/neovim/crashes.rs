//! Editors and daemons that crash, and two windows on one session.

use serde_json::json;

use super::neovim_session::{
    DEFAULT_DEBOUNCE_MS, NeovimSession, allow_edits_environment, edit, environment_with_rules,
    for_each_neovim, result,
};
use crate::daemon::stdio_editor::kill;
use crate::model_server::ScriptedTurn;

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_turn_outlives_the_editor_and_is_shown_to_the_next() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([
            ScriptedTurn::new().text("I look.").call("c1", "read", json!({ "filePath": "a.txt" })),
            ScriptedTurn::new().text("I wait").gate("half").text(" and go on."),
        ]);
        scripted.env.write("a.txt", "on the disk\n");
        let mut first = NeovimSession::open(program, &scripted.env, &["a.txt"]);
        first.prompt();
        block_on(scripted.server.wait_for_gate("half"));
        let session = first.session.clone();
        first.nvim.kill();
        let (mut second, loaded) = NeovimSession::join_session(program, &scripted.env, &session);
        assert_eq!(loaded["running"], 1, "{loaded:#}");
        let parts = loaded["parts"].to_string();
        assert!(parts.contains("I look.") && parts.contains("on the disk"), "{parts}");
        scripted.server.open_gate("half");
        second.wait_for_turn_end();
        let parts = second.load()["parts"].to_string();
        assert!(parts.contains("I wait and go on."), "{parts}");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_daemon_that_is_killed_is_replaced_and_told_what_is_not_saved() {
    for_each_neovim(|program| {
        let turns = [
            ScriptedTurn::new().call("c1", "read", json!({ "filePath": "a.txt" })),
            ScriptedTurn::new().text("Done."),
        ];
        let scripted = allow_edits_environment(turns.into_iter().chain(edit("a.txt", "not saved", "edited")));
        scripted.env.write("a.txt", "on the disk\n");
        let mut window =
            NeovimSession::with_debounce(program, &scripted.env, &["a.txt"], DEFAULT_DEBOUNCE_MS);
        window.run_lua("vim.cmd('normal! ccnot saved 🦀')");
        window.run_turn();
        assert!(result(&scripted, 1, "c1").0.contains("1: not saved 🦀"), "{}", result(&scripted, 1, "c1").0);
        let pid =
            window.run_lua("return T.request('copydesk/status', vim.empty_dict()).pid").as_u64().unwrap();
        kill(pid, "-KILL");
        window.nvim.wait_for_message("restarted", |_| true);
        // Typed under the new daemon, after what the old one knew.
        window.run_lua("vim.cmd('normal! otwo')");
        let parts = window.load()["parts"].to_string();
        assert!(parts.contains("not saved"), "what was said is kept: {parts}");
        window.run_turn();
        let (told, failed) = result(&scripted, 3, "c1");

        assert!(!failed, "{told}");
        assert_eq!(window.text("a.txt"), "edited 🦀\ntwo\n");
        assert_eq!(scripted.env.read("a.txt"), "on the disk\n");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_first_of_two_windows_to_reply_wins_and_the_other_is_told() {
    for_each_neovim(|program| {
        let scripted = environment_with_rules(edit("a.txt", "two", "2"), json!({ "edit": "ask" }));
        scripted.env.write("a.txt", "one\ntwo\n");
        let mut first = NeovimSession::open(program, &scripted.env, &["a.txt"]);
        let (mut second, _) = NeovimSession::join_session(program, &scripted.env, &first.session.clone());
        first.run_lua("T.reply = nil");
        second.run_lua("T.reply = nil");
        first.prompt();
        let asked = first.nvim.wait_for_message("ask", |_| true);
        assert_eq!(second.nvim.wait_for_message("ask", |_| true)["ask"], asked["ask"]);
        assert!(asked["metadata"]["diff"].as_str().unwrap().contains("+2"), "{asked}");
        let reply = "coroutine.resume(T.asks[...], { reply = 'once' })";
        second.nvim.lua(reply, json!([asked["ask"]]));
        let settled = first.nvim.wait_for_message("permission/settled", |_| true);
        assert_eq!((&settled["ask"], settled["by"].is_string()), (&asked["ask"], true), "{settled}");
        first.nvim.lua("coroutine.resume(T.asks[...], { reply = 'cancelled' })", json!([asked["ask"]]));
        first.wait_for_turn_end();
        second.wait_for_turn_end();
        assert!(!result(&scripted, 1, "c1").1);
        // The client that prompted owns the turn: its buffer was edited.
        assert_eq!(first.text("a.txt"), "one\n2\n");
        assert_eq!(scripted.env.read("a.txt"), "one\ntwo\n");
    });
}
