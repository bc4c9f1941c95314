//! Finds the files `NAME.md` that define agents, in our folders and in those of other programs.

use std::path::{Path, PathBuf};

use copydesk_config::paths::workspace_root;

use crate::setup::UserSetup;

const FOLDERS: [&str; 4] = [".claude/agents", ".opencode/agent", ".opencode/agents", ".copydesk/agents"];

/// No file of the repository is read that lies outside of it.
pub(super) fn root(setup: &UserSetup) -> PathBuf {
    workspace_root(&setup.cwd).unwrap_or_else(|_| setup.cwd.clone())
}

/// The files with whether they are the user's own: first those of the home folder, then from the workspace's
/// root down. A symlink out of the repository is skipped: its agent could make a model read foreign files.
pub(super) fn files(setup: &UserSetup) -> Vec<(PathBuf, bool)> {
    let root = root(setup);
    let mut project: Vec<_> = setup.cwd.ancestors().take_while(|folder| folder.starts_with(&root)).collect();
    project.reverse();
    let below = |folder: &Path| FOLDERS.map(|name| folder.join(name));
    let mut folders: Vec<_> = below(&setup.paths.home).map(|folder| (folder, true)).to_vec();
    folders.push((setup.paths.config_dir.join("agents"), true));
    // The home folder may be the repository: its agents stay the user's own.
    let known: Vec<_> = folders.iter().filter_map(|(folder, _)| folder.canonicalize().ok()).collect();
    let is_known = |folder: &PathBuf| folder.canonicalize().is_ok_and(|folder| known.contains(&folder));
    let project = project.into_iter().flat_map(below).filter(|folder| !is_known(folder));
    folders.extend(project.map(|folder| (folder, false)));
    let real_root = root.canonicalize().unwrap_or_else(|_| root.clone());
    let is_within = |path: &PathBuf| path.canonicalize().is_ok_and(|real| real.starts_with(&real_root));
    let mut files = Vec::new();
    for (folder, own) in folders {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut found: Vec<_> = entries
            .filter(|path| path.extension().is_some_and(|kind| kind == "md"))
            .filter(|path| own || is_within(path))
            .collect();
        found.sort();
        files.extend(found.into_iter().map(|path| (path, own)));
    }
    files
}
