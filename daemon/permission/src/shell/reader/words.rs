//! Words: quotes, escapes, globs, braces, and process substitutions.

use super::{ReadResult, ScriptReader};
use crate::shell::script::ShellWord;
use crate::shell::unreadable::UnreadableCommandError;

/// A word while it is read.
#[derive(Default)]
pub(super) struct WordBuilder {
    text: String,
    value: String,
    is_computed: bool,
    has_brace: bool,
    has_brace_choice: bool,
}

impl WordBuilder {
    fn push(&mut self, c: char) {
        self.text.push(c);
        self.value.push(c);
    }

    /// An expansion: as written, and its value if that is known.
    pub(super) fn push_expansion(&mut self, source: &str, value: Option<&str>) {
        self.text.push_str(source);
        match value {
            Some(value) => self.value.push_str(value),
            None => self.is_computed = true,
        }
    }

    pub(super) fn push_literal(&mut self, text: &str) {
        self.text.push_str(text);
        self.value.push_str(text);
    }

    fn finish(self) -> ShellWord {
        let is_computed = self.is_computed || (self.has_brace && self.has_brace_choice);
        ShellWord { text: self.text, value: (!is_computed).then_some(self.value) }
    }
}

impl ScriptReader<'_> {
    /// Reads a word if one comes next.
    pub(super) fn read_word(&mut self) -> ReadResult<Option<ShellWord>> {
        let start = self.at;
        let mut word = WordBuilder::default();
        self.read_tilde(&mut word);
        // zsh replaces `=name` by the path of a program.
        word.is_computed |= self.starts_with("=");
        while let Some(c) = self.peek() {
            if matches!(c, '<' | '>') {
                if !self.starts_with("<(") && !self.starts_with(">(") {
                    // `{name}>file` opens a descriptor, and the next word is the program.
                    if self.text.get(start..self.at).is_some_and(|word| word.starts_with('{')) {
                        return Err(UnreadableCommandError::Redirection);
                    }
                    break;
                }
                self.read_process_substitution(&mut word)?;
                continue;
            }
            if " \t\n;&|()".contains(c) {
                break;
            }
            self.next();
            match c {
                '\'' => self.read_single_quotes(&mut word)?,
                '"' => self.read_double_quotes(&mut word)?,
                '`' => return Err(UnreadableCommandError::Backtick),
                '$' => self.read_dollar(&mut word, false)?,
                '\\' => match self.next() {
                    None => return Err(UnreadableCommandError::TrailingBackslash),
                    Some('\n') => {}
                    Some(c) => word.push(c),
                },
                c => {
                    word.is_computed |= matches!(c, '*' | '?' | '[') && !self.is_lone_bracket(start);
                    word.has_brace |= c == '{';
                    word.has_brace_choice |= c == ',' || (c == '.' && self.starts_with("."));
                    word.push(c);
                }
            }
        }
        Ok((self.at > start).then(|| word.finish()))
    }

    /// The builtins `[` and `[[` are no globs.
    fn is_lone_bracket(&self, start: usize) -> bool {
        let behind = self.text.get(start..).unwrap_or_default().trim_start_matches('[');
        behind.is_empty() || behind.starts_with([' ', '\t', '\n'])
    }

    fn read_tilde(&mut self, word: &mut WordBuilder) {
        if !self.starts_with("~") {
            return;
        }
        self.next();
        let is_home = self.peek().is_none_or(|c| c == '/' || " \t\n;&|)<>".contains(c));
        let home = self.known.home.filter(|_| is_home);
        word.push_expansion("~", home);
    }

    fn read_single_quotes(&mut self, word: &mut WordBuilder) -> ReadResult<()> {
        let rest = self.rest();
        let (literal, _) = rest.split_once('\'').ok_or(UnreadableCommandError::OpenQuote)?;
        self.at += literal.len() + 1;
        word.push_literal(literal);
        Ok(())
    }

    pub(super) fn read_double_quotes(&mut self, word: &mut WordBuilder) -> ReadResult<()> {
        loop {
            match self.next().ok_or(UnreadableCommandError::OpenQuote)? {
                '"' => return Ok(()),
                '`' => return Err(UnreadableCommandError::Backtick),
                '$' => self.read_dollar(word, true)?,
                '\\' => match self.next().ok_or(UnreadableCommandError::OpenQuote)? {
                    '\n' => {}
                    c @ ('$' | '`' | '"' | '\\') => word.push(c),
                    c => {
                        word.push('\\');
                        word.push(c);
                    }
                },
                c => word.push(c),
            }
        }
    }

    fn read_process_substitution(&mut self, word: &mut WordBuilder) -> ReadResult<()> {
        let start = self.at;
        self.at += 2;
        self.read_substituted_list()?;
        word.push_expansion(self.text.get(start..self.at).unwrap_or_default(), None);
        Ok(())
    }

    /// Reads the commands of a substitution, with its closing parenthesis.
    pub(super) fn read_substituted_list(&mut self) -> ReadResult<()> {
        let outer_documents = std::mem::take(&mut self.here_documents);
        self.nested(|reader| reader.read_list(&[]))?;
        self.expect(")")?;
        if !self.here_documents.is_empty() {
            return Err(UnreadableCommandError::HereDocument);
        }
        self.here_documents = outer_documents;
        Ok(())
    }
}
