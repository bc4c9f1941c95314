//! A buffer whose text the daemon does not have: Neovim changed it without a report, or a report was lost. That is noticed
//! before an edit and when the user rests, and the daemon gets the whole text.

use std::path::Path;

use serde_json::json;

use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::{allow_edits_environment, for_each_neovim, result};
use crate::plugin::plugin_neovim::PluginNeovim;
use crate::sessions::harness::ScriptedEnvironment;

/// Ways in which Neovim's text and the daemon's come apart, and the lines that the user typed thereby.
const DIFFERENCES: [(&str, &str); 4] = [
    ("vim.bo[B].fileformat = 'dos'", ""),
    ("vim.bo[B].endofline = false vim.bo[B].fixendofline = false", ""),
    // The first change gets lost, and the second is told for a text that the daemon does not have.
    (
        "LOSE = 1 typed(0, 'typed first') flush() typed(0, 'typed second') flush()",
        "typed second\ntyped first\n",
    ),
    ("LOSE = 1 typed(2, 'typed') flush()", "typed\n"),
];

const LOSES: &str = "
B = vim.fn.bufnr('a.txt')
LOSE = 0
local client = require('copydesk.client').get()
local notify = client.rpc.notify
client.rpc.notify = function(method, params)
  if method == 'textDocument/didChange' and LOSE > 0 then
    LOSE = LOSE - 1
    return true
  end
  return notify(method, params)
end
function typed(row, line) vim.api.nvim_buf_set_lines(B, row, row, true, { line }) end
function flush() require('copydesk.sync').flush(B) end
";

#[track_caller]
fn window_that_loses_reports(program: &Path, scripted: &ScriptedEnvironment) -> PluginNeovim {
    scripted.env.write("a.txt", "one\ntwo\nthree\nfour\nfive\n");
    let mut window = PluginNeovim::open(program, &scripted.env);
    window.lua("vim.cmd('silent edit a.txt')");
    window.connect();
    window.lua(LOSES);
    window
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn an_edit_is_made_in_the_text_that_the_buffer_has() {
    for_each_neovim(|program| {
        // Other line ends change every line: that is a conflict. A last change that got lost leaves the daemon an old version,
        // for which no edit is made.
        for (difference, typed) in DIFFERENCES.into_iter().skip(1).take(2) {
            let arguments = json!({ "filePath": "a.txt", "oldString": "four", "newString": "4" });
            let scripted = allow_edits_environment([
                ScriptedTurn::new().call("c1", "read", json!({ "filePath": "a.txt" })),
                ScriptedTurn::new().text("Seen."),
                ScriptedTurn::new().call("c2", "edit", arguments),
                ScriptedTurn::new().text("Done."),
            ]);
            let mut window = window_that_loses_reports(program, &scripted);
            window.lua("require('copydesk').ask('Look', { show = false })");
            window.wait_for_turn_end();
            window.lua(difference);
            window.lua("require('copydesk').ask('Work', { show = false })");
            window.wait_for_turn_end();
            let (told, failed) = result(&scripted, 3, "c2");
            assert!(!failed, "{difference}: {told}");
            let now = window.lines("a.txt");
            assert_eq!(
                now.replacen("\n4\n", "\nfour\n", 1),
                with_typed(difference, typed),
                "{difference}: {now}"
            );
            assert!(now.contains("\n4\n"), "{difference}: {now}");
        }
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_user_who_rests_lets_the_daemon_notice_it() {
    for_each_neovim(|program| {
        for (difference, typed) in DIFFERENCES {
            let scripted = allow_edits_environment([
                ScriptedTurn::new().call("c1", "read", json!({ "filePath": "a.txt" })),
                ScriptedTurn::new().text("Seen."),
            ]);
            let mut window = window_that_loses_reports(program, &scripted);
            window.lua(difference);
            window.lua(
                "OPENED = 0
                local client = require('copydesk.client').get()
                local notify = client.rpc.notify
                client.rpc.notify = function(method, params)
                  OPENED = OPENED + (method == 'textDocument/didOpen' and 1 or 0)
                  return notify(method, params)
                end
                vim.cmd('doautocmd CursorHold')",
            );
            window.wait_until("OPENED == 1");
            window.lua("require('copydesk').ask('Look', { show = false })");
            window.wait_for_turn_end();
            let (told, _) = result(&scripted, 1, "c1");
            let text = told.split("\n\n(").next().unwrap_or_default();
            let lines: Vec<_> = text.lines().filter_map(|line| Some(line.split_once(": ")?.1)).collect();
            assert_eq!(lines.join("\n"), with_typed(difference, typed), "{difference}: {told}");
        }
    });
}

/// The lines of the buffer.
fn with_typed(difference: &str, typed: &str) -> String {
    let (head, tail) = if difference.contains("typed(2,") {
        ("one\ntwo\n", "three\nfour\nfive")
    } else {
        ("", "one\ntwo\nthree\nfour\nfive")
    };
    format!("{head}{typed}{tail}")
}
