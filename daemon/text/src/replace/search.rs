//! One search for an old text without an exact match: data that the tiers share, computed on first use.

use std::cell::OnceCell;
use std::ops::Range;

use super::escapes::UnescapedTexts;
use super::file_line::{FileLine, split_file_lines};
use super::fold::LineFold;
use super::folded_lines::FoldedLines;
use super::indent_shift::IndentShift;
use super::lf_text::LfText;
use super::requested_lines::RequestedLines;
use super::similar_lines::{self, SimilarLines};

pub(super) struct ReplaceSearch<'a> {
    pub(super) lf_text: &'a LfText<'a>,
    pub(super) text: &'a str,
    pub(super) file_lines: Vec<FileLine<'a>>,
    /// As given, with `\n` as the only line break.
    pub(super) old: &'a str,
    pub(super) new: &'a str,
    pub(super) requested: RequestedLines<'a>,
    trailing: OnceCell<FoldedLines>,
    trimmed: OnceCell<FoldedLines>,
    typography: OnceCell<FoldedLines>,
    blanks: OnceCell<FoldedLines>,
    unescaped: OnceCell<UnescapedTexts>,
    similar: OnceCell<Option<SimilarLines>>,
}

/// A tier's matches: one or several.
pub(super) enum TierMatch<'a> {
    /// File lines that match all lines of the old text, by the index of the first.
    Lines { reading: RequestedLines<'a>, places: Vec<usize> },
    /// Parts of the file's text.
    Text { places: Vec<Range<usize>>, new: String },
    /// The old text is there, but it is unclear what the new one means.
    Unclear,
}

impl<'a> ReplaceSearch<'a> {
    pub(super) fn new(text: &'a str, flat: &'a LfText<'a>, old: &'a str, new: &'a str) -> Self {
        Self {
            lf_text: flat,
            text,
            file_lines: split_file_lines(text),
            old,
            new,
            requested: RequestedLines::new(old, new),
            trailing: OnceCell::new(),
            trimmed: OnceCell::new(),
            typography: OnceCell::new(),
            blanks: OnceCell::new(),
            unescaped: OnceCell::new(),
            similar: OnceCell::new(),
        }
    }

    pub(super) fn folded(&self, fold: LineFold) -> &FoldedLines {
        let cell = match fold {
            LineFold::Trailing => &self.trailing,
            LineFold::Trimmed => &self.trimmed,
            LineFold::Typography => &self.typography,
            LineFold::Blanks => &self.blanks,
        };
        cell.get_or_init(|| FoldedLines::new(self.file_lines.iter().map(|line| line.text), fold))
    }

    /// The old and the new text without escapes, in every interpretation.
    pub(super) fn unescaped(&self, both: fn(&str, &str) -> UnescapedTexts) -> &UnescapedTexts {
        self.unescaped.get_or_init(|| both(self.old, self.new))
    }

    /// The lines most similar to the old ones.
    pub(super) fn similar_lines(&self) -> Option<&SimilarLines> {
        self.similar.get_or_init(|| similar_lines::find(self)).as_ref()
    }

    /// The places where all folded lines are equal and one indentation rule holds.
    pub(super) fn places(&self, reading: &RequestedLines<'a>, fold: LineFold) -> Vec<usize> {
        let mut places = self.folded(fold).find_runs(&FoldedLines::new(reading.old.iter().copied(), fold));
        places.retain(|first| self.is_indented_alike(reading, *first));
        places
    }

    pub(super) fn is_indented_alike(&self, reading: &RequestedLines<'a>, first: usize) -> bool {
        let there = self.file_lines.get(first..first + reading.old.len());
        there.is_some_and(|there| IndentShift::infer(reading, there).is_some())
    }
}

/// `None` without a place.
pub(super) fn line_match<'a>(reading: &RequestedLines<'a>, places: Vec<usize>) -> Option<TierMatch<'a>> {
    (!places.is_empty()).then(|| TierMatch::Lines { reading: reading.clone(), places })
}
