//! What a new daemon needs to replace the old one: `initialize`, settings, documents.

use bytes::Bytes;
use copydesk_faces::lsp::client_encoding::encoding_of;
use copydesk_protocol::handshake::DaemonHello;
use copydesk_text::PositionEncoding;
use serde_json::{Value, json};

use super::mirrored_documents::MirroredDocuments;

#[derive(Debug)]
pub(super) struct ReplayState {
    initialize: Option<InitializeRecord>,
    initialized: Option<Bytes>,
    configuration: Option<Bytes>,
    documents: MirroredDocuments,
    encoding: PositionEncoding,
}

#[derive(Debug)]
struct InitializeRecord {
    /// As JSON text.
    id: String,
    message: Value,
    /// The editor has the result.
    answered: bool,
}

impl ReplayState {
    pub(super) fn new() -> Self {
        Self {
            initialize: None,
            initialized: None,
            configuration: None,
            documents: MirroredDocuments::default(),
            encoding: PositionEncoding::Utf16,
        }
    }

    /// Records the editor's `initialize`. A second one after a result is the daemon's to refuse.
    pub(super) fn record_initialize(&mut self, id: &str, message: &[u8]) {
        if !self.is_initialized() {
            let message = serde_json::from_slice(message).unwrap_or_default();
            self.initialize = Some(InitializeRecord { id: id.to_owned(), message, answered: false });
        }
    }

    pub(super) fn is_initialized(&self) -> bool {
        self.initialize.as_ref().is_some_and(|record| record.answered)
    }

    pub(super) fn is_initialize_id(&self, id: &str) -> bool {
        self.initialize.as_ref().is_some_and(|record| record.id == id)
    }

    /// Records the daemon's result, and returns its hello.
    pub(super) fn record_initialize_result(&mut self, result: &Value) -> Option<DaemonHello> {
        let record = self.initialize.as_mut()?;
        if !record.answered {
            record.answered = true;
            self.encoding = encoding_of(result);
            // Another daemon might choose another encoding, and the editor could not be told.
            if let Some(encodings) =
                record.message.pointer_mut("/params/capabilities/general/positionEncodings")
            {
                *encodings = json!([match self.encoding {
                    PositionEncoding::Utf8 => "utf-8",
                    PositionEncoding::Utf16 => "utf-16",
                    PositionEncoding::Utf32 => "utf-32",
                }]);
            }
        }
        let hello = result.pointer("/capabilities/experimental/copydesk")?;
        serde_json::from_value(hello.clone()).ok()
    }

    /// Forgets an `initialize` without a result: the editor may send another.
    pub(super) fn forget_initialize(&mut self) {
        if !self.is_initialized() {
            self.initialize = None;
        }
    }

    pub(super) fn note(&mut self, method: &str, message: &Bytes) {
        let client = || {
            let name = self.initialize.as_ref()?.message.pointer("/params/clientInfo/name")?.as_str()?;
            Some(name.to_owned())
        };
        match method {
            "initialized" => self.initialized = Some(message.clone()),
            "workspace/didChangeConfiguration" => self.configuration = Some(message.clone()),
            "workspace/didChangeWorkspaceFolders" => self.folders(message),
            "textDocument/didOpen" => self.documents.open(message, &client().unwrap_or_default()),
            "textDocument/didChange" => self.documents.change(message, self.encoding),
            "textDocument/didClose" => self.documents.close(message),
            _ => {}
        }
    }

    /// Folders reach a new daemon in `initialize`.
    fn folders(&mut self, message: &[u8]) {
        let Ok(message) = serde_json::from_slice::<Value>(message) else { return };
        let Some(params) = self.initialize.as_mut().and_then(|record| record.message.get_mut("params"))
        else {
            return;
        };
        let list = |name: &str| message.pointer(name).and_then(Value::as_array).cloned().unwrap_or_default();
        let (added, removed) = (list("/params/event/added"), list("/params/event/removed"));
        let mut folders =
            params.get("workspaceFolders").and_then(Value::as_array).cloned().unwrap_or_default();
        folders.retain(|folder| !removed.iter().any(|gone| gone.get("uri") == folder.get("uri")));
        folders.extend(added);
        if let Some(params) = params.as_object_mut() {
            params.insert("workspaceFolders".to_owned(), Value::Array(folders));
        }
    }

    /// `initialize` for a new daemon.
    pub(super) fn initialize_message(&self) -> Option<Bytes> {
        self.initialize.as_ref().map(|record| record.message.to_string().into())
    }

    /// What follows its result.
    pub(super) fn replay_messages(&self) -> impl Iterator<Item = Bytes> {
        let kept = [&self.initialized, &self.configuration].into_iter().flatten().cloned();
        kept.chain(self.documents.reopening().map(|open| open.to_string().into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_daemon_is_greeted_with_what_holds_now() {
        let mut replay = ReplayState::new();
        let general = json!({ "positionEncodings": ["utf-8", "utf-16"] });
        let params = json!({ "capabilities": { "general": general }, "workspaceFolders": [{ "uri": "a" }] });
        replay.record_initialize("1", json!({ "id": 1, "params": params }).to_string().as_bytes());
        assert!(!replay.is_initialized() && replay.is_initialize_id("1"));
        replay.record_initialize_result(&json!({ "capabilities": { "positionEncoding": "utf-8" } }));
        assert!(replay.is_initialized());
        replay.record_initialize("2", b"{}");
        let event = json!({ "event": { "added": [{ "uri": "b" }], "removed": [{ "uri": "a" }] } });
        let event = json!({ "params": event }).to_string().into();
        replay.note("workspace/didChangeWorkspaceFolders", &event);
        let record: Value = serde_json::from_slice(&replay.initialize_message().unwrap()).unwrap();
        assert_eq!(record["params"]["capabilities"]["general"]["positionEncodings"], json!(["utf-8"]));
        assert_eq!(record["params"]["workspaceFolders"], json!([{ "uri": "b" }]));
    }
}
