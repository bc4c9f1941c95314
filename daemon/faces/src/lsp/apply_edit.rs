//! `workspace/applyEdit`, as clients want it: versioned edits, one undo step.

use copydesk_text::Position;
use copydesk_workspace::buffers::{BufferEdit, EditorError};
use serde_json::{Value, json};

/// URIs go back as the client wrote them: it may know its buffers by the letter.
pub(super) fn params(label: &str, edits: &[BufferEdit]) -> Value {
    let position = |at: &Position| json!({ "line": at.line, "character": at.character });
    let edit = |(start, end, text): &(Position, Position, String)| json!({ "range": { "start": position(start), "end": position(end) }, "newText": text });
    let document = |buffer: &BufferEdit| {
        json!({
            "textDocument": { "uri": buffer.uri, "version": buffer.version },
            "edits": buffer.edits.iter().map(edit).collect::<Vec<_>>(),
        })
    };
    let changes: Vec<_> = edits.iter().map(document).collect();
    json!({ "label": label, "edit": { "documentChanges": changes } })
}

pub(super) fn verdict(result: Value) -> Result<(), EditorError> {
    if result.get("applied").and_then(Value::as_bool) == Some(true) {
        return Ok(());
    }
    let why = result.get("failureReason").and_then(Value::as_str);
    Err(EditorError::Declined(why.unwrap_or("it refused, and did not say why").to_owned()))
}
