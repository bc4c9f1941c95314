//! `sessions` and `new`.

use serde_json::json;

use super::Person;
use crate::model_server::Turn;
use crate::neovim::window::{desk, on_each};

/// Two sessions, of which the second is open.
fn two(program: &std::path::Path, scripted: &crate::sessions::harness::Scripted) -> Person {
    let mut person = Person::at(program, &scripted.desk);
    person.asks("Mend the roof");
    person.gives("Copydesk new", json!([]));
    person.window.until("require('copydesk.session').current().parts[1] == nil");
    person.asks("Paint the door");
    person
}

fn turns() -> [Turn; 2] {
    [Turn::new().text("The roof is whole."), Turn::new().text("The door is green.")]
}

const TITLE: &str = "return require('copydesk.session').current().session.title";

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_session_is_picked_and_gone_on_with() {
    on_each(|program| {
        let scripted = desk(turns());
        let mut person = two(program, &scripted);
        person.gives("Copydesk sessions", json!(["roof"]));
        let told = person.window.nvim.wait("select", |_| true);
        assert_eq!(told["labels"], json!(["  Paint the door (now)", "  Mend the roof (now)"]));
        assert_eq!(
            (&told["kind"], &told["preview"][0]),
            (&json!("copydesk.session"), &json!("Paint the door"))
        );
        person.window.until("require('copydesk.session').current().session.title == 'Mend the roof'");
        person.window.until("require('copydesk.chat').is_visible()");
        assert!(person.window.screen().contains("The roof is whole."), "{}", person.window.screen());
        person.gives("Copydesk sessions", json!([false]));
        assert_eq!(person.chooses().len(), 2);
        assert_eq!(person.window.lua(TITLE), "Mend the roof");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn sessions_are_found_by_what_was_said_in_them() {
    on_each(|program| {
        let scripted = desk(turns());
        let mut person = two(program, &scripted);
        person.gives("Copydesk sessions roof whole", json!(["Mend"]));
        let labels = person.chooses();
        assert_eq!(labels.len(), 1, "{labels:?}");
        assert!(labels[0].contains("Mend the roof – ") && labels[0].contains("whole"), "{labels:?}");
        person.window.until("require('copydesk.session').current().session.title == 'Mend the roof'");
        person.gives("Copydesk sessions cellar", json!([]));
        assert_eq!(person.hears(), "nobody said “cellar” in any session");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn sessions_are_renamed_and_deleted_after_a_question() {
    on_each(|program| {
        let scripted = desk(turns());
        let mut person = two(program, &scripted);
        person.gives("Copydesk sessions rename", json!(["door", "Colours"]));
        assert_eq!(person.hears(), "renamed to “Colours”");
        assert_eq!(person.window.nvim.wait("input", |_| true)["default"], "Paint the door");
        person.window.until("require('copydesk.session').current().session.title == 'Colours'");
        person.gives("Copydesk sessions delete roof", json!(["roof", "Keep it"]));
        person.chooses();
        let asked = person.window.nvim.wait("select", |told| told["kind"] == "copydesk.confirm");
        assert_eq!(asked["prompt"], "Delete “Mend the roof” and all that was said in it?");
        person.gives("Copydesk! sessions", json!(["Colours", "delete", "Delete it"]));
        assert_eq!(person.hears(), "deleted “Colours”");
        person.window.until("require('copydesk.session').current() == nil");
        person.gives("Copydesk! sessions", json!(["Mend", "delete", "Delete it"]));
        assert_eq!(person.hears(), "deleted “Mend the roof”");
        person.gives("Copydesk sessions", json!([]));
        assert_eq!(person.hears(), "there are no sessions yet");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_running_session_and_one_of_another_folder_are_marked() {
    on_each(|program| {
        let scripted = desk([Turn::new().text("I begin").stall("begun")]);
        scripted.desk.write("sub/a.txt", "");
        let mut person = Person::at(program, &scripted.desk);
        person.gives("cd sub | Copydesk! ask Work", json!([]));
        person.reads("I begin");
        person.gives("cd .. | Copydesk sessions", json!([false]));
        let labels = person.chooses();
        assert!(labels[0].starts_with("◐ Work (now, ") && labels[0].ends_with("/sub)"), "{labels:?}");
        person.gives("Copydesk stop", json!([]));
        person.window.ended();
    });
}
