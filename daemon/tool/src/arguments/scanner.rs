//! Rewrites sloppy JSON as strict JSON: strings stay as they are, everything between them becomes valid.
//!
//! Every method returns `None` if the text is invalid or ambiguous.

use std::collections::HashSet;

use super::ArgumentsCompleteness;
use super::repair::{Repair, note};

/// The depth limit of the strict parser.
const MAX_DEPTH: usize = 127;

pub(super) struct LenientJsonScanner<'a> {
    rest: &'a str,
    json: String,
    repairs: Vec<Repair>,
    depth: usize,
    /// The number of open lists. A list that breaks off cannot be repaired, because we do not know what is missing.
    lists: usize,
    /// A comment contains one.
    has_apostrophe: bool,
    ending: ArgumentsCompleteness,
}

impl<'a> LenientJsonScanner<'a> {
    pub(super) fn new(text: &'a str, ending: ArgumentsCompleteness) -> Self {
        Self {
            rest: text,
            json: String::new(),
            repairs: Vec::new(),
            depth: 0,
            lists: 0,
            has_apostrophe: false,
            ending,
        }
    }

    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// Whether text outside of the strings may belong to one: an apostrophe in single quotes would end a string early.
    pub(super) fn is_doubtful(&self, around: &str) -> bool {
        let has_apostrophe = self.has_apostrophe || around.contains('\'');
        has_apostrophe && self.repairs.contains(&Repair::Quotes)
    }

    pub(super) fn finish(self) -> (String, Vec<Repair>) {
        (self.json, self.repairs)
    }

    pub(super) fn object(&mut self) -> Option<()> {
        self.enter('{')?;
        let mut names = HashSet::new();
        loop {
            self.skip()?;
            if self.take('}') {
                break;
            }
            let start = self.json.len();
            self.name()?;
            // Two entries of one name are ambiguous.
            if !names.insert(self.json.get(start..)?.to_owned()) {
                return None;
            }
            self.skip()?;
            if !self.take(':') {
                return None;
            }
            self.json.push(':');
            self.skip()?;
            self.value()?;
            self.skip()?;
            if self.rest.is_empty() && self.lists == 0 && self.ending == ArgumentsCompleteness::Complete {
                note(&mut self.repairs, Repair::End);
                break;
            }
            if !self.comma('}')? {
                break;
            }
        }
        self.leave('}');
        Some(())
    }

    fn list(&mut self) -> Option<()> {
        self.enter('[')?;
        self.lists += 1;
        loop {
            self.skip()?;
            if self.take(']') {
                break;
            }
            self.value()?;
            self.skip()?;
            if !self.comma(']')? {
                break;
            }
        }
        self.lists -= 1;
        self.leave(']');
        Some(())
    }

    fn enter(&mut self, bracket: char) -> Option<()> {
        self.depth += 1;
        let fits = self.depth <= MAX_DEPTH && self.take(bracket);
        fits.then(|| self.json.push(bracket))
    }

    fn leave(&mut self, bracket: char) {
        self.depth -= 1;
        self.json.push(bracket);
    }

    /// Whether another entry follows. A single trailing comma is ignored.
    fn comma(&mut self, end: char) -> Option<bool> {
        if self.take(end) {
            return Some(false);
        }
        if !self.take(',') {
            return None;
        }
        self.skip()?;
        if self.take(end) {
            note(&mut self.repairs, Repair::TrailingComma);
            return Some(false);
        }
        self.json.push(',');
        // An entry must follow: neither a second comma nor the end of the text is one.
        (!self.rest.is_empty()).then_some(true)
    }

    fn name(&mut self) -> Option<()> {
        if self.rest.starts_with(['"', '\'']) {
            return self.string();
        }
        let is_first = |letter: char| letter.is_ascii_alphabetic() || letter == '_' || letter == '$';
        let is_inner = |letter: char| is_first(letter) || letter.is_ascii_digit() || letter == '-';
        let name = self.run(is_inner);
        if !name.starts_with(is_first) {
            return None;
        }
        self.json.push('"');
        self.json.push_str(name);
        self.json.push('"');
        note(&mut self.repairs, Repair::BareName);
        Some(())
    }

    fn value(&mut self) -> Option<()> {
        match self.rest.chars().next()? {
            '{' => self.object(),
            '[' => self.list(),
            '"' | '\'' => self.string(),
            '-' | '0'..='9' => self.number(),
            _ => self.word(),
        }
    }

    fn number(&mut self) -> Option<()> {
        let number = self.run(|letter| letter.is_ascii_digit() || "+-.eE".contains(letter));
        // A number at the end of the text may be incomplete.
        let is_whole = !self.rest.is_empty() && serde_json::from_str::<serde_json::Number>(number).is_ok();
        is_whole.then(|| self.json.push_str(number))
    }

    fn word(&mut self) -> Option<()> {
        let word = self.run(|letter| letter.is_alphanumeric() || letter == '_');
        let real = match word {
            "true" | "false" | "null" => word,
            "True" => "true",
            "False" => "false",
            "None" => "null",
            _ => return None,
        };
        if real != word {
            note(&mut self.repairs, Repair::Word);
        }
        self.json.push_str(real);
        Some(())
    }

    fn string(&mut self) -> Option<()> {
        let mut letters = self.rest.char_indices();
        let (_, quote) = letters.next()?;
        if quote == '\'' {
            note(&mut self.repairs, Repair::Quotes);
        }
        self.json.push('"');
        loop {
            match letters.next()? {
                (at, letter) if letter == quote => {
                    self.json.push('"');
                    self.rest = self.rest.get(at + 1..)?;
                    return Some(());
                }
                (_, '\\') => match letters.next()?.1 {
                    letter @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u') => {
                        self.json.extend(['\\', letter]);
                    }
                    '\'' => {
                        note(&mut self.repairs, Repair::Quotes);
                        self.json.push('\'');
                    }
                    _ => return None,
                },
                // Only between single quotes.
                (_, '"') => self.json.push_str("\\\""),
                (_, letter) if letter < ' ' => {
                    note(&mut self.repairs, Repair::RawControl);
                    self.json.push_str(&format!("\\u{:04x}", u32::from(letter)));
                }
                (_, letter) => self.json.push(letter),
            }
        }
    }

    /// Skips white space and comments. What looks like a comment may be the rest of a string that an inner quote ended, so a
    /// comment with a quote or without an end is rejected.
    fn skip(&mut self) -> Option<()> {
        loop {
            let blank = |letter: char| letter.is_whitespace() || letter == '\u{feff}';
            self.rest = self.rest.trim_start_matches(blank);
            let (comment, after) = if let Some(line) = self.rest.strip_prefix("//") {
                line.split_once('\n')?
            } else if let Some(block) = self.rest.strip_prefix("/*") {
                block.split_once("*/")?
            } else {
                return Some(());
            };
            if comment.contains('"') {
                return None;
            }
            self.has_apostrophe |= comment.contains('\'');
            note(&mut self.repairs, Repair::Comment);
            self.rest = after;
        }
    }

    fn take(&mut self, letter: char) -> bool {
        let rest = self.rest.strip_prefix(letter);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn run(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|letter: char| !belongs(letter)).unwrap_or(self.rest.len());
        let (run, rest) = self.rest.split_at(end);
        self.rest = rest;
        run
    }
}
