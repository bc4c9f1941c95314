//! A file in which lines are searched: data that all tiers and all hunks of a patch share, computed on first use.

use std::cell::{Cell, OnceCell};

use super::fold::LineFold;
use super::folded_index::{FoldedIndex, SearchBudget};
use super::folded_lines::FoldedLines;
use super::indent_unit::indent_unit;
use crate::source_lines::SourceLines;

/// What a search for similar lines costs, in comparisons per file line.
const SIMILAR_STEPS: usize = 100;

pub(crate) struct LineSearch<'a> {
    pub(crate) file: &'a SourceLines<'a>,
    pub(crate) budget: SearchBudget,
    /// All lines that will be searched as given, so that one pass over the file numbers them.
    wanted: Vec<&'a str>,
    indexes: [OnceCell<FoldedIndex>; LineFold::COUNT],
    blanks: OnceCell<FoldedLines>,
    quotes: OnceCell<FoldedLines>,
    unit: OnceCell<Option<usize>>,
    is_exhausted: Cell<bool>,
}

impl<'a> LineSearch<'a> {
    pub(crate) fn new(file: &'a SourceLines<'a>, wanted: Vec<&'a str>) -> Self {
        Self {
            file,
            budget: SearchBudget::default(),
            wanted,
            indexes: [const { OnceCell::new() }; LineFold::COUNT],
            blanks: OnceCell::new(),
            quotes: OnceCell::new(),
            unit: OnceCell::new(),
            is_exhausted: Cell::new(false),
        }
    }

    /// Where all folded lines are equal. Nothing when the budget is exceeded.
    pub(crate) fn find(&self, lines: &[&str], fold: LineFold) -> Vec<usize> {
        let build = |wanted: &[&str]| FoldedIndex::new(self.file, fold, wanted.iter().copied());
        let shared = self.indexes.get(fold as usize).map(|cell| cell.get_or_init(|| build(&self.wanted)));
        let found = match shared.filter(|index| index.knows(lines)) {
            Some(index) => index.find(lines, &self.budget),
            None => self.budget.take(self.file.len()).and_then(|()| build(lines).find(lines, &self.budget)),
        };
        found.unwrap_or_else(|_| {
            self.is_exhausted.set(true);
            Vec::new()
        })
    }

    /// Whether a search ended early: its lines may be in the file.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.is_exhausted.get()
    }

    /// Whether the budget allows for a search for similar lines.
    pub(super) fn may_compare(&self) -> bool {
        self.budget.take(self.file.len().saturating_mul(SIMILAR_STEPS)).is_ok()
    }

    /// The lines with plain typography and single blanks, or also with single quotes only.
    pub(super) fn folded(&self, fold: LineFold) -> &FoldedLines {
        let cell = if fold == LineFold::Quotes { &self.quotes } else { &self.blanks };
        cell.get_or_init(|| FoldedLines::new(self.file.lines(), fold))
    }

    /// The spaces of one level of the file's indentation.
    pub(super) fn indent_unit(&self) -> Option<usize> {
        *self.unit.get_or_init(|| indent_unit(self.file.lines()))
    }
}
