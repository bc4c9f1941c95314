//! Formats the text that a server has open.

use std::ops::Range;
use std::path::Path;

use copydesk_text::{Document, LineBreaks, Position, PositionEncoding};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use super::LanguageServer;
use super::record::parse_value;

/// Cap on the bytes of a response, and of the formatted text.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// Cap on the edits of one response.
const MAX_EDITS: usize = 100_000;

impl LanguageServer {
    pub fn can_format(&self) -> bool {
        self.inner.lock().capabilities.format
    }

    /// Formats the synced text. An error completes "it left the text as it is: …".
    pub async fn format(&self, path: &Path, until: Instant) -> Result<String, String> {
        let (text, response) = {
            // Requested under the lock, so that the response is for this text.
            let record = self.inner.lock();
            let document = record.documents.get(path).ok_or("it does not hold the file open")?;
            let params =
                json!({ "textDocument": { "uri": document.uri }, "options": options(&document.text) });
            (document.text.clone(), self.peer.request("textDocument/formatting", &params))
        };
        let response =
            timeout_at(until, response).await.map_err(|_| "it did not answer in time".to_owned())?;
        let response = response.map_err(|error| error.to_string())?;
        if response.get().len() > MAX_BYTES {
            return Err(format!("its answer has more than {MAX_BYTES} bytes"));
        }
        apply_edits(&text, &parse_value(&response))
    }
}

/// The indentation of the text. Servers that read their own configuration ignore it.
fn options(text: &str) -> Value {
    let indents = text.lines().filter(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
    let (mut tabs, mut spaces, mut least) = (0_usize, 0_usize, usize::MAX);
    for line in indents.take(1000) {
        let width = line.bytes().take_while(|byte| *byte == b' ').count();
        if width == 0 {
            tabs += 1;
        } else if width > 1 {
            (spaces, least) = (spaces + 1, least.min(width));
        }
    }
    let size = if spaces > 0 { least.min(8) } else { 4 };
    json!({ "tabSize": size, "insertSpaces": tabs <= spaces })
}

/// Applies the edits to the text.
fn apply_edits(text: &str, edits: &Value) -> Result<String, String> {
    let edits = match edits {
        Value::Null => return Ok(text.to_owned()),
        Value::Array(edits) if edits.len() > MAX_EDITS => {
            return Err(format!("its answer has more than {MAX_EDITS} edits"));
        }
        Value::Array(edits) => edits,
        _ => return Err("its answer is no list of edits".to_owned()),
    };
    let document = Document::new(text, LineBreaks::Any);
    let read = |edit: &Value| -> Option<(Range<usize>, String)> {
        let place = |name: &str| {
            let place = edit.get("range")?.get(name)?;
            let number = |name: &str| u32::try_from(place.get(name)?.as_u64()?).ok();
            let position = Position::new(number("line")?, number("character")?);
            Some(document.offset(position, PositionEncoding::Utf16))
        };
        Some((place("start")?..place("end")?, edit.get("newText")?.as_str()?.to_owned()))
    };
    let edits: Option<Vec<_>> = edits.iter().map(read).collect();
    let mut edits = edits.ok_or("its answer is no list of edits")?;
    // Stable: insertions at one position keep their order.
    edits.sort_by_key(|(range, _)| range.start);
    let (mut new, mut at) = (String::new(), 0);
    for (range, text_in) in edits {
        let before = text.get(at..range.start).filter(|_| range.start <= range.end);
        let before = before.ok_or("its edits overlap")?;
        new.push_str(before);
        new.push_str(&text_in);
        if new.len() > MAX_BYTES {
            return Err(format!("the formatted text exceeds {MAX_BYTES} bytes"));
        }
        at = range.end;
    }
    new.push_str(text.get(at..).unwrap_or_default());
    Ok(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start: (u32, u32), end: (u32, u32), text: &str) -> Value {
        let place = |(line, character): (u32, u32)| json!({ "line": line, "character": character });
        json!({ "range": { "start": place(start), "end": place(end) }, "newText": text })
    }

    #[test]
    fn edits_apply_to_the_original_text() {
        let whole = json!([edit((0, 0), (9, 0), "new\n")]);
        assert_eq!(apply_edits("old\n", &whole).as_deref(), Ok("new\n"));
        let several = json!([edit((1, 0), (1, 1), ""), edit((0, 3), (0, 3), " "), edit((0, 3), (0, 3), "=")]);
        assert_eq!(apply_edits("ä𝒳\n\tb\n", &several).as_deref(), Ok("ä𝒳 =\nb\n"));
        assert_eq!(apply_edits("a", &Value::Null).as_deref(), Ok("a"));
        for wrong in [
            json!([edit((0, 0), (0, 2), ""), edit((0, 1), (0, 3), "")]),
            json!([edit((0, 2), (0, 1), "")]),
            json!([{ "newText": "" }]),
            json!({}),
        ] {
            assert!(apply_edits("abcdef", &wrong).is_err(), "{wrong}");
        }
        let many = Value::Array(vec![Value::Null; MAX_EDITS + 1]);
        assert_eq!(apply_edits("a", &many), Err("its answer has more than 100000 edits".to_owned()));
    }

    #[test]
    fn the_options_follow_the_indentation_of_the_text() {
        for (text, size, spaces) in [
            ("a\n\tb\n", 4, false),
            ("a\n  b\n    c\n", 2, true),
            ("/*\n * x\n */\n    b\n", 4, true),
            ("", 4, true),
        ] {
            assert_eq!(options(text), json!({ "tabSize": size, "insertSpaces": spaces }), "{text:?}");
        }
    }
}
