//! `ask`, `add`, `stop`, and the command line itself: names, completion, ranges.

use serde_json::json;

use super::NeovimUser;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::{allow_edits_environment, for_each_neovim};

fn done() -> [ScriptedTurn; 1] {
    [ScriptedTurn::new().text("Done.")]
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn ask_shows_the_conversation_and_leaves_the_user_where_they_are() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment(done());
        scripted.env.write("a.txt", "one\n");
        let mut user = NeovimUser::start(program, &scripted.env);
        user.run_command("edit a.txt | Copydesk ask Say | what @you see", json!([]));
        user.window.wait_for_turn_end();
        assert!(scripted.last_message(0).contains("Say | what @you see"), "{}", scripted.last_message(0));
        assert_eq!(user.window.lua("return vim.fn.expand('%')"), "a.txt");
        assert_eq!(user.window.lua("return require('copydesk.chat').is_visible()"), true);
        assert!(user.window.screen().contains("Done."), "{}", user.window.screen());
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn without_a_name_the_conversation_is_shown_and_hidden() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let mut user = NeovimUser::start(program, &scripted.env);
        for (command, is_visible) in [("Copydesk", true), ("Copydesk chat", false), ("Copydesk chat", true)] {
            user.run_command(command, json!([]));
            assert_eq!(user.window.lua("return require('copydesk.chat').is_visible()"), is_visible);
        }
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn ask_with_a_bang_shows_nothing() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment(done());
        let mut user = NeovimUser::start(program, &scripted.env);
        user.run_turn("Hello");
        assert_eq!(user.window.lua("return #vim.api.nvim_list_wins()"), 1);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn ask_without_words_asks_for_them_and_takes_none_for_no() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment(done());
        let mut user = NeovimUser::start(program, &scripted.env);
        user.run_command("Copydesk! ask", json!([false]));
        user.run_command("Copydesk! ask", json!(["  "]));
        user.run_command("Copydesk! ask", json!(["What is this?"]));
        user.window.wait_for_turn_end();
        assert!(scripted.last_message(0).contains("What is this?"));
        assert_eq!(user.window.nvim.wait_for_message("input", |_| true)["prompt"], "Ask: ");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_range_goes_along_as_it_is_seen() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([done(), done(), done(), done()].concat());
        scripted.env.write("a.txt", "one\ntwo\nthree\nfour\n");
        let mut user = NeovimUser::start(program, &scripted.env);
        user.run_command("edit a.txt | call setline(2, 'zwei ü') | 2,3Copydesk! ask Lines", json!([]));
        user.window.wait_for_turn_end();
        user.window.lua("T.answers = { 'Words' }");
        user.window.keys("2G0wvj0e<Plug>(copydesk-ask)");
        user.window.wait_for_turn_end();
        user.window.lua("T.answers = { 'Block' }");
        user.window.keys("gg0<C-v>jl<Plug>(copydesk-ask)");
        user.window.wait_for_turn_end();
        user.window.lua("T.answers = { 'Live' } vim.keymap.set('x', 'gc', '<Cmd>Copydesk! ask<CR>')");
        user.window.keys("4G0vlgc");
        user.window.wait_for_turn_end();
        let last = |number| scripted.last_message(number);
        assert!(last(3).contains(r"Live\n\n[a.txt, line 4]\nfo"), "{}", last(3));
        assert!(last(0).contains(r"Lines\n\n[a.txt, lines 2 to 3]\nzwei ü\nthree"), "{}", last(0));
        assert!(last(1).contains(r"Words\n\n[a.txt, lines 2 to 3]\nü\nthree"), "{}", last(1));
        assert!(last(2).contains(r"Block\n\n[a.txt, lines 1 to 2]\non\nzw"), "{}", last(2));
        let asked = user.window.nvim.wait_for_message("input", |_| true);
        assert_eq!(asked["prompt"], "Ask about a.txt:2-3: ");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_was_added_goes_with_the_next_prompt_and_with_no_other() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([done(), done()].concat());
        for (name, text) in [("a.txt", "one\ntwo\n"), ("lib/b.txt", "bee\n"), ("lib/c d.txt", "see\n")] {
            scripted.env.write(name, text);
        }
        let mut user = NeovimUser::start(program, &scripted.env);
        let mut says = |command: &str| {
            user.run_command(command, json!([]));
            user.next_notification()
        };
        assert_eq!(says("edit a.txt | Copydesk add"), "added to the next prompt: a.txt");
        assert_eq!(says("2Copydesk add"), "added to the next prompt: a.txt, a.txt:2");
        assert_eq!(says("Copydesk add clear lib/b.txt:1 %"), "added to the next prompt: lib/b.txt:1, a.txt");
        assert_eq!(says("Copydesk add clear"), "nothing is added to the next prompt");
        assert_eq!(says(r"Copydesk add lib/c\ d.txt"), "added to the next prompt: lib/c d.txt");
        assert_eq!(says("Copydesk add clear lib/*"), "added to the next prompt: lib/b.txt, lib/c d.txt");
        assert_eq!(
            says("Copydesk add nowhere.txt"),
            "there is no file `nowhere.txt`; `add` also takes %, selection, diagnostics, quickfix, clear"
        );
        assert_eq!(says("Copydesk add quickfix"), "the quickfix list is empty");
        assert_eq!(says("Copydesk add selection"), "nothing is selected in a.txt");
        assert_eq!(
            says("new | set buftype=nofile | only | Copydesk add"),
            "`@buffer` needs a file, and no window shows one"
        );
        user.run_turn("First");
        user.run_turn("Second");
        let first = scripted.last_message(0);
        assert!(first.contains(r"[lib/b.txt]\nbee\n") && first.contains(r"[lib/c d.txt]\nsee\n"), "{first}");
        assert!(!scripted.last_message(1).contains("bee"), "{}", scripted.last_message(1));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn stop_ends_the_turn_and_says_when_there_is_none() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([ScriptedTurn::new().text("I begin").stall("begun")]);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.run_command("Copydesk stop", json!([]));
        assert_eq!(user.next_notification(), "no turn is running");
        user.run_command("Copydesk! ask Work", json!([]));
        user.wait_for_text("I begin");
        user.run_command("Copydesk stop", json!([]));
        assert_eq!(user.window.wait_for_turn_end()["end"]["kind"], "cancelled");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_name_that_is_none_is_answered_with_the_nearest() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let mut user = NeovimUser::start(program, &scripted.env);
        for (given, nearest) in
            [("sesions", "sessions"), ("stpo", "stop"), ("resart", "restart"), ("und", "undo")]
        {
            user.run_command(&format!("Copydesk {given} now"), json!([]));
            assert_eq!(
                user.next_notification(),
                format!("there is no command `{given}`; did you mean `{nearest}`?")
            );
        }
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_command_line_is_completed() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        scripted.env.write("some.txt", "");
        scripted.env.write("two words.txt", "");
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.connect();
        user.window
            .lua("require('copydesk.catalogue').model_names() require('copydesk.catalogue').agent_names()");
        user.window.wait_until("require('copydesk.catalogue').model_names()[1]");
        user.window.wait_until("require('copydesk.catalogue').agent_names()[1]");
        let mut offers = |line: &str| {
            let found = user.window.nvim.lua("return vim.fn.getcompletion(..., 'cmdline')", json!([line]));
            serde_json::from_value::<Vec<String>>(found).unwrap().join(" ")
        };
        for (line, offered) in [
            ("Copydesk a", "ask agent add allow always accept accept-file accept-all"),
            ("2,3Copydesk! se", "sessions"),
            ("Copydesk stts", "status"),
            ("Copydesk undo ", "turn call all"),
            ("Copydesk undo turn ", ""),
            ("Copydesk model scm", "script/m-1"),
            ("Copydesk agent p", "plan"),
            ("Copydesk add q", "quickfix"),
            ("Copydesk add so", "some.txt"),
            ("Copydesk add two", r"two\ words.txt"),
            (r"Copydesk add two\ w", r"two\ words.txt"),
            ("Copydesk sessions d", "delete"),
            ("Copydesk ask about @sel", "@selection"),
            ("Copydesk nothing ", ""),
        ] {
            assert_eq!(offers(line), offered, "{line}");
        }
        // Every offered completion is understood, also in the prompt.
        for line in [
            r"Copydesk add two\ words.txt",
            r"lua require('copydesk.complete').slash([[/add two\ words.txt]])",
        ] {
            user.run_command(line, json!([]));
            assert_eq!(user.next_notification(), "added to the next prompt: two words.txt", "{line}");
            user.window.lua("require('copydesk.context').clear()");
        }
    });
}
