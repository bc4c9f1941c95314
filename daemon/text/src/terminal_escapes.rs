//! Finds terminal escape sequences, so that none is cut in two: half a sequence is noise at best, and at
//! worst swallows the text after it.

use std::borrow::Cow;

/// Anything longer is text.
const MAX_BYTES: usize = 256;

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;

/// The sequence that contains the offset, if any, as a range. An unterminated one extends to the end of the
/// text.
pub(crate) fn sequence_at(text: &str, at: usize) -> Option<std::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let from = at.saturating_sub(MAX_BYTES);
    // An escape inside a sequence ends a title, so check the outer sequence too.
    let starts = (from..at).filter(|place| bytes.get(*place) == Some(&ESCAPE));
    starts
        .map(|start| start..start + length(bytes.get(start..).unwrap_or_default()))
        .find(|found| found.end > at)
}

/// Removes all escape sequences.
pub fn strip_escapes(text: &str) -> Cow<'_, str> {
    let mut rest = text;
    let mut kept = String::new();
    while let Some((before, sequence)) = rest.find(ESCAPE as char).and_then(|at| rest.split_at_checked(at)) {
        kept.push_str(before);
        let end = sequence.ceil_char_boundary(length(sequence.as_bytes()));
        rest = sequence.get(end..).unwrap_or_default();
    }
    if rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// The length in bytes of the sequence that starts here.
fn length(bytes: &[u8]) -> usize {
    let rest = bytes.get(1..bytes.len().min(MAX_BYTES)).unwrap_or_default();
    let until = |is_last: &dyn Fn(usize, u8) -> bool, from: usize| {
        let place = rest.iter().enumerate().skip(from).position(|(place, byte)| is_last(place, *byte));
        place.map_or(rest.len() + 1, |place| from + place + 2)
    };
    match rest.first() {
        // A control sequence: parameters, then a letter.
        Some(b'[') => until(&|_, byte| (0x40..=0x7e).contains(&byte), 1),
        // A string such as a title, up to a bell or `ESC \`.
        Some(b']' | b'P' | b'X' | b'^' | b'_') => until(
            &|place, byte| byte == BELL || byte == b'\\' && place > 0 && rest.get(place - 1) == Some(&ESCAPE),
            1,
        ),
        // A sequence with intermediate bytes, as for character sets.
        Some(0x20..=0x2f) => until(&|_, byte| (0x30..=0x7e).contains(&byte), 1),
        Some(_) => 2,
        None => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_within_a_sequence_is_known() {
        for (text, at, expected) in [
            ("a\x1b[31mred", 1, None),
            ("a\x1b[31mred", 2, Some(1..6)),
            ("a\x1b[31mred", 5, Some(1..6)),
            ("a\x1b[31mred", 6, None),
            ("\x1b]0;title\x07x", 8, Some(0..10)),
            ("\x1b]0;title\x07x", 10, None),
            ("\x1b]8;;u\x1b\\x", 7, Some(0..8)),
            ("\x1b(Bx", 2, Some(0..3)),
            ("\x1b=x", 1, Some(0..2)),
            ("\x1b[31", 3, Some(0..4)),
            ("plain", 3, None),
        ] {
            assert_eq!(sequence_at(text, at), expected, "{text:?} at {at}");
        }
        let endless = format!("\x1b]{}", "x".repeat(1000));
        assert_eq!((sequence_at(&endless, 100), sequence_at(&endless, 600)), (Some(0..MAX_BYTES), None));
    }

    #[test]
    fn none_is_left() {
        for (text, expected) in [
            ("plain", "plain"),
            ("a\x1b[31mred\x1b[0m!", "ared!"),
            ("\x1b]8;;u\x1b\\x\x1b]0;title\x07y", "xy"),
            ("\x1bé\x1b", ""),
            ("a\x1b[31", "a"),
        ] {
            assert_eq!(strip_escapes(text), expected, "{text:?}");
        }
    }
}
