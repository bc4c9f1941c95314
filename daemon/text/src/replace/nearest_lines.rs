//! The place in a file that is most like a text that is not in it: for the model to see what is really there.
//!
//! Lines that occur as they are (indentation aside) vote for where the whole would begin. Where too few do, one line is
//! looked for by its pairs of bytes: all lines coarsely (128 bits for each), the best few exactly. Both are linear in the
//! file, and what is shown has a cap.

use std::collections::HashMap;
use std::fmt;

/// How much of the old text is looked for.
const MAX_WANTED: usize = 64;
/// How much is shown.
const MAX_LINES: usize = 6;
const MAX_CHARS: usize = 160;
/// Longer lines have every pair of bytes, so they would be like anything.
const MAX_LINE_BYTES: usize = 1000;
const CANDIDATES: usize = 16;
/// The share of pairs that a line must have in common with the one looked for.
const MIN_SHARE: f64 = 0.6;

/// Some lines of the file as they are, the first with its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearestLines {
    pub line: usize,
    pub lines: Vec<String>,
}

impl fmt::Display for NearestLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, line) in self.lines.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{}: {line}", self.line + index)?;
        }
        Ok(())
    }
}

pub(super) fn find(text: &str, old: &str) -> Option<NearestLines> {
    let wanted: Vec<_> = old.trim_end().lines().map(str::trim).take(MAX_WANTED).collect();
    let first = by_votes(text, &wanted).or_else(|| by_likeness(text, &wanted))?;
    let clip = |line: &str| match line.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    };
    let lines = text.lines().skip(first).take(wanted.len().min(MAX_LINES)).map(clip).collect();
    Some(NearestLines { line: first + 1, lines })
}

/// Where the old text would begin according to its lines that are in the file, if these are a third of it or more.
fn by_votes(text: &str, wanted: &[&str]) -> Option<usize> {
    let mut index_of = HashMap::new();
    for (index, line) in wanted.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
        index_of.entry(*line).or_insert(index);
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(first) = index_of.get(line).and_then(|index| number.checked_sub(*index)) {
            *votes.entry(first).or_default() += line.len();
        }
    }
    let (first, weight) = votes.into_iter().max_by_key(|(first, weight)| (*weight, usize::MAX - first))?;
    let whole: usize = wanted.iter().map(|line| line.len()).sum();
    (weight * 3 >= whole).then_some(first)
}

/// Where the old text would begin if its longest line is the one most like it.
fn by_likeness(text: &str, wanted: &[&str]) -> Option<usize> {
    let (index, line) =
        wanted.iter().enumerate().max_by_key(|(index, line)| (line.len(), usize::MAX - index))?;
    let line = line.get(..line.floor_char_boundary(MAX_LINE_BYTES))?;
    let mask = mask(line);
    // The best few by a coarse score, in its order.
    let mut best: Vec<(u32, usize, &str)> = Vec::with_capacity(CANDIDATES + 1);
    for (number, candidate) in text.lines().enumerate().filter(|(_, line)| line.len() <= MAX_LINE_BYTES) {
        let candidate = candidate.trim();
        let common = (self::mask(candidate) & mask).count_ones();
        let score = common + affixes(line, candidate);
        if best.len() < CANDIDATES || best.last().is_some_and(|worst| score > worst.0) {
            let at = best.partition_point(|better| better.0 >= score);
            best.insert(at, (score, number, candidate));
            best.truncate(CANDIDATES);
        }
    }
    let scored = best.into_iter().map(|(score, number, candidate)| (share(line, candidate), score, number));
    let (share, _, number) =
        scored.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(b.2.cmp(&a.2)))?;
    (share >= MIN_SHARE).then(|| number.saturating_sub(index))
}

/// How many bytes two lines have in common at both ends: this tells lines apart that differ in a number only.
fn affixes(line: &str, candidate: &str) -> u32 {
    let same = |(a, b): &(u8, u8)| a == b;
    let before = line.bytes().zip(candidate.bytes()).take_while(same).count();
    let after = line.bytes().rev().zip(candidate.bytes().rev()).take_while(same).count();
    (before + after) as u32
}

fn pairs(line: &str) -> impl Iterator<Item = (u8, u8)> {
    let bytes = line.bytes().filter(|byte| !byte.is_ascii_whitespace());
    bytes.clone().zip(bytes.skip(1))
}

/// One bit for each pair of bytes, of 128.
fn mask(line: &str) -> u128 {
    pairs(line)
        .fold(0, |mask, (a, b)| mask | 1 << (u32::from(a).wrapping_mul(31).wrapping_add(u32::from(b)) % 128))
}

/// How many of the line's pairs the candidate has too.
fn share(line: &str, candidate: &str) -> f64 {
    let mut there: HashMap<(u8, u8), usize> = HashMap::new();
    for pair in pairs(candidate) {
        *there.entry(pair).or_default() += 1;
    }
    let (mut common, mut all) = (0_u32, 0_u32);
    for pair in pairs(line) {
        all += 1;
        if let Some(count) = there.get_mut(&pair).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    f64::from(common) / f64::from(all.max(1))
}
