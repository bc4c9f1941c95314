//! Asks that the user does not see at once: below the screen, of another session, several of them.

use serde_json::{Value, json};

use super::super::commands::NeovimUser;
use super::super::plugin_neovim::PluginNeovim;
use crate::model_server::ScriptedTurn;
use crate::neovim::crashes::block_on;
use crate::neovim::neovim_session::{environment_with_rules, for_each_neovim};

fn command(id: &str, text: &str) -> (String, &'static str, Value) {
    (id.to_owned(), "bash", json!({ "command": text, "description": "d" }))
}

fn asks_once(text: &str) -> ScriptedTurn {
    let (id, tool, arguments) = command("c1", text);
    ScriptedTurn::new().call(id, tool, arguments)
}

fn wait_for_asks(window: &mut PluginNeovim, count: usize) {
    window.wait_until(&format!("#require('copydesk.ask').list() == {count}"));
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_ask_below_the_screen_is_announced_and_not_answered_unseen() {
    for_each_neovim(|program| {
        let long = (1..=60).fold(String::new(), |text, number| text + &format!("line {number}\n\n"));
        let (id, tool, arguments) = command("c1", "true");
        let turns = [
            ScriptedTurn::new().text(&long).gate("half").call(id, tool, arguments),
            ScriptedTurn::new().text("Done."),
        ];
        let scripted = environment_with_rules(turns, json!({ "bash": "ask" }));
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("Copydesk ask Count");
        block_on(scripted.server.wait_for_gate("half"));
        window.wait_until("vim.api.nvim_buf_line_count(vim.fn.bufnr('copydesk://chat')) > 100");
        window.command("2wincmd w | normal! gg");
        scripted.server.open_gate("half");
        wait_for_asks(&mut window, 1);
        let screen = window.screen();
        assert!(screen.contains("? waits below: G"), "{screen}");
        assert_eq!(window.lua("return vim.fn.line('.')"), 1, "the cursor is the user's");
        window.keys("o");
        wait_for_asks(&mut window, 1);
        let screen = window.screen();
        assert!(screen.contains("[o]\u{a0}once") && screen.contains("? waits for you"), "{screen}");
        window.keys("o");
        window.wait_for_turn_end();
        assert_eq!(scripted.server.requests().len(), 2);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_ask_of_another_session_has_its_name_and_the_own_one_is_answered() {
    for_each_neovim(|program| {
        let turns = [
            asks_once("echo first"),
            asks_once("echo second"),
            ScriptedTurn::new().text("Second."),
            ScriptedTurn::new().text("First."),
        ];
        let scripted = environment_with_rules(turns, json!({ "bash": "ask" }));
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("Copydesk! ask One thing");
        wait_for_asks(&mut window, 1);
        let first = window.lua("return require('copydesk.session').current().id");
        window.command("Copydesk new");
        window.wait_until(&format!("require('copydesk.session').current().id ~= {first}"));
        window.wait_until("require('copydesk.chat.float').window()");
        let screen = window.screen();
        assert!(screen.contains("Copydesk: One thing"), "{screen}");
        window.command("Copydesk! ask Another");
        wait_for_asks(&mut window, 2);
        window.command("Copydesk allow");
        let ended = window.wait_for_turn_end();
        assert_ne!(ended["session"], first, "the ask of the current session was answered");
        // Now only the other one waits, and its name is on the screen.
        window.command("Copydesk allow");
        assert_eq!(window.wait_for_turn_end()["session"], first);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn with_several_asks_the_user_says_which() {
    for_each_neovim(|program| {
        let mut both = ScriptedTurn::new();
        for (id, file) in [("c1", "a.txt"), ("c2", "b.txt")] {
            let arguments = json!({ "filePath": file, "oldString": "two", "newString": "2" });
            both = both.call(id, "edit", arguments);
        }
        let turns = [both, ScriptedTurn::new().text("Done.")];
        let scripted = environment_with_rules(turns, json!({ "edit": "ask" }));
        scripted.env.write("a.txt", "two\n");
        scripted.env.write("b.txt", "two\n");
        let mut user = NeovimUser::start(program, &scripted.env);
        user.run_command("Copydesk! ask Work", json!([]));
        wait_for_asks(&mut user.window, 2);
        user.run_command("Copydesk allow", json!(["Edit b.txt"]));
        let labels = user.next_choices();
        assert!(labels.len() == 2 && labels.iter().any(|label| label.contains("Edit b.txt")), "{labels:?}");
        wait_for_asks(&mut user.window, 1);
        let left = user.window.lua("return require('copydesk.ask').list()[1].ask.title");
        assert!(left.as_str().unwrap().contains("Edit a.txt"), "{left}");
        user.run_command("Copydesk allow", json!([]));
        user.window.wait_for_turn_end();
    });
}
