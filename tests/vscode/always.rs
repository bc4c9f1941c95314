//! What is always allowed: in the project, as the user edits it, listed and taken back; and what the rules say about a call.

use serde_json::json;

use super::vscode_user::VscodeUser;
use super::waiting::{PICK, ask_for_command, choose, open_by_status_bar, start};

const TOAST: &str = ".notification-toast";
const INPUT_MESSAGE: &str = ".quick-input-widget .quick-input-message";
const REPLIES: &str = "~/.local/state/copydesk/replies.json";

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn what_is_always_allowed_is_edited_kept_and_taken_back() {
    let mut user = start();
    it_is_kept_for_the_project(&mut user);
    it_is_edited_until_it_can_be_kept(&mut user);
    it_is_listed_and_taken_back(&mut user);
    the_rules_explain_a_call(&mut user);
    the_preset_is_chosen(&mut user);
}

fn it_is_kept_for_the_project(user: &mut VscodeUser) {
    ask_for_command(user, "seq", "seq 3");
    open_by_status_bar(user);
    user.window.wait_for(&mut user.server, PICK, "Why: `\"bash\": { \"*\": \"ask\" }`");
    user.window.screenshot(&mut user.server, "always-pick");
    choose(user, "Always allow in this project");
    assert_eq!(user.wait_for_turn_end(), "done");
    let kept = user.scripted.env.read(REPLIES);
    assert!(kept.contains("\"seq *\""), "{kept}");
    let (told, failed) = user.run_call("bash", json!({ "command": "seq 4" }));
    assert!(!failed && told.contains('4'), "{told}");
}

fn it_is_edited_until_it_can_be_kept(user: &mut VscodeUser) {
    ask_for_command(user, "echo", "echo one");
    open_by_status_bar(user);
    choose(user, "Edit what is always allowed");
    write_in_input(user, "*");
    choose(user, "In this session");
    user.window.wait_for(&mut user.server, TOAST, "the pattern `*` would allow everything");
    user.window.screenshot(&mut user.server, "always-refused");
    user.window.click(&mut user.server, &format!("{TOAST} .monaco-button"), "Edit");
    user.window.wait_for(&mut user.server, INPUT_MESSAGE, "would allow everything");
    write_in_input(user, "echo one *; echo two");
    choose(user, "In this session");
    assert_eq!(user.wait_for_turn_end(), "done");
    for command in ["echo one more", "echo two"] {
        assert!(!user.run_call("bash", json!({ "command": command })).1, "{command}");
    }
    assert!(!user.scripted.env.read(REPLIES).contains("echo"), "it counts in the session alone");
}

/// What is in the input is selected, so typing replaces it.
fn write_in_input(user: &mut VscodeUser, text: &str) {
    let input = json!({ "selector": ".quick-input-widget .quick-input-box input" });
    user.window.user(&mut user.server, "wait", input);
    user.window.press(&mut user.server, "Control+a");
    user.window.user(&mut user.server, "type", json!({ "text": text }));
    user.window.press(&mut user.server, "Enter");
    user.window.wait_for(&mut user.server, PICK, "In this session");
}

fn it_is_listed_and_taken_back(user: &mut VscodeUser) {
    user.window.js("void vscode.commands.executeCommand('copydesk.permissions')", json!([]));
    user.window.wait_for(&mut user.server, PICK, "bash echo one *");
    user.window.screenshot(&mut user.server, "always-list");
    choose(user, "bash seq *");
    let gone = json!({ "selector": PICK, "text": "bash seq *", "state": "hidden" });
    user.window.user(&mut user.server, "wait", gone);
    user.window.wait_for(&mut user.server, PICK, "bash echo two");
    user.window.press(&mut user.server, "Escape");
    let kept = user.scripted.env.read(REPLIES);
    assert!(!kept.contains("seq"), "{kept}");
}

fn the_rules_explain_a_call(user: &mut VscodeUser) {
    user.window.command("copydesk.permissions.explain", json!(["git push origin"]));
    let seen = "vscode.workspace.textDocuments.map((one) => one.getText()).find((text) => text.startsWith('git push origin'))";
    let report = user.window.wait_until(seen, json!([]));
    let report = report.as_str().unwrap();
    assert!(
        report.contains("It asks (agent build, preset normal)")
            && report.contains("ask   bash git push origin"),
        "{report}"
    );
}

fn the_preset_is_chosen(user: &mut VscodeUser) {
    user.window.js("void vscode.commands.executeCommand('copydesk.preset')", json!([]));
    user.window.wait_for(&mut user.server, PICK, "configured");
    choose(user, "careful");
    let session = user.session.clone();
    user.poll("copydesk/session/list", &json!({}), |listed| {
        let sessions = listed["sessions"].as_array().unwrap().iter();
        sessions.filter(|one| one["id"] == session.as_str()).any(|one| one["preset"] == "careful")
    });
}
