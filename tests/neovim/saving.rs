//! Saving is the editor's work: the daemon requests it if configured, the editor saves as for the user and reports the truth.
//! Other clients with the file open are told.

use std::path::Path;

use serde_json::{Value, json};

use super::neovim_session::{NeovimSession, edit, environment_with_config, for_each_neovim, result};
use crate::model_server::ScriptedTurn;
use crate::sessions::harness::ScriptedEnvironment;

const TEXT: &str = "one\ntwo\nthree\n";

fn saving(
    turns: impl IntoIterator<Item = ScriptedTurn>,
    save: &str,
    permission: Value,
) -> ScriptedEnvironment {
    environment_with_config(turns, json!({ "permission": permission, "save": save }))
}

/// A Neovim that records what it writes, and changes the text on write.
fn open(program: &Path, scripted: &ScriptedEnvironment, files: &[&str]) -> NeovimSession {
    let mut window = NeovimSession::open(program, &scripted.env, files);
    window.run_lua(
        "T.written = {}
         vim.api.nvim_create_autocmd('BufWritePre', { callback = function()
             vim.api.nvim_buf_set_lines(0, -1, -1, true, { 'by the autocommand' })
         end })
         vim.api.nvim_create_autocmd('BufWritePost', { callback = function(event)
             table.insert(T.written, vim.fs.basename(event.file))
         end })",
    );
    window
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn where_it_is_to_be_saved_the_editor_writes_with_its_autocommands() {
    for_each_neovim(|program| {
        let turns = edit("a.txt", "two", "2").into_iter().chain(edit("a.txt", "three", "3"));
        let scripted = saving(turns, "always", json!({ "edit": "allow" }));
        scripted.env.write("a.txt", TEXT);
        let mut window = open(program, &scripted, &["a.txt"]);
        window.run_lua("vim.cmd('normal! ggOtyped')");
        window.run_turn();
        let (told, failed) = result(&scripted, 1, "c1");
        assert!(!failed && !told.contains("did not save"), "{told}");
        let after = "typed\none\n2\nthree\nby the autocommand\n";
        assert_eq!(scripted.env.read("a.txt"), after);
        assert_eq!(window.text("a.txt"), after);
        assert_eq!(window.run_lua("return { T.written, vim.bo.modified }"), json!([["a.txt"], false]));
        // The daemon knows the autocommand's change: the next edit matches.
        window.run_turn();
        assert!(!result(&scripted, 3, "c1").1, "{}", result(&scripted, 3, "c1").0);
        assert_eq!(scripted.env.read("a.txt"), after.replace("three", "3") + "by the autocommand\n");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn where_it_is_not_the_editor_is_not_even_asked() {
    for_each_neovim(|program| {
        let scripted = saving(edit("a.txt", "two", "2"), "never", json!({ "edit": "ask" }));
        scripted.env.write("a.txt", TEXT);
        let mut window = open(program, &scripted, &["a.txt"]);
        window.run_turn();
        assert!(!result(&scripted, 1, "c1").1);
        assert_eq!(window.text("a.txt"), TEXT.replace("two", "2"));
        assert_eq!(scripted.env.read("a.txt"), TEXT);
        assert_eq!(window.run_lua("return { T.asked, vim.bo.modified }"), json!([0, true]));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_a_user_has_said_yes_to_is_saved_and_what_a_rule_allowed_is_not() {
    for_each_neovim(|program| {
        let turns = edit("seen.txt", "two", "2").into_iter().chain(edit("ruled.txt", "two", "2"));
        let rules = json!({ "edit": { "*": "ask", "ruled.txt": "allow" } });
        let scripted = saving(turns, "after_accept", rules);
        scripted.env.write("seen.txt", TEXT);
        scripted.env.write("ruled.txt", TEXT);
        let mut window = open(program, &scripted, &["seen.txt", "ruled.txt"]);
        window.run_turn();
        window.run_turn();
        assert!(!result(&scripted, 1, "c1").1 && !result(&scripted, 3, "c1").1);
        assert_eq!(scripted.env.read("seen.txt"), TEXT.replace("two", "2") + "by the autocommand\n");
        assert_eq!(window.text("ruled.txt"), TEXT.replace("two", "2"));
        assert_eq!(scripted.env.read("ruled.txt"), TEXT);
        assert_eq!(window.run_lua("return T.written"), json!(["seen.txt"]));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_buffer_that_the_editor_does_not_write_is_edited_and_the_model_told_that_it_is_not_saved() {
    for_each_neovim(|program| {
        let scripted = saving(edit("a.txt", "two", "2"), "always", json!({ "edit": "allow" }));
        scripted.env.write("a.txt", TEXT);
        let mut window = open(program, &scripted, &["a.txt"]);
        window.run_lua("vim.bo.readonly = true");
        window.run_turn();
        let (told, failed) = result(&scripted, 1, "c1");
        assert!(!failed && told.contains("The editor did not save the file: "), "{told}");
        assert!(told.contains("'readonly' option is set"), "{told}");
        assert_eq!(window.text("a.txt"), TEXT.replace("two", "2"));
        assert_eq!(scripted.env.read("a.txt"), TEXT);
        assert_eq!(window.run_lua("return { T.asked, #T.written, vim.bo.modified }"), json!([1, 0, true]));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_other_window_is_told_of_what_was_saved_and_reads_it_again() {
    for_each_neovim(|program| {
        let turns = edit("a.txt", "two", "2").into_iter().chain(edit("a.txt", "three", "3"));
        let scripted = saving(turns, "always", json!({ "edit": "allow" }));
        scripted.env.write("a.txt", TEXT);
        let mut window = NeovimSession::open(program, &scripted.env, &["a.txt"]);
        let mut other = NeovimSession::open(program, &scripted.env, &["a.txt"]);
        let uri = format!("file://{}", scripted.env.path("a.txt").display());
        window.run_turn();
        assert_eq!(other.nvim.wait_for_message("document/changed", |_| true)["uri"], *uri);
        let after = TEXT.replace("two", "2");
        assert_eq!(other.text("a.txt"), after);
        assert_eq!(other.run_lua("return vim.bo.modified"), false);
        // A modified buffer keeps its changes.
        other.run_lua("vim.cmd('normal! ggOtyped')");
        window.run_turn();
        other.nvim.wait_for_message("document/changed", |_| true);
        assert_eq!(other.text("a.txt"), format!("typed\n{after}"));
        assert_eq!(scripted.env.read("a.txt"), after.replace("three", "3"));
        // The client that saved knows it.
        window.flush_changes();
        assert!(!window.nvim.has_message("document/changed"));
    });
}

/// Open in the editor, but not attached, so the daemon does not know.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_that_was_written_on_the_disk_is_read_again() {
    for_each_neovim(|program| {
        let scripted = saving(edit("a.txt", "two", "2"), "never", json!({ "edit": "allow" }));
        scripted.env.write("a.txt", TEXT);
        let mut window = NeovimSession::open(program, &scripted.env, &[]);
        window.run_lua("vim.cmd('silent edit a.txt')");
        window.run_turn();
        let told = window.nvim.wait_for_message("document/changed", |_| true);
        let uri = format!("file://{}", scripted.env.path("a.txt").display());
        assert_eq!(told, json!({ "uri": uri, "reason": "written" }));
        let after = TEXT.replace("two", "2");
        assert_eq!((window.text("a.txt"), scripted.env.read("a.txt")), (after.clone(), after));
        assert_eq!(window.run_lua("return { T.asked, vim.bo.modified }"), json!([0, false]));
    });
}
