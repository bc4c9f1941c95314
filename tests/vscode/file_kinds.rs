//! Files of every kind: what VS Code saves after an edit is what the model meant, and what it cannot edit safely it refuses.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use super::vscode_user::VscodeUser;
use crate::neovim::neovim_session::allow_edits_environment;

/// A name, the bytes of a file, what is replaced, and the bytes after VS Code has saved it.
type FileBytesCase = (&'static str, &'static [u8], &'static str, &'static str, &'static [u8]);

const TEXTS: &[FileBytesCase] = &[
    ("dos", b"a\r\nb\r\nc\r\n", "b\n", "B\nB\n", b"a\r\nB\r\nB\r\nc\r\n"),
    ("dos without a last end", b"a\r\nb\r\nc", "c", "C\nd", b"a\r\nb\r\nC\r\nd"),
    ("no last end", b"a\nb", "b", "B", b"a\nB"),
    ("a byte order mark", b"\xef\xbb\xbfa\nb\n", "a", "A", b"\xef\xbb\xbfA\nb\n"),
    (
        "emoji",
        "🦀🦀 a 🦀 b\ne\u{301} é y\n".as_bytes(),
        "🦀 b\ne\u{301} é",
        "🦀🦀 B\né",
        "🦀🦀 a 🦀🦀 B\né y\n".as_bytes(),
    ),
    ("the first line", b"a\nb\n", "a\n", "", b"b\n"),
    ("everything", b"a\n", "a", "x\ny", b"x\ny\n"),
];

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn every_kind_of_file_is_edited_rightly_or_refused() {
    let mut user = VscodeUser::start(allow_edits_environment([]));
    ends_and_marks_and_wide_letters_are_kept(&mut user);
    other_encodings_are_refused_until_they_are_known(&mut user);
    read_only_files_are_refused(&mut user);
    an_untitled_document_is_edited(&mut user);
    a_hundred_thousand_lines_are_edited(&mut user);
    many_edits_of_one_call_keep_the_lines_between_them(&mut user);
    a_file_too_large_for_vscode_leaves_no_dirty_tab(&mut user);
    a_notebook_does_no_harm(&mut user);
    a_cell_of_a_notebook_is_edited(&mut user);
}

fn ends_and_marks_and_wide_letters_are_kept(user: &mut VscodeUser) {
    for (number, (name, before, old, new, after)) in TEXTS.iter().enumerate() {
        let file = format!("f{number}.txt");
        let bytes = |user: &VscodeUser| std::fs::read(user.scripted.env.path(&file)).unwrap();
        user.scripted.env.write(&file, before);
        user.window.open(&file);
        let (told, failed) = user.edit(&file, old, new);
        assert!(!failed, "{name}: {told}");
        assert_eq!(bytes(user), *before, "{name}: the disk is not touched");
        save(user, &file);
        assert_eq!(bytes(user), *after, "{name}");
        user.window.js("await T.open(args[0]); await vscode.commands.executeCommand('undo')", json!([file]));
        save(user, &file);
        assert_eq!(bytes(user), *before, "{name}: one undo takes it back");
    }
    close_all(user);
}

/// VS Code reads a Latin-1 file as UTF-8, and would save replacement characters. With its encoding it is edited.
fn other_encodings_are_refused_until_they_are_known(user: &mut VscodeUser) {
    let latin = b"caf\xe9\nb\n";
    user.scripted.env.write("latin.txt", latin);
    user.window.open("latin.txt");
    let (told, failed) = user.edit("latin.txt", "b", "B");
    assert!(failed, "{told}");
    assert!(!user.window.document("latin.txt").unwrap().is_dirty);
    let path = user.scripted.env.path("latin.txt");
    assert_eq!(std::fs::read(&path).unwrap(), latin);
    user.window.js(
        "await vscode.workspace.openTextDocument(T.uri('latin.txt'), { encoding: 'iso88591' })",
        json!([]),
    );
    user.window.wait_for_text("latin.txt", "café\nb\n");
    let (told, failed) = user.edit("latin.txt", "b", "ü");
    assert!(!failed, "{told}");
    save(user, "latin.txt");
    assert_eq!(std::fs::read(&path).unwrap(), b"caf\xe9\n\xfc\n");
    close_all(user);
}

fn read_only_files_are_refused(user: &mut VscodeUser) {
    user.scripted.env.write("locked.txt", "a\n");
    user.scripted.env.write("mode.txt", "a\n");
    let path = user.scripted.env.path("mode.txt");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    user.window.set("files.readonlyInclude", json!({ "**/locked.txt": true }));
    for file in ["locked.txt", "mode.txt"] {
        user.window.open(file);
        let (told, failed) = user.edit(file, "a", "A");
        assert!(failed && told.contains(file), "{told}");
        assert_eq!(user.window.document(file).unwrap().text, "a\n");
        assert_eq!(user.scripted.env.read(file), "a\n");
    }
    user.window.set("files.readonlyInclude", json!(null));
    close_all(user);
}

fn an_untitled_document_is_edited(user: &mut VscodeUser) {
    let name = user.window.js(
        "const document = await vscode.workspace.openTextDocument({ content: 'one\\ntwo\\n' });
         await vscode.window.showTextDocument(document);
         return document.uri.toString()",
        json!([]),
    );
    let name = name.as_str().unwrap();
    let (told, failed) = user.edit(name, "two", "TWO");
    assert!(!failed, "{told}");
    user.window.wait_for_text(name, "one\nTWO\n");
    user.window
        .js("await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor')", json!([]));
}

fn a_hundred_thousand_lines_are_edited(user: &mut VscodeUser) {
    let text: String = (0..100_000).map(|line| format!("line {line} of many\n")).collect();
    user.scripted.env.write("long.txt", &text);
    user.window.open("long.txt");
    let (told, failed) = user.edit("long.txt", "line 99998 of many", "line 99998, edited");
    assert!(!failed, "{told}");
    let line = user.window.js("return T.document('long.txt').lineAt(99998).text", json!([]));
    assert_eq!(line, "line 99998, edited");
    close_all(user);
}

/// VS Code merges a thousand operations into one that replaces everything between them, with what the user typed there.
fn many_edits_of_one_call_keep_the_lines_between_them(user: &mut VscodeUser) {
    let text: String = (0..1500).map(|line| format!("change {line}\nkeep {line}\n")).collect();
    user.scripted.env.write("many.txt", &text);
    user.window.open("many.txt");
    user.window.js(
        "T.state.widths = [];
         T.state.listening = vscode.workspace.onDidChangeTextDocument((event) => {
             if (event.document.uri.path.endsWith('many.txt')) T.state.widths.push(...event.contentChanges.map((change) => change.rangeLength));
         })",
        json!([]),
    );
    let arguments =
        json!({ "filePath": "many.txt", "oldString": "change", "newString": "CHANGED", "replaceAll": true });
    let (told, failed) = user.run_call("edit", arguments);
    assert!(!failed, "{told}");
    user.window.wait_for_text("many.txt", &text.replace("change", "CHANGED"));
    let widest = user.window.js("T.state.listening.dispose(); return Math.max(...T.state.widths)", json!([]));
    // Six of them are joined at most, so that marks and typed text between them stay.
    assert!(widest.as_u64() < Some(200), "a change replaces {widest} characters");
    user.window.command("undo", json!([]));
    user.window.wait_for_text("many.txt", &text);
    close_all(user);
}

/// VS Code answers "done" to an edit of such a file, in a dirty tab that no extension can see.
fn a_file_too_large_for_vscode_leaves_no_dirty_tab(user: &mut VscodeUser) {
    let line = "x".repeat(1023) + "\n";
    let text = line.repeat(51 * 1024) + "the end\n";
    user.scripted.env.write("large.txt", &text);
    user.window.js(
        "await vscode.commands.executeCommand('vscode.open', T.uri('large.txt'));
         await T.until(() => T.tabs().includes('large.txt'))",
        json!([]),
    );
    let (told, failed) = user.edit("large.txt", "the end", "THE END");
    let is_edited = std::fs::read(user.scripted.env.path("large.txt")).unwrap().ends_with(b"THE END\n");
    assert_eq!(is_edited, !failed, "{told}");
    let dirty = user.window.js(
        "return vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => tab.isDirty).length",
        json!([]),
    );
    assert_eq!(dirty, 0, "{told}");
    close_all(user);
}

/// A notebook's cells are documents, too; the agent works on beside an open one.
fn a_notebook_does_no_harm(user: &mut VscodeUser) {
    user.scripted.env.write("book.ipynb", notebook(&["one"]));
    user.scripted.env.write("beside.txt", "a\n");
    user.window.js(
        "const notebook = await vscode.workspace.openNotebookDocument(T.uri('book.ipynb'));
         await vscode.window.showNotebookDocument(notebook);
         const edit = new vscode.WorkspaceEdit();
         edit.insert(notebook.cellAt(0).document.uri, new vscode.Position(0, 0), 'typed ');
         await vscode.workspace.applyEdit(edit)",
        json!([]),
    );
    let (told, failed) = user.edit("beside.txt", "a", "A");
    assert!(!failed, "{told}");
    let cell = user
        .window
        .js("return vscode.workspace.notebookDocuments[0].cellAt(0).document.getText()", json!([]));
    assert_eq!(cell, "typed one");
    // What the user typed into the cell is not on the disk, so an edit of the file would lose one of the two.
    let (told, failed) = user.edit("book.ipynb", "one", "two");
    let cell = user
        .window
        .js("return vscode.workspace.notebookDocuments[0].cellAt(0).document.getText()", json!([]));
    assert_eq!(cell, "typed one", "{told} ({failed})");
    user.window
        .js("await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor')", json!([]));
}

/// A cell is a document with a name of its own. Its edit is one undo step, and the notebook has it when it is saved.
fn a_cell_of_a_notebook_is_edited(user: &mut VscodeUser) {
    user.scripted.env.write("cells.ipynb", notebook(&["one\n", "two"]));
    user.window.js(
        "const notebook = await vscode.workspace.openNotebookDocument(T.uri('cells.ipynb'));
         await vscode.window.showNotebookDocument(notebook);
         T.state.notebook = notebook",
        json!([]),
    );
    let cell = user.window.js("return T.state.notebook.cellAt(0).document.uri.toString()", json!([]));
    let cell = cell.as_str().unwrap();
    let (told, _) = user.run_call("read", json!({ "filePath": cell }));
    assert!(told.contains("1: one\n2: two"), "{told}");
    let (told, failed) = user.edit(cell, "two", "TWO\nthree");
    assert!(!failed, "{told}");
    assert_eq!(user.window.document(cell).unwrap().text, "one\nTWO\nthree");
    user.wait_for_lenses(cell, &[1]);
    let is_saved = user.window.js("return T.state.notebook.save()", json!([]));
    assert_eq!(is_saved, true);
    let saved: Value = serde_json::from_str(&user.scripted.env.read("cells.ipynb")).unwrap();
    assert_eq!(saved["cells"][0]["source"], json!(["one\n", "TWO\n", "three"]));
    user.window.command("notebook.cell.edit", json!([]));
    user.window.command("undo", json!([]));
    user.window.wait_for_text(cell, "one\ntwo");
    user.window
        .js("await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor')", json!([]));
}

/// A notebook with one cell of these lines.
fn notebook(lines: &[&str]) -> String {
    let cell = json!({ "cell_type": "code", "metadata": {}, "source": lines, "outputs": [], "execution_count": null });
    json!({ "cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5 }).to_string()
}

fn save(user: &mut VscodeUser, file: &str) {
    let is_saved = user.window.js("return T.document(args[0]).save()", json!([file]));
    assert_eq!(is_saved, true, "{file} is not saved");
}

fn close_all(user: &mut VscodeUser) {
    user.window.js("await T.closeAll()", json!([]));
}
