//! Matches the diagnostics of one source and file before a change with those after it.
//!
//! The messages must be equal, except that they may name positions, which move, too: rustc names a closure by its line.
//! So if a diagnostic stands exactly at the moved position, numbers after `:` and after `line ` may differ.

use std::collections::{BTreeMap, HashMap};

use copydesk_text::Position;

use crate::baseline::ShiftedDiagnostic;
use copydesk_servers::diagnostic::{Diagnostic, Severity};

/// What makes two diagnostics equal, besides their positions.
type MatchKey<'a> = (Severity, Option<&'a str>, Option<&'a str>, &'a str);

/// The unmatched diagnostics with the same words, by start position.
#[derive(Default)]
struct MatchGroup {
    before: BTreeMap<Position, Vec<usize>>,
    after: BTreeMap<Position, Vec<usize>>,
}

/// For each diagnostic after the change, the index of its match before. Each is matched at most once.
pub(super) fn match_diagnostics(before: &[&ShiftedDiagnostic], after: &[&Diagnostic]) -> Vec<Option<usize>> {
    let mut equal: HashMap<MatchKey<'_>, MatchGroup> = HashMap::new();
    for (index, item) in before.iter().enumerate() {
        let group = equal.entry(words(&item.diagnostic)).or_default();
        group.before.entry(item.diagnostic.span.start).or_default().push(index);
    }
    for (index, item) in after.iter().enumerate() {
        let group = equal.entry(words(item)).or_default();
        group.after.entry(item.span.start).or_default().push(index);
    }
    let mut matches = vec![None; after.len()];
    let mut pair = |before: usize, after: usize| {
        matches.get_mut(after).map(|slot| slot.replace(before));
    };
    for group in equal.values_mut() {
        group.pair_at_same_position(&mut pair);
        group.pair_in_touched_lines(before, &mut pair);
    }
    pair_ignoring_numbers(&equal, before, after, &mut pair);
    matches
}

fn words(item: &Diagnostic) -> MatchKey<'_> {
    (item.severity, item.code.as_deref(), item.source.as_deref(), &item.message)
}

impl MatchGroup {
    fn pair_at_same_position(&mut self, pair: &mut impl FnMut(usize, usize)) {
        for (place, before) in &mut self.before {
            let Some(after) = self.after.get_mut(place) else { continue };
            while !before.is_empty() {
                let Some(same) = after.pop() else { break };
                before.pop().into_iter().for_each(|before| pair(before, same));
            }
        }
        self.before.retain(|_, left| !left.is_empty());
        self.after.retain(|_, left| !left.is_empty());
    }

    /// Pairs each with the nearest one in the lines that replaced its own.
    fn pair_in_touched_lines(&mut self, before: &[&ShiftedDiagnostic], pair: &mut impl FnMut(usize, usize)) {
        for (place, left) in &mut self.before {
            left.retain(|index| {
                let touched = before.get(*index).and_then(|item| item.touched_lines.clone());
                let Some(lines) = touched else { return true };
                let next = self.after.range(place..).next().map(|(next, _)| *next);
                let last = self.after.range(..place).next_back().map(|(last, _)| *last);
                let within = [last, next].into_iter().flatten().filter(|at| lines.contains(&at.line));
                let distance =
                    |at: &Position| (at.line.abs_diff(place.line), at.character.abs_diff(place.character));
                let Some(nearest) = within.min_by_key(distance) else { return true };
                let same = self.after.get_mut(&nearest).and_then(Vec::pop);
                if self.after.get(&nearest).is_some_and(Vec::is_empty) {
                    self.after.remove(&nearest);
                }
                same.into_iter().for_each(|same| pair(*index, same));
                same.is_none()
            });
        }
    }
}

/// Pairs diagnostics at exactly the same position whose messages differ only in the positions they name.
fn pair_ignoring_numbers(
    equal: &HashMap<MatchKey<'_>, MatchGroup>,
    before: &[&ShiftedDiagnostic],
    after: &[&Diagnostic],
    pair: &mut impl FnMut(usize, usize),
) {
    let mut left: HashMap<_, Vec<usize>> = HashMap::new();
    for index in indexes(equal.values().map(|group| &group.before)) {
        let Some(item) = before.get(index).map(|item| &item.diagnostic) else { continue };
        if let Some(message) = mask_positions(&item.message) {
            let key = (item.span, (words(item).0, words(item).1, words(item).2), message);
            left.entry(key).or_default().push(index);
        }
    }
    if left.is_empty() {
        return;
    }
    for index in indexes(equal.values().map(|group| &group.after)) {
        let Some(item) = after.get(index) else { continue };
        if let Some(message) = mask_positions(&item.message) {
            let key = (item.span, (words(item).0, words(item).1, words(item).2), message);
            let same = left.get_mut(&key).and_then(Vec::pop);
            same.into_iter().for_each(|same| pair(same, index));
        }
    }
}

/// Sorted, so that the result is deterministic.
fn indexes<'a>(groups: impl Iterator<Item = &'a BTreeMap<Position, Vec<usize>>>) -> Vec<usize> {
    let mut all: Vec<_> = groups.flat_map(BTreeMap::values).flatten().copied().collect();
    all.sort_unstable();
    all
}

/// The message with `#` for numbers that name lines and columns. `None` if it names none.
fn mask_positions(message: &str) -> Option<String> {
    let mut result = String::with_capacity(message.len());
    let mut found = false;
    let mut rest = message;
    while let Some(letter) = rest.chars().next() {
        let digits = rest.len() - rest.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
        let names_position =
            result.ends_with(':') || result.ends_with("line ") || result.ends_with(": ") && found;
        let length = if digits > 0 { digits } else { letter.len_utf8() };
        let (piece, after) = rest.split_at_checked(length)?;
        if digits > 0 && names_position {
            result.push('#');
            found = true;
        } else {
            result.push_str(piece);
        }
        rest = after;
    }
    found.then_some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_in_a_message_are_masked() {
        for (message, expected) in [
            ("no numbers", None),
            ("expected 2 arguments, found 3", None),
            ("`{closure@src/main.rs:12:5: 12:8}`", Some("`{closure@src/main.rs:#:#: #:#}`")),
            ("already defined on line 12", Some("already defined on line #")),
            ("u8:u16", None),
        ] {
            assert_eq!(mask_positions(message).as_deref(), expected, "{message}");
        }
    }
}
