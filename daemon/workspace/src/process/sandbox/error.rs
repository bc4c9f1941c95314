//! Why a command or a program cannot run in the sandbox, and what to do about it. The words complete "it cannot run in the sandbox: …".

use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SandboxError {
    #[error("bubblewrap is not installed")]
    NoBubblewrap,
    #[error("Copydesk has no sandbox for this system")]
    System,
    #[error("the system does not let bubblewrap work ({said})")]
    Rejected { said: String, repair: Option<&'static str> },
    #[error("the workspace `{}` contains the home folder", .0.display())]
    WholeHome(PathBuf),
    #[error("{} places would have to be protected, and at most {} can be", .0, super::MAX_ENTRIES)]
    TooMany(usize),
    #[error("the places to protect have too long names")]
    TooLong,
    #[error("the proxy to the listed hosts cannot start: {0}")]
    Proxy(String),
    #[error("`{}` cannot be looked at: {why}", path.display())]
    Path { path: PathBuf, why: String },
}

impl SandboxError {
    /// No command runs in the sandbox on this machine, whatever the workspace is.
    pub fn is_about_machine(&self) -> bool {
        matches!(self, Self::NoBubblewrap | Self::System | Self::Rejected { .. })
    }

    /// The workspace has too much to protect.
    pub fn is_about_size(&self) -> bool {
        matches!(self, Self::TooMany(_) | Self::TooLong)
    }

    /// What the user can do.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::NoBubblewrap => "install it (`apt install bubblewrap`, `dnf install bubblewrap`)",
            Self::System => "it needs Linux, or macOS",
            Self::Rejected { repair, .. } => {
                repair.unwrap_or("`bwrap --unshare-all --ro-bind / / true` must work")
            }
            Self::WholeHome(_) => "work in a folder below it",
            Self::TooMany(_) | Self::TooLong => "work in a folder with fewer repositories",
            Self::Proxy(_) => "make room in the folder for temporary files",
            Self::Path { .. } => "make it readable for you",
        }
    }
}
