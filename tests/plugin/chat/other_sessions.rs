//! A new Neovim in a folder where other sessions run, wait or have undecided hunks.

use serde_json::json;

use super::super::plugin_neovim::PluginNeovim;
use crate::neovim::neovim_session::{allow_edits_environment, edit, environment_with_rules, for_each_neovim};

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn hunks_of_a_run_in_the_terminal_are_told_and_marked() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment(edit("a.txt", "two", "2"));
        scripted.env.write("a.txt", "one\ntwo\nthree\n");
        let ran = scripted.run(&["Change it"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("edit a.txt");
        window.connect();
        let said = window.nvim.wait_for_message("said", |_| true);
        assert_eq!(said["text"], "Copydesk: “Change it” has 1 undecided hunk: `:Copydesk sessions`");
        window.wait_until("require('copydesk.review').count() == 1");
        assert!(window.lua("return require('copydesk.session').current()").is_null());
        assert!(window.screen().contains("┃ 2"), "{}", window.screen());
        window.command("2 | Copydesk reject");
        window.wait_until("require('copydesk.review').count() == 0");
        assert_eq!(window.lines("a.txt"), "one\ntwo\nthree");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_session_that_waits_is_told_named_and_listed_first() {
    for_each_neovim(|program| {
        let scripted = environment_with_rules(edit("a.txt", "two", "2"), json!({ "edit": "ask" }));
        scripted.env.write("a.txt", "one\ntwo\n");
        let mut first = PluginNeovim::open(program, &scripted.env);
        first.command("Copydesk! ask Change it");
        first.nvim.wait_for_message("CopydeskAsk", |_| true);
        let mut second = PluginNeovim::open(program, &scripted.env);
        second.command("Copydesk chat");
        let said = second.nvim.wait_for_message("said", |_| true);
        assert_eq!(said["text"], "Copydesk: “Change it” waits for your answer: `:Copydesk sessions`");
        second.wait_until("require('copydesk.chat.float').window()");
        let screen = second.screen();
        assert!(screen.contains("Copydesk: Change it"), "{screen}");
        let lines = second.lines("copydesk://chat");
        assert!(lines.contains("“Change it” waits for your answer"), "{lines}");
        second.lua(
            "vim.ui.select = function(items, options, done)
               T.tell('select', { label = options.format_item(items[1]) })
               done(items[1], 1)
             end",
        );
        second.command("Copydesk sessions");
        let chosen = second.nvim.wait_for_message("select", |_| true);
        assert!(chosen["label"].as_str().unwrap().contains("Change it waits for your answer"), "{chosen}");
        second.wait_until("require('copydesk.session').current()");
        second.command("Copydesk allow");
        second.wait_for_turn_end();
    });
}
