//! The lines that an edit touches. Inserting whole lines touches none: it happens between two lines.

use std::ops::Range;

use memchr::memchr_iter;

use crate::edit_validation::join_adjacent;
use crate::{Change, Edit};

/// A text and its line starts; a final line break is followed by one more, empty line.
pub(super) struct BaseLines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> BaseLines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let after_breaks = memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        Self { text, starts: [0].into_iter().chain(after_breaks).collect() }
    }

    /// The lines after applying edits within them.
    pub(super) fn apply_edits(&self, lines: &Range<usize>, edits: &[Edit]) -> String {
        let mut result = String::new();
        let mut at = self.start(lines.start);
        for edit in edits {
            result.push_str(self.slice(at..edit.range.start));
            result.push_str(&edit.text);
            at = edit.range.end;
        }
        result + self.slice(at..self.start(lines.end))
    }

    pub(super) fn start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }

    fn slice(&self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or_default()
    }

    fn line_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at).saturating_sub(1)
    }

    fn begins_line(&self, at: usize) -> bool {
        self.starts.binary_search(&at).is_ok()
    }

    fn is_end(&self, at: usize) -> bool {
        at == self.text.len()
    }
}

/// An edit and the lines it touches. An empty range means that it inserts lines before `lines.start`.
#[derive(Debug)]
pub(super) struct TouchedLines {
    pub(super) lines: Range<usize>,
    pub(super) edit: Edit,
    /// The same edit at its lowest equivalent place: deleting either of two equal lines gives the same text.
    lowest_edit: Edit,
}

/// The touched lines of each edit, in order.
pub(super) fn touched_by_change(base: &BaseLines<'_>, change: &Change) -> Vec<TouchedLines> {
    let mut edits = join_adjacent(change.edits().to_vec()).into_iter().peekable();
    let mut touches: Vec<TouchedLines> = Vec::new();
    while let Some(edit) = edits.next() {
        let free_from = touches.last().map_or(0, |touch| touch.edit.range.end + 1);
        let free_to = edits.peek().map_or(base.text.len(), |next| next.range.start);
        let edit = as_whole_lines(base, edit, free_from..free_to);
        touches.push(TouchedLines {
            lines: touched_range(base, &edit),
            lowest_edit: lowest_equivalent(base, &edit, free_to),
            edit,
        });
    }
    touches
}

/// Moves an edit that both sides make to the same place.
pub(super) fn align_equal_edits(base: &BaseLines<'_>, agent: &mut [TouchedLines], user: &mut [TouchedLines]) {
    let mut others = user.iter_mut().peekable();
    for touch in agent {
        while others.next_if(|other| other.lowest_edit.range.start < touch.lowest_edit.range.start).is_some()
        {
        }
        if let Some(other) = others.next_if(|other| other.lowest_edit == touch.lowest_edit) {
            for touch in [touch, other] {
                touch.edit.clone_from(&touch.lowest_edit);
                touch.lines = touched_range(base, &touch.edit);
            }
        }
    }
}

fn lowest_equivalent(base: &BaseLines<'_>, edit: &Edit, free_to: usize) -> Edit {
    let Range { start, end } = edit.range;
    let line = |number: usize| base.slice(base.start(number)..base.start(number + 1));
    let whole = |text: &str| text.ends_with('\n');
    let (first, after) = (base.line_of(start), base.line_of(end));
    let is_free = |number: usize| whole(line(number)) && base.start(number + 1) <= free_to;
    if !base.begins_line(start) || !base.begins_line(end) {
        return edit.clone();
    }
    if edit.text.is_empty() {
        let same = |by: &usize| is_free(after + by) && line(first + by) == line(after + by);
        let by = (0..).take_while(same).count();
        Edit { range: base.start(first + by)..base.start(after + by), text: String::new() }
    } else if start == end && whole(&edit.text) {
        let lines: Vec<_> = edit.text.split_inclusive('\n').collect();
        let same = |(by, text): &(usize, &&str)| is_free(first + by) && line(first + by) == **text;
        let by = lines.iter().cycle().enumerate().take_while(same).count();
        let (moved, kept) = lines.split_at(by % lines.len());
        let at = base.start(first + by);
        Edit { range: at..at, text: kept.concat() + &moved.concat() }
    } else {
        edit.clone()
    }
}

/// Rewrites an insertion or deletion of whole lines to start at a line start, if possible: `\n` and a line
/// after the end of a line equals that line and its `\n`. Stays within the range that other edits leave free.
fn as_whole_lines(base: &BaseLines<'_>, edit: Edit, free: Range<usize>) -> Edit {
    let Range { start, end } = edit.range;
    let line = base.line_of(start);
    let (back, forth) = (base.start(line), base.start(line + 1));
    let (before, after) = (base.slice(back..start), base.slice(start..forth));
    let whole = |text: &str| text.ends_with('\n');
    if edit.text.is_empty() {
        let deleted = base.slice(start..end);
        if deleted.strip_suffix(before).is_some_and(whole) && free.start <= back {
            return Edit { range: back..end - before.len(), text: String::new() };
        }
        let until = end + after.len();
        if whole(after) && deleted.starts_with(after) && base.slice(end..until) == after && until <= free.end
        {
            return Edit { range: forth..until, text: String::new() };
        }
    } else if start == end {
        if let Some(rest) = edit.text.strip_suffix(before).filter(|rest| whole(rest) && free.start <= back) {
            return Edit { range: back..back, text: format!("{before}{rest}") };
        }
        if let Some(rest) = edit.text.strip_prefix(after).filter(|_| whole(after) && forth <= free.end) {
            return Edit { range: forth..forth, text: format!("{rest}{after}") };
        }
    }
    edit
}

fn touched_range(base: &BaseLines<'_>, edit: &Edit) -> Range<usize> {
    let Range { start, end } = edit.range;
    let (first, last) = (base.line_of(start), base.line_of(end));
    let text = edit.text.as_str();
    let unended = base.is_end(end) && !base.begins_line(end);
    if start == end {
        let before_line = base.begins_line(start) && (text.ends_with('\n') || base.is_end(start));
        // Lines after the last line, which has no break of its own.
        let after_last = unended && (text.starts_with('\n') || text.starts_with("\r\n"));
        return match (before_line, after_last) {
            (true, _) => first..first,
            (_, true) => first + 1..first + 1,
            _ => first..first + 1,
        };
    }
    let leaves_no_rest = text.ends_with('\n') || (text.is_empty() && base.begins_line(start));
    if leaves_no_rest && base.begins_line(end) {
        first..last
    } else if leaves_no_rest && unended {
        // An insertion after the last line relies on that line.
        first..last + 2
    } else {
        first..last + 1
    }
}
