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
        scripted.env.write("a.txt", "0\n");
        scripted.env.write("b.txt", "b\n");
        let mut user = NeovimUser::start(program, &scripted.env);
        let asked = |user: &mut NeovimUser, command: &str| {
            user.run_command("Copydesk! ask Work", json!([]));
            user.window.nvim.wait_for_message("CopydeskAsk", |_| true);
            user.run_command(command, json!([]));
        };
        user.run_command("Copydesk allow", json!([]));
        assert_eq!(user.next_notification(), "nothing is waiting for an answer");
        asked(&mut user, "Copydesk allow");
        user.window.wait_for_turn_end();
        assert_eq!(scripted.env.read("a.txt"), "1\n");
        asked(&mut user, "Copydesk always");
        let said = user.next_notification();
        assert!(said.starts_with("allowed from now on: edit "), "{said}");
        user.window.wait_for_turn_end();
        user.run_turn("Without a word");
        assert_eq!(scripted.env.read("a.txt"), "3\n");
        // Another session remembers nothing.
        user.run_command("Copydesk new", json!([]));
        user.window.wait_until("require('copydesk.session').current().parts[1] == nil");
        asked(&mut user, "Copydesk reject");
        assert_eq!(user.window.wait_for_turn_end()["end"]["kind"], "rejected");
        asked(&mut user, "Copydesk reject  not | that one");
        user.window.wait_for_turn_end();
        let requests = scripted.server.requests().len();
        assert!(result(&scripted, requests - 1, "c1").0.contains("not | that one"));
        assert_eq!(scripted.env.read("b.txt"), "b\n");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_is_allowed_for_the_project_is_listed_and_taken_back() {
    for_each_neovim(|program| {
        let turns = ["touch a", "touch b"].into_iter().flat_map(|command| {
            let call = ScriptedTurn::new().call("c1", "bash", json!({ "command": command }));
            [call, ScriptedTurn::new().text("Done.")]
        });
        let scripted = environment_with_rules(turns, json!({ "bash": "ask" }));
        let mut user = NeovimUser::start(program, &scripted.env);
        user.run_command("Copydesk permission", json!([]));
        let said = user.next_notification();
        assert!(said.starts_with("nothing is always allowed in "), "{said}");
        user.run_command("Copydesk! ask Work", json!([]));
        user.window.nvim.wait_for_message("CopydeskAsk", |_| true);
        user.run_command("Copydesk always project", json!([]));
        assert_eq!(user.next_notification(), "allowed from now on in this project: bash touch *");
        user.window.wait_for_turn_end();
        user.run_command("Copydesk new", json!([]));
        user.window.wait_until("require('copydesk.session').current().parts[1] == nil");
        user.run_turn("Again");
        assert!(scripted.env.exists("b"));

        user.run_command("Copydesk permission explain touch c", json!([]));
        user.window.wait_until("vim.api.nvim_buf_get_lines(0, 0, 1, false)[1]:find('It runs', 1, true)");
        let report = user.window.screen();
        assert!(report.contains("your reply \"always\" for this project"), "{report}");
        user.window.keys("q");
        user.run_command("Copydesk permission", json!([]));
        user.window.wait_until("vim.api.nvim_buf_get_lines(0, 0, 1, false)[1]:find('bash touch', 1, true)");
        user.window.keys("x");
        assert_eq!(user.next_notification(), "no longer allowed: bash touch *");
        assert!(user.next_notification().starts_with("nothing is always allowed in "));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn patterns_are_edited_until_the_daemon_accepts_them() {
    for_each_neovim(|program| {
        let call = ScriptedTurn::new().call("c1", "bash", json!({ "command": "touch a" }));
        let turns = [call, ScriptedTurn::new().text("Done.")];
        let scripted = environment_with_rules(turns, json!({ "bash": "ask" }));
        let mut user = NeovimUser::start(program, &scripted.env);
        user.run_command("Copydesk! ask Work", json!([]));
        user.window.nvim.wait_for_message("CopydeskAsk", |_| true);
        let open = |user: &mut NeovimUser, pattern: &str| {
            user.run_command("Copydesk always edit", json!(["in this session"]));
            user.window.wait_until(&format!("vim.api.nvim_get_current_line() == '{pattern}'"));
        };
        open(&mut user, "touch *");
        user.window.keys("ccsh *<Esc><CR>");
        assert_eq!(user.next_choices(), ["in this session", "in every session of this project"]);
        let said = user.next_notification();
        assert!(said.starts_with("not accepted: the program of the pattern `sh *` may run"), "{said}");
        assert!(!scripted.env.exists("a"));
        // What the user wrote is still there. Leaving changes nothing.
        open(&mut user, "sh *");
        user.window.keys("q");
        user.window.wait_until("vim.fn.win_gettype() == ''");
        open(&mut user, "sh *");
        user.window.keys("cctouch a *<Esc>:write<CR>");
        assert_eq!(user.next_notification(), "allowed from now on: bash touch a *");
        user.window.wait_for_turn_end();
        assert!(scripted.env.exists("a"));
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

fn asked(user: &mut NeovimUser) {
    user.window.nvim.lua(QUESTIONS, json!([questions()]));
    user.window.nvim.wait_for_message("CopydeskAsk", |told| told["kind"] == "question");
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn questions_are_asked_one_after_another() {
    for_each_neovim(|program| {
        let scripted = environment_with_rules([], json!({}));
        let mut user = NeovimUser::start(program, &scripted.env);
        asked(&mut user);
        let answers =
            json!(["red", "bath", "kitchen", "kitchen", "Something else", "attic", "That is all", "Ann's"]);
        user.run_command("Copydesk allow", answers);
        assert_eq!(
            user.window.nvim.wait_for_message("answer", |_| true),
            json!({ "reply": "answered", "answers": [["red"], ["bath", "attic"], ["Ann's"]] })
        );
        let first = user.window.nvim.wait_for_message("select", |_| true);
        assert_eq!(first["prompt"], "Which colour? (1 of 3)");
        assert_eq!(first["labels"], json!(["red: like a rose", "blue", "Something else …"]));
        let marked = json!(["[x] kitchen", "[x] bath", "Something else …", "That is all"]);
        user.window.nvim.wait_for_message("select", |told| told["labels"] == marked);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_question_that_is_left_stays_open_and_can_be_rejected() {
    for_each_neovim(|program| {
        let scripted = environment_with_rules([], json!({}));
        let mut user = NeovimUser::start(program, &scripted.env);
        asked(&mut user);
        user.run_command("Copydesk allow", json!(["blue", false]));
        user.window.nvim.wait_for_message("select", |told| told["prompt"] == "Which rooms? (2 of 3)");
        assert_eq!(user.window.lua("return #require('copydesk.ask').list()"), 1);
        user.run_command("Copydesk reject", json!([]));
        assert_eq!(user.window.nvim.wait_for_message("answer", |_| true), json!({ "reply": "rejected" }));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_answer_that_comes_too_late_says_so() {
    for_each_neovim(|program| {
        let scripted = environment_with_rules([], json!({}));
        let mut user = NeovimUser::start(program, &scripted.env);
        asked(&mut user);
        user.run_command("Copydesk allow", json!([]));
        user.window.nvim.wait_for_message("select", |_| true);
        user.window.lua("require('copydesk.ask').settled('s', 'q1', 'vscode')");
        assert_eq!(user.next_notification(), "answered in vscode");
        user.window.lua("T.leave()");
        assert_eq!(user.next_notification(), "the question no longer needs an answer");
    });
}
