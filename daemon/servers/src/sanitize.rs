//! Makes text from servers and programs safe to show: no escape sequences, no control characters, no invisible or
//! bidirectional characters, and a cap.

use copydesk_text::strip_escapes;

/// One line. Line breaks become spaces.
pub fn sanitize_line(text: &str, most: usize) -> String {
    let plain = strip_escapes(text);
    let letters = plain.chars().filter_map(|letter| match letter {
        '\t' => Some('\t'),
        '\n' | '\r' | '\u{2028}' | '\u{2029}' => Some(' '),
        letter => (!is_unsafe(letter)).then_some(letter),
    });
    cut(letters, most)
}

/// A text of several lines.
pub fn sanitize_text(text: &str, most: usize) -> String {
    let plain = strip_escapes(text);
    let letters = plain.chars().filter(|letter| matches!(letter, '\t' | '\n') || !is_unsafe(*letter));
    cut(letters, most)
}

/// The non-empty lines, at most `most`.
pub fn sanitize_lines(text: &str, most: usize, most_letters: usize) -> Vec<String> {
    let plain = strip_escapes(text);
    let mut lines = plain.split(['\n', '\r']).map(str::trim_end).filter(|line| !line.trim().is_empty());
    let mut kept: Vec<String> =
        lines.clone().take(most).map(|text| sanitize_line(text, most_letters)).collect();
    if lines.nth(most).is_some() {
        kept.last_mut().into_iter().for_each(|last| last.push_str(" …"));
    }
    kept
}

fn cut(letters: impl Iterator<Item = char>, most: usize) -> String {
    let mut letters = letters.peekable();
    let mut kept: String = letters.by_ref().take(most).collect();
    if letters.peek().is_some() {
        kept.push('…');
    }
    kept
}

fn is_unsafe(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_removed_and_lines_capped() {
        assert_eq!(sanitize_line("\x1b[31mred\x1b[0m\x07\u{202e}\u{200b} ok\r\nnext", 99), "red ok  next");
        assert_eq!(sanitize_line("äöü", 2), "äö…");
        assert_eq!(sanitize_lines("a\n\n  b\r\nc", 2, 9), ["a", "  b …"]);
        assert_eq!(sanitize_lines("\n\n", 2, 9), [""; 0]);
    }
}
