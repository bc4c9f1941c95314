//! Lines of which some are indented as in the file and some are not, by no common rule: a model is a little off in a few
//! lines of a block.
//!
//! A line that the file also has as shown may be another line than the one it matches; nothing is changed beside it. Next
//! to all others, a new line is indented as its neighbours in the old text are, if they agree.

use std::ops::Range;

use memchr::memmem;

use crate::source_lines::SourceLines;

/// Lines looked up in the file, at most; the others count as doubtful.
const MAX_LOOKED_UP: usize = 20;

pub(super) struct MixedIndent<'a> {
    lines: Vec<MixedLine<'a>>,
}

#[derive(Clone, Copy)]
enum MixedLine<'a> {
    Blank,
    /// The indentation as shown, and the file's.
    Known(&'a str, &'a str),
    /// It may be another line.
    Doubtful,
}

impl<'a> MixedIndent<'a> {
    /// Takes the old lines and, for each that is not blank, its indentation and the file's.
    pub(super) fn new(file: &SourceLines<'_>, old: &[&str], pairs: &[Option<(&'a str, &'a str)>]) -> Self {
        let mut looked_up = 0;
        let mut is_doubtful = |line: &str| {
            looked_up += 1;
            looked_up > MAX_LOOKED_UP || is_in_file(file, line)
        };
        let line = |(line, pair): (&&str, &Option<(&'a str, &'a str)>)| match *pair {
            None => MixedLine::Blank,
            Some((shown, there)) if shown != there && is_doubtful(line) => MixedLine::Doubtful,
            Some((shown, there)) => MixedLine::Known(shown, there),
        };
        Self { lines: old.iter().zip(pairs).map(line).collect() }
    }

    /// Whether the old lines, or without any the two around the place, are those of the file.
    pub(super) fn is_certain(&self, hunk: &Range<usize>) -> bool {
        !self.touched(hunk).any(|line| matches!(line, MixedLine::Doubtful))
    }

    /// The file's indentation for a new line that is indented like `given`. It is the `nth` of `count` lines that replace
    /// the old lines `hunk`.
    pub(super) fn indent<'g>(
        &self,
        given: &'g str,
        hunk: &Range<usize>,
        nth: usize,
        count: usize,
    ) -> Option<&'g str>
    where
        'a: 'g,
    {
        let counterpart = hunk.start + nth..hunk.start + nth + 1;
        let near = if hunk.len() == count { &counterpart } else { hunk };
        let mut known = self.touched(near).filter_map(|line| match line {
            MixedLine::Known(shown, there) => Some((shown, there)),
            _ => None,
        });
        let is_right = known.clone().all(|(shown, there)| shown == there);
        // Where most lines are as shown, a new line may also have the file's indentation beside a line that is not.
        let is_like =
            |(shown, there): &(&str, &str)| *shown == given || *there == given && self.is_mostly_right();
        let mut candidates = known.by_ref().filter(is_like);
        let indent = match candidates.next() {
            Some((_, there)) => candidates.all(|(_, other)| other == there).then_some(there),
            // The depth of another line, which is as shown.
            None => (is_right && self.is_depth(given)).then_some(given),
        };
        // What is shown like this elsewhere in the block must be the same in the file.
        let is_same = |indent: &&str| {
            self.lines.iter().all(|line| match line {
                MixedLine::Known(shown, there) => *shown != given || there == indent,
                _ => true,
            })
        };
        indent.filter(is_same)
    }

    fn is_mostly_right(&self) -> bool {
        let count = |wanted: bool| {
            let is_it = |line: &&MixedLine<'_>| match line {
                MixedLine::Blank => false,
                MixedLine::Known(shown, there) => (shown == there) == wanted,
                MixedLine::Doubtful => !wanted,
            };
            self.lines.iter().filter(is_it).count()
        };
        count(true) >= count(false)
    }

    fn is_depth(&self, given: &str) -> bool {
        let is_it = |line: &MixedLine<'_>| matches!(line, MixedLine::Known(shown, there) if shown == there && *shown == given);
        self.lines.iter().any(is_it)
    }

    fn touched(&self, hunk: &Range<usize>) -> impl Iterator<Item = MixedLine<'a>> + Clone {
        let around =
            if hunk.is_empty() { hunk.start.saturating_sub(1)..hunk.start + 1 } else { hunk.clone() };
        let end = around.end.min(self.lines.len());
        self.lines.get(around.start.min(end)..end).unwrap_or_default().iter().copied()
    }
}

/// Whether the file has this very line.
fn is_in_file(file: &SourceLines<'_>, line: &str) -> bool {
    let line = line.trim_end();
    memmem::find_iter(file.text.as_bytes(), line).any(|at| file.line(file.line_at(at)).trim_end() == line)
}
