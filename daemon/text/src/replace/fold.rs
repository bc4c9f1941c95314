//! Folds lines: removes what a tier ignores.
//!
//! Each fold removes more than the one before, so that lines equal under one are equal under all later ones.

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizerBorrowed;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineFold {
    Exact,
    /// Removes trailing blanks.
    Trailing,
    /// Removes blanks at both ends.
    Trimmed,
    /// Also makes curly quotes, long dashes and special spaces plain, removes zero-width characters, and composes letters
    /// with their accents.
    Typography,
    /// Also reduces any run of blanks to one space.
    Blanks,
    /// Also makes single quotes of double ones.
    Quotes,
}

impl LineFold {
    pub(super) const COUNT: usize = 6;
    pub(super) const LOOSEST: Self = Self::Quotes;

    /// The compared form of a line.
    pub(crate) fn key(self, line: &str) -> Cow<'_, str> {
        match self {
            Self::Exact => Cow::Borrowed(line),
            Self::Trailing => Cow::Borrowed(line.trim_end_matches(is_blank)),
            Self::Trimmed => Cow::Borrowed(line.trim_matches(is_blank)),
            Self::Typography if line.is_ascii() => Cow::Borrowed(line.trim_matches(is_blank)),
            Self::Typography => Cow::Owned(plain_line(line).trim_matches(is_blank).to_owned()),
            Self::Blanks => match Self::Typography.key(line) {
                line if !has_wide_blank(&line) => line,
                line => Cow::Owned(
                    line.split(is_blank).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "),
                ),
            },
            Self::Quotes => match Self::Blanks.key(line) {
                line if line.contains('"') => Cow::Owned(line.replace('"', "'")),
                line => line,
            },
        }
    }
}

/// Whether a folded line would differ in its blanks.
fn has_wide_blank(line: &str) -> bool {
    let bytes = line.as_bytes();
    bytes.contains(&b'\t') || bytes.windows(2).any(|two| two == b"  ")
}

fn plain_line(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    line.chars().for_each(|c| push_plain(c, &mut plain));
    compose(&plain).into_owned()
}

/// Letters with their accents as one character each, where Unicode has one.
pub(super) fn compose(text: &str) -> Cow<'_, str> {
    const { ComposingNormalizerBorrowed::new_nfc() }.normalize(text)
}

pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

/// Writes the character as a plain keyboard has it.
pub(super) fn push_plain(c: char, plain: &mut String) {
    match plain_typography(c) {
        Some(other) => plain.push_str(other),
        None => plain.push(c),
    }
}

/// What a plain keyboard has for a special character; `None` for other characters.
pub(super) fn plain_typography(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{2018}'..='\u{201b}' => "'",
        '\u{201c}'..='\u{201f}' => "\"",
        '\u{2010}'..='\u{2015}' | '\u{2212}' => "-",
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => " ",
        '\u{2026}' => "...",
        // Zero-width characters, as invisible as white space.
        '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' => "",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fold_removes_what_its_tier_ignores() {
        let check =
            |fold: LineFold, line: &str, expected: &str| assert_eq!(fold.key(line), expected, "{line:?}");
        check(LineFold::Trailing, "\ta \t", "\ta");
        check(LineFold::Trimmed, "\ta  b \t", "a  b");
        check(LineFold::Typography, "\u{a0}“cafe\u{301}”…\u{200b}", "\"caf\u{e9}\"...");
        check(LineFold::Blanks, "  a\t b  ", "a b");
        check(LineFold::Quotes, "say(“a”,  'b')", "say('a', 'b')");
    }
}
