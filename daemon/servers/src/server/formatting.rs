//! The form that a server would give to the text that it holds.

use std::ops::Range;
use std::path::Path;

use copydesk_text::{Document, LineBreaks, Position, PositionEncoding};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use super::LanguageServer;
use super::record::parse_value;

/// Bytes of an answer, and of what is made of it.
const LONGEST: usize = 8 * 1024 * 1024;
/// Edits of one answer.
const MOST: usize = 100_000;

impl LanguageServer {
    /// Whether it says that it gives texts their form.
    pub fn can_format(&self) -> bool {
        self.inner.lock().capabilities.format
    }

    /// The text that is held, in its form. An error completes "it left the text as it is: …".
    pub async fn format(&self, path: &Path, until: Instant) -> Result<String, String> {
        let (text, answer) = {
            // Asked while nothing else can be told, so that the answer is for this text.
            let known = self.inner.lock();
            let held = known.documents.get(path).ok_or("it does not hold the file open")?;
            let params = json!({ "textDocument": { "uri": held.uri }, "options": options(&held.text) });
            (held.text.clone(), self.peer.request("textDocument/formatting", &params))
        };
        let answer = timeout_at(until, answer).await.map_err(|_| "it did not answer in time".to_owned())?;
        let answer = answer.map_err(|error| error.to_string())?;
        if answer.get().len() > LONGEST {
            return Err(format!("its answer has more than {LONGEST} bytes"));
        }
        made(&text, &parse_value(&answer))
    }
}

/// As the text has it: servers that read their own configuration do not look at this.
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

/// What the edits make of the text.
fn made(text: &str, edits: &Value) -> Result<String, String> {
    let edits = match edits {
        Value::Null => return Ok(text.to_owned()),
        Value::Array(edits) if edits.len() <= MOST => edits,
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
    // What is put in at one place stays in its order.
    edits.sort_by_key(|(range, _)| range.start);
    let (mut new, mut at) = (String::new(), 0);
    for (range, text_in) in edits {
        let before = text.get(at..range.start).filter(|_| range.start <= range.end);
        let before = before.ok_or("its edits do not fit together")?;
        new.push_str(before);
        new.push_str(&text_in);
        if new.len() > LONGEST {
            return Err(format!("it makes more than {LONGEST} bytes of it"));
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
    fn edits_are_made_from_the_text_as_it_was() {
        let whole = json!([edit((0, 0), (9, 0), "new\n")]);
        assert_eq!(made("old\n", &whole).as_deref(), Ok("new\n"));
        let several = json!([edit((1, 0), (1, 1), ""), edit((0, 3), (0, 3), " "), edit((0, 3), (0, 3), "=")]);
        assert_eq!(made("ä𝒳\n\tb\n", &several).as_deref(), Ok("ä𝒳 =\nb\n"));
        assert_eq!(made("a", &Value::Null).as_deref(), Ok("a"));
        for wrong in [
            json!([edit((0, 0), (0, 2), ""), edit((0, 1), (0, 3), "")]),
            json!([edit((0, 2), (0, 1), "")]),
            json!([{ "newText": "" }]),
            json!({}),
        ] {
            assert!(made("abcdef", &wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_server_is_told_how_the_text_is_indented() {
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
