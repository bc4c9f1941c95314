//! Undo and redo of the agent's changes in live buffers keep what the user typed in between.

use std::path::Path;

use serde_json::{Value, json};

use super::neovim_session::{
    DEFAULT_DEBOUNCE_MS, NeovimSession, allow_edits_environment, edit, for_each_neovim,
};
use crate::model_server::ScriptedTurn;
use crate::sessions::harness::ScriptedEnvironment;

const TEN: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

/// Two files edited in one turn, and a user who has typed above, between and below since.
fn after_edited_turn(program: &Path) -> (ScriptedEnvironment, NeovimSession) {
    let both = |old: &str, new: &str| {
        let arguments = |file: &str| json!({ "filePath": file, "oldString": old, "newString": new });
        ScriptedTurn::new().call("c1", "edit", arguments("a.txt")).call("c2", "edit", arguments("b.txt"))
    };
    let turn = both("two\nthree\nfour\nfive\nsix\nseven\neight", "2\nthree\nfour\nfive\nsix\nseven\n8");
    let scripted = allow_edits_environment([turn, ScriptedTurn::new().text("Done.")]);
    scripted.env.write("a.txt", TEN);
    scripted.env.write("b.txt", TEN);
    // Only one of them is open.
    let mut window = NeovimSession::with_debounce(program, &scripted.env, &["a.txt"], DEFAULT_DEBOUNCE_MS);
    window.run_turn();
    assert_eq!(window.text("a.txt"), agent(TEN));
    window.run_lua("vim.cmd('normal! ggOabove 🦀') vim.cmd('normal! 6Gobetween') vim.cmd('normal! Gobelow')");
    assert_eq!(window.text("a.txt"), typed(&agent(TEN)));
    window.flush_changes();
    (scripted, window)
}

fn agent(text: &str) -> String {
    text.replace("two", "2").replace("eight", "8")
}

fn typed(text: &str) -> String {
    format!("above 🦀\n{}below\n", text.replace("five\n", "five\nbetween\n"))
}

/// The files by name, with the outcome of each.
fn outcomes(result: &Value) -> Vec<(&str, &str)> {
    result["files"].as_array().unwrap().iter().map(outcome).collect()
}

fn outcome(file: &Value) -> (&str, &str) {
    let uri = file["uri"].as_str().unwrap();
    (uri.rsplit('/').next().unwrap(), file["outcome"].as_str().unwrap())
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_turn_is_taken_back_and_done_again_around_what_was_typed() {
    for_each_neovim(|program| {
        let (scripted, mut window) = after_edited_turn(program);
        let undone = window.request("copydesk/undo", json!({ "what": { "turn": 1 } }));
        let mut files = outcomes(&undone);
        files.sort_unstable();
        assert_eq!(files, [("a.txt", "undone"), ("b.txt", "undone")]);
        assert_eq!(window.text("a.txt"), typed(TEN));
        assert_eq!((scripted.env.read("a.txt"), scripted.env.read("b.txt")), (TEN.into(), TEN.into()));
        // Typed after the undo.
        window.run_lua("vim.cmd('normal! Gomore')");
        window.flush_changes();
        let redone = window.request("copydesk/redo", json!({}));
        assert!(outcomes(&redone).iter().all(|(_, outcome)| *outcome == "undone"), "{redone}");
        assert_eq!(window.text("a.txt"), format!("{}more\n", typed(&agent(TEN))));
        assert_eq!((scripted.env.read("a.txt"), scripted.env.read("b.txt")), (TEN.into(), agent(TEN)));
        // Each was one step for the editor: its own undo goes back through them, and through what was typed.
        for expected in [format!("{}more\n", typed(TEN)), typed(TEN), typed(&agent(TEN))] {
            window.run_lua("vim.cmd('silent undo')");
            assert_eq!(window.text("a.txt"), expected);
        }
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_command_line_takes_back_in_the_buffers_too() {
    for_each_neovim(|program| {
        let (scripted, mut window) = after_edited_turn(program);
        let session = window.session.clone();
        let undo = scripted.env.run(&["undo", &session]);
        assert_eq!((undo.stdout.as_str(), undo.code), ("✓ a.txt undone\n✓ b.txt undone\n", Some(0)));
        assert_eq!(window.text("a.txt"), typed(TEN));
        assert_eq!((scripted.env.read("a.txt"), scripted.env.read("b.txt")), (TEN.into(), TEN.into()));
        let redo = scripted.env.run(&["undo", "--redo", &session]);
        assert_eq!((redo.stdout.as_str(), redo.code), ("✓ a.txt redone\n✓ b.txt redone\n", Some(0)));
        assert_eq!(window.text("a.txt"), typed(&agent(TEN)));
        assert_eq!((scripted.env.read("a.txt"), scripted.env.read("b.txt")), (TEN.into(), agent(TEN)));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_line_that_a_user_has_changed_since_is_left_to_them() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment(edit("a.txt", "two", "2"));
        scripted.env.write("a.txt", TEN);
        let mut window =
            NeovimSession::with_debounce(program, &scripted.env, &["a.txt"], DEFAULT_DEBOUNCE_MS);
        window.run_turn();
        window.run_lua("vim.cmd('normal! 2GA typed')");
        let now = TEN.replace("two", "2 typed");
        let undone = window.request("copydesk/undo", json!({ "what": { "turn": 1 } }));
        assert_eq!(outcomes(&undone), [("a.txt", "conflict")]);
        assert_eq!(window.text("a.txt"), now);
        let undo = scripted.env.run(&["undo", &window.session.clone()]);
        assert!(undo.code == Some(1) && undo.stdout.starts_with("✗ a.txt left as it is: "), "{undo:?}");
        assert_eq!(window.text("a.txt"), now);
    });
}

/// The undo arrives in a buffer in which the user types at that very moment.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn typing_while_it_is_taken_back_is_kept() {
    for_each_neovim(|program| {
        let (_scripted, mut window) = after_edited_turn(program);
        window.run_lua(
            "T.before = function()
                vim.api.nvim_buf_set_lines(0, 0, 0, true, { 'in between' })
                T.before = nil
            end",
        );
        let undone = window.request("copydesk/undo", json!({ "what": { "turn": 1 } }));
        assert!(outcomes(&undone).contains(&("a.txt", "undone")), "{undone}");
        assert_eq!(window.text("a.txt"), format!("in between\n{}", typed(TEN)));
    });
}
