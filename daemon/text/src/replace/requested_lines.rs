//! The request as lines: old lines and their replacement.
//!
//! A line break at the end of the old text ends its last line; the new text is then read the same way. What
//! neither text mentions stays as it is, including the last line's break.

use std::ops::Range;

use similar::DiffTag;

use crate::LineTag;
use crate::diff::ops;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RequestedLines<'a> {
    pub(crate) old: Vec<&'a str>,
    pub(crate) new: Vec<&'a str>,
    /// The lines that a hunk keeps, by their indexes in both texts. Without a hunk, a comparison finds them.
    kept: Option<Vec<(usize, usize)>>,
}

/// Old lines, and the new lines in their place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineOp {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
    pub(super) is_equal: bool,
}

impl<'a> RequestedLines<'a> {
    /// Both texts have only `\n` as line break.
    pub(super) fn new(old: &'a str, new: &'a str) -> Self {
        let (old, new) = match old.strip_suffix('\n') {
            Some(_) if new.is_empty() => (split(old), Vec::new()),
            Some(_) => (split(old), split(new)),
            None => (split(old), new.split('\n').collect()),
        };
        Self { old, new, kept: None }
    }

    pub(crate) fn from_hunk(lines: &[(LineTag, &'a str)]) -> Self {
        let (mut old, mut new, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        for (tag, line) in lines {
            match tag {
                LineTag::Equal => {
                    kept.push((old.len(), new.len()));
                    old.push(*line);
                    new.push(*line);
                }
                LineTag::Delete => old.push(*line),
                LineTag::Insert => new.push(*line),
            }
        }
        Self { old, new, kept: Some(kept) }
    }

    pub(super) fn is_hunk(&self) -> bool {
        self.kept.is_some()
    }

    /// The same request with its lines read otherwise. `None` if a hunk would have other lines.
    pub(super) fn with_lines<'b>(&self, old: Vec<&'b str>, new: Vec<&'b str>) -> Option<RequestedLines<'b>> {
        let is_same = old.len() == self.old.len() && new.len() == self.new.len();
        (is_same || !self.is_hunk()).then(|| RequestedLines { old, new, kept: self.kept.clone() })
    }

    /// Only these lines of both texts. `None` if that is nothing.
    pub(super) fn slice(&self, old: Range<usize>, new: Range<usize>) -> Option<Self> {
        let inside = |(a, b): &&(usize, usize)| old.contains(a) && new.contains(b);
        let shift = |(a, b): &(usize, usize)| (a - old.start, b - new.start);
        let kept = self.kept.as_ref().map(|kept| kept.iter().filter(inside).map(shift).collect());
        let (old, new) = (self.old.get(old.clone())?.to_vec(), self.new.get(new.clone())?.to_vec());
        Some(Self { old, new, kept })
    }

    /// Strips the blank lines around the old text, and around the new one, which must have the same or none.
    pub(super) fn without_blank_margins(&self) -> Option<Self> {
        let blank = |line: &&&str| line.trim().is_empty();
        let before = self.old.iter().take_while(blank).count();
        let after = self.old.iter().rev().take_while(blank).count();
        if before + after == 0 || before == self.old.len() {
            return None;
        }
        let new_before = self.new.iter().take_while(blank).count();
        let rest = self.new.get(new_before..)?;
        let new_after = rest.iter().rev().take_while(blank).count();
        // Any other number of them is intended.
        if ![0, before].contains(&new_before) || ![0, after].contains(&new_after) {
            return None;
        }
        self.slice(before..self.old.len() - after, new_before..self.new.len() - new_after)
    }

    /// A model may take the final newline for an empty line. `None` if the hunk has no such line.
    pub(crate) fn without_last_empty_line(&self) -> Option<Self> {
        let (last, kept) = (self.old.len().checked_sub(1)?, self.kept.as_ref()?);
        if last == 0 || self.old.last() != Some(&"") {
            return None;
        }
        let new_last = self.new.len().checked_sub(1);
        let drops_new = match kept.last() {
            Some((old, new)) if *old == last => {
                if Some(*new) != new_last {
                    return None;
                }
                true
            }
            kept => self.new.last() == Some(&"") && kept.map(|(_, new)| *new) != new_last,
        };
        self.slice(0..last, 0..self.new.len() - usize::from(drops_new))
    }

    /// For each new line, whether the model wrote it; the others are lines that a hunk keeps.
    pub(super) fn written_lines(&self) -> Vec<bool> {
        let mut is_written = vec![true; self.new.len()];
        for (_, kept) in self.kept.iter().flatten() {
            is_written.get_mut(*kept).into_iter().for_each(|is_written| *is_written = false);
        }
        is_written
    }

    /// Which lines stay and which are replaced, in order.
    pub(super) fn ops(&self) -> Vec<LineOp> {
        let Some(kept) = &self.kept else { return self.compare(0..self.old.len(), 0..self.new.len()) };
        let mut found = Vec::new();
        let (mut old, mut new) = (0, 0);
        for (old_kept, new_kept) in kept {
            found.extend(self.compare(old..*old_kept, new..*new_kept));
            (old, new) = (old_kept + 1, new_kept + 1);
            found.push(LineOp { old: *old_kept..old, new: *new_kept..new, is_equal: true });
        }
        found.extend(self.compare(old..self.old.len(), new..self.new.len()));
        found
    }

    fn compare(&self, old: Range<usize>, new: Range<usize>) -> Vec<LineOp> {
        let lines =
            (self.old.get(old.clone()).unwrap_or_default(), self.new.get(new.clone()).unwrap_or_default());
        let shift = |range: Range<usize>, by: usize| range.start + by..range.end + by;
        let op = |(tag, old_range, new_range): (DiffTag, Range<usize>, Range<usize>)| LineOp {
            old: shift(old_range, old.start),
            new: shift(new_range, new.start),
            is_equal: tag == DiffTag::Equal,
        };
        ops(lines.0, lines.1).iter().map(|found| op(found.as_tag_tuple())).collect()
    }

    /// The old lines from the first to the last that a hunk changes; `None` if it changes none.
    pub(crate) fn changed_lines(&self) -> Option<Range<usize>> {
        let kept = self.kept.as_deref().unwrap_or_default();
        let (mut old, mut new) = (0, 0);
        let mut changed: Option<Range<usize>> = None;
        for (old_kept, new_kept) in kept.iter().copied().chain([(self.old.len(), self.new.len())]) {
            if old < old_kept || new < new_kept {
                changed.get_or_insert(old..old_kept).end = old_kept;
            }
            (old, new) = (old_kept + 1, new_kept + 1);
        }
        changed
    }
}

/// A final break starts no further line.
fn split(text: &str) -> Vec<&str> {
    text.strip_suffix('\n').unwrap_or(text).split('\n').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(old: &'static str, new: &'static str) -> (Vec<&'static str>, Vec<&'static str>) {
        let RequestedLines { old, new, .. } = RequestedLines::new(old, new);
        (old, new)
    }

    #[test]
    fn texts_are_lines() {
        assert_eq!(reading("a\nb", "c"), (vec!["a", "b"], vec!["c"]));
        assert_eq!(reading("a\nb\n", "c\n"), (vec!["a", "b"], vec!["c"]));
        assert_eq!(reading("a\n", "c"), (vec!["a"], vec!["c"]));
        assert_eq!(reading("a\n", ""), (vec!["a"], vec![]), "the line goes");
        assert_eq!(reading("a", ""), (vec!["a"], vec![""]), "the line is empty");
        assert_eq!(reading("a", "c\n"), (vec!["a"], vec!["c", ""]));
    }

    #[test]
    fn margins_are_those_of_both() {
        let bare = |old, new| {
            RequestedLines::new(old, new).without_blank_margins().map(|reading| (reading.old, reading.new))
        };
        assert_eq!(bare("\n\na\n\n", "b"), Some((vec!["a"], vec!["b"])));
        assert_eq!(bare("\na", "\nb"), Some((vec!["a"], vec!["b"])));
        assert_eq!(bare("\na", "\n\nb"), None);
        assert_eq!(bare("\na", "b\n"), None);
        assert_eq!(bare("a", "b"), None);
        assert_eq!(bare("\n \n", "b"), None);
    }

    #[test]
    fn a_hunk_says_which_of_its_lines_stay() {
        use LineTag::{Delete, Equal, Insert};
        let hunk = [(Equal, "}"), (Delete, "}"), (Insert, "x"), (Equal, "}")];
        let request = RequestedLines::from_hunk(&hunk);
        let op = |old, new, is_equal| LineOp { old, new, is_equal };
        assert_eq!(request.ops(), [op(0..1, 0..1, true), op(1..2, 1..2, false), op(2..3, 2..3, true)]);
        assert_eq!(request.changed_lines(), Some(1..2));
        assert_eq!(request.slice(1..3, 1..3).unwrap().ops(), [op(0..1, 0..1, false), op(1..2, 1..2, true)]);
    }
}
