//! Parses a patch line by line, in one pass. An error names the line and what was expected there.
//!
//! Tolerated, because models do it and only one meaning is possible: blanks around markers, an empty line for
//! an empty context line, empty lines between sections, the line numbers of a unified diff behind `@@`,
//! `\r\n`.

use memchr::memchr;

use super::{Patch, PatchAction, PatchError, PatchHunk, PatchSection, envelope};
use crate::LineTag;

/// Far more than a model writes in one call.
pub(super) const MAX_BYTES: usize = 8 << 20;
pub(super) const MAX_HUNKS: usize = 10_000;
const MAX_PATH: usize = 4096;

const SECTION: &str =
    "`*** Add File: path`, `*** Delete File: path`, `*** Update File: path` or `*** End Patch`";
const ADDED: &str = "a line of the new file, which begins with `+`, or the next section (`*** …`)";
const FIRST: &str = "a line of the hunk: it begins with ` ` (stays), `-` (is deleted) or `+` (is added)";
const NEXT: &str =
    "a line that begins with ` ` (stays), `-` (is deleted) or `+` (is added), or the next `@@` or section";
const HEADER: &str = "`@@` alone, or `@@ ` and a line of the file that stands before the hunk";
const HUNK: &str = "a hunk: `@@` and lines that begin with ` `, `-` or `+`";

/// Parses only; [`plan`](super::plan) checks whether the patch fits.
pub fn parse(text: &str) -> Result<Patch<'_>, PatchError> {
    if text.len() > MAX_BYTES {
        return Err(PatchError::TooLarge { what: "bytes", max: MAX_BYTES });
    }
    if let Some(at) = memchr(0, text.as_bytes()) {
        let line = text.get(..at).unwrap_or_default().matches('\n').count() + 1;
        return Err(PatchError::Nul { line });
    }
    let lines: Vec<_> = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    let body = envelope::body(&lines)?;
    let (at, end) = (body.start, body.end);
    let mut reader = PatchParser { lines: &lines, at, end, hunks: 0 };
    reader.preamble();
    let mut sections = Vec::new();
    while let Some(section) = reader.section()? {
        sections.push(section);
    }
    Ok(Patch { sections })
}

struct PatchParser<'l, 'a> {
    lines: &'l [&'a str],
    /// The next line to read, and the line that ends the patch.
    at: usize,
    end: usize,
    hunks: usize,
}

impl<'a> PatchParser<'_, 'a> {
    fn peek(&self) -> Option<&'a str> {
        self.lines.get(self.at).copied().filter(|_| self.at < self.end)
    }

    fn syntax_error<T>(&self, expected: &'static str) -> Result<T, PatchError> {
        Err(PatchError::expected(expected, self.at, self.lines))
    }

    fn skip_empty(&mut self) {
        while self.peek().is_some_and(|line| line.trim().is_empty()) {
            self.at += 1;
        }
    }

    /// Codex names an environment, which we ignore.
    fn preamble(&mut self) {
        self.skip_empty();
        if self.peek().is_some_and(|line| line.trim_start().starts_with("*** Environment ID:")) {
            self.at += 1;
        }
    }

    fn section(&mut self) -> Result<Option<PatchSection<'a>>, PatchError> {
        self.skip_empty();
        let Some(header) = self.peek() else { return Ok(None) };
        let line = self.at + 1;
        if let Some(path) = self.path(header, "*** Add File:")? {
            return Ok(Some(PatchSection {
                line,
                path,
                action: PatchAction::Add(self.parse_added_lines()?),
            }));
        }
        if let Some(path) = self.path(header, "*** Delete File:")? {
            return Ok(Some(PatchSection { line, path, action: PatchAction::Delete }));
        }
        if let Some(path) = self.path(header, "*** Update File:")? {
            return Ok(Some(PatchSection { line, path, action: self.parse_update()? }));
        }
        self.syntax_error(SECTION)
    }

    /// Consumes the line if it has this marker, and returns its path.
    fn path(&mut self, line: &'a str, marker: &str) -> Result<Option<&'a str>, PatchError> {
        let Some(path) = line.trim().strip_prefix(marker).map(str::trim) else { return Ok(None) };
        if path.is_empty() {
            return self.syntax_error("a path behind the colon");
        }
        if path.len() > MAX_PATH {
            return self.syntax_error("a path of a sensible length");
        }
        self.at += 1;
        Ok(Some(path))
    }

    /// The lines of a new file. An empty line between others is one of them; at the end it only separates
    /// sections.
    fn parse_added_lines(&mut self) -> Result<Vec<&'a str>, PatchError> {
        let mut lines = Vec::new();
        let mut empty = 0;
        while let Some(line) = self.peek() {
            if let Some(line) = line.strip_prefix('+') {
                lines.extend(std::iter::repeat_n("", std::mem::take(&mut empty)));
                lines.push(line);
            } else if line.is_empty() {
                empty += 1;
            } else if line.trim_start().starts_with("***") {
                break;
            } else {
                return self.syntax_error(ADDED);
            }
            self.at += 1;
        }
        Ok(lines)
    }

    fn parse_update(&mut self) -> Result<PatchAction<'a>, PatchError> {
        let header = self.at - 1;
        let (mut to, mut hunks) = (None, Vec::new());
        loop {
            self.skip_empty();
            let Some(line) = self.peek() else { break };
            if is_end_of_file(line) {
                // Before or between hunks it means nothing.
                self.at += 1;
            } else if let Some(path) = if hunks.is_empty() { self.path(line, "*** Move to:")? } else { None }
            {
                if to.replace(path).is_some() {
                    self.at -= 1;
                    return self.syntax_error(HUNK);
                }
            } else if line.starts_with("@@") || hunks.is_empty() && line.starts_with([' ', '+', '-']) {
                hunks.push(self.hunk()?);
            } else if line.trim_start().starts_with("***") {
                break;
            } else {
                return self.syntax_error(if hunks.is_empty() { HUNK } else { NEXT });
            }
        }
        if hunks.is_empty() && to.is_none() {
            self.at = header;
            return self.syntax_error("hunks below this line, or `*** Move to: path`");
        }
        Ok(PatchAction::Update { to, hunks })
    }

    fn hunk(&mut self) -> Result<PatchHunk<'a>, PatchError> {
        self.hunks += 1;
        if self.hunks > MAX_HUNKS {
            return Err(PatchError::TooLarge { what: "hunks", max: MAX_HUNKS });
        }
        let mut hunk = PatchHunk { line: self.at + 1, ..PatchHunk::default() };
        let mut bare = false;
        while let Some(rest) = self.peek().and_then(|line| line.strip_prefix("@@")) {
            if bare {
                return self.syntax_error(FIRST);
            }
            match header(rest) {
                Err(()) => return self.syntax_error(HEADER),
                Ok(None) => bare = true,
                Ok(Some(header)) => hunk.headers.push(header),
            }
            self.at += 1;
        }
        let mut empty = 0;
        while let Some(line) = self.peek() {
            let tag = match line.bytes().next() {
                None => {
                    empty += 1;
                    self.at += 1;
                    continue;
                }
                Some(b' ') => LineTag::Equal,
                Some(b'-') => LineTag::Delete,
                Some(b'+') => LineTag::Insert,
                _ if is_end_of_file(line) && !hunk.lines.is_empty() => {
                    hunk.at_end = true;
                    self.at += 1;
                    break;
                }
                _ => break,
            };
            hunk.lines.extend(std::iter::repeat_n((LineTag::Equal, ""), std::mem::take(&mut empty)));
            hunk.lines.push((tag, line.get(1..).unwrap_or_default()));
            self.at += 1;
        }
        if hunk.lines.is_empty() { self.syntax_error(FIRST) } else { Ok(hunk) }
    }
}

fn is_end_of_file(line: &str) -> bool {
    line.trim_end() == "*** End of File"
}

/// The text behind `@@`: a line of the file, nothing, or an error.
fn header(rest: &str) -> Result<Option<&str>, ()> {
    if rest.trim().is_empty() {
        return Ok(None);
    }
    let rest = rest.strip_prefix(' ').ok_or(())?.trim_end();
    let rest = skip_line_numbers(rest).or(rest.strip_suffix(" @@")).unwrap_or(rest);
    Ok((!rest.trim().is_empty()).then_some(rest))
}

/// Skips `-1,3 +1,4 @@`, the line numbers of a unified diff, which models cannot count.
fn skip_line_numbers(rest: &str) -> Option<&str> {
    let (numbers, rest) = rest.split_once("@@")?;
    let mut words = numbers.split_whitespace();
    let number = |word: Option<&str>, sign| {
        let digits = word.and_then(|word| word.strip_prefix(sign));
        digits.is_some_and(|digits| digits.chars().all(|c| c.is_ascii_digit() || c == ','))
    };
    let all = number(words.next(), '-') && number(words.next(), '+') && words.next().is_none();
    all.then(|| rest.strip_prefix(' ').unwrap_or(rest))
}
