//! A prompt on its way to the session.

use copydesk_model::MediaPart;

use crate::data::PromptContext;
use crate::id::Id;

/// A prompt.
#[derive(Debug, Clone)]
pub struct PromptRequest {
    pub text: String,
    pub context: Vec<PromptContext>,
    pub files: Vec<MediaPart>,
    pub delivery: PromptDelivery,
    /// A program answers the asks of its turn; no user sees them.
    pub is_unattended: bool,
}

impl PromptRequest {
    /// The words for the summary, if the prompt is `/compact`, with words or without.
    pub(super) fn compaction_words(&self) -> Option<&str> {
        self.words_of("/compact")
    }

    /// What to add to the instructions, if the prompt is `/remember`.
    pub(super) fn remembered_words(&self) -> Option<&str> {
        self.words_of("/remember")
    }

    /// Whether it cannot join a running turn.
    pub(super) fn is_turn_of_its_own(&self) -> bool {
        self.compaction_words().is_some() || self.remembered_words().is_some()
    }

    fn words_of(&self, command: &str) -> Option<&str> {
        let words = self.text.trim().strip_prefix(command)?;
        // What an editor attaches by itself does not matter; a file is meant.
        let is_command = words.is_empty() || words.starts_with(char::is_whitespace);
        (is_command && self.files.is_empty()).then(|| words.trim())
    }
}

/// When a prompt counts that comes while a turn runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptDelivery {
    /// At the next step of that turn.
    Steer,
    /// As the next turn.
    Queue,
}

/// An accepted prompt, with the id that its part will have.
#[derive(Debug)]
pub(super) struct QueuedPrompt {
    pub(super) id: Id,
    pub(super) request: PromptRequest,
}
