//! Explains a hunk without a certain place: what in the file is similar, and where.

use super::HunkErrorKind;
use super::error::clip_line;
use crate::line_ending::to_lf;
use crate::replace::{LineFold, explain_mismatch};
use crate::source_lines::SourceLines;

/// Places named, at most.
const MAX_NAMED: usize = 10;
/// Hunks of a file for which similar lines are searched, at most.
const MAX_EXPLAINED: usize = 3;

/// No lines match; `before` counts the hunks missed so far.
pub(super) fn not_found(file: &SourceLines<'_>, old: &[&str], before: usize) -> HunkErrorKind {
    let is_explained = before < MAX_EXPLAINED && old.iter().any(|line| !line.trim().is_empty());
    let (hint, nearest) =
        if is_explained { explain_mismatch(&to_lf(file.text), &old.join("\n")) } else { (None, None) };
    let differs = nearest.as_ref().and_then(|nearest| {
        let mut lines = old.iter().zip(nearest.line..);
        let key = |line: &str| LineFold::Typography.key(line).into_owned();
        let (hunk, line) = lines.find(|(old, line)| key(old) != key(file.line(line - 1)))?;
        Some((line, clip_line(hunk)))
    });
    HunkErrorKind::NotFound { hint, nearest, differs }
}

/// `places` may be cut above `max`.
pub(super) fn ambiguous(places: &[usize], max: usize) -> HunkErrorKind {
    let lines = places.iter().take(MAX_NAMED).map(|place| place + 1).collect();
    HunkErrorKind::Ambiguous { lines, count: Some(places.len()).filter(|count| *count <= max) }
}

pub(super) fn innermost_header(headers: &[&str]) -> String {
    clip_line(headers.last().map_or("", |header| header.trim()))
}
