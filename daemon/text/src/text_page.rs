//! A page of a file for a reader: some of its lines, each with its number.
//!
//! Invariant: a page never exceeds the requested bytes, has at least one line if the text has one, and
//! reports its last line, so that continuing at `last + 1` shows every line once.

use std::fmt::Write;

use thiserror::Error;

/// The wanted lines, and the caps on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    /// The first line, from 1 (0 counts as 1).
    pub offset: usize,
    /// The number of lines, at most (0 counts as 1).
    pub limit: usize,
    /// Longer lines are cut.
    pub line_chars: usize,
    pub bytes: usize,
}

impl Default for PageRequest {
    fn default() -> Self {
        Self { offset: 1, limit: 2000, line_chars: 2000, bytes: 50 * 1024 }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageEndReason {
    /// The text ends there.
    EndOfText,
    Limit,
    Bytes,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPage {
    /// `N: line` for each line, with line breaks.
    pub text: String,
    pub first: usize,
    /// The last line shown; 0 for an empty text.
    pub last: usize,
    /// The lines of the text. A final newline starts no further line.
    pub total: usize,
    pub end_reason: PageEndReason,
    /// The numbers of the shown lines that are cut.
    pub truncated_lines: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {offset} is past the end: there {} {total} line{}", if *total == 1 { "is" } else { "are" }, if *total == 1 { "" } else { "s" })]
pub struct PastEndError {
    pub offset: usize,
    pub total: usize,
}

pub fn read_page(text: &str, view: &PageRequest) -> Result<TextPage, PastEndError> {
    let total = text.lines().count();
    let first = view.offset.max(1);
    if first > total.max(1) {
        return Err(PastEndError { offset: first, total });
    }
    let mut page = TextPage {
        text: String::new(),
        first,
        last: first - 1,
        total,
        end_reason: PageEndReason::EndOfText,
        truncated_lines: Vec::new(),
    };
    for line in text.lines().skip(first - 1).take(view.limit.max(1)) {
        let (mut shown, mut cut) = clip_line(page.last + 1, line, view.line_chars);
        if page.text.len() + shown.len() > view.bytes {
            page.end_reason = PageEndReason::Bytes;
            // Cut the first line; leave any other to the next page.
            if page.last >= first {
                return Ok(page);
            }
            shown.truncate(shown.floor_char_boundary(view.bytes));
            cut = true;
        }
        page.text.push_str(&shown);
        page.last += 1;
        page.truncated_lines.extend(cut.then_some(page.last));
        if page.end_reason == PageEndReason::Bytes {
            return Ok(page);
        }
    }
    if page.last < total {
        page.end_reason = PageEndReason::Limit;
    }
    Ok(page)
}

/// A numbered line with its break, and whether it was cut.
fn clip_line(number: usize, line: &str, chars: usize) -> (String, bool) {
    // Most lines have fewer bytes than the allowed characters and need no counting.
    let end = if line.len() <= chars { None } else { line.char_indices().nth(chars) };
    let Some((end, _)) = end else { return (format!("{number}: {line}\n"), false) };
    let (kept, rest) = line.split_at_checked(end).unwrap_or((line, ""));
    let mut shown = format!("{number}: {kept}");
    let _ = writeln!(shown, "… ({} more characters in this line)", rest.chars().count());
    (shown, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, view: PageRequest, expected: (&str, usize, usize, usize, PageEndReason, usize)) {
        let page = read_page(text, &view).unwrap();
        let seen = (
            page.text.as_str(),
            page.first,
            page.last,
            page.total,
            page.end_reason,
            page.truncated_lines.len(),
        );
        assert_eq!(seen, expected);
    }

    #[test]
    fn pages_say_where_they_end() {
        let view = PageRequest::default();
        check("", view, ("", 1, 0, 0, PageEndReason::EndOfText, 0));
        check("a\r\n\nb", view, ("1: a\n2: \n3: b\n", 1, 3, 3, PageEndReason::EndOfText, 0));
        check("a\nb\n", PageRequest { offset: 2, ..view }, ("2: b\n", 2, 2, 2, PageEndReason::EndOfText, 0));
        check(
            "a\nb\nc\n",
            PageRequest { limit: 2, ..view },
            ("1: a\n2: b\n", 1, 2, 3, PageEndReason::Limit, 0),
        );
        check(
            "a\nb\nc\n",
            PageRequest { bytes: 10, ..view },
            ("1: a\n2: b\n", 1, 2, 3, PageEndReason::Bytes, 0),
        );
    }

    #[test]
    fn long_lines_are_cut_and_say_so() {
        let view = PageRequest { line_chars: 3, ..PageRequest::default() };
        let shown = "1: äöü… (2 more characters in this line)\n2: ok\n";
        check("äöüxy\nok", view, (shown, 1, 2, 2, PageEndReason::EndOfText, 1));
        check("äöüxy\nok", PageRequest { bytes: 6, ..view }, ("1: ä", 1, 1, 2, PageEndReason::Bytes, 1));
    }

    #[test]
    fn there_is_nothing_past_the_end() {
        let at =
            |text, offset| read_page(text, &PageRequest { offset, ..PageRequest::default() }).unwrap_err();
        assert_eq!(at("a\nb\nc", 4), PastEndError { offset: 4, total: 3 });
        assert_eq!(at("a", 2).to_string(), "line 2 is past the end: there is 1 line");
        assert_eq!(at("", 2).to_string(), "line 2 is past the end: there are 0 lines");
    }
}
