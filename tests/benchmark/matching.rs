//! Matches edits in a large file: exact matches, matches that only the last tier finds, and the hunks of a patch.
//! Pure: no I/O.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use copydesk_text::patch::{parse, plan};
use copydesk_text::{MatchTier, replace};

use super::table::BenchmarkTable;

const LINES: usize = 100_000;
const HUNKS: usize = 200;
const RUNS: usize = 9;

pub(crate) fn measure(table: &mut BenchmarkTable) {
    let text: String = (0..LINES).map(line).collect();
    let first = LINES - 10;
    let block: String = (first..first + 4).map(line).collect();
    let new = |old: &str| old.replace(&format!("value_{}", first + 2), "other");
    if table.includes_row("edit, exact") {
        let samples = timed(|| replace(&text, &block, &new(&block), false).unwrap().tier, MatchTier::Exact);
        row(table, "edit, exact", 5, samples, "4 lines near the end of 100,000");
    }
    if table.includes_row("edit, last tier") {
        let old = block.replacen("compute", "computes", 1);
        let samples = timed(|| replace(&text, &old, &new(&old), false).unwrap().tier, MatchTier::Near);
        row(table, "edit, last tier", 100, samples, "the same with a letter too many in the first");
    }
    if table.includes_row("apply_patch") {
        let source = patch();
        let steps = || plan(&parse(&source).unwrap(), |_| Some(text.as_str())).unwrap().len();
        let samples = timed(steps, 1);
        row(table, "apply_patch", 50, samples, "200 hunks in 100,000 lines: read, and their places found");
    }
}

fn row(table: &mut BenchmarkTable, name: &str, budget: u64, samples: Vec<Duration>, note: &str) {
    table.row(name, samples, Some(Duration::from_millis(budget)), note.to_owned());
}

/// Times some runs, each of which must return the expected value.
fn timed<T: PartialEq + std::fmt::Debug>(run: impl Fn() -> T, expected: T) -> Vec<Duration> {
    let once = |_| {
        let start = Instant::now();
        let found = black_box(run());
        let took = start.elapsed();
        assert_eq!(found, expected);
        took
    };
    (0..RUNS).map(once).collect()
}

/// Like code: many lines begin alike, and no two are equal.
fn line(number: usize) -> String {
    format!("    let value_{number} = compute({number}, \"item\");\n")
}

fn patch() -> String {
    let mut patch = "*** Begin Patch\n*** Update File: a.rs\n".to_owned();
    for hunk in 0..HUNKS {
        let first = hunk * (LINES / HUNKS) + 7;
        let _ = write!(patch, "@@\n {} {} {}", line(first), line(first + 1), line(first + 2));
        let _ = write!(patch, "-{}+    changed({hunk});\n {}", line(first + 3), line(first + 4));
    }
    patch + "*** End Patch\n"
}
