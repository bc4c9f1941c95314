//! The system prompt: the agent's role, the environment, and the project's instructions.
//!
//! It does not change within a session, and its most stable part comes first, for the provider's cache. Everything in it has
//! a cap.

mod instruction_patterns;

use std::io::Read as _;
use std::path::{Path, PathBuf};

use copydesk_workspace::real_file::open_regular_file;

pub use instruction_patterns::{InstructionMatches, match_instruction_files};

/// The cap of one instruction file, in bytes.
pub const MAX_INSTRUCTIONS_BYTES: usize = 64 * 1024;

/// The contents of the system prompt.
#[derive(Debug, Clone)]
pub struct PromptEnvironment {
    pub folder: PathBuf,
    /// Other folders that the user has open in the same editor.
    pub other_folders: Vec<PathBuf>,
    /// `2026-11-15`
    pub today: String,
    pub platform: String,
    pub is_repository: bool,
    /// Instruction files from the outermost folder to the innermost, then files and URLs of the configuration.
    pub instructions: Vec<(PathBuf, String)>,
}

pub fn build_system_prompt(agent_prompt: &str, surroundings: &PromptEnvironment) -> Vec<String> {
    let PromptEnvironment { folder, other_folders, today, platform, is_repository, instructions } =
        surroundings;
    let repository = if *is_repository { "yes" } else { "no" };
    let mut environment = format!(
        "Workspace: {}\nGit repository: {repository}\nPlatform: {platform}\nToday: {today}",
        folder.display()
    );
    let others: Vec<_> = other_folders.iter().map(|other| other.display().to_string()).collect();
    if !others.is_empty() {
        let others = others.join("\n");
        environment.push_str(&format!(
            "\nThe user also has these folders open; name their files by absolute paths:\n{others}"
        ));
    }
    let mut blocks = vec![agent_prompt.to_owned()];
    for (path, text) in instructions {
        blocks.push(format!("Instructions from {}:\n\n{text}", path.display()));
    }
    blocks.push(environment);
    blocks
}

/// The instruction files in the folders from `root` down to `folder`: `AGENTS.md`, else `CLAUDE.md`. Skips a symlink out of
/// `root`, by which a repository could make a model read other files.
pub fn instruction_files(root: &Path, folder: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<_> = folder.ancestors().take_while(|ancestor| ancestor.starts_with(root)).collect();
    folders.reverse();
    let real_root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let is_own =
        |path: &PathBuf| path.is_file() && path.canonicalize().is_ok_and(|real| real.starts_with(&real_root));
    let in_folder =
        |folder: &&Path| ["AGENTS.md", "CLAUDE.md"].iter().map(|name| folder.join(name)).find(is_own);
    folders.iter().filter_map(in_folder).collect()
}

/// The text of an instruction file, capped. None if it cannot be read, or is not `within` that folder now: the model works
/// without it.
pub fn read_instructions(path: &Path, within: Option<&Path>) -> Option<String> {
    let real = path.canonicalize().ok()?;
    if let Some(root) = within
        && !real.starts_with(root.canonicalize().ok()?)
    {
        return None;
    }
    let mut bytes = Vec::new();
    let (file, _) = open_regular_file(&real).ok()?;
    file.take(MAX_INSTRUCTIONS_BYTES as u64 + 1).read_to_end(&mut bytes).ok()?;
    let is_cut = bytes.len() > MAX_INSTRUCTIONS_BYTES;
    bytes.truncate(MAX_INSTRUCTIONS_BYTES);
    truncate_instructions(String::from_utf8_lossy(&bytes).into_owned(), is_cut)
}

/// Instructions with a note if they are cut; none if they are empty.
pub fn truncate_instructions(text: String, is_cut: bool) -> Option<String> {
    let note = if is_cut { "\n[The rest of this text is left out: it is too long.]" } else { "" };
    Some(format!("{}{note}", text.trim_end())).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_out_of_the_workspace_does_not_speak_to_a_model() {
        let folder = tempfile::tempdir().unwrap();
        let (root, deep) = (folder.path().join("work"), folder.path().join("work/deep"));
        fs::create_dir_all(&deep).unwrap();
        fs::write(folder.path().join("secret"), "key").unwrap();
        fs::write(root.join("rules.md"), "own").unwrap();
        symlink("../secret", root.join("AGENTS.md")).unwrap();
        symlink("../rules.md", deep.join("AGENTS.md")).unwrap();
        assert_eq!(instruction_files(&root, &deep), [deep.join("AGENTS.md")]);
        let read = |path: &str, within| read_instructions(&root.join(path), within);
        assert_eq!(read("deep/AGENTS.md", Some(root.as_path())).as_deref(), Some("own"));
        assert_eq!(read("AGENTS.md", Some(root.as_path())), None);
        assert_eq!(read("AGENTS.md", None).as_deref(), Some("key"));
    }
}
