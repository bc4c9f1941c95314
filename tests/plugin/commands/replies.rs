//! `allow`, `always`, `reject`, and the dialog of questions.

use serde_json::{Value, json};

use super::NeovimUser;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::{edit, environment_with_rules, for_each_neovim, result};

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_ask_is_answered_from_anywhere() {
    for_each_neovim(|program| {
        let turns = [edit("a.txt", "0", "1"), edit("a.txt", "1", "2"), edit("a.txt", "2", "3")].concat();
        let rejected = ScriptedTurn::new().call(
            "c1",
            "edit",
            json!({ "filePath": "b.txt", "oldString": "b", "newString": "c" }),
        );
        let reasoned = edit("b.txt", "b", "d");
        let turns = turns.into_iter().chain([rejected]).chain(reasoned);
        let scripted = environment_with_rules(turns, json!({ "edit": "ask" }));
        scripted.desk.write("a.txt", "0\n");
        scripted.desk.write("b.txt", "b\n");
        let mut person = NeovimUser::start(program, &scripted.desk);
        let asked = |person: &mut NeovimUser, command: &str| {
            person.run_command("Copydesk! ask Work", json!([]));
            person.window.nvim.wait_for_message("CopydeskAsk", |_| true);
            person.run_command(command, json!([]));
        };
        person.run_command("Copydesk allow", json!([]));
        assert_eq!(person.next_notification(), "nothing is waiting for an answer");
        asked(&mut person, "Copydesk allow");
        person.window.wait_for_turn_end();
        assert_eq!(scripted.desk.read("a.txt"), "1\n");
        asked(&mut person, "Copydesk always");
        let said = person.next_notification();
        assert!(said.starts_with("allowed from now on: edit "), "{said}");
        person.window.wait_for_turn_end();
        person.run_turn("Without a word");
        assert_eq!(scripted.desk.read("a.txt"), "3\n");
        // Another session remembers nothing.
        person.run_command("Copydesk new", json!([]));
        person.window.wait_until("require('copydesk.session').current().parts[1] == nil");
        asked(&mut person, "Copydesk reject");
        assert_eq!(person.window.wait_for_turn_end()["end"]["kind"], "rejected");
        asked(&mut person, "Copydesk reject  not | that one");
        person.window.wait_for_turn_end();
        let requests = scripted.server.requests().len();
        assert!(result(&scripted, requests - 1, "c1").0.contains("not | that one"));
        assert_eq!(scripted.desk.read("b.txt"), "b\n");
    });
}

/// Asks questions as the daemon does, and returns the answers.
const QUESTIONS: &str = "local questions = ...
    coroutine.wrap(function()
      local params = { session = 's', question = 'q1', part = 'p', questions = questions }
      T.tell('answer', require('copydesk.ask').question(params))
    end)()";

fn questions() -> Value {
    let choice = |label: &str, about: &str| json!({ "label": label, "description": about });
    json!([
        { "header": "Colour", "text": "Which colour?", "multiple": false, "custom": true,
          "options": [choice("red", "like a rose"), choice("blue", "")] },
        { "header": "Rooms", "text": "Which rooms?", "multiple": true, "custom": true,
          "options": [choice("kitchen", ""), choice("bath", "")] },
        { "header": "Name", "text": "Whose?", "multiple": false, "custom": true, "options": [] },
    ])
}

fn asked(person: &mut NeovimUser) {
    person.window.nvim.lua(QUESTIONS, json!([questions()]));
    person.window.nvim.wait_for_message("CopydeskAsk", |told| told["kind"] == "question");
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn questions_are_asked_one_after_another() {
    for_each_neovim(|program| {
        let scripted = environment_with_rules([], json!({}));
        let mut person = NeovimUser::start(program, &scripted.desk);
        asked(&mut person);
        let answers =
            json!(["red", "bath", "kitchen", "kitchen", "Something else", "attic", "That is all", "Ann's"]);
        person.run_command("Copydesk allow", answers);
        assert_eq!(
            person.window.nvim.wait_for_message("answer", |_| true),
            json!({ "reply": "answered", "answers": [["red"], ["bath", "attic"], ["Ann's"]] })
        );
        let first = person.window.nvim.wait_for_message("select", |_| true);
        assert_eq!(first["prompt"], "Which colour? (1 of 3)");
        assert_eq!(first["labels"], json!(["red: like a rose", "blue", "Something else …"]));
        let marked = json!(["[x] kitchen", "[x] bath", "Something else …", "That is all"]);
        person.window.nvim.wait_for_message("select", |told| told["labels"] == marked);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_question_that_is_left_stays_open_and_can_be_rejected() {
    for_each_neovim(|program| {
        let scripted = environment_with_rules([], json!({}));
        let mut person = NeovimUser::start(program, &scripted.desk);
        asked(&mut person);
        person.run_command("Copydesk allow", json!(["blue", false]));
        person.window.nvim.wait_for_message("select", |told| told["prompt"] == "Which rooms? (2 of 3)");
        assert_eq!(person.window.lua("return #require('copydesk.ask').list()"), 1);
        person.run_command("Copydesk reject", json!([]));
        assert_eq!(person.window.nvim.wait_for_message("answer", |_| true), json!({ "reply": "rejected" }));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_answer_that_comes_too_late_says_so() {
    for_each_neovim(|program| {
        let scripted = environment_with_rules([], json!({}));
        let mut person = NeovimUser::start(program, &scripted.desk);
        asked(&mut person);
        person.run_command("Copydesk allow", json!([]));
        person.window.nvim.wait_for_message("select", |_| true);
        person.window.lua("require('copydesk.ask').settled('s', 'q1', 'vscode')");
        assert_eq!(person.next_notification(), "answered in vscode");
        person.window.lua("T.leave()");
        assert_eq!(person.next_notification(), "the question no longer needs an answer");
    });
}
