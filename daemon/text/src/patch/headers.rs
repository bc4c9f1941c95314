//! Narrows a hunk's place by its `@@` headers: it comes after them, inside what they start.
//!
//! A header is a line of the file or a part of one, compared as strictly as possible. Its scope is the
//! deeper-indented lines after it; without any, the adjacent line counts.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use memchr::memmem;

use super::PatchHunk;
use crate::replace::{BudgetExceeded, FoldedIndex, LineFold, SearchBudget};
use crate::source_lines::SourceLines;

/// With more places than this, a header's scopes are not examined.
const MAX_SCOPES: usize = 64;
/// Lines examined for containing a header, at most.
const MAX_PARTS: usize = 1000;

/// For each header, the file lines it may mean.
pub(super) type HeaderLines<'p> = HashMap<&'p str, Vec<usize>>;

pub(super) fn find<'p>(
    file: &SourceLines<'_>,
    hunks: &[PatchHunk<'p>],
    budget: &SearchBudget,
) -> Result<HeaderLines<'p>, BudgetExceeded> {
    let mut found = HashMap::new();
    let mut wanted: Vec<&'p str> = hunks.iter().flat_map(|hunk| hunk.headers.iter().copied()).collect();
    wanted.sort_unstable();
    wanted.dedup();
    for fold in [LineFold::Exact, LineFold::Trailing, LineFold::Trimmed, LineFold::Typography] {
        if wanted.is_empty() {
            return Ok(found);
        }
        let index = FoldedIndex::new(file, fold, wanted.iter().copied());
        let mut missing = Vec::new();
        for header in wanted {
            match index.find(&[header], budget)? {
                lines if lines.is_empty() => missing.push(header),
                lines => drop(found.insert(header, lines)),
            }
        }
        wanted = missing;
    }
    find_prefix_matches(file, &wanted, &mut found, budget)?;
    for header in wanted {
        if found.contains_key(header) {
            continue;
        }
        budget.take(file.len())?;
        let places = memmem::find_iter(file.text.as_bytes(), header.trim().as_bytes());
        let mut lines: Vec<_> = places.take(MAX_PARTS).map(|place| file.line_at(place)).collect();
        lines.dedup();
        found.insert(header, lines);
    }
    Ok(found)
}

/// The lines that start with a header, ignoring indentation: models often omit the rest.
fn find_prefix_matches<'p>(
    file: &SourceLines<'_>,
    wanted: &[&'p str],
    found: &mut HeaderLines<'p>,
    budget: &SearchBudget,
) -> Result<(), BudgetExceeded> {
    let headers: HashMap<&str, &'p str> = wanted.iter().map(|header| (header.trim(), *header)).collect();
    let mut lengths: Vec<_> = headers.keys().map(|header| header.len()).collect();
    lengths.sort_unstable();
    lengths.dedup();
    budget.take(file.len().saturating_mul(lengths.len()))?;
    for (number, line) in file.lines().enumerate().filter(|_| !lengths.is_empty()) {
        let line = line.trim_start();
        for beginning in lengths.iter().filter_map(|length| line.get(..*length)) {
            if let Some(header) = headers.get(beginning) {
                found.entry(header).or_default().push(number);
            }
        }
    }
    Ok(())
}

/// The lines that the last header may mean: after the others, and inside their scopes if possible. Empty if a
/// header is missing.
pub(super) fn find_anchors<'f>(
    file: &SourceLines<'_>,
    headers: &[&str],
    found: &'f HeaderLines<'_>,
    budget: &SearchBudget,
) -> Result<Cow<'f, [usize]>, BudgetExceeded> {
    let mut anchors: Option<Cow<'f, [usize]>> = None;
    for header in headers {
        let lines = found.get(*header).map_or(&[][..], Vec::as_slice);
        anchors = Some(match anchors {
            None => Cow::Borrowed(lines),
            Some(outer) => {
                budget.take(lines.len())?;
                let after = lines.iter().filter(|line| outer.first().is_some_and(|first| *line > first));
                Cow::Owned(filter_in_scope(file, &outer, after.copied().collect(), budget)?.0)
            }
        });
    }
    Ok(anchors.unwrap_or_default())
}

/// The places that the headers allow. `certain` means that the hunk shows enough of the file to be accepted
/// outside a scope if its place is unique. Empty if the headers allow none.
pub(super) fn places_under_headers(
    file: &SourceLines<'_>,
    anchors: &[usize],
    places: &[usize],
    certain: bool,
    budget: &SearchBudget,
) -> Result<Vec<usize>, BudgetExceeded> {
    // A hunk may start with the header line itself.
    let is_after = |place: &usize| anchors.first().is_some_and(|first| place >= first);
    let after: Vec<_> = places.iter().copied().filter(is_after).collect();
    match filter_in_scope(file, anchors, after, budget)? {
        (after, ScopeMatch::Inside) => Ok(after),
        (after, ScopeMatch::Outside) => Ok(if certain && places.len() == 1 { after } else { Vec::new() }),
        (after, ScopeMatch::Unknown) => {
            let is_anchor = |line: usize| anchors.binary_search(&line).is_ok();
            let is_next = |place: &usize| is_anchor(*place) || place.checked_sub(1).is_some_and(is_anchor);
            let next: Vec<_> = after.iter().copied().filter(is_next).collect();
            Ok(if next.is_empty() { after } else { next })
        }
    }
}

enum ScopeMatch {
    Inside,
    Outside,
    /// Nothing is indented deeper than the headers, or there are too many of them.
    Unknown,
}

/// The lines inside an anchor's scope; all of them if none is or the scopes are unknown.
fn filter_in_scope(
    file: &SourceLines<'_>,
    anchors: &[usize],
    lines: Vec<usize>,
    budget: &SearchBudget,
) -> Result<(Vec<usize>, ScopeMatch), BudgetExceeded> {
    if anchors.len() > MAX_SCOPES || lines.is_empty() {
        return Ok((lines, ScopeMatch::Unknown));
    }
    let scopes: Vec<_> = anchors.iter().map(|anchor| scope(file, *anchor)).collect();
    budget.take(scopes.iter().map(|scope| scope.len() + lines.len()).sum())?;
    if scopes.iter().all(|scope| scope.len() == 1) {
        return Ok((lines, ScopeMatch::Unknown));
    }
    let is_inside = |line: &usize| scopes.iter().any(|scope| scope.contains(line));
    let inside: Vec<_> = lines.iter().copied().filter(is_inside).collect();
    Ok(if inside.is_empty() { (lines, ScopeMatch::Outside) } else { (inside, ScopeMatch::Inside) })
}

/// A line and the deeper-indented lines after it, with their closing bracket.
fn scope(file: &SourceLines<'_>, header: usize) -> Range<usize> {
    let own = width(file.line(header));
    let start = header + 1;
    let mut end = start;
    for line in start..file.len() {
        let text = file.line(line);
        if text.trim().is_empty() {
            continue;
        }
        if width(text) > own {
            end = line + 1;
            continue;
        }
        match text.trim_start().bytes().next() {
            // The body may start on its own line, and some lines are never indented.
            Some(b'{' | b'(' | b')' | b'#') if width(text) == own || text.starts_with('#') => {}
            Some(b'}' | b']') if width(text) == own && end > start => return header..line + 1,
            _ => break,
        }
    }
    header..end
}

/// The indentation in columns; a tab counts four.
fn width(line: &str) -> usize {
    let indent = line.chars().take_while(|c| c.is_whitespace());
    indent.map(|c| if c == '\t' { 4 } else { 1 }).sum()
}
