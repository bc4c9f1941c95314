//! One segment of a wildcard pattern, without `*`: at the start of a text, at its end, or anywhere in it.

use std::collections::HashMap;

/// The text behind the segment, if the text starts with it.
pub(super) fn match_start<'t>(segment: &str, text: &'t str) -> Option<&'t str> {
    if !segment.contains('?') {
        return text.strip_prefix(segment);
    }
    let mut rest = text.chars();
    for wanted in segment.chars() {
        let c = rest.next()?;
        if wanted != '?' && wanted != c {
            return None;
        }
    }
    Some(rest.as_str())
}

pub(super) fn matches_end(segment: &str, text: &str) -> bool {
    if !segment.contains('?') {
        return text.ends_with(segment);
    }
    let mut from_end = text.chars().rev();
    segment.chars().rev().all(|wanted| from_end.next().is_some_and(|c| wanted == '?' || wanted == c))
}

/// The text behind the leftmost place where the segment matches.
pub(super) fn match_leftmost<'t>(segment: &str, text: &'t str) -> Option<&'t str> {
    if segment.contains('?') {
        return match_leftmost_with_gaps(segment, text);
    }
    let at = text.find(segment)?;
    text.get(at + segment.len()..)
}

/// All places at once: bit `i` says that the first `i + 1` characters of the segment match up to here.
fn match_leftmost_with_gaps<'t>(segment: &str, text: &'t str) -> Option<&'t str> {
    let length = segment.chars().count();
    let blocks = length.div_ceil(64);
    let mut any = vec![0_u64; blocks];
    let mut by_character: HashMap<char, Vec<u64>> = HashMap::new();
    for (at, wanted) in segment.chars().enumerate() {
        let mask = match wanted {
            '?' => &mut any,
            wanted => by_character.entry(wanted).or_insert_with(|| vec![0; blocks]),
        };
        *mask.get_mut(at / 64)? |= 1 << (at % 64);
    }
    let none = vec![0_u64; blocks];
    let mut state = vec![0_u64; blocks];
    let last_bit = 1_u64 << ((length - 1) % 64);
    for (at, c) in text.char_indices() {
        let mask = by_character.get(&c).unwrap_or(&none);
        let mut carry = 1;
        for ((block, mask), any) in state.iter_mut().zip(mask).zip(&any) {
            let next_carry = *block >> 63;
            *block = ((*block << 1) | carry) & (mask | any);
            carry = next_carry;
        }
        if state.last().is_some_and(|block| block & last_bit != 0) {
            return text.get(at + c.len_utf8()..);
        }
    }
    None
}
