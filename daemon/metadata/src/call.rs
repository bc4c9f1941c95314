//! The metadata of a call, whichever tool made it.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::command::{BackgroundCommandMetadata, CommandMetadata, JobMetadata};
use crate::diagnostics::DiagnosticsMetadata;
use crate::edit::{ChangedFileMetadata, EditMetadata};
use crate::file::{FileListMetadata, MediaFileMetadata, TextPageMetadata, TextSearchMetadata};
use crate::talk::{AgentSwitchMetadata, QuestionsMetadata, SkillMetadata};
use crate::task::TaskMetadata;
use crate::todo::TodoListMetadata;
use crate::web::{WebPageMetadata, WebSearchMetadata};
use crate::{lenient, lossless};

/// What a view shows of a call, while it runs and when it is done.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallMetadata {
    /// The tool's own fields.
    pub detail: Box<CallDetail>,
    /// What the daemon adds to the fields of any tool.
    pub notes: CallNotes,
    /// Fields as they were decoded that the types would not encode the same.
    rest: Box<Map<String, Value>>,
}

/// The fields of one tool, or of a few that show the same.
///
/// The order matters: the first variant that fits a value wins, so those with more required fields come first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum CallDetail {
    /// `edit`, `multiedit`, `write`, `apply_patch`
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
    /// Never fails: an unknown shape is `Other`.
    pub fn from_value(mut value: Value) -> Self {
        let notes = CallNotes {
            repaired: lossless::take_field(&mut value, "repaired", |lines: &Vec<_>| !lines.is_empty())
                .unwrap_or_default(),
            refused: lossless::take_field(&mut value, "refused", |_| true),
        };
        let (detail, rest) = match lossless::decode(&value) {
            Some(decoded) => decoded,
            // Nothing but notes.
            None if notes != CallNotes::default() && value == Value::Object(Map::new()) => Default::default(),
            None => (CallDetail::Other(value), Map::new()),
        };
        Self { detail: Box::new(detail), notes, rest: Box::new(rest) }
    }

    /// As it is stored and sent.
    pub fn to_value(&self) -> Value {
        let mut value = match &*self.detail {
            CallDetail::Other(value) => value.clone(),
            typed => Value::Object(lossless::encode(typed)),
        };
        let notes = lossless::encode(&self.notes);
        if value.is_null() && !notes.is_empty() {
            value = Value::Object(Map::new());
        }
        if let Value::Object(fields) = &mut value {
            fields.extend((*self.rest).clone());
            fields.extend(notes);
        }
        value
    }

    /// With notes beside the tool's own fields.
    #[must_use]
    pub fn with_notes(self, notes: CallNotes) -> Self {
        Self { notes, ..self }
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

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

impl From<CallDetail> for CallMetadata {
    fn from(detail: CallDetail) -> Self {
        Self { detail: Box::new(detail), ..Self::default() }
    }
}

impl Serialize for CallMetadata {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for CallMetadata {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::from_value)
    }
}

/// One of the tools' shapes, together with the notes. A value of another shape fits the notes, which require nothing.
impl JsonSchema for CallMetadata {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CallMetadata".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let description = "What a view shows of a call: the fields of its tool, and `CallNotes` beside them. The fields tell the \
             tools apart; a tool that is not built in may have fields of its own.";
        lossless::schema::<CallDetail, CallNotes>(generator, description)
    }
}
