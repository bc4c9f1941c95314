//! Lists and pipelines.

use super::{ReadResult, ScriptReader};
use crate::shell::unreadable::UnreadableCommandError;

/// Words that end a list where a command may begin.
const CLOSERS: [&str; 9] = ["then", "elif", "else", "fi", "do", "done", "esac", "}", ";;"];

impl ScriptReader<'_> {
    /// Reads commands up to one of the closing words, which it takes and returns. Without closing words, up to
    /// the end of the text or to `)`, which it leaves.
    pub(super) fn read_list(&mut self, closers: &[&'static str]) -> ReadResult<&'static str> {
        let mut is_empty = true;
        loop {
            self.skip_blanks_and_newlines()?;
            if let Some(closer) = closers.iter().find(|closer| self.is_at_closer(closer)) {
                if is_empty && *closer != ";;" && *closer != "esac" {
                    return Err(UnreadableCommandError::Syntax);
                }
                self.at += closer.len();
                return Ok(closer);
            }
            if matches!(self.peek(), None | Some(')')) {
                return if closers.is_empty() { Ok("") } else { Err(UnreadableCommandError::Syntax) };
            }
            if CLOSERS.iter().any(|closer| self.is_at_closer(closer)) {
                return Err(UnreadableCommandError::Syntax);
            }
            self.read_and_or()?;
            is_empty = false;
            self.skip_blanks();
            let is_closed = matches!(self.peek(), None | Some(')'))
                || (self.starts_with(";;") && closers.contains(&";;"));
            if !is_closed && !self.take_separator()? {
                return Err(UnreadableCommandError::Syntax);
            }
        }
    }

    fn take_separator(&mut self) -> ReadResult<bool> {
        if self.starts_with(";;")
            || self.starts_with("&&")
            || self.starts_with(";&")
            || self.starts_with("&|")
        {
            return Ok(false);
        }
        Ok(self.take(";") || self.take("&") || self.take_newline()?)
    }

    fn is_at_closer(&self, closer: &str) -> bool {
        if closer == ";;" {
            self.starts_with(";;") && !self.starts_with(";;&")
        } else {
            self.is_at_reserved(closer)
        }
    }

    /// Whether this reserved word comes next, as a whole word.
    pub(super) fn is_at_reserved(&self, word: &str) -> bool {
        let behind = self.rest().strip_prefix(word);
        behind.is_some_and(|rest| rest.chars().next().is_none_or(|c| " \t\n;&|()<>".contains(c)))
    }

    pub(super) fn take_reserved(&mut self, word: &str) -> bool {
        self.is_at_reserved(word) && self.take(word)
    }

    fn read_and_or(&mut self) -> ReadResult<()> {
        self.read_pipeline()?;
        loop {
            self.skip_blanks();
            if !self.take("&&") && !self.take("||") {
                return Ok(());
            }
            self.skip_blanks_and_newlines()?;
            self.read_pipeline()?;
        }
    }

    fn read_pipeline(&mut self) -> ReadResult<()> {
        loop {
            self.skip_blanks();
            if self.take_reserved("!") {
                continue;
            }
            self.read_command()?;
            self.skip_blanks();
            if self.starts_with("||") || !(self.take("|&") || self.take("|")) {
                return Ok(());
            }
            self.skip_blanks_and_newlines()?;
        }
    }
}
