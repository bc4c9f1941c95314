//! Ids and names of calls that another model wrote, in the form that this one's server takes.
//!
//! A conversation moves between models. Their servers make ids that others refuse (`functions.read:0` of Kimi, two
//! hundred letters of a gateway), and models make up tools whose names no server takes back. Either would make every
//! later request of the session fail.

use std::borrow::Cow;

/// The longest id that all servers of a wire take.
pub(super) const MAX_CHAT_ID: usize = 40;
pub(super) const MAX_ID: usize = 64;
const NAME: usize = 64;

/// The id where it is fit, else one made from it: the same id always becomes the same.
pub(super) fn adapt_id(id: &str, longest: usize, takes: impl Fn(char) -> bool) -> Cow<'_, str> {
    let fits = !id.is_empty() && id.len() <= longest && id.chars().all(takes);
    if fits { id.into() } else { format!("call{}", digest(id, 13)).into() }
}

/// Letters, digits, `_` and `-`, as the strictest servers have it.
pub(super) fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}

/// As `is_plain`, with the dots and colons that most servers take too.
pub(super) fn is_common(character: char) -> bool {
    is_plain(character) || matches!(character, '.' | ':')
}

/// A tool's name with `_` for what is not taken. A tool that exists has a fit name already.
pub(super) fn adapt_name(name: &str, takes: impl Fn(char) -> bool) -> Cow<'_, str> {
    if name.is_empty() {
        "unnamed".into()
    } else if name.len() <= NAME && name.chars().all(&takes) {
        name.into()
    } else {
        name.chars().take(NAME).map(|letter| if takes(letter) { letter } else { '_' }).collect()
    }
}

/// FNV-1a, written in base 36.
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
