//! Maps the hunk's indentation to the file's for new lines, as learned from the old lines.

use std::borrow::Cow;

pub(super) struct IndentMap<'a> {
    /// Each indentation of the hunk with the file's. Blank lines are not included.
    pairs: Vec<(&'a str, &'a str)>,
}

impl<'a> IndentMap<'a> {
    /// Takes pairs of a hunk line and the same line of the file.
    pub(super) fn from_lines(lines: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let nonblank = lines.filter(|(hunk, _)| !hunk.trim().is_empty());
        let mut pairs: Vec<_> = nonblank.map(|(hunk, file)| (indent(hunk), indent(file))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        Self { pairs }
    }

    /// The new line with the file's indentation, if that is certain.
    pub(super) fn apply<'l>(&self, line: &'l str) -> Option<Cow<'l, str>> {
        if line.trim().is_empty() || self.pairs.iter().all(|(hunk, file)| hunk == file) {
            return Some(Cow::Borrowed(line));
        }
        let own = indent(line);
        let mut known = self.pairs.iter().filter(|(hunk, _)| *hunk == own);
        let new = match (known.next(), known.next()) {
            (Some((_, file)), None) => (*file).to_owned(),
            (Some(_), Some(_)) => return None,
            (None, _) => match (self.shifted(own), self.scaled(own)) {
                (Some(shifted), Some(scaled)) => Some(shifted).filter(|shifted| *shifted == scaled)?,
                (shifted, scaled) => shifted.or(scaled)?,
            },
        };
        Some(Cow::Owned(new + line.get(own.len()..).unwrap_or_default()))
    }

    /// Shifts by the amount that all other lines shift.
    fn shifted(&self, own: &str) -> Option<String> {
        let (hunk, file) = self.pairs.first()?;
        if let Some(by) = file.strip_suffix(hunk) {
            let all = self.pairs.iter().all(|(hunk, file)| file.strip_suffix(hunk) == Some(by));
            return all.then(|| format!("{by}{own}"));
        }
        let by = hunk.strip_suffix(file)?;
        let all = self.pairs.iter().all(|(hunk, file)| hunk.strip_suffix(file) == Some(by));
        own.strip_prefix(by).filter(|_| all).map(str::to_owned)
    }

    /// Converts units: tabs for spaces, four columns for two.
    fn scaled(&self, own: &str) -> Option<String> {
        let (hunk, file) = self.pairs.iter().find(|(hunk, file)| !hunk.is_empty() && !file.is_empty())?;
        let (from, to) = (hunk.chars().next()?, file.chars().next()?);
        let only = |indent: &str, unit: char| indent.chars().all(|c| c == unit);
        let same = |(h, f): &(&str, &str)| {
            only(h, from) && only(f, to) && h.len() * file.len() == f.len() * hunk.len()
        };
        let count = own.len() * file.len();
        let fits = self.pairs.iter().all(same) && only(own, from) && count.is_multiple_of(hunk.len());
        fits.then(|| to.to_string().repeat(count / hunk.len()))
    }
}

fn indent(line: &str) -> &str {
    line.get(..line.len() - line.trim_start().len()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pairs: &[(&str, &str)], line: &str, expected: Option<&str>) {
        let indents = IndentMap::from_lines(pairs.iter().copied());
        assert_eq!(indents.apply(line).as_deref(), expected);
    }

    #[test]
    fn a_new_line_is_moved_as_the_others() {
        check(&[("a", "    a")], "b", Some("    b"));
        check(&[("a", "    a"), ("  b", "      b")], "    c", Some("        c"));
        check(&[("    a", "a")], "      b", Some("  b"));
        check(&[("    a", "a")], "b", None);
        check(&[("a", "a ")], "\tb", Some("\tb"));
    }

    #[test]
    fn units_are_translated() {
        check(&[("    a", "\ta"), ("        b", "\t\tb")], "            c", Some("\t\t\tc"));
        check(&[("\ta", "  a"), ("\t\tb", "    b")], "c", Some("c"));
        check(&[("    a", "\ta")], "   b", None);
    }

    #[test]
    fn unclear_indentation_is_not_guessed() {
        check(&[("  a", "    a")], "    b", None);
        check(&[("  a", " a"), ("  b", "   b")], "  c", None);
        check(&[("  a", "    a")], "  b", Some("    b"));
    }
}
