//! Folded lines as one text, so that a run of lines is found by text search.

use memchr::memmem;

use super::fold::LineFold;

/// Bytes searched again for overlapping matches, at most.
const MAX_OVERLAP: usize = 4 * 1024 * 1024;

/// Every line has a break before and after it, the first too.
pub(super) struct FoldedLines {
    text: String,
    /// The start of each line in the text.
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

    /// The first line, from 0, of each run of the wanted lines. Runs may overlap; with very many overlaps not
    /// all are returned, but more than one is.
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

    /// The matches within a line: the line's index and the offset in it.
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
