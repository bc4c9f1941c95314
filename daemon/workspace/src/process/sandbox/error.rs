//! Why a command cannot run in the sandbox. The words complete "it cannot run in the sandbox: …".

use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SandboxError {
    #[error("bubblewrap is not installed; install it (`apt install bubblewrap`, `dnf install bubblewrap`)")]
    NoBubblewrap,
    #[error("Copydesk has no sandbox for this system")]
    System,
    #[error("the system does not let bubblewrap work ({said}){}", .repair.map(|repair| format!("; {repair}")).unwrap_or_default())]
    Rejected { said: String, repair: Option<&'static str> },
    #[error("the workspace `{}` contains the home folder", .0.display())]
    WholeHome(PathBuf),
    #[error("{} places would have to be protected, and at most {} can be", .0, super::MAX_ENTRIES)]
    TooMany(usize),
    #[error("`{}` cannot be looked at: {why}", path.display())]
    Path { path: PathBuf, why: String },
}
