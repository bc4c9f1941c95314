//! The data of a session, as it is stored.

use std::collections::HashMap;
use std::path::PathBuf;

use copydesk_metadata::CallMetadata;
use copydesk_model::{FinishReason, MediaPart, ProviderMetadata, ReasoningPart, TextPart, TokenUsage};
use copydesk_permission::PermissionPreset;
use serde::{Deserialize, Serialize};

use crate::id::Id;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Session {
    pub id: Id,
    /// The folder it works in.
    pub folder: PathBuf,
    #[serde(default)]
    pub title: String,
    pub agent: String,
    /// `PROVIDER/MODEL`, if the user chose one for this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The parent of a subagent session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Id>,
    /// The review timing, if the user chose one; else the rules decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<SessionReviewTiming>,
    /// The permission preset, if the user chose one for this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<PermissionPreset>,
    /// Milliseconds since 1970.
    pub created: u64,
    /// The last change.
    pub updated: u64,
}

/// Whether the user reviews an edit before or after it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionReviewTiming {
    Before,
    After,
}

/// One piece of a session: a text, a call, … Parts are in the order in which they were added to the store.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Part {
    pub id: Id,
    pub session: Id,
    /// From 1.
    pub turn: u32,
    /// From 1 within the turn; 0 before the first request. A call of step 0 is the user's own.
    pub step: u32,
    pub created: u64,
    pub updated: u64,
    pub state: PartState,
    pub content: PartContent,
}

/// Gives the parts of a copy new ids, and updates references to them.
pub(crate) fn assign_new_ids(parts: &mut [Part]) {
    let mut names = HashMap::new();
    for part in &mut *parts {
        let new = Id::new();
        names.insert(std::mem::replace(&mut part.id, new.clone()), new);
    }
    for part in parts {
        let named: Vec<&mut Id> = match &mut part.content {
            PartContent::Pruning(pruning) => {
                pruning.outputs.iter_mut().map(|output| &mut output.call).collect()
            }
            PartContent::Call(CallPart { parent: Some(parent), .. }) => vec![parent],
            PartContent::Compaction(compaction) => {
                compaction.kept_from.iter_mut().chain(&mut compaction.prompts).collect()
            }
            _ => Vec::new(),
        };
        for id in named {
            if let Some(new) = names.get(id) {
                id.clone_from(new);
            }
        }
    }
}

/// The state of a part. A `Running` part in a store that no process has open was interrupted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum PartState {
    Pending,
    Running,
    Completed,
    Error {
        message: String,
    },
    /// The daemon ended, or the user cancelled, while it ran.
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
    /// For the model, a summary takes the place of what stands before.
    Compaction(Box<CompactionPart>),
    /// For the model, notes take the place of old outputs.
    Pruning(PruningPart),
    /// The last part of a turn that the model did not finish.
    TurnEnd(TurnEnd),
}

/// Why a turn is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum TurnEnd {
    Done,
    Cancelled,
    /// The user rejected an ask without a reason.
    Rejected,
    /// The model would have continued; this many steps are allowed.
    StepLimit {
        steps: u32,
    },
    Failed {
        message: String,
    },
    /// The process that ran it ended. Recorded when the session is opened again.
    Interrupted,
}

/// A prompt of the user, or of the agent that gave a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptPart {
    /// The words of the prompt.
    pub text: String,
    /// It joined a running turn.
    #[serde(default)]
    pub steers: bool,
    /// What the user attached to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<PromptContext>,
}

/// A document, or a piece of one, that goes with a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptContext {
    /// Its path and lines.
    pub name: String,
    /// None if the agent has to read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl PromptPart {
    /// The prompt as the model reads it: each piece of context under its name.
    pub(crate) fn text_with_context(&self) -> String {
        let mut text = self.text.clone();
        for PromptContext { name, text: piece } in &self.context {
            text += &match piece {
                Some(piece) => format!("\n\n[{name}]\n{piece}"),
                None => format!("\n\n[{name}]"),
            };
        }
        text
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CallPart {
    /// The model's id of this call, unique within its step.
    pub call: String,
    /// The tool's name; `invalid` if no tool matches.
    pub name: String,
    /// JSON as the model wrote it; after the call ran, with repairs.
    pub arguments: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub echo: Option<ProviderMetadata>,
    /// The part of its batch, whose output has this call's result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Id>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Box<CallOutput>>,
}

/// The output of a call: `output` is for the model, `title` and `metadata` are for the user.
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
    /// US dollars, if the price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// What filled the context, with the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextUse>,
}

/// What fills the model's context, in tokens. The sum is the provider's count if it counts; the shares are estimates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextUse {
    /// The size of the context, as far as known.
    pub window: u64,
    /// The system prompt, with the instruction files.
    pub system: u64,
    /// The descriptions of the tools.
    pub tools: u64,
    /// What `read` returned, and what the user attached.
    pub files: u64,
    /// The outputs of the other calls.
    pub outputs: u64,
    /// Prompts, notes, and what the model wrote.
    pub conversation: u64,
    /// The summary of the older part.
    pub summary: u64,
}

impl ContextUse {
    pub fn total(&self) -> u64 {
        let Self { window: _, system, tools, files, outputs, conversation, summary } = self;
        [system, tools, files, outputs, conversation, summary].into_iter().sum()
    }
}

/// A note of the daemon to the model, for its next step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotePart {
    pub text: String,
}

/// What the model reads in place of the older part of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompactionPart {
    pub reason: CompactionReason,
    /// Empty while it is being written.
    pub summary: String,
    /// What the daemon adds: the to-do list, running jobs, undecided changes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub state: String,
    /// `PROVIDER/MODEL`; none if the summary was made by rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Why the model's own summary does not count, for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The first part after the replaced ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_from: Option<Id>,
    /// The replaced prompts that stay word for word.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<Id>,
    /// Longer ones among them are cut to this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_prompt_bytes: Option<usize>,
    /// Longer outputs among the kept parts are cut to this: even the last step may be too large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_bytes: Option<usize>,
    /// Estimates of the whole request.
    pub tokens_before: u64,
    pub tokens_after: u64,
    /// The size of the model's context, as its provider stated it when it refused a request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
    /// Of the request for the summary.
    #[serde(default)]
    pub usage: TokenUsage,
    /// US dollars, if the price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

/// Which old outputs the model does not read any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PruningPart {
    pub outputs: Vec<PrunedOutput>,
    /// Estimates of the whole request.
    pub tokens_before: u64,
    pub tokens_after: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrunedOutput {
    /// The part of the call.
    pub call: Id,
    /// What the model reads instead. It is stored, so that a later version sends the same.
    pub note: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompactionReason {
    /// The conversation comes near the end of the model's context.
    Full,
    /// The provider refused a request because it was too long.
    Refused,
    /// The user asked for it.
    Asked,
}

impl Part {
    /// The text for the search index.
    pub(crate) fn searchable_text(&self) -> &str {
        match &self.content {
            PartContent::Prompt(prompt) => &prompt.text,
            PartContent::Text(text) => &text.text,
            PartContent::Call(call) => call.output.as_ref().map_or(&call.arguments, |output| &output.title),
            _ => "",
        }
    }
}
