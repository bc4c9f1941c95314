//! The edits of one text, as servers send them. All of them count in the text before the first.

use std::ops::Range;

use copydesk_text::{Document, LineBreaks, Position, PositionEncoding};
use serde_json::Value;

/// Cap on the edits of one text.
const MAX_EDITS: usize = 100_000;
/// Cap on the bytes of the new text.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// LSP's `InsertTextFormat.Snippet`.
const SNIPPET_FORMAT: u64 = 2;

/// One edit. Positions are in the server's encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerTextEdit {
    pub range: Range<Position>,
    pub text: String,
}

/// An error completes "NAME: …".
pub(super) fn read_text_edits(edits: &Value) -> Result<Vec<ServerTextEdit>, String> {
    let edits = match edits {
        Value::Null => return Ok(Vec::new()),
        Value::Array(edits) if edits.len() > MAX_EDITS => {
            return Err(format!("its answer has more than {MAX_EDITS} edits"));
        }
        Value::Array(edits) => edits,
        _ => return Err("its answer is no list of edits".to_owned()),
    };
    let edits: Option<Vec<_>> = edits.iter().map(read_text_edit).collect();
    edits.ok_or_else(|| "its answer is no list of edits".to_owned())
}

fn read_text_edit(edit: &Value) -> Option<ServerTextEdit> {
    let text = edit.get("newText")?.as_str()?;
    // A client may have asked for them: the user's editor, for example.
    let is_snippet = edit.get("insertTextFormat").and_then(Value::as_u64) == Some(SNIPPET_FORMAT);
    let text = if is_snippet { plain_text(text) } else { text.to_owned() };
    Some(ServerTextEdit { range: read_range(edit.get("range")?)?, text })
}

/// The text of a snippet: `$0` and `$1` are nothing, `${1:name}` is `name`, and `\}` is `}`.
fn plain_text(snippet: &str) -> String {
    let mut plain = String::with_capacity(snippet.len());
    // How many placeholders are open.
    let mut depth = 0_usize;
    let mut letters = snippet.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => plain.extend(letters.next()),
            '$' if letters.peek() == Some(&'{') => {
                letters.next();
                while letters.next_if(char::is_ascii_digit).is_some() {}
                letters.next_if_eq(&':');
                depth += 1;
            }
            '$' => while letters.next_if(char::is_ascii_digit).is_some() {},
            '}' if depth > 0 => depth -= 1,
            letter => plain.push(letter),
        }
    }
    plain
}

pub(super) fn read_range(value: &Value) -> Option<Range<Position>> {
    let position = |name: &str| {
        let position = value.get(name)?;
        let number = |name: &str| u32::try_from(position.get(name)?.as_u64()?).ok();
        Some(Position::new(number("line")?, number("character")?))
    };
    Some(position("start")?..position("end")?)
}

/// The text after the edits. An error completes "NAME: …".
pub fn apply_text_edits(
    text: &str,
    edits: &[ServerTextEdit],
    encoding: PositionEncoding,
) -> Result<String, String> {
    let document = Document::new(text, LineBreaks::Any);
    let offset = |position: Position| document.offset(position, encoding);
    let mut edits: Vec<_> =
        edits.iter().map(|edit| (offset(edit.range.start)..offset(edit.range.end), &edit.text)).collect();
    // Stable: insertions at one position keep their order.
    edits.sort_by_key(|(range, _)| range.start);
    let (mut new, mut at) = (String::new(), 0);
    for (range, text_in) in edits {
        let before = text.get(at..range.start).filter(|_| range.start <= range.end);
        let before = before.ok_or("its edits overlap")?;
        new.push_str(before);
        new.push_str(text_in);
        if new.len() > MAX_BYTES {
            return Err(format!("the new text exceeds {MAX_BYTES} bytes"));
        }
        at = range.end;
    }
    new.push_str(text.get(at..).unwrap_or_default());
    Ok(new)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn edit(start: (u32, u32), end: (u32, u32), text: &str) -> Value {
        let place = |(line, character): (u32, u32)| json!({ "line": line, "character": character });
        json!({ "range": { "start": place(start), "end": place(end) }, "newText": text })
    }

    fn apply(text: &str, edits: &Value) -> Result<String, String> {
        apply_text_edits(text, &read_text_edits(edits)?, PositionEncoding::Utf16)
    }

    #[test]
    fn a_snippet_becomes_plain_text() {
        for (snippet, plain) in [
            ("let $0var_name = 1;", "let var_name = 1;"),
            ("fn ${1:fun_name}(${2:a: ${3:T}}) { $0 }", "fn fun_name(a: T) {  }"),
            (r"\$x \} {y}", "$x } {y}"),
            ("plain", "plain"),
        ] {
            assert_eq!(plain_text(snippet), plain);
        }
        let mut edit = edit((0, 0), (0, 0), "$0x");
        edit["insertTextFormat"] = json!(2);
        assert_eq!(apply("a", &json!([edit])).as_deref(), Ok("xa"));
    }

    #[test]
    fn edits_apply_to_the_original_text() {
        let whole = json!([edit((0, 0), (9, 0), "new\n")]);
        assert_eq!(apply("old\n", &whole).as_deref(), Ok("new\n"));
        let several = json!([edit((1, 0), (1, 1), ""), edit((0, 3), (0, 3), " "), edit((0, 3), (0, 3), "=")]);
        assert_eq!(apply("ä𝒳\n\tb\n", &several).as_deref(), Ok("ä𝒳 =\nb\n"));
        assert_eq!(apply("a", &Value::Null).as_deref(), Ok("a"));
        for wrong in [
            json!([edit((0, 0), (0, 2), ""), edit((0, 1), (0, 3), "")]),
            json!([edit((0, 2), (0, 1), "")]),
            json!([{ "newText": "" }]),
            json!({}),
        ] {
            assert!(apply("abcdef", &wrong).is_err(), "{wrong}");
        }
        let many = Value::Array(vec![Value::Null; MAX_EDITS + 1]);
        assert_eq!(apply("a", &many), Err("its answer has more than 100000 edits".to_owned()));
    }
}
