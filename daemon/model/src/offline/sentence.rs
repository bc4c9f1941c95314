//! Splits a sentence into words; text in quotes or backticks is one word, unchanged.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SentenceWord {
    pub(super) text: String,
    pub(super) is_quoted: bool,
}

impl SentenceWord {
    /// Whether it is one of these words, unquoted.
    pub(super) fn is_any_of(&self, words: &[&str]) -> bool {
        !self.is_quoted && words.iter().any(|word| self.text.eq_ignore_ascii_case(word))
    }
}

/// Longer requests are not parsed.
const MAX_BYTES: usize = 2000;

pub(super) fn split(sentence: &str) -> Vec<SentenceWord> {
    if sentence.len() > MAX_BYTES {
        return Vec::new();
    }
    let mut words = Vec::new();
    let mut rest = sentence.trim_start();
    while let Some(first) = rest.chars().next() {
        let closing = match first {
            '"' | '`' | '\'' => Some(first),
            '“' => Some('”'),
            '‘' => Some('’'),
            _ => None,
        };
        let inner = rest.strip_prefix(first).unwrap_or_default();
        if let Some((text, after)) = closing.and_then(|closing| split_quoted(inner, closing)) {
            words.push(SentenceWord { text: text.to_owned(), is_quoted: true });
            rest = after.trim_start_matches(is_mark).trim_start();
            continue;
        }
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let text = word.trim_end_matches(is_mark);
        if !text.is_empty() {
            words.push(SentenceWord { text: text.to_owned(), is_quoted: false });
        }
        rest = after.trim_start();
    }
    words
}

/// Splits at the closing quote, which a space, a punctuation mark or the end must follow.
fn split_quoted(text: &str, closing: char) -> Option<(&str, &str)> {
    let ends = text.match_indices(closing).map(|(at, quote)| (at, at + quote.len()));
    let pieces = ends.filter_map(|(at, after)| Some((text.get(..at)?, text.get(after..)?)));
    let whole =
        |after: &str| after.trim_start_matches(is_mark).chars().next().is_none_or(char::is_whitespace);
    let mut fit = pieces.filter(|(text, after)| !text.is_empty() && whole(after));
    fit.next()
}

fn is_mark(character: char) -> bool {
    matches!(character, '.' | ',' | '!' | '?' | ';' | ':')
}
