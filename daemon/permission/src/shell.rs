//! Reads a shell command into what it will run, so that rules decide about the command as it is understood and
//! not as it is written.
//!
//! [`read_command`] names every simple command: in lists, pipelines, groups, loops, functions, substitutions
//! and here-documents, and behind programs that run their arguments. Each becomes a [`CommandPattern`], and the
//! ask is allowed only if each is. What it does not understand becomes one pattern for the whole text, which no
//! rule about the beginning allows.
//!
//! Pure: it gives the paths that a command names, and the caller resolves them.
//!
//! Invariant: a command that the shell may run is never missing among the patterns of a command that was
//! understood.

mod always_offer;
mod changing_commands;
mod command_words;
mod file_paths;
mod git_commands;
mod inner_commands;
mod network_commands;
mod program_name;
mod reader;
mod reading_commands;
mod reading_table;
mod risks;
mod risky_options;
mod script;
mod script_texts;
mod spellings;
mod understand;
mod unreadable;
mod variables;
mod wrappers;

pub use unreadable::UnreadableCommandError;

use crate::CommandPattern;

#[cfg(test)]
mod tests;

/// Longer commands are asked for unread.
pub(crate) const MAX_COMMAND_BYTES: usize = 64 * 1024;

/// Where a command runs.
#[derive(Debug, Clone, Copy, Default)]
pub struct ShellPlace<'a> {
    pub home: Option<&'a str>,
    /// Absolute.
    pub working_folder: Option<&'a str>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandReading {
    /// Each must be allowed.
    pub commands: Vec<CommandPattern>,
    /// Files and folders that the command names, absolute or relative to the working folder, links not
    /// resolved. Words that only look like a path are among them.
    pub paths: Vec<String>,
    /// What "always" may allow: nothing if any command is not plain.
    pub always: Vec<String>,
    /// Folders, as `paths`, of which a command that only reads shows every file.
    pub searched_folders: Vec<String>,
    /// A command that only reads obeys the configuration of the repository that it runs in. Where that may
    /// name a program, call [`CommandReading::ask_for_git`].
    pub reads_git: bool,
    /// Why it is asked for as a whole.
    pub unreadable: Option<UnreadableCommandError>,
}

impl CommandReading {
    /// Whether nothing of it does more than read.
    pub fn only_reads(&self) -> bool {
        self.commands.iter().all(CommandPattern::only_reads)
    }

    /// Counts its commands as commands that may do more than read.
    pub fn ask_for_all(&mut self) {
        for command in &mut self.commands {
            *command = command.clone().reading(false);
        }
    }

    /// Counts its commands of git as commands that may do more than read.
    fn ask_for_git(&mut self) {
        self.reads_git = false;
        for command in &mut self.commands {
            let is_git = command.text == "git" || command.text.starts_with("git ");
            *command = command.clone().reading(command.only_reads() && !is_git);
        }
    }
}

pub fn read_command(command: &str, place: ShellPlace<'_>) -> CommandReading {
    understand::understand_command(command, place).unwrap_or_else(|error| CommandReading {
        commands: vec![CommandPattern::unread(command)],
        paths: Vec::new(),
        always: Vec::new(),
        searched_folders: Vec::new(),
        reads_git: false,
        unreadable: Some(error),
    })
}
