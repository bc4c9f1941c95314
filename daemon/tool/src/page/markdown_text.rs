//! Helpers for text inside Markdown: escaping, fences, addresses, titles.

use std::borrow::Cow;

use url::Url;

/// A longer address is dropped.
const MAX_ADDRESS_BYTES: usize = 2048;
const MAX_TITLE_CHARS: usize = 200;

/// Removes control and invisible characters.
pub(super) fn printable(word: &str) -> Cow<'_, str> {
    let is_unseen = |letter: char| {
        letter.is_control() && letter != '\t' || matches!(letter, '\u{ad}' | '\u{200b}' | '\u{feff}')
    };
    if word.contains(is_unseen) { word.replace(is_unseen, "").into() } else { word.into() }
}

/// Whether a word at the start of a line would be read as Markdown syntax.
pub(super) fn needs_escape(word: &str) -> bool {
    let is_number = || {
        let digits = word.trim_end_matches(['.', ')']);
        digits.len() + 1 == word.len() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    match word.as_bytes() {
        [b'>', ..] => true,
        [b'#', ..] => word.len() <= 6 && word.bytes().all(|byte| byte == b'#'),
        [b'-' | b'+' | b'*'] => true,
        [b'-', b'-', ..] | [b'*', b'*', b'*', ..] | [b'=', b'=', ..] => {
            word.bytes().all(|byte| matches!(byte, b'-' | b'*' | b'='))
        }
        [b'`', b'`', b'`', ..] | [b'~', b'~', b'~', ..] => true,
        [b'0'..=b'9', .., b'.' | b')'] => is_number(),
        _ => false,
    }
}

/// A run of backticks that no run in the text can end.
pub(super) fn fence(text: &str, least: usize) -> String {
    let mut longest = 0;
    let mut run = 0;
    for byte in text.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    // One more than the longest run in the text.
    let needed = if longest == 0 { 1 } else { longest + 1 };
    "`".repeat(needed.max(least))
}

/// The absolute address for a link. `None` for an address within the same page.
pub(super) fn address(base: &Url, written: &str) -> Option<String> {
    if written.is_empty() || written.starts_with('#') || written.len() > MAX_ADDRESS_BYTES {
        return None;
    }
    let url = base.join(written).ok()?;
    if !matches!(url.scheme(), "http" | "https" | "mailto") || url.as_str().len() > MAX_ADDRESS_BYTES {
        return None;
    }
    if url.fragment().is_some() && page(&url) == page(base) {
        return None;
    }
    Some(url.as_str().replace('(', "%28").replace(')', "%29"))
}

/// An address without its fragment.
fn page(url: &Url) -> Option<&str> {
    url.as_str().split('#').next()
}

/// A title on one line, without control characters.
pub(super) fn title(text: &str) -> Option<String> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    // Nor characters that change the direction of the text around them.
    let is_shown = |letter: &char| {
        !letter.is_control()
            && !matches!(letter, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let short: String = line.chars().filter(is_shown).take(MAX_TITLE_CHARS).collect();
    (!short.is_empty()).then_some(short)
}
