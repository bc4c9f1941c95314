//! Here-documents. Their bodies begin on the line after the operator.

use super::{ReadResult, ScriptReader};
use crate::shell::unreadable::UnreadableCommandError;

pub(super) struct PendingHereDocument {
    delimiter: String,
    /// A quoted delimiter: nothing in the body is expanded.
    is_literal: bool,
    strips_tabs: bool,
}

impl ScriptReader<'_> {
    /// Reads what stands behind `<<`. Only a plain word or a fully quoted one is a delimiter: shells disagree
    /// about others.
    pub(super) fn read_here_document_start(&mut self) -> ReadResult<()> {
        let strips_tabs = self.take("-");
        while self.take(" ") || self.take("\t") {}
        let quote = ['\'', '"'].into_iter().find(|quote| self.peek() == Some(*quote));
        if quote.is_some() {
            self.next();
        }
        let rest = self.rest();
        let length =
            rest.find(|c: char| !c.is_ascii_alphanumeric() && !"_-.+".contains(c)).unwrap_or(rest.len());
        let delimiter = rest.get(..length).unwrap_or_default().to_owned();
        self.at += length;
        let is_closed = quote.is_none_or(|quote| self.next() == Some(quote));
        let is_end = self.peek().is_none_or(|c| " \t\n;&|)<>".contains(c));
        if delimiter.is_empty() || !is_closed || !is_end {
            return Err(UnreadableCommandError::HereDocument);
        }
        let is_literal = quote.is_some();
        self.here_documents.push(PendingHereDocument { delimiter, is_literal, strips_tabs });
        Ok(())
    }

    pub(super) fn read_here_documents(&mut self) -> ReadResult<()> {
        for document in std::mem::take(&mut self.here_documents) {
            let start = self.at;
            let end = self.find_delimiter(&document)?;
            if !document.is_literal {
                self.read_expansions_in_body(start, end)?;
            }
        }
        Ok(())
    }

    /// Moves behind the delimiter's line; returns where that line begins.
    fn find_delimiter(&mut self, document: &PendingHereDocument) -> ReadResult<usize> {
        loop {
            let start = self.at;
            let rest = self.rest();
            if rest.is_empty() {
                return Err(UnreadableCommandError::HereDocument);
            }
            let line = rest.split_once('\n').map_or(rest, |(line, _)| line);
            let is_last = line.len() == rest.len();
            self.at += line.len() + usize::from(!is_last);
            let compared = if document.strips_tabs { line.trim_start_matches('\t') } else { line };
            if compared == document.delimiter {
                return Ok(start);
            }
            // Inside a substitution, some shells also end the body at `EOF)`.
            let is_ambiguous = compared.starts_with(&document.delimiter) && compared.contains(')');
            // A joined line may be the delimiter.
            let is_joined = !document.is_literal && line.ends_with('\\');
            if is_ambiguous || is_joined {
                return Err(UnreadableCommandError::HereDocument);
            }
        }
    }

    fn read_expansions_in_body(&mut self, start: usize, end: usize) -> ReadResult<()> {
        let (text, behind) = (self.text, self.at);
        self.text = text.get(..end).unwrap_or_default();
        self.at = start;
        let mut ignored = super::words::WordBuilder::default();
        while let Some(c) = self.next() {
            match c {
                '\\' => drop(self.next()),
                '`' => return Err(UnreadableCommandError::Backtick),
                '$' => self.read_dollar(&mut ignored, true)?,
                _ => {}
            }
        }
        self.text = text;
        self.at = behind;
        Ok(())
    }
}
