//! Caches facts about a hunk's lines: a keystroke in one hunk does not read another hunk of a thousand lines.

use std::hash::BuildHasher as _;

use super::{Hunk, Review};

/// Derived from the lines, so all values compare equal.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct HunkMeasure(Option<HunkLineStats>);

#[derive(Debug, Clone, Copy)]
pub(super) struct HunkLineStats {
    pub(super) hash: u64,
    pub(super) old: usize,
    pub(super) new: usize,
}

impl PartialEq for HunkMeasure {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for HunkMeasure {}

impl Review {
    /// Measures the hunks that are new or changed.
    pub(super) fn measure_hunks(&mut self) {
        let is_new = |(_, hunk): &(usize, &Hunk)| hunk.measure.0.is_none();
        let new: Vec<_> = self
            .hunks
            .iter()
            .enumerate()
            .filter(is_new)
            .map(|(at, hunk)| (at, self.line_stats(hunk)))
            .collect();
        for (at, lines) in new {
            if let Some(hunk) = self.hunks.get_mut(at) {
                hunk.measure = HunkMeasure(Some(lines));
            }
        }
    }

    #[cfg(test)]
    pub(super) fn is_measured(&self, hunk: &Hunk) -> bool {
        let known = self.line_stats(hunk);
        let now = self.line_stats(&Hunk { measure: HunkMeasure::default(), ..hunk.clone() });
        (known.hash, known.old, known.new) == (now.hash, now.old, now.new)
    }

    pub(super) fn line_stats(&self, hunk: &Hunk) -> HunkLineStats {
        hunk.measure.0.unwrap_or_else(|| HunkLineStats {
            hash: self.fingerprint_hasher.hash_one(&(self.old_text(hunk), self.new_text(hunk))),
            old: self.base.line_count(&hunk.base),
            new: self.text.line_count(&hunk.text),
        })
    }
}
