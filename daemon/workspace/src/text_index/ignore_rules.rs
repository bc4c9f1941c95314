//! Whether the rules that decide which files are ignored are still those of the listing.
//!
//! The watcher sees ignore files in the tree. It does not see those above the root, what is inside of `.git`, and what is written
//! through another name of a file; these are compared before each use of the index.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::ignore_files::git_rule_files;

/// The root and the ignore files that the watcher does not see, as they were.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct IgnoreRulesStamp {
    files: Vec<(Option<RuleFileStamp>, PathBuf)>,
}

/// Device, file, and what differs after every change of its content.
type RuleFileStamp = (u64, u64, (u64, i64, i64));

impl IgnoreRulesStamp {
    /// `repositories`: folders below the root with a `.git`. `linked`: ignore files below the root that have another name, too.
    pub(super) fn take(root: &Path, repositories: &BTreeSet<PathBuf>, linked: &BTreeSet<PathBuf>) -> Self {
        let mut files: Vec<_> = linked.iter().map(|file| root.join(file)).collect();
        for folder in root.ancestors().skip(1) {
            files.extend([".gitignore", ".ignore", ".jj"].map(|name| folder.join(name)));
        }
        let above = root.ancestors().skip(1).map(Path::to_owned);
        for folder in above.chain(repositories.iter().map(|folder| root.join(folder))) {
            let git = folder.join(".git");
            files.extend(git_rule_files(&git));
            files.push(git);
        }
        files.push(root.to_owned());
        Self { files: files.into_iter().map(|file| (stamp(&file), file)).collect() }
    }

    pub(super) fn is_current(&self) -> bool {
        self.files.iter().all(|(before, file)| stamp(file) == *before)
    }
}

fn stamp(path: &Path) -> Option<RuleFileStamp> {
    let found = fs::metadata(path).ok()?;
    // A folder's size and time change with each file in it.
    let content = if found.is_dir() { (0, 0, 0) } else { (found.size(), found.ctime(), found.ctime_nsec()) };
    Some((found.dev(), found.ino(), content))
}

/// Whether a change of this file changes which files are ignored.
pub(super) fn is_ignore_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == ".gitignore" || name == ".ignore")
}
