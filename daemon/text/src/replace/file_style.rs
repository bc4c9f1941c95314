//! Writes a new line as the file writes the lines around it: its quotes, dashes, spaces and composed letters, where the
//! model showed the old lines with others.

use std::borrow::Cow;

use icu_normalizer::DecomposingNormalizerBorrowed;

use super::fold::{LineFold, compose, plain_typography, push_plain};

const QUOTES: [char; 2] = ['\'', '"'];

/// What the shown lines have for what the file has.
pub(super) struct FileStyle<'a> {
    shown: Vec<&'a str>,
    there: Vec<&'a str>,
    form: Option<NormalForm>,
    quotes: QuoteChanges,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NormalForm {
    Composed,
    Decomposed,
}

/// For a single and a double quote of the old text, the quotes that the file has in its place.
#[derive(Default)]
struct QuoteChanges([Vec<char>; 2]);

impl<'a> FileStyle<'a> {
    /// Takes the old lines and their counterparts in the file.
    pub(super) fn new(shown: &[&'a str], there: &[&'a str]) -> Self {
        let is_ascii = |lines: &[&str]| lines.iter().all(|line| line.is_ascii());
        let form = if is_ascii(shown) || is_ascii(there) { None } else { normal_form(shown, there) };
        let quotes = QuoteChanges::new(shown, there);
        Self { shown: shown.to_vec(), there: there.to_vec(), form, quotes }
    }

    /// `None` if it is unclear which quotes or dashes the line should have.
    pub(super) fn write<'b>(&self, line: Cow<'b, str>) -> Option<Cow<'b, str>> {
        let line = self.quotes.apply(self.with_typography(line)?)?;
        Some(match self.form {
            Some(_) if line.is_ascii() => line,
            Some(NormalForm::Composed) => Cow::Owned(compose(&line).into_owned()),
            Some(NormalForm::Decomposed) => Cow::Owned(decompose(&line)),
            None => line,
        })
    }

    /// Where the model showed the old lines with characters that a plain keyboard lacks, and the file does not have them,
    /// the new line gets the plain ones. If the file has only some of them, either may be meant.
    fn with_typography<'b>(&self, line: Cow<'b, str>) -> Option<Cow<'b, str>> {
        let count = |lines: &[&str], c: char| lines.iter().map(|line| line.matches(c).count()).sum::<usize>();
        if line.is_ascii() {
            return Some(line);
        }
        let mut plain = String::with_capacity(line.len());
        for c in line.chars() {
            match (plain_typography(c), count(&self.shown, c)) {
                (None, _) | (_, 0) => plain.push(c),
                (_, shown) => match count(&self.there, c) {
                    0 => push_plain(c, &mut plain),
                    there if there == shown => plain.push(c),
                    _ => return None,
                },
            }
        }
        Some(Cow::Owned(plain))
    }
}

/// The form of the file's lines, if the shown ones differ in it.
fn normal_form(shown: &[&str], there: &[&str]) -> Option<NormalForm> {
    let is_composed = |line: &str| compose(line) == line;
    let differs = |(shown, there): (&&str, &&str)| {
        is_composed(shown) != is_composed(there) && LineFold::Quotes.key(shown) == LineFold::Quotes.key(there)
    };
    if !shown.iter().zip(there).any(differs) {
        return None;
    }
    if there.iter().all(|line| is_composed(line)) {
        Some(NormalForm::Composed)
    } else {
        there.iter().all(|line| decompose(line) == *line).then_some(NormalForm::Decomposed)
    }
}

fn decompose(text: &str) -> String {
    const { DecomposingNormalizerBorrowed::new_nfd() }.normalize(text).into_owned()
}

impl QuoteChanges {
    fn new(shown: &[&str], there: &[&str]) -> Self {
        let (mut changes, mut differs) = (Self::default(), false);
        for (shown, there) in shown.iter().zip(there) {
            let (one, other) = (LineFold::Blanks.key(shown), LineFold::Blanks.key(there));
            if LineFold::Quotes.key(&one) != LineFold::Quotes.key(&other) {
                continue;
            }
            for (shown, there) in one.chars().zip(other.chars()) {
                let known = QUOTES.iter().position(|quote| *quote == shown);
                if let Some(known) = known.and_then(|index| changes.0.get_mut(index)) {
                    differs |= shown != there;
                    if !known.contains(&there) {
                        known.push(there);
                    }
                }
            }
        }
        if differs { changes } else { Self::default() }
    }

    fn apply<'b>(&self, line: Cow<'b, str>) -> Option<Cow<'b, str>> {
        let written = line;
        for (quote, there) in QUOTES.iter().zip(&self.0) {
            match there.as_slice() {
                _ if !written.contains(*quote) => {}
                [] => {}
                [same] if same == quote => {}
                // An apostrophe is no quote, and beside other quotes it is unclear which are meant.
                [other] if !written.contains(*other) && encloses_text(&written, *quote) => {
                    return Some(Cow::Owned(written.replace(*quote, &other.to_string())));
                }
                _ => return None,
            }
        }
        Some(written)
    }
}

/// Whether every quote of this kind has a counterpart, and none is an apostrophe.
fn encloses_text(line: &str, quote: char) -> bool {
    let is_within_word = |(at, _): (usize, &str)| {
        let (before, after) = line.split_at_checked(at).unwrap_or_default();
        before.ends_with(char::is_alphanumeric) && after.chars().nth(1).is_some_and(char::is_alphanumeric)
    };
    line.matches(quote).count().is_multiple_of(2) && !line.match_indices(quote).any(is_within_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(shown: &str, there: &str, line: &str) -> Option<String> {
        FileStyle::new(&[shown], &[there]).write(Cow::Borrowed(line)).map(Cow::into_owned)
    }

    #[test]
    fn a_new_line_is_written_as_the_file_writes_its_neighbours() {
        let check = |shown, there, line, expected: &str| {
            assert_eq!(written(shown, there, line).as_deref(), Some(expected), "{line:?}");
        };
        check("say(“a”)", "say(\"a\")", "say(“b”)", "say(\"b\")");
        check("say(\"a\")", "say(“a”)", "say(\"b\")", "say(\"b\")");
        check("caf\u{e9}", "cafe\u{301}", "th\u{e9}", "the\u{301}");
        check("cafe\u{301}", "caf\u{e9}", "the\u{301}", "th\u{e9}");
        check("say('a')", "say(\"a\")", "say('b', 1)", "say(\"b\", 1)");
        check("say('a')", "say(\"a\")", "say(\"b\", 1)", "say(\"b\", 1)");
        check("say('a')", "say('a')", "say(\"b\")", "say(\"b\")");
    }

    #[test]
    fn quotes_that_may_mean_either_are_left_alone() {
        assert_eq!(written("say('a')", "say(\"a\")", "don't()"), None);
        assert_eq!(written("say(“a “b“ c“)", "say(\"a “b“ c\")", "say(“d“)"), None);
        assert_eq!(written("say('a')", "say(\"a\")", "say('b', \"c\")"), None);
        assert_eq!(written("say('a', 'b')", "say(\"a\", 'b')", "say('c')"), None);
    }
}
