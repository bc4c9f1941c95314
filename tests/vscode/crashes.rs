//! Windows that are loaded again, daemons that are killed, and several editors on one session.

use std::path::Path;

use serde_json::json;

use super::vscode_user::VscodeUser;
use crate::daemon::stdio_editor::kill;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::{allow_edits_environment, for_each_neovim};
use crate::plugin::plugin_neovim::PluginNeovim;

const OLD: &str = "one\ntwo\nthree\nfour\nfive\n";

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn work_goes_on_after_a_reload_and_after_the_daemon_is_killed() {
    let mut user = VscodeUser::start(allow_edits_environment([]));
    a_window_that_is_loaded_again_in_the_middle_of_a_turn_gets_the_edit(&mut user);
    a_daemon_that_is_killed_is_replaced_and_told_what_is_not_saved(&mut user);
}

fn a_window_that_is_loaded_again_in_the_middle_of_a_turn_gets_the_edit(user: &mut VscodeUser) {
    user.scripted.env.write("a.txt", OLD);
    user.window.open("a.txt");
    user.window.js("await T.insert(T.document('a.txt'), () => 0, 'not saved\\n')", json!([]));
    let edit = json!({ "filePath": "a.txt", "oldString": "two", "newString": "TWO" });
    user.scripted
        .server
        .queue_turn(ScriptedTurn::new().text("I wait.").gate("reloaded").call("c1", "edit", edit));
    user.scripted.server.queue_turn(ScriptedTurn::new().text("Done."));
    user.ask("Work");
    user.wait_for_gate("reloaded");
    user.server.wait_for_backup("not saved\none");
    user.window.reload(&mut user.server);
    // Unsaved text comes back, in a document that begins to count its versions again.
    user.window.wait_for_text("a.txt", &format!("not saved\n{OLD}"));
    user.wait_for_editors(1, 1);
    user.open_gate("reloaded");
    assert_eq!(user.wait_for_turn_end(), "done");
    let (told, failed) = user.result("c1");
    assert!(!failed, "{told}");
    user.window.wait_for_text("a.txt", &format!("not saved\n{}", OLD.replace("two", "TWO")));
    assert_eq!(user.scripted.env.read("a.txt"), OLD);
    // The window is still in its session.
    let before = user.session.clone();
    user.edit("a.txt", "three", "THREE");
    assert_eq!(user.newest_session(), before);
}

fn a_daemon_that_is_killed_is_replaced_and_told_what_is_not_saved(user: &mut VscodeUser) {
    user.scripted.env.write("b.txt", "on the disk\n");
    user.window.open("b.txt");
    user.window.js("await T.insert(T.document('b.txt'), () => 0, 'not saved 🦀\\n')", json!([]));
    let (told, _) = user.run_call("read", json!({ "filePath": "b.txt" }));
    assert!(told.contains("1: not saved 🦀"), "{told}");
    let pid = user.witness().request_ok("copydesk/status", json!({}))["pid"].as_u64().unwrap();
    kill(pid, "-KILL");
    user.witness().read_to_the_end();
    // Typed while there is no daemon, or under the new one.
    user.window.js("await T.insert(T.document('b.txt'), () => 0, 'more\\n')", json!([]));
    user.wait_for_new_daemon(pid);
    let (told, failed) = user.edit("b.txt", "more\nnot saved 🦀", "edited 🦀");
    assert!(!failed, "{told}");
    user.window.wait_for_text("b.txt", "edited 🦀\non the disk\n");
    assert_eq!(user.scripted.env.read("b.txt"), "on the disk\n");
}

/// The second window opens the session of the first. Each has its own text of a document, and both show the hunks.
#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn two_windows_show_one_session() {
    let mut user = VscodeUser::start(allow_edits_environment([]));
    user.scripted.env.write("a.txt", OLD);
    user.window.open("a.txt");
    let (told, failed) = user.edit("a.txt", "two", "TWO");
    assert!(!failed, "{told}");
    // VS Code restores unsaved text of a folder in every window of it.
    user.window.js("await T.document('a.txt').save()", json!([]));
    let mut second = user.server.open_window("second");
    second.open("a.txt");
    second.js("void vscode.commands.executeCommand('copydesk.sessions')", json!([]));
    second.click(&mut user.server, ".quick-input-widget .monaco-list-row", "1 undecided");
    user.wait_for_editors(2, 2);
    // The first window prompts, so its document is edited.
    let (told, failed) = user.edit("a.txt", "four", "FOUR");
    assert!(!failed, "{told}");
    user.window.wait_for_text("a.txt", "one\nTWO\nthree\nFOUR\nfive\n");
    assert_eq!(second.document("a.txt").unwrap().text, "one\nTWO\nthree\nfour\nfive\n");
    user.window.js("await T.document('a.txt').save()", json!([]));
    second.wait_for_text("a.txt", "one\nTWO\nthree\nFOUR\nfive\n");
    // Decided in the second window.
    std::mem::swap(&mut user.window, &mut second);
    user.wait_for_lenses("a.txt", &[1, 3]);
    user.run_at("a.txt", 1, "review.accept");
    user.wait_for_lenses("a.txt", &[3]);
    std::mem::swap(&mut user.window, &mut second);
    user.wait_for_lenses("a.txt", &[3]);
}

/// A hunk that is decided in one editor goes away in the other.
#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn vscode_and_neovim_review_one_session() {
    for_each_neovim(review_with_neovim);
}

fn review_with_neovim(program: &Path) {
    let mut user = VscodeUser::start(allow_edits_environment([]));
    user.scripted.env.write("a.txt", OLD);
    user.window.open("a.txt");
    let (told, failed) = user.edit("a.txt", OLD, &OLD.replace("two", "TWO").replace("four", "FOUR"));
    assert!(!failed, "{told}");
    user.window.js("await T.document('a.txt').save()", json!([]));
    user.wait_for_hunks(2);
    let mut nvim = PluginNeovim::open(program, &user.scripted.env);
    nvim.connect();
    nvim.command("edit a.txt");
    let open = "local id = ...
        T.await(function(done) require('copydesk.session').open(id, function() done() end) end)";
    nvim.nvim.lua(open, json!([user.session]));
    nvim.nvim.wait_for_message("CopydeskReview", |told| told["hunks"] == 2);
    // Decided in VS Code.
    user.wait_for_lenses("a.txt", &[1, 3]);
    user.run_at("a.txt", 1, "review.accept");
    nvim.nvim.wait_for_message("CopydeskReview", |told| told["hunks"] == 1);
    user.wait_for_lenses("a.txt", &[3]);
    // Decided in Neovim.
    nvim.keys("4G");
    nvim.command("Copydesk accept");
    user.wait_for_lenses("a.txt", &[]);
    user.wait_for_hunks(0);
}
