//! The cost of the VS Code extension, measured in VS Code: code-server and Chromium. Skipped without `COPYDESK_TEST_VSCODE`.
//!
//! "On screen" means that the page has drawn the frame with the change. A time that begins with a key runs from the key's arrival in the
//! page; it includes the way to the extension host, to the daemon and back.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::editor::{BenchmarkHome, nanoseconds};
use super::table::BenchmarkTable;
use crate::shared::model_server::{ScriptedModelServer, ScriptedTurn};
use crate::shared::vscode::installed_parts::InstalledParts;
use crate::shared::vscode::vscode_server::{VscodeHome, VscodeServer, VscodeSetup};
use crate::shared::vscode::vscode_window::VscodeWindow;

const RUNS: usize = 21;
/// Each loads the window again.
const ACTIVATIONS: usize = 5;
/// As bytes.
const MAX_PACKAGE: f64 = 1e6;

pub(crate) fn measure(table: &mut BenchmarkTable) {
    if std::env::var_os("COPYDESK_TEST_VSCODE").is_none_or(|named| named.is_empty()) {
        return table.remark("vscode: left out: COPYDESK_TEST_VSCODE names no VS Code");
    }
    let name = "vscode: activation";
    if table.includes_row(name) {
        let (samples, note) = activations();
        row(table, name, samples, Some(50.0), &note);
    }
    let names = ["vscode: edit in the active document, 500 lines", "vscode: edit in a document behind it"];
    if names.iter().any(|name| table.includes_row(name)) {
        for (name, samples) in names.iter().zip(edits()) {
            row(table, name, samples, Some(30.0), "from the model's answer");
        }
    }
    let name = "vscode: decision on screen";
    if table.includes_row(name) {
        row(table, name, few_decisions(), Some(50.0), "from the key, 50 hunks");
    }
    let name = "vscode: added to a keystroke while a turn streams";
    if table.includes_row(name) {
        let (samples, note) = streamed_keys();
        row(table, name, samples, Some(0.5), &note);
    }
    let name = "vscode: 1,000 hunks";
    if table.includes_row(name) {
        thousand_hunks(table, name);
    }
    let name = "vscode: size of the .vsix without the binary";
    if table.includes_row(name) {
        let file = InstalledParts::from_environment().extensions.join("copydesk.vsix");
        let bytes = fs::metadata(file).unwrap().len() as f64;
        let verdict = if bytes <= MAX_PACKAGE { "ok" } else { "OVER" };
        table.remark(&format!("{name}: {:.0} KB of {:.0} {verdict}", bytes / 1e3, MAX_PACKAGE / 1e3));
    }
}

pub(super) fn row(
    table: &mut BenchmarkTable,
    name: &str,
    samples: Vec<Duration>,
    budget: Option<f64>,
    note: &str,
) {
    let worst = samples.iter().max().map_or(0.0, Duration::as_secs_f64) * 1e3;
    let note = if samples.len() > 1 { format!("{note}; the slowest {worst:.1} ms") } else { note.to_owned() };
    table.row(name, samples, budget.map(|budget| Duration::from_secs_f64(budget / 1e3)), note);
}

impl VscodeHome for BenchmarkHome {
    fn prepare_program(&self, command: &mut Command) {
        self.prepare(command);
    }

    fn project_folder(&self) -> PathBuf {
        self.path("")
    }

    fn runtime_folder(&self) -> PathBuf {
        self.path("../run")
    }

    fn daemon_log(&self) -> PathBuf {
        self.path("../.local/state/copydesk/log/daemon.log")
    }
}

/// A window of a VS Code with the extension.
pub(super) struct TimedVscode {
    // Dropped in this order.
    pub(super) window: VscodeWindow,
    pub(super) server: VscodeServer,
}

impl TimedVscode {
    pub(super) fn start(place: &BenchmarkHome) -> Self {
        // Suggestions would be computed beside every key.
        let settings = json!({
            "editor.wordBasedSuggestions": "off", "editor.quickSuggestions": { "other": "off" },
        });
        let mut server = VscodeServer::start(place, &VscodeSetup { settings, ..VscodeSetup::default() });
        let window = server.open_window("main");
        Self { window, server }
    }

    /// Starts it with the model's script and a file of so many lines, which is opened.
    fn start_with_file(place: &BenchmarkHome, lines: usize) -> Self {
        let whole: String = (0..lines).map(|number| format!("line {number} of many\n")).collect();
        fs::write(place.path("a.txt"), whole).unwrap();
        let mut user = Self::start(place);
        user.window.open("a.txt");
        user
    }

    pub(super) fn ask(&mut self) {
        self.window.command("copydesk.ask", json!([{ "text": "Work" }]));
    }

    pub(super) fn wait_for_status(&mut self, text: &str) {
        self.window.wait_for(&mut self.server, ".statusbar-item", text);
    }

    /// Waits until the turn ends that writes now.
    pub(super) fn wait_for_end(&mut self) {
        let gone = json!({ "selector": ".statusbar-item", "text": "writing", "state": "detached" });
        self.window.user(&mut self.server, "wait", gone);
    }

    fn focus_editor(&mut self) {
        self.window.command("workbench.action.focusActiveEditorGroup", json!([]));
        let focused = json!({ "selector": ".editor-instance .monaco-editor.focused", "state": "attached" });
        self.window.user(&mut self.server, "wait", focused);
    }

    /// From the arrival of a key in the page until the condition, JavaScript, holds on the screen.
    fn time_press(&mut self, keys: &str, until: &str) -> Duration {
        let order = json!({ "keys": keys, "until": until });
        milliseconds(&self.window.user(&mut self.server, "timePress", order))
    }

    /// How long each of so many keys takes, from its arrival in the page until it is handled.
    fn time_keys(&mut self, keys: usize) -> Vec<Duration> {
        // So far apart that no key waits for the one before.
        let order = json!({ "text": "x".repeat(keys), "delay": 30 });
        let took = self.window.user(&mut self.server, "timeType", order);
        let took: Vec<_> = took.as_array().unwrap().iter().map(milliseconds).collect();
        assert_eq!(took.len(), keys, "every key is counted");
        took
    }

    /// Goes to the next hunk, and accepts it. Returns how long each took to be on the screen.
    fn decide_next(&mut self) -> (Duration, Duration) {
        let before = self.window.user(&mut self.server, "evaluate", json!({ "code": LINE_NUMBER }));
        // VS Code redraws the decorations of lines that come into view a little later than their text.
        let next = self.time_press("Alt+F5", &format!("{LINE_NUMBER} !== {before} && {MARKS_AT_CURSOR} > 0"));
        let decided = self.time_press("Control+Alt+Enter", &format!("{MARKS_AT_CURSOR} === 0"));
        (next, decided)
    }
}

/// Resolves when the page has nothing to do.
const IDLE: &str = "new Promise((resolve) => requestIdleCallback(() => resolve(true)))";
/// The line with the cursor.
const LINE_NUMBER: &str = "(document.querySelector('.part.editor .active-line-number')?.textContent ?? '')";
/// How many decorations of extensions that line has.
const MARKS_AT_CURSOR: &str = "(document.querySelector('.part.editor .view-overlays .current-line')?.parentElement.querySelectorAll('[class*=\"ced-\"]').length ?? -1)";

pub(super) fn milliseconds(value: &Value) -> Duration {
    Duration::from_secs_f64(value.as_f64().unwrap().max(0.0) / 1e3)
}

pub(super) fn median(mut samples: Vec<Duration>) -> Duration {
    samples.sort_unstable();
    samples[samples.len() / 2]
}

/// VS Code counts the loading of the code and the call of `activate`. Many extensions start at once, so the note has some of its own beside
/// ours.
fn activations() -> (Vec<Duration>, String) {
    const PEERS: [&str; 3] = ["Emmet", "Git", "Merge Conflict"];
    let place = BenchmarkHome::new(None);
    let mut user = TimedVscode::start(&place);
    let once = |_| {
        user.window.reload(&mut user.server);
        user.window.wait_until("vscode.extensions.getExtension('copydesk.copydesk').isActive", json!([]));
        user.window.command("workbench.action.showRuntimeExtensions", json!([]));
        user.window.wait_for(&mut user.server, ".runtime-extensions-editor .extension", "Copydesk");
        let rows = json!({ "selector": ".runtime-extensions-editor .extension" });
        let rows = user.window.user(&mut user.server, "texts", rows);
        let rows: Vec<_> = rows.as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let activation = |name: &str| {
            let row = rows.iter().find(|row| row.lines().any(|line| line == name))?;
            let took = row.split_once("ctivation: ")?.1.split_once("ms")?.0;
            took.parse().ok().map(Duration::from_millis)
        };
        let ours = activation("Copydesk").unwrap_or_else(|| panic!("{rows:?}"));
        (ours, PEERS.map(activation))
    };
    let (ours, peers): (Vec<_>, Vec<_>) = (0..ACTIVATIONS).map(once).unzip();
    let peer = |number: usize| {
        let took = median(peers.iter().filter_map(|peers| peers[number]).collect());
        format!("{} {} ms", PEERS[number], took.as_millis())
    };
    let beside = (0..PEERS.len()).map(peer).collect::<Vec<_>>().join(", ");
    (ours, format!("as VS Code itself counts it, beside {beside}"))
}

/// From the model's answer to the text in the document: in the active one, and in one behind it.
fn edits() -> [Vec<Duration>; 2] {
    let text =
        |number: usize| if number == 0 { "line 250 of many".to_owned() } else { format!("now {number}") };
    let edit = |number: usize| {
        let (old, new) = (format!("{}\n", text(number)), format!("{}\n", text(number + 1)));
        let arguments = json!({ "filePath": "a.txt", "oldString": old, "newString": new });
        ScriptedTurn::new().gate(format!("edit {number}")).call(format!("c{number}"), "edit", arguments)
    };
    let turn = |from: usize| (from..from + RUNS).map(edit).chain([ScriptedTurn::new().text("Done.")]);
    let server = ScriptedModelServer::start_with(turn(0).chain(turn(RUNS)));
    let place = BenchmarkHome::new(Some(&server));
    fs::write(place.path("b.txt"), "in front\n").unwrap();
    let mut user = TimedVscode::start_with_file(&place, 500);
    let watch = "T.state.changed = [];
        vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
            if (document === T.document('a.txt') && contentChanges.length > 0) T.state.changed.push(String(process.hrtime.bigint()));
        })";
    user.window.js(watch, json!([]));
    let mut first = 0;
    [None, Some("b.txt")].map(|front| {
        if let Some(front) = front {
            user.window.open(front);
        }
        user.ask();
        for edit in 0..RUNS {
            // The editor has drawn the edit before.
            user.window.wait_until("T.state.changed.length === args[0]", json!([edit]));
            user.window.user(&mut user.server, "evaluate", json!({ "code": IDLE }));
            server.open_gate(&format!("edit {}", first + edit));
        }
        first += RUNS;
        user.window.wait_until("T.state.changed.length === args[0]", json!([RUNS]));
        // Both clocks are the machine's monotonic clock; only their origins differ.
        let before = Instant::now();
        let there = nanoseconds(&user.window.js("return String(process.hrtime.bigint())", json!([])));
        let here = before + before.elapsed() / 2;
        let changed = user.window.js("return T.state.changed.splice(0)", json!([]));
        user.wait_for_status("to review");
        let answers: Vec<_> = (0..4 * RUNS).filter_map(|number| server.answer_time(number)).collect();
        let changed = changed.as_array().unwrap().iter();
        changed
            .map(|at| {
                let at = here - Duration::from_nanos(there - nanoseconds(at));
                // The model is asked again only after an edit, so the last answer before it is its own.
                at.duration_since(*answers.iter().filter(|answer| **answer <= at).max().unwrap())
            })
            .collect()
    })
}

/// A script that changes every tenth line of `a.txt`.
fn many_hunks() -> ScriptedModelServer {
    let arguments =
        json!({ "filePath": "a.txt", "oldString": "5 of", "newString": "5, of", "replaceAll": true });
    ScriptedModelServer::start_with([
        ScriptedTurn::new().call("c1", "edit", arguments),
        ScriptedTurn::new().text("Done."),
    ])
}

fn few_decisions() -> Vec<Duration> {
    let server = many_hunks();
    let place = BenchmarkHome::new(Some(&server));
    let mut user = TimedVscode::start_with_file(&place, 500);
    user.ask();
    user.wait_for_status("50 to review");
    user.focus_editor();
    (0..RUNS).map(|_| user.decide_next().1).collect()
}

fn thousand_hunks(table: &mut BenchmarkTable, name: &str) {
    const KEYS: usize = 100;
    let server = many_hunks();
    let place = BenchmarkHome::new(Some(&server));
    let mut user = TimedVscode::start_with_file(&place, 10_000);
    user.focus_editor();
    user.time_keys(KEYS);
    let without = median(user.time_keys(KEYS)).as_secs_f64() * 1e3;
    user.ask();
    user.wait_for_status("1000 to review");
    user.focus_editor();
    let keys = user.time_keys(KEYS);
    row(table, &format!("{name}: a keystroke"), keys, Some(16.0), &format!("without hunks {without:.1} ms"));
    let (next, decided) = (0..RUNS).map(|_| user.decide_next()).unzip();
    row(table, &format!("{name}: next hunk on screen"), next, Some(100.0), "from the key");
    row(table, &format!("{name}: decision on screen"), decided, Some(100.0), "from the key");
}

/// The median time of a keystroke while a turn streams into the conversation, minus the same without; and both.
fn streamed_keys() -> (Vec<Duration>, String) {
    const WORDS: usize = 8000;
    const KEYS: usize = 150;
    let stream =
        (0..WORDS).fold(ScriptedTurn::new(), |turn, word| turn.text("word ").gate(format!("g{word}")));
    let server = ScriptedModelServer::start_with([stream]);
    let place = BenchmarkHome::new(Some(&server));
    let mut user = TimedVscode::start_with_file(&place, 500);
    user.window.command("copydesk.showConversation", json!([]));
    user.focus_editor();
    user.time_keys(KEYS);
    let without = median(user.time_keys(KEYS));
    user.ask();
    user.wait_for_status("writing");
    user.focus_editor();
    let with = std::thread::scope(|scope| {
        scope.spawn(|| stream_words(&server, "g", WORDS));
        median(user.time_keys(KEYS))
    });
    user.wait_for_end();
    let [with_ms, without_ms] = [with, without].map(|time| time.as_secs_f64() * 1e3);
    (vec![with.saturating_sub(without)], format!("{with_ms:.1} instead of {without_ms:.1} ms"))
}

/// Opens the gate of one word per millisecond, faster than models. Waiting in a loop would take one of few processors from VS Code.
pub(super) fn stream_words(server: &ScriptedModelServer, gate: &str, words: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let mut pace = tokio::time::interval(Duration::from_millis(1));
        for word in 0..words {
            pace.tick().await;
            server.open_gate(&format!("{gate}{word}"));
        }
    });
}
