//! `allow`, `always`, `reject`, and the dialogue of questions.

use serde_json::{Value, json};

use super::Person;
use crate::model_server::Turn;
use crate::neovim::window::{edit, on_each, result, with_rules};

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_ask_is_answered_from_anywhere() {
    on_each(|program| {
        let turns = [edit("a.txt", "0", "1"), edit("a.txt", "1", "2"), edit("a.txt", "2", "3")].concat();
        let rejected = Turn::new().call(
            "c1",
            "edit",
            json!({ "filePath": "b.txt", "oldString": "b", "newString": "c" }),
        );
        let reasoned = edit("b.txt", "b", "d");
        let turns = turns.into_iter().chain([rejected]).chain(reasoned);
        let scripted = with_rules(turns, json!({ "edit": "ask" }));
        scripted.desk.write("a.txt", "0\n");
        scripted.desk.write("b.txt", "b\n");
        let mut person = Person::at(program, &scripted.desk);
        let asked = |person: &mut Person, command: &str| {
            person.gives("Copydesk! ask Work", json!([]));
            person.window.nvim.wait("CopydeskAsk", |_| true);
            person.gives(command, json!([]));
        };
        person.gives("Copydesk allow", json!([]));
        assert_eq!(person.hears(), "nothing waits for an answer");
        asked(&mut person, "Copydesk allow");
        person.window.ended();
        assert_eq!(scripted.desk.read("a.txt"), "1\n");
        asked(&mut person, "Copydesk always");
        let said = person.hears();
        assert!(said.starts_with("allowed from now on: edit "), "{said}");
        person.window.ended();
        person.asks("Without a word");
        assert_eq!(scripted.desk.read("a.txt"), "3\n");
        // Another session remembers nothing.
        person.gives("Copydesk new", json!([]));
        person.window.until("require('copydesk.session').current().parts[1] == nil");
        asked(&mut person, "Copydesk reject");
        assert_eq!(person.window.ended()["end"]["kind"], "rejected");
        asked(&mut person, "Copydesk reject  not | that one");
        person.window.ended();
        let requests = scripted.server.requests().len();
        assert!(result(&scripted, requests - 1, "c1").0.contains("not | that one"));
        assert_eq!(scripted.desk.read("b.txt"), "b\n");
    });
}

/// Asks questions as the desk does, and gives what is answered.
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

fn asked(person: &mut Person) {
    person.window.nvim.lua(QUESTIONS, json!([questions()]));
    person.window.nvim.wait("CopydeskAsk", |told| told["kind"] == "question");
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn questions_are_asked_one_after_another() {
    on_each(|program| {
        let scripted = with_rules([], json!({}));
        let mut person = Person::at(program, &scripted.desk);
        asked(&mut person);
        let answers =
            json!(["red", "bath", "kitchen", "kitchen", "Something else", "attic", "That is all", "Ann's"]);
        person.gives("Copydesk allow", answers);
        assert_eq!(
            person.window.nvim.wait("answer", |_| true),
            json!({ "reply": "answered", "answers": [["red"], ["bath", "attic"], ["Ann's"]] })
        );
        let first = person.window.nvim.wait("select", |_| true);
        assert_eq!(first["prompt"], "Which colour? (1 of 3)");
        assert_eq!(first["labels"], json!(["red: like a rose", "blue", "Something else …"]));
        let marked = json!(["[x] kitchen", "[x] bath", "Something else …", "That is all"]);
        person.window.nvim.wait("select", |told| told["labels"] == marked);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_question_that_is_left_stays_open_and_can_be_rejected() {
    on_each(|program| {
        let scripted = with_rules([], json!({}));
        let mut person = Person::at(program, &scripted.desk);
        asked(&mut person);
        person.gives("Copydesk allow", json!(["blue", false]));
        person.window.nvim.wait("select", |told| told["prompt"] == "Which rooms? (2 of 3)");
        assert_eq!(person.window.lua("return #require('copydesk.ask').list()"), 1);
        person.gives("Copydesk reject", json!([]));
        assert_eq!(person.window.nvim.wait("answer", |_| true), json!({ "reply": "rejected" }));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_answer_that_comes_too_late_says_so() {
    on_each(|program| {
        let scripted = with_rules([], json!({}));
        let mut person = Person::at(program, &scripted.desk);
        asked(&mut person);
        person.gives("Copydesk allow", json!([]));
        person.window.nvim.wait("select", |_| true);
        person.window.lua("require('copydesk.ask').settled('s', 'q1', 'vscode')");
        assert_eq!(person.hears(), "answered in vscode");
        person.window.lua("T.leave()");
        assert_eq!(person.hears(), "the question needs no answer any more");
    });
}
