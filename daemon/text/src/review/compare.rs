//! Compares a piece of the base with the piece of the text beside it, line by line.

use std::ops::Range;

use similar::DiffTag;

use crate::diff::ops;
use crate::diff_window::DiffWindow;

/// Differing lines, as byte ranges of the two pieces.
pub(super) type DifferingRanges = (Range<usize>, Range<usize>);

/// How many bytes are compared line by line on a keystroke. Two pieces of this size without a common line
/// take about a millisecond.
const MAX_KEYSTROKE_BYTES: usize = 32 * 1024;

/// How thoroughly to look for common lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CompareEffort {
    /// Compares all lines.
    Full,
    /// Compares only the beginning and end of pieces that are too long for a keystroke.
    Keystroke,
}

/// Longer pieces are not compared on each keystroke.
pub(super) fn is_long(len: usize) -> bool {
    len > MAX_KEYSTROKE_BYTES
}

pub(super) fn compare(base: &str, text: &str, effort: CompareEffort) -> Vec<DifferingRanges> {
    if base == text {
        return Vec::new();
    }
    let window = DiffWindow::between(base, text, 0);
    let start = window.start;
    if window.old.is_empty()
        || window.new.is_empty()
        || (effort == CompareEffort::Keystroke && is_long(window.old.len() + window.new.len()))
    {
        return vec![(start..start + window.old.len(), start..start + window.new.len())];
    }
    let (old, new) = (lines(window.old), lines(window.new));
    let (mut old_at, mut new_at) = (start, start);
    let mut pairs: Vec<DifferingRanges> = Vec::new();
    for op in ops(&old, &new) {
        let len = |lines: &[&str], range| lines.get::<Range<usize>>(range).map_or(0, bytes);
        let old_end = old_at + len(&old, op.old_range());
        let new_end = new_at + len(&new, op.new_range());
        if op.tag() != DiffTag::Equal {
            match pairs.last_mut() {
                Some((base, text)) if base.end == old_at && text.end == new_at => {
                    (base.end, text.end) = (old_end, new_end);
                }
                _ => pairs.push((old_at..old_end, new_at..new_end)),
            }
        }
        (old_at, new_at) = (old_end, new_end);
    }
    pairs.into_iter().filter_map(|pair| trimmed(base, text, pair)).collect()
}

/// Trims common lines at both ends: if the comparison ran out of time, some may be left.
fn trimmed(base: &str, text: &str, (old, new): DifferingRanges) -> Option<DifferingRanges> {
    let pieces = (base.get(old.clone()).unwrap_or_default(), text.get(new.clone()).unwrap_or_default());
    let DiffWindow { start, old: old_piece, new: new_piece, .. } = DiffWindow::between(pieces.0, pieces.1, 0);
    let at = |range: &Range<usize>, piece: &str| range.start + start..range.start + start + piece.len();
    (pieces.0 != pieces.1).then(|| (at(&old, old_piece), at(&new, new_piece)))
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn bytes(lines: &[&str]) -> usize {
    lines.iter().map(|line| line.len()).sum()
}
