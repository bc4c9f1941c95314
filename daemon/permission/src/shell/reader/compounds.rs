//! Compound commands: groups, branches, loops, functions, `[[ … ]]`.

use super::{ReadResult, ScriptReader};
use crate::shell::unreadable::UnreadableCommandError;

/// Operators of `[[` that evaluate their operands as arithmetic, which may run commands in subscripts, or that
/// have a syntax of their own.
const UNSAFE_TESTS: [&str; 11] = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v", "-R", "-o", "-a", "=~"];

const UNREAD_WORDS: [&str; 4] = ["coproc", "select", "foreach", "end"];

impl ScriptReader<'_> {
    pub(super) fn read_command(&mut self) -> ReadResult<()> {
        self.nested(Self::read_command_inside)
    }

    fn read_command_inside(&mut self) -> ReadResult<()> {
        if UNREAD_WORDS.iter().any(|word| self.is_at_reserved(word)) || self.starts_with("((") {
            return Err(UnreadableCommandError::Syntax);
        }
        self.take_timing_keyword();
        let is_compound = if self.take("(") {
            self.read_list(&[])?;
            self.expect(")")?;
            true
        } else if self.take_reserved("{") {
            self.read_list(&["}"])?;
            true
        } else if self.take_reserved("if") {
            self.read_if()?;
            true
        } else if self.is_at_reserved("while") || self.is_at_reserved("until") {
            self.at += "while".len();
            self.repeated(|reader| {
                reader.read_list(&["do"])?;
                reader.read_list(&["done"])
            })?;
            true
        } else if self.take_reserved("for") {
            self.read_for()?;
            true
        } else if self.take_reserved("case") {
            self.read_case()?;
            true
        } else if self.take_reserved("function") {
            return self.read_function_keyword();
        } else if self.is_at_reserved("[[") {
            self.read_test()?;
            true
        } else {
            false
        };
        if !is_compound {
            return self.read_simple_command();
        }
        loop {
            self.skip_blanks();
            match self.read_redirect()? {
                Some(redirect) => self.script.group_redirects.push(redirect),
                None => return Ok(()),
            }
        }
    }

    /// `time` before a compound command is a keyword. Before a program it reads like a program, and is
    /// unwrapped as one.
    fn take_timing_keyword(&mut self) {
        let start = self.at;
        if self.take_reserved("time") {
            self.skip_blanks();
            if self.take_reserved("-p") {
                self.skip_blanks();
            }
            let compounds = ["{", "if", "while", "until", "for", "case", "[[", "!", "function"];
            while self.take_reserved("!") {
                self.skip_blanks();
            }
            if !self.starts_with("(") && !compounds.iter().any(|word| self.is_at_reserved(word)) {
                self.at = start;
            }
        }
    }

    pub(super) fn expect(&mut self, text: &str) -> ReadResult<()> {
        if self.take(text) { Ok(()) } else { Err(UnreadableCommandError::Syntax) }
    }

    fn repeated<T>(&mut self, read: impl FnOnce(&mut Self) -> ReadResult<T>) -> ReadResult<T> {
        self.repeats += 1;
        let outcome = read(self);
        self.repeats -= 1;
        outcome
    }

    fn read_if(&mut self) -> ReadResult<()> {
        loop {
            self.read_list(&["then"])?;
            match self.read_list(&["elif", "else", "fi"])? {
                "elif" => {}
                "else" => return self.read_list(&["fi"]).map(drop),
                _ => return Ok(()),
            }
        }
    }

    fn read_for(&mut self) -> ReadResult<()> {
        self.skip_blanks();
        self.read_name()?;
        self.skip_blanks_and_newlines()?;
        if self.take_reserved("in") {
            loop {
                self.skip_blanks();
                if self.read_word()?.is_none() {
                    break;
                }
            }
        }
        self.skip_blanks();
        self.take(";");
        self.skip_blanks_and_newlines()?;
        if !self.take_reserved("do") {
            return Err(UnreadableCommandError::Syntax);
        }
        self.repeated(|reader| reader.read_list(&["done"])).map(drop)
    }

    fn read_case(&mut self) -> ReadResult<()> {
        self.skip_blanks();
        self.read_word()?.ok_or(UnreadableCommandError::Syntax)?;
        self.skip_blanks_and_newlines()?;
        if !self.take_reserved("in") {
            return Err(UnreadableCommandError::Syntax);
        }
        loop {
            self.skip_blanks_and_newlines()?;
            if self.take_reserved("esac") {
                return Ok(());
            }
            self.take("(");
            loop {
                self.skip_blanks();
                self.read_word()?.ok_or(UnreadableCommandError::Syntax)?;
                self.skip_blanks();
                if !self.take("|") {
                    break;
                }
            }
            self.expect(")")?;
            if self.read_list(&[";;", "esac"])? == "esac" {
                return Ok(());
            }
        }
    }

    fn read_function_keyword(&mut self) -> ReadResult<()> {
        self.skip_blanks();
        self.read_word()?.ok_or(UnreadableCommandError::Syntax)?;
        self.skip_blanks();
        if self.take("(") {
            self.expect(")")?;
        }
        self.read_function_body()
    }

    /// The body is read as if it ran, because a later word may call it under any name.
    pub(super) fn read_function_body(&mut self) -> ReadResult<()> {
        self.skip_blanks_and_newlines()?;
        if !self.starts_with("(") && !self.is_at_reserved("{") {
            return Err(UnreadableCommandError::Syntax);
        }
        self.repeated(Self::read_command)
    }

    fn read_name(&mut self) -> ReadResult<()> {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let is_name = length > 0 && !rest.starts_with(|c: char| c.is_ascii_digit());
        self.at += length;
        if is_name { Ok(()) } else { Err(UnreadableCommandError::Syntax) }
    }

    fn read_test(&mut self) -> ReadResult<()> {
        let start = self.at;
        let slot = self.add_command()?;
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            if self.take("&&") || self.take("||") {
                continue;
            }
            let word = self.read_word()?.ok_or(UnreadableCommandError::Syntax)?;
            let is_end = word.text == "]]";
            if UNSAFE_TESTS.contains(&&*word.text) {
                return Err(UnreadableCommandError::Expansion);
            }
            words.push(word);
            if is_end {
                break;
            }
        }
        let source = self.text.get(start..self.at).unwrap_or_default().to_owned();
        if let Some(command) = self.script.commands.get_mut(slot) {
            command.source = source;
            command.words = words;
        }
        Ok(())
    }
}
