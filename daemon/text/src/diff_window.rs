//! Strips the common first and last lines from two texts. Little is left if one of a hundred thousand lines
//! changed.

use memchr::{memchr, memchr_iter, memrchr};

/// The differing pieces of two texts, in whole lines.
pub(crate) struct DiffWindow<'a> {
    /// The start of both pieces, in bytes and in lines.
    pub(crate) start: usize,
    pub(crate) lines_before: usize,
    pub(crate) old: &'a str,
    pub(crate) new: &'a str,
}

impl<'a> DiffWindow<'a> {
    /// Keeps `margin` equal lines on either side.
    pub(crate) fn between(old: &'a str, new: &'a str, margin: usize) -> Self {
        let (old_bytes, new_bytes) = (old.as_bytes(), new.as_bytes());
        let same = common_prefix(old_bytes, new_bytes);
        let before = memrchr(b'\n', slice(old_bytes, 0, same)).map_or(0, |at| at + 1);
        let (old_rest, new_rest) = (slice(old_bytes, before, old.len()), slice(new_bytes, before, new.len()));
        let same = common_suffix(old_rest, new_rest);
        // A line starts after the first common break.
        let tail = slice(old_rest, old_rest.len() - same, old_rest.len());
        let after = memchr(b'\n', tail).map_or(0, |at| tail.len() - at - 1);
        let start = start_of_last_lines(slice(old_bytes, 0, before), margin);
        let after = after - end_of_first_lines(slice(old_bytes, old.len() - after, old.len()), margin);
        Self {
            start,
            lines_before: memchr_iter(b'\n', slice(old_bytes, 0, start)).count(),
            old: old.get(start..old.len() - after).unwrap_or_default(),
            new: new.get(start..new.len() - after).unwrap_or_default(),
        }
    }
}

fn slice(bytes: &[u8], start: usize, end: usize) -> &[u8] {
    bytes.get(start..end).unwrap_or_default()
}

/// The start of the last `lines` lines. The text must end with a line break.
pub(crate) fn start_of_last_lines(text: &[u8], lines: usize) -> usize {
    let mut start = text.len();
    for _ in 0..lines {
        if start == 0 {
            break;
        }
        start = memrchr(b'\n', slice(text, 0, start - 1)).map_or(0, |at| at + 1);
    }
    start
}

/// The end of the first `lines` lines.
pub(crate) fn end_of_first_lines(text: &[u8], lines: usize) -> usize {
    match lines.checked_sub(1) {
        None => 0,
        Some(last) => memchr_iter(b'\n', text).nth(last).map_or(text.len(), |at| at + 1),
    }
}

/// Blocks are compared first, at memory speed.
const BLOCK: usize = 1024;

fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.chunks_exact(BLOCK).zip(other.chunks_exact(BLOCK));
    let whole = blocks.take_while(|(one, other)| one == other).count() * BLOCK;
    let rest = slice(one, whole, one.len()).iter().zip(slice(other, whole, other.len()));
    whole + rest.take_while(|(one, other)| one == other).count()
}

fn common_suffix(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.rchunks_exact(BLOCK).zip(other.rchunks_exact(BLOCK));
    let whole = blocks.take_while(|(one, other)| one == other).count() * BLOCK;
    let rest = slice(one, 0, one.len() - whole).iter().rev();
    whole + rest.zip(slice(other, 0, other.len() - whole).iter().rev()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, margin: usize, expected: (usize, usize, &str, &str)) {
        let window = DiffWindow::between(old, new, margin);
        assert_eq!((window.start, window.lines_before, window.old, window.new), expected);
    }

    #[test]
    fn only_lines_that_differ_are_left() {
        check("a\nb\nc\nd\n", "a\nb\nX\nd\n", 0, (4, 2, "c\n", "X\n"));
        check("a\nb\nc\nd\n", "a\nb\nX\nd\n", 1, (2, 1, "b\nc\nd\n", "b\nX\nd\n"));
        check("a\nb\nc\nd\n", "a\nb\nX\nd\n", 9, (0, 0, "a\nb\nc\nd\n", "a\nb\nX\nd\n"));
        check("same\n", "same\n", 0, (5, 1, "", ""));
        check("a\n", "a\na\n", 0, (2, 1, "", "a\n"));
        check("x end", "y end", 0, (0, 0, "x end", "y end"));
        check("", "a", 3, (0, 0, "", "a"));
    }

    proptest! {
        #[test]
        fn what_is_left_out_is_the_same_whole_lines(
            old in "[ab\\n]{0,12}", new in "[ab\\n]{0,12}", repeat in 1usize..400, margin in 0usize..4,
        ) {
            let (old, new) = (old.repeat(repeat), new.repeat(repeat));
            let window = DiffWindow::between(&old, &new, margin);
            let before = old.get(..window.start).unwrap();
            prop_assert!(new.starts_with(before));
            prop_assert!(before.is_empty() || before.ends_with('\n'));
            prop_assert_eq!(before.lines().count(), window.lines_before);
            let (old_after, new_after) =
                (old.get(window.start + window.old.len()..).unwrap(), new.get(window.start + window.new.len()..).unwrap());
            prop_assert_eq!(old_after, new_after);
            for piece in [window.old, window.new] {
                prop_assert!(old_after.is_empty() || piece.is_empty() || piece.ends_with('\n'));
            }
        }
    }
}
