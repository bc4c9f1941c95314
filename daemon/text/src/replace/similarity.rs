//! The similarity of two lines, by the characters to change, delete or insert.

/// Lines with longer differences count as dissimilar.
const MAX_CHARS: usize = 500;

/// The share of the longer line that both have, up to 1; half or less counts as 0.
pub(super) fn similarity(one: &str, other: &str) -> f64 {
    let length = one.chars().count().max(other.chars().count());
    match distance(one, other, length / 2) {
        Some(distance) => 1.0 - distance as f64 / length.max(1) as f64,
        None => 0.0,
    }
}

/// The number of differing characters, if it is at most `most`.
pub(super) fn distance(one: &str, other: &str, most: usize) -> Option<usize> {
    // A character has at most four bytes.
    if one.len().abs_diff(other.len()) > most.saturating_mul(4) {
        return None;
    }
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let same = one.floor_char_boundary(same).min(other.floor_char_boundary(same));
    let (one, other) = (one.get(same..)?, other.get(same..)?);
    let ending = one.chars().rev().zip(other.chars().rev()).take_while(|(a, b)| a == b);
    let ending: usize = ending.map(|(c, _)| c.len_utf8()).sum();
    let (one, other) = (one.get(..one.len() - ending)?, other.get(..other.len() - ending)?);
    if one.len().max(other.len()) > MAX_CHARS * 4 {
        return None;
    }
    // What is left differs at both ends: one change makes it equal only if it is one character, or all of it is deleted.
    let is_one_character = |text: &str| text.chars().nth(1).is_none();
    if most < 2 && !(is_one_character(one) && is_one_character(other) || one.is_empty() || other.is_empty()) {
        return None;
    }
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    if long.len() - short.len() > most || long.len() > MAX_CHARS {
        return None;
    }
    // Row by row; stop when a row's minimum exceeds the limit.
    let mut row: Vec<usize> = (0..=short.len()).collect();
    for (index, c) in long.iter().enumerate() {
        let mut diagonal = index;
        let mut before = index + 1;
        let mut least = before;
        if let Some(first) = row.first_mut() {
            *first = before;
        }
        for (cell, other) in row.iter_mut().skip(1).zip(&short) {
            let changed = diagonal + usize::from(c != other);
            diagonal = *cell;
            *cell = changed.min(*cell + 1).min(before + 1);
            before = *cell;
            least = least.min(before);
        }
        if least > most {
            return None;
        }
    }
    row.last().copied().filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_counted() {
        let cases = [
            ("", "", 0),
            ("abc", "abc", 0),
            ("abc", "axc", 1),
            ("kitten", "sitting", 3),
            ("é", "è", 1),
            ("aé", "é", 1),
        ];
        for (one, other, expected) in cases {
            assert_eq!(distance(one, other, 10), Some(expected), "{one} {other}");
            assert_eq!(distance(other, one, expected), Some(expected));
            assert_eq!(expected.checked_sub(1).and_then(|most| distance(one, other, most)), None);
        }
        assert_eq!(similarity("abcd", "abce"), 0.75);
        assert_eq!(similarity("abcd", "wxyz"), 0.0);
        assert_eq!(similarity("", ""), 1.0);
    }
}
