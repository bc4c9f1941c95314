//! `workspace/applyEdit` with versioned edits, as one undo step.

use std::time::SystemTime;

use copydesk_text::Position;
use copydesk_workspace::buffers::{BufferEdit, EditorError, TextDigest};
use serde_json::{Value, json};

/// URIs go back as the client wrote them: it may identify its buffers by the exact string. Our extensions refuse an edit
/// after `until`, and one whose document has another text than `texts` says, in the order of the documents.
pub(super) fn params(label: &str, edits: &[BufferEdit], until: SystemTime) -> Value {
    let position = |position: &Position| json!({ "line": position.line, "character": position.character });
    let edit = |(start, end, text): &(Position, Position, String)| json!({ "range": { "start": position(start), "end": position(end) }, "newText": text });
    let document = |buffer: &BufferEdit| {
        json!({
            "textDocument": { "uri": buffer.uri, "version": buffer.version },
            "edits": buffer.edits.iter().map(edit).collect::<Vec<_>>(),
        })
    };
    let text = |buffer: &BufferEdit| {
        let TextDigest { bytes, sha256 } = TextDigest::new(&buffer.before);
        match sha256 {
            Some(sha256) => json!({ "bytes": bytes, "sha256": sha256 }),
            None => json!({ "bytes": bytes }),
        }
    };
    let changes: Vec<_> = edits.iter().map(document).collect();
    let texts: Vec<_> = edits.iter().map(text).collect();
    let until = until.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
    json!({ "label": label, "edit": { "documentChanges": changes }, "copydesk": { "until": until, "texts": texts } })
}

pub(super) fn verdict(result: Value) -> Result<(), EditorError> {
    if result.get("applied").and_then(Value::as_bool) == Some(true) {
        return Ok(());
    }
    let reason = result.get("failureReason").and_then(Value::as_str);
    Err(EditorError::Declined(reason.unwrap_or("the editor rejected the edit and gave no reason").to_owned()))
}
