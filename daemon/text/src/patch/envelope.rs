//! The envelope of a patch: its first and last line, and the wrappers that models add (a fence, a command
//! with a here document, a sentence before it).

use std::ops::Range;

use super::PatchError;

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
/// Lines that may close the wrappers around the patch, at most.
const MAX_CLOSERS: usize = 3;

const LAST: &str = "`*** End Patch` as the last line (without it the patch may have been cut short)";
const AFTER: &str = "nothing behind `*** End Patch`: what is to be done stands in one patch";

/// The lines between the first and the last line of the patch. Anything that is not part of a patch may
/// precede it. Only closing lines of a wrapper may follow, because anything else may have been meant to
/// apply.
pub(super) fn body(lines: &[&str]) -> Result<Range<usize>, PatchError> {
    let blank = |line: &&str| line.trim().is_empty();
    let begin = lines.iter().position(|line| line.trim() == BEGIN);
    let before = lines.get(..begin.unwrap_or(lines.len())).unwrap_or_default();
    let stray = before.iter().position(|line| line.trim_start().starts_with("***"));
    let Some(begin) = begin.filter(|_| stray.is_none()) else {
        let first = stray.or(lines.iter().position(|line| !blank(line))).unwrap_or(0);
        return Err(PatchError::expected("`*** Begin Patch`", first, lines));
    };
    let word = before.iter().rev().find(|line| !blank(line)).and_then(|line| here_document(line));
    let mut end = lines.len();
    for _ in 0..=MAX_CLOSERS {
        end = lines.get(..end).and_then(|lines| lines.iter().rposition(|line| !blank(line))).unwrap_or(0);
        if !lines.get(end).is_some_and(|line| closes(line.trim(), word)) {
            break;
        }
    }
    if end <= begin || lines.get(end).is_none_or(|line| line.trim() != END) {
        return Err(match lines.iter().rposition(|line| line.trim_end() == END) {
            Some(early) => PatchError::expected(AFTER, after(lines, early), lines),
            None => PatchError::expected(LAST, end, lines),
        });
    }
    let inner = lines.get(begin + 1..end).unwrap_or_default();
    if let Some(early) = inner.iter().position(|line| line.trim_end() == END) {
        return Err(PatchError::expected(AFTER, after(lines, begin + 1 + early), lines));
    }
    Ok(begin + 1..end)
}

/// The next non-blank line.
fn after(lines: &[&str], line: usize) -> usize {
    let rest = lines.iter().enumerate().skip(line + 1);
    rest.filter(|(_, line)| !line.trim().is_empty()).map(|(index, _)| index).next().unwrap_or(line)
}

/// The end word of a here document that starts in this line.
fn here_document(line: &str) -> Option<&str> {
    let word = line.trim_end().rsplit_once("<<")?.1.trim_start_matches(['-', '~']).trim();
    let word = word.trim_matches(['\'', '"']);
    (!word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_')).then_some(word)
}

fn closes(line: &str, word: Option<&str>) -> bool {
    let fence = ["```", "~~~"].contains(&line);
    let quote = |rest: &str| rest.chars().all(|c| matches!(c, '"' | '\'' | ')'));
    fence || word.is_some_and(|word| quote(line.strip_prefix(word).unwrap_or(line)))
}
