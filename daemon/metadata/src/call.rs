//! The metadata of a call, whichever tool made it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::command::{BackgroundCommandMetadata, CommandMetadata, JobMetadata};
use crate::diagnostics::DiagnosticsMetadata;
use crate::edit::{ChangedFileMetadata, EditMetadata};
use crate::file::{
    CodePlacesMetadata, FileListMetadata, MediaFileMetadata, TextPageMetadata, TextSearchMetadata,
};
use crate::lenient;
use crate::lossless::{LosslessMetadata, MetadataDetail, take_field};
use crate::talk::{AgentSwitchMetadata, QuestionsMetadata, SkillMetadata};
use crate::task::TaskMetadata;
use crate::todo::TodoListMetadata;
use crate::web::{WebPageMetadata, WebSearchMetadata};

/// What a view shows of a call, while it runs and when it is done.
pub type CallMetadata = LosslessMetadata<CallDetail>;

/// The fields of one tool, or of a few that show the same.
///
/// The order matters: the first variant that fits a value wins, so those with more required fields come first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum CallDetail {
    /// `edit`, `multiedit`, `write`, `apply_patch`, `refactor`
    Edit(EditMetadata),
    /// `task`
    Task(TaskMetadata),
    /// `todowrite`, `todoread`
    TodoList(TodoListMetadata),
    /// `question`
    Questions(QuestionsMetadata),
    /// `batch`
    Batch(BatchMetadata),
    /// `webfetch`
    WebPage(WebPageMetadata),
    /// `websearch`, `codesearch`
    WebSearch(WebSearchMetadata),
    /// `skill`
    Skill(SkillMetadata),
    /// `read` of a text
    TextPage(TextPageMetadata),
    /// `read` of an image or a PDF
    MediaFile(MediaFileMetadata),
    /// `lsp`
    CodePlaces(CodePlacesMetadata),
    /// `grep`
    TextSearch(TextSearchMetadata),
    /// `glob`, `list`, `read` of a folder
    FileList(FileListMetadata),
    /// `job`
    Job(JobMetadata),
    /// `bash` in the background
    BackgroundCommand(BackgroundCommandMetadata),
    /// `plan_enter`, `plan_exit`
    AgentSwitch(AgentSwitchMetadata),
    /// `bash`
    Command(CommandMetadata),
    /// A tool that is not built in, another version's, or one that shows nothing (`null`).
    #[schemars(skip)]
    Other(Value),
}

impl Default for CallDetail {
    fn default() -> Self {
        Self::Other(Value::Null)
    }
}

impl MetadataDetail for CallDetail {
    type Notes = CallNotes;
    const SCHEMA_NAME: &str = "CallMetadata";
    const SCHEMA_DESCRIPTION: &str = "What a view shows of a call: the fields of its tool, and `CallNotes` beside them. The fields \
         tell the tools apart; a tool that is not built in may have fields of its own.";

    fn other(value: Value) -> Self {
        Self::Other(value)
    }

    fn as_other(&self) -> Option<&Value> {
        if let Self::Other(value) = self { Some(value) } else { None }
    }

    fn take_notes(value: &mut Value) -> Self::Notes {
        CallNotes {
            repaired: take_field(value, "repaired", |lines: &Vec<_>| !lines.is_empty()).unwrap_or_default(),
            refused: take_field(value, "refused", |_| true),
        }
    }
}

/// What the daemon adds to the fields of any tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CallNotes {
    /// What the daemon repaired in the arguments that the model wrote, one line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repaired: Vec<String>,
    /// The permission key that the daemon asked for before it ran the call, and that was denied: the call did not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// What a `batch` ran. Each call also has a part of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BatchMetadata {
    /// The calls, in their order.
    #[serde(deserialize_with = "lenient::objects")]
    pub calls: Vec<BatchedCallMetadata>,
    /// How many calls did not run because one batch takes no more.
    pub surplus: u64,
    /// Whether one of them looked at a background command that still runs; missing if not.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub running: Option<bool>,
}

/// A call of a `batch`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BatchedCallMetadata {
    /// The tool's name.
    pub name: String,
    /// The title of its output.
    pub title: String,
    /// Whether it failed.
    pub is_error: bool,
}

impl CallMetadata {
    /// The files that the call changed, in their order. None for a `task`, whose own calls have them.
    pub fn changed_files(&self) -> &[ChangedFileMetadata] {
        match &*self.detail {
            CallDetail::Edit(edit) => edit.files(),
            _ => &[],
        }
    }

    /// What is wrong after the call; none where nothing was checked.
    pub fn diagnostics(&self) -> Option<&DiagnosticsMetadata> {
        match &*self.detail {
            CallDetail::Edit(edit) => edit.diagnostics(),
            CallDetail::Command(command) => command.diagnostics.as_ref(),
            _ => None,
        }
    }

    /// The command that the call runs or ran, unless in the background.
    pub fn command(&self) -> Option<&CommandMetadata> {
        if let CallDetail::Command(command) = &*self.detail { Some(command) } else { None }
    }

    /// The places in code that the call found.
    pub fn code_places(&self) -> Option<&CodePlacesMetadata> {
        if let CallDetail::CodePlaces(places) = &*self.detail { Some(places) } else { None }
    }

    /// The task that the call gave to another agent.
    pub fn task(&self) -> Option<&TaskMetadata> {
        if let CallDetail::Task(task) = &*self.detail { Some(task) } else { None }
    }

    /// The list of things to do that the call wrote or read.
    pub fn todo_list(&self) -> Option<&TodoListMetadata> {
        if let CallDetail::TodoList(list) = &*self.detail { Some(list) } else { None }
    }

    /// Whether the call looked at a background command that still runs: repeating it makes sense.
    pub fn is_running(&self) -> bool {
        match &*self.detail {
            CallDetail::Job(job) => job.running,
            CallDetail::Batch(batch) => batch.running == Some(true),
            _ => false,
        }
    }
}
