//! Finds consecutive lines in a file under a fold. The wanted lines get numbers, the file is read once, and then numbers
//! are compared. A budget rejects what would still take too long.

use std::cell::Cell;
use std::collections::HashMap;

use super::fold::LineFold;
use crate::source_lines::SourceLines;

/// Line comparisons per file: a fraction of a second.
const MAX_STEPS: usize = 50_000_000;

/// The number of a file line that is not wanted.
const NONE: usize = usize::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BudgetExceeded;

/// The remaining comparisons.
pub(crate) struct SearchBudget(Cell<usize>);

impl Default for SearchBudget {
    fn default() -> Self {
        Self(Cell::new(MAX_STEPS))
    }
}

impl SearchBudget {
    pub(crate) fn take(&self, count: usize) -> Result<(), BudgetExceeded> {
        self.0.set(self.0.get().checked_sub(count).ok_or(BudgetExceeded)?);
        Ok(())
    }
}

pub(crate) struct FoldedIndex {
    fold: LineFold,
    numbers: HashMap<String, usize>,
    /// The number of each file line.
    lines: Vec<usize>,
    /// For each number, the file lines that have it.
    places: Vec<Vec<usize>>,
}

impl FoldedIndex {
    pub(crate) fn new<'p>(
        file: &SourceLines<'_>,
        fold: LineFold,
        wanted: impl Iterator<Item = &'p str>,
    ) -> Self {
        Self::among(file, fold, wanted, 0..file.len())
    }

    /// Numbers only these lines of the file; the caller knows that no other is wanted.
    pub(super) fn among<'p>(
        file: &SourceLines<'_>,
        fold: LineFold,
        wanted: impl Iterator<Item = &'p str>,
        candidates: impl Iterator<Item = usize>,
    ) -> Self {
        let mut numbers = HashMap::new();
        let mut sieve = LineFilter::default();
        for line in wanted {
            let next = numbers.len();
            let key = fold.key(line);
            sieve.add(&key);
            numbers.entry(key.into_owned()).or_insert(next);
        }
        let mut places = vec![Vec::new(); numbers.len()];
        let number = |text: &str| {
            // The filter takes all quotes for the same, so that a line need not be copied for it.
            let key = if fold == LineFold::Quotes { LineFold::Blanks } else { fold }.key(text);
            sieve.may_have(&key).then(|| numbers.get(fold.key(text).as_ref()).copied())?
        };
        let mut lines = vec![NONE; file.len()];
        for line in candidates {
            let Some(number) = number(file.line(line)) else { continue };
            places.get_mut(number).into_iter().for_each(|places| places.push(line));
            lines.get_mut(line).into_iter().for_each(|known| *known = number);
        }
        Self { fold, numbers, lines, places }
    }

    /// The file lines that equal a wanted one.
    pub(super) fn wanted_lines(&self) -> impl Iterator<Item = usize> {
        self.lines.iter().enumerate().filter(|(_, number)| **number != NONE).map(|(line, _)| line)
    }

    /// The number of each file line; equal lines have the same. `None` for a line that is not wanted.
    pub(super) fn line_numbers(&self) -> impl Iterator<Item = Option<usize>> {
        self.lines.iter().map(|number| (*number != NONE).then_some(*number))
    }

    /// The number of a wanted line, and how often the file has it.
    pub(super) fn number_and_count(&self, line: &str) -> Option<(usize, usize)> {
        let number = *self.numbers.get(self.fold.key(line).as_ref())?;
        Some((number, self.places.get(number)?.len()))
    }

    pub(crate) fn knows(&self, pattern: &[&str]) -> bool {
        pattern.iter().all(|line| self.numbers.contains_key(self.fold.key(line).as_ref()))
    }

    /// The lines where the pattern starts, in order. Its lines must be among the wanted ones.
    pub(crate) fn find(&self, pattern: &[&str], budget: &SearchBudget) -> Result<Vec<usize>, BudgetExceeded> {
        let number = |line: &&str| self.numbers.get(self.fold.key(line).as_ref()).copied();
        let Some(pattern) = pattern.iter().map(number).collect::<Option<Vec<_>>>() else {
            return Ok(Vec::new());
        };
        let places = |number: &usize| self.places.get(*number).map_or(&[][..], Vec::as_slice);
        let rarest = pattern.iter().enumerate().min_by_key(|(_, number)| places(number).len());
        let Some((offset, rarest)) = rarest else { return Ok(Vec::new()) };
        let rarest = places(rarest);
        let one_by_one = rarest.len().saturating_mul(pattern.len());
        let at_once = self.lines.len() + pattern.len();
        budget.take(one_by_one.min(at_once))?;
        if one_by_one > at_once {
            return Ok(self.scan(&pattern));
        }
        let starts = rarest.iter().filter_map(|line| line.checked_sub(offset));
        let fits = |start: &usize| self.lines.get(*start..start + pattern.len()) == Some(pattern.as_slice());
        Ok(starts.filter(fits).collect())
    }

    /// Scans the whole file with Knuth-Morris-Pratt: linear even if everything repeats.
    fn scan(&self, pattern: &[usize]) -> Vec<usize> {
        let borders = borders(pattern);
        let (mut found, mut matched) = (Vec::new(), 0);
        for (line, number) in self.lines.iter().enumerate() {
            while matched > 0 && pattern.get(matched) != Some(number) {
                matched = borders.get(matched - 1).copied().unwrap_or(0);
            }
            if pattern.get(matched) == Some(number) {
                matched += 1;
            }
            if matched == pattern.len() {
                found.push(line + 1 - matched);
            }
        }
        found
    }
}

/// Rules out most file lines, which are not wanted, for less than a hash costs.
struct LineFilter([u64; Self::WORDS]);

impl Default for LineFilter {
    fn default() -> Self {
        Self([0; Self::WORDS])
    }
}

impl LineFilter {
    const WORDS: usize = 1024;

    fn add(&mut self, key: &str) {
        let (word, bit) = Self::place(key);
        self.0.get_mut(word).into_iter().for_each(|word| *word |= bit);
    }

    fn may_have(&self, key: &str) -> bool {
        let (word, bit) = Self::place(key);
        self.0.get(word).is_some_and(|word| word & bit != 0)
    }

    /// From the length and a few bytes across the line. All quotes are the same.
    fn place(key: &str) -> (usize, u64) {
        let bytes = key.as_bytes();
        let byte = |at: usize| match bytes.get(at) {
            Some(b'"') => u64::from(b'\''),
            byte => u64::from(byte.copied().unwrap_or_default()),
        };
        let len = bytes.len();
        let places = [0, len / 4, len / 2, len - len / 4, len - len / 8, len.saturating_sub(1)];
        let mix = |mixed: u64, at: usize| mixed.wrapping_mul(31).wrapping_add(byte(at));
        let mixed = places.into_iter().fold(len as u64, mix).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48;
        ((mixed >> 6) as usize, 1 << (mixed & 63))
    }
}

/// For each prefix of the pattern, the length of its longest border.
fn borders(pattern: &[usize]) -> Vec<usize> {
    let mut borders = vec![0];
    let mut border = 0;
    for number in pattern.iter().skip(1) {
        while border > 0 && pattern.get(border) != Some(number) {
            border = borders.get(border - 1).copied().unwrap_or(0);
        }
        if pattern.get(border) == Some(number) {
            border += 1;
        }
        borders.push(border);
    }
    borders
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn both_ways_find_what_comparing_finds(text in "([ab]\\n){0,40}", pattern in "([ab]\\n){1,6}") {
            let file = SourceLines::new(&text);
            let pattern: Vec<_> = pattern.lines().collect();
            let lines: Vec<_> = text.lines().collect();
            let expected: Vec<_> = (0..lines.len()).filter(|at| lines[*at..].starts_with(&pattern)).collect();
            let index = FoldedIndex::new(&file, LineFold::Exact, pattern.iter().copied());
            prop_assert_eq!(index.find(&pattern, &SearchBudget::default()), Ok(expected.clone()));
            let numbers: Vec<_> = pattern.iter().map(|line| index.numbers[*line]).collect();
            prop_assert_eq!(index.scan(&numbers), expected);
        }
    }
}
