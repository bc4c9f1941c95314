//! What begins with `$`.

use super::words::WordBuilder;
use super::{ReadResult, ScriptReader};
use crate::shell::unreadable::UnreadableCommandError;

impl ScriptReader<'_> {
    /// Reads what stands behind a `$` that was taken.
    pub(super) fn read_dollar(&mut self, word: &mut WordBuilder, is_quoted: bool) -> ReadResult<()> {
        let start = self.at - 1;
        let mut value = None;
        match self.peek() {
            Some('(') if self.take("((") => self.read_arithmetic()?,
            Some('(') => {
                self.next();
                self.read_substituted_list()?;
            }
            Some('{') => {
                self.next();
                value = self.read_parameter(is_quoted)?;
            }
            Some('\'') if !is_quoted => {
                self.next();
                return self.read_escaped_quotes(word);
            }
            Some('"') if !is_quoted => return Err(UnreadableCommandError::Expansion),
            Some('[') => return Err(UnreadableCommandError::Expansion),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let name = self.read_variable_name();
                value = self.known_value(&name, is_quoted);
            }
            Some(c) if c.is_ascii_digit() || "?$!#@*-".contains(c) => drop(self.next()),
            _ => {
                word.push_literal("$");
                return Ok(());
            }
        }
        word.push_expansion(self.text.get(start..self.at).unwrap_or_default(), value.as_deref());
        Ok(())
    }

    fn read_variable_name(&mut self) -> String {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default().to_owned()
    }

    fn known_value(&self, name: &str, is_quoted: bool) -> Option<String> {
        let value = match name {
            "HOME" => self.known.home,
            "PWD" => self.known.working_folder,
            _ => None,
        };
        // Without quotes, the shell splits and expands the value.
        let is_one_word = |value: &&str| is_quoted || !value.contains([' ', '\t', '\n', '*', '?', '[', '\\']);
        value.filter(is_one_word).map(str::to_owned)
    }

    /// Only numbers: the value of a name may be an expression with a subscript, which runs commands.
    fn read_arithmetic(&mut self) -> ReadResult<()> {
        let (expression, _) = self.rest().split_once("))").ok_or(UnreadableCommandError::Expansion)?;
        let is_number = |c: char| c.is_ascii_digit() || " +-*/%<>=&|^!?:,()".contains(c);
        if !expression.chars().all(is_number) {
            return Err(UnreadableCommandError::Expansion);
        }
        self.at += expression.len() + 2;
        Ok(())
    }

    /// `$'…'`, with the escapes that every shell reads alike. dash does not know this quote at all, and reads
    /// it as `$` and a plain quote, which ends at the same place unless a quote is escaped.
    fn read_escaped_quotes(&mut self, word: &mut WordBuilder) -> ReadResult<()> {
        loop {
            let c = match self.next().ok_or(UnreadableCommandError::OpenQuote)? {
                '\'' => return Ok(()),
                '\\' => match self.next() {
                    Some('n') => '\n',
                    Some('t') => '\t',
                    Some('\\') if !self.starts_with("'") => '\\',
                    _ => return Err(UnreadableCommandError::Expansion),
                },
                c => c,
            };
            word.push_literal(c.encode_utf8(&mut [0; 4]));
        }
    }

    /// `${…}`. Refused: indirection, subscripts, `@` operators, assignments, and offsets that are no numbers.
    fn read_parameter(&mut self, is_quoted: bool) -> ReadResult<Option<String>> {
        if self.take("#") {
            let name = self.read_variable_name();
            return if !name.is_empty() && self.take("}") {
                Ok(None)
            } else {
                Err(UnreadableCommandError::Expansion)
            };
        }
        let name = self.read_variable_name();
        if name.is_empty() && !matches!(self.next(), Some('@' | '*' | '?')) {
            return Err(UnreadableCommandError::Expansion);
        }
        if self.take("}") {
            return Ok(self.known_value(&name, is_quoted));
        }
        if self.take(":") && self.peek().is_some_and(|c| c.is_ascii_digit()) {
            let rest = self.rest();
            let length = rest.find(|c: char| !c.is_ascii_digit() && c != ':').unwrap_or(rest.len());
            self.at += length;
            return if self.take("}") { Ok(None) } else { Err(UnreadableCommandError::Expansion) };
        }
        match self.next() {
            Some('-' | '+' | '?' | '#' | '%' | '/' | ',' | '^') => {
                self.read_operand(is_quoted).map(|()| None)
            }
            _ => Err(UnreadableCommandError::Expansion),
        }
    }

    /// The word of an expansion, up to its `}`.
    fn read_operand(&mut self, is_quoted: bool) -> ReadResult<()> {
        let mut ignored = WordBuilder::default();
        loop {
            if self.starts_with("<(") || self.starts_with(">(") {
                return Err(UnreadableCommandError::Expansion);
            }
            match self.next().ok_or(UnreadableCommandError::Expansion)? {
                '}' => return Ok(()),
                '`' => return Err(UnreadableCommandError::Backtick),
                '$' => self.nested(|reader| reader.read_dollar(&mut ignored, is_quoted))?,
                '\\' => drop(self.next()),
                '"' if !is_quoted => self.read_double_quotes(&mut ignored)?,
                // Shells disagree about quotes and braces here.
                '\'' | '"' | '{' | '\n' => return Err(UnreadableCommandError::Expansion),
                _ => {}
            }
        }
    }
}
