//! Files that are deleted while they are open: by someone on the disk, or by the agent. Unsaved text stays, and a file that comes back is in
//! its tab again.

use std::fs;

use serde_json::json;

use super::vscode_user::VscodeUser;
use super::vscode_window::DocumentState;
use crate::neovim::neovim_session::environment_with_config;

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn a_deleted_file_loses_no_text_and_comes_back_in_its_tab() {
    // A model of a family that writes patches: only they delete files.
    let config = json!({ "model": "script/gpt-5", "permission": { "edit": "allow" } });
    let mut user = VscodeUser::start(environment_with_config([], config));
    unsaved_text_outlives_the_file(&mut user);
    a_file_that_comes_back_on_the_disk_is_read_again(&mut user);
    a_file_that_the_agent_deleted_comes_back_in_its_tab(&mut user);
    unsaved_text_is_not_deleted_by_the_agent(&mut user);
}

/// The model patches one file.
fn patch(user: &mut VscodeUser, change: &str) -> (String, bool) {
    let text = format!("*** Begin Patch\n{change}\n*** End Patch");
    user.run_call("apply_patch", json!({ "patchText": text }))
}

fn state(text: &str, is_dirty: bool) -> Option<DocumentState> {
    Some(DocumentState { text: text.to_owned(), is_dirty })
}

/// The user typed, and somebody deleted the file. The agent works on with the text, and saving brings the file back.
fn unsaved_text_outlives_the_file(user: &mut VscodeUser) {
    user.scripted.env.write("a.txt", "one\ntwo\n");
    user.window.open("a.txt");
    user.window.js("await T.insert(T.document('a.txt'), () => 0, 'typed\\n')", json!([]));
    fs::remove_file(user.scripted.env.path("a.txt")).unwrap();
    let (told, _) = user.run_call("read", json!({ "filePath": "a.txt" }));
    assert!(told.contains("1: typed\n2: one\n3: two"), "{told}");
    let (told, failed) = patch(user, "*** Update File: a.txt\n@@\n-two\n+TWO");
    assert!(!failed, "{told}");
    assert_eq!(user.window.document("a.txt"), state("typed\none\nTWO\n", true));
    assert!(!user.scripted.env.exists("a.txt"), "the user has not saved it");
    assert_eq!(user.window.js("return T.document('a.txt').save()", json!([])), true);
    assert_eq!(user.scripted.env.read("a.txt"), "typed\none\nTWO\n");
}

/// As after a checkout of another branch and back. VS Code reads it again, and the daemon has the same text.
fn a_file_that_comes_back_on_the_disk_is_read_again(user: &mut VscodeUser) {
    user.scripted.env.write("b.txt", "one\ntwo\n");
    user.window.open("b.txt");
    fs::remove_file(user.scripted.env.path("b.txt")).unwrap();
    // VS Code has seen it when it strikes the name through.
    user.window.user(
        &mut user.server,
        "wait",
        json!({ "selector": ".tab .monaco-icon-label.strikethrough" }),
    );
    user.window.screenshot(&mut user.server, "deleted-on-disk");
    user.scripted.env.write("b.txt", "back\nagain\n");
    user.window.wait_for_text("b.txt", "back\nagain\n");
    assert_eq!(user.window.document("b.txt"), state("back\nagain\n", false));
    let (told, failed) = patch(user, "*** Update File: b.txt\n@@\n-again\n+AGAIN");
    assert!(!failed, "{told}");
    assert_eq!(user.window.document("b.txt"), state("back\nAGAIN\n", true));
    assert_eq!(user.scripted.env.read("b.txt"), "back\nagain\n");
    assert_eq!(user.window.tabs(), ["a.txt", "b.txt"]);
}

/// Its tab closes, as if the user had deleted it in VS Code. After an undo or a rejection it is there again, behind the active one.
fn a_file_that_the_agent_deleted_comes_back_in_its_tab(user: &mut VscodeUser) {
    user.scripted.env.write("c.txt", "one\ntwo\n");
    user.window.open("c.txt");
    user.window.open("a.txt");
    user.command("review.acceptAll", json!([]));
    user.wait_for_hunks(0);
    for way_back in ["undo", "review.reject"] {
        let (told, failed) = patch(user, "*** Delete File: c.txt");
        assert!(!failed, "{told}");
        assert!(!user.scripted.env.exists("c.txt"), "{told}");
        user.window.wait_until("!T.tabs().includes('c.txt')", json!([]));
        // The file, and its lines.
        user.wait_for_hunks(2);
        let session = user.session.clone();
        let listed = user.witness().request_ok("copydesk/review/list", json!({ "session": session }));
        user.command(way_back, json!([{ "hunk": listed["reviews"][0]["file"]["hunk"] }]));
        user.window.wait_until("T.tabs().includes('c.txt')", json!([]));
        assert_eq!(user.scripted.env.read("c.txt"), "one\ntwo\n", "{way_back}");
        let active = user.window.js(
            "return vscode.workspace.asRelativePath(vscode.window.activeTextEditor.document.uri)",
            json!([]),
        );
        assert_eq!(active, "a.txt", "{way_back}: the active editor stays");
    }
    user.window.open("c.txt");
    assert_eq!(user.window.document("c.txt"), state("one\ntwo\n", false));
    let (told, failed) = patch(user, "*** Update File: c.txt\n@@\n-two\n+TWO");
    assert!(!failed, "{told}");
    assert_eq!(user.window.document("c.txt"), state("one\nTWO\n", true));
}

/// What the user typed keeps the file, its tab and its text.
fn unsaved_text_is_not_deleted_by_the_agent(user: &mut VscodeUser) {
    user.scripted.env.write("d.txt", "one\n");
    user.window.open("d.txt");
    user.window.js("await T.insert(T.document('d.txt'), () => 0, 'typed\\n')", json!([]));
    let (told, failed) = patch(user, "*** Delete File: d.txt");
    assert!(failed, "{told}");
    assert_eq!(user.window.document("d.txt"), state("typed\none\n", true));
    assert_eq!(user.scripted.env.read("d.txt"), "one\n");
    assert!(user.window.tabs().contains(&"d.txt".to_owned()));
}
