//! What goes with a prompt, in the conversation and when the prompt is sent again; and what the user decided.

use serde_json::{Value, json};

use super::super::plugin_neovim::PluginNeovim;
use crate::cli::environment::USER_CONFIG;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::{allow_edits_environment, edit, for_each_neovim};

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_prompt_that_is_sent_again_has_its_context_once() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([
            ScriptedTurn::new().text("One."),
            ScriptedTurn::new().text("Two."),
            ScriptedTurn::new().text("Three."),
        ]);
        scripted.env.write("a.txt", "one\ntwo\nthree\n");
        scripted.env.write("b.txt", "another\n");
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.lua("vim.ui.select = function(items, _, done) done(items[1], 1) end");
        window.command("edit a.txt");
        window.command("2,3Copydesk ask Change it like @b.txt");
        window.wait_for_turn_end();
        window.screen();
        let lines = window.lines("copydesk://chat");
        assert!(
            lines.contains("Change it like @b.txt\nWith a.txt, lines 2 to 3\nWith b.txt\n"),
            "only names: {lines}"
        );
        let first = scripted.request_body(0)["messages"][0]["content"][0]["text"].clone();
        let expected = "Change it like @b.txt\n\n[a.txt, lines 2 to 3]\ntwo\nthree\n\n[b.txt]\nanother\n";
        assert_eq!(first, expected);
        window.command("2wincmd w");
        window.keys("Ge");
        window.wait_until("require('copydesk.chat.input').text() == 'Change it like @b.txt'");
        window.wait_until("vim.api.nvim_get_current_buf() == require('copydesk.chat.input').buffer()");
        assert!(window.screen().contains("Prompt with earlier context"), "{}", window.screen());
        window.keys("A, please<Esc><CR>");
        window.wait_for_turn_end();
        let again = scripted.request_body(1)["messages"][0]["content"][0]["text"].clone();
        let again = again.as_str().unwrap();
        assert!(again.starts_with("Change it like @b.txt, please\n\n[b.txt]"), "{again}");
        assert_eq!(again.matches("[a.txt, lines 2 to 3]\ntwo\nthree").count(), 1, "{again}");
        assert_eq!(again.matches("[b.txt]").count(), 1, "{again}");
        // It goes with one prompt only.
        window.command("Copydesk ask Next");
        window.wait_for_turn_end();
        let sent = scripted.request_body(2)["messages"].to_string();
        assert_eq!(sent.matches("[a.txt, lines 2 to 3]").count(), 1, "{sent}");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_prompt_that_is_sent_again_has_its_images_once() {
    for_each_neovim(|program| {
        let turns = ["One.", "Two."].map(|text| ScriptedTurn::new().text(text));
        let scripted = allow_edits_environment(turns);
        let mut config: Value = serde_json::from_str(&scripted.env.read(USER_CONFIG)).unwrap();
        config["provider"]["script"]["models"]["m-1"]["images"] = json!(true);
        scripted.env.write(USER_CONFIG, config.to_string());
        scripted.env.write("added.png", b"\x89PNG\r\n\x1a\nadded");
        scripted.env.write("named.png", b"\x89PNG\r\n\x1a\nnamed");
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.lua("vim.ui.select = function(items, _, done) done(items[1], 1) end");
        window.command("Copydesk add added.png");
        window.command("Copydesk ask Compare it with @named.png");
        window.wait_for_turn_end();
        window.screen();
        window.command("2wincmd w");
        window.keys("Ge");
        window.wait_until("require('copydesk.chat.input').text() == 'Compare it with @named.png'");
        window.wait_until("vim.api.nvim_get_current_buf() == require('copydesk.chat.input').buffer()");
        window.keys("A, please<Esc><CR>");
        window.wait_for_turn_end();
        let images = |number: usize| {
            let sent = scripted.request_body(number)["messages"][0]["content"].clone();
            let images = sent.as_array().unwrap().iter().filter(|part| part["type"] == "image");
            let mut data: Vec<_> = images.map(|part| part["source"]["data"].to_string()).collect();
            data.sort();
            data
        };
        assert_eq!(images(0).len(), 2);
        assert_eq!(images(1), images(0));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn user_and_model_are_told_of_an_image_that_the_model_does_not_accept() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([ScriptedTurn::new().text("I see none.")]);
        scripted.env.write("shot.png", b"\x89PNG\r\n\x1a\nrest");
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("Copydesk ask What is @shot.png");
        let why = "shot.png is not sent: script/m-1 does not accept images. `:Copydesk model` chooses another model.";
        let said = window.nvim.wait_for_message("said", |_| true);
        assert_eq!(said["text"], format!("Copydesk: {why}"));
        window.wait_for_turn_end();
        window.screen();
        let lines = window.lines("copydesk://chat");
        assert!(lines.contains(why), "{lines}");
        let sent = scripted.last_message(0);
        assert!(sent.contains("shot.png left out: this model takes no images"), "{sent}");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn decisions_and_comments_are_shown_until_the_model_has_read_them() {
    for_each_neovim(|program| {
        let edits = |id: &str, old: &str, new: &str| {
            (id.to_owned(), json!({ "filePath": "a.txt", "oldString": old, "newString": new }))
        };
        let mut change = ScriptedTurn::new();
        for (id, arguments) in [edits("c1", "one", "1"), edits("c2", "three", "3"), edits("c3", "five", "5")]
        {
            change = change.call(id, "edit", arguments);
        }
        let done = edit("a.txt", "", "")[1].clone();
        let scripted = allow_edits_environment([change, done, ScriptedTurn::new().text("So be it.")]);
        scripted.env.write("a.txt", "one\ntwo\nthree\nfour\nfive\n");
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.command("edit a.txt");
        window.command("Copydesk ask Change it");
        window.wait_for_turn_end();
        window.wait_until("require('copydesk.review').count() == 3");
        window.command("1wincmd w | 1 | Copydesk accept");
        window.wait_until("require('copydesk.review').count() == 2");
        window.command("3 | Copydesk reject not that one");
        window.wait_until("require('copydesk.review').count() == 1");
        window.lua("vim.ui.input = function(_, done) done('why five?') end");
        window.command("5 | Copydesk comment why five?");
        window.wait_until("#require('copydesk.session').current().feedback == 3");
        window.screen();
        let lines = window.lines("copydesk://chat");
        let told = "You accepted a.txt:1\nYou rejected a.txt:3: not that one\nYou commented a.txt:5: why five?\n\
                    The agent has not read this yet.";
        assert!(lines.ends_with(told), "{lines}");
        window.command("Copydesk ask And now?");
        window.wait_for_turn_end();
        window.screen();
        let lines = window.lines("copydesk://chat");
        assert!(!lines.contains("has not read this yet"), "{lines}");
        assert!(lines.contains("not that one") && lines.contains("why five?"), "the note has them: {lines}");
    });
}
