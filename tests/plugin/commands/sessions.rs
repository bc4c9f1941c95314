//! `sessions` and `new`.

use serde_json::json;

use super::NeovimUser;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::{allow_edits_environment, for_each_neovim};

/// Two sessions; the second is open.
fn two(program: &std::path::Path, scripted: &crate::sessions::harness::ScriptedEnvironment) -> NeovimUser {
    let mut user = NeovimUser::start(program, &scripted.env);
    user.run_turn("Mend the roof");
    user.run_command("Copydesk new", json!([]));
    user.window.wait_until("require('copydesk.session').current().parts[1] == nil");
    user.run_turn("Paint the door");
    user
}

fn turns() -> [ScriptedTurn; 2] {
    [ScriptedTurn::new().text("The roof is whole."), ScriptedTurn::new().text("The door is green.")]
}

const TITLE: &str = "return require('copydesk.session').current().session.title";

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_session_is_picked_and_gone_on_with() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment(turns());
        let mut user = two(program, &scripted);
        user.run_command("Copydesk sessions", json!(["roof"]));
        let told = user.window.nvim.wait_for_message("select", |_| true);
        assert_eq!(told["labels"], json!(["  Paint the door (now)", "  Mend the roof (now)"]));
        assert_eq!(
            (&told["kind"], &told["preview"][0]),
            (&json!("copydesk.session"), &json!("Paint the door"))
        );
        user.window.wait_until("require('copydesk.session').current().session.title == 'Mend the roof'");
        user.window.wait_until("require('copydesk.chat').is_visible()");
        assert!(user.window.screen().contains("The roof is whole."), "{}", user.window.screen());
        user.run_command("Copydesk sessions", json!([false]));
        assert_eq!(user.next_choices().len(), 2);
        assert_eq!(user.window.lua(TITLE), "Mend the roof");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn sessions_are_found_by_what_was_said_in_them() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment(turns());
        let mut user = two(program, &scripted);
        user.run_command("Copydesk sessions roof whole", json!(["Mend"]));
        let labels = user.next_choices();
        assert_eq!(labels.len(), 1, "{labels:?}");
        assert!(labels[0].contains("Mend the roof – ") && labels[0].contains("whole"), "{labels:?}");
        user.window.wait_until("require('copydesk.session').current().session.title == 'Mend the roof'");
        user.run_command("Copydesk sessions cellar", json!([]));
        assert_eq!(user.next_notification(), "no session contains “cellar”");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn sessions_are_renamed_and_deleted_after_a_question() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment(turns());
        let mut user = two(program, &scripted);
        user.run_command("Copydesk sessions rename", json!(["door", "Colours"]));
        assert_eq!(user.next_notification(), "renamed to “Colours”");
        assert_eq!(user.window.nvim.wait_for_message("input", |_| true)["default"], "Paint the door");
        user.window.wait_until("require('copydesk.session').current().session.title == 'Colours'");
        user.run_command("Copydesk sessions delete roof", json!(["roof", "Keep it"]));
        user.next_choices();
        let asked = user.window.nvim.wait_for_message("select", |told| told["kind"] == "copydesk.confirm");
        assert_eq!(asked["prompt"], "Delete “Mend the roof” and its whole conversation?");
        user.run_command("Copydesk! sessions", json!(["Colours", "delete", "Delete it"]));
        assert_eq!(user.next_notification(), "deleted “Colours”");
        user.window.wait_until("require('copydesk.session').current() == nil");
        user.run_command("Copydesk! sessions", json!(["Mend", "delete", "Delete it"]));
        assert_eq!(user.next_notification(), "deleted “Mend the roof”");
        user.run_command("Copydesk sessions", json!([]));
        assert_eq!(user.next_notification(), "there are no sessions yet");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_running_session_and_one_of_another_folder_are_marked() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([ScriptedTurn::new().text("I begin").stall("begun")]);
        scripted.env.write("sub/a.txt", "");
        let mut user = NeovimUser::start(program, &scripted.env);
        user.run_command("cd sub | Copydesk! ask Work", json!([]));
        user.wait_for_text("I begin");
        user.run_command("cd .. | Copydesk sessions", json!([false]));
        let labels = user.next_choices();
        assert!(labels[0].starts_with("◐ Work (now, ") && labels[0].ends_with("/sub)"), "{labels:?}");
        user.run_command("Copydesk stop", json!([]));
        user.window.wait_for_turn_end();
    });
}
