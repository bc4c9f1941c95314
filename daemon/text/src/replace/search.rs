//! One request without an exact match: what the tiers look for, and their shared results.

use std::cell::OnceCell;
use std::ops::Range;

use super::escapes::UnescapedTexts;
use super::fold::LineFold;
use super::indent_shift::IndentShift;
use super::lf_text::LfText;
use super::line_search::LineSearch;
use super::requested_lines::RequestedLines;
use super::similar_lines::{self, SimilarLines};

/// Lines compared for overlapping matches, at most.
const MAX_OVERLAP: usize = 1_000_000;

pub(super) struct ReplaceSearch<'a> {
    pub(super) lines: &'a LineSearch<'a>,
    pub(super) requested: &'a RequestedLines<'a>,
    /// The request as text; a hunk is whole lines only.
    pub(super) text: Option<RequestedText<'a>>,
    unescaped: OnceCell<UnescapedTexts>,
    similar: OnceCell<Option<SimilarLines>>,
}

/// With `\n` as the only line break.
#[derive(Clone, Copy)]
pub(super) struct RequestedText<'a> {
    pub(super) file: &'a LfText<'a>,
    pub(super) old: &'a str,
    pub(super) new: &'a str,
}

/// A tier's matches: one or several.
pub(super) enum TierMatch<'a> {
    /// File lines that match all lines of the old text, by the index of the first.
    Lines { reading: RequestedLines<'a>, places: Vec<usize> },
    /// Parts of the file's text.
    Text { places: Vec<Range<usize>>, new: String },
    /// The old text is there, in this line, but it is unclear what the new one means.
    Unclear { line: usize },
}

impl<'a> ReplaceSearch<'a> {
    pub(super) fn new(
        lines: &'a LineSearch<'a>,
        requested: &'a RequestedLines<'a>,
        text: Option<RequestedText<'a>>,
    ) -> Self {
        Self { lines, requested, text, unescaped: OnceCell::new(), similar: OnceCell::new() }
    }

    /// The old and the new text without escapes, in every interpretation.
    pub(super) fn unescaped(&self, both: fn(&str, &str) -> UnescapedTexts) -> &UnescapedTexts {
        self.unescaped.get_or_init(|| match self.text {
            Some(text) => both(text.old, text.new),
            None => both(&self.requested.old.join("\n"), &self.requested.new.join("\n")),
        })
    }

    /// The lines most similar to the old ones.
    pub(super) fn similar_lines(&self) -> Option<&SimilarLines> {
        self.similar.get_or_init(|| similar_lines::find(self)).as_ref()
    }

    /// The places where all folded lines are equal and one indentation rule holds. With very many overlaps not all are
    /// returned, but more than one or none is.
    pub(super) fn places(&self, reading: &RequestedLines<'a>, fold: LineFold) -> Vec<usize> {
        let length = reading.old.len();
        let (mut alike, mut compared, mut end, mut skips) = (Vec::new(), 0, 0, false);
        for first in self.lines.find(&reading.old, fold) {
            if compared > MAX_OVERLAP && first < end {
                skips = true;
                continue;
            }
            (compared, end) = (compared + length, first + length);
            if self.is_indented_alike(reading, first) {
                alike.push(first);
            }
        }
        if skips && alike.len() == 1 { Vec::new() } else { alike }
    }

    pub(super) fn is_indented_alike(&self, reading: &RequestedLines<'a>, first: usize) -> bool {
        let there = self.lines.file.texts(first..first + reading.old.len());
        there.is_some_and(|there| IndentShift::infer(self.lines, reading, &there).is_regular())
    }

    /// `None` without a place.
    pub(super) fn line_match(&self, reading: &RequestedLines<'a>, fold: LineFold) -> Option<TierMatch<'a>> {
        line_match(reading, self.places(reading, fold))
    }
}

/// `None` without a place.
pub(super) fn line_match<'a>(reading: &RequestedLines<'a>, places: Vec<usize>) -> Option<TierMatch<'a>> {
    (!places.is_empty()).then(|| TierMatch::Lines { reading: reading.clone(), places })
}
