//! The runtime of a hosted session, and its states.

use copydesk_config::trust::TrustStamp;
use copydesk_permission::RememberedPattern;
use copydesk_session::SessionHandle;
use copydesk_workspace::files::WorkspaceFiles;
use copydesk_workspace::process::Processes;
use copydesk_workspace::time_limits::TERMINATE_GRACE;

/// A running session: its actor, the files it sees and the processes it started.
pub(super) struct SessionRuntime {
    pub(super) handle: SessionHandle,
    pub(super) files: WorkspaceFiles,
    pub(super) processes: Processes,
}

impl SessionRuntime {
    /// Ends the turn first, to keep the last output of a command; then the background commands.
    pub(super) async fn stop(self) {
        self.handle.end().await;
        self.processes.end(TERMINATE_GRACE).await;
    }
}

/// The states of a hosted session.
///
/// ```text
/// Closed ──prompt──▶ Open ──model, agent or trust changed──▶ Outdated ──prompt, no turn runs──▶ Open
///    │                                                                     any ──end──▶ Closed
///    └──a call of another session──▶ Subagent ──the call ends──▶ Closed
/// ```
#[derive(Default)]
pub(super) enum RuntimeState {
    /// It has no runtime.
    #[default]
    Closed,
    /// Built for the session's present model and agent, and the trust that its folder had then.
    Open(SessionRuntime, TrustStamp),
    /// Built for an earlier model, agent or trust. The running turn ends with it.
    Outdated(SessionRuntime, TrustStamp),
    /// A call of another session runs it, and only that call prompts it.
    Subagent(SessionRuntime),
}

impl RuntimeState {
    pub(super) fn runtime(&self) -> Option<&SessionRuntime> {
        match self {
            Self::Closed => None,
            Self::Open(runtime, _) | Self::Outdated(runtime, _) | Self::Subagent(runtime) => Some(runtime),
        }
    }

    /// Closes it. The caller stops the runtime, or keeps its processes for the next one.
    pub(super) fn take(&mut self) -> Option<SessionRuntime> {
        match std::mem::take(self) {
            Self::Closed => None,
            Self::Open(runtime, _) | Self::Outdated(runtime, _) | Self::Subagent(runtime) => Some(runtime),
        }
    }

    pub(super) fn take_subagent(&mut self) -> Option<SessionRuntime> {
        if matches!(self, Self::Subagent(_)) { self.take() } else { None }
    }

    /// What the user always allows in this session, for its next runtime: nothing if they took trust back that they replied with.
    pub(super) async fn replies_to_keep(&self, trust: &TrustStamp) -> Vec<RememberedPattern> {
        match self {
            Self::Open(runtime, built_for) | Self::Outdated(runtime, built_for)
                if !built_for.is_lost_in(trust) =>
            {
                runtime.handle.replies().await
            }
            Self::Closed | Self::Open(..) | Self::Outdated(..) | Self::Subagent(_) => Vec::new(),
        }
    }

    /// Called when the model or the agent of the session has changed.
    pub(super) fn mark_outdated(&mut self) {
        *self = match std::mem::take(self) {
            Self::Open(runtime, built_for) => Self::Outdated(runtime, built_for),
            other => other,
        };
    }

    /// Whether the present runtime takes a prompt; if not, it needs a new one. `trust` is the folder's now.
    pub(super) fn takes_prompt(&self, is_running: bool, trust: &TrustStamp) -> bool {
        match self {
            Self::Open(_, built_for) => is_running || built_for == trust,
            Self::Outdated(..) => is_running,
            Self::Closed | Self::Subagent(_) => false,
        }
    }
}
