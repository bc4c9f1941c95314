//! Edits of real files with the mistakes of models: extra blanks, line numbers, misremembered words. The
//! result must be the intended edit or a rejection.
//!
//! A wrong edit always fails the test. For distortions that the tiers are meant to handle, the share of right
//! edits has a floor; `--nocapture` shows all counts.

use std::collections::BTreeMap;

use super::{MatchTier, replace};
use crate::{TruncateLimits, diff};

/// Copies, so that rewriting the originals does not shift the floors.
const FILES: [(&str, usize, &str); 7] = [
    ("diff.rs", 4, include_str!("samples/diff.rs.txt")),
    ("cluster.rs", 4, include_str!("samples/cluster.rs.txt")),
    ("document.rs", 4, include_str!("samples/document.rs.txt")),
    ("client.lua", 2, include_str!("samples/client.lua.txt")),
    ("chat.lua", 2, include_str!("samples/chat.lua.txt")),
    ("architecture.md", 2, include_str!("samples/architecture.md.txt")),
    ("wildcard.json", 2, include_str!("samples/wildcard.json.txt")),
];

/// A line of the new text: an old one or a new one.
#[derive(Clone)]
enum NewLine {
    Kept(usize),
    Written(String),
}

/// The intended edit: lines of the file and their replacement.
#[derive(Clone)]
struct IntendedEdit {
    first: usize,
    old: Vec<String>,
    new: Vec<NewLine>,
    /// The number of spaces of one level.
    level: usize,
}

struct TestRandom(u64);

impl TestRandom {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

/// The distorted old and new text; `None` if there is nothing to distort.
type Distortion = fn(&IntendedEdit, &mut TestRandom) -> Option<(String, String)>;

/// With the minimum share of right edits, in percent.
const DISTORTIONS: [(&str, usize, Distortion); 23] = [
    ("nothing", 99, |meant, _| Some(texts(meant, |_, line| line.to_owned()))),
    ("trailing blanks", 95, trailing_blanks),
    ("indented deeper", 95, |meant, _| Some(texts(meant, |_, line| indented("      ", line)))),
    ("indented less", 90, indented_less),
    ("tabs for spaces", 90, tabs_for_spaces),
    ("no indentation at all", 60, |meant, _| Some(texts(meant, |_, line| line.trim_start().to_owned()))),
    ("blanks within lines", 85, blanks_within),
    ("curly quotes and long dashes", 90, curly),
    ("curly quotes in new lines too", 90, curly_everywhere),
    ("line numbers", 95, line_numbers),
    ("line numbers in the old text only", 95, line_numbers_in_old),
    ("a fence", 95, fence),
    ("a fence with a line break behind it", 95, fence_with_break),
    ("escapes", 80, escapes),
    ("only quotes and backslashes escaped", 95, quotes_escaped),
    ("old indented otherwise, new as the file", 85, indented_old),
    ("blank lines around", 90, blank_lines_around),
    ("a wrong word in a line kept", 10, wrong_word),
    ("a wrong letter in a line kept", 50, wrong_letter),
    ("a wrong letter in a line replaced", 30, wrong_letter_replaced),
    ("a line left out", 0, line_left_out),
    ("a line too many", 0, line_too_many),
    ("two lines swapped", 0, swapped),
];

fn texts(meant: &IntendedEdit, shown: impl Fn(usize, &str) -> String) -> (String, String) {
    let old: Vec<_> = meant.old.iter().enumerate().map(|(index, line)| shown(index, line)).collect();
    let new = meant.new.iter().map(|line| match line {
        NewLine::Kept(index) => old[*index].clone(),
        NewLine::Written(line) => shown(usize::MAX, line),
    });
    let new: Vec<_> = new.collect();
    (old.join("\n"), new.join("\n"))
}

/// Replaces one line of the old text by another, also where it is kept.
fn with(meant: &IntendedEdit, at: usize, line: String) -> (String, String) {
    texts(meant, |index, as_it_is| if index == at { line.clone() } else { as_it_is.to_owned() })
}

fn is_kept(meant: &IntendedEdit, at: usize) -> bool {
    meant.new.iter().any(|line| matches!(line, NewLine::Kept(index) if *index == at))
}

fn kept_line(meant: &IntendedEdit, random: &mut TestRandom) -> Option<usize> {
    let kept: Vec<_> = (0..meant.old.len()).filter(|at| is_kept(meant, *at)).collect();
    kept.get(random.below(kept.len())).copied()
}

fn indented(by: &str, line: &str) -> String {
    if line.trim().is_empty() { line.to_owned() } else { format!("{by}{line}") }
}

fn trailing_blanks(meant: &IntendedEdit, random: &mut TestRandom) -> Option<(String, String)> {
    let at = random.below(meant.old.len());
    let blanks = ["  ", "\t", " "][random.below(3)];
    let given = texts(meant, |index, line| format!("{line}{}", if index == at { blanks } else { "" }));
    // At the very end they would be part of the text.
    Some((given.0 + if at + 1 == meant.old.len() { "" } else { blanks }, given.1))
}

fn indented_less(meant: &IntendedEdit, _: &mut TestRandom) -> Option<(String, String)> {
    let written = meant.new.iter().filter_map(|line| match line {
        NewLine::Written(line) => Some(line),
        NewLine::Kept(_) => None,
    });
    let lines = meant.old.iter().chain(written).filter(|line| !line.trim().is_empty());
    let least = lines.map(|line| line.len() - line.trim_start_matches(' ').len()).min()?;
    (least > 0).then(|| texts(meant, |_, line| line.get(least..).unwrap_or_default().to_owned()))
}

fn tabs_for_spaces(meant: &IntendedEdit, _: &mut TestRandom) -> Option<(String, String)> {
    let tabbed = |line: &str| {
        let body = line.trim_start_matches(' ');
        let spaces = line.len() - body.len();
        format!("{}{}{body}", "\t".repeat(spaces / meant.level), " ".repeat(spaces % meant.level))
    };
    meant.old.iter().any(|line| tabbed(line) != *line).then(|| texts(meant, |_, line| tabbed(line)))
}

fn blanks_within(meant: &IntendedEdit, random: &mut TestRandom) -> Option<(String, String)> {
    let at = kept_line(meant, random)?;
    let line = meant.old.get(at)?;
    let body = line.trim_start();
    let wider = body.replacen(' ', "   ", 1);
    let line_given = format!("{}{wider}", line.get(..line.len() - body.len())?);
    (wider != body).then(|| with(meant, at, line_given))
}

fn curly(meant: &IntendedEdit, _: &mut TestRandom) -> Option<(String, String)> {
    let curly = |line: &str| line.replace('"', "“").replace('-', "–").replace('\'', "’");
    let shown = |index: usize, line: &str| if index == usize::MAX { line.to_owned() } else { curly(line) };
    let kept = |at: &usize| is_kept(meant, *at) && curly(&meant.old[*at]) != meant.old[*at];
    (0..meant.old.len()).any(|at| kept(&at)).then(|| texts(meant, shown))
}

/// The model also writes its new lines with them; the file has plain ones.
fn curly_everywhere(meant: &IntendedEdit, _: &mut TestRandom) -> Option<(String, String)> {
    let curly = |line: &str| line.replace('"', "“").replace('-', "–").replace('\'', "’");
    let has_all =
        |line: &String| ['"', '-', '\''].iter().all(|c| line.contains(*c) <= meant.old.concat().contains(*c));
    let written = meant.new.iter().filter_map(|line| match line {
        NewLine::Written(line) => Some(line),
        NewLine::Kept(_) => None,
    });
    // What the old lines do not show, the new ones may intend.
    let is_distorted = meant.old.iter().any(|line| curly(line) != *line);
    (is_distorted && written.into_iter().all(has_all)).then(|| texts(meant, |_, line| curly(line)))
}

fn numbered(first: usize, text: &str) -> String {
    let lines = text.split('\n').enumerate().map(|(index, line)| format!("{}: {line}", first + index + 1));
    lines.collect::<Vec<_>>().join("\n")
}

fn line_numbers(meant: &IntendedEdit, _: &mut TestRandom) -> Option<(String, String)> {
    let (old, new) = texts(meant, |_, line| line.to_owned());
    Some((numbered(meant.first, &old), numbered(meant.first, &new)))
}

fn line_numbers_in_old(meant: &IntendedEdit, _: &mut TestRandom) -> Option<(String, String)> {
    let (old, new) = texts(meant, |_, line| line.to_owned());
    Some((numbered(meant.first, &old), new))
}

fn fence(meant: &IntendedEdit, random: &mut TestRandom) -> Option<(String, String)> {
    let (old, new) = texts(meant, |_, line| line.to_owned());
    let fenced = |text: String| format!("```\n{text}\n```");
    Some((fenced(old), if random.below(2) == 0 { fenced(new) } else { new }))
}

fn fence_with_break(meant: &IntendedEdit, _: &mut TestRandom) -> Option<(String, String)> {
    let (old, new) = texts(meant, |_, line| line.to_owned());
    Some((format!("```\n{old}\n```"), format!("```\n{new}\n```\n")))
}

fn quotes_escaped(meant: &IntendedEdit, _: &mut TestRandom) -> Option<(String, String)> {
    let (old, new) = texts(meant, |_, line| line.replace('\\', "\\\\").replace('"', "\\\""));
    old.contains('\\').then_some((old, new))
}

/// The model shows the old lines with another indentation, and writes the new ones as the file has them.
fn indented_old(meant: &IntendedEdit, random: &mut TestRandom) -> Option<(String, String)> {
    let by = ["  ", "      ", "\t"][random.below(3)];
    let (old, new) = texts(meant, |_, line| line.to_owned());
    let old: Vec<_> = old.split('\n').map(|line| indented(by, line)).collect();
    Some((old.join("\n"), new))
}

fn escapes(meant: &IntendedEdit, random: &mut TestRandom) -> Option<(String, String)> {
    let (old, new) = texts(meant, |_, line| line.to_owned());
    let escaped = |text: &str| {
        text.replace('\\', "\\\\").replace('\n', "\\n").replace('"', "\\\"").replace('\t', "\\t")
    };
    (escaped(&old) != old).then(|| (escaped(&old), if random.below(2) == 0 { escaped(&new) } else { new }))
}

fn blank_lines_around(meant: &IntendedEdit, _: &mut TestRandom) -> Option<(String, String)> {
    let (old, new) = texts(meant, |_, line| line.to_owned());
    Some((format!("\n{old}\n\n"), format!("\n{new}\n\n")))
}

fn wrong_word(meant: &IntendedEdit, random: &mut TestRandom) -> Option<(String, String)> {
    let at = kept_line(meant, random)?;
    let line = meant.old.get(at)?;
    let words: Vec<_> = line.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2).collect();
    let word = words.get(random.below(words.len()))?;
    Some(with(meant, at, line.replacen(word, "something", 1)))
}

fn misspelt(line: &str, random: &mut TestRandom) -> Option<String> {
    let letters: Vec<_> = line.char_indices().filter(|(_, c)| c.is_ascii_alphabetic()).collect();
    let (at, c) = *letters.get(random.below(letters.len()))?;
    let other = [String::new(), format!("{c}{c}"), "q".to_owned()][random.below(3)].clone();
    let misspelt = format!("{}{other}{}", line.get(..at)?, line.get(at + 1..)?);
    (misspelt != line).then_some(misspelt)
}

fn wrong_letter(meant: &IntendedEdit, random: &mut TestRandom) -> Option<(String, String)> {
    let at = kept_line(meant, random)?;
    Some(with(meant, at, misspelt(meant.old.get(at)?, random)?))
}

fn wrong_letter_replaced(meant: &IntendedEdit, random: &mut TestRandom) -> Option<(String, String)> {
    let at = (0..meant.old.len()).find(|at| !is_kept(meant, *at))?;
    Some(with(meant, at, misspelt(meant.old.get(at)?, random)?))
}

/// Omits a line in the middle that the file has.
fn line_left_out(meant: &IntendedEdit, random: &mut TestRandom) -> Option<(String, String)> {
    let at = kept_line(meant, random).filter(|at| *at > 0 && at + 1 < meant.old.len())?;
    let (mut old, mut new) = (meant.old.clone(), Vec::new());
    old.remove(at);
    for line in &meant.new {
        match line {
            NewLine::Kept(index) if *index == at => {}
            NewLine::Kept(index) => new.push(meant.old[*index].clone()),
            NewLine::Written(line) => new.push(line.clone()),
        }
    }
    Some((old.join("\n"), new.join("\n")))
}

/// Adds a line in the middle that the file does not have.
fn line_too_many(meant: &IntendedEdit, random: &mut TestRandom) -> Option<(String, String)> {
    let at = kept_line(meant, random).filter(|at| at + 1 < meant.old.len())?;
    let line = meant.old.get(at)?;
    Some(with(meant, at, format!("{line}\n{}", line.replacen(char::is_alphabetic, "other", 1))))
}

fn swapped(meant: &IntendedEdit, random: &mut TestRandom) -> Option<(String, String)> {
    let at = random.below(meant.old.len().checked_sub(1)?);
    let (a, b) = (meant.old.get(at)?.clone(), meant.old.get(at + 1)?.clone());
    (a.trim() != b.trim()).then(|| {
        let mut swapped = meant.clone();
        swapped.old.swap(at, at + 1);
        for line in &mut swapped.new {
            match line {
                NewLine::Kept(index) if *index == at => *index = at + 1,
                NewLine::Kept(index) if *index == at + 1 => *index = at,
                _ => {}
            }
        }
        // The kept lines follow the order of the old text as given.
        let mut kept: Vec<usize> = swapped
            .new
            .iter()
            .filter_map(|line| if let NewLine::Kept(index) = line { Some(*index) } else { None })
            .collect();
        kept.sort_unstable();
        let mut kept = kept.into_iter();
        for line in &mut swapped.new {
            if let NewLine::Kept(index) = line {
                *index = kept.next().unwrap();
            }
        }
        texts(&swapped, |_, line| line.to_owned())
    })
}

/// Some lines that occur once in the file, ignoring blanks, and an edit of one of them.
fn meant(lines: &[&str], level: usize, random: &mut TestRandom) -> Option<IntendedEdit> {
    let count = 1 + random.below(8);
    let first = random.below(lines.len().checked_sub(count)?);
    let old = lines.get(first..first + count)?;
    let trimmed = |lines: &[&str]| lines.iter().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
    let wanted = trimmed(old);
    let places = lines.windows(count).filter(|window| trimmed(window) == wanted).count();
    if places != 1 || !old.iter().any(|line| line.contains(char::is_alphanumeric)) {
        return None;
    }
    // A blank line does not show the indentation of its neighbour.
    let at = (0..count).cycle().skip(random.below(count)).find(|at| !old[*at].trim().is_empty())?;
    let indent = &old[at][..old[at].len() - old[at].trim_start().len()];
    let mut new: Vec<_> = (0..count).map(NewLine::Kept).collect();
    match random.below(4) {
        0 => {
            new.insert(
                at + 1,
                NewLine::Written(format!("{indent}a line of its own, $1 $& {}", random.below(99))),
            );
        }
        1 if count > 1 => drop(new.remove(at)),
        2 => new[at] = NewLine::Written(format!("{indent}this comes in its place")),
        _ => {
            let line = old[at].replacen(char::is_alphanumeric, "changed", 1);
            if line == old[at] {
                return None;
            }
            new[at] = NewLine::Written(line);
        }
    }
    Some(IntendedEdit { first, old: old.iter().map(|line| (*line).to_owned()).collect(), new, level })
}

/// The file after the intended edit.
fn expected(lines: &[&str], meant: &IntendedEdit) -> String {
    let new = meant.new.iter().map(|line| match line {
        NewLine::Kept(index) => meant.old[*index].as_str(),
        NewLine::Written(line) => line,
    });
    let (before, after) = (&lines[..meant.first], &lines[meant.first + meant.old.len()..]);
    before.iter().copied().chain(new).chain(after.iter().copied()).map(|line| format!("{line}\n")).collect()
}

#[derive(Default)]
struct DistortionCounts {
    right: usize,
    refused: usize,
    tiers: BTreeMap<&'static str, usize>,
}

#[test]
fn distorted_edits_are_right_or_refused() {
    check(20);
}

#[test]
#[ignore = "takes minutes where it is not optimised"]
fn many_more_distorted_edits_are_right_or_refused() {
    check(300);
}

fn check(edits_per_file: usize) {
    let mut all: BTreeMap<usize, DistortionCounts> = BTreeMap::new();
    for (name, level, text) in FILES {
        let lines: Vec<_> = text.lines().collect();
        let mut random = TestRandom(name.len() as u64);
        for _ in 0..edits_per_file {
            let Some(meant) = meant(&lines, level, &mut random) else { continue };
            let expected = expected(&lines, &meant);
            for (index, (distortion, _, distort)) in DISTORTIONS.iter().enumerate() {
                let Some((old, new)) = distort(&meant, &mut random) else { continue };
                for newline in ["\n", "\r\n"] {
                    let ended = |text: &str| text.replace('\n', newline);
                    let file = ended(text);
                    let counts = all.entry(index).or_default();
                    match replace(&file, &old, &new, false) {
                        Ok(replaced) => {
                            let seen = replaced.change.apply(&file).unwrap();
                            // A literal part of a line is replaced literally.
                            let literal = || {
                                replaced.tier == MatchTier::Exact
                                    && seen == ended(&text.replacen(&old, &new, 1))
                            };
                            assert!(
                                seen == ended(&expected) || literal(),
                                "WRONG: {distortion} in {name} by {}:\n{old}\n→\n{new}\n{}",
                                replaced.tier.name(),
                                diff(&ended(&expected), &seen, 1).to_unified(TruncateLimits::default())
                            );
                            counts.right += 1;
                            *counts.tiers.entry(replaced.tier.name()).or_default() += 1;
                        }
                        Err(_) => counts.refused += 1,
                    }
                }
            }
        }
    }
    println!("{:36} {:>6} {:>8}", "distortion", "right", "refused");
    for (index, counts) in &all {
        let (name, floor, _) = DISTORTIONS[*index];
        let DistortionCounts { right, refused, tiers } = counts;
        println!("{name:36} {right:>6} {refused:>8}  {tiers:?}");
        assert!(right * 100 >= floor * (right + refused), "{name}: only {right} right, {refused} refused");
    }
    assert_eq!(all.len(), DISTORTIONS.len(), "a distortion distorts nothing");
}

/// The text is no longer in the file, and nothing else is taken for it.
#[test]
fn what_is_gone_is_not_found_elsewhere() {
    let mut refused = 0;
    for (name, level, text) in FILES {
        let lines: Vec<_> = text.lines().collect();
        let mut random = TestRandom(name.len() as u64 + 7);
        for _ in 0..30 {
            let Some(meant) = meant(&lines, level, &mut random) else { continue };
            let rest: Vec<_> =
                lines[..meant.first].iter().chain(&lines[meant.first + meant.old.len()..]).copied().collect();
            let file: String = rest.iter().map(|line| format!("{line}\n")).collect();
            let (old, new) = texts(&meant, |_, line| line.to_owned());
            // A short piece may literally be part of another line.
            if !file.contains(&old) {
                let seen = replace(&file, &old, &new, false);
                assert!(seen.is_err(), "WRONG: {name}:\n{old}\n→\n{new}\n{seen:?}");
                refused += 1;
            }
        }
    }
    assert!(refused > 100, "{refused}");
}
