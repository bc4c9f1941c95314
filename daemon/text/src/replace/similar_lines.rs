//! Finds lines that mostly match while the rest is similar, as when a model misremembers a word.
//!
//! Old lines that occur nowhere in the file count as misremembered; all others must be at their places. So a
//! moved or omitted line is never taken for another.
//!
//! Linear in the file, plus a capped number of comparisons; above the cap nothing is found.

use std::collections::HashSet;

use super::fold::LineFold;
use super::folded_lines::FoldedLines;
use super::search::ReplaceSearch;
use super::similarity::{distance, similarity};

/// Fewer lines say too little about their place.
const MIN_LINES: usize = 3;
/// One line in this many may be wrong.
const LINES_PER_ERROR: usize = 3;
/// The share of the old text, in percent of bytes, that must match exactly.
const MIN_EQUAL_PERCENT: usize = 40;
/// How much better the best place must be than any other.
const MARGIN: f64 = 0.2;
const MAX_PLACES: usize = 1000;
const MAX_COMPARISONS: usize = 5_000_000;

pub(super) struct SimilarLines {
    /// The first line of the best place, or of each if several are about as good.
    pub(super) places: Vec<usize>,
    /// The similarity of the least similar line, up to 1.
    pub(super) similarity: f64,
    /// Whether the first and the last line match exactly.
    pub(super) is_anchored: bool,
}

pub(super) fn find(search: &ReplaceSearch<'_>) -> Option<SimilarLines> {
    let old = FoldedLines::new(search.requested.old.iter().copied(), LineFold::Blanks);
    let old: Vec<&str> = old.lines().collect();
    if old.len() < MIN_LINES || !search.lines.may_compare() {
        return None;
    }
    // Each old line has a number; a file line has the number of the old line it equals.
    let index = search.lines.index(LineFold::Blanks);
    let old: Vec<(&str, usize, usize)> = old
        .iter()
        .filter_map(|line| {
            let (number, count) = index.number_and_count(line)?;
            Some((*line, number, count))
        })
        .collect();
    // The index also has the lines of the patch's other hunks.
    let numbers: HashSet<usize> = old.iter().map(|line| line.1).collect();
    let numbered: Vec<Option<usize>> =
        index.line_numbers().map(|number| number.filter(|number| numbers.contains(number))).collect();
    let wrong: Vec<usize> =
        old.iter().enumerate().filter(|(_, (_, _, count))| *count == 0).map(|(index, _)| index).collect();
    let bytes = |lines: &mut dyn Iterator<Item = &(&str, usize, usize)>| {
        lines.map(|line| line.0.len()).sum::<usize>()
    };
    let equal = bytes(&mut old.iter().filter(|line| line.2 > 0));
    if wrong.is_empty()
        || wrong.len() > old.len() / LINES_PER_ERROR
        || equal * 100 < bytes(&mut old.iter()) * MIN_EQUAL_PERCENT
    {
        return None;
    }
    let rarest = old.iter().enumerate().filter(|(_, line)| line.2 > 0).min_by_key(|(_, line)| line.2);
    let (seed, (_, seed_number, seed_count)) = rarest?;
    let file = search.lines.folded(LineFold::Blanks);
    if seed_count.saturating_mul(old.len()) > MAX_COMPARISONS {
        return None;
    }
    let mut places: Vec<(f64, usize)> = Vec::new();
    for (at, _) in numbered.iter().enumerate().filter(|(_, number)| **number == Some(*seed_number)) {
        let Some(first) = at.checked_sub(seed) else { continue };
        let Some(there) = numbered.get(first..first + old.len()) else { continue };
        let stands = |(line, there): (&(&str, usize, usize), &Option<usize>)| match line.2 {
            0 => there.is_none(),
            _ => *there == Some(line.1),
        };
        if old.iter().zip(there).all(stands) && search.is_indented_alike(search.requested, first) {
            if places.len() == MAX_PLACES {
                return None;
            }
            let cost = wrong.iter().map(|index| {
                let line = old.get(*index).map_or("", |line| line.0);
                1.0 - similarity(line, file.line(first + index))
            });
            places.push((cost.sum(), first));
        }
    }
    let best = places.iter().copied().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let mut rivals: Vec<usize> =
        places.iter().filter(|place| place.0 < best.0 + MARGIN).map(|place| place.1).collect();
    rivals.sort_unstable();
    let mut least: f64 = 1.0;
    for index in &wrong {
        let (line, there) = (old.get(*index).map_or("", |line| line.0), file.line(best.1 + index));
        if !is_misremembered(line, there, file) {
            return None;
        }
        least = least.min(similarity(line, there));
    }
    let anchored = !wrong.contains(&0) && !wrong.contains(&(old.len() - 1));
    Some(SimilarLines { places: rivals, similarity: least, is_anchored: anchored })
}

/// Whether `line` may be `there` misremembered: their digits are equal, and no other line of the file is as
/// similar.
fn is_misremembered(line: &str, there: &str, file: &FoldedLines) -> bool {
    let digits = |line: &str| line.chars().filter(char::is_ascii_digit).collect::<String>();
    if there.is_empty() || digits(line) != digits(there) {
        return false;
    }
    let Some(far) = distance(line, there, line.len()) else { return false };
    !file.lines().any(|other| other != there && distance(line, other, far).is_some())
}
