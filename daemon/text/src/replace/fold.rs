//! Folds lines: removes what a tier ignores.
//!
//! Each fold removes more than the one before, so that lines equal under one are equal under all later ones.

use std::borrow::Cow;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineFold {
    /// Removes trailing blanks.
    Trailing,
    /// Removes blanks at both ends.
    Trimmed,
    /// Also makes curly quotes, long dashes and special spaces plain, and removes zero-width characters.
    Typography,
    /// Also reduces any run of blanks to one space.
    Blanks,
}

impl LineFold {
    pub(super) fn push(self, line: &str, folded: &mut String) {
        match self {
            Self::Trailing => folded.push_str(line.trim_end_matches(is_blank)),
            Self::Trimmed => folded.push_str(line.trim_matches(is_blank)),
            Self::Typography if line.is_ascii() => folded.push_str(line.trim_matches(is_blank)),
            Self::Typography => {
                let plain: String = line.chars().filter_map(plain_typography).collect();
                folded.push_str(plain.trim_matches(is_blank));
            }
            Self::Blanks if line.is_ascii() => push_words(line, folded),
            Self::Blanks => {
                push_words(&line.chars().filter_map(plain_typography).collect::<String>(), folded);
            }
        }
    }

    pub(super) fn fold_line(self, line: &str) -> String {
        let mut folded = String::with_capacity(line.len());
        self.push(line, &mut folded);
        folded
    }
}

fn push_words(line: &str, folded: &mut String) {
    for (index, word) in line.split(is_blank).filter(|word| !word.is_empty()).enumerate() {
        if index > 0 {
            folded.push(' ');
        }
        folded.push_str(word);
    }
}

pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

/// A line that replaces others, as the file writes them: where the model showed the old lines with characters that a plain
/// keyboard lacks, and the file does not have them, the new line gets the plain ones.
pub(super) fn in_file_typography<'a>(
    line: Cow<'a, str>,
    shown: &[&str],
    there: impl Fn(char) -> bool,
) -> Cow<'a, str> {
    let is_foreign =
        |c: char| plain_typography(c) != Some(c) && shown.iter().any(|old| old.contains(c)) && !there(c);
    if line.is_ascii() || !line.contains(is_foreign) {
        return line;
    }
    let plain = |c: char| if is_foreign(c) { plain_typography(c) } else { Some(c) };
    Cow::Owned(line.chars().filter_map(plain).collect())
}

/// The character on a plain keyboard.
pub(super) fn plain_typography(c: char) -> Option<char> {
    Some(match c {
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        // Zero-width characters, as invisible as white space.
        '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' => return None,
        c => c,
    })
}
