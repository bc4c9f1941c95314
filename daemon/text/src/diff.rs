//! The difference of two texts as hunks: contiguous changed lines with some unchanged lines around them.
//!
//! A hunk's lines include their line breaks, so that applying the hunks to the old text gives the new text
//! byte for byte; only a last line without a break lacks one.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Instant;

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices_deadline, group_diff_ops};

use crate::diff_window::DiffWindow;
use crate::time_limits::DIFF_TIMEOUT;

mod unified;

/// How many equal lines a hunk may slide over.
pub(crate) const MARGIN: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineTag {
    Equal,
    Delete,
    Insert,
}

/// Changed lines with context. Line numbers start at 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffHunk<'a> {
    /// The first line in the old text; without old lines, the line before the place (0: before the first).
    pub old_start: usize,
    pub old_lines: usize,
    /// Like `old_start`, in the new text.
    pub new_start: usize,
    pub new_lines: usize,
    /// Each with its line break.
    pub lines: Vec<(LineTag, &'a str)>,
}

/// All hunks between two texts, with their added and deleted line counts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Diff<'a> {
    pub hunks: Vec<DiffHunk<'a>>,
    pub additions: usize,
    pub deletions: usize,
}

/// The hunks between two texts, with `context` unchanged lines around each (3 is usual).
pub fn diff<'a>(old: &'a str, new: &'a str, context: usize) -> Diff<'a> {
    piece_diff(old, new, 0, context)
}

/// The hunks between two pieces that `skipped` equal lines precede.
pub(crate) fn piece_diff<'a>(old: &'a str, new: &'a str, skipped: usize, context: usize) -> Diff<'a> {
    let DiffWindow { old, new, lines_before, .. } = DiffWindow::between(old, new, context.max(MARGIN));
    let lines_before = skipped + lines_before;
    let old: Vec<_> = old.split_inclusive('\n').collect();
    let new: Vec<_> = new.split_inclusive('\n').collect();
    let groups = group_diff_ops(ops(&old, &new), context);
    // Equal texts form one group of equal lines.
    let groups = groups.iter().filter(|group| group.iter().any(|op| op.tag() != DiffTag::Equal));
    let hunks: Vec<_> = groups.map(|group| hunk(group, lines_before, &old, &new)).collect();
    let count = |tag| hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.0 == tag).count();
    let (additions, deletions) = (count(LineTag::Insert), count(LineTag::Delete));
    Diff { hunks, additions, deletions }
}

fn hunk<'a>(group: &[DiffOp], lines_before: usize, old: &[&'a str], new: &[&'a str]) -> DiffHunk<'a> {
    let mut lines = Vec::new();
    for op in group {
        let (tag, old_range, new_range) = op.as_tag_tuple();
        let take = |from: &[&'a str], range, tag| {
            let taken: &[&'a str] = from.get(range).unwrap_or_default();
            taken.iter().map(|line| (tag, *line)).collect::<Vec<_>>()
        };
        if tag == DiffTag::Equal {
            lines.extend(take(old, old_range, LineTag::Equal));
        } else {
            lines.extend(take(old, old_range, LineTag::Delete));
            lines.extend(take(new, new_range, LineTag::Insert));
        }
    }
    let old_lines = lines.iter().filter(|line| line.0 != LineTag::Insert).count();
    let new_lines = lines.iter().filter(|line| line.0 != LineTag::Delete).count();
    let (old_first, new_first) =
        group.first().map_or((0, 0), |op| (op.old_range().start, op.new_range().start));
    let start = |first: usize, count: usize| lines_before + first + usize::from(count > 0);
    DiffHunk {
        old_start: start(old_first, old_lines),
        old_lines,
        new_start: start(new_first, new_lines),
        new_lines,
        lines,
    }
}

/// The operations that turn the old lines into the new. Lines are compared as numbers, so that each is hashed
/// once. The common prefix and suffix are not even hashed, except for a margin over which a hunk slides to
/// where it reads best.
pub(crate) fn ops<K: Hash + Eq + Copy>(old: &[K], new: &[K]) -> Vec<DiffOp> {
    let same = |(a, b): &(&K, &K)| a == b;
    let before = old.iter().zip(new).take_while(same).count();
    let (old_rest, new_rest) = (old.get(before..).unwrap_or_default(), new.get(before..).unwrap_or_default());
    let after = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(same).count();
    let (before, after) = (before.saturating_sub(MARGIN), after.saturating_sub(MARGIN));

    let mut numbers: HashMap<K, usize> = HashMap::new();
    let mut number = |line: &K| {
        let next = numbers.len();
        *numbers.entry(*line).or_insert(next)
    };
    let mut middle = |lines: &[K]| -> Vec<usize> {
        lines.get(before..lines.len() - after).unwrap_or_default().iter().map(&mut number).collect()
    };
    let (old_middle, new_middle) = (middle(old), middle(new));
    let deadline = Some(Instant::now() + DIFF_TIMEOUT);
    let found = capture_diff_slices_deadline(Algorithm::Myers, &old_middle, &new_middle, deadline);
    let equal = |old_index, new_index, len| DiffOp::Equal { old_index, new_index, len };
    let mut ops = vec![equal(0, 0, before)];
    ops.extend(found.into_iter().map(|op| shift_op(op, before)));
    ops.push(equal(old.len() - after, new.len() - after, after));
    merge_ops(ops)
}

fn shift_op(op: DiffOp, by: usize) -> DiffOp {
    let (tag, old, new) = op.as_tag_tuple();
    let (old_index, new_index) = (old.start + by, new.start + by);
    let (old_len, new_len) = (old.len(), new.len());
    match tag {
        DiffTag::Equal => DiffOp::Equal { old_index, new_index, len: old_len },
        DiffTag::Delete => DiffOp::Delete { old_index, new_index, old_len },
        DiffTag::Insert => DiffOp::Insert { old_index, new_index, new_len },
        DiffTag::Replace => DiffOp::Replace { old_index, old_len, new_index, new_len },
    }
}

/// Merges adjacent equal operations and drops empty ones: grouping by context relies on both.
fn merge_ops(ops: Vec<DiffOp>) -> Vec<DiffOp> {
    let mut joined: Vec<DiffOp> = Vec::with_capacity(ops.len());
    for op in ops {
        match (joined.last_mut(), op) {
            (_, DiffOp::Equal { len: 0, .. }) => {}
            (Some(DiffOp::Equal { len, .. }), DiffOp::Equal { len: more, .. }) => *len += more,
            (_, op) => joined.push(op),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_no_hunks() {
        assert_eq!(diff("a\nb\n", "a\nb\n", 3), Diff::default());
        assert_eq!(diff("", "", 3), Diff::default());
    }

    #[test]
    fn a_hunk_says_where_it_is() {
        let (old, new) = ("1\n2\n3\n4\n5\n", "1\n2\nthree\n4\n5\n");
        let lines = vec![
            (LineTag::Equal, "2\n"),
            (LineTag::Delete, "3\n"),
            (LineTag::Insert, "three\n"),
            (LineTag::Equal, "4\n"),
        ];
        let hunk = DiffHunk { old_start: 2, old_lines: 3, new_start: 2, new_lines: 3, lines };
        assert_eq!(diff(old, new, 1), Diff { hunks: vec![hunk], additions: 1, deletions: 1 });
    }

    #[test]
    fn an_insertion_stands_after_a_line() {
        let starts = |old, new| {
            let diff = diff(old, new, 0);
            diff.hunks
                .iter()
                .map(|h| (h.old_start, h.old_lines, h.new_start, h.new_lines))
                .collect::<Vec<_>>()
        };
        assert_eq!(starts("", "a\n"), [(0, 0, 1, 1)]);
        assert_eq!(starts("a\nc\n", "a\nb\nc\n"), [(1, 0, 2, 1)]);
        assert_eq!(starts("a\nb\nc\n", "a\nc\n"), [(2, 1, 1, 0)]);
    }

    /// Not timed: unbounded, this would take hours; bounded, a second.
    #[test]
    fn hostile_texts_come_to_an_end() {
        let noise = |seed: u64, count| {
            let mut state = seed;
            let lines = (0..count).map(move |_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                format!("{}\n", (state >> 40) % 50)
            });
            lines.collect::<String>()
        };
        let (old, new) = (noise(1, 200_000), noise(2, 200_000));
        let diff = diff(&old, &new, 3);
        let lines = || diff.hunks.iter().flat_map(|hunk| &hunk.lines);
        let of = |tag| lines().filter(|line| line.0 == tag).count();
        assert_eq!((of(LineTag::Insert), of(LineTag::Delete)), (diff.additions, diff.deletions));
        assert_eq!(diff.additions, diff.deletions);
    }
}
