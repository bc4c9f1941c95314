//! Each command, as a person gives it.

mod broken;
mod choices;
mod looking;
mod prompting;
mod replies;
mod sessions;
mod undo;

use std::path::Path;

use serde_json::{Value, json};

use super::window::Window;
use crate::cli::desk::Desk;

/// A Neovim whose `vim.ui` is the test's.
pub(super) struct Person {
    pub(super) window: Window,
}

impl Person {
    pub(super) fn at(program: &Path, desk: &Desk) -> Self {
        Self::with(program, desk, json!({}))
    }

    pub(super) fn with(program: &Path, desk: &Desk, setup: Value) -> Self {
        let mut window = Window::with(program, desk, setup);
        window.lua(include_str!("person.lua"));
        Self { window }
    }

    /// Gives an Ex command, with answers for the dialogues that it begins.
    #[track_caller]
    pub(super) fn gives(&mut self, command: &str, answers: Value) {
        self.window.nvim.lua("T.answers = ...", json!([answers]));
        self.window.command(command);
    }

    /// Waits for what is said next, and gives it, without the name before it.
    #[track_caller]
    pub(super) fn hears(&mut self) -> String {
        let said = self.window.nvim.wait("said", |_| true);
        let text = said["text"].as_str().unwrap();
        assert!(!text.contains('\n') && !text.contains("stack traceback"), "{text}");
        text.strip_prefix("Copydesk: ").unwrap_or_else(|| panic!("who says so? {text}")).to_owned()
    }

    /// The labels of the next dialogue.
    #[track_caller]
    pub(super) fn chooses(&mut self) -> Vec<String> {
        let told = self.window.nvim.wait("select", |_| true);
        let labels = told["labels"].as_array().unwrap().iter();
        labels.map(|label| label.as_str().unwrap().to_owned()).collect()
    }

    /// Waits until the model has said this, and nothing else in the part.
    #[track_caller]
    pub(super) fn reads(&mut self, text: &str) {
        self.window.until(&format!(
            "vim.iter(require('copydesk.session').current().parts):any(function(part)
               return part.content.kind == 'text' and part.content.text == '{text}'
             end)"
        ));
    }

    /// A whole turn, in the background.
    #[track_caller]
    pub(super) fn asks(&mut self, text: &str) {
        self.gives(&format!("Copydesk! ask {text}"), json!([]));
        let end = self.window.ended();
        assert_eq!(end["end"]["kind"], "done", "{end}");
    }
}
