//! What a running call can use: files, rules, the user, progress.

use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use copydesk_diagnostics::DiagnosticsTracker;
use copydesk_metadata::{CallDetail, CallMetadata, PermissionAskMetadata};
use copydesk_navigation::Navigator;
use copydesk_permission::{CommandPattern, PermissionAction};
use copydesk_servers::format::Formatters;
use copydesk_workspace::files::{ResolvedPath, WorkspaceFiles};
use copydesk_workspace::reviews::ReviewId;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::denial::PermissionDenial;
use crate::outcome::{ToolError, ToolErrorKind, one_line};
use crate::question::{Question, QuestionAnswers};
use crate::todo::TodoList;

/// The longest path that Linux accepts. The call rejects a longer one without asking.
const MAX_PATH_BYTES: usize = 4096;

/// An ask: the rules decide, and where they say `ask`, the user.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PermissionRequest {
    /// The permission key: `read`, `edit`, `bash`, …
    pub key: String,
    /// The paths or commands; each must be allowed.
    pub patterns: Vec<String>,
    /// What a shell will run, as it was understood; `patterns` are then only shown.
    pub commands: Vec<CommandPattern>,
    /// The patterns that "always" would allow from now on.
    pub always: Vec<String>,
    /// One line for the user.
    pub title: String,
    pub metadata: PermissionAskMetadata,
    pub ask_user: AskUserMode,
    /// The command runs in the sandbox. Without it, a command runs with all that the user may do.
    pub is_sandboxed: bool,
}

/// How the user decides if the rules say `ask`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum AskUserMode {
    /// All or nothing.
    #[default]
    Whole,
    /// Hunk by hunk in these reviews, one for each file.
    InReviews(Vec<ReviewId>),
    /// Not at all: the answer is [`PermissionGrant::NotAsked`], and only a rule can deny. An edit then opens a review and
    /// asks again; a tool that shows nothing new continues.
    Never,
}

/// Who allowed an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PermissionGrant {
    ByRule,
    /// The user saw what it was about.
    ByUser,
    /// The user decided every hunk.
    ByReview,
    /// The rules say `ask`, and the request said [`AskUserMode::Never`].
    NotAsked {
        /// A program would answer the ask; no user would see it.
        is_unattended: bool,
    },
}

pub type AskFuture<'a> = Pin<Box<dyn Future<Output = Result<PermissionGrant, PermissionDenial>> + Send + 'a>>;

pub type QuestionFuture<'a> = Pin<Box<dyn Future<Output = QuestionAnswers> + Send + 'a>>;

pub type SwitchAgentFuture<'a> = Pin<Box<dyn Future<Output = Result<(), String>> + Send + 'a>>;

/// Answers asks and questions by the rules and the user.
pub trait Asker: Send + Sync {
    fn ask<'a>(&'a self, call: &'a str, ask: PermissionRequest) -> AskFuture<'a>;

    /// An ask of a subagent session, whose own rules decided `_said`. Denials, review timing and replies of this session hold
    /// for it, too.
    fn ask_for_subagent<'a>(
        &'a self,
        call: &'a str,
        ask: PermissionRequest,
        _said: PermissionAction,
    ) -> AskFuture<'a> {
        self.ask(call, ask)
    }

    /// Asks the user questions. The caller has asked the rules before.
    fn ask_questions<'a>(&'a self, call: &'a str, questions: Vec<Question>) -> QuestionFuture<'a>;

    /// Questions of a subagent session that works as this agent.
    fn ask_questions_for_subagent<'a>(
        &'a self,
        call: &'a str,
        _agent: String,
        questions: Vec<Question>,
    ) -> QuestionFuture<'a> {
        self.ask_questions(call, questions)
    }

    /// Switches the session to another agent from its next step on. The error says why that is impossible.
    fn switch_agent<'a>(&'a self, agent: &'a str) -> SwitchAgentFuture<'a>;
}

/// The session and the call that own an edit: they have its review and its undo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditOwner {
    pub session: String,
    pub call: String,
}

/// Something to show while a call runs.
#[derive(Debug, Clone, PartialEq)]
pub struct CallProgress {
    pub call: String,
    pub metadata: CallMetadata,
}

#[derive(Clone)]
pub struct ToolContext {
    pub session: String,
    pub call: String,
    /// For a subagent session: the call that owns its edits, so that the user reviews them in the parent session.
    pub parent_call: Option<EditOwner>,
    pub agent: String,
    pub cancel: CancellationToken,
    pub files: WorkspaceFiles,
    /// Diagnostics before and after edits.
    pub checks: DiagnosticsTracker,
    pub formatters: Option<Formatters>,
    /// Answers questions about code.
    pub navigator: Navigator,
    pub asker: Arc<dyn Asker>,
    pub todos: TodoList,
    /// Bounded: if the queue is full, progress is dropped, since the next one says more.
    pub progress: mpsc::Sender<CallProgress>,
    /// Milliseconds that the call has waited for the user: they do not count as its duration.
    pub waited: Arc<AtomicU64>,
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolContext")
            .field("session", &self.session)
            .field("call", &self.call)
            .finish_non_exhaustive()
    }
}

impl ToolContext {
    /// The call that owns the edits of this one.
    pub fn edit_owner(&self) -> EditOwner {
        let own = || EditOwner { session: self.session.clone(), call: self.call.clone() };
        self.parent_call.clone().unwrap_or_else(own)
    }

    pub async fn ask(&self, ask: PermissionRequest) -> Result<PermissionGrant, ToolError> {
        self.try_ask(ask).await.map_err(PermissionDenial::into_error)
    }

    /// As `ask`, with the reason of a denial.
    pub(crate) async fn try_ask(&self, ask: PermissionRequest) -> Result<PermissionGrant, PermissionDenial> {
        let ask = PermissionRequest { title: one_line(&ask.title), ..ask };
        self.track_wait(self.asker.ask(&self.call, ask)).await
    }

    /// Asks the user questions. The caller has asked the rules before.
    pub async fn ask_questions(&self, questions: Vec<Question>) -> QuestionAnswers {
        self.track_wait(self.asker.ask_questions(&self.call, questions)).await
    }

    /// Switches the session to another agent from its next step on. The user has agreed.
    pub async fn switch_agent(&self, agent: &str) -> Result<(), ToolError> {
        self.asker.switch_agent(agent).await.map_err(ToolError::failed)
    }

    /// Measures how long the user takes.
    async fn track_wait<T>(&self, answer: impl Future<Output = T>) -> T {
        let start = Instant::now();
        let answer = answer.await;
        let waited = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.waited.fetch_add(waited, Ordering::Relaxed);
        answer
    }

    /// Resolves the path that a model wrote. Asks first if it is outside the workspace.
    pub async fn resolve_path(&self, path: &str) -> Result<ResolvedPath, ToolError> {
        self.resolve_path_to_read(path, &[]).await
    }

    /// As `resolve_path`, for a tool that only reads. The `readable_folders` (real paths) need no reply of the user, because
    /// the daemon itself showed them to the model. A rule may still deny them.
    pub async fn resolve_path_to_read(
        &self,
        path: &str,
        readable_folders: &[PathBuf],
    ) -> Result<ResolvedPath, ToolError> {
        if path.len() > MAX_PATH_BYTES {
            let message =
                format!("A path of {} bytes leads nowhere; the longest has {MAX_PATH_BYTES}.", path.len());
            return Err(ToolError::new(ToolErrorKind::Arguments, message));
        }
        let place = self.files.resolve(path);
        if !place.is_in_workspace {
            // The real path: a symlink in the workspace may lead anywhere.
            let real = place.real_path();
            let folder = if real.is_dir() { real } else { real.parent().unwrap_or(real) };
            let folder = folder.join("*").display().to_string();
            let is_readable = readable_folders.iter().any(|folder| real.starts_with(folder));
            self.ask(PermissionRequest {
                ask_user: if is_readable { AskUserMode::Never } else { AskUserMode::Whole },
                key: "external_directory".to_owned(),
                patterns: vec![folder.clone()],
                always: vec![folder],
                title: format!("{} is outside the workspace", real.display()),
                ..PermissionRequest::default()
            })
            .await?;
        }
        Ok(place)
    }

    pub fn show_progress(&self, detail: CallDetail) {
        let metadata = detail.into();
        let _ = self.progress.try_send(CallProgress { call: self.call.clone(), metadata });
    }
}
