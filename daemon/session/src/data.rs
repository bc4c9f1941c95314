//! What a session is made of. Inert: kept as it is, sent to views as it is.

use std::collections::HashMap;
use std::path::PathBuf;

use copydesk_metadata::CallMetadata;
use copydesk_model::{FinishReason, MediaPart, ProviderMetadata, ReasoningPart, TextPart, TokenUsage};
use serde::{Deserialize, Serialize};

use crate::id::Id;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Session {
    pub id: Id,
    /// The folder it works in.
    pub folder: PathBuf,
    /// Empty until there is one.
    #[serde(default)]
    pub title: String,
    pub agent: String,
    /// `PROVIDER/MODEL`, where one was chosen for this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The session whose call began this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Id>,
    /// When its edits are reviewed, where a person chose that; else the rules decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<SessionReviewTiming>,
    /// Milliseconds since 1970.
    pub created: u64,
    /// When anything last happened in it.
    pub updated: u64,
}

/// Whether a person decides on an edit before it is made or after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionReviewTiming {
    Before,
    After,
}

/// One thing that was said or done. A session's parts are in the order in which they were added to the store.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Part {
    pub id: Id,
    pub session: Id,
    /// From 1.
    pub turn: u32,
    /// From 1 within the turn; 0 for what came before the first request.
    pub step: u32,
    pub created: u64,
    pub updated: u64,
    pub state: PartState,
    pub content: PartContent,
}

/// Gives new names to the parts of a copy; what refers to one of them follows.
pub(crate) fn assign_new_ids(parts: &mut [Part]) {
    let mut names = HashMap::new();
    for part in &mut *parts {
        let new = Id::new();
        names.insert(std::mem::replace(&mut part.id, new.clone()), new);
    }
    for part in parts {
        let PartContent::Call(CallPart { parent: Some(parent), .. }) = &mut part.content else { continue };
        if let Some(new) = names.get(parent) {
            parent.clone_from(new);
        }
    }
}

/// Where a part is on its way. What is `Running` in a store that nobody has open was interrupted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum PartState {
    Pending,
    Running,
    Completed,
    Error {
        message: String,
    },
    /// The desk ended, or the person cancelled, while it ran.
    Interrupted,
}

impl PartState {
    pub fn is_settled(&self) -> bool {
        !matches!(self, Self::Pending | Self::Running)
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PartContent {
    Prompt(PromptPart),
    /// An image or a PDF that came with a prompt.
    File(MediaPart),
    Text(TextPart),
    Reasoning(ReasoningPart),
    Call(CallPart),
    StepStart {
        /// `PROVIDER/MODEL`
        model: String,
    },
    StepFinish(StepFinishPart),
    Retry {
        attempt: u32,
        message: String,
        /// When the next attempt is made, in milliseconds since 1970.
        at: u64,
    },
    Note(NotePart),
}

/// What a person, or an agent in a person's place, asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptPart {
    pub text: String,
    /// It came while the turn ran, and joined it.
    #[serde(default)]
    pub steers: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CallPart {
    /// The model's name for this call, unique within its step.
    pub call: String,
    /// The tool's; where there is none that could have been meant, `invalid`.
    pub name: String,
    /// JSON as the model wrote it, and once the call is made as it was understood.
    pub arguments: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub echo: Option<ProviderMetadata>,
    /// The part of the call that stands for this one: what came of it is in the result of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Id>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Box<CallOutput>>,
}

/// What came of a call: `output` is for the model, `title` and `metadata` are for the person.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CallOutput {
    pub title: String,
    pub output: String,
    #[serde(default)]
    pub is_error: bool,
    #[serde(default, skip_serializing_if = "CallMetadata::is_empty")]
    pub metadata: CallMetadata,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub media: Vec<MediaPart>,
    pub milliseconds: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepFinishPart {
    pub stop: FinishReason,
    pub usage: TokenUsage,
    /// US dollars, where the price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

/// Something the model is told at its next step without anybody having said it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotePart {
    pub text: String,
}

impl Part {
    /// What of it can be searched for.
    pub(crate) fn searchable_text(&self) -> &str {
        match &self.content {
            PartContent::Prompt(prompt) => &prompt.text,
            PartContent::Text(text) => &text.text,
            PartContent::Call(call) => call.output.as_ref().map_or(&call.arguments, |output| &output.title),
            _ => "",
        }
    }
}
