//! A client's notifications about its documents, applied to the buffers at once.

use copydesk_host::uri::path_of;
use copydesk_rpc::value_limit;
use copydesk_text::{LineBreaks, Position};
use copydesk_workspace::buffers::{BufferContentChange, Buffers, ClientId, SyncError};
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DidOpenParams {
    text_document: TextDocumentItem,
}

#[derive(Deserialize)]
struct TextDocumentItem {
    uri: String,
    #[serde(default)]
    version: i32,
    text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DidChangeParams {
    text_document: VersionedDocumentId,
    content_changes: Vec<ContentChangeEvent>,
}

#[derive(Deserialize)]
struct VersionedDocumentId {
    uri: String,
    #[serde(default)]
    version: i32,
}

#[derive(Deserialize)]
struct ContentChangeEvent {
    range: Option<ContentChangeRange>,
    text: String,
}

#[derive(Deserialize)]
struct ContentChangeRange {
    start: ContentChangePosition,
    end: ContentChangePosition,
}

#[derive(Deserialize)]
struct ContentChangePosition {
    line: u32,
    character: u32,
}

#[derive(Deserialize)]
struct DidRenameParams {
    files: Vec<RenamedFileUris>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RenamedFileUris {
    old_uri: String,
    new_uri: String,
}

/// A document that the daemon can no longer follow, and why.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LostDocument {
    pub(super) uri: String,
    pub(super) why: String,
}

/// Whether the notification is about documents; the framework gets all others.
pub(super) fn is_sync(method: &str) -> bool {
    matches!(
        method,
        "textDocument/didOpen"
            | "textDocument/didChange"
            | "textDocument/didClose"
            | "textDocument/didSave"
            | "workspace/didRenameFiles"
    )
}

/// The document that this notification opens.
pub(super) fn opened_uri(method: &str, params: &RawValue) -> Option<String> {
    (method == "textDocument/didOpen").then(|| uri_of(params))
}

/// Applies one notification. Does not wait.
pub(super) fn apply(
    buffers: &Buffers,
    client: ClientId,
    lines: impl Fn(&str) -> LineBreaks,
    method: &str,
    params: &RawValue,
) -> Result<(), LostDocument> {
    match method {
        "textDocument/didOpen" => {
            let TextDocumentItem { uri, version, text } =
                read::<DidOpenParams>(method, params)?.text_document;
            buffers.open(client, &uri, path_of(&uri).as_deref(), version, &text, lines(&text));
            Ok(())
        }
        "textDocument/didChange" => {
            let changed = read(method, params);
            let DidChangeParams { text_document, content_changes } =
                changed.inspect_err(|LostDocument { uri, .. }| {
                    // The change may have been anything.
                    buffers.mark_out_of_sync(client, uri);
                })?;
            let VersionedDocumentId { uri, version } = text_document;
            let position = |at: ContentChangePosition| Position { line: at.line, character: at.character };
            let change = |piece: ContentChangeEvent| BufferContentChange {
                range: piece.range.map(|range| (position(range.start), position(range.end))),
                text: piece.text,
            };
            let changes: Vec<_> = content_changes.into_iter().map(change).collect();
            buffers.change(client, &uri, version, &changes).map_err(lost(uri))
        }
        "textDocument/didClose" => {
            let uri = uri_of(params);
            buffers.close(client, &uri).map_err(lost(uri))
        }
        "workspace/didRenameFiles" => {
            let DidRenameParams { files } = read(method, params)?;
            for RenamedFileUris { old_uri, new_uri } in files {
                if let (Some(from), Some(to)) = (path_of(&old_uri), path_of(&new_uri)) {
                    buffers.rename(client, &from, &to);
                }
            }
            Ok(())
        }
        // A save changes no text.
        _ => Ok(()),
    }
}

fn lost(uri: String) -> impl Fn(SyncError) -> LostDocument {
    move |error| LostDocument { uri: uri.clone(), why: error.to_string() }
}

fn read<'de, T: Deserialize<'de>>(method: &str, params: &'de RawValue) -> Result<T, LostDocument> {
    value_limit::parse(params)
        .map_err(|error| LostDocument { uri: uri_of(params), why: format!("{method}: {error}") })
}

/// The URI, whatever else the params are.
fn uri_of(params: &RawValue) -> String {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct DocumentOfAnyParams {
        text_document: DocumentOfAnyKind,
    }
    #[derive(Deserialize)]
    struct DocumentOfAnyKind {
        uri: String,
    }
    serde_json::from_str(params.get())
        .map_or_else(|_| String::new(), |params: DocumentOfAnyParams| params.text_document.uri)
}
