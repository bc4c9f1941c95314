//! A file's text as lines: start, content and ending of each.

use std::ops::Range;

use memchr::memchr_iter;

pub(crate) struct SourceLines<'t> {
    pub(crate) text: &'t str,
    /// The start of each line, then the end of the text.
    starts: Vec<usize>,
}

impl<'t> SourceLines<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
        if starts.last() != Some(&text.len()) {
            starts.push(text.len());
        }
        Self { text, starts }
    }

    /// An empty text has no lines.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn bytes(&self, lines: Range<usize>) -> Range<usize> {
        let start = |line: usize| self.starts.get(line).copied().unwrap_or(self.text.len());
        start(lines.start)..start(lines.end)
    }

    pub(crate) fn slice(&self, lines: Range<usize>) -> &'t str {
        self.text.get(self.bytes(lines)).unwrap_or_default()
    }

    /// The line without its ending.
    pub(crate) fn line(&self, line: usize) -> &'t str {
        self.split(line).0
    }

    /// The line's ending; empty if the text stops without one.
    pub(crate) fn ending(&self, line: usize) -> &'t str {
        self.split(line).1
    }

    pub(crate) fn lines(&self) -> impl Iterator<Item = &'t str> {
        (0..self.len()).map(|line| self.line(line))
    }

    /// The lines of a range without their endings; `None` if the text has fewer.
    pub(crate) fn texts(&self, lines: Range<usize>) -> Option<Vec<&'t str>> {
        (lines.end <= self.len()).then(|| lines.map(|line| self.line(line)).collect())
    }

    /// The line that contains the byte.
    pub(crate) fn line_at(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte).saturating_sub(1)
    }

    fn split(&self, line: usize) -> (&'t str, &'t str) {
        let raw = self.slice(line..line + 1);
        let body = raw.strip_suffix('\n').map_or(raw, |body| body.strip_suffix('\r').unwrap_or(body));
        raw.split_at_checked(body.len()).unwrap_or((raw, ""))
    }
}
