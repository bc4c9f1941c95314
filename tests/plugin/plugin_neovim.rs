//! A user at work: a daemon with the scripted model, and a Neovim with the plugin.

use std::path::Path;

use serde_json::{Value, json};

use crate::cli::environment::{BINARY, TestEnvironment};
use crate::neovim::nvim::NeovimInstance;

/// The plugin's folder in this repository.
pub(crate) const PLUGIN_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../editors/nvim");

/// How often a wrong screen is read again before the test fails.
const SCREEN_ATTEMPTS: usize = 100;

/// One Neovim with the plugin.
pub(crate) struct PluginNeovim {
    pub(crate) nvim: NeovimInstance,
}

impl PluginNeovim {
    /// As after `require("copydesk").setup{}`, in the folder of the project.
    pub(crate) fn open(program: &Path, env: &TestEnvironment) -> Self {
        Self::start_with(program, env, json!({}))
    }

    /// With options.
    pub(crate) fn start_with(program: &Path, env: &TestEnvironment, mut setup: Value) -> Self {
        if setup.get("cmd").is_none() {
            setup["cmd"] = json!(BINARY);
        }
        let nvim = NeovimInstance::start(program, include_str!("init.lua"), |command| {
            env.prepare(command);
            command.env("TEST_PLUGIN", PLUGIN_FOLDER).env("TEST_SETUP", setup.to_string());
        });
        Self { nvim }
    }

    /// Runs Lua without arguments; returns its result.
    #[track_caller]
    pub(crate) fn lua(&mut self, code: &str) -> Value {
        self.nvim.lua(code, json!([]))
    }

    /// Runs an Ex command.
    #[track_caller]
    pub(crate) fn command(&mut self, command: &str) {
        self.nvim.lua("vim.cmd(...)", json!([command]));
    }

    /// Types, in the notation of mappings; afterwards insert mode has ended.
    #[track_caller]
    pub(crate) fn keys(&mut self, keys: &str) {
        self.nvim.lua("T.keys(...)", json!([keys]));
    }

    /// The screen, once everything received is drawn. Times and durations at the end of a line are masked.
    #[track_caller]
    pub(crate) fn screen(&mut self) -> String {
        self.wait_until("require('copydesk.chat.transcript').is_drawn()");
        let screen = self.lua("return T.screen()");
        screen.as_str().unwrap().lines().map(|line| mask_times(line) + "\n").collect()
    }

    /// Compares the screen with a file of `tests/plugin/screens`.
    #[track_caller]
    pub(crate) fn assert_screen(&mut self, name: &str) {
        let expected = expect_test::expect_file![format!("screens/{name}.txt")];
        let seen = expected.data();
        let mut screen = self.screen();
        // A window that opens, grows or scrolls is drawn in several steps.
        for _ in 0..SCREEN_ATTEMPTS {
            if screen == seen {
                break;
            }
            self.lua("T.await(function(done) vim.defer_fn(done, 20) end)");
            screen = self.screen();
        }
        expected.assert_eq(&screen);
    }

    /// Waits until a Lua expression is truthy; returns its value.
    #[track_caller]
    pub(crate) fn wait_until(&mut self, expression: &str) -> Value {
        self.lua(&format!("return T.until_(function() return {expression} end)"))
    }

    /// Connects, as the first use does.
    #[track_caller]
    pub(crate) fn connect(&mut self) {
        let connect = "return T.await(function(done) require('copydesk.client').start(done) end)";
        let problem = self.lua(connect);
        assert!(problem.is_null(), "{problem}");
    }

    /// Runs a command that ends Neovim, and waits for the exit.
    #[track_caller]
    pub(crate) fn quit_with(mut self, command: &str) {
        self.nvim.run_until_exit("vim.cmd(...)", json!([command]));
    }

    /// Waits for the end of a turn.
    #[track_caller]
    pub(crate) fn wait_for_turn_end(&mut self) -> Value {
        self.nvim.wait_for_message("CopydeskTurnEnded", |_| true)
    }

    /// The lines of a buffer, by name or number.
    #[track_caller]
    pub(crate) fn lines(&mut self, buffer: impl Into<Value>) -> String {
        let lines = "return table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, true), '\\n')";
        let text = self.nvim.lua(lines, json!([buffer.into()]));
        text.as_str().unwrap().to_owned()
    }
}

/// Masks a turn's running time, and the time at the end of a line.
fn mask_times(line: &str) -> String {
    if let Some((before, rest)) = line.split_once("◐ ")
        && let Some((seconds, after)) = rest.split_once(" s ")
        && seconds.bytes().all(|byte| byte.is_ascii_digit())
    {
        return format!("{before}◐ N s {after}");
    }
    // A slow machine shows seconds where a fast one shows milliseconds.
    for unit in [" ms", " s"] {
        if let Some(rest) = line.strip_suffix(unit) {
            let before = rest.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
            if before.len() < rest.len() && before.ends_with("  ") {
                return format!("{}  N ms", before.trim_end());
            }
        }
    }
    match line.rsplit_once("  ") {
        Some((before, time)) if time.len() == 5 && time.as_bytes().get(2) == Some(&b':') => {
            format!("{}  HH:MM", before.trim_end())
        }
        _ => line.to_owned(),
    }
}
