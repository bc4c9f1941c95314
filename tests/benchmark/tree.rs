//! A tree of 50,000 small files, and ripgrep on it for comparison.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) const RARE: &str = "quicksilver";
pub(crate) const COMMON: &str = "compute";

const FOLDERS: usize = 500;
const FILES: usize = 100;
const RUNS: usize = 4;

pub(crate) fn create_tree(place: &Path) {
    let text =
        "fn part(input: &Input) -> Output {\n    compute(input, \"options\") // and so on\n}\n".repeat(8);
    for folder in 0..FOLDERS {
        let path = place.join(format!("area{}/part{folder}", folder % 20));
        fs::create_dir_all(&path).unwrap();
        for file in 0..FILES {
            let name = if file == 0 { "Makefile".to_owned() } else { format!("file{file}.rs") };
            fs::write(path.join(name), &text).unwrap();
        }
    }
    fs::write(place.join("area7/part7/file7.rs"), format!("{text}fn {RARE}() {{}}\n")).unwrap();
}

/// Empty if it is not installed.
pub(crate) fn ripgrep(place: &Path, arguments: &[&str]) -> Vec<Duration> {
    let once = |_| {
        let start = Instant::now();
        let mut command = Command::new("rg");
        command.args(arguments).arg("./").current_dir(place).stdin(Stdio::null()).stdout(Stdio::null());
        command.status().ok().map(|_| start.elapsed())
    };
    (0..RUNS).filter_map(once).collect()
}
