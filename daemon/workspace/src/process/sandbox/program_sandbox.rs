//! The sandbox of the programs that Copydesk itself starts for a workspace: language servers, checkers, formatters. They run what the project
//! contains (build scripts, macros, plugins), which a command may have written unasked.
//!
//! Contract: with `auto` a program runs outside only if the machine lets no command run inside either. What keeps it out of a sandbox that works
//! (too many repositories, say) keeps it from running at all, because a command could have brought that about.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{CommandSandbox, SandboxError, SandboxMode, SandboxPurpose, SandboxedLaunch};
use crate::process::Processes;

/// The default one lets everything run outside.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramSandbox {
    sandbox: CommandSandbox,
    workspace: PathBuf,
}

/// Where a program runs.
#[derive(Debug, Clone, Default)]
pub enum ProgramPlacement {
    /// The sandbox is off, or not for programs.
    #[default]
    Unconfined,
    Sandboxed(Arc<SandboxedLaunch>),
    /// The sandbox does not work on this machine.
    Outside(SandboxError),
}

impl ProgramSandbox {
    /// `workspace` is what programs may change.
    pub fn new(sandbox: CommandSandbox, workspace: PathBuf) -> Self {
        Self { sandbox, workspace }
    }

    /// Gathers the profile of one program, which runs in `folder`.
    pub async fn prepare(
        &self,
        purpose: SandboxPurpose,
        folder: &Path,
        processes: &Processes,
    ) -> Result<ProgramPlacement, SandboxError> {
        let Self { sandbox, workspace } = self;
        let is_required = match sandbox.mode() {
            SandboxMode::Off => return Ok(ProgramPlacement::Unconfined),
            _ if sandbox.settings.commands_only => return Ok(ProgramPlacement::Unconfined),
            SandboxMode::Auto => false,
            SandboxMode::Require => true,
        };
        match sandbox.check(workspace, processes).await {
            Ok(_) => {}
            Err(error) if error.is_about_machine() && !is_required => {
                return Ok(ProgramPlacement::Outside(error));
            }
            Err(error) => return Err(error),
        }
        let launch = sandbox.prepare(workspace, folder, processes, purpose).await?;
        Ok(ProgramPlacement::Sandboxed(Arc::new(launch)))
    }
}

impl ProgramPlacement {
    pub fn launch(&self) -> Option<&Arc<SandboxedLaunch>> {
        match self {
            Self::Sandboxed(launch) => Some(launch),
            Self::Unconfined | Self::Outside(_) => None,
        }
    }

    /// For views; none if the sandbox is off.
    pub fn is_sandboxed(&self) -> Option<bool> {
        match self {
            Self::Unconfined => None,
            Self::Sandboxed(_) => Some(true),
            Self::Outside(_) => Some(false),
        }
    }
}
