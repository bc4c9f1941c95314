//! What a new daemon has to be told before it can take the old one's place: the greeting, settings, documents.

use bytes::Bytes;
use copydesk_protocol::hello::DeskHello;
use copydesk_text::Encoding;
use serde_json::{Value, json};

use super::documents::Documents;
use copydesk_faces::lsp::counting::encoding_of;

#[derive(Debug)]
pub(super) struct Memory {
    greeting: Option<Greeting>,
    initialized: Option<Bytes>,
    configuration: Option<Bytes>,
    documents: Documents,
    encoding: Encoding,
}

#[derive(Debug)]
struct Greeting {
    /// As it is written.
    id: String,
    message: Value,
    /// The editor has had its answer.
    answered: bool,
}

impl Memory {
    pub(super) fn new() -> Self {
        Self {
            greeting: None,
            initialized: None,
            configuration: None,
            documents: Documents::default(),
            encoding: Encoding::Utf16,
        }
    }

    /// The editor's `initialize`. A second one, after the first was answered, is the desk's to refuse.
    pub(super) fn greet(&mut self, id: &str, message: &[u8]) {
        if !self.greeted() {
            let message = serde_json::from_slice(message).unwrap_or_default();
            self.greeting = Some(Greeting { id: id.to_owned(), message, answered: false });
        }
    }

    pub(super) fn greeted(&self) -> bool {
        self.greeting.as_ref().is_some_and(|greeting| greeting.answered)
    }

    pub(super) fn is_greeting(&self, id: &str) -> bool {
        self.greeting.as_ref().is_some_and(|greeting| greeting.id == id)
    }

    /// What the desk answered. Tells what it said of itself.
    pub(super) fn answered(&mut self, result: &Value) -> Option<DeskHello> {
        let greeting = self.greeting.as_mut()?;
        if !greeting.answered {
            greeting.answered = true;
            self.encoding = encoding_of(result);
            // Another daemon might choose otherwise, and the editor could not be told.
            if let Some(encodings) =
                greeting.message.pointer_mut("/params/capabilities/general/positionEncodings")
            {
                *encodings = json!([match self.encoding {
                    Encoding::Utf8 => "utf-8",
                    Encoding::Utf16 => "utf-16",
                    Encoding::Utf32 => "utf-32",
                }]);
            }
        }
        let hello = result.pointer("/capabilities/experimental/copydesk")?;
        serde_json::from_value(hello.clone()).ok()
    }

    /// A greeting without a good answer was none: the editor may try another.
    pub(super) fn refused(&mut self) {
        if !self.greeted() {
            self.greeting = None;
        }
    }

    pub(super) fn note(&mut self, method: &str, message: &Bytes) {
        let client = || {
            let name = self.greeting.as_ref()?.message.pointer("/params/clientInfo/name")?.as_str()?;
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

    /// A new daemon learns of the folders by the greeting.
    fn folders(&mut self, message: &[u8]) {
        let Ok(message) = serde_json::from_slice::<Value>(message) else { return };
        let Some(params) = self.greeting.as_mut().and_then(|greeting| greeting.message.get_mut("params"))
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

    /// The greeting for a new daemon.
    pub(super) fn greeting(&self) -> Option<Bytes> {
        self.greeting.as_ref().map(|greeting| greeting.message.to_string().into())
    }

    /// What follows its answer.
    pub(super) fn rest(&self) -> impl Iterator<Item = Bytes> {
        let kept = [&self.initialized, &self.configuration].into_iter().flatten().cloned();
        kept.chain(self.documents.reopening().map(|open| open.to_string().into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_daemon_is_greeted_with_what_holds_now() {
        let mut memory = Memory::new();
        let general = json!({ "positionEncodings": ["utf-8", "utf-16"] });
        let params = json!({ "capabilities": { "general": general }, "workspaceFolders": [{ "uri": "a" }] });
        memory.greet("1", json!({ "id": 1, "params": params }).to_string().as_bytes());
        assert!(!memory.greeted() && memory.is_greeting("1"));
        memory.answered(&json!({ "capabilities": { "positionEncoding": "utf-8" } }));
        assert!(memory.greeted());
        memory.greet("2", b"{}");
        let event = json!({ "event": { "added": [{ "uri": "b" }], "removed": [{ "uri": "a" }] } });
        let event = json!({ "params": event }).to_string().into();
        memory.note("workspace/didChangeWorkspaceFolders", &event);
        let greeting: Value = serde_json::from_slice(&memory.greeting().unwrap()).unwrap();
        assert_eq!(greeting["params"]["capabilities"]["general"]["positionEncodings"], json!(["utf-8"]));
        assert_eq!(greeting["params"]["workspaceFolders"], json!([{ "uri": "b" }]));
    }
}
