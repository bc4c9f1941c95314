//! `workspace/applyEdit`: versioned edits as one undo step, a file that moves, and one that is deleted.

use std::time::SystemTime;

use copydesk_text::{Document, Position};
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
    let changes: Vec<_> = edits.iter().map(document).collect();
    let texts: Vec<_> = edits.iter().map(|buffer| digest(&buffer.before)).collect();
    request(label, &changes, &texts, until)
}

/// The editor moves the file, and its document with it.
pub(super) fn rename_params(label: &str, uri: &str, to: &str, until: SystemTime) -> Value {
    request(label, &[json!({ "kind": "rename", "oldUri": uri, "newUri": to })], &[], until)
}

/// The editor closes the document, if it has this text. Then the daemon deletes the file, unless the editor has.
pub(super) fn delete_params(label: &str, uri: &str, text: &Document, until: SystemTime) -> Value {
    let options = json!({ "ignoreIfNotExists": true });
    request(label, &[json!({ "kind": "delete", "uri": uri, "options": options })], &[digest(text)], until)
}

fn request(label: &str, changes: &[Value], texts: &[Value], until: SystemTime) -> Value {
    let until = until.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
    json!({ "label": label, "edit": { "documentChanges": changes }, "copydesk": { "until": until, "texts": texts } })
}

fn digest(text: &Document) -> Value {
    let TextDigest { bytes, sha256 } = TextDigest::new(text);
    match sha256 {
        Some(sha256) => json!({ "bytes": bytes, "sha256": sha256 }),
        None => json!({ "bytes": bytes }),
    }
}

pub(super) fn verdict(result: Value) -> Result<(), EditorError> {
    if result.get("applied").and_then(Value::as_bool) == Some(true) {
        return Ok(());
    }
    let reason = result.get("failureReason").and_then(Value::as_str);
    Err(EditorError::Declined(reason.unwrap_or("the editor rejected the edit and gave no reason").to_owned()))
}
