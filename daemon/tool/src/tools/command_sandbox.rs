//! Where a command runs: in the sandbox, or outside of it because the sandbox is off, does not work here, or would not let the command work.
//!
//! Contract: a command runs outside only if the rules allow that or the user was asked. With `require` none does.

use std::path::Path;
use std::sync::Arc;

use copydesk_permission::CommandPattern;
use copydesk_workspace::process::Processes;
use copydesk_workspace::process::sandbox::{
    CommandSandbox, SandboxError, SandboxFindings, SandboxMode, SandboxPurpose, SandboxedLaunch,
};

use super::outside_commands::find_lack;
use crate::context::{AskUserMode, PermissionGrant, PermissionRequest, ToolContext};
use crate::outcome::ToolError;
use crate::sandbox_notes::{findings_note, short_findings};

/// The key of the ask for a command that the model wants to run outside.
const KEY: &str = "unsandboxed";

/// For the model, where the sandbox is on.
const PROMPT: &str = "\
     - Commands run in a sandbox: only the workspace and `/tmp` (empty, for each command) are writable, \
     without git's hooks and configuration, editor settings and agents' configuration; secrets of the \
     home cannot be read; there is no network unless the user allows it. Builds and tests work. What a \
     command starts in the background ends with it; `background: true` keeps it.\n";

pub(super) fn prompt(mode: SandboxMode) -> String {
    let more = match mode {
        SandboxMode::Require => "no command runs outside of it: if one needs more, tell the user",
        SandboxMode::Auto | SandboxMode::Off => {
            "if a command needs more, say why in `unsandboxed`; the user is asked"
        }
    };
    format!("{PROMPT}- Do not try to get around the sandbox; {more}.\n")
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandPlacement {
    /// The sandbox is off.
    Unconfined,
    Sandboxed,
    Outside {
        why: String,
        /// The model asks for it; else it is decided here.
        is_wanted: bool,
    },
    /// The sandbox does not work here, which an earlier call of the session said.
    Unavailable,
    /// It would run outside, and `require` forbids that.
    Refused {
        why: String,
    },
}

impl CommandPlacement {
    /// Decides before the ask, so that the user and the rules know.
    ///
    /// `workspace` is its folder, `wanted` the model's reason to run outside.
    pub async fn choose(
        sandbox: &CommandSandbox,
        workspace: &Path,
        processes: &Processes,
        commands: &mut [CommandPattern],
        wanted: Option<&str>,
    ) -> Self {
        if sandbox.mode() == SandboxMode::Off {
            return Self::Unconfined;
        }
        let is_required = sandbox.mode() == SandboxMode::Require;
        let outside = |why: String, is_wanted| match is_required {
            true => Self::Refused { why },
            false => Self::Outside { why, is_wanted },
        };
        if let Err(error) = sandbox.check(workspace, processes).await {
            return match sandbox.is_news(&error) || is_required {
                true => outside(format!("{error}; {}", error.advice()), false),
                false => Self::Unavailable,
            };
        }
        if let Some(why) = wanted.map(str::trim).filter(|why| !why.is_empty()) {
            return outside(why.to_owned(), true);
        }
        let may_reach = sandbox.has_network() || sandbox.listed_hosts().is_some();
        let lack = commands.iter().find_map(|command| find_lack(&command.text, may_reach));
        if let Some(lack) = lack.filter(|_| !is_required) {
            return outside(lack.describe().to_owned(), false);
        }
        // So that rules about `@sandboxed` know.
        if !sandbox.has_network() {
            commands.iter_mut().for_each(CommandPattern::mark_sandboxed);
        }
        Self::Sandboxed
    }

    /// A refused command goes no further.
    pub(super) fn accept(self) -> Result<Self, ToolError> {
        match self {
            Self::Refused { why } => Err(ToolError::failed(format!(
                "The command did not run: `sandbox` is `require` in the configuration, so no command runs outside of it ({why})."
            ))),
            placement => Ok(placement),
        }
    }

    /// Whether the model asks to run it outside.
    pub(super) fn is_wanted_outside(&self) -> bool {
        matches!(self, Self::Outside { is_wanted: true, .. })
    }

    /// For views; none if the sandbox is off.
    pub fn is_sandboxed(&self) -> Option<bool> {
        match self {
            Self::Unconfined => None,
            Self::Sandboxed => Some(true),
            Self::Outside { .. } | Self::Unavailable | Self::Refused { .. } => Some(false),
        }
    }

    pub fn why_outside(&self) -> Option<&str> {
        match self {
            Self::Outside { why, .. } | Self::Refused { why } => Some(why),
            Self::Unconfined | Self::Sandboxed | Self::Unavailable => None,
        }
    }

    /// For the user who is asked: what the command could change and reach in the sandbox, or why it would run outside.
    pub(super) fn ask_note(&self, sandbox: &CommandSandbox) -> Option<String> {
        match self {
            Self::Sandboxed => Some(sandbox.describe()),
            Self::Unconfined | Self::Outside { .. } | Self::Unavailable | Self::Refused { .. } => {
                self.why_outside().map(str::to_owned)
            }
        }
    }

    /// What stands behind an ask's title.
    pub(super) fn title_suffix(&self) -> String {
        self.why_outside().map(|why| format!(" (outside of the sandbox: {why})")).unwrap_or_default()
    }

    /// Asks for what the model wants to run outside, unless the user has just seen that. A reply that was given to the sandboxed command
    /// does not count for it.
    pub(super) async fn ask(
        &self,
        context: &ToolContext,
        request: &PermissionRequest,
        grant: PermissionGrant,
    ) -> Result<(), ToolError> {
        if !self.is_wanted_outside() {
            return Ok(());
        }
        let ask_user = if grant == PermissionGrant::ByUser { AskUserMode::Never } else { AskUserMode::Whole };
        context.ask(PermissionRequest { key: KEY.to_owned(), ask_user, ..request.clone() }).await.map(drop)
    }

    /// Gathers the profile, right before the command runs. Whether that is possible shows only then.
    pub(super) async fn prepare(
        &self,
        sandbox: &CommandSandbox,
        context: &ToolContext,
        workdir: &Path,
        processes: &Processes,
    ) -> Result<Option<Arc<SandboxedLaunch>>, SandboxError> {
        if *self != Self::Sandboxed {
            return Ok(None);
        }
        let launch =
            sandbox.prepare(context.files.root(), workdir, processes, SandboxPurpose::Command).await?;
        Ok(Some(Arc::new(launch)))
    }

    /// Where a command runs that the sandbox cannot hold after all. The rules decide about it again then.
    pub(super) fn after_failure(sandbox: &CommandSandbox, error: &SandboxError) -> Result<Self, ToolError> {
        if sandbox.mode() == SandboxMode::Auto && error.is_about_size() {
            return Ok(Self::Outside { why: format!("{error}; {}", error.advice()), is_wanted: false });
        }
        let message = format!("The command did not run, because the sandbox cannot be set up: {error}.");
        Err(ToolError::failed(message))
    }

    /// The note of a finished command: why it ran outside, or what the sandbox probably stopped.
    pub(super) fn note(&self, findings: Option<SandboxFindings>, sandbox: &CommandSandbox) -> SandboxNote {
        let network = match sandbox.listed_hosts() {
            _ if sandbox.has_network() => "with network",
            Some(_) => "with listed hosts only",
            None => "without network",
        };
        SandboxNote { placement: self.clone(), findings: findings.unwrap_or_default(), network }
    }
}

/// What is told about the sandbox with a command's result.
#[derive(Debug)]
pub(super) struct SandboxNote {
    placement: CommandPlacement,
    findings: SandboxFindings,
    network: &'static str,
}

impl SandboxNote {
    pub(super) fn is_sandboxed(&self) -> Option<bool> {
        self.placement.is_sandboxed()
    }

    /// For the user.
    pub(super) fn short(&self) -> Option<String> {
        short_findings(&self.findings).or_else(|| self.placement.why_outside().map(str::to_owned))
    }

    /// For the model, behind the verdict.
    pub(super) fn verdict(&self) -> String {
        match &self.placement {
            CommandPlacement::Unconfined => String::new(),
            CommandPlacement::Unavailable => "; not in a sandbox".to_owned(),
            CommandPlacement::Sandboxed => format!("; in the sandbox, {}", self.network),
            CommandPlacement::Outside { why, .. } | CommandPlacement::Refused { why } => {
                format!("; outside of the sandbox: {why}")
            }
        }
    }

    /// For the model, on lines of their own.
    pub(super) fn advice(&self) -> String {
        findings_note(&self.findings)
    }
}
