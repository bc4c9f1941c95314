//! What one session costs beside others and after a long past: CPU time of the daemon, and its memory.
//!
//! No cost of one session may grow with another's reviews, nor with the number of its own messages beyond their bytes.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::json;

use super::editor::{BenchmarkEditor, BenchmarkHome, memory, memory_remark, resident_megabytes};
use super::table::BenchmarkTable;
use crate::shared::model_server::{ScriptedModelServer, ScriptedTurn};

pub(crate) fn measure(table: &mut BenchmarkTable) {
    edits_beside_reviews(table);
    prompts_after_prompts(table);
    steps_of_large_requests(table);
    streamed_chunks(table);
    open_sessions(table);
}

/// A daemon with a scripted model and one editor.
struct SessionBench {
    server: ScriptedModelServer,
    home: BenchmarkHome,
    editor: BenchmarkEditor,
    pid: u64,
}

impl SessionBench {
    fn start() -> Self {
        let server = ScriptedModelServer::start();
        let home = BenchmarkHome::new(Some(&server));
        let (mut editor, _) = BenchmarkEditor::start(&home);
        let pid = editor.pid();
        Self { server, home, editor, pid }
    }

    fn new_session(&mut self) -> String {
        let folder = self.home.path("").canonicalize().unwrap();
        let made = self.editor.ask("copydesk/session/new", json!({ "folder": folder }));
        let id = made["session"]["id"].as_str().unwrap().to_owned();
        self.editor.ask("copydesk/session/load", json!({ "session": id }));
        id
    }

    /// Plays one turn to its end; returns how much CPU time the daemon took, and how long it lasted.
    fn play(&mut self, session: &str, steps: impl IntoIterator<Item = ScriptedTurn>) -> (Duration, Duration) {
        steps.into_iter().for_each(|step| self.server.queue_turn(step));
        let (cpu, start) = (self.cpu_time(), Instant::now());
        self.editor.run_turn(session, "Work");
        (self.cpu_time().saturating_sub(cpu), start.elapsed())
    }

    /// Of all threads; the clock of processes counts only hundredths of a second.
    fn cpu_time(&self) -> Duration {
        let threads = fs::read_dir(format!("/proc/{}/task", self.pid)).into_iter().flatten().flatten();
        let of_thread = |thread: fs::DirEntry| {
            let line = fs::read_to_string(thread.path().join("schedstat")).unwrap_or_default();
            line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
        };
        Duration::from_nanos(threads.map(of_thread).sum())
    }
}

fn call(name: &str, arguments: serde_json::Value) -> [ScriptedTurn; 2] {
    [ScriptedTurn::new().call("c1", name, arguments), ScriptedTurn::new().text("Done.")]
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1e3)
}

/// Six sessions edit one file by turns, and nobody decides.
fn edits_beside_reviews(table: &mut BenchmarkTable) {
    let name = "sessions: the last of 24 edits of one file by six sessions (CPU)";
    if !table.includes_row(name) {
        return;
    }
    let mut bench = SessionBench::start();
    let text: String = (0..500).map(|number| format!("line {number} of the file\n")).collect();
    fs::write(bench.home.path("a.txt"), text).unwrap();
    let sessions: Vec<String> = (0..6).map(|_| bench.new_session()).collect();
    let mut taken = Vec::new();
    for edit in 0..24 {
        let line = 7 + edit * 20;
        let arguments = json!({ "filePath": "a.txt", "oldString": format!("line {line} of"), "newString": format!("edit {line} of") });
        let read =
            ScriptedTurn::new().call("r1", "read", json!({ "filePath": "a.txt", "limit": 500 + edit }));
        let session = &sessions[edit % 6];
        taken.push(bench.play(session, [read].into_iter().chain(call("edit", arguments))).0);
    }
    let (bash, _) =
        bench.play(&sessions[0], call("bash", json!({ "command": "true", "description": "nothing" })));
    let note = format!(
        "the first six {} ms, `bash true` after them {} ms",
        milliseconds(taken[..6].iter().sum::<Duration>() / 6),
        milliseconds(bash)
    );
    table.row(name, taken[18..].to_vec(), Some(Duration::from_millis(20)), note);
    memory(table, "sessions: memory after them", bench.pid, "VmRSS", 60.0, "");
}

fn prompts_after_prompts(table: &mut BenchmarkTable) {
    let name = "sessions: a prompt after 1,000 short prompts (CPU)";
    if !table.includes_row(name) {
        return;
    }
    let mut bench = SessionBench::start();
    let session = bench.new_session();
    let mut taken = Vec::new();
    for _ in 0..1_000 {
        taken.push(bench.play(&session, [ScriptedTurn::new().text("Done.")]).0);
    }
    let mut first = taken[10..60].to_vec();
    first.sort_unstable();
    let note = format!("of the first 50: {} ms", milliseconds(first[25]));
    table.row(name, taken[950..].to_vec(), None, note);
}

fn steps_of_large_requests(table: &mut BenchmarkTable) {
    let name = "sessions: a step with a request of 10 MB (CPU)";
    if !table.includes_row(name) {
        return;
    }
    let mut bench = SessionBench::start();
    let session = bench.new_session();
    fs::write(
        bench.home.path("a.txt"),
        "a line of the file that is read, and no more than that\n".repeat(800),
    )
    .unwrap();
    // As many results as make ten megabytes.
    let read =
        |limit: usize| ScriptedTurn::new().call("r1", "read", json!({ "filePath": "a.txt", "limit": limit }));
    bench.play(
        &session,
        (0..220).map(|number| read(700 + number % 100)).chain([ScriptedTurn::new().text("Done.")]),
    );
    let bytes = bench.server.requests().last().map_or(0, |request| request.body.to_string().len());
    let samples = (0..7)
        .map(|number| {
            bench.play(&session, call("glob", json!({ "pattern": format!("*{number}.txt") }))).0 / 2
        })
        .collect();
    table.row(name, samples, None, format!("{:.1} MB, half of a turn of two requests", bytes as f64 / 1e6));
}

fn streamed_chunks(table: &mut BenchmarkTable) {
    let name = "sessions: 20,000 streamed chunks to an editor (CPU)";
    if !table.includes_row(name) {
        return;
    }
    let mut bench = SessionBench::start();
    let session = bench.new_session();
    let turn = || ScriptedTurn::new().text("abcd".repeat(20_000)).chunk(4).one_write_per_event(true);
    let samples = (0..5).map(|_| bench.play(&session, [turn()]).0).collect();
    table.row(name, samples, Some(Duration::from_millis(200)), "the whole daemon".to_owned());
}

/// Each has read and edited a file that a language server checks, and has had a subagent.
fn open_sessions(table: &mut BenchmarkTable) {
    let name = "sessions: memory, 100 of them after a turn each";
    if !table.includes_row(name) {
        return;
    }
    let mut bench = SessionBench::start();
    let server = std::path::Path::new(env!("CARGO_BIN_EXE_copydesk"))
        .with_file_name("examples")
        .join("language_server");
    let script = bench.home.path("script.json");
    fs::write(&script, json!({ "pull": true, "push": "never" }).to_string()).unwrap();
    let toy = json!({ "command": [server, script], "extensions": [".toy"] });
    fs::write(bench.home.path("copydesk.jsonc"), json!({ "lsp": { "toy": toy } }).to_string()).unwrap();
    for number in 0..100 {
        let file = format!("{number}.toy");
        fs::write(bench.home.path(&file), "a line of the file that is read\n".repeat(40)).unwrap();
        let session = bench.new_session();
        let step = |name: &str, arguments| ScriptedTurn::new().call("c1", name, arguments);
        let look = json!({ "description": "Look", "prompt": "Look", "subagent_type": "explore" });
        let edit =
            json!({ "filePath": file, "oldString": "a line", "newString": "one line", "replaceAll": true });
        bench.play(
            &session,
            [
                step("task", look),
                ScriptedTurn::new().text("Looked."),
                step("read", json!({ "filePath": file })),
                step("edit", edit),
                ScriptedTurn::new().text("Done."),
            ],
        );
    }
    let processes = descendants(bench.pid);
    let note = format!("all open in an editor; {} processes, a language server among them", processes.len());
    let used = processes.iter().filter_map(|pid| resident_megabytes(*pid, "VmRSS")).sum();
    memory_remark(table, name, Some(used), 200.0, &note);
}

/// A process with all that it started, and they.
fn descendants(pid: u64) -> Vec<u64> {
    let parent =
        |status: &str| status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse::<u64>().ok();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let parents: Vec<(u64, u64)> = processes
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            Some((pid, parent(&fs::read_to_string(entry.path().join("status")).ok()?)?))
        })
        .collect();
    let mut found = vec![pid];
    let mut at = 0;
    while let Some(above) = found.get(at).copied() {
        found.extend(parents.iter().filter(|(_, parent)| *parent == above).map(|(pid, _)| *pid));
        at += 1;
    }
    found
}
