//! Mirrors the editor's open documents, so that a new daemon can get them.
//!
//! Messages that cannot be parsed or applied are ignored: the daemon reports them.

use std::borrow::Cow;
use std::collections::HashMap;

use copydesk_faces::lsp::client_encoding::lines_of;
use copydesk_text::{Document, Position, PositionEncoding};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Default)]
pub(super) struct MirroredDocuments {
    open: HashMap<String, MirroredDocument>,
    opened: u64,
}

#[derive(Debug)]
struct MirroredDocument {
    /// The order of opening.
    serial: u64,
    language: Value,
    version: Value,
    document: Document,
}

#[derive(Deserialize)]
struct ShimNotification<P> {
    params: P,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ShimDidOpen {
    text_document: ShimDocumentItem,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ShimDocumentItem {
    uri: String,
    #[serde(default)]
    language_id: Value,
    #[serde(default)]
    version: Value,
    text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ShimDidChange<'a> {
    text_document: ShimDocumentId,
    #[serde(borrow)]
    content_changes: Vec<ShimContentChange<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ShimDidClose {
    text_document: ShimDocumentId,
}

#[derive(Deserialize)]
struct ShimDocumentId {
    uri: String,
    #[serde(default)]
    version: Value,
}

#[derive(Deserialize)]
struct ShimContentChange<'a> {
    range: Option<ShimRange>,
    #[serde(borrow)]
    text: Cow<'a, str>,
}

#[derive(Deserialize)]
struct ShimRange {
    start: Position,
    end: Position,
}

impl MirroredDocuments {
    pub(super) fn open(&mut self, message: &[u8], client: &str) {
        let Ok(ShimNotification { params: ShimDidOpen { text_document: item } }) =
            serde_json::from_slice(message)
        else {
            return;
        };
        self.opened += 1;
        let document = Document::new(&item.text, lines_of(client, &item.text));
        let open = MirroredDocument {
            serial: self.opened,
            language: item.language_id,
            version: item.version,
            document,
        };
        self.open.insert(item.uri, open);
    }

    pub(super) fn change(&mut self, message: &[u8], encoding: PositionEncoding) {
        let Ok(ShimNotification { params: ShimDidChange { text_document, content_changes } }) =
            serde_json::from_slice(message)
        else {
            return;
        };
        let Some(open) = self.open.get_mut(&text_document.uri) else { return };
        for ShimContentChange { range, text } in content_changes {
            let range = range.map(|ShimRange { start, end }| (start, end));
            if open.document.apply_content_change(range, &text, encoding).is_err() {
                return;
            }
        }
        open.version = text_document.version;
    }

    pub(super) fn close(&mut self, message: &[u8]) {
        if let Ok(ShimNotification { params: ShimDidClose { text_document } }) =
            serde_json::from_slice(message)
        {
            self.open.remove(&text_document.uri);
        }
    }

    /// `didOpen` for each document, in the order of opening.
    pub(super) fn reopening(&self) -> impl Iterator<Item = Value> {
        let mut all: Vec<_> = self.open.iter().collect();
        all.sort_unstable_by_key(|(_, open)| open.serial);
        all.into_iter().map(|(uri, MirroredDocument { language, version, document, .. })| {
            let item =
                json!({ "uri": uri, "languageId": language, "version": version, "text": document.text() });
            let params = json!({ "textDocument": item });
            json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": params })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(params: Value) -> Vec<u8> {
        json!({ "params": params }).to_string().into_bytes()
    }

    fn open(documents: &mut MirroredDocuments, uri: &str, text: &str) {
        let item = json!({ "uri": uri, "languageId": "rust", "version": 1, "text": text });
        documents.open(&message(json!({ "textDocument": item })), "Neovim");
    }

    #[test]
    fn documents_are_reopened_as_they_are_now() {
        let mut documents = MirroredDocuments::default();
        open(&mut documents, "b", "x");
        open(&mut documents, "gone", "x");
        open(&mut documents, "a", "one\u{1f600}\rtwo\nthree");
        let place = |line, character| json!({ "line": line, "character": character });
        let changes = json!([
            { "range": { "start": place(0, 5), "end": place(0, 6) }, "text": "\u{e9}" },
            { "range": { "start": place(1, 0), "end": place(1, 5) }, "text": "drei" },
        ]);
        let change = json!({ "textDocument": { "uri": "a", "version": 7 }, "contentChanges": changes });
        documents.change(&message(change), PositionEncoding::Utf16);
        let whole =
            json!({ "textDocument": { "uri": "b", "version": 2 }, "contentChanges": [{ "text": "new" }] });
        documents.change(&message(whole), PositionEncoding::Utf16);
        documents.close(&message(json!({ "textDocument": { "uri": "gone" } })));
        // None of these changes anything.
        documents.change(&message(json!({ "textDocument": { "uri": "a" } })), PositionEncoding::Utf16);
        documents.open(b"no JSON", "");
        documents.close(b"{}");
        let items: Vec<_> =
            documents.reopening().map(|open| open["params"]["textDocument"].clone()).collect();
        assert_eq!(
            items,
            [
                json!({ "uri": "b", "languageId": "rust", "version": 2, "text": "new" }),
                json!({ "uri": "a", "languageId": "rust", "version": 7, "text": "one\u{1f600}\u{e9}two\ndrei" }),
            ]
        );
    }
}
