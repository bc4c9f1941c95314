//! Decodes bytes of the web: by the byte order mark, the server's header, the page's own declaration, else by guessing.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// How much of a page is searched for its declaration. The standard says 1024, but some pages have it later.
const MAX_SEARCHED_BYTES: usize = 4096;

/// The declared encoding.
pub(crate) fn named(bytes: &[u8], header: Option<&str>, is_html: bool) -> Option<&'static Encoding> {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return Some(encoding);
    }
    let said = header.and_then(|label| Encoding::for_label(label.as_bytes()));
    said.or_else(|| if is_html { declared(bytes) } else { None })
}

/// Decodes the bytes; invalid ones become replacement characters.
pub(crate) fn decode(bytes: &[u8], header: Option<&str>, is_html: bool) -> String {
    let guess = || if std::str::from_utf8(bytes).is_ok() { UTF_8 } else { WINDOWS_1252 };
    let encoding = named(bytes, header, is_html).unwrap_or_else(guess);
    let (text, ..) = encoding.decode(bytes);
    text.into_owned()
}

/// `<meta charset=…>`, `<meta … content="text/html; charset=…">`, `<?xml … encoding="…"?>`
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..MAX_SEARCHED_BYTES).unwrap_or(bytes).to_ascii_lowercase();
    let head = String::from_utf8_lossy(&head);
    let words =
        if head.trim_start().starts_with("<?xml") { ["encoding", "charset"] } else { ["charset", "charset"] };
    let label = words
        .iter()
        .find_map(|word| head.match_indices(word).find_map(|(at, _)| value(&head, at + word.len())))?;
    let encoding = Encoding::for_label(label.as_bytes())?;
    // A declaration that is readable as ASCII cannot be UTF-16.
    Some(if [UTF_16LE, UTF_16BE].contains(&encoding) { UTF_8 } else { encoding })
}

fn value(text: &str, at: usize) -> Option<&str> {
    let rest = text.get(at..)?.trim_start().strip_prefix('=')?;
    let rest = rest.trim_start().trim_start_matches(['"', '\'']);
    let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && !"-_:.".contains(letter));
    rest.get(..end.unwrap_or(rest.len())).filter(|label| !label.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_to_say_it_decides() {
        let cases: [(&[u8], Option<&str>, bool, &str); 13] = [
            (b"caf\xc3\xa9", None, false, "café"),
            (b"caf\xe9", None, false, "café"),
            (b"caf\xe9", Some("iso-8859-1"), false, "café"),
            (b"caf\xe9", Some("nonsense"), false, "café"),
            (b"caf\xe9", Some("utf-8"), false, "caf\u{fffd}"),
            (b"\xef\xbb\xbfcaf\xc3\xa9", Some("iso-8859-1"), false, "café"),
            (b"\xff\xfec\0a\0f\0\xe9\0", None, true, "café"),
            (b"\xfe\xff\0c\0a\0f\0\xe9", Some("utf-8"), true, "café"),
            (b"<meta charset=shift_jis>\x83e", None, true, "<meta charset=shift_jis>テ"),
            (
                b"<meta content='a; charset = \"koi8-r\"'>\xc1",
                None,
                true,
                "<meta content='a; charset = \"koi8-r\"'>а",
            ),
            (
                b"<?xml version='1.0' encoding='windows-1251'?>\xe0",
                None,
                true,
                "<?xml version='1.0' encoding='windows-1251'?>а",
            ),
            (b"<meta charset=utf-16>caf\xc3\xa9", None, true, "<meta charset=utf-16>café"),
            (b"", None, true, ""),
        ];
        for (bytes, header, is_html, text) in cases {
            assert_eq!(decode(bytes, header, is_html), text);
        }
    }
}
