//! Saving is the editor's work: it is asked to where that is configured, does it as for a person, and says honestly whether it
//! did. Whoever else has the file open is told.

use std::path::Path;

use serde_json::{Value, json};

use super::window::{Window, edit, on_each, result, with_config};
use crate::model_server::Turn;
use crate::sessions::harness::Scripted;

const TEXT: &str = "one\ntwo\nthree\n";

fn saving(turns: impl IntoIterator<Item = Turn>, save: &str, permission: Value) -> Scripted {
    with_config(turns, json!({ "permission": permission, "save": save }))
}

/// A window whose editor notes what it writes, and does something of its own on writing.
fn open(program: &Path, scripted: &Scripted, files: &[&str]) -> Window {
    let mut window = Window::open(program, &scripted.desk, files);
    window.does(
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
    on_each(|program| {
        let turns = edit("a.txt", "two", "2").into_iter().chain(edit("a.txt", "three", "3"));
        let scripted = saving(turns, "always", json!({ "edit": "allow" }));
        scripted.desk.write("a.txt", TEXT);
        let mut window = open(program, &scripted, &["a.txt"]);
        window.does("vim.cmd('normal! ggOtyped')");
        window.work();
        let (told, failed) = result(&scripted, 1, "c1");
        assert!(!failed && !told.contains("did not save"), "{told}");
        let after = "typed\none\n2\nthree\nby the autocommand\n";
        assert_eq!(scripted.desk.read("a.txt"), after);
        assert_eq!(window.text("a.txt"), after);
        assert_eq!(window.does("return { T.written, vim.bo.modified }"), json!([["a.txt"], false]));
        // What the autocommand did is known to the desk: the next edit fits.
        window.work();
        assert!(!result(&scripted, 3, "c1").1, "{}", result(&scripted, 3, "c1").0);
        assert_eq!(scripted.desk.read("a.txt"), after.replace("three", "3") + "by the autocommand\n");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn where_it_is_not_the_editor_is_not_even_asked() {
    on_each(|program| {
        let scripted = saving(edit("a.txt", "two", "2"), "never", json!({ "edit": "ask" }));
        scripted.desk.write("a.txt", TEXT);
        let mut window = open(program, &scripted, &["a.txt"]);
        window.work();
        assert!(!result(&scripted, 1, "c1").1);
        assert_eq!(window.text("a.txt"), TEXT.replace("two", "2"));
        assert_eq!(scripted.desk.read("a.txt"), TEXT);
        assert_eq!(window.does("return { T.asked, vim.bo.modified }"), json!([0, true]));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_a_person_has_said_yes_to_is_saved_and_what_a_rule_allowed_is_not() {
    on_each(|program| {
        let turns = edit("seen.txt", "two", "2").into_iter().chain(edit("ruled.txt", "two", "2"));
        let rules = json!({ "edit": { "*": "ask", "ruled.txt": "allow" } });
        let scripted = saving(turns, "after_accept", rules);
        scripted.desk.write("seen.txt", TEXT);
        scripted.desk.write("ruled.txt", TEXT);
        let mut window = open(program, &scripted, &["seen.txt", "ruled.txt"]);
        window.work();
        window.work();
        assert!(!result(&scripted, 1, "c1").1 && !result(&scripted, 3, "c1").1);
        assert_eq!(scripted.desk.read("seen.txt"), TEXT.replace("two", "2") + "by the autocommand\n");
        assert_eq!(window.text("ruled.txt"), TEXT.replace("two", "2"));
        assert_eq!(scripted.desk.read("ruled.txt"), TEXT);
        assert_eq!(window.does("return T.written"), json!(["seen.txt"]));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_buffer_that_the_editor_does_not_write_is_edited_and_the_model_told_that_it_is_not_saved() {
    on_each(|program| {
        let scripted = saving(edit("a.txt", "two", "2"), "always", json!({ "edit": "allow" }));
        scripted.desk.write("a.txt", TEXT);
        let mut window = open(program, &scripted, &["a.txt"]);
        window.does("vim.bo.readonly = true");
        window.work();
        let (told, failed) = result(&scripted, 1, "c1");
        assert!(!failed && told.contains("The editor did not save the file: "), "{told}");
        assert!(told.contains("'readonly' option is set"), "{told}");
        assert_eq!(window.text("a.txt"), TEXT.replace("two", "2"));
        assert_eq!(scripted.desk.read("a.txt"), TEXT);
        assert_eq!(window.does("return { T.asked, #T.written, vim.bo.modified }"), json!([1, 0, true]));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_other_window_is_told_of_what_was_saved_and_reads_it_again() {
    on_each(|program| {
        let turns = edit("a.txt", "two", "2").into_iter().chain(edit("a.txt", "three", "3"));
        let scripted = saving(turns, "always", json!({ "edit": "allow" }));
        scripted.desk.write("a.txt", TEXT);
        let mut window = Window::open(program, &scripted.desk, &["a.txt"]);
        let mut other = Window::open(program, &scripted.desk, &["a.txt"]);
        let uri = format!("file://{}", scripted.desk.path("a.txt").display());
        window.work();
        assert_eq!(other.nvim.wait("document/changed", |_| true)["uri"], *uri);
        let after = TEXT.replace("two", "2");
        assert_eq!(other.text("a.txt"), after);
        assert_eq!(other.does("return vim.bo.modified"), false);
        // One that has changes of its own keeps them.
        other.does("vim.cmd('normal! ggOtyped')");
        window.work();
        other.nvim.wait("document/changed", |_| true);
        assert_eq!(other.text("a.txt"), format!("typed\n{after}"));
        assert_eq!(scripted.desk.read("a.txt"), after.replace("three", "3"));
        // Whoever saved knows.
        window.told();
        assert!(!window.nvim.has("document/changed"));
    });
}

/// Open in the editor, but the desk does not know: it was not attached.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_that_was_written_on_the_disk_is_read_again() {
    on_each(|program| {
        let scripted = saving(edit("a.txt", "two", "2"), "never", json!({ "edit": "allow" }));
        scripted.desk.write("a.txt", TEXT);
        let mut window = Window::open(program, &scripted.desk, &[]);
        window.does("vim.cmd('silent edit a.txt')");
        window.work();
        let told = window.nvim.wait("document/changed", |_| true);
        let uri = format!("file://{}", scripted.desk.path("a.txt").display());
        assert_eq!(told, json!({ "uri": uri, "reason": "written" }));
        let after = TEXT.replace("two", "2");
        assert_eq!((window.text("a.txt"), scripted.desk.read("a.txt")), (after.clone(), after));
        assert_eq!(window.does("return { T.asked, vim.bo.modified }"), json!([0, false]));
    });
}
