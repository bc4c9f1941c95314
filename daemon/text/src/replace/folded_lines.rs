//! Lines in their folded form as one text, so that a run of them is found as fast as any text is.

use memchr::memmem;

use super::fold::LineFold;

/// How many bytes are looked at again for places that overlap.
const MAX_OVERLAP: usize = 4 * 1024 * 1024;

/// Every line has a break before and after it, the first too.
pub(super) struct FoldedLines {
    text: String,
    /// Where each line begins in the text.
    starts: Vec<usize>,
}

impl FoldedLines {
    pub(super) fn new<'a>(lines: impl Iterator<Item = &'a str>, fold: LineFold) -> Self {
        let (mut text, mut starts) = ("\n".to_owned(), Vec::new());
        for line in lines {
            starts.push(text.len());
            fold.push(line, &mut text);
            text.push('\n');
        }
        Self { text, starts }
    }

    pub(super) fn line(&self, index: usize) -> &str {
        let start = self.starts.get(index).copied().unwrap_or(self.text.len());
        let end = self.starts.get(index + 1).map_or(self.text.len(), |next| *next);
        self.text.get(start..end.saturating_sub(1)).unwrap_or_default()
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        (0..self.starts.len()).map(|index| self.line(index))
    }

    /// Where all the wanted lines stand one after the other: the numbers of the first, from 0. Places may overlap; where
    /// very much does, not all of them are given, but more than one.
    pub(super) fn find_runs(&self, wanted: &Self) -> Vec<usize> {
        let (text, wanted) = (self.text.as_bytes(), wanted.text.as_bytes());
        let finder = memmem::Finder::new(wanted);
        let (mut found, mut from, mut budget) = (Vec::new(), 0, MAX_OVERLAP);
        while let Some(at) = text.get(from..).and_then(|rest| finder.find(rest)).map(|at| from + at) {
            found.push(self.starts.partition_point(|start| *start <= at));
            budget = budget.saturating_sub(wanted.len());
            // The break between two lines belongs to both.
            from = if budget > 0 || found.len() == 1 { at + 1 } else { at + wanted.len() - 1 };
        }
        found
    }

    /// Where the wanted text stands within a line: the line's index and the place in it.
    pub(super) fn within(&self, wanted: &str) -> Vec<(usize, usize)> {
        let place = |at: usize| {
            let line = self.starts.partition_point(|start| *start <= at).checked_sub(1)?;
            Some((line, at - self.starts.get(line)?))
        };
        memmem::find_iter(self.text.as_bytes(), wanted).filter_map(place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str, wanted: &str) -> Vec<usize> {
        let folded = |text: &str| FoldedLines::new(text.split(' '), LineFold::Trailing);
        folded(text).find_runs(&folded(wanted))
    }

    #[test]
    fn runs_of_lines_are_found() {
        assert_eq!(places("a b c a b", "a b"), [0, 3]);
        assert_eq!(places("a a a a", "a a"), [0, 1, 2]);
        assert_eq!(places("x ab", "a"), [0; 0]);
        assert_eq!(places("x  y", ""), [1]);
    }
}
