//! The system prompt: who the model is, where it works, and what the project says.
//!
//! Stable within a session, most stable first, so that a provider's cache can serve it: nothing here changes from one
//! request to the next. Everything in it has a cap.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// What is read of one file of instructions, in bytes.
const LONGEST: u64 = 64 * 1024;

/// What a session is told at its beginning.
#[derive(Debug, Clone)]
pub struct Surroundings {
    pub folder: PathBuf,
    /// `2026-11-15`
    pub today: String,
    pub platform: String,
    pub is_repository: bool,
    /// Files that speak to the model, from the outermost folder to the innermost, and those the configuration names.
    pub instructions: Vec<(PathBuf, String)>,
}

pub fn system(agent_prompt: &str, surroundings: &Surroundings) -> Vec<String> {
    let Surroundings { folder, today, platform, is_repository, instructions } = surroundings;
    let repository = if *is_repository { "yes" } else { "no" };
    let environment = format!(
        "Workspace: {}\nGit repository: {repository}\nPlatform: {platform}\nToday: {today}",
        folder.display()
    );
    let mut blocks = vec![agent_prompt.to_owned()];
    for (path, text) in instructions {
        blocks.push(format!("Instructions from {}:\n\n{text}", path.display()));
    }
    blocks.push(environment);
    blocks
}

/// The files that speak to a model in the folders from `root` down to `folder`: `AGENTS.md`, else `CLAUDE.md`.
pub fn instruction_files(root: &Path, folder: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<_> = folder.ancestors().take_while(|ancestor| ancestor.starts_with(root)).collect();
    folders.reverse();
    let in_folder = |folder: &&Path| {
        ["AGENTS.md", "CLAUDE.md"].iter().map(|name| folder.join(name)).find(|path| path.is_file())
    };
    folders.iter().filter_map(in_folder).collect()
}

/// The text of such a file, cut where it is too long. What cannot be read is left out: a model works without it.
pub fn read_instructions(path: &Path) -> Option<String> {
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(LONGEST + 1).read_to_end(&mut bytes).ok()?;
    let is_cut = bytes.len() as u64 > LONGEST;
    let text = String::from_utf8_lossy(&bytes).trim_end().to_owned();
    let note = if is_cut { "\n[The rest of this file is left out: it is too long.]" } else { "" };
    Some(format!("{text}{note}")).filter(|text| !text.is_empty())
}
