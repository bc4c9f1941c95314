//! A scripted editor on the daemon's socket. It holds texts, counts versions, and handles edits as the test wants: a
//! well-behaved one applies and reports them; the test plays the others, message by message.
//!
//! It waits for messages. The timeout is only for a test that fails.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use serde_json::{Value, json};

use super::encoding::{EditorEncoding, offset, position};
use crate::cli::environment::TestEnvironment;
use crate::daemon::stdio_editor::{frame_message, read_message, socket};

const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct ScriptedEditor {
    stream: UnixStream,
    incoming: BufReader<UnixStream>,
    units: EditorEncoding,
    /// The version and text, by URI.
    pub(crate) texts: BTreeMap<String, (i32, String)>,
    /// Applies every requested edit, and reports it.
    pub(crate) applies_edits: bool,
    /// The extension of the files that its language server serves.
    diagnosed_extension: Option<&'static str>,
    /// The files for whose servers the daemon asked.
    pub(crate) diagnostics_requests: Vec<String>,
    /// Received messages that no test has waited for yet.
    unread_messages: VecDeque<Value>,
    /// The events of sessions, in order of arrival.
    pub(crate) events: Vec<Value>,
    /// The requested edits.
    pub(crate) edits: Vec<Value>,
    sent: u64,
}

impl ScriptedEditor {
    /// A well-behaved one that counts in UTF-16.
    pub(crate) fn new(env: &TestEnvironment, name: &str) -> Self {
        Self::with_encoding(env, name, EditorEncoding::Utf16)
    }

    pub(crate) fn with_encoding(env: &TestEnvironment, name: &str, units: EditorEncoding) -> Self {
        Self::in_folder(env, name, units, "")
    }

    /// One that works in another folder than the project's.
    pub(crate) fn in_folder(env: &TestEnvironment, name: &str, units: EditorEncoding, folder: &str) -> Self {
        let mut client = Self::connect(env, units);
        let hello = json!({ "protocol": 1, "client": name, "version": "0.1.0" });
        let params = json!({
            "clientInfo": { "name": name },
            "rootUri": uri(env, folder),
            "capabilities": {
                "general": { "positionEncodings": [units.name()] },
                "workspace": { "workspaceEdit": { "resourceOperations": ["rename", "delete"] } },
            },
            "initializationOptions": { "copydesk": hello },
        });
        let result = client.request_ok("initialize", params);
        assert_eq!(result["capabilities"]["positionEncoding"], units.name());
        client.notify("initialized", json!({}));
        client
    }

    /// One that has sent nothing yet.
    pub(crate) fn connect(env: &TestEnvironment, units: EditorEncoding) -> Self {
        let stream = UnixStream::connect(socket(env)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let incoming = BufReader::new(stream.try_clone().unwrap());
        Self {
            stream,
            incoming,
            units,
            texts: BTreeMap::new(),
            applies_edits: true,
            diagnosed_extension: None,
            diagnostics_requests: Vec::new(),
            unread_messages: VecDeque::new(),
            events: Vec::new(),
            edits: Vec::new(),
            sent: 0,
        }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    pub(crate) fn stream(&self) -> UnixStream {
        self.stream.try_clone().unwrap()
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.write(&frame_message(&json!({ "jsonrpc": "2.0", "method": method, "params": params })));
    }

    /// Sends a request without waiting; returns its id.
    pub(crate) fn send_request(&mut self, method: &str, params: Value) -> Value {
        self.sent += 1;
        let id = json!(self.sent);
        self.write(&frame_message(
            &json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }),
        ));
        id
    }

    pub(crate) fn answer(&mut self, request: &Value, result: Value) {
        self.write(&frame_message(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })));
    }

    pub(crate) fn wait_for_response(&mut self, id: &Value) -> Value {
        self.take_message(&format!("the answer to {id}"), |message| {
            message["method"].is_null() && message["id"] == *id
        })
    }

    /// Sends a request; returns the response, whatever it is.
    pub(crate) fn send_and_wait(&mut self, method: &str, params: Value) -> Value {
        let id = self.send_request(method, params);
        self.wait_for_response(&id)
    }

    #[track_caller]
    pub(crate) fn request_ok(&mut self, method: &str, params: Value) -> Value {
        let answer = self.send_and_wait(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Sends a request that must fail; returns the code and message.
    #[track_caller]
    pub(crate) fn request_error(&mut self, method: &str, params: Value) -> (i64, String) {
        let answer = self.send_and_wait(method, params);
        let error = &answer["error"];
        let code = error["code"].as_i64().unwrap_or_else(|| panic!("{method}: {answer}"));
        (code, error["message"].as_str().unwrap().to_owned())
    }

    /// The first matching message, already received or yet to come.
    pub(crate) fn take_message(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.unread_messages.iter().position(&wanted) {
            return self.unread_messages.remove(at).unwrap();
        }
        loop {
            let message = self.next().unwrap_or_else(|| panic!("the connection ended before {what}"));
            if wanted(&message) {
                return message;
            }
            self.unread_messages.push_back(message);
        }
    }

    /// Whether a matching message was received.
    pub(crate) fn has_message(&self, wanted: impl Fn(&Value) -> bool) -> bool {
        self.unread_messages.iter().any(wanted)
    }

    pub(crate) fn wait_for_method(&mut self, method: &str) -> Value {
        self.take_message(method, |message| message["method"] == method)
    }

    fn next(&mut self) -> Option<Value> {
        let message = read_message(&mut self.incoming)?;
        match message["method"].as_str() {
            Some("copydesk/event") => self.events.push(message["params"].clone()),
            Some("workspace/applyEdit") => {
                self.edits.push(message["params"].clone());
                if self.applies_edits {
                    self.apply_edit_request(&message);
                }
            }
            Some("copydesk/editor/servers") if self.applies_edits => {
                let uri = message["params"]["uri"].as_str().unwrap().to_owned();
                let result = self.servers_of(&uri);
                self.try_answer(&message, result);
            }
            Some("copydesk/editor/serverRequest") => {
                let result = self.pulled_diagnostics(&message["params"]["params"]["textDocument"]["uri"]);
                self.try_answer(&message, json!({ "result": result }));
            }
            // Progress of a turn; it may be shown or ignored.
            Some("window/workDoneProgress/create") => self.answer(&message, Value::Null),
            _ => {}
        }
        Some(message)
    }

    /// The daemon may be gone by now.
    fn try_answer(&mut self, request: &Value, result: Value) {
        let answer = frame_message(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }));
        let _ = self.stream.write_all(&answer);
    }

    /// Reports a language server for files with this extension, which reports every line that contains `bad`.
    pub(crate) fn start_server(&mut self, extension: &'static str) {
        self.diagnosed_extension = Some(extension);
        let capabilities =
            json!({ "textDocumentSync": 1, "diagnosticProvider": {}, "referencesProvider": true });
        let started =
            json!({ "server": 1, "name": "bad finder", "capabilities": capabilities, "running": true });
        self.notify("copydesk/server/started", started);
    }

    /// Tells the server of a document as it is, and reports that.
    fn servers_of(&mut self, uri: &str) -> Value {
        self.diagnostics_requests.push(uri.to_owned());
        if self.diagnosed_extension.is_none_or(|ending| !uri.ends_with(ending)) {
            return json!({ "state": "unsupported" });
        }
        let version = self.texts.get(uri).map(|(version, _)| *version);
        let opened = json!({
            "server": 1, "uri": uri, "event": "opened", "language": "toy", "running": true,
            "version": version.unwrap_or(0), "document": version, "modified": version.is_some(),
        });
        let _ = self.stream.write_all(&frame_message(
            &json!({ "jsonrpc": "2.0", "method": "copydesk/server/document", "params": opened }),
        ));
        json!({ "state": "answered", "uri": uri, "version": version, "servers": [1] })
    }

    fn pulled_diagnostics(&self, uri: &Value) -> Value {
        let uri = uri.as_str().unwrap();
        let on_disk = || std::fs::read_to_string(uri.strip_prefix("file://").unwrap()).unwrap_or_default();
        let text = self.texts.get(uri).map_or_else(on_disk, |(_, text)| text.clone());
        let bad = text.lines().enumerate().filter(|(_, line)| line.contains("bad"));
        let item = |(line, _): (usize, &str)| {
            let place = json!({ "line": line, "character": 0 });
            json!({ "range": { "start": place, "end": place }, "severity": 1, "message": "this is bad" })
        };
        json!({ "kind": "full", "items": bad.map(item).collect::<Vec<_>>() })
    }

    /// Reads until the daemon closes the connection, perhaps within a message.
    pub(crate) fn read_bytes_to_the_end(&mut self) {
        std::io::copy(&mut self.incoming, &mut std::io::sink()).unwrap();
    }

    /// Reads until the daemon closes the connection.
    pub(crate) fn read_to_the_end(&mut self) {
        while self.next().is_some() {}
    }
}

/// Sessions.
impl ScriptedEditor {
    /// A new session that this client is attached to.
    pub(crate) fn new_session(&mut self) -> String {
        let made = self.request_ok("copydesk/session/new", json!({}));
        let id = made["session"]["id"].as_str().unwrap().to_owned();
        self.load(&id);
        id
    }

    pub(crate) fn load(&mut self, session: &str) -> Value {
        self.request_ok("copydesk/session/load", json!({ "session": session }))
    }

    pub(crate) fn prompt(&mut self, session: &str, text: &str) -> Value {
        self.request_ok("copydesk/turn/start", json!({ "session": session, "text": text }))
    }

    /// The next event of this kind, without its number.
    pub(crate) fn wait_for_event(&mut self, session: &str, kind: &str) -> Value {
        let message = self.take_message(&format!("the event {kind}"), |message| {
            let params = &message["params"];
            params["session"] == session && params["event"]["event"] == kind
        });
        message["params"]["event"].clone()
    }

    /// Waits for the end of the turn; returns how it ended.
    pub(crate) fn wait_for_turn_end(&mut self, session: &str) -> Value {
        self.wait_for_event(session, "turnEnded")["end"]["kind"].clone()
    }

    /// Sends a prompt and waits for the turn, which must succeed.
    #[track_caller]
    pub(crate) fn run_turn(&mut self, session: &str, text: &str) {
        self.prompt(session, text);
        let end = self.wait_for_event(session, "turnEnded");
        assert_eq!(end["end"]["kind"], "done", "{end}");
    }

    /// The sequence numbers of a session's events.
    pub(crate) fn numbers(&self, session: &str) -> Vec<u64> {
        let of_session = self.events.iter().filter(|event| event["session"] == session);
        of_session.map(|event| event["seq"].as_u64().unwrap()).collect()
    }

    /// The last state of each part, from the events; in the order in which they began.
    pub(crate) fn parts(&self, session: &str) -> Vec<Value> {
        let mut parts: Vec<Value> = Vec::new();
        for event in self.events.iter().filter(|event| event["session"] == session) {
            let part = &event["event"]["part"];
            if event["event"]["event"] != "part" {
                continue;
            }
            match parts.iter_mut().find(|known| known["id"] == part["id"]) {
                Some(known) => *known = part.clone(),
                None => parts.push(part.clone()),
            }
        }
        parts
    }

    /// The ids of the calls, in order.
    pub(crate) fn calls(&self, session: &str) -> Vec<String> {
        let parts = self.parts(session);
        let calls = parts.iter().filter(|part| part["content"]["kind"] == "call");
        calls.map(|part| part["id"].as_str().unwrap().to_owned()).collect()
    }
}

/// Documents.
impl ScriptedEditor {
    pub(crate) fn open(&mut self, uri: &str, text: &str) {
        self.texts.insert(uri.to_owned(), (1, text.to_owned()));
        let item = json!({ "uri": uri, "languageId": "text", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": item }));
    }

    pub(crate) fn close(&mut self, uri: &str) {
        self.texts.remove(uri);
        self.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }

    pub(crate) fn text(&self, uri: &str) -> &str {
        &self.texts[uri].1
    }

    /// Replaces one text by another, as the user would.
    pub(crate) fn type_text(&mut self, uri: &str, old: &str, new: &str) {
        let change = self.type_unsent(uri, old, new);
        self.notify("textDocument/didChange", change);
    }

    /// Does the same without telling the daemon yet; returns the notification.
    pub(crate) fn type_unsent(&mut self, uri: &str, old: &str, new: &str) -> Value {
        let (version, text) = self.texts.get_mut(uri).unwrap();
        let at = text.find(old).unwrap_or_else(|| panic!("{text:?} has no {old:?}"));
        let (start, end) = (position(text, at, self.units), position(text, at + old.len(), self.units));
        text.replace_range(at..at + old.len(), new);
        *version += 1;
        did_change_params(uri, *version, &json!([{ "range": { "start": start, "end": end }, "text": new }]))
    }

    /// Applies a requested edit, and reports it before it responds.
    pub(crate) fn apply_edit_request(&mut self, request: &Value) {
        let documents = request["params"]["edit"]["documentChanges"].as_array().unwrap().clone();
        if let [operation] = documents.as_slice()
            && operation["kind"].is_string()
        {
            let problem = self.follow_file(operation, &request["params"]["copydesk"]["texts"][0]);
            let applied = problem.is_none();
            return self.answer(request, json!({ "applied": applied, "failureReason": problem }));
        }
        let is_current = |document: &Value| {
            let known = self.texts.get(document["textDocument"]["uri"].as_str().unwrap());
            known.is_some_and(|(version, _)| document["textDocument"]["version"] == *version)
        };
        if !documents.iter().all(is_current) {
            self.answer(request, json!({ "applied": false, "failureReason": "the document has changed" }));
            return;
        }
        documents.iter().for_each(|document| self.apply_document_edit(document));
        self.answer(request, json!({ "applied": true }));
    }

    /// Moves a file and its document, or closes the document of a deleted one; returns why not.
    fn follow_file(&mut self, operation: &Value, expected: &Value) -> Option<&'static str> {
        if operation["kind"] == "rename" {
            let [old, new] = ["oldUri", "newUri"].map(|name| operation[name].as_str().unwrap().to_owned());
            let [from, to] = [&old, &new].map(|uri| uri.strip_prefix("file://").unwrap());
            std::fs::rename(from, to).unwrap();
            let text = self.text(&old).to_owned();
            self.close(&old);
            self.open(&new, &text);
            return None;
        }
        let uri = operation["uri"].as_str().unwrap().to_owned();
        if expected["bytes"] != self.text(&uri).len() {
            return Some("it has text that is not saved");
        }
        self.close(&uri);
        None
    }

    /// Applies the edits of one document, whatever their version.
    pub(crate) fn apply_document_edit(&mut self, document: &Value) {
        let uri = document["textDocument"]["uri"].as_str().unwrap().to_owned();
        let units = self.units;
        let (version, text) = self.texts.get_mut(&uri).unwrap();
        let range = |edit: &Value| {
            offset(text, &edit["range"]["start"], units)..offset(text, &edit["range"]["end"], units)
        };
        let edits = document["edits"].as_array().unwrap();
        let mut edits: Vec<_> = edits.iter().map(|edit| (range(edit), edit.clone())).collect();
        // From the end, so that earlier ranges stay valid.
        edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
        let mut told = Vec::new();
        for (range, edit) in edits {
            let new = edit["newText"].as_str().unwrap();
            text.replace_range(range, new);
            told.push(json!({ "range": edit["range"], "text": new }));
        }
        *version += 1;
        let change = did_change_params(&uri, *version, &json!(told));
        self.notify("textDocument/didChange", change);
    }
}

pub(crate) fn did_change_params(uri: &str, version: i32, changes: &Value) -> Value {
    json!({ "textDocument": { "uri": uri, "version": version }, "contentChanges": changes })
}

/// The URI of a file of the project.
pub(crate) fn uri(env: &TestEnvironment, path: &str) -> String {
    format!("file://{}", env.path(path).display()).trim_end_matches('/').to_owned()
}
