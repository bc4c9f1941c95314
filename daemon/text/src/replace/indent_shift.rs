//! Infers how the file indents the lines of a match, and indents new lines accordingly.
//!
//! Usually one rule holds for all lines of the match. If not, a line with the same words but another relative indentation
//! may be another line than the model showed (the bracket of another block); see [`mixed_indent`](super::mixed_indent).

use std::borrow::Cow;
use std::ops::Range;

use super::fold::is_blank;
use super::line_search::LineSearch;
use super::mixed_indent::MixedIndent;
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
    Mixed(MixedIndent<'a>),
}

/// `file` blanks of the file stand for `old` blanks of the old text, after `extra` blanks before everything.
struct IndentConversion {
    from: char,
    to: char,
    file: usize,
    old: usize,
    extra: usize,
    /// If the match has only one depth, and the file's unit does not explain it, no other depth can be converted.
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
    /// `there` are the lines of the file that match the old lines.
    pub(super) fn infer(search: &LineSearch<'a>, reading: &RequestedLines<'a>, there: &[&'a str]) -> Self {
        let pairs: Vec<_> =
            reading.old.iter().zip(there).map(|(old, line)| indent(old).zip(indent(line))).collect();
        let rule = rule(|| pairs.iter().flatten().copied(), search);
        let rule =
            rule.unwrap_or_else(|| IndentRule::Mixed(MixedIndent::new(search.file, &reading.old, &pairs)));
        let given = reading.old.iter().chain(&reading.new).filter_map(|line| indent(line));
        let level =
            given.filter(|indent| is_all(indent, ' ')).fold(0, |level, indent| gcd(level, indent.len()));
        Self { pairs, rule, level }
    }

    /// Whether one rule holds for all lines.
    pub(super) fn is_regular(&self) -> bool {
        !matches!(self.rule, IndentRule::Mixed(_))
    }

    /// Whether the lines of the file that would be replaced are those that the model showed.
    pub(super) fn is_certain(&self, hunk: &Range<usize>) -> bool {
        match &self.rule {
            IndentRule::Mixed(mixed) => mixed.is_certain(hunk),
            _ => true,
        }
    }

    /// Whether the old text has more or less indentation than the file, by one rule.
    pub(super) fn is_shifted(&self) -> bool {
        matches!(self.rule, IndentRule::Deeper(_) | IndentRule::Shallower(_) | IndentRule::Unindented)
    }

    /// Whether the file has less indentation than the old text.
    pub(super) fn is_shallower(&self) -> bool {
        matches!(self.rule, IndentRule::Shallower(_))
    }

    /// Whether one of the lines can be indented like the old text: not if the file has less of it than they lack.
    pub(super) fn can_be_old(&self, written: &[&str]) -> bool {
        let IndentRule::Shallower(by) = self.rule else { return true };
        let is_in_file =
            |indent: &&str| self.pairs.iter().flatten().any(|(_, file)| file == indent) || by.contains('\t');
        written.iter().any(|indent| indent.starts_with(by)) || !written.iter().all(is_in_file)
    }

    /// The indentation of an old line, and the file's.
    pub(super) fn pair(&self, at: usize) -> Option<(&'a str, &'a str)> {
        self.pairs.get(at).copied().flatten()
    }

    pub(super) fn first_pair(&self) -> Option<(&'a str, &'a str)> {
        self.pairs.iter().flatten().next().copied()
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
            IndentRule::Mixed(mixed) => mixed.indent(given, hunk, nth, count)?.to_owned(),
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

fn rule<'a, P: Iterator<Item = (&'a str, &'a str)>>(
    pairs: impl Fn() -> P,
    search: &LineSearch<'_>,
) -> Option<IndentRule<'a>> {
    if pairs().all(|(old, file)| old == file) {
        return Some(IndentRule::Same);
    }
    let (old, file) = pairs().next()?;
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
    let has_one_depth = pairs().all(|(one, _)| one == old);
    // One tab for each level of the file.
    let is_tab_per_level = || {
        let unit = if is_all(old, '\t') { search.indent_unit() } else { None };
        is_all(file, ' ') && unit.is_some_and(|unit| file.len() == old.len() * unit)
    };
    let other = IndentConversion {
        from: old.chars().next()?,
        to: file.chars().next()?,
        file: file.len() - more,
        old: old.len(),
        extra: more,
        only_depth: (has_one_depth && !is_tab_per_level()).then_some(old.len()),
    };
    let fits =
        |(old, file): (&str, &str)| is_all(old, other.from) && other.convert(old).as_deref() == Some(file);
    // Half as many of the same blanks may just as well be another line's.
    let believed = other.from != other.to && (more == 0 || is_block);
    (believed && pairs().all(fits)).then_some(IndentRule::Converted(other))
}

/// The leading blanks of a line; `None` for a blank line.
pub(super) fn indent(line: &str) -> Option<&str> {
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
    use super::*;
    use crate::source_lines::SourceLines;

    /// The indentation of the only new line if the old lines match the file's.
    fn shifted(old: &str, file: &str, new: &str) -> Option<String> {
        let reading = RequestedLines::new(old, new);
        let file = SourceLines::new(file);
        let search = LineSearch::new(&file, Vec::new());
        let there: Vec<_> = file.lines().collect();
        let shift = IndentShift::infer(&search, &reading, &there);
        if !shift.is_regular() {
            return None;
        }
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
