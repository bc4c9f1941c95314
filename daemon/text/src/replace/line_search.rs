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
        let index = self.index(fold);
        let found = if index.knows(lines) {
            index.find(lines, &self.budget)
        } else {
            let index = || FoldedIndex::new(self.file, fold, lines.iter().copied());
            self.budget.take(self.file.len()).and_then(|()| index().find(lines, &self.budget))
        };
        found.unwrap_or_else(|_| {
            self.is_exhausted.set(true);
            Vec::new()
        })
    }

    /// The places of the wanted lines. Lines that differ at the loosest fold differ at all, so the stricter ones need not look at
    /// the whole file again; most patches and edits are found exactly and need no other.
    pub(super) fn index(&self, fold: LineFold) -> &FoldedIndex {
        let wanted = || self.wanted.iter().copied();
        #[expect(clippy::indexing_slicing, reason = "there is one for each fold")]
        self.indexes[fold as usize].get_or_init(|| match fold {
            LineFold::Exact | LineFold::LOOSEST => FoldedIndex::new(self.file, fold, wanted()),
            _ => FoldedIndex::among(self.file, fold, wanted(), self.index(LineFold::LOOSEST).wanted_lines()),
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
