//! Any sequence of a client's changes gives the same text as the reference document.
#![no_main]

#[path = "documents/model.rs"]
mod model;

use copydesk_text::{Document, PositionEncoding, LineBreaks, Position};
use libfuzzer_sys::fuzz_target;
use model::DocumentModel;

/// Parts of texts: everything that encodings count differently.
const PIECES: [&str; 12] = ["a", "b", "é", "e\u{301}", "😀", "\u{fffd}", "\n", "\r\n", "\r", "\u{2028}", "", "longer text"];

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.iter().copied();
    let manner = bytes.next().unwrap_or_default();
    let lines = if manner & 1 == 0 { LineBreaks::Any } else { LineBreaks::Lf };
    let encoding = [PositionEncoding::Utf8, PositionEncoding::Utf16, PositionEncoding::Utf32][usize::from(manner >> 1) % 3];
    let (mut document, mut model) = (Document::new("", lines), DocumentModel::new("", lines));
    while let (Some(a), Some(b), Some(c), Some(d), Some(pieces)) =
        (bytes.next(), bytes.next(), bytes.next(), bytes.next(), bytes.next())
    {
        let (one, other) = (Position::new(u32::from(a % 16), u32::from(b % 16)), Position::new(u32::from(c % 16), u32::from(d % 16)));
        let (start, end) = if one <= other { (one, other) } else { (other, one) };
        let text: String =
            bytes.by_ref().take(usize::from(pieces % 8)).map(|piece| PIECES[usize::from(piece) % PIECES.len()]).collect();
        let range = model.offset(start, encoding).min(model.offset(end, encoding))..model.offset(end, encoding);
        let replaced = document.apply_content_change(Some((start, end)), &text, encoding);
        assert_eq!(replaced, Ok(range.clone()));
        model.text.replace_range(range, &text);
        assert_eq!(document.text(), model.text);
        let position = document.position(usize::from(a), encoding);
        assert_eq!(document.offset(position, encoding), model.offset(position, encoding));
    }
});
