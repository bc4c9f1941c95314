//! An edit of several files, as a server wants it made. Nothing is changed here.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;

use super::text_edits::{ServerTextEdit, read_text_edits};
use super::uri;
use crate::sanitize;

/// Cap on the files and operations of one edit.
const MAX_OPERATIONS: usize = 5000;
/// Cap on the letters of an annotation.
const MAX_LABEL_LETTERS: usize = 200;

/// The operations are made in their order. The default has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerWorkspaceEdit {
    pub operations: Vec<ServerFileOperation>,
    /// What the server wants a user to confirm.
    pub confirmations: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerFileOperation {
    Edit {
        path: PathBuf,
        /// The version of the text that the edits are for, if the server says it.
        version: Option<i32>,
        edits: Vec<ServerTextEdit>,
    },
    Create {
        path: PathBuf,
        existing: ExistingFilePolicy,
    },
    Rename {
        from: PathBuf,
        to: PathBuf,
        existing: ExistingFilePolicy,
    },
    /// A file, or a folder.
    Delete {
        path: PathBuf,
        is_optional: bool,
    },
}

/// What becomes of a file that is in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingFilePolicy {
    Refuse,
    Overwrite,
    /// The operation is left out.
    Ignore,
}

impl ServerWorkspaceEdit {
    /// Adds the operations of another edit behind these.
    pub fn append(&mut self, other: Self) {
        self.operations.extend(other.operations);
        self.confirmations.extend(other.confirmations);
    }
}

/// Reads a `WorkspaceEdit`. An error completes "NAME gave no answer: …": a part that is not understood makes the whole useless.
pub(super) fn read_workspace_edit(edit: &Value) -> Result<ServerWorkspaceEdit, String> {
    let mut operations = Vec::new();
    let mut annotations = BTreeSet::new();
    if let Some(changes) = edit.get("documentChanges").and_then(Value::as_array) {
        // Both members say the same, and this one says more.
        for change in changes {
            operations.push(read_operation(change)?);
            note_annotations(change, &mut annotations);
        }
    } else if let Some(changes) = edit.get("changes").and_then(Value::as_object) {
        for (uri, edits) in changes {
            let edits = read_text_edits(edits)?;
            operations.push(ServerFileOperation::Edit { path: path_of(uri)?, version: None, edits });
        }
    }
    if operations.len() > MAX_OPERATIONS {
        return Err(format!("its edit has more than {MAX_OPERATIONS} parts"));
    }
    let confirmations = annotations.iter().filter_map(|id| confirmation(edit, id)).collect();
    Ok(ServerWorkspaceEdit { operations, confirmations })
}

fn read_operation(change: &Value) -> Result<ServerFileOperation, String> {
    let path = |name: &str| {
        let uri = change.get(name).and_then(Value::as_str);
        path_of(uri.ok_or("its edit names no file")?)
    };
    let option =
        |name: &str| change.get("options").and_then(|options| options.get(name)) == Some(&Value::Bool(true));
    let existing = || match (option("overwrite"), option("ignoreIfExists")) {
        (true, _) => ExistingFilePolicy::Overwrite,
        (false, true) => ExistingFilePolicy::Ignore,
        (false, false) => ExistingFilePolicy::Refuse,
    };
    Ok(match change.get("kind").and_then(Value::as_str) {
        Some("create") => ServerFileOperation::Create { path: path("uri")?, existing: existing() },
        Some("rename") => {
            ServerFileOperation::Rename { from: path("oldUri")?, to: path("newUri")?, existing: existing() }
        }
        Some("delete") => {
            ServerFileOperation::Delete { path: path("uri")?, is_optional: option("ignoreIfNotExists") }
        }
        Some(other) => {
            return Err(format!("its edit has an unknown part: {}", sanitize::sanitize_text(other, 40)));
        }
        None => {
            let document = change.get("textDocument").ok_or("its edit names no file")?;
            let uri = document.get("uri").and_then(Value::as_str).ok_or("its edit names no file")?;
            let version = document.get("version").and_then(Value::as_i64);
            let version = version.and_then(|version| i32::try_from(version).ok());
            let edits = read_text_edits(change.get("edits").unwrap_or(&Value::Null))?;
            ServerFileOperation::Edit { path: path_of(uri)?, version, edits }
        }
    })
}

fn path_of(uri: &str) -> Result<PathBuf, String> {
    uri::to_path(uri)
        .ok_or_else(|| format!("its edit is about `{}`, which is no file", sanitize::sanitize_text(uri, 80)))
}

/// Adds the annotations that a part of the edit names. A server lists others, too.
fn note_annotations<'a>(change: &'a Value, ids: &mut BTreeSet<&'a str>) {
    let edits = change.get("edits").and_then(Value::as_array).into_iter().flatten();
    let parts = std::iter::once(change).chain(edits);
    ids.extend(parts.filter_map(|part| part.get("annotationId")?.as_str()));
}

/// The label of an annotation that needs a confirmation.
fn confirmation(edit: &Value, id: &str) -> Option<String> {
    let annotation = edit.get("changeAnnotations")?.get(id)?;
    let needs_it = annotation.get("needsConfirmation") == Some(&Value::Bool(true));
    let text = |name: &str| annotation.get(name).and_then(Value::as_str);
    let label = text("description").or_else(|| text("label")).filter(|_| needs_it)?;
    Some(sanitize::sanitize_text(label, MAX_LABEL_LETTERS))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_forms_of_an_edit_are_read_in_order() {
        let range = json!({ "start": { "line": 0, "character": 1 }, "end": { "line": 0, "character": 2 } });
        let plain = json!({ "changes": { "file:///a": [{ "range": range, "newText": "x" }] } });
        let edit = read_workspace_edit(&plain).unwrap();
        assert!(
            matches!(edit.operations.as_slice(), [ServerFileOperation::Edit { version: None, edits, .. }] if edits.len() == 1)
        );
        let rich = json!({
            "changes": { "file:///b": [] },
            "documentChanges": [
                { "textDocument": { "uri": "file:///a", "version": 3 }, "edits": [{ "range": range, "newText": "x", "annotationId": "1" }] },
                { "kind": "rename", "oldUri": "file:///a", "newUri": "file:///c", "options": { "ignoreIfExists": true } },
                { "kind": "delete", "uri": "file:///d" },
            ],
            "changeAnnotations": {
                "1": { "label": "Rename", "needsConfirmation": true, "description": "It changes what the program means." },
                "2": { "label": "not named", "needsConfirmation": true },
            },
        });
        let edit = read_workspace_edit(&rich).unwrap();
        assert_eq!(edit.operations.len(), 3);
        assert!(matches!(edit.operations.first(), Some(ServerFileOperation::Edit { version: Some(3), .. })));
        assert_eq!(edit.confirmations, ["It changes what the program means."]);
        assert_eq!(read_workspace_edit(&Value::Null), Ok(ServerWorkspaceEdit::default()));
    }

    #[test]
    fn an_edit_that_is_partly_understood_is_none() {
        for wrong in [
            json!({ "changes": { "jdt://x": [] } }),
            json!({ "changes": { "file:///a": [{ "newText": "x" }] } }),
            json!({ "documentChanges": [{ "kind": "chmod", "uri": "file:///a" }] }),
            json!({ "documentChanges": [{ "kind": "create" }] }),
            json!({ "documentChanges": [{ "edits": [] }] }),
        ] {
            assert!(read_workspace_edit(&wrong).is_err(), "{wrong}");
        }
    }
}
