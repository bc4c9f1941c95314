//! What is known of a hunk's lines without looking at them again: a hunk of a thousand is not read for a keystroke in
//! another one.

use std::hash::BuildHasher as _;

use super::{Hunk, Review};

/// Follows from the lines, and so says nothing new of a hunk.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Measured(Option<Lines>);

#[derive(Debug, Clone, Copy)]
pub(super) struct Lines {
    pub(super) hash: u64,
    pub(super) old: usize,
    pub(super) new: usize,
}

impl PartialEq for Measured {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Measured {}

impl Review {
    /// Looks at the hunks that are new or others.
    pub(super) fn measure(&mut self) {
        let is_new = |(_, hunk): &(usize, &Hunk)| hunk.measured.0.is_none();
        let new: Vec<_> = self
            .hunks
            .iter()
            .enumerate()
            .filter(is_new)
            .map(|(at, hunk)| (at, self.lines_of(hunk)))
            .collect();
        for (at, lines) in new {
            if let Some(hunk) = self.hunks.get_mut(at) {
                hunk.measured = Measured(Some(lines));
            }
        }
    }

    #[cfg(test)]
    pub(super) fn is_measured(&self, hunk: &Hunk) -> bool {
        let known = self.lines_of(hunk);
        let now = self.lines_of(&Hunk { measured: Measured::default(), ..hunk.clone() });
        (known.hash, known.old, known.new) == (now.hash, now.old, now.new)
    }

    pub(super) fn lines_of(&self, hunk: &Hunk) -> Lines {
        hunk.measured.0.unwrap_or_else(|| Lines {
            hash: self.prints.hash_one(&(self.old(hunk), self.new_text(hunk))),
            old: self.base.line_count(&hunk.base),
            new: self.text.line_count(&hunk.text),
        })
    }
}
