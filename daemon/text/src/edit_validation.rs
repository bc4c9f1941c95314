//! Validates edits from outside and builds a [`Change`] of them. All invariants of `Change` are checked here,
//! once.

use std::ops::Range;

use thiserror::Error;

use crate::{Change, Edit};

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EditRangeError {
    #[error("bytes {}..{} are not in the text", .0.start, .0.end)]
    Outside(Range<usize>),
    #[error("bytes {}..{} begin or end inside a character", .0.start, .0.end)]
    InCharacter(Range<usize>),
    #[error("bytes {}..{} begin or end between a carriage return and its line feed", .0.start, .0.end)]
    InLineBreak(Range<usize>),
    #[error("the edit of bytes {}..{} begins before the end of the one before it, {}", .0.start, .0.end, .1)]
    OutOfOrder(Range<usize>, usize),
}

impl Change {
    /// Builds a change of `text`. The edits must be in order and must not overlap; adjacent ones are merged.
    pub fn from_unchecked_edits(text: &str, edits: Vec<Edit>) -> Result<Self, EditRangeError> {
        let mut at = 0;
        for Range { start, end } in edits.iter().map(|edit| edit.range.clone()) {
            let range = || start..end;
            if start > end || end > text.len() {
                return Err(EditRangeError::Outside(range()));
            }
            if start < at {
                return Err(EditRangeError::OutOfOrder(range(), at));
            }
            if !text.is_char_boundary(start) || !text.is_char_boundary(end) {
                return Err(EditRangeError::InCharacter(range()));
            }
            if splits_line_break(text, start) || splits_line_break(text, end) {
                return Err(EditRangeError::InLineBreak(range()));
            }
            at = end;
        }
        Ok(Self::from_edits(join_adjacent(edits)))
    }
}

/// Whether the offset is between a `\r` and its `\n`.
pub(crate) fn splits_line_break(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    at.checked_sub(1).is_some_and(|before| bytes.get(before) == Some(&b'\r')) && bytes.get(at) == Some(&b'\n')
}

/// Merges adjacent edits and drops empty ones.
pub(crate) fn join_adjacent(edits: Vec<Edit>) -> Vec<Edit> {
    let mut joined: Vec<Edit> = Vec::with_capacity(edits.len());
    for edit in edits.into_iter().filter(|edit| !edit.range.is_empty() || !edit.text.is_empty()) {
        match joined.last_mut() {
            Some(last) if last.range.end == edit.range.start => {
                last.range.end = edit.range.end;
                last.text.push_str(&edit.text);
            }
            _ => joined.push(edit),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn checked(text: &str, edits: &[(Range<usize>, &str)]) -> Result<Change, EditRangeError> {
        let edit = |(range, text): &(Range<usize>, &str)| Edit { range: range.clone(), text: (*text).into() };
        Change::from_unchecked_edits(text, edits.iter().map(edit).collect())
    }

    #[test]
    fn what_a_change_promises_is_checked() {
        assert_eq!(checked("abc", &[(1..4, "")]), Err(EditRangeError::Outside(1..4)));
        // A range that ends before it starts, as a damaged journal may contain it.
        let backwards = Range { start: 2, end: 1 };
        assert_eq!(checked("abc", &[(backwards.clone(), "")]), Err(EditRangeError::Outside(backwards)));
        assert_eq!(checked("é", &[(1..2, "")]), Err(EditRangeError::InCharacter(1..2)));
        assert_eq!(checked("a\r\n", &[(0..2, "")]), Err(EditRangeError::InLineBreak(0..2)));
        assert_eq!(checked("abc", &[(1..3, ""), (2..2, "x")]), Err(EditRangeError::OutOfOrder(2..2, 3)));
    }

    #[test]
    fn edits_that_touch_become_one() {
        let change = checked("abc", &[(0..1, "A"), (1..1, ""), (1..1, "x"), (1..2, "B")]).unwrap();
        assert_eq!(change.edits(), [Edit { range: 0..2, text: "AxB".into() }]);
        assert_eq!(change.apply("abc").unwrap(), "AxBc");
    }

    #[test]
    fn a_change_is_written_as_a_list_of_edits() {
        let change = checked("abc", &[(1..2, "é")]).unwrap();
        let json = serde_json::to_string(&change).unwrap();
        assert_eq!(json, r#"[{"range":{"start":1,"end":2},"text":"é"}]"#);
        assert_eq!(serde_json::from_str::<Change>(&json).unwrap(), change);
    }

    #[test]
    fn a_change_read_out_of_order_is_refused_when_applied() {
        let json = r#"[{"range":{"start":2,"end":1},"text":""}]"#;
        let change: Change = serde_json::from_str(json).unwrap();
        assert!(change.apply("abc").is_err());
    }
}
