//! A language server for a language of a few words, for the tests of the pool. Its diagnostics follow from the texts
//! alone, so a test knows the true answer:
//!
//! ```text
//! give x      this file gives x
//! need a.x    an error unless the file `a.lua` beside it gives x
//! bad         an error
//! CRASH, HANG, EAT    the server dies, falls silent, takes 100 MB
//! MUTE        the server does not answer requests about this file
//! ```
//!
//! Arguments: `--log FILE` (logs each message with the process id), `--pull` (pull diagnostics), `--fail` (prints a
//! word and exits), `--form` (offers formatting, and changes nothing), `--compile FILE` (after a save, waits for the
//! file and then reports the text on the disk, as a compiler would), `--gate FILE` (is not ready before the file
//! exists), `--stubborn` (does not exit when asked), `--child` (starts a process).

// This process is meant to die, to fall silent and to wait.
#![allow(clippy::disallowed_methods, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, exit, id};
use std::time::Duration;
use std::{env, thread};

use serde_json::{Value, json};

struct ToyServer {
    log: Option<PathBuf>,
    pull: bool,
    open: BTreeMap<String, (i64, String)>,
    eaten: Vec<Vec<u8>>,
}

fn main() {
    let arguments: Vec<String> = env::args().collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).map(PathBuf::from)
    };
    let mut toy =
        ToyServer { log: value("--log"), pull: has("--pull"), open: BTreeMap::new(), eaten: Vec::new() };
    if has("--fail") {
        toy.log("fail");
        let _ = writeln!(io::stderr(), "the toy has no wheels");
        exit(3);
    }
    if has("--child") {
        let child = Command::new("sleep").arg("1000").spawn();
        toy.log(&format!("child {}", child.map_or(0, |child| child.id())));
    }
    let mut input = BufReader::new(io::stdin().lock());
    while let Some(message) = read(&mut input) {
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        let params = &message["params"];
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default().to_owned();
        toy.log(&format!("{method} {}", uri.rsplit('/').next().unwrap_or_default()));
        match &*method {
            "initialize" => {
                let mut capabilities =
                    json!({ "textDocumentSync": { "openClose": true, "change": 1, "save": true } });
                if toy.pull {
                    capabilities["diagnosticProvider"] =
                        json!({ "interFileDependencies": true, "workspaceDiagnostics": false });
                }
                capabilities["documentFormattingProvider"] = json!(has("--form"));
                answer(&message, json!({ "capabilities": capabilities }));
            }
            "initialized" => {
                let watchers = json!([{ "globPattern": "**/*.lua" }]);
                let registration = json!({ "id": "w", "method": "workspace/didChangeWatchedFiles",
                    "registerOptions": { "watchers": watchers } });
                send(&json!({ "id": 1, "method": "client/registerCapability",
                    "params": { "registrations": [registration] } }));
                if let Some(gate) = value("--gate") {
                    status(false);
                    thread::spawn(move || {
                        wait(&gate);
                        status(true);
                    });
                }
            }
            "textDocument/didOpen" => {
                let document = &params["textDocument"];
                let text = document["text"].as_str().unwrap_or_default().to_owned();
                toy.update(uri, document["version"].as_i64().unwrap_or_default(), text);
            }
            "textDocument/didChange" => {
                let text = params["contentChanges"][0]["text"].as_str().unwrap_or_default().to_owned();
                toy.update(uri, params["textDocument"]["version"].as_i64().unwrap_or_default(), text);
            }
            "textDocument/didClose" => drop(toy.open.remove(&uri)),
            "textDocument/didSave" => drop(value("--compile").map(|gate| compile(uri, gate))),
            "workspace/didChangeWatchedFiles" => toy.publish(),
            "textDocument/diagnostic" if toy.text(&uri).contains("MUTE") => {}
            "textDocument/diagnostic" => {
                let items = toy.diagnostics(&uri);
                answer(&message, json!({ "kind": "full", "items": items }));
            }
            "textDocument/formatting" => answer(&message, Value::Null),
            "shutdown" if !has("--stubborn") => answer(&message, Value::Null),
            "exit" if !has("--stubborn") => exit(0),
            _ => {}
        }
    }
    while has("--stubborn") {
        thread::sleep(Duration::from_secs(1));
    }
}

impl ToyServer {
    fn log(&self, what: &str) {
        let file = self.log.as_ref().map(|log| OpenOptions::new().append(true).create(true).open(log));
        if let Some(Ok(mut file)) = file {
            let _ = file.write_all(format!("{} {}\n", id(), what.trim()).as_bytes());
        }
    }

    fn update(&mut self, uri: String, version: i64, text: String) {
        if text.contains("CRASH") {
            let _ = writeln!(io::stderr(), "boom");
            exit(7);
        }
        while text.contains("HANG") {
            thread::sleep(Duration::from_secs(1));
        }
        if text.contains("EAT") {
            self.eaten.push(vec![1; 100 << 20]);
        }
        self.open.insert(uri, (version, text));
        self.publish();
    }

    fn publish(&self) {
        if self.pull {
            return;
        }
        for (uri, (version, _)) in &self.open {
            let params = json!({ "uri": uri, "version": version, "diagnostics": self.diagnostics(uri) });
            send(&json!({ "method": "textDocument/publishDiagnostics", "params": params }));
        }
    }

    fn text(&self, uri: &str) -> String {
        let open = self.open.get(uri).map(|(_, text)| text.clone());
        open.unwrap_or_else(|| fs::read_to_string(uri.trim_start_matches("file://")).unwrap_or_default())
    }

    fn diagnostics(&self, uri: &str) -> Vec<Value> {
        let mut diagnostics = Vec::new();
        for (number, line) in self.text(uri).lines().enumerate() {
            let message = match line.split_once(' ') {
                None if line == "bad" => "this is bad".to_owned(),
                Some(("need", what)) => {
                    let (file, name) = what.split_once('.').unwrap_or((what, ""));
                    let folder = Path::new(uri).parent().unwrap_or(Path::new(""));
                    let other = folder.join(format!("{file}.lua"));
                    let given = self.text(&other.to_string_lossy());
                    if given.lines().any(|line| line == format!("give {name}")) {
                        continue;
                    }
                    format!("{file} gives no {name}")
                }
                _ => continue,
            };
            let range = json!({ "start": { "line": number, "character": 0 },
                "end": { "line": number, "character": line.len() } });
            diagnostics.push(json!({ "range": range, "severity": 1, "message": message }));
        }
        diagnostics
    }
}

fn wait(gate: &Path) {
    while !gate.exists() {
        thread::sleep(Duration::from_millis(5));
    }
}

fn compile(uri: String, gate: PathBuf) {
    thread::spawn(move || {
        let progress = |kind: &str| {
            let value = json!({ "kind": kind, "title": "compiling" });
            send(&json!({ "method": "$/progress", "params": { "token": "compile/0", "value": value } }));
        };
        progress("begin");
        wait(&gate);
        let text = fs::read_to_string(uri.trim_start_matches("file://")).unwrap_or_default();
        let place = json!({ "line": 0, "character": 0 });
        let range = json!({ "start": place, "end": place });
        let diagnostics = json!([{ "range": range, "severity": 1, "source": "compiler", "message": text }]);
        let params = json!({ "uri": uri, "diagnostics": diagnostics });
        send(&json!({ "method": "textDocument/publishDiagnostics", "params": params }));
        progress("end");
    });
}

fn status(quiescent: bool) {
    send(
        &json!({ "method": "experimental/serverStatus", "params": { "health": "ok", "quiescent": quiescent } }),
    );
}

fn answer(request: &Value, result: Value) {
    send(&json!({ "id": request["id"], "result": result }));
}

fn send(message: &Value) {
    let mut message = message.clone();
    message["jsonrpc"] = json!("2.0");
    let body = message.to_string();
    let mut output = io::stdout().lock();
    let _ = write!(output, "Content-Length: {}\r\n\r\n{body}", body.len());
    let _ = output.flush();
}

fn read(input: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim().split_once(": ") {
            Some(("Content-Length", number)) => length = number.parse().ok()?,
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}
