//! The start of the process, to the first answer.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::table::BenchmarkTable;

const RUNS: usize = 21;

pub(crate) fn measure(table: &mut BenchmarkTable) {
    let home = std::env::temp_dir().join(format!("copydesk-benchmark-{}", std::process::id()));
    std::fs::create_dir_all(&home).unwrap();
    for (name, arguments) in
        [("start: --version", &["--version"][..]), ("start: models --json", &["models", "--json"][..])]
    {
        if table.includes_row(name) {
            let size = std::fs::metadata(env!("CARGO_BIN_EXE_copydesk")).unwrap().len();
            let note = format!("binary of {:.1} MB", size as f64 / 1e6);
            let samples = (0..RUNS).map(|_| run(&home, arguments)).collect();
            table.row(name, samples, None, note);
        }
    }
    let _ = std::fs::remove_dir_all(&home);
}

fn run(home: &std::path::Path, arguments: &[&str]) -> Duration {
    let mut command = Command::new(env!("CARGO_BIN_EXE_copydesk"));
    command.args(arguments).env("HOME", home).current_dir(home).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    assert!(command.status().unwrap().success());
    start.elapsed()
}
