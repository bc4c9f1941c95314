use anstream::adapter::strip_str;
use copydesk_protocol::review::{HunkInfo, ReviewInfo, ReviewTimingInfo, WordDiffInfo};

use super::super::external_editor::CUT;
use super::context_lines::{HunkContext, around};
use super::edited_hunk::{HunkEditOutcome, read, written};
use super::render::{HunkPosition, TerminalSize, heading, lines};
use super::shorten_refusal;
use super::undecided_hunk::UndecidedHunk;
use crate::command::run::text_view::FileDiff;

fn hunk(line: u32, old: &[&str], new: &[&str]) -> HunkInfo {
    let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let count = |lines: &[&str]| u32::try_from(lines.len()).unwrap();
    HunkInfo {
        hunk: format!("1.{line}"),
        expected: "print".into(),
        line,
        old: owned(old),
        new: owned(new),
        old_cut: Vec::new(),
        new_cut: Vec::new(),
        old_lines: count(old),
        new_lines: count(new),
        words: Vec::new(),
        by: Vec::new(),
        edited: false,
        deciding: false,
        problems: Vec::new(),
    }
}

fn items(hunks: Vec<HunkInfo>) -> Vec<UndecidedHunk> {
    let review = ReviewInfo {
        review: "1".into(),
        uri: "file:///a.txt".into(),
        path: "a.txt".into(),
        when: ReviewTimingInfo::Before,
        ask: None,
        writing: false,
        expected: String::new(),
        file: None,
        total: u32::try_from(hunks.len()).unwrap(),
        hunks,
        additions: 0,
        deletions: 0,
    };
    UndecidedHunk::all(&[review])
}

fn item(hunk: HunkInfo) -> UndecidedHunk {
    items(vec![hunk]).remove(0)
}

/// Without our style marks.
fn plain(text: &str) -> String {
    let text = crate::terminal::unmarked(text);
    strip_str(&text).to_string()
}

fn one(diff: &str) -> FileDiff<'_> {
    FileDiff { path: None, diff }
}

const SIZE: TerminalSize = TerminalSize { rows: 40, columns: 40 };

#[test]
fn the_lines_around_a_hunk_are_those_of_the_diff() {
    let diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,7 +1,7 @@\n zero\n-one\n+ONE\n two\n three\n four\n-five\n+FIVE\n six\n@@ -20,2 +20,3 @@\n ten\n+--- a\n eleven\n";
    let items = items(vec![
        hunk(1, &["one"], &["ONE"]),
        hunk(5, &["five"], &["FIVE"]),
        hunk(20, &[], &["--- a"]),
        hunk(30, &["x"], &["y"]),
    ]);
    let around = around(&[one(diff)], &items);
    let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let expected =
        |before: &[&str], after: &[&str]| HunkContext { before: lines(before), after: lines(after) };
    assert_eq!(around["1.1"], expected(&["zero"], &["two", "three", "four"]));
    assert_eq!(around["1.5"], expected(&["two", "three", "four"], &["six"]));
    assert_eq!(around["1.20"], expected(&["ten"], &["eleven"]));
    assert_eq!(around.get("1.30"), None);
}

#[test]
fn of_several_files_the_lines_are_those_of_the_right_one() {
    let a = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n above\n-one\n+ONE\n below\n";
    let b = "--- a/b.txt\n+++ b/b.txt\n@@ -1,3 +1,3 @@\n other\n-one\n+ONE\n others\n";
    let diffs = [FileDiff { path: Some("b.txt"), diff: b }, FileDiff { path: Some("a.txt"), diff: a }];
    let around = around(&diffs, &items(vec![hunk(1, &["one"], &["ONE"])]));
    let lines = |line: &str| vec![line.to_owned()];
    assert_eq!(around["1.1"], HunkContext { before: lines("above"), after: lines("below") });
}

#[test]
fn around_lines_that_are_others_by_now_there_is_nothing() {
    let diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n zero\n-one\n+ONE\n two\n";
    assert!(around(&[one(diff)], &items(vec![hunk(1, &["1"], &["ONE"])])).is_empty());
    let new = "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,1 @@\n+one\n";
    assert_eq!(around(&[one(new)], &items(vec![hunk(0, &[], &["one"])]))["1.0"], HunkContext::default());
    for odd in ["", "@@", "@@ -", "@@ -x,y", "@@ -0,1 @@\n-a", "-a\n+b"] {
        assert!(around(&[one(odd)], &items(vec![hunk(0, &["a"], &["b"])])).is_empty(), "{odd}");
    }
}

#[test]
fn a_long_hunk_is_cut_to_the_window_and_both_sides_are_seen() {
    let many: Vec<_> = (0..100).map(|number| format!("line {number}")).collect();
    let many: Vec<_> = many.iter().map(String::as_str).collect();
    let size = TerminalSize { rows: 20, columns: 40 };
    let shown = plain(&lines(&item(hunk(0, &many, &many)), &HunkContext::default(), size));
    let shown: Vec<_> = shown.lines().collect();
    assert_eq!(shown.len(), 10, "{shown:?}");
    assert_eq!(shown[3..6], ["  -line 3", "  -… 96 more lines; p prints them", "  +line 0"]);
    // A side gets the rows that the other does not need.
    let shown = plain(&lines(&item(hunk(0, &["one"], &many)), &HunkContext::default(), size));
    assert_eq!(shown.lines().count(), 9, "{shown}");
    let all = TerminalSize { rows: usize::MAX, columns: 40 };
    assert_eq!(lines(&item(hunk(0, &many, &many)), &HunkContext::default(), all).lines().count(), 200);
}

#[test]
fn wide_lines_fit_and_words_are_bold() {
    let (old, new) = ("let count = \t日本語; // and much more that does not fit", "let tally = 1;");
    let mut hunk = hunk(9, &[old], &[new]);
    hunk.words = vec![WordDiffInfo { line: 0, old: vec![(4, 9)], new: vec![(4, 9)] }];
    let shown = crate::terminal::unmarked(&lines(&item(hunk), &HunkContext::default(), SIZE));
    let (red, bold, green) = ("\u{1b}[31m", "\u{1b}[1m", "\u{1b}[32m");
    assert!(shown.contains(&format!("{red}-let \u{1b}[0m{bold}{red}count\u{1b}[0m{red} = ")), "{shown:?}");
    assert!(shown.contains(&format!("{green}+let \u{1b}[0m{bold}{green}tally\u{1b}[0m")), "{shown:?}");
    let shown = strip_str(&shown).to_string();
    let first = shown.lines().next().unwrap();
    assert!(
        crate::terminal::columns_of(first) <= 40 && first.ends_with('…') && !first.contains('\t'),
        "{first}"
    );
    let title = plain(&heading(&item(self::hunk(9, &["a"], &[])), HunkPosition { number: 2, of: 4 }, SIZE));
    assert_eq!(title, "a.txt  hunk 2 of 4  line 10");
}

#[test]
fn what_comes_back_from_the_editor_is_read() {
    let item = item(hunk(3, &["old"], &["# new", "", "lines"]));
    let file = written(&item);
    assert!(file.starts_with(&format!("# new\n\nlines\n{CUT}\n# ")) && file.ends_with("# old\n"), "{file}");
    let text = |text: &str| HunkEditOutcome::Text(text.to_owned());
    let not = || HunkEditOutcome::Not("the saved text is empty".to_owned());
    for (saved, expected) in [
        (file.clone(), HunkEditOutcome::Same),
        (file.replace('\n', "\r\n"), HunkEditOutcome::Same),
        ("# new\n\nlines".to_owned(), HunkEditOutcome::Same),
        (file.replace("lines\n", "other\n"), text("# new\n\nother")),
        (file.replace("# new\n\nlines\n", "# only this\n"), text("# only this")),
        (file.replace("# new\n\nlines\n", ""), not()),
        (file.replace("# new\n\nlines\n", " \n\n"), not()),
        (String::new(), not()),
        (format!("{CUT}\n{file}"), text(&format!("{CUT}\n# new\n\nlines"))),
    ] {
        assert_eq!(read(&item, &saved), expected, "{saved}");
    }
    let deletion = self::item(hunk(3, &["old"], &[]));
    assert_eq!(read(&deletion, &written(&deletion)), HunkEditOutcome::Same);
}

#[test]
fn a_refusal_has_no_numbers_of_the_daemon() {
    assert_eq!(
        shorten_refusal("hunk 7 has changed since it was shown; it is now:\n-a\n+b"),
        "this hunk has changed since it was shown"
    );
    assert_eq!(
        shorten_refusal("hunk 7 is no longer there: it was kept"),
        "this hunk is no longer there: it was kept"
    );
    assert_eq!(
        shorten_refusal("`a.txt` has changed since it was shown; look at it again"),
        "`a.txt` has changed since it was shown; look at it again"
    );
    assert_eq!(shorten_refusal(""), "");
}
