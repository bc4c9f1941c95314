//! The metadata of an ask: what the user sees before allowing a call.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::diagnostics::DiagnosticsMetadata;
use crate::edit::{ChangedFileMetadata, EditMetadata};
use crate::{lenient, lossless};

/// What a view shows of an ask.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PermissionAskMetadata {
    /// The tool's own fields.
    pub detail: Box<PermissionAskDetail>,
    /// What the daemon adds to the fields of any ask.
    pub notes: PermissionAskNotes,
    /// Fields as they were decoded that the types would not encode the same.
    rest: Box<Map<String, Value>>,
}

/// The fields of one kind of ask. The first variant that fits a value wins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum PermissionAskDetail {
    /// `edit`, `multiedit`, `write`, `apply_patch`
    Edit(EditMetadata),
    /// `bash`
    Command(CommandAskMetadata),
    /// `plan_exit`
    Plan(PlanAskMetadata),
    /// `webfetch`
    Fetch(FetchAskMetadata),
    /// `websearch`, `codesearch`
    Search(SearchAskMetadata),
    /// `task`
    Task(TaskAskMetadata),
    /// A call that the model repeats, whichever tool it is of.
    RepeatedCall(RepeatedCallAskMetadata),
    /// `skill`
    Skill(SkillAskMetadata),
    /// A tool that is not built in, another version's, or an ask that shows nothing but its title (`null`).
    #[schemars(skip)]
    Other(Value),
}

impl Default for PermissionAskDetail {
    fn default() -> Self {
        Self::Other(Value::Null)
    }
}

/// What the daemon adds to the fields of any ask.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PermissionAskNotes {
    /// The id of the session that asks, if it works on a task for this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// A command that `bash` would run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommandAskMetadata {
    /// The command. A view shows it, whatever the title says.
    pub command: String,
    /// The folder that it would run in, relative to the workspace.
    pub workdir: String,
    /// What the model says that it does.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub description: Option<String>,
}

/// A plan that would be carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanAskMetadata {
    /// The plan, Markdown.
    pub plan: String,
}

/// An address that `webfetch` would load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FetchAskMetadata {
    /// The address.
    pub url: String,
}

/// What `websearch` or `codesearch` would search for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SearchAskMetadata {
    /// The words.
    pub query: String,
}

/// A task that would be given to another agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskAskMetadata {
    /// What the agent would be told.
    pub prompt: String,
}

/// A call that the model has made several times, with the same result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RepeatedCallAskMetadata {
    /// The tool's name.
    pub name: String,
    /// The arguments of the call.
    pub arguments: Value,
    /// How often it was made.
    pub times: u64,
}

/// A skill that would be loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillAskMetadata {
    /// Its file.
    pub path: String,
}

impl PermissionAskMetadata {
    /// Never fails: an unknown shape is `Other`.
    pub fn from_value(mut value: Value) -> Self {
        let notes = PermissionAskNotes { session: lossless::take_field(&mut value, "session", |_| true) };
        let (detail, rest) = match lossless::decode(&value) {
            Some(decoded) => decoded,
            // Nothing but notes.
            None if notes.session.is_some() && value == Value::Object(Map::new()) => Default::default(),
            None => (PermissionAskDetail::Other(value), Map::new()),
        };
        Self { detail: Box::new(detail), notes, rest: Box::new(rest) }
    }

    /// As it is sent.
    pub fn to_value(&self) -> Value {
        let mut value = match &*self.detail {
            PermissionAskDetail::Other(value) => value.clone(),
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

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Names the session that asks.
    #[must_use]
    pub fn with_session(self, session: impl Into<String>) -> Self {
        Self { notes: PermissionAskNotes { session: Some(session.into()) }, ..self }
    }

    /// The files that would be changed, in their order.
    pub fn changed_files(&self) -> &[ChangedFileMetadata] {
        if let PermissionAskDetail::Edit(edit) = &*self.detail { edit.files() } else { &[] }
    }

    /// What the change would make wrong; none where nothing was checked.
    pub fn diagnostics(&self) -> Option<&DiagnosticsMetadata> {
        if let PermissionAskDetail::Edit(edit) = &*self.detail { edit.diagnostics() } else { None }
    }

    /// The command that would run.
    pub fn command(&self) -> Option<&str> {
        if let PermissionAskDetail::Command(ask) = &*self.detail { Some(&ask.command) } else { None }
    }

    /// The plan that would be carried out.
    pub fn plan(&self) -> Option<&str> {
        if let PermissionAskDetail::Plan(ask) = &*self.detail { Some(&ask.plan) } else { None }
    }
}

impl From<PermissionAskDetail> for PermissionAskMetadata {
    fn from(detail: PermissionAskDetail) -> Self {
        Self { detail: Box::new(detail), ..Self::default() }
    }
}

impl Serialize for PermissionAskMetadata {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for PermissionAskMetadata {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::from_value)
    }
}

/// One of the asks' shapes, together with the notes. A value of another shape fits the notes, which require nothing.
impl JsonSchema for PermissionAskMetadata {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PermissionAskMetadata".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let description = "What a view shows of an ask: the fields of its tool, and `PermissionAskNotes` beside them. The fields \
             tell the tools apart; a tool that is not built in may have fields of its own.";
        lossless::schema::<PermissionAskDetail, PermissionAskNotes>(generator, description)
    }
}
