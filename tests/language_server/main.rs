//! A language server that follows a script, well-behaved or not: a real program for tests of language server clients.
//! `language_server SCRIPT.json`; see `script.rs`.

// An invalid message is a mistake of the test.
#![allow(clippy::indexing_slicing)]

mod script;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use copydesk_rpc::frame::FrameReader;
use copydesk_text::{Document, LineBreaks, Position, PositionEncoding};
use serde_json::{Value, json};
use tokio::time::sleep;

use script::{LanguageServerScript, ScriptedDiagnostic, ScriptedPublishMode};

/// Stands for diagnostics that are already serialized.
const MORE: &str = "(many more)";

fn main() -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let code = runtime.block_on(serve());
    // Does not wait for the thread that reads standard input.
    runtime.shutdown_background();
    code
}

async fn serve() -> anyhow::Result<ExitCode> {
    let path = std::env::args_os().next_back().unwrap_or_default();
    let script: LanguageServerScript = serde_json::from_slice(&std::fs::read(path)?)?;
    if let Some(text) = &script.complains {
        std::io::stderr().write_all(text.as_bytes())?;
    }
    if let Some(code) = script.exits_at_start {
        return Ok(ExitCode::from(code));
    }
    let more: Vec<_> = (0..script.more).map(extra_diagnostic).collect();
    let server = Arc::new(ScriptedLanguageServer { script, more: more.join(","), state: Mutex::default() });
    let mut reader = FrameReader::new(tokio::io::stdin());
    while let Some(frame) = reader.next().await? {
        let Ok(message) = serde_json::from_slice::<Value>(&frame?) else { continue };
        if let Some(code) = server.handle_message(&message)? {
            return Ok(ExitCode::from(code));
        }
        if server.script.stops_reading && message["method"] == "initialized" {
            std::future::pending::<()>().await;
        }
    }
    if server.script.stays {
        std::future::pending::<()>().await;
    }
    Ok(ExitCode::SUCCESS)
}

struct ScriptedLanguageServer {
    script: LanguageServerScript,
    /// The constant diagnostics, already serialized: making so many would take longer than parsing them.
    more: String,
    state: Mutex<ScriptedServerState>,
}

#[derive(Default)]
struct ScriptedServerState {
    documents: BTreeMap<String, ServedDocument>,
    changes: u32,
    pulls: u32,
    is_indexing: bool,
}

struct ServedDocument {
    text: Document,
    version: Value,
    /// The last published set.
    published: Option<Vec<Value>>,
    /// Nothing has changed since the last save.
    is_saved: bool,
}

impl ScriptedLanguageServer {
    /// Returns the exit code, if it exits.
    fn handle_message(self: &Arc<Self>, message: &Value) -> std::io::Result<Option<u8>> {
        if let Some(path) = &self.script.log {
            let mut log = std::fs::OpenOptions::new().append(true).create(true).open(path)?;
            writeln!(log, "{message}")?;
        }
        let (method, params) = (message["method"].as_str().unwrap_or_default(), &message["params"]);
        if let Some(id) = message.get("id").filter(|_| message.get("method").is_some()) {
            self.handle_request(method, params, id)?;
            return Ok(None);
        }
        match method {
            "initialized" => self.initialized()?,
            "exit" if !self.script.stays => return Ok(Some(0)),
            "textDocument/didOpen" => {
                let document = &params["textDocument"];
                let text = Document::new(document["text"].as_str().unwrap_or_default(), LineBreaks::Any);
                let open = ServedDocument {
                    text,
                    version: document["version"].clone(),
                    published: None,
                    is_saved: false,
                };
                self.lock().documents.insert(uri(params), open);
                self.schedule_publish(uri(params));
            }
            "textDocument/didChange" => return self.did_change(params),
            "textDocument/didSave" => self.publish_after_save(uri(params)),
            "textDocument/didClose" => {
                self.lock().documents.remove(&uri(params));
            }
            _ => {}
        }
        Ok(None)
    }

    fn did_change(self: &Arc<Self>, params: &Value) -> std::io::Result<Option<u8>> {
        let mut state = self.lock();
        state.changes += 1;
        if self.script.crashes_after.is_some_and(|most| state.changes > most) {
            std::io::stdout().write_all(b"Content-Length: 1000\r\n\r\n{\"jsonrpc\":")?;
            std::io::stderr().write_all(b"panic: as the script says\n")?;
            return Ok(Some(101));
        }
        if let Some(open) = state.documents.get_mut(&uri(params)) {
            for change in params["contentChanges"].as_array().into_iter().flatten() {
                let place = |place: &Value| {
                    let number =
                        |name: &str| place[name].as_u64().and_then(|number| u32::try_from(number).ok());
                    Position::new(number("line").unwrap_or_default(), number("character").unwrap_or_default())
                };
                let range = change.get("range").map(|range| (place(&range["start"]), place(&range["end"])));
                let text = change["text"].as_str().unwrap_or_default();
                open.text
                    .apply_content_change(range, text, PositionEncoding::Utf16)
                    .map_err(std::io::Error::other)?;
            }
            open.version = params["textDocument"]["version"].clone();
            open.is_saved = false;
        }
        drop(state);
        self.schedule_publish(uri(params));
        Ok(None)
    }

    fn handle_request(self: &Arc<Self>, method: &str, params: &Value, id: &Value) -> std::io::Result<()> {
        if self.script.never_answers.iter().any(|name| name == method) {
            return Ok(());
        }
        let cancelled = json!({ "code": -32802, "message": "cancelled by the server" });
        let answer = match method {
            "initialize" => {
                let mut capabilities =
                    json!({ "textDocumentSync": { "openClose": true, "change": 2, "save": true } });
                if self.script.pull {
                    capabilities["diagnosticProvider"] = pull_options();
                }
                capabilities["documentFormattingProvider"] = json!(self.script.formats);
                capabilities["referencesProvider"] = json!(self.script.references > 0);
                json!({ "result": { "capabilities": capabilities } })
            }
            "textDocument/diagnostic" => {
                let mut state = self.lock();
                state.pulls += 1;
                match state.pulls <= self.script.cancels_pulls {
                    true => json!({ "error": cancelled }),
                    false => {
                        json!({ "result": { "kind": "full", "items": self.diagnostics(&state, &uri(params)) } })
                    }
                }
            }
            "textDocument/formatting" => {
                let state = self.lock();
                let text = state.documents.get(&uri(params)).map(|open| open.text.text());
                json!({ "result": without_spaces(&text.unwrap_or_default()) })
            }
            "textDocument/references" => {
                let lines = 0..self.script.references;
                let place = |line: usize| {
                    let range = json!({ "start": { "line": line, "character": 3 }, "end": { "line": line, "character": 6 } });
                    json!({ "uri": uri(params), "range": range })
                };
                json!({ "result": lines.map(place).collect::<Vec<_>>() })
            }
            "shutdown" => json!({ "result": null }),
            _ => json!({ "error": { "code": -32601, "message": "not known" } }),
        };
        let mut answer = answer;
        answer["id"] = id.clone();
        self.send_message(&answer)
    }

    fn initialized(self: &Arc<Self>) -> std::io::Result<()> {
        if self.script.registers_pull {
            let registration = json!({
                "id": "pull", "method": "textDocument/diagnostic", "registerOptions": pull_options(),
            });
            self.send_message(&json!({ "id": "r", "method": "client/registerCapability", "params": {
                "registrations": [registration],
            } }))?;
        }
        if let Some(time) = self.script.indexes_ms {
            self.lock().is_indexing = true;
            self.report_indexing("begin", false)?;
            let server = Arc::clone(self);
            tokio::spawn(async move {
                sleep(Duration::from_millis(time)).await;
                server.lock().is_indexing = false;
                server.report_indexing("end", true)?;
                let open: Vec<_> = server.lock().documents.keys().cloned().collect();
                open.into_iter().try_for_each(|uri| server.publish(&uri, false))
            });
        }
        if self.script.floods {
            let server = Arc::clone(self);
            tokio::spawn(async move {
                let log = json!({ "type": 4, "message": "x".repeat(1000) });
                while server.send_message(&json!({ "method": "window/logMessage", "params": log })).is_ok() {
                    tokio::task::yield_now().await;
                }
            });
        }
        Ok(())
    }

    fn report_indexing(&self, kind: &str, is_ready: bool) -> std::io::Result<()> {
        let value = json!({ "kind": kind, "title": "Indexing", "message": "3/7", "percentage": 43 });
        self.send_message(&match self.script.server_status {
            true => json!({ "method": "experimental/serverStatus", "params": {
                "health": "ok", "quiescent": is_ready, "message": "reading the workspace",
            } }),
            false => json!({ "method": "$/progress", "params": { "token": "index", "value": value } }),
        })
    }

    /// Publishes as the script says.
    fn schedule_publish(self: &Arc<Self>, uri: String) {
        if self.script.push == ScriptedPublishMode::Never {
            return;
        }
        let server = Arc::clone(self);
        let version = self.lock().documents.get(&uri).map(|open| open.version.clone());
        tokio::spawn(async move {
            sleep(Duration::from_millis(server.script.push_after_ms)).await;
            if server.lock().documents.get(&uri).map(|open| open.version.clone()) != version {
                // A later change will publish.
                return Ok(());
            }
            if let Some(time) = server.script.partial_first_ms {
                server.publish(&uri, true)?;
                sleep(Duration::from_millis(time)).await;
            }
            let all: Vec<_> = match server.script.tells_of_all {
                true => server.lock().documents.keys().cloned().collect(),
                false => vec![uri],
            };
            all.into_iter().try_for_each(|uri| server.publish(&uri, false))
        });
    }

    fn publish_after_save(self: &Arc<Self>, uri: String) {
        if let Some(open) = self.lock().documents.get_mut(&uri) {
            open.is_saved = true;
        }
        if !self.script.rules.iter().any(|rule| rule.saved) {
            return;
        }
        let server = Arc::clone(self);
        tokio::spawn(async move {
            let progress = |kind: &str| {
                json!({ "method": "$/progress", "params": {
                    "token": server.script.save_token, "value": { "kind": kind, "title": "Checking" },
                } })
            };
            server.send_message(&progress("begin"))?;
            sleep(Duration::from_millis(server.script.push_after_ms)).await;
            server.publish(&uri, false)?;
            server.send_message(&progress("end"))
        });
    }

    fn publish(&self, uri: &str, is_partial: bool) -> std::io::Result<()> {
        let params = {
            let mut state = self.lock();
            let diagnostics =
                if is_partial || state.is_indexing { Vec::new() } else { self.diagnostics(&state, uri) };
            let Some(open) = state.documents.get_mut(uri) else { return Ok(()) };
            if self.script.silent_when_unchanged && open.published.as_ref() == Some(&diagnostics) {
                return Ok(());
            }
            let version = match self.script.push {
                ScriptedPublishMode::Versions if self.script.wrong_versions => json!(1_000_000),
                ScriptedPublishMode::Versions => open.version.clone(),
                ScriptedPublishMode::WithoutVersions | ScriptedPublishMode::Never => Value::Null,
            };
            open.published = Some(diagnostics.clone());
            json!({ "uri": uri, "version": version, "diagnostics": diagnostics })
        };
        self.send_message(&json!({ "method": "textDocument/publishDiagnostics", "params": params }))
    }

    fn diagnostics(&self, state: &ScriptedServerState, uri: &str) -> Vec<Value> {
        let Some(open) = state.documents.get(uri) else { return Vec::new() };
        let text = open.text.text();
        let elsewhere = |find: &str| {
            let mut others = state.documents.iter().filter(|(other, _)| *other != uri);
            others.any(|(_, other)| other.text.text().contains(find))
        };
        let applies = |rule: &&ScriptedDiagnostic| {
            (!rule.saved || open.is_saved) && !rule.unless_elsewhere.as_deref().is_some_and(elsewhere)
        };
        let mut found = Vec::new();
        for (number, line) in text.lines().enumerate() {
            for rule in self.script.rules.iter().filter(applies).filter(|rule| line.contains(&rule.find)) {
                let start = line.find(&rule.find).and_then(|at| line.get(..at)).unwrap_or_default();
                let (start, length) = (start.encode_utf16().count(), rule.find.encode_utf16().count());
                let (line, end) = if self.script.past_the_end {
                    (number + 1_000_000, 99_999)
                } else {
                    (number, start + length)
                };
                found.push(json!({
                    "range": { "start": { "line": line, "character": start }, "end": { "line": line, "character": end } },
                    "severity": rule.severity.max(1), "code": rule.code, "source": rule.source, "message": rule.message,
                }));
            }
        }
        found.extend((!self.more.is_empty()).then(|| json!(MORE)));
        found
    }

    fn send_message(&self, message: &Value) -> std::io::Result<()> {
        let mut message = message.clone();
        message["jsonrpc"] = json!("2.0");
        let mut text = message.to_string();
        if !self.more.is_empty() {
            text = text.replace(&format!("\"{MORE}\""), &self.more);
        }
        let mut bytes = text.into_bytes();
        if self.script.invalid_utf8 {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            bytes = text.replace("\"message\":\"", "\"message\":\"\u{1}").into_bytes();
            bytes.iter_mut().filter(|byte| **byte == 1).for_each(|byte| *byte = 0xff);
        }
        let mut out = std::io::stdout().lock();
        if let Some(garbage) = &self.script.garbage {
            out.write_all(garbage.as_bytes())?;
        }
        write!(out, "Content-Length: {}\r\n\r\n", bytes.len())?;
        out.write_all(&bytes)?;
        out.flush()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, ScriptedServerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One of many, one per line.
fn extra_diagnostic(number: usize) -> String {
    let place = json!({ "line": number, "character": 0 });
    let range = json!({ "start": place, "end": place });
    json!({ "range": range, "severity": 2, "message": format!("warning {number}") }).to_string()
}

fn uri(params: &Value) -> String {
    params["textDocument"]["uri"].as_str().unwrap_or_default().to_owned()
}

fn pull_options() -> Value {
    json!({ "interFileDependencies": true, "workspaceDiagnostics": false })
}

/// The edits that remove trailing white space.
fn without_spaces(text: &str) -> Vec<Value> {
    let lines = text.lines().enumerate().filter(|(_, line)| line.ends_with(' '));
    let edit = |(number, line): (usize, &str)| {
        let units = |text: &str| text.encode_utf16().count();
        let place = |character: usize| json!({ "line": number, "character": character });
        json!({ "range": { "start": place(units(line.trim_end())), "end": place(units(line)) }, "newText": "" })
    };
    lines.map(edit).collect()
}
