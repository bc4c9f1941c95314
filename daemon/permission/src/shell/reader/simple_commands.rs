//! Simple commands, and the definitions of functions that begin like one.

use super::{ReadResult, ScriptReader};
use crate::shell::script::{SimpleCommand, VariableAssignment};
use crate::shell::unreadable::UnreadableCommandError;

const MAX_WORDS: usize = 1024;

impl ScriptReader<'_> {
    pub(super) fn read_simple_command(&mut self) -> ReadResult<()> {
        let start = self.at;
        let slot = self.add_command()?;
        let mut command = SimpleCommand::default();
        let mut end = start;
        loop {
            self.skip_blanks();
            if let Some(redirect) = self.read_redirect()? {
                command.redirects.push(redirect);
            } else if command.words.is_empty() && self.is_at_assignment()? {
                command.assignments.push(self.read_assignment()?);
            } else if let Some(word) = self.read_word()? {
                command.words.push(word);
                if command.words.len() > MAX_WORDS {
                    return Err(UnreadableCommandError::TooMany);
                }
                if command.words.len() == 1 && self.is_at_parameters() {
                    if end != start {
                        return Err(UnreadableCommandError::Syntax);
                    }
                    return self.read_function_body();
                }
            } else {
                break;
            }
            end = self.at;
        }
        if end == start {
            return Err(UnreadableCommandError::Syntax);
        }
        command.source = self.text.get(start..end).unwrap_or_default().to_owned();
        self.finish_command(slot, command)
    }

    fn finish_command(&mut self, slot: usize, command: SimpleCommand) -> ReadResult<()> {
        if command.words.is_empty() {
            self.script.assignments.extend(command.assignments);
            self.script.group_redirects.extend(command.redirects);
            return Ok(());
        }
        if command.words.first().is_some_and(|name| name.value.is_none()) {
            return Err(UnreadableCommandError::ComputedName);
        }
        if let Some(place) = self.script.commands.get_mut(slot) {
            *place = SimpleCommand { is_repeated: place.is_repeated, ..command };
        }
        Ok(())
    }

    /// Takes the `()` of a function's definition.
    fn is_at_parameters(&mut self) -> bool {
        let start = self.at;
        self.skip_blanks();
        if self.take("(") {
            self.skip_blanks();
            if self.take(")") {
                return true;
            }
        }
        self.at = start;
        false
    }

    /// `NAME=` or `NAME+=`. Subscripts and arrays are refused: a subscript may run commands.
    fn is_at_assignment(&self) -> ReadResult<bool> {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        if length == 0 || rest.starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(false);
        }
        let behind = rest.get(length..).unwrap_or_default();
        let value = behind.strip_prefix("+=").or_else(|| behind.strip_prefix('='));
        if behind.starts_with('[') || value.is_some_and(|value| value.starts_with('(')) {
            return Err(UnreadableCommandError::Syntax);
        }
        Ok(value.is_some())
    }

    fn read_assignment(&mut self) -> ReadResult<VariableAssignment> {
        let rest = self.rest();
        let (name, _) = rest.split_once('=').ok_or(UnreadableCommandError::Syntax)?;
        self.at += name.len() + 1;
        let name = name.trim_end_matches('+').to_owned();
        let value = self.read_word()?.unwrap_or_default();
        Ok(VariableAssignment { name, value })
    }
}
