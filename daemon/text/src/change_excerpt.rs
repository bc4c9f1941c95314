//! Shows a change by the lines around its edits: in a text of a hundred thousand lines, the others are
//! neither copied nor compared.

use memchr::{memchr, memchr_iter, memrchr};

use crate::diff::{Diff, MARGIN, piece_diff};
use crate::diff_window::{end_of_first_lines, start_of_last_lines};
use crate::{Change, StaleChangeError};

/// The lines that a change touches, before and after it, with some context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeExcerpt<'a> {
    lines_before: usize,
    old: &'a str,
    new: String,
}

impl Change {
    /// The excerpt of applying this change to its text.
    pub fn excerpt<'a>(&self, text: &'a str) -> Result<ChangeExcerpt<'a>, StaleChangeError> {
        let (Some(first), Some(last)) = (self.edits().first(), self.edits().last()) else {
            return Ok(ChangeExcerpt { lines_before: 0, old: "", new: String::new() });
        };
        let bytes = text.as_bytes();
        let before = bytes.get(..first.range.start).unwrap_or_default();
        let before = before.get(..memrchr(b'\n', before).map_or(0, |at| at + 1)).unwrap_or_default();
        let after = bytes.get(last.range.end..).unwrap_or_default();
        let after = after.get(memchr(b'\n', after).map_or(after.len(), |at| at + 1)..).unwrap_or_default();
        let piece =
            start_of_last_lines(before, MARGIN)..text.len() - after.len() + end_of_first_lines(after, MARGIN);
        let new = self.apply_within(text, piece.clone())?;
        let lines_before = memchr_iter(b'\n', bytes.get(..piece.start).unwrap_or_default()).count();
        Ok(ChangeExcerpt { lines_before, old: text.get(piece).unwrap_or_default(), new })
    }
}

impl ChangeExcerpt<'_> {
    /// Like [`diff`](crate::diff()) of the whole texts; among equal places it shows one at an edit.
    pub fn diff(&self, context: usize) -> Diff<'_> {
        piece_diff(self.old, &self.new, self.lines_before, context.min(MARGIN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Edit, TruncateLimits, diff};

    #[test]
    fn what_is_shown_is_what_the_whole_texts_show() {
        let lines = |changed: &[(usize, &str)]| {
            let line = |number: usize| match changed.iter().find(|(at, _)| *at == number) {
                Some((_, text)) => (*text).to_owned(),
                None => format!("line {number}\n"),
            };
            (0..1000).map(line).collect::<String>()
        };
        let old = lines(&[]);
        for new in [
            lines(&[]),
            lines(&[(0, "first\n")]),
            lines(&[(999, "last")]),
            lines(&[(500, ""), (501, "two\nlines\n")]),
            lines(&[(3, "near\n"), (500, "middle\n"), (990, "end\n")]),
        ] {
            let change = Change::between(&old, &new);
            let around = change.excerpt(&old).unwrap();
            let expected = diff(&old, &new, 3);
            assert_eq!(around.diff(3), expected, "{}", expected.to_unified(TruncateLimits::default()));
        }
    }

    #[test]
    fn a_hunk_among_equal_lines_stays_near_its_edit() {
        let old = "same\n".repeat(1000);
        let change =
            Change::from_unchecked_edits(&old, vec![Edit { range: 2500..2500, text: "same\n".into() }])
                .unwrap();
        let around = change.excerpt(&old).unwrap();
        let diff = around.diff(0);
        assert_eq!((diff.additions, diff.deletions), (1, 0));
        assert!(diff.hunks.iter().all(|hunk| hunk.new_start.abs_diff(500) <= MARGIN + 2));
    }

    #[test]
    fn a_change_for_another_text_shows_nothing() {
        let change = Change::between("a long line", "a long lie");
        assert_eq!(change.excerpt("short"), Err(StaleChangeError { range: 9..10 }));
    }
}
