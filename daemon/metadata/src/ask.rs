//! The metadata of an ask: what the user sees before allowing a call.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::diagnostics::DiagnosticsMetadata;
use crate::edit::{ChangedFileMetadata, EditMetadata};
use crate::lenient;
use crate::lossless::{LosslessMetadata, MetadataDetail, take_field};

/// What a view shows of an ask.
pub type PermissionAskMetadata = LosslessMetadata<PermissionAskDetail>;

/// The fields of one kind of ask. The first variant that fits a value wins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum PermissionAskDetail {
    /// `edit`, `multiedit`, `write`, `apply_patch`, `refactor`
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

impl MetadataDetail for PermissionAskDetail {
    type Notes = PermissionAskNotes;
    const SCHEMA_NAME: &str = "PermissionAskMetadata";
    const SCHEMA_DESCRIPTION: &str = "What a view shows of an ask: the fields of its tool, and `PermissionAskNotes` beside them. The \
         fields tell the tools apart; a tool that is not built in may have fields of its own.";

    fn other(value: Value) -> Self {
        Self::Other(value)
    }

    fn as_other(&self) -> Option<&Value> {
        if let Self::Other(value) = self { Some(value) } else { None }
    }

    fn take_notes(value: &mut Value) -> Self::Notes {
        PermissionAskNotes { session: take_field(value, "session", |_| true) }
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
#[serde(rename_all = "camelCase")]
pub struct CommandAskMetadata {
    /// The command. A view shows it, whatever the title says.
    pub command: String,
    /// The folder that it would run in, relative to the workspace.
    pub workdir: String,
    /// What the model says that it does.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub description: Option<String>,
    /// Whether it would run in the sandbox; missing if the sandbox is off.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub sandboxed: Option<bool>,
    /// What it could change and reach in the sandbox, or why it would run outside.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub sandbox_note: Option<String>,
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
    /// Names the session that asks.
    #[must_use]
    pub fn with_session(self, session: impl Into<String>) -> Self {
        self.with_notes(PermissionAskNotes { session: Some(session.into()) })
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

    /// What the command could change and reach, if it would run in the sandbox.
    pub fn sandbox_rights(&self) -> Option<&str> {
        let PermissionAskDetail::Command(ask) = &*self.detail else { return None };
        ask.sandbox_note.as_deref().filter(|_| ask.sandboxed == Some(true))
    }

    /// The plan that would be carried out.
    pub fn plan(&self) -> Option<&str> {
        if let PermissionAskDetail::Plan(ask) = &*self.detail { Some(&ask.plan) } else { None }
    }
}
