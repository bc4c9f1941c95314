//! Selects some lines of a hunk: line by line, the old line before the new one with the same index.

use std::collections::HashSet;

use super::LineSelection;

/// The selected lines of a hunk, as whole lines.
pub(super) fn compose(
    old: &str,
    new: &str,
    take_old: impl Fn(usize) -> bool,
    take_new: impl Fn(usize) -> bool,
) -> String {
    let (old, new): (Vec<_>, Vec<_>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let ending = if old.iter().chain(&new).any(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" };
    let mut result = String::new();
    let mut push = |line: &str| {
        // Only the last line of a text may lack its break.
        if !result.is_empty() && !result.ends_with('\n') {
            result.push_str(ending);
        }
        result.push_str(line);
    };
    for number in 0..old.len().max(new.len()) {
        if let Some(line) = old.get(number).filter(|_| take_old(number)) {
            push(line);
        }
        if let Some(line) = new.get(number).filter(|_| take_new(number)) {
            push(line);
        }
    }
    result
}

/// The number of lines of a piece.
pub(super) fn count(piece: &str) -> usize {
    piece.split_inclusive('\n').count()
}

impl LineSelection {
    /// Whether it selects at least one line, and only existing ones.
    pub(super) fn fits_hunk(&self, old: &str, new: &str) -> bool {
        let within = |lines: &[usize], count: usize| lines.iter().all(|line| *line < count);
        let is_empty = self.old.is_empty() && self.new.is_empty();
        !is_empty && within(&self.old, count(old)) && within(&self.new, count(new))
    }

    /// The base after keeping these lines.
    pub(super) fn base_after_keep(&self, old: &str, new: &str) -> String {
        let (gone, come) = self.sets();
        compose(old, new, |line| !gone.contains(&line), |line| come.contains(&line))
    }

    /// The text after rejecting these lines.
    pub(super) fn text_after_reject(&self, old: &str, new: &str) -> String {
        let (back, away) = self.sets();
        compose(old, new, |line| back.contains(&line), |line| !away.contains(&line))
    }

    /// Sets, because there may be as many lines as the file has.
    fn sets(&self) -> (HashSet<usize>, HashSet<usize>) {
        (self.old.iter().copied().collect(), self.new.iter().copied().collect())
    }
}
