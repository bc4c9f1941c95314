//! Each command, as the user runs it.

mod choices;
mod failures;
mod prompting;
mod replies;
mod sessions;
mod status;
mod undo;

use std::path::Path;

use serde_json::{Value, json};

use super::plugin_neovim::PluginNeovim;
use crate::cli::environment::TestEnvironment;

/// A Neovim whose `vim.ui` belongs to the test.
pub(super) struct NeovimUser {
    pub(super) window: PluginNeovim,
}

impl NeovimUser {
    pub(super) fn start(program: &Path, env: &TestEnvironment) -> Self {
        Self::start_with(program, env, json!({}))
    }

    pub(super) fn start_with(program: &Path, env: &TestEnvironment, setup: Value) -> Self {
        let mut window = PluginNeovim::start_with(program, env, setup);
        window.lua(include_str!("person.lua"));
        Self { window }
    }

    /// Runs an Ex command, with answers for its dialogs.
    #[track_caller]
    pub(super) fn run_command(&mut self, command: &str, answers: Value) {
        self.window.nvim.lua("T.answers = ...", json!([answers]));
        self.window.command(command);
    }

    /// Waits for the next notification; returns it without its prefix.
    #[track_caller]
    pub(super) fn next_notification(&mut self) -> String {
        let said = self.window.nvim.wait_for_message("said", |_| true);
        let text = said["text"].as_str().unwrap();
        assert!(!text.contains('\n') && !text.contains("stack traceback"), "{text}");
        text.strip_prefix("Copydesk: ").unwrap_or_else(|| panic!("who says so? {text}")).to_owned()
    }

    /// The labels of the next dialog.
    #[track_caller]
    pub(super) fn next_choices(&mut self) -> Vec<String> {
        let told = self.window.nvim.wait_for_message("select", |_| true);
        let labels = told["labels"].as_array().unwrap().iter();
        labels.map(|label| label.as_str().unwrap().to_owned()).collect()
    }

    /// Waits until the model has sent exactly this text in a part.
    #[track_caller]
    pub(super) fn wait_for_text(&mut self, text: &str) {
        self.window.wait_until(&format!(
            "vim.iter(require('copydesk.session').current().parts):any(function(part)
               return part.content.kind == 'text' and part.content.text == '{text}'
             end)"
        ));
    }

    /// Runs a whole turn, in the background.
    #[track_caller]
    pub(super) fn run_turn(&mut self, text: &str) {
        self.run_command(&format!("Copydesk! ask {text}"), json!([]));
        let end = self.window.wait_for_turn_end();
        assert_eq!(end["end"]["kind"], "done", "{end}");
    }
}
