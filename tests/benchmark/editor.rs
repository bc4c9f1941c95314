//! The cost of the editor connection: the built daemon and shim, documents of 100,000 lines, a real Neovim.
//!
//! The time of an edit runs from the last write of the model's answer to the change in Neovim's buffer; both sides read
//! the same clock. Without `COPYDESK_TEST_NVIM` the rows with Neovim are skipped.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::project::{roomy, trust_all_below};
use super::table::BenchmarkTable;
use crate::shared::model_server::{ScriptedModelServer, ScriptedTurn, ScriptedWire};
use crate::shared::neovim::nvim::NeovimInstance;

const RUNS: usize = 21;
const BINARY: &str = env!("CARGO_BIN_EXE_copydesk");

pub(crate) fn measure(table: &mut BenchmarkTable) {
    start_rows(table);
    change_row(table);
    document_row(table);
    session_row(table);
    edit_rows(table);
}

/// A home and a project; dropping it ends the daemon started there.
pub(super) struct BenchmarkHome {
    folder: tempfile::TempDir,
    config: String,
}

impl BenchmarkHome {
    pub(super) fn new(server: Option<&ScriptedModelServer>) -> Self {
        let config = server.map_or(json!({}), |server| {
            json!({
                "model": "script/m-1", "enabled_providers": ["script"], "permission": { "edit": "allow", "bash": "allow" },
                "agent": { "build": { "steps": 1000 } },
                "provider": { "script": { "wire": "anthropic", "models": { "m-1": roomy() },
                    "options": { "baseURL": server.base_url(ScriptedWire::Anthropic), "apiKey": "sk-0987654321" } } },
            })
        });
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("project")).unwrap();
        trust_all_below(folder.path());
        Self { folder, config: config.to_string() }
    }

    pub(super) fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join("project").join(name)
    }

    pub(super) fn prepare(&self, command: &mut Command) {
        let home = self.folder.path();
        command.env_clear().env("HOME", home).env("XDG_RUNTIME_DIR", home.join("run"));
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("COPYDESK", BINARY);
        command.env("COPYDESK_CONFIG_CONTENT", &self.config).current_dir(home.join("project"));
    }

    fn stop(&self) {
        let mut command = Command::new(BINARY);
        self.prepare(&mut command);
        command.arg("stop").stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    }
}

impl Drop for BenchmarkHome {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A scripted editor.
pub(super) struct BenchmarkEditor {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl BenchmarkEditor {
    /// Starts and initializes; returns how long that took, including the process start.
    pub(super) fn start(place: &BenchmarkHome) -> (Self, Duration) {
        let start = Instant::now();
        let mut command = Command::new(BINARY);
        place.prepare(&mut command);
        let mut child = command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut editor = Self { child, stdin, stdout };
        let hello = json!({ "copydesk": { "protocol": 1, "client": "benchmark", "version": "0" } });
        let capabilities = json!({ "general": { "positionEncodings": ["utf-8"] } });
        editor.ask("initialize", json!({ "initializationOptions": hello, "capabilities": capabilities }));
        let took = start.elapsed();
        editor.tell("initialized", json!({}));
        (editor, took)
    }

    pub(super) fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.stdin.as_mut().unwrap(), "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
    }

    pub(super) fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Skips messages before the response.
    pub(super) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": params }));
        loop {
            let mut message = self.next();
            if message["id"] == method {
                assert!(message["error"].is_null(), "{message}");
                return message["result"].take();
            }
        }
    }

    /// Starts a turn and follows the session until the turn is done.
    pub(super) fn run_turn(&mut self, session: &str, prompt: &str) {
        let params = json!({ "session": session, "text": prompt });
        self.send(
            &json!({ "jsonrpc": "2.0", "id": session, "method": "copydesk/turn/start", "params": params }),
        );
        loop {
            let message = self.next();
            let event = &message["params"]["event"];
            assert_ne!(event["event"], "asked", "nobody answers: {message}");
            if event["event"] == "turnEnded" {
                assert_eq!(event["end"]["kind"], "done", "{message}");
                return;
            }
        }
    }

    fn next(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(self.stdout.read_line(&mut line).unwrap(), 0, "the shim has ended");
            match line.trim_end().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().unwrap(),
                None if line.trim_end().is_empty() => break,
                None => {}
            }
        }
        let mut message = vec![0; length];
        self.stdout.read_exact(&mut message).unwrap();
        serde_json::from_slice(&message).unwrap()
    }

    pub(super) fn pid(&mut self) -> u64 {
        self.ask("copydesk/status", json!({}))["pid"].as_u64().unwrap()
    }

    pub(super) fn open(&mut self, uri: &str, text: &str) {
        let item = json!({ "uri": uri, "languageId": "text", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": item }));
    }
}

impl Drop for BenchmarkEditor {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.child.wait();
    }
}

fn start_rows(table: &mut BenchmarkTable) {
    let (cold, warm) = ("editor: initialize, cold daemon", "editor: initialize, warm daemon");
    if table.includes_row(cold) {
        let once = |_| BenchmarkEditor::start(&BenchmarkHome::new(None)).1;
        table.row(cold, (0..RUNS).map(once).collect(), Some(Duration::from_millis(30)), String::new());
    }
    if table.includes_row(warm) {
        let place = BenchmarkHome::new(None);
        let _first = BenchmarkEditor::start(&place);
        let once = |_| BenchmarkEditor::start(&place).1;
        table.row(warm, (0..RUNS).map(once).collect(), Some(Duration::from_millis(3)), String::new());
    }
}

fn change_row(table: &mut BenchmarkTable) {
    let name = "editor: didChange in 100,000 lines";
    if !table.includes_row(name) {
        return;
    }
    const CHANGES: u32 = 2_000;
    let place = BenchmarkHome::new(None);
    let (mut editor, _) = BenchmarkEditor::start(&place);
    let text: String = (0..100_000).map(|number| format!("line {number} of many\n")).collect();
    editor.open("file:///large", &text);
    let mut version = 1;
    let mut once = |_| {
        editor.pid();
        let start = Instant::now();
        for number in 0..CHANGES {
            version += 1;
            let at = json!({ "line": number * 37 % 100_000, "character": 3 });
            let change = json!({ "range": { "start": at, "end": at }, "text": "x" });
            let document = json!({ "uri": "file:///large", "version": version });
            editor.tell(
                "textDocument/didChange",
                json!({ "textDocument": document, "contentChanges": [change] }),
            );
        }
        editor.pid();
        start.elapsed() / CHANGES
    };
    let samples = (0..5).map(&mut once).collect();
    table.row(name, samples, Some(Duration::from_micros(50)), "through the shim, 2,000 in a row".to_owned());
}

fn document_row(table: &mut BenchmarkTable) {
    let name = "editor: memory, 1,000 documents of 1,000 lines";
    if !table.includes_row(name) {
        return;
    }
    let place = BenchmarkHome::new(None);
    let (mut editor, _) = BenchmarkEditor::start(&place);
    let line = "    let value = compute(&input, options)?; // and so on\n";
    let text = line.repeat(1_000);
    for number in 0..1_000 {
        editor.open(&format!("file:///document{number}"), &text);
    }
    let pid = editor.pid();
    memory(table, name, pid, "VmRSS", 150.0, &format!("{:.0} MB of text", text.len() as f64 / 1e3));
}

fn session_row(table: &mut BenchmarkTable) {
    let name = "editor: memory, 32 sessions of 20 tool turns at once";
    if !table.includes_row(name) {
        return;
    }
    let server = ScriptedModelServer::start();
    let step = |read: usize| {
        // The agent's loop guard would ask about repeated identical calls.
        let arguments = json!({ "filePath": "a.txt", "offset": 1, "limit": 40 + read });
        ScriptedTurn::new().call(format!("c{read}"), "read", arguments)
    };
    // Ordered by the progress of each conversation, because sessions interleave.
    for read in 0..=20 {
        let is_here = move |request: &crate::shared::model_server::RecordedRequest| {
            request.body["messages"].as_array().is_some_and(|messages| messages.len() == 1 + 2 * read)
        };
        server.on_each_request(
            is_here,
            if read == 20 { ScriptedTurn::new().text("Done.") } else { step(read) },
        );
    }
    let place = BenchmarkHome::new(Some(&server));
    fs::write(place.path("a.txt"), "a line of the file that is read\n".repeat(40)).unwrap();
    let (mut editor, _) = BenchmarkEditor::start(&place);
    let folder = place.path("").canonicalize().unwrap();
    let mut sessions = Vec::new();
    for _ in 0..32 {
        let made = editor.ask("copydesk/session/new", json!({ "folder": folder }));
        let id = made["session"]["id"].as_str().unwrap().to_owned();
        editor.ask("copydesk/session/load", json!({ "session": id }));
        sessions.push(id);
    }
    let start = Instant::now();
    for id in &sessions {
        let params = json!({ "session": id, "text": "Work" });
        editor
            .send(&json!({ "jsonrpc": "2.0", "id": id, "method": "copydesk/turn/start", "params": params }));
    }
    let mut ended = 0;
    while ended < sessions.len() {
        let message = editor.next();
        let event = &message["params"]["event"];
        if event["event"] == "turnEnded" {
            assert_eq!(event["end"]["kind"], "done", "{message}");
            ended += 1;
        }
    }
    let rate = 32.0 * 20.0 / start.elapsed().as_secs_f64();
    let pid = editor.pid();
    memory(table, name, pid, "VmHWM", 120.0, &format!("{rate:.0} tool turns a second"));
}

/// A line of `/proc/PID/status` beside its budget, in megabytes.
pub(super) fn memory(table: &mut BenchmarkTable, name: &str, pid: u64, key: &str, budget: f64, note: &str) {
    memory_remark(table, name, resident_megabytes(pid, key), budget, note);
}

pub(super) fn memory_remark(
    table: &mut BenchmarkTable,
    name: &str,
    used: Option<f64>,
    budget: f64,
    note: &str,
) {
    let Some(used) = used else {
        return table.remark(&format!("{name} is left out: this system has no /proc"));
    };
    let verdict = if used <= budget { "ok" } else { "OVER" };
    table.remark(&format!("{name}: {used:.1} MB of {budget} {verdict}; {note}"));
}

pub(super) fn resident_megabytes(pid: u64, key: &str) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with(key))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

fn edit_rows(table: &mut BenchmarkTable) {
    let nvim = std::env::var_os("COPYDESK_TEST_NVIM").unwrap_or_default();
    for program in std::env::split_paths(&nvim).filter(|path| path.is_file()) {
        let version = Command::new(&program).arg("--version").output().unwrap().stdout;
        let version = String::from_utf8_lossy(&version).lines().next().unwrap_or_default().to_owned();
        for (lines, budget) in [(500, 10), (100_000, 30)] {
            let name = format!("editor: edit into a live Neovim, {lines} lines");
            if table.includes_row(&name) {
                let samples = edits(&program, lines);
                table.row(&name, samples, Some(Duration::from_millis(budget)), version.clone());
            }
        }
    }
    if nvim.is_empty() {
        table.remark("editor: the rows with Neovim are left out: COPYDESK_TEST_NVIM names none");
    }
}

/// From the last write of the model's answer to the change in the buffer, per edit.
fn edits(program: &Path, lines: usize) -> Vec<Duration> {
    let text =
        |turn: usize| if turn == 0 { format!("line {} of many", lines / 2) } else { format!("now {turn}") };
    let turns = (0..RUNS).map(|turn| {
        let (old, new) = (text(turn), text(turn + 1));
        let arguments =
            json!({ "filePath": "a.txt", "oldString": format!("{old}\n"), "newString": format!("{new}\n") });
        ScriptedTurn::new().call(format!("c{turn}"), "edit", arguments)
    });
    let server = ScriptedModelServer::start_with(turns.chain([ScriptedTurn::new().text("Done.")]));
    let place = BenchmarkHome::new(Some(&server));
    let whole: String = (0..lines).map(|number| format!("line {number} of many\n")).collect();
    fs::write(place.path("a.txt"), whole).unwrap();
    let mut nvim =
        NeovimInstance::start(program, include_str!("../neovim/init.lua"), |command| place.prepare(command));
    nvim.lua("T.start(0) T.open('a.txt')", json!([]));
    let watch = "T.changes = {}
        vim.api.nvim_buf_attach(0, false, { on_lines = function()
            table.insert(T.changes, tostring(vim.uv.hrtime()))
        end })
        local made = T.request('copydesk/session/new', vim.empty_dict())
        T.request('copydesk/session/load', { session = made.session.id })
        T.request('copydesk/turn/start', { session = made.session.id, text = 'Work' })";
    nvim.lua(watch, json!([]));
    let end = nvim.wait_for_message("event", |told| told["event"]["event"] == "turnEnded");
    assert_eq!(end["event"]["end"]["kind"], "done", "{end}");
    // Both clocks are the machine's monotonic clock; only their origins differ.
    let before = Instant::now();
    let there = nanoseconds(&nvim.lua("return tostring(vim.uv.hrtime())", json!([])));
    let here = before + before.elapsed() / 2;
    let changes = nvim.lua("return T.changes", json!([]));
    let changes = changes.as_array().unwrap();
    assert_eq!(changes.len(), RUNS, "one change for each edit");
    let since = |(index, at): (usize, &Value)| {
        let changed = here - Duration::from_nanos(there - nanoseconds(at));
        changed.duration_since(server.answer_time(index + 1).unwrap())
    };
    changes.iter().enumerate().map(since).collect()
}

/// As text, because a Lua number cannot hold it.
pub(super) fn nanoseconds(text: &Value) -> u64 {
    text.as_str().unwrap().trim_end_matches("ULL").parse::<f64>().unwrap() as u64
}
