//! What a running call has at hand.

use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use copydesk_diagnostics::DiagnosticsTracker;
use copydesk_metadata::{CallDetail, CallMetadata, PermissionAskMetadata};
use copydesk_permission::PermissionAction;
use copydesk_servers::format::Formatters;
use copydesk_workspace::files::{ResolvedPath, WorkspaceFiles};
use copydesk_workspace::reviews::ReviewId;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::outcome::{ToolError, ToolErrorKind, one_line};
use crate::question::{Question, QuestionAnswers};
use crate::todo::TodoList;

/// What a system takes for a path. A longer one need not be put before anybody.
const LONGEST_PATH: usize = 4096;

/// A question to the rules, and where they do not know, to the person.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PermissionRequest {
    /// What kind of thing is to be done: `read`, `edit`, `bash`, …
    pub key: String,
    /// What it is to be done to; each must be allowed.
    pub patterns: Vec<String>,
    /// What "always" would allow from now on.
    pub always: Vec<String>,
    /// What the person is shown.
    pub title: String,
    pub metadata: PermissionAskMetadata,
    pub review: AskReview,
}

/// Whether what is asked for can be decided piece by piece.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum AskReview {
    /// As a whole or not at all.
    #[default]
    WholeOnly,
    /// If a person has to be asked, a review is opened first: the answer is then [`PermissionGrant::NeedsReview`].
    OpenFirst,
    /// In these, one for each file.
    Reviews(Vec<ReviewId>),
}

/// Why a call may not go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermissionDenial {
    /// A rule forbids it. `why` is for the model: what is denied, and by which rule.
    ByRule {
        why: String,
    },
    /// The person said no, perhaps with a word to the model.
    ByPerson {
        reason: Option<String>,
    },
    /// A person would have to say yes, and none could be asked.
    Unattended,
    Cancelled,
}

/// Who said yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PermissionGrant {
    ByRule,
    /// Having seen what it was about.
    ByPerson,
    /// A person has decided all of it, piece by piece.
    ByReview,
    /// A person has to decide: to be asked again, with the review.
    NeedsReview,
}

pub type AskFuture<'a> = Pin<Box<dyn Future<Output = Result<PermissionGrant, PermissionDenial>> + Send + 'a>>;

pub type QuestionFuture<'a> = Pin<Box<dyn Future<Output = QuestionAnswers> + Send + 'a>>;

pub type SwitchAgentFuture<'a> = Pin<Box<dyn Future<Output = Result<(), String>> + Send + 'a>>;

/// Whoever knows the rules and the person.
pub trait Asker: Send + Sync {
    fn ask<'a>(&'a self, call: &'a str, ask: PermissionRequest) -> AskFuture<'a>;

    /// For a session that works for this one, whose own rules have said so much: what is denied, chosen and answered here holds
    /// for it, too.
    fn ask_for_subagent<'a>(
        &'a self,
        call: &'a str,
        ask: PermissionRequest,
        _said: PermissionAction,
    ) -> AskFuture<'a> {
        self.ask(call, ask)
    }

    /// Puts questions to the person, whatever the rules say: those were asked before.
    fn ask_questions<'a>(&'a self, call: &'a str, questions: Vec<Question>) -> QuestionFuture<'a>;

    /// For a session that works for this one, as this agent.
    fn ask_questions_for_subagent<'a>(
        &'a self,
        call: &'a str,
        _agent: String,
        questions: Vec<Question>,
    ) -> QuestionFuture<'a> {
        self.ask_questions(call, questions)
    }

    /// Has the session go on as another agent from its next step on. The error says why it cannot.
    fn switch_agent<'a>(&'a self, agent: &'a str) -> SwitchAgentFuture<'a>;
}

/// The session and the call that what is done to files belongs to.
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
    /// Of a session that works for another: what a person sees of its edits, they see there.
    pub parent_call: Option<EditOwner>,
    pub agent: String,
    pub cancel: CancellationToken,
    pub files: WorkspaceFiles,
    /// What is known of what is wrong with them.
    pub checks: DiagnosticsTracker,
    /// Who gives what is written its form.
    pub formatters: Option<Formatters>,
    pub asker: Arc<dyn Asker>,
    /// What the session has to do.
    pub todos: TodoList,
    /// Bounded: what cannot be shown in time is left out, since the next one says more.
    pub progress: mpsc::Sender<CallProgress>,
    /// Milliseconds that the call has waited for people, which nobody should count against it.
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
    /// Where edits are reviewed, and what they are taken back with.
    pub fn edit_owner(&self) -> EditOwner {
        let own = || EditOwner { session: self.session.clone(), call: self.call.clone() };
        self.parent_call.clone().unwrap_or_else(own)
    }

    pub async fn ask(&self, ask: PermissionRequest) -> Result<PermissionGrant, ToolError> {
        self.try_ask(ask).await.map_err(PermissionDenial::into_error)
    }

    /// The same for whoever has to know why not.
    pub(crate) async fn try_ask(&self, ask: PermissionRequest) -> Result<PermissionGrant, PermissionDenial> {
        let ask = PermissionRequest { title: one_line(&ask.title), ..ask };
        self.track_wait(self.asker.ask(&self.call, ask)).await
    }

    /// Asks the person. Where the rules have a say, they were asked before.
    pub async fn ask_questions(&self, questions: Vec<Question>) -> QuestionAnswers {
        self.track_wait(self.asker.ask_questions(&self.call, questions)).await
    }

    /// Has the session go on as another agent from its next step on; the person has agreed.
    pub async fn switch_agent(&self, agent: &str) -> Result<(), ToolError> {
        self.asker.switch_agent(agent).await.map_err(ToolError::failed)
    }

    /// What takes as long as a person does.
    async fn track_wait<T>(&self, answer: impl Future<Output = T>) -> T {
        let start = Instant::now();
        let answer = answer.await;
        let waited = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.waited.fetch_add(waited, Ordering::Relaxed);
        answer
    }

    /// The file or folder that a model named, after the person was asked where it lies outside the workspace.
    pub async fn resolve_path(&self, path: &str) -> Result<ResolvedPath, ToolError> {
        self.resolve_path_to_read(path, &[]).await
    }

    /// The same for a tool that only looks. In these folders, by their real paths, nobody is asked: the desk itself has put them
    /// before the model. A rule may still forbid it.
    pub async fn resolve_path_to_read(
        &self,
        path: &str,
        open: &[PathBuf],
    ) -> Result<ResolvedPath, ToolError> {
        if path.len() > LONGEST_PATH {
            let message =
                format!("A path of {} bytes leads nowhere; the longest has {LONGEST_PATH}.", path.len());
            return Err(ToolError::new(ToolErrorKind::Arguments, message));
        }
        let place = self.files.resolve(path);
        if !place.is_in_workspace {
            // Where it really leads, since a link in the workspace says nothing about that.
            let real = place.real_path();
            let folder = if real.is_dir() { real } else { real.parent().unwrap_or(real) };
            let folder = folder.join("*").display().to_string();
            let is_open = open.iter().any(|open| real.starts_with(open));
            self.ask(PermissionRequest {
                review: if is_open { AskReview::OpenFirst } else { AskReview::WholeOnly },
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

impl PermissionDenial {
    pub(crate) fn into_error(self) -> ToolError {
        match self {
            Self::ByRule { why } => ToolError::new(
                ToolErrorKind::Denied,
                format!("A rule forbids this: {why}. Find another way, or say what you would need."),
            ),
            Self::ByPerson { reason: Some(reason) } => {
                ToolError::new(ToolErrorKind::Denied, format!("The person said no: {reason}"))
            }
            Self::ByPerson { reason: None } => ToolError::new(
                ToolErrorKind::Denied,
                "The person said no. Do not try the same again; ask what they want instead.",
            ),
            Self::Unattended => ToolError::new(
                ToolErrorKind::Denied,
                "Nobody is there to approve this, so it was not done. Go on without it, and say at the end what is left to \
                 do; it would need a run with --auto, or a rule that allows it.",
            ),
            Self::Cancelled => ToolError::cancelled(),
        }
    }
}
