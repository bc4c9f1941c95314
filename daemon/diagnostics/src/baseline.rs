//! What was wrong before a change, moved through it: the same problems at the places that they have in the new text.
//!
//! A line that the change leaves alone takes its problems along as they are, even where a server named a place that is not in it.
//! In a line that is changed, a problem moves with the characters it is about; where these are gone it keeps the nearest place. Such
//! a problem is *touched*: it may be gone, or still be there a little further on, but no further than the lines named with it.
//!
//! Invariant: where nothing changed, nothing moves.
//! Time is linear in the texts, and a little for each problem.

mod edited_region;

use std::ops::Range;
use std::path::PathBuf;

use copydesk_text::{Change, Position};

use crate::line_index::{Utf16LineIndex, saturate_u32};
use copydesk_servers::diagnostic::{Diagnostic, DiagnosticSpan};
use copydesk_servers::report::DiagnosticsReport;
use edited_region::{EditedRegion, edited_regions};

/// A problem from before a change, at its place after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShiftedDiagnostic {
    pub diagnostic: Diagnostic,
    /// Its place before.
    pub previous_span: DiagnosticSpan,
    /// The lines of the new text in which it may still be, where the change touched its lines.
    pub touched_lines: Option<Range<u32>>,
}

/// What one source said of a file before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Baseline {
    pub path: PathBuf,
    /// None for every source: nobody can have said anything of a file that was not there.
    pub source: Option<String>,
    /// None where it was not known.
    pub diagnostics: Option<Vec<ShiftedDiagnostic>>,
}

impl Baseline {
    /// Of a file that is as it was.
    pub(crate) fn unchanged(report: &DiagnosticsReport) -> Self {
        Self::with(report, |items| items.iter().map(still).collect())
    }

    /// Of a file that was `old` when the report was made of it.
    pub(crate) fn shifted(report: &DiagnosticsReport, old: &str, change: &Change) -> Self {
        Self::with(report, |items| shift_diagnostics(items, old, change))
    }

    /// Of a file that was not there.
    pub(crate) fn empty(path: PathBuf) -> Self {
        Self { path, source: None, diagnostics: Some(Vec::new()) }
    }

    fn with(
        report: &DiagnosticsReport,
        moving: impl FnOnce(&[Diagnostic]) -> Vec<ShiftedDiagnostic>,
    ) -> Self {
        let known = report.verdict.diagnostics().map(moving);
        Self { path: report.path.clone(), source: Some(report.source.clone()), diagnostics: known }
    }
}

fn still(diagnostic: &Diagnostic) -> ShiftedDiagnostic {
    ShiftedDiagnostic { diagnostic: diagnostic.clone(), previous_span: diagnostic.span, touched_lines: None }
}

/// The problems of the old text at their places in the new one. Of a change that does not fit the old text nothing is known: then
/// all stay where they were, and may be anywhere.
pub(crate) fn shift_diagnostics(items: &[Diagnostic], old: &str, change: &Change) -> Vec<ShiftedDiagnostic> {
    // Of a long text it takes a while to know where its lines are.
    if change.is_empty() || items.is_empty() {
        return items.iter().map(still).collect();
    }
    let Ok(new) = change.apply(old) else {
        let anywhere =
            |item: &Diagnostic| ShiftedDiagnostic { touched_lines: Some(0..u32::MAX), ..still(item) };
        return items.iter().map(anywhere).collect();
    };
    let (old, new) = (Utf16LineIndex::new(old), Utf16LineIndex::new(&new));
    let course = PositionMapper { passages: edited_regions(change, &old, &new), old, new };
    items.iter().map(|item| course.moved(item)).collect()
}

struct PositionMapper<'a> {
    old: Utf16LineIndex<'a>,
    new: Utf16LineIndex<'a>,
    passages: Vec<EditedRegion>,
}

impl PositionMapper<'_> {
    fn moved(&self, item: &Diagnostic) -> ShiftedDiagnostic {
        let DiagnosticSpan { start, end } = item.span;
        let end = end.max(start);
        let start_to = self.place(start, true);
        let span = DiagnosticSpan { start: start_to, end: self.place(end, false).max(start_to) };
        let diagnostic = Diagnostic { span, ..item.clone() };
        ShiftedDiagnostic { diagnostic, previous_span: item.span, touched_lines: self.touched(start, end) }
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
        let start = own(start).map_or(head.new_lines.start, |line| line.min(head.new_lines.start));
        let end = own(end).map_or(tail.new_lines.end, |line| (line + 1).max(tail.new_lines.end));
        Some(saturate_u32(start)..saturate_u32(end))
    }

    /// The passage that changed the line of this position.
    fn within(&self, position: Position) -> Option<&EditedRegion> {
        let line = position.line as usize;
        let at = self.passages.partition_point(|passage| passage.old_lines.end <= line);
        self.passages.get(at).filter(|passage| passage.old_lines.contains(&line))
    }

    fn place(&self, position: Position, is_start: bool) -> Position {
        let line = position.line as usize;
        if let Some(past) = line.checked_sub(self.old.line_count()) {
            return Position { line: saturate_u32(self.new.line_count() + past), ..position };
        }
        if self.within(position).is_none() {
            let start = self.old.line_start(line);
            let before = self.passages.partition_point(|passage| passage.old.end <= start);
            return Position { line: saturate_u32(self.new.line_at(self.behind(before, start))), ..position };
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
