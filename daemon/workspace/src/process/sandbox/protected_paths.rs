//! Places in a workspace whose content runs later, outside of the sandbox: by git, an editor, another agent, or a shell. Data.

/// In the workspace's own folder. If one is missing, an empty folder stands there while a command runs.
pub(super) const IN_WORKSPACE: &[&str] = &[
    ".agents",
    ".claude",
    ".codex",
    ".copydesk",
    ".envrc",
    ".exrc",
    ".idea",
    ".mcp.json",
    ".nvim.lua",
    ".nvimrc",
    ".opencode",
    ".vimrc",
    ".vscode",
    ".zed",
    "copydesk.json",
    "copydesk.jsonc",
    "opencode.json",
    "opencode.jsonc",
];

/// In the folder of every repository, only where it exists.
pub(super) const BESIDE_GIT: &[&str] = &[".gitmodules"];

/// In the git folder of every repository, and of each of its submodules.
pub(super) const IN_GIT_FOLDER: &[&str] = &["config", "config.worktree", "hooks", "info/attributes"];
