//! A line for display: without its line ending, and of a very long one only the part around the match.

/// A minified file is one line.
const MAX_EXCERPT_CHARS: usize = 2000;
/// How much text before the match to show at least, if there is as much.
const BEFORE: usize = 200;
const MARK: char = '…';

/// `found` is the offset of the match in `line`. Invalid UTF-8 becomes `U+FFFD`.
pub(super) fn excerpt_line(line: &[u8], found: usize) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // A character has at most four bytes, so this many bytes suffice, however long the line is.
    let found = floor(line, found.min(line.len()));
    let (before, after) = line.split_at_checked(found).unwrap_or((line, b""));
    let start = floor(before, before.len().saturating_sub(MAX_EXCERPT_CHARS * 4));
    let end = floor(after, after.len().min(MAX_EXCERPT_CHARS * 4 + 4));
    let before = String::from_utf8_lossy(before.get(start..).unwrap_or_default());
    let after = String::from_utf8_lossy(after.get(..end).unwrap_or_default());

    let (count_before, count_after) = (before.chars().count(), after.chars().count());
    // If little follows the match, keep more of what precedes it.
    let keep_before = count_before.min(BEFORE.max(MAX_EXCERPT_CHARS.saturating_sub(count_after)));
    let keep_after = count_after.min(MAX_EXCERPT_CHARS - keep_before);
    let mut text = String::new();
    if keep_before < count_before || start > 0 {
        text.push(MARK);
    }
    text.extend(before.chars().skip(count_before - keep_before));
    text.extend(after.chars().take(keep_after));
    if keep_after < count_after {
        text.push(MARK);
    }
    text
}

/// The nearest start of a character at or before `at`.
fn floor(line: &[u8], at: usize) -> usize {
    let continues = |at: &usize| line.get(*at).is_some_and(|byte| byte & 0xC0 == 0x80);
    (at.saturating_sub(3)..=at).rev().find(|at| !continues(at)).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_short_line_is_whole_and_a_long_one_is_cut_around_the_match() {
        assert_eq!(excerpt_line(b"  let x = 1;\r\n", 6), "  let x = 1;");
        assert_eq!(excerpt_line(b"\xFFx", 1), "\u{FFFD}x");
        assert_eq!(excerpt_line(b"\r\n", 0), "");
        let line = format!("{}match{}", "ä".repeat(5000), "ö".repeat(5000));
        let expected = format!("…{}match{}…", "ä".repeat(200), "ö".repeat(1795));
        assert_eq!(excerpt_line(line.as_bytes(), 10_000), expected);
        let exact = "x".repeat(2000);
        assert_eq!(excerpt_line(exact.as_bytes(), 1999), exact);
        let line = format!("{}end", "x".repeat(9000));
        assert_eq!(excerpt_line(line.as_bytes(), 9000), format!("…{}end", "x".repeat(1997)));
    }

    proptest! {
        #[test]
        fn any_bytes_give_a_bounded_text(line in proptest::collection::vec(any::<u8>(), 0..9000), at in 0..9000usize) {
            let at = at.min(line.len());
            prop_assert!(excerpt_line(&line, at).chars().count() <= MAX_EXCERPT_CHARS + 2);
        }
    }
}
