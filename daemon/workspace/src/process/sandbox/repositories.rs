//! Finds the repositories of a workspace: their hooks and their configuration run programs.
//!
//! Breadth first and with a limit, so that a large workspace costs no more than a limited one. Ignored folders are searched too; links are
//! not followed.

use std::{
    collections::{BTreeSet, VecDeque},
    fs,
    path::{Path, PathBuf},
};

use super::folder_memory::{DotGit, FolderMemory};

/// How many folders are looked into.
const MAX_FOLDERS: usize = 4000;
const MAX_CONFIG_BYTES: u64 = 256 * 1024;

/// What a search of a workspace found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RepositorySearch {
    /// Folders with a `.git`, and bare repositories by their own folder.
    pub(super) repositories: BTreeSet<PathBuf>,
    /// Git folders: `.git`, bare repositories, and those of submodules inside them.
    pub(super) git_folders: BTreeSet<PathBuf>,
    /// Git folders with a `commondir`: it makes git read another folder's configuration.
    pub(super) redirected: BTreeSet<PathBuf>,
    /// There are more folders than were looked into.
    pub(super) is_cut: bool,
}

impl RepositorySearch {
    pub(super) fn run(workspace: &Path, memory: &mut FolderMemory) -> Self {
        let mut search = Self::default();
        let mut waiting = VecDeque::from([workspace.to_path_buf()]);
        let mut seen = 0;
        while let Some(folder) = waiting.pop_front() {
            seen += 1;
            if seen > MAX_FOLDERS {
                search.is_cut = true;
                break;
            }
            let Some(listing) = memory.list(&folder) else { continue };
            if let Some(dot_git) = listing.dot_git {
                search.repositories.insert(folder.clone());
                if dot_git == DotGit::Folder {
                    search.add_git_folder(folder.join(".git"));
                }
            }
            if listing.is_bare {
                search.repositories.insert(folder.clone());
                search.add_git_folder(folder);
            } else {
                waiting.extend(listing.folders.iter().map(|name| folder.join(name)));
            }
        }
        memory.end_search();
        search
    }

    pub(super) fn add_git_folder(&mut self, folder: PathBuf) {
        if folder.join("commondir").symlink_metadata().is_ok() {
            self.redirected.insert(folder.clone());
        }
        // Those of submodules, which may have submodules.
        let mut waiting = vec![folder.join("modules")];
        while let Some(modules) = waiting.pop() {
            for module in fs::read_dir(&modules).into_iter().flatten().flatten() {
                let path = module.path();
                let is_folder = module.file_type().is_ok_and(|kind| kind.is_dir());
                if !is_folder || self.git_folders.len() >= MAX_FOLDERS {
                    continue;
                }
                // A submodule's name may contain slashes.
                if path.join("HEAD").is_file() {
                    waiting.push(path.join("modules"));
                    self.git_folders.insert(path);
                } else {
                    waiting.push(path);
                }
            }
        }
        self.git_folders.insert(folder);
    }
}

/// The git folders outside of `workspace` that git needs to write to when it works there: of the repository around it, and of the
/// repository that it is a linked worktree of.
pub(super) fn outer_git_folders(workspace: &Path) -> Vec<PathBuf> {
    let dot_git = workspace.join(".git");
    match dot_git.symlink_metadata() {
        Ok(found) if found.is_file() => worktree_folder(&dot_git).into_iter().collect(),
        Ok(_) => Vec::new(),
        Err(_) => {
            let around = workspace.ancestors().skip(1).map(|folder| folder.join(".git"));
            around
                .into_iter()
                .find(|folder| folder.symlink_metadata().is_ok_and(|found| found.is_dir()))
                .into_iter()
                .collect()
        }
    }
}

/// The common git folder of a linked worktree. A command could have written the file, so the other side must name the worktree, too.
fn worktree_folder(dot_git: &Path) -> Option<PathBuf> {
    let text = read_small(dot_git)?;
    let own = dot_git.parent()?.join(text.strip_prefix("gitdir:")?.trim()).canonicalize().ok()?;
    let back = PathBuf::from(read_small(&own.join("gitdir"))?.trim());
    if back.canonicalize().ok()? != dot_git.canonicalize().ok()? {
        return None;
    }
    let common = own.join(read_small(&own.join("commondir"))?.trim()).canonicalize().ok()?;
    common.join("HEAD").is_file().then_some(common)
}

/// Files and folders that the configuration in a git folder makes git read or run, as far as they are named plainly.
pub(super) fn named_by_configuration(git_folder: &Path) -> Vec<PathBuf> {
    let Some(text) = read_small(&git_folder.join("config")) else { return Vec::new() };
    let above = git_folder.parent().unwrap_or(git_folder);
    let values = text.lines().filter_map(|line| {
        let (key, value) = line.split_once('=')?;
        let key = key.trim().to_ascii_lowercase();
        let value = value.trim().trim_matches('"');
        match key.as_str() {
            // Relative to the worktree.
            "hookspath" => Some(above.join(value)),
            // Of `include`: relative to the file.
            "path" => Some(git_folder.join(value)),
            _ => None,
        }
    });
    values.filter_map(|path| path.canonicalize().ok()).collect()
}

fn read_small(path: &Path) -> Option<String> {
    let found = path.symlink_metadata().ok()?;
    (found.is_file() && found.len() <= MAX_CONFIG_BYTES).then(|| fs::read_to_string(path).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn repositories_of_every_kind_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for path in [
            ".git/HEAD",
            ".git/modules/a/b/HEAD",
            ".git/modules/a/b/modules/c/HEAD",
            "node_modules/x/deep/.git/HEAD",
            "bare.git/HEAD",
            "bare.git/objects/x",
            "bare.git/refs/x",
            "work/.git/commondir",
        ] {
            put(&root, path, "");
        }
        put(&root, "sub/.git", "gitdir: ../.git/modules/a/b");
        let found = RepositorySearch::run(&root, &mut FolderMemory::default());
        let below = |paths: &BTreeSet<PathBuf>| {
            paths
                .iter()
                .map(|path| path.strip_prefix(&root).unwrap().display().to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(below(&found.repositories), ["", "bare.git", "node_modules/x/deep", "sub", "work"]);
        assert_eq!(
            below(&found.git_folders),
            [
                ".git",
                ".git/modules/a/b",
                ".git/modules/a/b/modules/c",
                "bare.git",
                "node_modules/x/deep/.git",
                "work/.git"
            ]
        );
        assert_eq!(below(&found.redirected), ["work/.git"]);
        assert!(!found.is_cut);
    }

    #[test]
    fn a_worktree_is_followed_only_if_its_repository_knows_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        put(&root, "main/.git/HEAD", "");
        put(&root, "main/.git/worktrees/w/commondir", "../..\n");
        let own = root.join("main/.git/worktrees/w");
        put(&root, "w/.git", &format!("gitdir: {}\n", own.display()));
        put(&root, "w/inner/file", "");
        put(&own, "gitdir", "/elsewhere/.git\n");
        assert!(outer_git_folders(&root.join("w")).is_empty());
        put(&own, "gitdir", &format!("{}\n", root.join("w/.git").display()));
        assert_eq!(outer_git_folders(&root.join("w")), [root.join("main/.git")]);
        put(&root, "main/src/file", "");
        assert_eq!(outer_git_folders(&root.join("main/src")), [root.join("main/.git")]);
        assert!(outer_git_folders(&root.join("main")).is_empty());
    }

    #[test]
    fn what_a_configuration_names_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        put(&root, ".husky/pre-commit", "");
        put(&root, ".gitshared", "");
        put(&root, ".git/config", "[core]\n\thooksPath = .husky\n[include]\n\tpath = ../.gitshared\n");
        assert_eq!(
            named_by_configuration(&root.join(".git")),
            [root.join(".husky"), root.join(".gitshared")]
        );
    }
}
