//! Reads the text of a command into a [`ShellScript`], or refuses it as a whole.
//!
//! The grammar is the part of bash that dash, ksh and zsh read in the same way. Everything else is refused:
//! arrays, arithmetic with names, `coproc`, `select`, `$"…"`, indirect and computed expansions, extended globs,
//! backticks. A guess would hide a command from the rules.
//!
//! ```text
//! list      pipeline ((&& | || | ; | & | newline) pipeline)*
//! pipeline  !* command ((| | |&) command)*
//! command   simple | ( list ) | { list } | if | for | while | until | case | [[ … ]] | name() command
//! simple    (assignment | redirect)* word (word | redirect)*
//! ```

mod compounds;
mod expansions;
mod here_documents;
mod lists;
mod redirects;
mod simple_commands;
mod words;

use super::script::{ShellScript, SimpleCommand};
use super::unreadable::UnreadableCommandError;
use here_documents::PendingHereDocument;

type ReadResult<T> = Result<T, UnreadableCommandError>;

/// More is not a command that a user can judge.
const MAX_COMMANDS: usize = 512;
const MAX_DEPTH: usize = 32;

/// What `$HOME` and `$PWD` stand for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct KnownVariables<'a> {
    pub(crate) home: Option<&'a str>,
    pub(crate) working_folder: Option<&'a str>,
}

pub(crate) fn read_script(text: &str, known: KnownVariables<'_>) -> ReadResult<ShellScript> {
    check_characters(text)?;
    let mut reader = ScriptReader {
        text,
        at: 0,
        known,
        script: ShellScript::default(),
        here_documents: Vec::new(),
        depth: 0,
        repeats: 0,
    };
    reader.read_list(&[])?;
    if reader.peek().is_some() || !reader.here_documents.is_empty() {
        return Err(UnreadableCommandError::Syntax);
    }
    // Assignments leave an empty slot.
    reader.script.commands.retain(|command| !command.words.is_empty());
    Ok(reader.script)
}

/// Rejects what a user cannot see, and what shells take for a blank in different ways.
fn check_characters(text: &str) -> ReadResult<()> {
    if text.len() > super::MAX_COMMAND_BYTES {
        return Err(UnreadableCommandError::TooLong);
    }
    let is_hidden = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || (c.is_whitespace() && !c.is_ascii())
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
            || matches!(c, '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
            || matches!(c, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{2800}')
    };
    if text.chars().any(is_hidden) { Err(UnreadableCommandError::HiddenCharacters) } else { Ok(()) }
}

struct ScriptReader<'a> {
    text: &'a str,
    at: usize,
    known: KnownVariables<'a>,
    script: ShellScript,
    /// Their bodies begin on the next line.
    here_documents: Vec<PendingHereDocument>,
    depth: usize,
    /// How many loops and functions are around.
    repeats: usize,
}

impl<'a> ScriptReader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn starts_with(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Takes the text if it comes next.
    fn take(&mut self, text: &str) -> bool {
        let is_next = self.starts_with(text);
        if is_next {
            self.at += text.len();
        }
        is_next
    }

    fn skip_blanks(&mut self) {
        while self.take(" ") || self.take("\t") || self.take("\\\n") {}
        if self.starts_with("#") {
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    /// Takes a line break, and the here-documents that begin behind it.
    fn take_newline(&mut self) -> ReadResult<bool> {
        if !self.take("\n") {
            return Ok(false);
        }
        self.read_here_documents()?;
        Ok(true)
    }

    fn skip_blanks_and_newlines(&mut self) -> ReadResult<()> {
        loop {
            self.skip_blanks();
            if !self.take_newline()? {
                return Ok(());
            }
        }
    }

    /// Runs a part of the grammar one level deeper.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> ReadResult<T>) -> ReadResult<T> {
        if self.depth == MAX_DEPTH {
            return Err(UnreadableCommandError::TooDeep);
        }
        self.depth += 1;
        let outcome = read(self);
        self.depth -= 1;
        outcome
    }

    /// Makes the slot of a command, before those in its substitutions.
    fn add_command(&mut self) -> ReadResult<usize> {
        if self.script.commands.len() == MAX_COMMANDS {
            return Err(UnreadableCommandError::TooMany);
        }
        let is_repeated = self.repeats > 0;
        self.script.commands.push(SimpleCommand { is_repeated, ..SimpleCommand::default() });
        Ok(self.script.commands.len() - 1)
    }
}
