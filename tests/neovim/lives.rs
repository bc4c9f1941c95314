//! Editors and daemons that die, and two windows on one session.

use serde_json::json;

use super::window::{USUAL, Window, desk, edit, on_each, result, with_rules};
use crate::daemon::editor::kill;
use crate::model_server::Turn;

pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_turn_outlives_the_editor_and_is_shown_to_the_next() {
    on_each(|program| {
        let scripted = desk([
            Turn::new().text("I look.").call("c1", "read", json!({ "filePath": "a.txt" })),
            Turn::new().text("I wait").gate("half").text(" and go on."),
        ]);
        scripted.desk.write("a.txt", "on the disk\n");
        let mut first = Window::open(program, &scripted.desk, &["a.txt"]);
        first.prompt();
        wait(scripted.server.reached("half"));
        let session = first.session.clone();
        first.nvim.kill();
        let (mut second, loaded) = Window::join(program, &scripted.desk, &session);
        assert_eq!(loaded["running"], 1, "{loaded:#}");
        let parts = loaded["parts"].to_string();
        assert!(parts.contains("I look.") && parts.contains("on the disk"), "{parts}");
        scripted.server.open("half");
        second.ended();
        let parts = second.load()["parts"].to_string();
        assert!(parts.contains("I wait and go on."), "{parts}");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_daemon_that_is_killed_is_replaced_and_told_what_is_not_saved() {
    on_each(|program| {
        let turns =
            [Turn::new().call("c1", "read", json!({ "filePath": "a.txt" })), Turn::new().text("Done.")];
        let scripted = desk(turns.into_iter().chain(edit("a.txt", "not saved", "edited")));
        scripted.desk.write("a.txt", "on the disk\n");
        let mut window = Window::with_debounce(program, &scripted.desk, &["a.txt"], USUAL);
        window.does("vim.cmd('normal! ccnot saved 🦀')");
        window.work();
        assert!(result(&scripted, 1, "c1").0.contains("1: not saved 🦀"), "{}", result(&scripted, 1, "c1").0);
        let pid = window.does("return T.request('copydesk/status', vim.empty_dict()).pid").as_u64().unwrap();
        kill(pid, "-KILL");
        window.nvim.wait("restarted", |_| true);
        // Typed under the new daemon, on top of what the old one was told.
        window.does("vim.cmd('normal! otwo')");
        let parts = window.load()["parts"].to_string();
        assert!(parts.contains("not saved"), "what was said is kept: {parts}");
        window.work();
        let (told, failed) = result(&scripted, 3, "c1");

        assert!(!failed, "{told}");
        assert_eq!(window.text("a.txt"), "edited 🦀\ntwo\n");
        assert_eq!(scripted.desk.read("a.txt"), "on the disk\n");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_first_of_two_windows_to_reply_wins_and_the_other_is_told() {
    on_each(|program| {
        let scripted = with_rules(edit("a.txt", "two", "2"), json!({ "edit": "ask" }));
        scripted.desk.write("a.txt", "one\ntwo\n");
        let mut first = Window::open(program, &scripted.desk, &["a.txt"]);
        let (mut second, _) = Window::join(program, &scripted.desk, &first.session.clone());
        first.does("T.reply = nil");
        second.does("T.reply = nil");
        first.prompt();
        let asked = first.nvim.wait("ask", |_| true);
        assert_eq!(second.nvim.wait("ask", |_| true)["ask"], asked["ask"]);
        assert!(asked["metadata"]["diff"].as_str().unwrap().contains("+2"), "{asked}");
        let reply = "coroutine.resume(T.asks[...], { reply = 'once' })";
        second.nvim.lua(reply, json!([asked["ask"]]));
        let settled = first.nvim.wait("permission/settled", |_| true);
        assert_eq!((&settled["ask"], settled["by"].is_string()), (&asked["ask"], true), "{settled}");
        first.nvim.lua("coroutine.resume(T.asks[...], { reply = 'cancelled' })", json!([asked["ask"]]));
        first.ended();
        second.ended();
        assert!(!result(&scripted, 1, "c1").1);
        // The one that prompted is home: its buffer was edited.
        assert_eq!(first.text("a.txt"), "one\n2\n");
        assert_eq!(scripted.desk.read("a.txt"), "one\ntwo\n");
    });
}
