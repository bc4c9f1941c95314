//! The hunks as a screen shows them, a page at a time.

use std::ops::Range;
use std::sync::Arc;

use super::word_diff::diff_words;
use super::{Hunk, HunkFingerprint, HunkId, Review};

/// Lines of each side of a hunk that a screen gets, at most, and all their bytes.
const MAX_LINES: usize = 2000;
const MAX_SIDE_BYTES: usize = 1024 * 1024;
/// A longer line is cut. An editor handles megabytes in its main loop, and shows less.
const MAX_LINE_BYTES: usize = 8 * 1024;
/// Words are compared in hunks up to this size, both sides together.
const MAX_WORD_LINES: usize = 200;
const MAX_WORD_BYTES: usize = 16 * 1024;

/// One hunk. Line numbers start at 0 and count `\n`; columns are bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkView {
    pub id: HunkId,
    /// A decision on the hunk must expect this.
    pub fingerprint: HunkFingerprint,
    /// Its first line in the text, or the line before which lines were deleted.
    pub line: usize,
    /// Like `line`, in the base.
    pub base_line: usize,
    /// The real counts: `old` and `new` are capped.
    pub old_lines: usize,
    pub new_lines: usize,
    /// Without their breaks; long lines are cut.
    pub old: Vec<String>,
    pub new: Vec<String>,
    pub old_cut: Vec<CutLine>,
    pub new_cut: Vec<CutLine>,
    pub words: Vec<WordDiff>,
    /// The byte range in the text, for clients that count lines differently.
    pub bytes: Range<usize>,
    pub calls: Vec<Arc<str>>,
    pub edited: bool,
    pub rejecting: bool,
}

/// A line of which a screen gets only the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CutLine {
    /// Counted from the hunk's first line.
    pub line: usize,
    /// Its whole length, without its break.
    pub bytes: usize,
}

/// The differences between an old line and the new line with the same index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordDiff {
    /// Counted from the hunk's first line, on both sides.
    pub line: usize,
    pub old: Vec<Range<usize>>,
    pub new: Vec<Range<usize>>,
}

impl Review {
    /// The hunks with these indices, as far as they exist.
    pub fn view_hunks(&self, page: Range<usize>) -> Vec<HunkView> {
        self.view_hunks_where(page, |_| true)
    }

    /// Only the wanted ones; the others cost almost nothing.
    pub fn view_hunks_where(&self, page: Range<usize>, is_wanted: impl Fn(&Hunk) -> bool) -> Vec<HunkView> {
        let (mut at, mut line, mut base_at, mut base_line) = (0, 0, 0, 0);
        let hunks = self.hunks.iter().skip(page.start).take(page.end.saturating_sub(page.start));
        let hunks = hunks.filter(|hunk| is_wanted(hunk));
        let view = |hunk: &Hunk| {
            line += self.text.count_line_breaks(at..hunk.text.start);
            base_line += self.base.count_line_breaks(base_at..hunk.base.start);
            (at, base_at) = (hunk.text.start, hunk.base.start);
            self.view_hunk(hunk, line, base_line)
        };
        hunks.map(view).collect()
    }

    /// The hunks with their first lines, from 0.
    pub fn hunks_with_lines(&self) -> impl Iterator<Item = (&Hunk, usize)> {
        let (mut at, mut line) = (0, 0);
        self.hunks.iter().map(move |hunk| {
            line += self.text.count_line_breaks(at..hunk.text.start);
            at = hunk.text.start;
            (hunk, line)
        })
    }

    /// The lines of a hunk in the base.
    pub fn base_text(&self, hunk: &Hunk) -> String {
        self.old_text(hunk)
    }

    pub fn hunk_text(&self, hunk: &Hunk) -> String {
        self.new_text(hunk)
    }

    /// The total of old and new lines in all hunks.
    pub fn count_lines(&self) -> (usize, usize) {
        let count = |hunk: &Hunk| {
            let lines = self.line_stats(hunk);
            (lines.old, lines.new)
        };
        self.hunks.iter().map(count).fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1))
    }

    fn view_hunk(&self, hunk: &Hunk, line: usize, base_line: usize) -> HunkView {
        let (old, new) = (self.old_text(hunk), self.new_text(hunk));
        let (old_lines, new_lines): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
        let is_short =
            old_lines.len() + new_lines.len() <= MAX_WORD_LINES && old.len() + new.len() <= MAX_WORD_BYTES;
        let (old, old_cut) = shown(&old_lines);
        let (new, new_cut) = shown(&new_lines);
        let is_whole = |line: usize| !old_cut.iter().chain(&new_cut).any(|cut| cut.line == line);
        let pairs = old_lines.iter().zip(&new_lines).enumerate();
        let pairs = pairs.filter(|(line, _)| is_short && is_whole(*line));
        let pair = |(line, (old, new)): (usize, (&&str, &&str))| {
            diff_words(old, new).map(|(old, new)| WordDiff { line, old, new })
        };
        HunkView {
            id: hunk.id,
            fingerprint: self.hunk_fingerprint(hunk),
            line,
            base_line,
            old_lines: old_lines.len(),
            new_lines: new_lines.len(),
            words: pairs.filter_map(pair).collect(),
            old,
            new,
            old_cut,
            new_cut,
            bytes: hunk.text.clone(),
            calls: hunk.calls.clone(),
            edited: hunk.edited,
            rejecting: hunk.rejecting,
        }
    }
}

/// The first lines, as a screen gets them.
fn shown(lines: &[&str]) -> (Vec<String>, Vec<CutLine>) {
    let (mut shown, mut cut, mut room) = (Vec::new(), Vec::new(), MAX_SIDE_BYTES);
    for (line, text) in lines.iter().take(MAX_LINES).enumerate() {
        let kept = text.get(..text.floor_char_boundary(MAX_LINE_BYTES)).unwrap_or_default();
        let Some(left) = room.checked_sub(kept.len()) else { break };
        room = left;
        if kept.len() < text.len() {
            cut.push(CutLine { line, bytes: text.len() });
        }
        shown.push(kept.to_owned());
    }
    (shown, cut)
}
