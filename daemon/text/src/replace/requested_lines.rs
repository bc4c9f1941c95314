//! The request as lines: old lines and their replacement.
//!
//! A line break at the end of the old text ends its last line; the new text is then read the same way. What
//! neither text mentions stays as it is, including the last line's break.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RequestedLines<'a> {
    pub(super) old: Vec<&'a str>,
    pub(super) new: Vec<&'a str>,
}

impl<'a> RequestedLines<'a> {
    /// Both texts have only `\n` as line break.
    pub(super) fn new(old: &'a str, new: &'a str) -> Self {
        match old.strip_suffix('\n') {
            Some(_) if new.is_empty() => Self { old: split(old), new: Vec::new() },
            Some(_) => Self { old: split(old), new: split(new) },
            None => Self { old: split(old), new: new.split('\n').collect() },
        }
    }

    /// Strips the blank lines around the old text, and around the new one, which must have the same or none.
    pub(super) fn without_blank_margins(&self) -> Option<Self> {
        let blank = |line: &&&str| line.trim().is_empty();
        let before = self.old.iter().take_while(blank).count();
        let after = self.old.iter().rev().take_while(blank).count();
        if before + after == 0 || before == self.old.len() {
            return None;
        }
        let new_before = self.new.iter().take_while(blank).count();
        let rest = self.new.get(new_before..)?;
        let new_after = rest.iter().rev().take_while(blank).count();
        // Any other number of them is intended.
        if ![0, before].contains(&new_before) || ![0, after].contains(&new_after) {
            return None;
        }
        Some(Self {
            old: self.old.get(before..self.old.len() - after)?.to_vec(),
            new: rest.get(..rest.len() - new_after)?.to_vec(),
        })
    }
}

/// A final break starts no further line.
fn split(text: &str) -> Vec<&str> {
    text.strip_suffix('\n').unwrap_or(text).split('\n').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(old: &'static str, new: &'static str) -> (Vec<&'static str>, Vec<&'static str>) {
        let RequestedLines { old, new } = RequestedLines::new(old, new);
        (old, new)
    }

    #[test]
    fn texts_are_lines() {
        assert_eq!(reading("a\nb", "c"), (vec!["a", "b"], vec!["c"]));
        assert_eq!(reading("a\nb\n", "c\n"), (vec!["a", "b"], vec!["c"]));
        assert_eq!(reading("a\n", "c"), (vec!["a"], vec!["c"]));
        assert_eq!(reading("a\n", ""), (vec!["a"], vec![]), "the line goes");
        assert_eq!(reading("a", ""), (vec!["a"], vec![""]), "the line is empty");
        assert_eq!(reading("a", "c\n"), (vec!["a"], vec!["c", ""]));
    }

    #[test]
    fn margins_are_those_of_both() {
        let bare = |old, new| {
            RequestedLines::new(old, new).without_blank_margins().map(|reading| (reading.old, reading.new))
        };
        assert_eq!(bare("\n\na\n\n", "b"), Some((vec!["a"], vec!["b"])));
        assert_eq!(bare("\na", "\nb"), Some((vec!["a"], vec!["b"])));
        assert_eq!(bare("\na", "\n\nb"), None);
        assert_eq!(bare("\na", "b\n"), None);
        assert_eq!(bare("a", "b"), None);
        assert_eq!(bare("\n \n", "b"), None);
    }
}
