//! Adapts call ids and tool names that another model wrote to this model's server.
//!
//! A conversation moves between models. Some servers create ids that others reject (Kimi's
//! `functions.read:0`, a gateway's two hundred letters), and models invent tool names that no server accepts
//! back. Either would make every later request of the session fail.

use std::borrow::Cow;

/// The longest id that all servers of a wire accept.
pub(super) const MAX_CHAT_ID: usize = 40;
pub(super) const MAX_ID: usize = 64;
const MAX_NAME_CHARS: usize = 64;

/// The id itself if it fits, else one derived from it, always the same.
pub(super) fn adapt_id(id: &str, longest: usize, takes: impl Fn(char) -> bool) -> Cow<'_, str> {
    let fits = !id.is_empty() && id.len() <= longest && id.chars().all(takes);
    if fits { id.into() } else { format!("call{}", digest(id, 13)).into() }
}

/// Letters, digits, `_` and `-`, for the strictest servers.
pub(super) fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}

/// `is_plain` plus the dots and colons that most servers accept.
pub(super) fn is_common(character: char) -> bool {
    is_plain(character) || matches!(character, '.' | ':')
}

/// The tool's name with `_` for rejected characters. Names of existing tools always fit.
pub(super) fn adapt_name(name: &str, takes: impl Fn(char) -> bool) -> Cow<'_, str> {
    if name.is_empty() {
        "unnamed".into()
    } else if name.len() <= MAX_NAME_CHARS && name.chars().all(&takes) {
        name.into()
    } else {
        name.chars().take(MAX_NAME_CHARS).map(|letter| if takes(letter) { letter } else { '_' }).collect()
    }
}

/// FNV-1a in base 36.
pub(super) fn digest(text: &str, digits: usize) -> String {
    let mut hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let digit = |_| {
        let digit = char::from_digit((hash % 36) as u32, 36).unwrap_or('0');
        hash /= 36;
        digit
    };
    (0..digits).map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_fit_stays_and_the_rest_becomes_fit() {
        assert_eq!(adapt_id("toolu_01-A", MAX_ID, is_plain), "toolu_01-A");
        let made = adapt_id("functions.read:0", MAX_ID, is_plain);
        assert!(made.len() == 17 && made.chars().all(is_plain), "{made}");
        assert_eq!(made, adapt_id("functions.read:0", MAX_ID, is_plain));
        assert_ne!(made, adapt_id("functions.read:1", MAX_ID, is_plain));
        assert_eq!(adapt_id("functions.read:0", MAX_CHAT_ID, |_| true), "functions.read:0");
        assert_eq!(adapt_id(&"x".repeat(41), MAX_CHAT_ID, |_| true).len(), 17);
        assert_eq!(adapt_name("read", is_plain), "read");
        assert_eq!(adapt_name("fs.read file", is_plain), "fs_read_file");
        assert_eq!(adapt_name("fs.read", is_common), "fs.read");
        assert_eq!(adapt_name("", is_plain), "unnamed");
        assert_eq!(adapt_name(&"é".repeat(100), is_plain), "_".repeat(64));
    }
}
