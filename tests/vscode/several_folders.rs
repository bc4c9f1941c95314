//! A workspace of two folders that have nothing in common: one session works in both. And a folder that the user renames while hunks in it
//! are undecided.

use serde_json::{Value, json};

use super::vscode_server::VscodeSetup;
use super::vscode_user::VscodeUser;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::environment_with_rules;

const OLD: &str = "one\ntwo\nthree\n";
const NEW: &str = "one\nTWO\nthree\n";

/// A workspace of `first` in the project and `second` in the home.
fn start() -> VscodeUser {
    let scripted = environment_with_rules([], json!({ "edit": "allow", "external_directory": "allow" }));
    let second = scripted.env.path("~/second");
    let folders = json!({ "folders": [{ "path": "first" }, { "path": second }] });
    scripted.env.write("both.code-workspace", folders.to_string());
    for file in ["first/a.txt", "~/second/a.txt", "~/second/b.txt"] {
        scripted.env.write(file, OLD);
    }
    for file in ["first/src/c.txt", "first/src/d.txt"] {
        scripted.env.write(file, "one\ntwo\nthree\nfour\n");
    }
    let setup = VscodeSetup { workspace: Some("both.code-workspace"), ..VscodeSetup::default() };
    VscodeUser::start_with(scripted, &setup)
}

/// The absolute path of a file.
fn path(user: &VscodeUser, file: &str) -> String {
    user.scripted.env.path(file).to_str().unwrap().to_owned()
}

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn one_session_works_in_both_folders_of_a_workspace() {
    let mut user = start();
    documents_and_closed_files_of_both_are_edited(&mut user);
    hunks_of_both_are_shown_and_decided(&mut user);
    files_of_the_same_name_go_with_one_prompt(&mut user);
    problems_of_the_second_folder_name_its_file(&mut user);
    a_renamed_folder_loses_no_text(&mut user);
}

fn documents_and_closed_files_of_both_are_edited(user: &mut VscodeUser) {
    let [first, second] = ["first/a.txt", "~/second/a.txt"].map(|file| path(user, file));
    user.window.open(&second);
    user.window.open(&first);
    let (told, failed) = user.edit("a.txt", "two", "TWO");
    assert!(!failed, "{told}");
    let listed = user.witness().request_ok("copydesk/session/list", json!({}));
    assert_eq!(listed["sessions"][0]["folder"], json!(user.scripted.env.path("first")));
    let system = user.scripted.request_body(0)["system"].to_string();
    assert!(system.contains(user.scripted.env.path("~/second").to_str().unwrap()), "{system}");
    let (told, failed) = user.edit(&second, "two", "TWO");
    assert!(!failed, "{told}");
    let closed = path(user, "~/second/b.txt");
    let (told, failed) = user.edit(&closed, "two", "TWO");
    assert!(!failed, "{told}");
    for file in [&first, &second] {
        user.window.wait_for_text(file, NEW);
    }
    for (file, text) in [("first/a.txt", OLD), ("~/second/a.txt", OLD), ("~/second/b.txt", NEW)] {
        assert_eq!(user.scripted.env.read(file), text, "{file}");
    }
    assert_eq!(user.window.tabs(), ["a.txt", "a.txt"]);
}

fn hunks_of_both_are_shown_and_decided(user: &mut VscodeUser) {
    let [first, second] = ["first/a.txt", "~/second/a.txt"].map(|file| path(user, file));
    user.wait_for_hunks(3);
    for file in [&first, &second] {
        user.wait_for_lenses(file, &[1]);
        user.window.open(file);
        // The bar of the quick diff, by which the removed lines are seen.
        user.window.user(
            &mut user.server,
            "wait",
            json!({ "selector": ".editor-instance .dirty-diff-glyph", "state": "attached" }),
        );
    }
    user.run_at(&second, 1, "review.reject");
    user.window.wait_for_text(&second, OLD);
    user.wait_for_hunks(2);
    user.run_at(&first, 1, "review.accept");
    user.wait_for_hunks(1);
    user.command("review.acceptAll", json!([]));
    user.wait_for_hunks(0);
}

/// What the model was sent last.
fn last_prompt(user: &VscodeUser) -> String {
    let number = user.scripted.server.requests().len() - 1;
    user.scripted.last_message(number)
}

fn files_of_the_same_name_go_with_one_prompt(user: &mut VscodeUser) {
    let [first, second] = ["first/a.txt", "~/second/a.txt"].map(|file| path(user, file));
    for file in [&first, &second] {
        let add = "await vscode.commands.executeCommand('copydesk.addFile', T.uri(args[0]))";
        user.window.js(add, json!([file]));
    }
    user.window.wait_for(&mut user.server, ".notification-toast", "first/a.txt, second/a.txt");
    user.scripted.server.queue_turn(ScriptedTurn::new().text("I see."));
    user.run_turn("Compare them");
    let sent = last_prompt(user);
    // The model has to ask before it reads outside of the session's folder, so such a file is only named.
    assert!(sent.contains("[a.txt]\\none\\nTWO") && sent.contains(&format!("[{second}]")), "{sent}");
}

fn problems_of_the_second_folder_name_its_file(user: &mut VscodeUser) {
    let second = path(user, "~/second/a.txt");
    user.window.open(&second);
    let show = "T.state.problems = vscode.languages.createDiagnosticCollection('test');
        T.state.problems.set(T.uri(args[0]), [new vscode.Diagnostic(new vscode.Range(1, 0, 1, 3), 'Not a word')])";
    user.window.js(show, json!([second]));
    user.scripted.server.queue_turn(ScriptedTurn::new().text("I see."));
    user.prompt_by("fix", json!([]));
    let sent = last_prompt(user);
    assert!(sent.contains(&format!("- {second}:2:1 error: Not a word")), "{sent}");
    user.window.js("T.state.problems.dispose()", json!([]));
}

/// The documents have their new names at once, with what was typed and what the agent wrote; their hunks and the agent follow.
fn a_renamed_folder_loses_no_text(user: &mut VscodeUser) {
    let [old, new] = ["first/src/c.txt", "first/lib/c.txt"].map(|file| path(user, file));
    user.window.open(&old);
    let (told, failed) = user.edit("src/c.txt", "two", "TWO");
    assert!(!failed, "{told}");
    let (told, failed) = user.edit("src/d.txt", "two", "TWO");
    assert!(!failed, "{told}");
    user.window.js("await T.insert(T.document(args[0]), () => 0, 'typed\\n')", json!([old]));
    user.wait_for_hunks(2);
    let rename = "const edit = new vscode.WorkspaceEdit();
        edit.renameFile(T.uri(args[0]), T.uri(args[1]));
        return vscode.workspace.applyEdit(edit)";
    let folders = json!([path(user, "first/src"), path(user, "first/lib")]);
    assert_eq!(user.window.js(rename, folders), true);
    user.window.wait_for_text(&new, "typed\none\nTWO\nthree\nfour\n");
    assert_eq!(user.window.document(&old), None);
    let (told, failed) = user.edit("lib/c.txt", "four", "FOUR");
    assert!(!failed, "{told}");
    user.window.wait_for_text(&new, "typed\none\nTWO\nthree\nFOUR\n");
    let (told, failed) = user.edit("lib/d.txt", "four", "FOUR");
    assert!(!failed, "{told}");
    assert_eq!(user.scripted.env.read("first/lib/d.txt"), "one\nTWO\nthree\nFOUR\n");
    assert_eq!(reviewed(user), json!({ "lib/c.txt": 2, "lib/d.txt": 2 }));
    user.wait_for_lenses(&new, &[2, 4]);
    user.run_at(&new, 2, "review.reject");
    user.window.wait_for_text(&new, "typed\none\ntwo\nthree\nFOUR\n");
    user.command("review.acceptAll", json!([]));
    user.wait_for_hunks(0);
    assert!(!user.scripted.env.exists("first/src"), "nothing is written under the old name");
}

/// The undecided hunks of each file.
fn reviewed(user: &mut VscodeUser) -> Value {
    let session = user.session.clone();
    let listed = user.witness().request_ok("copydesk/review/list", json!({ "session": session }));
    let reviews = listed["reviews"].as_array().unwrap().iter();
    reviews.map(|review| (review["path"].as_str().unwrap().to_owned(), review["total"].clone())).collect()
}
