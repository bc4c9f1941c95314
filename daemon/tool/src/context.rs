//! What a running call has at hand.

use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use copydesk_diagnostics::Checks;
use copydesk_permission::Action;
use copydesk_servers::format::Formatters;
use copydesk_workspace::files::{Files, Place};
use copydesk_workspace::reviews::ReviewId;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::outcome::{Failure, FailureKind, one_line};
use crate::question::{Answers, Question};
use crate::todo::Todos;

/// What a system takes for a path. A longer one need not be put before anybody.
const LONGEST_PATH: usize = 4096;

/// A question to the rules, and where they do not know, to the person.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ask {
    /// What kind of thing is to be done: `read`, `edit`, `bash`, …
    pub key: String,
    /// What it is to be done to; each must be allowed.
    pub patterns: Vec<String>,
    /// What "always" would allow from now on.
    pub always: Vec<String>,
    /// What the person is shown.
    pub title: String,
    pub metadata: Value,
    pub review: Reviewed,
}

/// Whether what is asked for can be decided piece by piece.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Reviewed {
    /// As a whole or not at all.
    #[default]
    Never,
    /// If a person has to be asked, a review is opened first: the answer is then [`Allowed::IfReviewed`].
    First,
    /// In these, one for each file.
    In(Vec<ReviewId>),
}

/// Why a call may not go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// A rule forbids it. `why` is for the model: what is denied, and by which rule.
    ByRule {
        why: String,
    },
    /// The person said no, perhaps with a word to the model.
    ByPerson {
        reason: Option<String>,
    },
    /// A person would have to say yes, and none could be asked.
    ByNobody,
    Cancelled,
}

/// Who said yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allowed {
    ByRule,
    /// Having seen what it was about.
    ByPerson,
    /// A person has decided all of it, piece by piece.
    ByReview,
    /// A person has to decide: to be asked again, with the review.
    IfReviewed,
}

pub type Answer<'a> = Pin<Box<dyn Future<Output = Result<Allowed, Refused>> + Send + 'a>>;

pub type Answering<'a> = Pin<Box<dyn Future<Output = Answers> + Send + 'a>>;

pub type Switching<'a> = Pin<Box<dyn Future<Output = Result<(), String>> + Send + 'a>>;

/// Whoever knows the rules and the person.
pub trait Asker: Send + Sync {
    fn ask<'a>(&'a self, call: &'a str, ask: Ask) -> Answer<'a>;

    /// For a session that works for this one, whose own rules have said so much: what is denied, chosen and answered here holds
    /// for it, too.
    fn ask_for<'a>(&'a self, call: &'a str, ask: Ask, _said: Action) -> Answer<'a> {
        self.ask(call, ask)
    }

    /// Puts questions to the person, whatever the rules say: those were asked before.
    fn question<'a>(&'a self, call: &'a str, questions: Vec<Question>) -> Answering<'a>;

    /// For a session that works for this one, as this agent.
    fn question_for<'a>(&'a self, call: &'a str, _agent: String, questions: Vec<Question>) -> Answering<'a> {
        self.question(call, questions)
    }

    /// Has the session go on as another agent from its next step on. The error says why it cannot.
    fn go_on_as<'a>(&'a self, agent: &'a str) -> Switching<'a>;
}

/// The session and the call that what is done to files belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    pub session: String,
    pub call: String,
}

/// Something to show while a call runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    pub call: String,
    pub metadata: Value,
}

#[derive(Clone)]
pub struct Context {
    pub session: String,
    pub call: String,
    /// Of a session that works for another: what a person sees of its edits, they see there.
    pub above: Option<Owner>,
    pub agent: String,
    pub cancel: CancellationToken,
    pub files: Files,
    /// What is known of what is wrong with them.
    pub checks: Checks,
    /// Who gives what is written its form.
    pub formatters: Option<Formatters>,
    pub asker: Arc<dyn Asker>,
    /// What the session has to do.
    pub todos: Todos,
    /// Bounded: what cannot be shown in time is left out, since the next one says more.
    pub progress: mpsc::Sender<Progress>,
    /// Milliseconds that the call has waited for people, which nobody should count against it.
    pub waited: Arc<AtomicU64>,
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("session", &self.session)
            .field("call", &self.call)
            .finish_non_exhaustive()
    }
}

impl Context {
    /// Where edits are reviewed, and what they are taken back with.
    pub fn owner(&self) -> Owner {
        let own = || Owner { session: self.session.clone(), call: self.call.clone() };
        self.above.clone().unwrap_or_else(own)
    }

    pub async fn ask(&self, ask: Ask) -> Result<Allowed, Failure> {
        self.asked(ask).await.map_err(Refused::failure)
    }

    /// The same for whoever has to know why not.
    pub(crate) async fn asked(&self, ask: Ask) -> Result<Allowed, Refused> {
        let ask = Ask { title: one_line(&ask.title), ..ask };
        self.waiting(self.asker.ask(&self.call, ask)).await
    }

    /// Asks the person. Where the rules have a say, they were asked before.
    pub async fn question(&self, questions: Vec<Question>) -> Answers {
        self.waiting(self.asker.question(&self.call, questions)).await
    }

    /// Has the session go on as another agent from its next step on; the person has agreed.
    pub async fn go_on_as(&self, agent: &str) -> Result<(), Failure> {
        self.asker.go_on_as(agent).await.map_err(Failure::failed)
    }

    /// What takes as long as a person does.
    async fn waiting<T>(&self, answer: impl Future<Output = T>) -> T {
        let start = Instant::now();
        let answer = answer.await;
        let waited = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.waited.fetch_add(waited, Ordering::Relaxed);
        answer
    }

    /// The file or folder that a model named, after the person was asked where it lies outside the workspace.
    pub async fn place(&self, path: &str) -> Result<Place, Failure> {
        self.place_to_read(path, &[]).await
    }

    /// The same for a tool that only looks. In these folders, by their real paths, nobody is asked: the desk itself has put them
    /// before the model. A rule may still forbid it.
    pub async fn place_to_read(&self, path: &str, open: &[PathBuf]) -> Result<Place, Failure> {
        if path.len() > LONGEST_PATH {
            let message =
                format!("A path of {} bytes leads nowhere; the longest has {LONGEST_PATH}.", path.len());
            return Err(Failure::new(FailureKind::Arguments, message));
        }
        let place = self.files.resolve(path);
        if !place.inside {
            // Where it really leads, since a link in the workspace says nothing about that.
            let real = place.real();
            let folder = if real.is_dir() { real } else { real.parent().unwrap_or(real) };
            let folder = folder.join("*").display().to_string();
            let is_open = open.iter().any(|open| real.starts_with(open));
            self.ask(Ask {
                review: if is_open { Reviewed::First } else { Reviewed::Never },
                key: "external_directory".to_owned(),
                patterns: vec![folder.clone()],
                always: vec![folder],
                title: format!("{} is outside the workspace", real.display()),
                ..Ask::default()
            })
            .await?;
        }
        Ok(place)
    }

    pub fn show(&self, metadata: Value) {
        let _ = self.progress.try_send(Progress { call: self.call.clone(), metadata });
    }
}

impl Refused {
    pub(crate) fn failure(self) -> Failure {
        match self {
            Self::ByRule { why } => Failure::new(
                FailureKind::Denied,
                format!("A rule forbids this: {why}. Find another way, or say what you would need."),
            ),
            Self::ByPerson { reason: Some(reason) } => {
                Failure::new(FailureKind::Denied, format!("The person said no: {reason}"))
            }
            Self::ByPerson { reason: None } => Failure::new(
                FailureKind::Denied,
                "The person said no. Do not try the same again; ask what they want instead.",
            ),
            Self::ByNobody => Failure::new(
                FailureKind::Denied,
                "Nobody is there to approve this, so it was not done. Go on without it, and say at the end what is left to \
                 do; it would need a run with --auto, or a rule that allows it.",
            ),
            Self::Cancelled => Failure::cancelled(),
        }
    }
}
