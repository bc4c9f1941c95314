//! A change to one text: minimal edits at byte ranges, sorted and non-overlapping.
//!
//! Edits are minimal because an editor keeps cursors, marks and the user's typing wherever nothing is
//! replaced. To derive edits from two texts, lines are compared first; within differing lines the common
//! prefix and suffix stay untouched.
//!
//! Invariant: no edit begins or ends inside a character, or between a `\r` and its `\n` (editors have no such
//! position).

use std::hash::Hash;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use similar::DiffTag;
use thiserror::Error;

use crate::diff::ops;
use crate::diff_window::DiffWindow;

/// Replaces the range by `text`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    pub range: Range<usize>,
    pub text: String,
}

/// The edits to one text, in text order. A deserialised change may be invalid; applying it rejects edits that
/// are out of order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Change {
    edits: Vec<Edit>,
}

/// The change was made for another text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the change was made for another text: it has no bytes {}..{}", range.start, range.end)]
pub struct StaleChangeError {
    pub range: Range<usize>,
}

impl From<Edit> for Change {
    fn from(edit: Edit) -> Self {
        Self::from_edits(vec![edit])
    }
}

impl Change {
    /// The change that turns `old` into `new`.
    pub fn between(old: &str, new: &str) -> Self {
        let window = DiffWindow::between(old, new, 0);
        Self { edits: edits_between(window.old, window.new, window.start, |line| line) }
    }

    /// The edits must be sorted and must not overlap.
    pub(crate) fn from_edits(edits: Vec<Edit>) -> Self {
        Self { edits }
    }

    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }

    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// The same change in at most `most` edits, of which the widest is as narrow as it can be: neighbours become one, which writes
    /// the text between them again.
    pub fn joined(&self, text: &str, most: usize) -> Result<Self, StaleChangeError> {
        if self.edits.len() <= most {
            return Ok(self.clone());
        }
        let (mut too_narrow, mut width) = (0, text.len());
        while width - too_narrow > 1 {
            let middle = too_narrow + (width - too_narrow) / 2;
            if self.groups(middle).count() > most { too_narrow = middle } else { width = middle }
        }
        let joined: Result<Vec<_>, _> = self.groups(width).map(|group| join_edits(text, group)).collect();
        Ok(Self { edits: joined?.into_iter().flatten().collect() })
    }

    /// The edits in groups that each span at most `width` bytes, or are one edit.
    fn groups(&self, width: usize) -> impl Iterator<Item = &[Edit]> {
        let mut rest = self.edits.as_slice();
        std::iter::from_fn(move || {
            let start = rest.first()?.range.start;
            let count = rest.iter().take_while(|edit| edit.range.end - start <= width).count().max(1);
            let (group, behind) = rest.split_at(count);
            rest = behind;
            Some(group)
        })
    }

    pub fn apply(&self, text: &str) -> Result<String, StaleChangeError> {
        self.apply_within(text, 0..text.len())
    }

    /// Applies the change to a piece of the text that contains all edits.
    pub(crate) fn apply_within(&self, text: &str, piece: Range<usize>) -> Result<String, StaleChangeError> {
        let grown: usize = self.edits.iter().map(|edit| edit.text.len()).sum();
        let mut result = String::with_capacity(piece.len() + grown);
        let mut at = piece.start;
        for edit in &self.edits {
            let (kept, replaced) = (text.get(at..edit.range.start), text.get(edit.range.clone()));
            let (Some(kept), Some(_)) = (kept, replaced) else {
                return Err(StaleChangeError { range: edit.range.clone() });
            };
            result.push_str(kept);
            result.push_str(&edit.text);
            at = edit.range.end;
        }
        result.push_str(text.get(at..piece.end).unwrap_or_default());
        Ok(result)
    }
}

/// One edit instead of several.
fn join_edits(text: &str, edits: &[Edit]) -> Result<Option<Edit>, StaleChangeError> {
    let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return Ok(None) };
    let range = first.range.start..last.range.end;
    let text = Change { edits: edits.to_vec() }.apply_within(text, range.clone())?;
    Ok(Some(Edit { range, text }))
}

/// The edits that turn `old`, which starts at `base` in its text, into `new`. Lines with equal keys stay as
/// they are.
pub(crate) fn edits_between<'a, K: Hash + Eq + Copy>(
    old: &'a str,
    new: &'a str,
    base: usize,
    key: impl Fn(&'a str) -> K,
) -> Vec<Edit> {
    if !old.contains('\n') && !new.contains('\n') {
        return trim_common(old, new, base).into_iter().collect();
    }
    let (old_lines, new_lines) = (LineOffsets::new(old), LineOffsets::new(new));
    let keys = |lines: &LineOffsets<'a>| lines.lines.iter().map(|line| key(line)).collect::<Vec<_>>();
    let mut found = Vec::new();
    for op in ops(&keys(&old_lines), &keys(&new_lines)) {
        if op.tag() != DiffTag::Equal {
            let range = old_lines.bytes(op.old_range());
            let (before, after) =
                (old.get(range.clone()).unwrap_or_default(), new_lines.text(new, op.new_range()));
            found.extend(trim_common(before, after, base + range.start));
        }
    }
    found
}

/// The lines of a text and their start offsets.
struct LineOffsets<'a> {
    lines: Vec<&'a str>,
    starts: Vec<usize>,
    len: usize,
}

impl<'a> LineOffsets<'a> {
    fn new(text: &'a str) -> Self {
        let lines: Vec<_> = text.split_inclusive('\n').collect();
        let starts = lines.iter().scan(0, |at, line| Some(std::mem::replace(at, *at + line.len()))).collect();
        Self { lines, starts, len: text.len() }
    }

    fn bytes(&self, lines: Range<usize>) -> Range<usize> {
        let start = |line: usize| self.starts.get(line).copied().unwrap_or(self.len);
        start(lines.start)..start(lines.end)
    }

    fn text(&self, text: &'a str, lines: Range<usize>) -> &'a str {
        text.get(self.bytes(lines)).unwrap_or_default()
    }
}

/// The one edit between two pieces, without their common prefix and suffix.
fn trim_common(old: &str, new: &str, base: usize) -> Option<Edit> {
    if old == new {
        return None;
    }
    let both = old.chars().zip(new.chars());
    let mut prefix: usize = both.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let splits = |prefix: usize, text: &str| {
        let (before, after) = text.split_at_checked(prefix).unwrap_or_default();
        before.ends_with('\r') && after.starts_with('\n')
    };
    if splits(prefix, old) || splits(prefix, new) {
        prefix -= 1;
    }
    let (old, new) = (old.get(prefix..).unwrap_or_default(), new.get(prefix..).unwrap_or_default());
    let both = old.chars().rev().zip(new.chars().rev());
    let mut suffix: usize = both.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    if splits(old.len() - suffix, old) || splits(new.len() - suffix, new) {
        suffix -= 1;
    }
    let text = new.get(..new.len() - suffix).unwrap_or_default().to_owned();
    let start = base + prefix;
    Some(Edit { range: start..start + old.len() - suffix, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, expected: &[(Range<usize>, &str)]) {
        let change = Change::between(old, new);
        let seen: Vec<_> = change.edits().iter().map(|e| (e.range.clone(), e.text.as_str())).collect();
        assert_eq!(seen, expected);
        assert_eq!(change.apply(old).unwrap(), new);
    }

    #[test]
    fn only_what_differs_is_touched() {
        check("same", "same", &[]);
        check("let x = 1;", "let x = 12;", &[(9..9, "2")]);
        check("a\nb\nc\nd\n", "a\nB\nc\nd!\n", &[(2..3, "B"), (7..7, "!")]);
        check("é", "è", &[(0..2, "è")]);
        check("a\r\n", "a\n", &[(1..3, "\n")]);
        check("a\r", "a\r\n", &[(1..2, "\r\n")]);
    }

    #[test]
    fn joined_edits_are_narrow() {
        let (old, new) = ("a\nb\nc\nd\ne\nf\ng\n", "A\nb\nC\nd\ne\nf\nG\n");
        let change = Change::between(old, new);
        for (most, expected) in [
            (3, vec![(0..1, "A"), (4..5, "C"), (12..13, "G")]),
            (2, vec![(0..5, "A\nb\nC"), (12..13, "G")]),
            (1, vec![(0..13, "A\nb\nC\nd\ne\nf\nG")]),
        ] {
            let joined = change.joined(old, most).unwrap();
            let seen: Vec<_> = joined.edits().iter().map(|e| (e.range.clone(), e.text.as_str())).collect();
            assert_eq!(seen, expected);
        }
        assert!(change.joined("short", 1).is_err());
        // All texts between the edits are alike.
        let (old, new) = ("a\nb\n".repeat(1000), "a\nB\n".repeat(1000));
        let joined = Change::between(&old, &new).joined(&old, 300).unwrap();
        assert_eq!(joined.apply(&old).unwrap(), new);
        assert!(joined.edits().len() <= 300);
        assert_eq!(joined.edits().iter().map(|edit| edit.range.len()).max(), Some(13));
    }

    #[test]
    fn a_change_for_another_text_is_refused() {
        let change = Change::between("a long line", "a long lie");
        assert_eq!(change.apply("short"), Err(StaleChangeError { range: 9..10 }));
    }
}
