//! Finds the place in a file most similar to a missing text, to show the model what is really there.
//!
//! Lines that occur as they are (ignoring indentation) vote for where the whole text would start. With too
//! few votes, one line is searched by its byte pairs: coarsely in all lines (128 bits each), exactly in the
//! best few. Both are linear in the file, and the output is capped.

use std::collections::HashMap;
use std::fmt;

use crate::source_lines::SourceLines;

/// Lines of the old text that are searched, at most.
const MAX_WANTED: usize = 64;
/// The cap on what is shown.
const MAX_LINES: usize = 6;
const MAX_CHARS: usize = 160;
/// Longer lines contain every byte pair, so they would resemble anything.
const MAX_LINE_BYTES: usize = 1000;
const CANDIDATES: usize = 16;
/// The share of byte pairs that a line must have in common with the wanted one.
const MIN_SHARE: f64 = 0.6;

/// Some lines of the file, unchanged, and the number of the first.
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

impl NearestLines {
    /// The lines from the one with this index on, at most as many as are shown.
    pub(super) fn from_file(file: &SourceLines<'_>, first: usize, count: usize) -> Self {
        let lines = first..file.len().min(first + count.min(MAX_LINES));
        Self { line: first + 1, lines: lines.map(|line| clip(file.line(line))).collect() }
    }
}

fn clip(line: &str) -> String {
    match line.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}

pub(super) fn find(text: &str, old: &str) -> Option<NearestLines> {
    let wanted: Vec<_> = old.trim_end().lines().map(str::trim).take(MAX_WANTED).collect();
    let first = by_votes(text, &wanted).or_else(|| by_likeness(text, &wanted))?;
    let lines = text.lines().skip(first).take(wanted.len().min(MAX_LINES)).map(clip).collect();
    Some(NearestLines { line: first + 1, lines })
}

/// Where the old text would start according to its lines that are in the file, if they are at least a third
/// of it.
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

/// Where the old text would start if its longest line is the most similar line.
fn by_likeness(text: &str, wanted: &[&str]) -> Option<usize> {
    let (index, line) =
        wanted.iter().enumerate().max_by_key(|(index, line)| (line.len(), usize::MAX - index))?;
    let line = line.get(..line.floor_char_boundary(MAX_LINE_BYTES))?;
    let mask = mask(line);
    // The best few by the coarse score, best first.
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

/// The common bytes at both ends: they distinguish lines that differ only in a number.
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

/// One of 128 bits for each byte pair.
fn mask(line: &str) -> u128 {
    pairs(line)
        .fold(0, |mask, (a, b)| mask | 1 << (u32::from(a).wrapping_mul(31).wrapping_add(u32::from(b)) % 128))
}

/// The share of the line's byte pairs that the candidate has too.
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
