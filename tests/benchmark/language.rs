//! The cost of diagnostics: edits with a diagnostics source, beside the same edits without one.
//!
//! The scripted language server responds at once, so that the rest is our cost, plus the server's own work and two trips through
//! a pipe.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::project::{BenchmarkProject, to_end};
use super::table::BenchmarkTable;

const EDITS: usize = 21;

pub(crate) fn measure(table: &mut BenchmarkTable) {
    let program =
        Path::new(env!("CARGO_BIN_EXE_copydesk")).with_file_name("examples").join("language_server");
    if program.exists() {
        let served = |script: Value| DiagnosticsBackend::Server { program: &program, script };
        let (asked, many) = (
            served(json!({ "pull": true, "push": "never" })),
            served(json!({ "pull": true, "push": "never", "more": 10_000 })),
        );
        let toy = |lines: usize| BenchmarkFile { name: "a.toy", text: lines_of(lines), functions: lines };
        measure_overhead(table, "language: over a server's answer, asked", Some(5), &toy(100), &asked);
        measure_overhead(
            table,
            "language: over a server's answer, published",
            Some(5),
            &toy(100),
            &served(json!({})),
        );
        measure_overhead(table, "language: 10,000 diagnostics", Some(50), &toy(10_000), &many);
        memory(table, &served(json!({})));
    } else {
        table.remark(
            "rows of language servers are left out: `cargo build --release --package copydesk --example language_server` first",
        );
    }
    let rust = |text: String, functions: usize| BenchmarkFile { name: "a.rs", text, functions };
    let usual = rust(functions_of(10_000 / 8), 10_000 / 8);
    measure_overhead(
        table,
        "language: a grammar reads 10,000 lines again",
        Some(10),
        &usual,
        &DiagnosticsBackend::Grammar,
    );
    // The worst case for reparsing: as many siblings as there are lines.
    let flat = rust(lines_of(10_000), 10_000);
    measure_overhead(
        table,
        "language: the same, each line a function",
        None,
        &flat,
        &DiagnosticsBackend::Grammar,
    );
}

/// The file to edit, in its middle.
struct BenchmarkFile {
    name: &'static str,
    text: String,
    /// The number of functions, named `f_0` and so on.
    functions: usize,
}

/// The source that is asked about an edit.
enum DiagnosticsBackend<'a> {
    Nobody,
    Grammar,
    Server { program: &'a Path, script: Value },
}

impl DiagnosticsBackend<'_> {
    fn config(&self, folder: &Path) -> Value {
        match self {
            Self::Nobody => json!({ "lsp": false, "diagnostics": { "enabled": false } }),
            Self::Grammar => json!({ "lsp": false, "diagnostics": { "sources": ["syntax"] } }),
            Self::Server { program, script } => {
                let path = folder.join("script.json");
                std::fs::write(&path, script.to_string()).unwrap();
                let toy = json!({ "command": [program, path], "extensions": [".toy"] });
                json!({ "lsp": { "toy": toy }, "diagnostics": { "sources": ["servers"] } })
            }
        }
    }
}

/// A row: how much longer an edit takes with a source.
fn measure_overhead(
    table: &mut BenchmarkTable,
    name: &str,
    budget: Option<u64>,
    file: &BenchmarkFile,
    asked: &DiagnosticsBackend<'_>,
) {
    if !table.includes_row(name) {
        return;
    }
    let alone = edits(file, &DiagnosticsBackend::Nobody);
    let alone = alone[alone.len() / 2];
    let more = edits(file, asked).into_iter().map(|took| took.saturating_sub(alone)).collect();
    let note = format!("beside {:.2} ms of the edit itself", alone.as_secs_f64() * 1e3);
    table.row(name, more, budget.map(Duration::from_millis), note);
}

/// How long edits of one line take, the shortest first.
fn edits(file: &BenchmarkFile, asked: &DiagnosticsBackend<'_>) -> Vec<Duration> {
    let folder = tempfile::tempdir().unwrap();
    let env = BenchmarkProject { folder: folder.path(), also: asked.config(folder.path()) };
    env.write(file.name, &file.text);
    let took = env.turns(&folder.path().join("project"), EDITS, |turn| vec![edit(file, turn)]);
    let mut took = to_end(&took);
    took.sort_unstable();
    took
}

/// One function per line.
pub(crate) fn lines_of(lines: usize) -> String {
    (0..lines).map(|number| format!("fn f_{number}() -> usize {{ {number} }}\n")).collect()
}

/// Eight lines per function, as people write them.
pub(crate) fn functions_of(functions: usize) -> String {
    let one = |number: usize| {
        format!(
            "/// Doc {number}.\nfn f_{number}() -> Result<u32, String> {{\n    let value = compute({number}, \"item\")?;\n    if value > 3 {{\n        \
             return Err(format!(\"bad {{value}}\"));\n    }}\n    Ok(value)\n}}\n"
        )
    };
    (0..functions).map(one).collect()
}

fn edit(file: &BenchmarkFile, turn: usize) -> (&'static str, Value) {
    let middle = file.functions / 2;
    let name = |turn: usize| if turn == 0 { format!("f_{middle}()") } else { format!("g_{turn}()") };
    ("edit", json!({ "filePath": file.name, "oldString": name(turn), "newString": name(turn + 1) }))
}

/// How much resident memory a running server adds to the daemon.
fn memory(table: &mut BenchmarkTable, asked: &DiagnosticsBackend<'_>) {
    let name = "language: memory of an idle pool";
    if !table.includes_row(name) {
        return;
    }
    let resident = |asked: &DiagnosticsBackend<'_>| {
        let folder = tempfile::tempdir().unwrap();
        let env = BenchmarkProject { folder: folder.path(), also: asked.config(folder.path()) };
        let toy = BenchmarkFile { name: "a.toy", text: lines_of(2000), functions: 2000 };
        env.write(toy.name, &toy.text);
        env.resident(5, |turn| vec![edit(&toy, turn)])
    };
    match (resident(&DiagnosticsBackend::Nobody), resident(asked)) {
        (Some((alone, _)), Some((pool, _))) => {
            let verdict = if pool - alone <= 5.0 { "ok" } else { "OVER" };
            table.remark(&format!("{name}: {:.1} MB more of 5 {verdict}, {pool:.1} MB in all", pool - alone));
        }
        _ => table.remark(&format!("{name} is left out: this system has no /proc")),
    }
}
