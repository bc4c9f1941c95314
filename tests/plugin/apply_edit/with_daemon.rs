//! With the real daemon: the user types while edits are on their way, and the daemon handles the plugin's responses
//! correctly.
//!
//! The user is that of `tests/neovim/typing.rs`, in a Neovim with the plugin.

use std::path::Path;

use serde_json::json;

use crate::model_server::ScriptedTurn;
use crate::neovim::crashes::block_on;
use crate::neovim::neovim_session::{allow_edits_environment, for_each_neovim, result};
use crate::neovim::typing::{BUFFERS, EditTally, ROUNDS, play};
use crate::plugin::plugin_neovim::PluginNeovim;
use crate::sessions::harness::ScriptedEnvironment;

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn no_keystroke_is_lost_and_every_answer_is_true() {
    for_each_neovim(|program| {
        let tally = rounds(program, 40);
        println!("{tally:?}");
        assert!(
            tally.applied > 240 && tally.failed > 3 && tally.retried > 15,
            "the user typed too little: {tally:?}"
        );
    });
}

/// The user's actions around our handler.
const PERSON: &str = "
T.open = function(path) vim.cmd('silent edit ' .. path) return vim.api.nvim_get_current_buf() end
local apply = require('copydesk.apply')
local handle = apply.handle
apply.handle = function(params, client)
  if T.before then T.before(params) end
  local answer = handle(params, client)
  if T.after then T.after(params) end
  return answer
end
-- The response comes after everything that was sent before the request.
function T.told()
  T.await(function(done) require('copydesk.client').request('copydesk/status', {}, function() done() end) end)
end
";

fn rounds(program: &Path, rounds: usize) -> EditTally {
    let scripted = allow_edits_environment([]);
    let files: Vec<_> = (0..BUFFERS).map(|number| format!("f{number}.txt")).collect();
    let mut window = PluginNeovim::open(program, &scripted.env);
    window.connect();
    window.lua(PERSON);
    window.lua(include_str!("../../neovim/person.lua"));
    window.nvim.lua("P.seed(...)", json!([rounds]));
    window.nvim.lua("P.open(...)", json!([files]));
    let mut tally = EditTally::default();
    for round in 0..rounds {
        if round % ROUNDS == 0 {
            window.lua("T.await(function(done) require('copydesk.session').new(function() done() end) end)");
            window.lua("P.begin()");
        }
        self::round(&scripted, &mut window, round, &files, &mut tally);
    }
    tally
}

fn round(
    scripted: &ScriptedEnvironment,
    window: &mut PluginNeovim,
    round: usize,
    files: &[String],
    tally: &mut EditTally,
) {
    let edits = window.lua("return P.round()");
    let gate = play(scripted, round, files, &edits);
    window.lua("require('copydesk').ask('Work', { show = false })");
    for _ in 0..3 {
        window.lua("P.anywhere()");
    }
    block_on(scripted.server.wait_for_gate(&gate));
    window.lua("T.told()");
    let now = window.lua("return P.result()");
    scripted.server.open_gate(&gate);
    window.wait_for_turn_end();
    let wrong = window.lua("return P.wrong");
    tally.record_round(scripted, round, &wrong, &now);
}

/// Edits to one file after another, in difficult places: the end of a text, folds, several hunks, no name.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_turn_edits_what_is_open_wherever_that_is() {
    for_each_neovim(|program| {
        let edit = |call: &str, file: &str, old: &str, new: &str| {
            let arguments = json!({ "filePath": file, "oldString": old, "newString": new });
            ScriptedTurn::new().call(call, "edit", arguments)
        };
        let scripted = allow_edits_environment([
            edit("c1", "a.txt", "two\nthree\nfour\nfive", "2\nthree\nfour\n5\nfive and a half"),
            edit("c2", "a.txt", "eight\n", "eight\nnine\n"),
            edit("c3", "a.txt", "2\nthree", "2\n2b\n2c\nthree"),
            edit("c4", "untitled:Untitled-3", "words", "more\nwords"),
            edit("c5", "b.txt", "one", "1"),
            ScriptedTurn::new().text("Done."),
        ]);
        scripted.env.write("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n");
        scripted.env.write("b.txt", "one\n");
        let mut window = PluginNeovim::open(program, &scripted.env);
        window
            .lua("vim.cmd('silent edit b.txt | setlocal readonly | silent edit a.txt | 2,4fold | 5,7fold')");
        window.connect();
        window.lua(
            "vim.cmd('new') vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'words' }) BUFFER = vim.fn.bufnr()",
        );
        assert_eq!(window.lua("return BUFFER"), 3);
        window.lua("require('copydesk').ask('Work', { show = false })");
        window.wait_for_turn_end();
        for (request, call) in ["c1", "c2", "c3", "c4"].into_iter().enumerate() {
            let (told, failed) = result(&scripted, request + 1, call);
            assert!(!failed, "{call}: {told}");
        }
        let (told, failed) = result(&scripted, 5, "c5");
        assert!(failed && told.contains("read-only"), "{told}");
        let expected = "one\n2\n2b\n2c\nthree\nfour\n5\nfive and a half\nsix\nseven\neight\nnine";
        assert_eq!(window.lines("a.txt"), expected);
        assert_eq!(window.lines(3), "more\nwords");
        window.lua("vim.cmd('wincmd p | silent undo | silent undo | silent undo')");
        assert_eq!(window.lines("a.txt"), "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight");
    });
}
