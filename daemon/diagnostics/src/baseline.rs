//! What was wrong before a change, moved through it: the same problems at the places that they have in the new text.
//!
//! A line that the change leaves alone takes its problems along as they are, even where a server named a place that is not in it.
//! In a line that is changed, a problem moves with the characters it is about; where these are gone it keeps the nearest place. Such
//! a problem is *touched*: it may be gone, or still be there a little further on, but no further than the lines named with it.
//!
//! Invariant: where nothing changed, nothing moves.
//! Time is linear in the texts, and a little for each problem.

mod passage;

use std::ops::Range;
use std::path::PathBuf;

use copydesk_text::{Change, Position};

use crate::places::{Places, small};
use copydesk_servers::diagnostic::{Diagnostic, Span};
use copydesk_servers::report::Report;
use passage::{Passage, passages};

/// A problem from before a change, at its place after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Moved {
    pub diagnostic: Diagnostic,
    /// Its place before.
    pub was: Span,
    /// The lines of the new text in which it may still be, where the change touched its lines.
    pub touched: Option<Range<u32>>,
}

/// What one source said of a file before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Baseline {
    pub path: PathBuf,
    /// None for every source: nobody can have said anything of a file that was not there.
    pub source: Option<String>,
    /// None where it was not known.
    pub known: Option<Vec<Moved>>,
}

impl Baseline {
    /// Of a file that is as it was.
    pub(crate) fn still(report: &Report) -> Self {
        Self::with(report, |items| items.iter().map(still).collect())
    }

    /// Of a file that was `old` when the report was made of it.
    pub(crate) fn through(report: &Report, old: &str, change: &Change) -> Self {
        Self::with(report, |items| moved(items, old, change))
    }

    /// Of a file that was not there.
    pub(crate) fn nothing(path: PathBuf) -> Self {
        Self { path, source: None, known: Some(Vec::new()) }
    }

    fn with(report: &Report, moving: impl FnOnce(&[Diagnostic]) -> Vec<Moved>) -> Self {
        let known = report.said.diagnostics().map(moving);
        Self { path: report.path.clone(), source: Some(report.source.clone()), known }
    }
}

fn still(diagnostic: &Diagnostic) -> Moved {
    Moved { diagnostic: diagnostic.clone(), was: diagnostic.span, touched: None }
}

/// The problems of the old text at their places in the new one. Of a change that does not fit the old text nothing is known: then
/// all stay where they were, and may be anywhere.
pub(crate) fn moved(items: &[Diagnostic], old: &str, change: &Change) -> Vec<Moved> {
    // Of a long text it takes a while to know where its lines are.
    if change.is_empty() || items.is_empty() {
        return items.iter().map(still).collect();
    }
    let Ok(new) = change.apply(old) else {
        let anywhere = |item: &Diagnostic| Moved { touched: Some(0..u32::MAX), ..still(item) };
        return items.iter().map(anywhere).collect();
    };
    let (old, new) = (Places::of(old), Places::of(&new));
    let course = Course { passages: passages(change, &old, &new), old, new };
    items.iter().map(|item| course.moved(item)).collect()
}

struct Course<'a> {
    old: Places<'a>,
    new: Places<'a>,
    passages: Vec<Passage>,
}

impl Course<'_> {
    fn moved(&self, item: &Diagnostic) -> Moved {
        let Span { start, end } = item.span;
        let end = end.max(start);
        let start_to = self.place(start, true);
        let span = Span { start: start_to, end: self.place(end, false).max(start_to) };
        let diagnostic = Diagnostic { span, ..item.clone() };
        Moved { diagnostic, was: item.span, touched: self.touched(start, end) }
    }

    /// The lines in which a problem at these lines may be.
    fn touched(&self, start: Position, end: Position) -> Option<Range<u32>> {
        let (first, last) = (start.line as usize, end.line as usize);
        let from = self.passages.partition_point(|passage| passage.old_lines.end <= first);
        let to = self.passages.partition_point(|passage| passage.old_lines.start <= last);
        let found = self.passages.get(from..to)?;
        let (head, tail) = (found.first()?, found.last()?);
        // The lines of its own that are left as they are belong to it too.
        let own = |position| {
            let is_left = self.within(position).is_none();
            is_left.then(|| self.place(position, true).line as usize)
        };
        let start = own(start).map_or(head.around.start, |line| line.min(head.around.start));
        let end = own(end).map_or(tail.around.end, |line| (line + 1).max(tail.around.end));
        Some(small(start)..small(end))
    }

    /// The passage that changed the line of this position.
    fn within(&self, position: Position) -> Option<&Passage> {
        let line = position.line as usize;
        let at = self.passages.partition_point(|passage| passage.old_lines.end <= line);
        self.passages.get(at).filter(|passage| passage.old_lines.contains(&line))
    }

    fn place(&self, position: Position, is_start: bool) -> Position {
        let line = position.line as usize;
        if let Some(past) = line.checked_sub(self.old.count()) {
            return Position { line: small(self.new.count() + past), ..position };
        }
        if self.within(position).is_none() {
            let start = self.old.start_of(line);
            let before = self.passages.partition_point(|passage| passage.old.end <= start);
            return Position { line: small(self.new.line_of(self.behind(before, start))), ..position };
        }
        self.new.position(self.offset(self.old.offset(position), is_start))
    }

    /// Where a byte is that has so many passages before it.
    fn behind(&self, passages: usize, offset: usize) -> usize {
        let last = passages.checked_sub(1).and_then(|last| self.passages.get(last));
        last.map_or(offset, |last| last.new.end + (offset - last.old.end))
    }

    fn offset(&self, offset: usize, is_start: bool) -> usize {
        let before = self.passages.partition_point(|passage| passage.old.end <= offset);
        match self.passages.get(before) {
            Some(inside) if inside.old.start <= offset => {
                let is_first = is_start || inside.old.start == offset;
                if is_first { inside.new.start } else { inside.new.end }
            }
            _ => match before.checked_sub(1).and_then(|last| self.passages.get(last)) {
                // Put in exactly here: what begins here comes behind it, what ends here stays before it.
                Some(last) if last.old.is_empty() && last.old.end == offset => {
                    if is_start && !last.begins_with_break { last.new.end } else { last.new.start }
                }
                _ => self.behind(before, offset),
            },
        }
    }
}

#[cfg(test)]
mod tests;
