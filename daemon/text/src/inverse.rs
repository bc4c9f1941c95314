//! Inverts a change: the edits that undo exactly its edits.

use crate::edit_validation::{join_adjacent, splits_line_break};
use crate::{Change, Edit, StaleChangeError};

impl Change {
    /// The change that turns the result of applying this to `base` back into `base`. To undo after the user
    /// typed, [`rebase`](crate::rebase()) it past that typing.
    pub fn inverse(&self, base: &str) -> Result<Self, StaleChangeError> {
        let new = self.apply(base)?;
        let mut edits = Vec::with_capacity(self.edits().len());
        let (mut at, mut seen) = (0, 0);
        for edit in self.edits() {
            let start = at + edit.range.start - seen;
            at = start + edit.text.len();
            seen = edit.range.end;
            let text = base.get(edit.range.clone()).unwrap_or_default().to_owned();
            edits.push(Edit { range: start..at, text });
        }
        Ok(Self::from_edits(join_adjacent(
            join_adjacent(edits).into_iter().map(|edit| around_breaks(edit, &new)).collect(),
        )))
    }
}

/// Widens the edit if it would split a `\r\n` that only the change brought together.
fn around_breaks(mut edit: Edit, text: &str) -> Edit {
    if splits_line_break(text, edit.range.start) {
        edit.range.start -= 1;
        edit.text.insert(0, '\r');
    }
    if splits_line_break(text, edit.range.end) {
        edit.range.end += 1;
        edit.text.push('\n');
    }
    edit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(base: &str, new: &str, edits: &[(std::ops::Range<usize>, &str)]) {
        let inverse = Change::between(base, new).inverse(base).unwrap();
        let seen: Vec<_> = inverse.edits().iter().map(|e| (e.range.clone(), e.text.as_str())).collect();
        assert_eq!(seen, edits);
        assert_eq!(inverse.apply(new).unwrap(), base);
    }

    #[test]
    fn each_edit_is_taken_back_where_it_is_now() {
        check("same", "same", &[]);
        check("a\nb\nc\nd\n", "a\nlong b\nc\nd!\n", &[(2..7, ""), (12..13, "")]);
        check("a\nb\nc\n", "a\nc\n", &[(2..2, "b\n")]);
    }

    #[test]
    fn a_break_that_the_change_made_is_not_split() {
        let change =
            Change::from_unchecked_edits("a\rb", vec![Edit { range: 2..2, text: "\n".into() }]).unwrap();
        let inverse = change.inverse("a\rb").unwrap();
        assert_eq!(inverse.edits(), [Edit { range: 1..3, text: "\r".into() }]);
        let change =
            Change::from_unchecked_edits("ab\n", vec![Edit { range: 0..2, text: "c\r".into() }]).unwrap();
        let inverse = change.inverse("ab\n").unwrap();
        assert_eq!(inverse.edits(), [Edit { range: 0..3, text: "ab\n".into() }]);
        // Replacing every occurrence may give adjacent edits.
        let touching = [(0..1, "\r"), (1..2, "\n")].map(|(range, text)| Edit { range, text: text.into() });
        let inverse = Change::from_edits(touching.into()).inverse("ab").unwrap();
        assert_eq!(inverse.edits(), [Edit { range: 0..2, text: "ab".into() }]);
    }

    #[test]
    fn a_change_for_another_text_has_no_inverse() {
        assert_eq!(Change::between("longer", "long").inverse("no"), Err(StaleChangeError { range: 4..6 }));
    }
}
