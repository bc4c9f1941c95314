//! What the host gives a session.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use copydesk_diagnostics::DiagnosticsTracker;
use copydesk_model::Model;
use copydesk_navigation::Navigator;
use copydesk_servers::format::Formatters;
use copydesk_tool::{Asker, EditOwner, ToolRegistry};
use copydesk_workspace::files::WorkspaceFiles;
use copydesk_workspace::process::Processes;
use tokio::sync::mpsc;

use super::{CostLimits, CurrentRules, SharedRoleProvider};
use crate::agent::Agent;
use crate::compaction::CompactionSettings;
use crate::data::Session;
use crate::event::SessionEvent;
use crate::store::Store;

/// What a session needs to work.
pub struct SessionDeps {
    pub session: Session,
    pub agent: Agent,
    pub model: Model,
    /// `PROVIDER/MODEL`
    pub model_name: String,
    /// Makes titles; if there is none, the title is the first words of the prompt.
    pub title_generator: Option<TitleGenerator>,
    pub compaction: CompactionSettings,
    pub limits: CostLimits,
    /// Writes summaries; if there is none, the session's own model does.
    pub summary_model: Option<NamedModel>,
    pub system: Vec<String>,
    /// The outermost folder whose instruction files count, and the files that `system` already has.
    pub root: PathBuf,
    pub instructions: HashSet<PathBuf>,
    pub rules: CurrentRules,
    pub tools: ToolRegistry,
    /// Makes the roles of other agents.
    pub roles: SharedRoleProvider,
    pub files: WorkspaceFiles,
    /// Diagnostics before and after edits.
    pub checks: DiagnosticsTracker,
    pub formatters: Option<Formatters>,
    pub navigator: Navigator,
    /// Its commands, also those in the background.
    pub processes: Processes,
    pub store: Store,
    /// Receives the events. A slow reader slows the session.
    pub events: mpsc::Sender<SessionEvent>,
    /// The parent, if this is a subagent session.
    pub parent: Option<ParentSession>,
}

/// The parent of a subagent session.
#[derive(Clone)]
pub struct ParentSession {
    /// Answers asks: denials, review timing and replies of the parent hold here.
    pub asker: Arc<dyn Asker>,
    /// The call that owns the edits; its session gets the feedback after this one has ended.
    pub owner: EditOwner,
}

impl std::fmt::Debug for ParentSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParentSession").field("owner", &self.owner).finish_non_exhaustive()
    }
}

/// A model and its name, as `PROVIDER/MODEL`.
#[derive(Debug, Clone)]
pub struct NamedModel {
    pub model: Model,
    pub name: String,
}

/// The agent `title` and its model.
#[derive(Debug, Clone)]
pub struct TitleGenerator {
    pub model: Model,
    pub prompt: String,
}

impl std::fmt::Debug for SessionDeps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionDeps").field("session", &self.session.id).finish_non_exhaustive()
    }
}
