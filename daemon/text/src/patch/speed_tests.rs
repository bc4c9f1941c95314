//! Measures patches. Prints, asserts nothing: `cargo test --release -p copydesk-text -- --ignored --nocapture
//! speed`.

use std::time::Instant;

use super::{parse, plan};

const LINES: usize = 100_000;
const HUNKS: usize = 200;
const ROUNDS: u32 = 20;

fn line(number: usize) -> String {
    match number % 10 {
        0 => format!("fn f{number}() {{"),
        9 => "}".to_owned(),
        5 => String::new(),
        n => format!("    let value_{n} = compute({}, \"text\"); // {}", number / 7, number % 50),
    }
}

/// A patch with three context lines around each change, with headers and lines written by the functions.
fn patch(header: fn(usize) -> String, write: fn(String) -> String) -> String {
    let mut patch = "*** Begin Patch\n*** Update File: f\n".to_owned();
    for first in (0..HUNKS).map(|hunk| hunk * (LINES / HUNKS) + 10) {
        patch += &format!("@@{}\n", header(first));
        for number in first + 1..first + 8 {
            let sign = if number == first + 4 { '-' } else { ' ' };
            patch += &format!("{sign}{}\n", write(line(number)));
            if sign == '-' {
                patch += &format!("+{}\n", write("    changed".to_owned()));
            }
        }
    }
    patch + "*** End Patch\n"
}

#[test]
#[ignore = "prints figures of this machine"]
fn speed_of_a_patch() {
    let text: String = (0..LINES).map(|number| line(number) + "\n").collect();
    let none: fn(usize) -> String = |_| String::new();
    let same: fn(String) -> String = |line| line;
    let indented: fn(String) -> String = |line| line.trim_start().to_owned();
    let quoted: fn(String) -> String = |line| line.replace('"', "\u{201c}");
    for (name, patch, fits) in [
        ("exact", patch(none, same), true),
        ("blanks at line ends", patch(none, |line| line + " "), true),
        ("other indentation", patch(none, indented), true),
        ("other quotes", patch(none, quoted), true),
        ("headers", patch(|first| format!(" {}", line(first)), same), true),
        ("parts of headers", patch(|first| format!(" fn f{first}("), same), true),
        ("nothing fits", patch(none, |line| line + "z"), false),
    ] {
        let start = Instant::now();
        for _ in 0..ROUNDS {
            let planned = parse(&patch).and_then(|patch| plan(&patch, |_| Some(&text)));
            assert_eq!(planned.is_ok(), fits, "{name}");
        }
        println!("{HUNKS} hunks in {LINES} lines, {name}: {:?}", start.elapsed() / ROUNDS);
    }
}
