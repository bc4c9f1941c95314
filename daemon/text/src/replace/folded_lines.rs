//! Folded lines as one text, so that a part of a line is found by text search.

use memchr::memmem;

use super::fold::LineFold;

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
            text.push_str(&fold.key(line));
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

    /// The matches within a line: the line's index and the offset in it.
    pub(super) fn within(&self, wanted: &str) -> Vec<(usize, usize)> {
        let place = |at: usize| {
            let line = self.starts.partition_point(|start| *start <= at).checked_sub(1)?;
            Some((line, at - self.starts.get(line)?))
        };
        memmem::find_iter(self.text.as_bytes(), wanted).filter_map(place).collect()
    }
}
