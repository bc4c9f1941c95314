//! The changes of each turn: their list, going to them, undo and redo, from the list and from the conversation.

mod edge_cases;
mod listing;
mod undo;

use std::path::Path;

use serde_json::json;

use super::commands::NeovimUser;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::allow_edits_environment;
use crate::sessions::harness::ScriptedEnvironment;

const TEXT: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n";

/// Adds an edit call.
fn edit(turn: ScriptedTurn, id: &str, file: &str, old: &str, new: &str) -> ScriptedTurn {
    turn.call(id, "edit", json!({ "filePath": file, "oldString": old, "newString": new }))
}

fn done() -> ScriptedTurn {
    ScriptedTurn::new().text("Done.")
}

/// Three turns: one with two files, one that only talks, one with two hunks and a failing call.
fn three_turns() -> Vec<ScriptedTurn> {
    let first = edit(ScriptedTurn::new(), "c1", "a.txt", "one", "1");
    let two = edit(ScriptedTurn::new(), "c3", "a.txt", "three\n", "3\nthree and a half\n");
    let two = edit(two, "c4", "a.txt", "no such line", "x");
    vec![
        edit(first, "c2", "b.txt", "x", "y"),
        done(),
        ScriptedTurn::new().text("Just talk."),
        two,
        edit(ScriptedTurn::new(), "c5", "a.txt", "six\nseven\neight\nnine", "six\nseven\nEIGHT"),
        done(),
    ]
}

/// A user after the three turns, with `a.txt` in the window.
fn after_three_turns(program: &Path) -> (NeovimUser, ScriptedEnvironment) {
    let scripted = allow_edits_environment(three_turns());
    scripted.env.write("a.txt", TEXT);
    scripted.env.write("b.txt", "x\n");
    let mut user = NeovimUser::start(program, &scripted.env);
    user.window.command("edit a.txt");
    for prompt in ["Number the lines, please", "Why so?", "Now the rest"] {
        user.run_turn(prompt);
    }
    user.window.wait_until("require('copydesk.review').count() == 4");
    (user, scripted)
}

impl NeovimUser {
    /// Opens the list.
    #[track_caller]
    fn open_list(&mut self) {
        self.run_command("Copydesk changes", json!([]));
    }

    /// Moves the list's cursor to the first matching line, and waits until it is previewed.
    #[track_caller]
    fn move_to_row(&mut self, words: &str) {
        let found = self.window.nvim.lua("return vim.fn.search(..., 'cw')", json!([words]));
        assert_ne!(found, 0, "{words}\n{}", self.list_text());
        self.window.command("doautocmd <nomodeline> CursorMoved");
    }

    /// The line under the cursor.
    #[track_caller]
    fn row(&mut self) -> String {
        self.window.lua("return vim.fn.getline('.')").as_str().unwrap().to_owned()
    }

    /// The lines of the list.
    #[track_caller]
    fn list_text(&mut self) -> String {
        self.window.lines("copydesk://changes")
    }

    /// Waits until a line of the list contains these words.
    #[track_caller]
    fn wait_for_list_text(&mut self, words: &str) {
        let lines = "table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr('copydesk://changes'), 0, -1, true), '\\n')";
        self.window.wait_until(&format!("{lines}:find('{words}', 1, true)"));
    }

    /// Waits until no line of the list contains them.
    #[track_caller]
    fn wait_until_list_lacks(&mut self, words: &str) {
        let lines = "table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr('copydesk://changes'), 0, -1, true), '\\n')";
        self.window.wait_until(&format!("not {lines}:find('{words}', 1, true)"));
    }

    /// The name of the current buffer, and the cursor's line.
    #[track_caller]
    fn cursor_position(&mut self) -> (String, u64) {
        let place = self.window.lua("return { vim.fn.expand('%:t'), vim.fn.line('.') }");
        (place[0].as_str().unwrap().to_owned(), place[1].as_u64().unwrap())
    }
}
