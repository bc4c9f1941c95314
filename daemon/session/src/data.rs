//! What a session is made of. Inert: kept as it is, sent to views as it is.

use std::collections::HashMap;
use std::path::PathBuf;

use copydesk_model::{Echo, Media, Reasoning, Stop, Text, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

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
    pub review: Option<ReviewWhen>,
    /// Milliseconds since 1970.
    pub created: u64,
    /// When anything last happened in it.
    pub updated: u64,
}

/// Whether a person decides on an edit before it is made or after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewWhen {
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
    pub state: State,
    pub content: Content,
}

/// Gives new names to the parts of a copy; what refers to one of them follows.
pub(crate) fn rename(parts: &mut [Part]) {
    let mut names = HashMap::new();
    for part in &mut *parts {
        let new = Id::new();
        names.insert(std::mem::replace(&mut part.id, new.clone()), new);
    }
    for part in parts {
        let Content::Call(Call { parent: Some(parent), .. }) = &mut part.content else { continue };
        if let Some(new) = names.get(parent) {
            parent.clone_from(new);
        }
    }
}

/// Where a part is on its way. What is `Running` in a store that nobody has open was interrupted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum State {
    Pending,
    Running,
    Completed,
    Error {
        message: String,
    },
    /// The desk ended, or the person cancelled, while it ran.
    Interrupted,
}

impl State {
    pub fn is_settled(&self) -> bool {
        !matches!(self, Self::Pending | Self::Running)
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Content {
    Prompt(Prompt),
    /// An image or a PDF that came with a prompt.
    File(Media),
    Text(Text),
    Reasoning(Reasoning),
    Call(Call),
    StepStart {
        /// `PROVIDER/MODEL`
        model: String,
    },
    StepFinish(StepFinish),
    Retry {
        attempt: u32,
        message: String,
        /// When the next attempt is made, in milliseconds since 1970.
        at: u64,
    },
    Note(Note),
}

/// What a person, or an agent in a person's place, asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    pub text: String,
    /// It came while the turn ran, and joined it.
    #[serde(default)]
    pub steers: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Call {
    /// The model's name for this call, unique within its step.
    pub call: String,
    /// The tool's; where there is none that could have been meant, `invalid`.
    pub name: String,
    /// JSON as the model wrote it, and once the call is made as it was understood.
    pub arguments: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub echo: Option<Echo>,
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
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub metadata: Value,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub media: Vec<Media>,
    pub milliseconds: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepFinish {
    pub stop: Stop,
    pub usage: Usage,
    /// US dollars, where the price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

/// Something the model is told at its next step without anybody having said it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    pub text: String,
}

impl Part {
    /// What of it can be searched for.
    pub(crate) fn words(&self) -> &str {
        match &self.content {
            Content::Prompt(prompt) => &prompt.text,
            Content::Text(text) => &text.text,
            Content::Call(call) => call.output.as_ref().map_or(&call.arguments, |output| &output.title),
            _ => "",
        }
    }
}
