//! Saving, formatting and automatic saving while the agent's hunks wait for a decision: they do no harm.

use serde_json::json;

use super::vscode_user::VscodeUser;
use crate::neovim::neovim_session::environment_with_config;

/// A formatter, as any extension may have one: it makes every line begin with a capital.
const FORMATTER: &str = "T.state.formatter = vscode.languages.registerDocumentFormattingEditProvider(
    { pattern: '**/*.txt' },
    {
        provideDocumentFormattingEdits(document) {
            const edits = [];
            for (let line = 0; line < document.lineCount; line++) {
                const first = document.lineAt(line).text[0];
                if (first && first !== first.toUpperCase()) {
                    edits.push(vscode.TextEdit.replace(new vscode.Range(line, 0, line, 1), first.toUpperCase()));
                }
            }
            return edits;
        },
    },
)";

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn saving_in_the_middle_of_a_review_does_no_harm() {
    let mut user = VscodeUser::start(environment_with_config(
        [],
        json!({ "permission": { "edit": "allow" }, "save": "after_accept" }),
    ));
    a_formatter_runs_on_save_and_its_text_is_what_the_model_reads(&mut user);
    an_edit_is_made_while_a_save_is_under_way(&mut user);
    with_automatic_saving_the_text_reaches_the_disk_once(&mut user);
    text_typed_during_a_save_counts_as_unsaved(&mut user);
}

fn a_formatter_runs_on_save_and_its_text_is_what_the_model_reads(user: &mut VscodeUser) {
    user.window.js(FORMATTER, json!([]));
    user.window.set("editor.formatOnSave", json!(true));
    user.scripted.env.write("a.txt", "one\ntwo\nthree\nfour\n");
    user.window.open("a.txt");
    let (told, failed) = user.edit("a.txt", "two", "2\nand a half");
    assert!(!failed, "{told}");
    user.window.js("await T.document('a.txt').save()", json!([]));
    assert_eq!(user.scripted.env.read("a.txt"), "One\n2\nAnd a half\nThree\nFour\n");
    let (told, _) = user.run_call("read", json!({ "filePath": "a.txt" }));
    assert!(told.contains("1: One\n2: 2\n3: And a half\n4: Three\n"), "{told}");
    let (told, failed) = user.edit("a.txt", "And a half", "and a quarter");
    assert!(!failed, "{told}");
    user.window.wait_for_text("a.txt", "One\n2\nand a quarter\nThree\nFour\n");
    user.window.js("T.state.formatter.dispose(); await T.document('a.txt').save()", json!([]));
    user.window.set("editor.formatOnSave", json!(null));
}

/// Another extension takes its time on save, and the agent edits meanwhile: both are in the text.
fn an_edit_is_made_while_a_save_is_under_way(user: &mut VscodeUser) {
    user.scripted.env.write("b.txt", "one\ntwo\n");
    user.window.open("b.txt");
    user.window.js(
        "await T.insert(T.document('b.txt'), () => 0, 'zero\\n');
         T.state.listening = vscode.workspace.onWillSaveTextDocument((event) => {
             event.waitUntil(new Promise((resolve) => {
                 T.state.continueSave = resolve;
                 T.emit('saving');
             }));
         })",
        json!([]),
    );
    let saving = user.window.begin_js("return T.document('b.txt').save()", json!([]));
    user.window.wait_for_event("saving");
    let (told, failed) = user.edit("b.txt", "two", "TWO");
    assert!(!failed, "{told}");
    user.window.js("T.state.listening.dispose(); T.state.continueSave()", json!([]));
    user.window.finish_js(saving);
    user.window.js("await T.document('b.txt').save()", json!([]));
    assert_eq!(user.scripted.env.read("b.txt"), "zero\none\nTWO\n");
}

fn with_automatic_saving_the_text_reaches_the_disk_once(user: &mut VscodeUser) {
    user.window.set("files.autoSaveDelay", json!(100));
    user.window.set("files.autoSave", json!("afterDelay"));
    user.scripted.env.write("c.txt", "one\ntwo\n");
    user.window.open("c.txt");
    for (old, new) in [("two", "TWO"), ("one", "ONE"), ("TWO", "2")] {
        let (told, failed) = user.edit("c.txt", old, new);
        assert!(!failed, "{told}");
    }
    user.window.wait_for_text("c.txt", "ONE\n2\n");
    user.window.wait_until(
        "require('node:fs').readFileSync(T.uri('c.txt').fsPath, 'utf8') === 'ONE\\n2\\n'",
        json!([]),
    );
    user.window.set("files.autoSave", json!("off"));
}

/// VS Code tells extensions that a document is clean after every save, also if it changed meanwhile.
fn text_typed_during_a_save_counts_as_unsaved(user: &mut VscodeUser) {
    user.scripted.env.write("d.txt", "one\n");
    user.window.open("d.txt");
    let (told, failed) = user.edit("d.txt", "one", "ONE");
    assert!(!failed, "{told}");
    let is_called_clean = user.window.js(
        "const document = T.document('d.txt');
         const { readFileSync } = require('node:fs');
         T.state.isUnsaved = () => readFileSync(document.uri.fsPath, 'utf8') !== document.getText();
         for (let pause = 0; pause < 300; pause++) {
             await T.insert(document, () => 0, 'first\\n');
             const saving = document.save();
             for (let turn = 0; turn < pause; turn++) {
                 await new Promise(setImmediate);
             }
             await T.insert(document, () => 0, 'second\\n');
             await saving;
             if (!document.isDirty && T.state.isUnsaved()) {
                 return true;
             }
         }
         return false",
        json!([]),
    );
    assert_eq!(is_called_clean, json!(true));
    user.command("review.acceptAll", json!([]));
    user.wait_for_hunks(0);
    user.window.wait_until("!T.state.isUnsaved()", json!([]));
}
