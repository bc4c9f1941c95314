//! Undecided hunks in Neovim: how they look, how they change while the user types, and every way to decide them.
//!
//! The daemon is a mock in Lua (`reviewing.lua`), so that each test controls every event.

mod decisions;
mod drawing;
mod edge_cases;
mod keys;
mod listing;
mod long_lines;
mod navigation;
mod patches;
mod state;
mod typing;
mod with_daemon;

use std::path::Path;

use serde_json::{Value, json};

use super::commands::NeovimUser;
use crate::neovim::neovim_session;
use crate::sessions::harness::ScriptedEnvironment;

/// A user who reviews the agent's edits.
struct ReviewingUser {
    user: NeovimUser,
    _scripted: ScriptedEnvironment,
}

impl ReviewingUser {
    fn start(program: &Path) -> Self {
        Self::start_with(program, json!({}))
    }

    fn start_with(program: &Path, review: Value) -> Self {
        let scripted = neovim_session::allow_edits_environment([]);
        let mut user = NeovimUser::start_with(program, &scripted.env, json!({ "review": review }));
        user.window.lua("vim.o.columns, vim.o.lines = 64, 18");
        user.window.lua(include_str!("reviewing.lua"));
        let opened = user.window.lua("return R.start()");
        assert_eq!(opened, "open");
        Self { user, _scripted: scripted }
    }

    #[track_caller]
    fn lua(&mut self, code: &str) -> Value {
        self.user.window.lua(code)
    }

    /// The agent has edited a file, which is opened.
    #[track_caller]
    fn receive_edit(&mut self, name: &str, old: &str, new: &str) {
        self.receive_review(name, old, new, json!({}));
    }

    /// The agent proposes to edit a file, which is opened.
    #[track_caller]
    fn receive_proposal(&mut self, name: &str, old: &str, new: &str) {
        self.receive_review(name, old, new, json!({ "when": "before" }));
    }

    #[track_caller]
    fn receive_review(&mut self, name: &str, old: &str, new: &str, options: Value) {
        self.user.window.nvim.lua("R.edit(...)", json!([name, old, new, options]));
    }

    #[track_caller]
    fn keys(&mut self, keys: &str) {
        self.user.window.keys(keys);
    }

    #[track_caller]
    fn command(&mut self, command: &str) {
        self.user.window.command(command);
    }

    /// Waits until so many hunks are left.
    #[track_caller]
    fn wait_for_hunks(&mut self, hunks: usize) {
        self.user.window.wait_until(&format!("require('copydesk.review').count() == {hunks}"));
    }

    /// Waits until the plugin has sent a request; returns those since the last time.
    #[track_caller]
    fn wait_for_request(&mut self, method: &str) -> Value {
        let asked = "vim.iter(R.sent):any(function(sent) return sent.method == METHOD end)";
        self.user.window.wait_until(&asked.replace("METHOD", &format!("'{method}'")));
        self.user.window.nvim.lua("return R.asked(...)", json!([method]))
    }

    /// The decisions of the next request that has any.
    #[track_caller]
    fn next_decisions(&mut self) -> Value {
        self.wait_for_request("review/decide")[0]["decisions"].take()
    }

    /// Compares the screen, with the backgrounds of hunks below each row, with a file of `tests/plugin/screens`.
    #[track_caller]
    fn assert_screen(&mut self, name: &str) {
        // The effects of the last keys are done.
        self.lua("T.await(function(done) vim.schedule(done) end) vim.cmd('echo')");
        // Highlight groups defined since the last picture get their numbers on drawing.
        self.lua("R.picture()");
        let picture = self.lua("return R.picture()");
        let picture = picture.as_str().unwrap().lines().map(|line| line.trim_end().to_owned() + "\n");
        expect_test::expect_file![format!("screens/{name}.txt")].assert_eq(&picture.collect::<String>());
    }

    /// The cursor's position: file name and line.
    #[track_caller]
    fn cursor_position(&mut self) -> (String, u64) {
        let place = self.lua("return { vim.fn.expand('%:t'), vim.fn.line('.') }");
        (place[0].as_str().unwrap().to_owned(), place[1].as_u64().unwrap())
    }

    /// The number of hunk marks in the current buffer.
    #[track_caller]
    fn marks(&mut self) -> u64 {
        let marks = "local count = 0
            for name, id in pairs(vim.api.nvim_get_namespaces()) do
              if vim.startswith(name, 'copydesk.review') and name ~= 'copydesk.review.hint' then
                count = count + #vim.api.nvim_buf_get_extmarks(0, id, 0, -1, {})
              end
            end
            return count";
        self.lua(marks).as_u64().unwrap()
    }
}

/// Two hunks: two changed lines, and an added one.
const OLD: &str = "a\nb\nc\nd\ne\nf\n";
const NEW: &str = "a\nB\nC\nd\ne\nf\ng\n";
