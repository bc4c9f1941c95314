//! What a hosted session works with, and in which state that is.

use copydesk_session::SessionHandle;
use copydesk_workspace::files::WorkspaceFiles;
use copydesk_workspace::process::Processes;
use copydesk_workspace::time_limits::TERMINATE_GRACE;

/// A session at work: its actor, the files it sees and the processes it started.
pub(super) struct SessionRuntime {
    pub(super) handle: SessionHandle,
    pub(super) files: WorkspaceFiles,
    pub(super) processes: Processes,
}

impl SessionRuntime {
    /// Ends the turn first, so that the last output of a command is kept; then what runs in the background.
    pub(super) async fn stop(self) {
        self.handle.end().await;
        self.processes.end(TERMINATE_GRACE).await;
    }
}

/// The states of a session that is at hand.
///
/// ```text
/// Closed ──prompt──▶ Open ──model or agent changed──▶ Outdated ──prompt, no turn runs──▶ Open
///    │                                                                     any ──end──▶ Closed
///    └──a call of another session──▶ Subagent ──the call ends──▶ Closed
/// ```
#[derive(Default)]
pub(super) enum RuntimeState {
    /// Nothing is built.
    #[default]
    Closed,
    /// Built for the session's present model and agent.
    Open(SessionRuntime),
    /// Built for an earlier model or agent. The turn that runs ends with it.
    Outdated(SessionRuntime),
    /// A call of another session runs it, and alone prompts it.
    Subagent(SessionRuntime),
}

impl RuntimeState {
    pub(super) fn runtime(&self) -> Option<&SessionRuntime> {
        match self {
            Self::Closed => None,
            Self::Open(runtime) | Self::Outdated(runtime) | Self::Subagent(runtime) => Some(runtime),
        }
    }

    /// Closes it. Whoever takes the runtime stops it, or keeps its processes for the next one.
    pub(super) fn take(&mut self) -> Option<SessionRuntime> {
        match std::mem::take(self) {
            Self::Closed => None,
            Self::Open(runtime) | Self::Outdated(runtime) | Self::Subagent(runtime) => Some(runtime),
        }
    }

    pub(super) fn take_subagent(&mut self) -> Option<SessionRuntime> {
        if matches!(self, Self::Subagent(_)) { self.take() } else { None }
    }

    /// The model or the agent of the session has changed.
    pub(super) fn mark_outdated(&mut self) {
        *self = match std::mem::take(self) {
            Self::Open(runtime) => Self::Outdated(runtime),
            other => other,
        };
    }

    /// Whether a prompt goes to what is there, or to a new build.
    pub(super) fn takes_prompt(&self, is_running: bool) -> bool {
        match self {
            Self::Open(_) => true,
            Self::Outdated(_) => is_running,
            Self::Closed | Self::Subagent(_) => false,
        }
    }
}
