//! The agent edits: open documents through VS Code, closed files on the disk.

use serde_json::json;

use super::vscode_user::VscodeUser;
use super::vscode_window::DocumentState;
use crate::neovim::neovim_session::allow_edits_environment;

fn dirty(text: &str) -> Option<DocumentState> {
    Some(DocumentState { text: text.to_owned(), is_dirty: true })
}

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn edits_go_into_open_documents_and_closed_files() {
    let scripted = allow_edits_environment([]);
    scripted.env.write("a.txt", "one\ntwo\nthree\n");
    scripted.env.write("b.txt", "one\ntwo\nthree\n");
    let mut user = VscodeUser::start(scripted);
    an_edit_is_one_undo_step_and_not_saved(&mut user);
    unsaved_text_is_read(&mut user);
    a_closed_file_is_changed_on_the_disk_without_a_tab(&mut user);
    a_new_file_is_written_without_a_tab(&mut user);
    the_focus_and_the_selection_stay(&mut user);
}

fn an_edit_is_one_undo_step_and_not_saved(user: &mut VscodeUser) {
    user.window.open("a.txt");
    let (told, failed) = user.edit("a.txt", "two\nthree", "TWO\n2.5\nTHREE");
    assert!(!failed, "{told}");
    assert_eq!(user.window.document("a.txt"), dirty("one\nTWO\n2.5\nTHREE\n"));
    assert_eq!(user.scripted.env.read("a.txt"), "one\ntwo\nthree\n");
    assert_eq!(user.window.tabs(), ["a.txt"]);
    user.window.command("undo", json!([]));
    user.window.wait_for_text("a.txt", "one\ntwo\nthree\n");
    user.window.command("redo", json!([]));
    user.window.wait_for_text("a.txt", "one\nTWO\n2.5\nTHREE\n");
}

fn unsaved_text_is_read(user: &mut VscodeUser) {
    user.window.js("await T.insert(T.document('a.txt'), () => 0, 'not saved 🦀\\n')", json!([]));
    let (told, _) = user.run_call("read", json!({ "filePath": "a.txt" }));
    assert!(told.contains("1: not saved 🦀\n2: one\n"), "{told}");
    let (told, failed) = user.edit("a.txt", "not saved 🦀", "saved nowhere 🦀🦀");
    assert!(!failed, "{told}");
    user.window.wait_for_text("a.txt", "saved nowhere 🦀🦀\none\nTWO\n2.5\nTHREE\n");
}

fn a_closed_file_is_changed_on_the_disk_without_a_tab(user: &mut VscodeUser) {
    let (told, failed) = user.edit("b.txt", "two", "TWO");
    assert!(!failed, "{told}");
    assert_eq!(user.scripted.env.read("b.txt"), "one\nTWO\nthree\n");
    assert_eq!(user.window.tabs(), ["a.txt"]);
}

fn a_new_file_is_written_without_a_tab(user: &mut VscodeUser) {
    let (told, failed) = user.run_call("write", json!({ "filePath": "new/c.txt", "content": "new\n" }));
    assert!(!failed, "{told}");
    assert_eq!(user.scripted.env.read("new/c.txt"), "new\n");
    assert_eq!(user.window.tabs(), ["a.txt"]);
}

/// An edit of a document in the background takes neither focus nor selection from the one in front.
fn the_focus_and_the_selection_stay(user: &mut VscodeUser) {
    user.window.open("b.txt");
    user.window.js("vscode.window.activeTextEditor.selection = new vscode.Selection(1, 1, 1, 3)", json!([]));
    let (told, failed) = user.edit("a.txt", "2.5", "two and a half");
    assert!(!failed, "{told}");
    user.window.wait_for_text("a.txt", "saved nowhere 🦀🦀\none\nTWO\ntwo and a half\nTHREE\n");
    let seen = user.window.js(
        "const { document, selection } = vscode.window.activeTextEditor;
         return [vscode.workspace.asRelativePath(document.uri), document.getText(selection)]",
        json!([]),
    );
    assert_eq!(seen, json!(["b.txt", "WO"]));
}
