//! A user at work: a daemon with the scripted model, and a Neovim with a session.

use std::path::Path;

use serde_json::{Value, json};

use super::nvim::{NeovimInstance, installed_neovims};
use crate::cli::environment::TestEnvironment;
use crate::model_server::ScriptedTurn;
use crate::sessions::harness::ScriptedEnvironment;

/// Neovim's default debounce, in milliseconds.
pub(crate) const DEFAULT_DEBOUNCE_MS: u32 = 150;

/// Runs a test with every installed Neovim.
pub(crate) fn for_each_neovim(test: impl Fn(&Path)) {
    for program in installed_neovims() {
        println!("with {}", program.display());
        test(&program);
    }
}

/// An environment whose daemon exits soon after the test, and whose rules allow edits.
pub(crate) fn allow_edits_environment(turns: impl IntoIterator<Item = ScriptedTurn>) -> ScriptedEnvironment {
    environment_with_rules(turns, json!({ "edit": "allow" }))
}

pub(crate) fn environment_with_rules(
    turns: impl IntoIterator<Item = ScriptedTurn>,
    permission: Value,
) -> ScriptedEnvironment {
    environment_with_config(
        turns,
        json!({ "permission": permission, "agent": { "build": { "steps": 1000 } } }),
    )
}

pub(crate) fn environment_with_config(
    turns: impl IntoIterator<Item = ScriptedTurn>,
    config: Value,
) -> ScriptedEnvironment {
    let ScriptedEnvironment { env, server } = ScriptedEnvironment::with_config(turns, config);
    ScriptedEnvironment { env: env.env("COPYDESK_IDLE_EXIT", "60"), server }
}

/// One Neovim, attached to a session.
pub(crate) struct NeovimSession {
    pub(crate) nvim: NeovimInstance,
    pub(crate) session: String,
}

impl NeovimSession {
    /// Opens the files and a new session.
    pub(crate) fn open(program: &Path, env: &TestEnvironment, files: &[&str]) -> Self {
        Self::with_debounce(program, env, files, 0)
    }

    pub(crate) fn with_debounce(
        program: &Path,
        env: &TestEnvironment,
        files: &[&str],
        debounce: u32,
    ) -> Self {
        let mut nvim = start(program, env, debounce);
        for file in files {
            nvim.lua("T.open(...)", json!([file]));
        }
        let mut window = Self { nvim, session: String::new() };
        window.start_new_session();
        window
    }

    /// Switches to a new session.
    pub(crate) fn start_new_session(&mut self) {
        if !self.session.is_empty() {
            self.request("copydesk/session/leave", json!({}));
        }
        let made = self.run_lua("return T.request('copydesk/session/new', vim.empty_dict())");
        made["session"]["id"].as_str().unwrap().clone_into(&mut self.session);
        self.load();
    }

    /// Attaches another Neovim to a session.
    pub(crate) fn join_session(program: &Path, env: &TestEnvironment, session: &str) -> (Self, Value) {
        let mut window = Self { nvim: start(program, env, 0), session: session.to_owned() };
        let loaded = window.load();
        (window, loaded)
    }

    pub(crate) fn load(&mut self) -> Value {
        self.request("copydesk/session/load", json!({}))
    }

    /// Sends a request about this session.
    #[track_caller]
    pub(crate) fn request(&mut self, method: &str, mut params: Value) -> Value {
        params["session"] = json!(self.session);
        self.nvim.lua("local method, params = ... return T.request(method, params)", json!([method, params]))
    }

    /// Starts a turn. Pending changes are sent first.
    #[track_caller]
    pub(crate) fn prompt(&mut self) {
        self.flush_changes();
        self.request("copydesk/turn/start", json!({ "text": "Work" }));
    }

    /// Waits for the end of a turn.
    #[track_caller]
    pub(crate) fn wait_for_turn_end(&mut self) {
        let end = self.nvim.wait_for_message("event", |told| told["event"]["event"] == "turnEnded");
        assert_eq!(end["event"]["end"]["kind"], "done", "{end}");
    }

    /// Runs a whole turn.
    #[track_caller]
    pub(crate) fn run_turn(&mut self) {
        self.prompt();
        self.wait_for_turn_end();
    }

    /// Sends the pending changes of every buffer to the daemon.
    #[track_caller]
    pub(crate) fn flush_changes(&mut self) {
        let all = "for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
            if vim.lsp.buf_is_attached(buffer, T.client) then
                T.request('copydesk/status', vim.empty_dict(), buffer)
            end
        end";
        self.nvim.lua(all, json!([]));
    }

    /// The text of a file's buffer, or of the current one, as it would be written.
    #[track_caller]
    pub(crate) fn text(&mut self, file: &str) -> String {
        let text = self.nvim.lua("return T.text(vim.fn.bufnr(...))", json!([file]));
        text.as_str().unwrap().to_owned()
    }

    /// Runs Lua.
    #[track_caller]
    pub(crate) fn run_lua(&mut self, code: &str) -> Value {
        self.nvim.lua(code, json!([]))
    }
}

fn start(program: &Path, env: &TestEnvironment, debounce: u32) -> NeovimInstance {
    let mut nvim = NeovimInstance::start(program, include_str!("init.lua"), |command| env.prepare(command));
    nvim.lua("T.start(...)", json!([debounce]));
    nvim
}

/// A step that edits, and a final answer.
pub(crate) fn edit(file: &str, old: &str, new: &str) -> [ScriptedTurn; 2] {
    let arguments = json!({ "filePath": file, "oldString": old, "newString": new });
    [ScriptedTurn::new().call("c1", "edit", arguments), ScriptedTurn::new().text("Done.")]
}

/// The result of a call in the model request of this number: its text, and whether it failed.
#[track_caller]
pub(crate) fn result(scripted: &ScriptedEnvironment, request: usize, call: &str) -> (String, bool) {
    result_in(&scripted.request_body(request), call)
}

/// The same, from a given request.
#[track_caller]
pub(crate) fn result_in(sent: &Value, call: &str) -> (String, bool) {
    let messages = sent["messages"].as_array().unwrap().iter().rev();
    let mut blocks = messages.flat_map(|message| message["content"].as_array().unwrap());
    let found = blocks.find(|block| block["tool_use_id"] == call);
    let found = found.unwrap_or_else(|| panic!("no result of {call}: {:#}", sent["messages"]));
    let text = found["content"][0]["text"].as_str().unwrap_or_default().to_owned();
    (text, found["is_error"] == true)
}
