//! The totals of the truth bench in `README.md` are those of `tests/truth/RESULTS.md`.

use std::path::Path;

use super::text;

/// The numbers in a row of a table, without its first cell.
fn numbers(row: &str) -> Vec<usize> {
    row.split('|').skip(2).filter_map(|cell| cell.trim().trim_matches('*').parse().ok()).collect()
}

/// Edits, exact, incomplete, wrong or stale, unknown: the totals below a heading of the results.
fn totals(results: &str, heading: &str) -> Vec<usize> {
    let part = results.split("\n## ").find(|part| part.starts_with(heading)).expect(heading);
    let row = part.lines().find(|line| line.starts_with("| all ")).expect("a row of totals");
    let numbers = numbers(row);
    let [edits, exact, incomplete, stale, wrong, unknown, ..] = *numbers.as_slice() else { panic!("{row}") };
    vec![edits, exact, incomplete, wrong + stale, unknown]
}

#[test]
fn the_readme_has_the_totals_of_the_truth_bench() {
    let (readme, results) = (text(Path::new("README.md")), text(Path::new("tests/truth/RESULTS.md")));
    let row = |start: &str| readme.lines().find(|line| line.starts_with(start)).expect(start);
    let headless = row("| Copydesk, without an editor");
    let expected = totals(&results, "Headless");
    assert_eq!(numbers(headless), expected, "{headless}");
    let neovim = row("| Copydesk in Neovim");
    assert_eq!(numbers(neovim), totals(&results, "In Neovim"), "{neovim}");
    let played = results.split("Played on ").nth(1).and_then(|rest| rest.split('.').next()).unwrap();
    assert!(headless.contains(played), "the results are of {played}: {headless}");
    let sentence = format!("{} of {} are exact, {} are unknown", expected[1], expected[0], expected[4]);
    assert!(readme.contains(&sentence), "the summary says otherwise than: {sentence}");
}
