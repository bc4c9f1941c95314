//! The cost of questions about code: our own beside a server that responds at once, and the outline of a long file by its
//! syntax tree.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::language::{functions_of, lines_of};
use super::project::{BenchmarkProject, ScriptedCalls, to_end};
use super::table::BenchmarkTable;

const QUESTIONS: usize = 21;
/// Each of them starts a process.
const FIRST_OUTLINES: usize = 7;
const OUTLINE_FUNCTIONS: usize = 10_000 / 8;

pub(crate) fn measure(table: &mut BenchmarkTable) {
    let program =
        Path::new(env!("CARGO_BIN_EXE_copydesk")).with_file_name("examples").join("language_server");
    if program.exists() {
        for (name, places) in [("10 places", 10), ("1,000 places", 1000)] {
            over_server(table, &format!("lsp: over a server's answer of {name}"), &program, places);
        }
    }
    outline(table);
}

/// How much longer a question takes than a call that does nothing and the server's own answer together.
fn over_server(table: &mut BenchmarkTable, name: &str, program: &Path, places: usize) {
    if !table.includes_row(name) {
        return;
    }
    let turns = |call: &dyn Fn(usize) -> (&'static str, Value)| {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("script.json");
        std::fs::write(&script, json!({ "references": places }).to_string()).unwrap();
        let toy = json!({ "command": [program, script], "extensions": [".toy"] });
        let env = BenchmarkProject { folder: folder.path(), also: json!({ "lsp": { "toy": toy } }) };
        env.write("a.toy", &lines_of(2000));
        let mut took = to_end(&env.turns(&folder.path().join("project"), QUESTIONS, |turn| vec![call(turn)]));
        took.sort_unstable();
        took
    };
    let nothing = turns(&|turn| ("todoread", json!({ "turn": turn })));
    let nothing = nothing[nothing.len() / 2];
    // Each call differs, because the loop guard stops repeated identical calls.
    let question = |turn| {
        (
            "lsp",
            json!({ "operation": "findReferences", "filePath": "a.toy", "line": 1 + turn, "character": 4 }),
        )
    };
    let answer = server_answer(program, places);
    let more = turns(&question).into_iter().map(|took| took.saturating_sub(nothing + answer)).collect();
    let in_ms = |time: Duration| time.as_secs_f64() * 1e3;
    let note = format!(
        "beside {:.2} ms of a call that does nothing, {:.2} ms of the server",
        in_ms(nothing),
        in_ms(answer)
    );
    table.row(name, more, Some(Duration::from_millis(5)), note);
}

/// How long the server takes, from the question to its last byte: the median.
fn server_answer(program: &Path, places: usize) -> Duration {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.json");
    std::fs::write(&script, json!({ "references": places }).to_string()).unwrap();
    let mut server = Command::new(program);
    server.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = server.spawn().unwrap();
    let (mut input, mut output) =
        (server.stdin.take().unwrap(), BufReader::new(server.stdout.take().unwrap()));
    let mut ask = |method: &str, params: Value| {
        let asked = Instant::now();
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        write!(input, "Content-Length: {}\r\n\r\n{message}", message.len()).unwrap();
        let (mut header, mut length) = (String::new(), 0);
        while output.read_line(&mut header).unwrap() > 2 {
            length = header.trim_start_matches("Content-Length:").trim().parse().unwrap_or(length);
            header.clear();
        }
        output.read_exact(&mut vec![0; length]).unwrap();
        asked.elapsed()
    };
    ask("initialize", json!({ "capabilities": {} }));
    let place = json!({ "textDocument": { "uri": "file:///tmp/.tmp123456/project/a.toy" }, "position": { "line": 0, "character": 3 } });
    let mut took: Vec<_> = (0..QUESTIONS).map(|_| ask("textDocument/references", place.clone())).collect();
    took.sort_unstable();
    drop(input);
    let _ = server.kill();
    let _ = server.wait();
    took[took.len() / 2]
}

fn outline(table: &mut BenchmarkTable) {
    let symbols = || ("lsp", json!({ "operation": "documentSymbol", "filePath": "a.rs" }));
    let measured = |calls: &dyn Fn(usize) -> ScriptedCalls, count: usize| {
        let folder = tempfile::tempdir().unwrap();
        let env = BenchmarkProject { folder: folder.path(), also: json!({ "lsp": false }) };
        env.write("a.rs", &functions_of(OUTLINE_FUNCTIONS));
        to_end(&env.turns(&folder.path().join("project"), count, calls))
    };
    let first = "lsp: the outline of 10,000 lines, first";
    if table.includes_row(first) {
        let of_new_process = |call: &dyn Fn() -> (&'static str, Value)| {
            let mut took: Vec<_> = (0..FIRST_OUTLINES).map(|_| measured(&|_| vec![call()], 1)[0]).collect();
            took.sort_unstable();
            took
        };
        let nothing = of_new_process(&|| ("todoread", json!({})))[FIRST_OUTLINES / 2];
        let took = of_new_process(&symbols).into_iter().map(|took| took.saturating_sub(nothing)).collect();
        let note = format!(
            "the first turn of a process, beside {:.1} ms of one that does nothing",
            nothing.as_secs_f64() * 1e3
        );
        table.row(first, took, Some(Duration::from_millis(100)), note);
    }
    let again = "lsp: the outline of 10,000 lines, after an edit";
    if table.includes_row(again) {
        let edit = |turn: usize| {
            let name = |turn: usize| if turn == 0 { "f_600()".to_owned() } else { format!("g_{turn}()") };
            ("edit", json!({ "filePath": "a.rs", "oldString": name(turn), "newString": name(turn + 1) }))
        };
        let took =
            measured(&|turn| vec![if turn % 2 == 0 { edit(turn / 2) } else { symbols() }], 2 * QUESTIONS);
        let took = took.into_iter().skip(1).step_by(2).collect();
        table.row(again, took, Some(Duration::from_millis(20)), "the turn after the edit's".to_owned());
    }
}
