//! Edit distance of two texts: the characters to delete and insert to turn one into the other.

use std::time::Instant;

use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};

use crate::diff_window::DiffWindow;
use crate::time_limits::DISTANCE_TIMEOUT;

/// In characters. Exact for small differences.
pub fn distance(one: &str, other: &str) -> usize {
    let window = DiffWindow::between(one, other, 0);
    let (one, other): (Vec<char>, Vec<char>) = (window.old.chars().collect(), window.new.chars().collect());
    let deadline = Some(Instant::now() + DISTANCE_TIMEOUT);
    let ops = capture_diff_slices_deadline(Algorithm::Myers, &one, &other, deadline);
    let differing = ops.iter().filter(|op| op.tag() != DiffTag::Equal);
    differing.map(|op| op.old_range().len() + op.new_range().len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_taken_and_given_are_counted() {
        let cases = [
            ("", "", 0),
            ("aa", "éaax", 2),
            ("A", "éaax", 5),
            ("a\nb\nc\n", "a\nB\nc\n", 2),
            ("a\n", "a\na\n", 2),
        ];
        for (one, other, expected) in cases {
            assert_eq!(
                (distance(one, other), distance(other, one)),
                (expected, expected),
                "{one:?} {other:?}"
            );
        }
    }
}
