//! The diagnostics from before a change, moved to their positions in the new text.
//!
//! A line that the change leaves alone keeps its diagnostics as they are, even if a server named a position outside
//! it. In a changed line, a diagnostic moves with the characters it is about; if these are gone, it keeps the nearest
//! position. Such a diagnostic is *touched*: it may be gone, or it may stand elsewhere, but only within its
//! `touched_lines`.
//!
//! Invariant: where nothing changed, nothing moves.
//! Time is linear in the texts, plus a little for each diagnostic.

mod edited_region;

use std::ops::Range;
use std::path::PathBuf;

use copydesk_text::{Change, Position};

use crate::line_index::{Utf16LineIndex, saturate_u32};
use copydesk_servers::diagnostic::{Diagnostic, DiagnosticSpan};
use copydesk_servers::report::DiagnosticsReport;
use edited_region::{EditedRegion, edited_regions};

/// A diagnostic from before a change, at its position after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShiftedDiagnostic {
    pub diagnostic: Diagnostic,
    pub previous_span: DiagnosticSpan,
    /// The lines of the new text in which it may still be. Set only if the change touched its lines.
    pub touched_lines: Option<Range<u32>>,
}

/// What one source reported on a file before a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Baseline {
    pub path: PathBuf,
    /// `None` stands for every source: a file that did not exist had no diagnostics.
    pub source: Option<String>,
    /// `None` if the source's earlier verdict is unknown.
    pub diagnostics: Option<Vec<ShiftedDiagnostic>>,
}

impl Baseline {
    /// For a file that did not change.
    pub(crate) fn unchanged(report: &DiagnosticsReport) -> Self {
        Self::with(report, |items| items.iter().map(unmoved).collect())
    }

    /// For a file whose text was `old` when the report was made.
    pub(crate) fn shifted(report: &DiagnosticsReport, old: &str, change: &Change) -> Self {
        Self::with(report, |items| shift_diagnostics(items, old, change))
    }

    /// For a file that did not exist.
    pub(crate) fn empty(path: PathBuf) -> Self {
        Self { path, source: None, diagnostics: Some(Vec::new()) }
    }

    fn with(report: &DiagnosticsReport, shift: impl FnOnce(&[Diagnostic]) -> Vec<ShiftedDiagnostic>) -> Self {
        let known = report.verdict.diagnostics().map(shift);
        Self { path: report.path.clone(), source: Some(report.source.clone()), diagnostics: known }
    }
}

fn unmoved(diagnostic: &Diagnostic) -> ShiftedDiagnostic {
    ShiftedDiagnostic { diagnostic: diagnostic.clone(), previous_span: diagnostic.span, touched_lines: None }
}

/// Moves the diagnostics of the old text to their positions in the new one. If the change does not fit the old text,
/// all stay where they were and may be anywhere.
pub(crate) fn shift_diagnostics(items: &[Diagnostic], old: &str, change: &Change) -> Vec<ShiftedDiagnostic> {
    // Indexing the lines of a long text takes a while.
    if change.is_empty() || items.is_empty() {
        return items.iter().map(unmoved).collect();
    }
    let Ok(new) = change.apply(old) else {
        let anywhere =
            |item: &Diagnostic| ShiftedDiagnostic { touched_lines: Some(0..u32::MAX), ..unmoved(item) };
        return items.iter().map(anywhere).collect();
    };
    let (old, new) = (Utf16LineIndex::new(old), Utf16LineIndex::new(&new));
    let mapper = PositionMapper { regions: edited_regions(change, &old, &new), old, new };
    items.iter().map(|item| mapper.shift(item)).collect()
}

struct PositionMapper<'a> {
    old: Utf16LineIndex<'a>,
    new: Utf16LineIndex<'a>,
    regions: Vec<EditedRegion>,
}

impl PositionMapper<'_> {
    fn shift(&self, item: &Diagnostic) -> ShiftedDiagnostic {
        let DiagnosticSpan { start, end } = item.span;
        let end = end.max(start);
        let start_to = self.map_position(start, true);
        let span = DiagnosticSpan { start: start_to, end: self.map_position(end, false).max(start_to) };
        let diagnostic = Diagnostic { span, ..item.clone() };
        ShiftedDiagnostic {
            diagnostic,
            previous_span: item.span,
            touched_lines: self.touched_lines(start, end),
        }
    }

    /// The lines of the new text in which a diagnostic at these old positions may be.
    fn touched_lines(&self, start: Position, end: Position) -> Option<Range<u32>> {
        let (first, last) = (start.line as usize, end.line as usize);
        let from = self.regions.partition_point(|region| region.old_lines.end <= first);
        let to = self.regions.partition_point(|region| region.old_lines.start <= last);
        let hit = self.regions.get(from..to)?;
        let (head, tail) = (hit.first()?, hit.last()?);
        // Its own unchanged lines belong to it, too.
        let own = |position| {
            let is_unchanged = self.region_at(position).is_none();
            is_unchanged.then(|| self.map_position(position, true).line as usize)
        };
        let start = own(start).map_or(head.new_lines.start, |line| line.min(head.new_lines.start));
        let end = own(end).map_or(tail.new_lines.end, |line| (line + 1).max(tail.new_lines.end));
        Some(saturate_u32(start)..saturate_u32(end))
    }

    /// The edited region that contains the line of this position.
    fn region_at(&self, position: Position) -> Option<&EditedRegion> {
        let line = position.line as usize;
        let index = self.regions.partition_point(|region| region.old_lines.end <= line);
        self.regions.get(index).filter(|region| region.old_lines.contains(&line))
    }

    fn map_position(&self, position: Position, is_start: bool) -> Position {
        let line = position.line as usize;
        if let Some(lines_past_end) = line.checked_sub(self.old.line_count()) {
            return Position { line: saturate_u32(self.new.line_count() + lines_past_end), ..position };
        }
        if self.region_at(position).is_none() {
            let start = self.old.line_start(line);
            let before = self.regions.partition_point(|region| region.old.end <= start);
            return Position {
                line: saturate_u32(self.new.line_at(self.shift_offset(before, start))),
                ..position
            };
        }
        self.new.position(self.offset(self.old.offset(position), is_start))
    }

    /// The new offset of a byte outside the edited regions, given how many regions precede it.
    fn shift_offset(&self, regions: usize, offset: usize) -> usize {
        let last = regions.checked_sub(1).and_then(|last| self.regions.get(last));
        last.map_or(offset, |last| last.new.end + (offset - last.old.end))
    }

    fn offset(&self, offset: usize, is_start: bool) -> usize {
        let before = self.regions.partition_point(|region| region.old.end <= offset);
        match self.regions.get(before) {
            Some(inside) if inside.old.start <= offset => {
                let is_first = is_start || inside.old.start == offset;
                if is_first { inside.new.start } else { inside.new.end }
            }
            _ => match before.checked_sub(1).and_then(|last| self.regions.get(last)) {
                // Inserted exactly here: what begins here moves behind it, what ends here stays before it.
                Some(last) if last.old.is_empty() && last.old.end == offset => {
                    if is_start && !last.begins_with_break { last.new.end } else { last.new.start }
                }
                _ => self.shift_offset(before, offset),
            },
        }
    }
}

#[cfg(test)]
mod tests;
