//! Infers how the file indents the lines of a match, and indents new lines accordingly.
//!
//! One rule must hold for all lines of the match: a line with the same words but another relative indentation
//! (the bracket of another block) is not a line that the model showed.

use std::borrow::Cow;
use std::ops::Range;

use super::file_line::FileLine;
use super::fold::is_blank;
use super::requested_lines::RequestedLines;

pub(super) struct IndentShift<'a> {
    /// For each old line, its indentation and the file's; `None` for a blank line.
    pairs: Vec<Option<(&'a str, &'a str)>>,
    rule: IndentRule<'a>,
    /// The spaces of one level in the old and new text; 0 if unknown.
    level: usize,
}

enum IndentRule<'a> {
    Same,
    /// The file has this much more.
    Deeper(&'a str),
    /// The file has this much less.
    Shallower(&'a str),
    /// The file uses other blanks.
    Converted(IndentConversion),
    /// The old text has no indentation, the file has some.
    Unindented,
}

/// Whose indentation the new lines have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NewIndentation {
    /// That of the old text, which differs from the file's by one rule, or is the same.
    AsOld,
    /// The file's, although the old text has another.
    AsFile,
    Unclear,
}

/// `file` blanks of the file stand for `old` blanks of the old text, after `extra` blanks before everything.
struct IndentConversion {
    from: char,
    to: char,
    file: usize,
    old: usize,
    extra: usize,
    /// If the match has only one depth, no other depth can be converted.
    only_depth: Option<usize>,
}

impl IndentConversion {
    fn convert(&self, given: &str) -> Option<String> {
        if is_all(given, self.to) && !given.is_empty() {
            // It already uses the file's blanks.
            return Some(given.to_owned());
        }
        if self.only_depth.is_some_and(|only| only != given.len()) {
            return None;
        }
        let is_whole = is_all(given, self.from) && (given.len() * self.file).is_multiple_of(self.old);
        is_whole.then(|| self.to.to_string().repeat(self.extra + given.len() * self.file / self.old))
    }
}

impl<'a> IndentShift<'a> {
    /// `None` if no rule fits.
    pub(super) fn infer(reading: &RequestedLines<'a>, there: &[FileLine<'a>]) -> Option<Self> {
        let pair = |(old, line): (&&'a str, &FileLine<'a>)| indent(old).zip(indent(line.text));
        let pairs: Vec<_> = reading.old.iter().zip(there).map(pair).collect();
        let rule = rule(|| pairs.iter().flatten().copied())?;
        let given = reading.old.iter().chain(&reading.new).filter_map(|line| indent(line));
        let level =
            given.filter(|indent| is_all(indent, ' ')).fold(0, |level, indent| gcd(level, indent.len()));
        Some(Self { pairs, rule, level })
    }

    /// A model may show the old lines with another indentation and write the new ones with the file's. Then lines that are
    /// in both texts have the file's indentation, and so has the new text as a whole: if only those lines have it, the
    /// model puts them into another block.
    pub(super) fn new_indentation(
        &self,
        reading: &RequestedLines<'_>,
        there: &[FileLine<'_>],
    ) -> NewIndentation {
        if !matches!(self.rule, IndentRule::Deeper(_) | IndentRule::Shallower(_) | IndentRule::Unindented) {
            return NewIndentation::AsOld;
        }
        let (mut as_old, mut as_file) = (0, 0);
        // The least indentation of lines that only the new text has.
        let mut written: Option<usize> = None;
        for new in reading.new.iter().filter(|line| indent(line).is_some()) {
            let same = |(old, _): &(&&str, &FileLine<'_>)| old.trim() == new.trim();
            let known: Vec<_> = reading.old.iter().zip(there).filter(same).collect();
            if known.is_empty() {
                let depth = indent(new).map_or(0, str::len);
                written = Some(written.map_or(depth, |least| least.min(depth)));
                continue;
            }
            as_old += usize::from(known.iter().any(|(old, _)| indent(old) == indent(new)));
            as_file += usize::from(known.iter().any(|(_, line)| indent(line.text) == indent(new)));
        }
        let least = |lines: &mut dyn Iterator<Item = &str>| lines.filter_map(indent).map(str::len).min();
        let new_least = least(&mut reading.new.iter().copied());
        let is_as_file = || new_least == least(&mut there.iter().map(|line| line.text));
        let is_as_old = || new_least == least(&mut reading.old.iter().copied());
        match (as_old, as_file) {
            (0, 0) if is_as_file() && !is_as_old() => NewIndentation::Unclear,
            (0, 0) | (1.., 0) => NewIndentation::AsOld,
            (0, 1..) if is_as_file() && !is_as_old() => NewIndentation::AsFile,
            // The line of a new block around them.
            (0, 1..)
                if is_as_old() && written == new_least && !matches!(self.rule, IndentRule::Shallower(_)) =>
            {
                NewIndentation::AsOld
            }
            (1.., 1..) if as_old >= as_file => NewIndentation::AsOld,
            _ => NewIndentation::Unclear,
        }
    }

    /// The line with the file's indentation. It is the `nth` of `count` lines that replace the old lines
    /// `hunk`. `None` if the indentation is unclear.
    pub(super) fn shift_line<'b>(
        &self,
        line: &'b str,
        hunk: &Range<usize>,
        nth: usize,
        count: usize,
    ) -> Option<Cow<'b, str>> {
        let Some(given) = indent(line) else { return Some(Cow::Borrowed(line)) };
        let becomes = match &self.rule {
            IndentRule::Same => return Some(Cow::Borrowed(line)),
            IndentRule::Deeper(by) => format!("{by}{}", self.convert_indent(by, given)?),
            IndentRule::Shallower(by) => given.strip_prefix(by)?.to_owned(),
            IndentRule::Converted(other) => other.convert(given)?,
            IndentRule::Unindented if given.is_empty() => self.neighbor_indent(hunk, nth, count)?.to_owned(),
            IndentRule::Unindented => return None,
        };
        Some(Cow::Owned(format!("{becomes}{}", line.get(given.len()..)?)))
    }

    /// Converts additional indentation to the file's blanks.
    fn convert_indent<'b>(&self, there: &str, more: &'b str) -> Option<Cow<'b, str>> {
        let old_is_flat = self.pairs.iter().flatten().all(|(old, _)| old.is_empty());
        if !old_is_flat || more.is_empty() || there.chars().all(|blank| more.chars().all(|c| c == blank)) {
            return Some(Cow::Borrowed(more));
        }
        let is_whole = is_all(there, '\t') && is_all(more, ' ') && self.level > 0;
        is_whole.then(|| Cow::Owned("\t".repeat(more.len() / self.level)))
    }

    /// If the old text does not show it: the indentation of the line it replaces, or of its neighbours.
    fn neighbor_indent(&self, hunk: &Range<usize>, nth: usize, count: usize) -> Option<&'a str> {
        let file_indent = |at: usize| self.pairs.get(at).copied().flatten().map(|(_, file)| file);
        if hunk.len() == count {
            return file_indent(hunk.start + nth);
        }
        // Several lines may be a block of their own, which needs indentation.
        let around = if hunk.is_empty() { hunk.start.checked_sub(1)?..hunk.start + 1 } else { hunk.clone() };
        let first = file_indent(around.start).filter(|_| count == 1)?;
        around.into_iter().all(|at| file_indent(at) == Some(first)).then_some(first)
    }
}

fn rule<'a, P: Iterator<Item = (&'a str, &'a str)>>(pairs: impl Fn() -> P) -> Option<IndentRule<'a>> {
    let (old, file) = pairs().next()?;
    if pairs().all(|(old, file)| old == file) {
        return Some(IndentRule::Same);
    }
    if let Some(by) = file.strip_suffix(old)
        && pairs().all(|(old, file)| file.strip_suffix(old) == Some(by))
    {
        return Some(IndentRule::Deeper(by));
    }
    if let Some(by) = old.strip_suffix(file)
        && pairs().all(|(old, file)| old.strip_suffix(file) == Some(by))
    {
        return Some(IndentRule::Shallower(by));
    }
    if pairs().all(|(old, _)| old.is_empty()) {
        return Some(IndentRule::Unindented);
    }
    // Extra blanks before everything are plausible only for a whole block: with just two depths, the second
    // may be that of another line.
    let is_block = pairs().last() == pairs().next();
    let more = pairs().find(|(old, _)| old.is_empty()).map_or(0, |(_, file)| file.len());
    let (old, file) = pairs().find(|(old, file)| !old.is_empty() && file.len() > more)?;
    let other = IndentConversion {
        from: old.chars().next()?,
        to: file.chars().next()?,
        file: file.len() - more,
        old: old.len(),
        extra: more,
        only_depth: pairs().all(|(one, _)| one == old).then_some(old.len()),
    };
    let fits =
        |(old, file): (&str, &str)| is_all(old, other.from) && other.convert(old).as_deref() == Some(file);
    // Half as many of the same blanks may just as well be another line's.
    let believed = other.from != other.to && (more == 0 || is_block);
    (believed && pairs().all(fits)).then_some(IndentRule::Converted(other))
}

/// The leading blanks of a line; `None` for a blank line.
fn indent(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(is_blank);
    if rest.trim().is_empty() { None } else { line.get(..line.len() - rest.len()) }
}

fn is_all(indent: &str, blank: char) -> bool {
    indent.chars().all(|c| c == blank)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::super::file_line::split_file_lines;
    use super::*;

    /// The indentation of the only new line if the old lines match the file's.
    fn shifted(old: &str, file: &str, new: &str) -> Option<String> {
        let reading = RequestedLines { old: old.split('\n').collect(), new: vec![new] };
        let shift = IndentShift::infer(&reading, &split_file_lines(file))?;
        shift.shift_line(new, &(0..reading.old.len()), 0, 1).map(Cow::into_owned)
    }

    #[test]
    fn new_lines_stand_as_their_neighbours_do() {
        let check = |old, file, new, expected: &str| {
            assert_eq!(shifted(old, file, new).as_deref(), Some(expected), "{old:?} {file:?} {new:?}");
        };
        check("a\nb", "    a\n    b", "c", "    c");
        check("a\nb", "    a\n    b", "  c", "      c");
        check("a {\n  b", "\ta {\n\t  b", "    c", "\t    c");
        check("    a\n    b", "a\nb", "      c", "  c");
        check("    a\n    b", "  a\n  b", "  c", "c");
        check("  a\n  b", "\ta\n\tb", "  c", "\tc");
        check("  a\n    b", "\ta\n\t\tb", "\tc", "\tc");
        check("a\nb", "\ta\n\tb", "    c", "\t\tc");
        check("a {\n\tb", "a {\n    b", "\t\tc", "        c");
        check("a {\n  b\n}", "\ta {\n\t\tb\n\t}", "    c", "\t\t\tc");
        check("a\n b", "a\n b", "\tc", "\tc");
        check("a\nb", "\ta\n\tb", "", "");
    }

    #[test]
    fn what_cannot_be_said_is_not() {
        assert_eq!(shifted("a\nb", "a\n  b", "c"), None);
        assert_eq!(shifted("a\nb", "a\n  b", "  c"), None);
        assert_eq!(shifted("    a\n    b", "a\nb", "  c"), None);
        assert_eq!(shifted("a {\n    b", "a {\n\tb", "  c"), None);
        assert_eq!(shifted("a\nb", "    a\n    b", "\tc"), None);
        assert_eq!(shifted("  a\n  b", "\ta\n\tb", "    c"), None);
    }

    #[test]
    fn a_bracket_of_another_block_is_not_the_one_shown() {
        assert_eq!(shifted("        a\n}", "        a\n    }", "c"), None);
        assert_eq!(shifted("        a\n}", "\t\ta\n\t}", "c"), None);
        assert_eq!(shifted("    a\n}", "        a\n        }", "c"), None);
        assert_eq!(shifted("    a\n}", "  a\n}", "c"), None);
    }
}
