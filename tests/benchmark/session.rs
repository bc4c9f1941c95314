//! The cost of a session: the built binary against the scripted server.
//!
//! A tool turn runs from the beginning of the last write of the model's answer to the arrival of the next request. Most of
//! it is often the disk: `fdatasync` is measured beside it, on the disk that holds the sessions.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::project::{BenchmarkProject, ScriptedCalls, TurnTiming, to_end};
use super::table::BenchmarkTable;
use super::tree;
use crate::shared::model_server::{ScriptedModelServer, ScriptedTurn};

/// Tool turns per row, all in one process.
const RUNS: usize = 21;

const fn ms(milliseconds: u64) -> Option<Duration> {
    Some(Duration::from_millis(milliseconds))
}

pub(crate) fn measure(table: &mut BenchmarkTable) {
    let folder = tempfile::tempdir().unwrap();
    let env = BenchmarkProject { folder: folder.path(), also: json!({}) };
    env.sync_row(table);
    env.start_row(table);
    let line = "    let value = compute(&input, \"options\")?; // and so on\n";
    env.write("lines.rs", &line.repeat(2000));
    env.write("large.rs", &(0..100_000).map(|number| format!("line {number} of many\n")).collect::<String>());
    for number in 0..20 {
        env.write(&format!("part{number}.rs"), &line.repeat(40));
    }
    // Each call differs, because the loop guard stops repeated identical calls.
    let read = |path: String, turn| ("read", json!({ "filePath": path, "limit": 2000 + turn }));
    env.row(table, "session: read of 2,000 lines", ms(5), |turn| vec![read("lines.rs".into(), turn)]);
    env.row(table, "session: bash true", ms(5), |turn| {
        vec![("bash", json!({ "command": "true", "description": format!("Nothing, {turn}") }))]
    });
    if Path::new("/usr/bin/bwrap").exists() {
        let sandboxed = BenchmarkProject { folder: folder.path(), also: json!({ "sandbox": "require" }) };
        let nothing =
            |turn| vec![("bash", json!({ "command": "true", "description": format!("Nothing, {turn}") }))];
        sandboxed.row(table, "session: bash true in the sandbox", ms(15), nothing);
        let name = "session: bash true in the sandbox, 4,000 folders";
        if table.includes_row(name) {
            let large = folder.path().join("large");
            (0..4000).for_each(|number| {
                fs::create_dir_all(large.join(format!("{}/{}/{number}", number % 20, number % 200))).unwrap();
            });
            // The first commands come before the folders are old enough to be remembered.
            let turns = sandboxed.turns(&large, 2 * RUNS, |turn| match turn {
                0 => vec![("bash", json!({ "command": "sleep 4", "description": "Wait" }))],
                _ => nothing(turn),
            });
            table.row(
                name,
                to_end(&turns).split_off(RUNS),
                ms(25),
                "4,221 of them, searched twice".to_owned(),
            );
        }
    }
    env.row(table, "session: 20 reads in one step", ms(8), |turn| {
        (0..20).map(|number| read(format!("part{number}.rs"), turn)).collect()
    });
    env.row(table, "session: edit of one line in 100,000", ms(15), |turn| {
        let old =
            if turn == 0 { "line 50000 of many".to_owned() } else { format!("now {} of many", turn - 1) };
        let new = format!("now {turn} of many");
        vec![("edit", json!({ "filePath": "large.rs", "oldString": old, "newString": new }))]
    });
    env.long_rows(table);
    env.memory_rows(table);
    search_rows(table, &env);
}

impl BenchmarkProject<'_> {
    fn row(
        &self,
        table: &mut BenchmarkTable,
        name: &str,
        budget: Option<Duration>,
        calls: impl Fn(usize) -> ScriptedCalls,
    ) {
        if table.includes_row(name) {
            let samples = self.turns(&self.folder.join("project"), RUNS, calls);
            table.row(name, to_end(&samples), budget, String::new());
        }
    }

    fn sync_row(&self, table: &mut BenchmarkTable) {
        let name = "session: one fdatasync of the disk";
        if table.includes_row(name) {
            let mut file = fs::File::create(self.folder.join("synced")).unwrap();
            let once = |_| {
                file.write_all(&[b'x'; 4096]).unwrap();
                let start = Instant::now();
                file.sync_data().unwrap();
                start.elapsed()
            };
            table.row(name, (0..RUNS).map(once).collect(), None, "what each commit waits for".to_owned());
        }
    }

    fn start_row(&self, table: &mut BenchmarkTable) {
        let name = "session: start of run to its first request";
        if !table.includes_row(name) {
            return;
        }
        let once = |_| {
            let server = ScriptedModelServer::start_with([ScriptedTurn::new().text("Done.")]);
            let start = Instant::now();
            assert!(self.spawn(&server, &self.folder.join("project")).wait().unwrap().success());
            server.requests()[0].arrived.duration_since(start)
        };
        table.row(name, (0..RUNS).map(once).collect(), ms(40), String::new());
    }

    /// The cost beyond the bytes: to the head of the next request, which is sent once the request is written and before
    /// its bytes travel. `history` measures the writing.
    fn long_rows(&self, table: &mut BenchmarkTable) {
        let name = "session: turns 2 to 21 of 200";
        if !table.includes_row(name) {
            return;
        }
        let calls = |turn| vec![("read", json!({ "filePath": "part1.rs", "limit": 40 + turn }))];
        let all = self.turns(&self.folder.join("project"), 200, calls);
        let to_head = |turns: &[TurnTiming]| turns.iter().map(|turn| turn.to_head).collect();
        table.row(
            name,
            to_head(&all[1..21]),
            None,
            "read of 40 lines, to the next request's head".to_owned(),
        );
        let kilobytes = |turns: &[TurnTiming]| format!("{} kB", turns[turns.len() / 2].bytes / 1000);
        let last = &all[180..];
        table.row("session: turns 181 to 200 of 200", to_head(last), None, kilobytes(last));
        table.row("session: the same, to its last byte", to_end(last), None, String::new());
        // The first turn here has as many bytes, so that the difference to later turns is the cost of turns, not of bytes.
        let of_one = |number| ("read", json!({ "filePath": "lines.rs", "offset": 1 + number, "limit": 380 }));
        let once = self.turns(&self.folder.join("project"), 21, |turn| match turn {
            0 => (0..20).map(of_one).collect(),
            _ => calls(turn),
        });
        let few = &once[1..];
        table.row("session: turns 2 to 21 of 21, with as many bytes", to_head(few), None, kilobytes(few));
    }

    fn memory_rows(&self, table: &mut BenchmarkTable) {
        let name = "session: resident memory";
        if !table.includes_row(name) {
            return;
        }
        let read = |turn| vec![("read", json!({ "filePath": "lines.rs", "limit": 2000 + turn }))];
        match self.resident(5, read) {
            Some((now, most)) => {
                let verdict = if now <= 25.0 { "ok" } else { "OVER" };
                table.remark(&format!(
                    "{name} while it waits for the model, after 5 reads of 2,000 lines: {now:.1} MB of 25 {verdict}; at most: {most:.1} MB",
                ));
            }
            None => table.remark(&format!("{name} is left out: this system has no /proc")),
        }
    }
}

/// Name, budget in milliseconds, call, and the arguments of ripgrep.
type SearchRow<'a> = (&'a str, u64, (&'static str, Value), &'a [&'a str]);

fn search_rows(table: &mut BenchmarkTable, env: &BenchmarkProject<'_>) {
    let grep = |word: &str| ("grep", json!({ "pattern": word }));
    let references = json!({ "operation": "findReferences", "symbol": tree::RARE });
    let rows: [SearchRow<'_>; 4] = [
        ("grep, rare word", 50, grep(tree::RARE), &["-n", tree::RARE]),
        ("grep, common word (ours stops early)", 50, grep(tree::COMMON), &["-n", tree::COMMON]),
        (
            "glob **/Makefile",
            10,
            ("glob", json!({ "pattern": "**/Makefile" })),
            &["--files", "-g", "**/Makefile"],
        ),
        ("lsp findReferences by syntax trees", 100, ("lsp", references), &["-n", tree::RARE]),
    ];
    let name = |what: &str| format!("session: {what}, 50,000 files");
    if !rows.iter().any(|(what, ..)| table.includes_row(&name(what))) {
        return;
    }
    let place = env.folder.join("tree");
    tree::create_tree(&place);
    // The first search walks, and begins the index, which is ready after some seconds.
    let wait = "sleep 6";
    let before =
        ScriptedCalls::from([grep(tree::RARE), ("bash", json!({ "command": wait, "description": "Wait" }))]);
    for (what, budget, call, arguments) in rows {
        if !table.includes_row(&name(what)) {
            continue;
        }
        let mut peer = tree::ripgrep(&place, arguments);
        let turns = env.turns(&place, 9, |turn| vec![before.get(turn).unwrap_or(&call).clone()]);
        let samples = to_end(&turns).split_off(before.len());
        peer.extend(tree::ripgrep(&place, arguments));
        peer.sort_unstable();
        let beside = peer.get(peer.len() / 2);
        let note = beside.map_or("rg is not installed".to_owned(), |rg| {
            format!("rg {:.2} ms; through the index", rg.as_secs_f64() * 1e3)
        });
        table.row(&name(what), samples, Some(Duration::from_millis(budget)), note);
    }
}
