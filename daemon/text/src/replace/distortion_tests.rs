//! Edits of real files with the mistakes of models: extra blanks, line numbers, misremembered words. The
//! result must be the intended edit or a rejection.
//!
//! Every edit is made in both ways: by `edit`, and by the hunk of a patch. A wrong edit always fails the test. For
//! distortions that the tiers are meant to handle, the share of right edits has a floor; `--nocapture` shows all counts.

use std::collections::BTreeMap;

use super::{MatchTier, replace};
use crate::patch::{PatchStep, parse, plan};
use crate::{TruncateLimits, diff};

mod distortions;

use distortions::{DISTORTIONS, decompose, texts};

/// Copies, so that rewriting the originals does not shift the floors.
const FILES: [(&str, usize, &str); 8] = [
    ("diff.rs", 4, include_str!("samples/diff.rs.txt")),
    ("cluster.rs", 4, include_str!("samples/cluster.rs.txt")),
    ("document.rs", 4, include_str!("samples/document.rs.txt")),
    ("client.lua", 2, include_str!("samples/client.lua.txt")),
    ("chat.lua", 2, include_str!("samples/chat.lua.txt")),
    ("architecture.md", 2, include_str!("samples/architecture.md.txt")),
    ("wildcard.json", 2, include_str!("samples/wildcard.json.txt")),
    ("locale.ts", 2, include_str!("samples/locale.ts.txt")),
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

impl IntendedEdit {
    fn keeps(&self, at: usize) -> bool {
        self.new.iter().any(|line| matches!(line, NewLine::Kept(index) if *index == at))
    }
}

struct TestRandom(u64);

impl TestRandom {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit.max(1)
    }
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

/// The samples, and those with accents once more with the accents apart.
fn samples() -> Vec<(&'static str, usize, String)> {
    let apart = |(name, level, text): &(&'static str, usize, &str)| {
        let apart = decompose(text);
        (apart != *text).then_some((*name, *level, apart))
    };
    let as_is = FILES.iter().map(|(name, level, text)| (*name, *level, (*text).to_owned()));
    as_is.chain(FILES.iter().filter_map(apart)).collect()
}

/// How the model asks for the edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EditForm {
    Edit,
    /// A hunk in which the lines that the edit keeps are context, if both texts show them in the same way.
    Hunk,
    /// A hunk in which the lines that the edit keeps are context, as the old text shows them.
    HunkWithContext,
}

impl EditForm {
    const ALL: [Self; 3] = [Self::Edit, Self::Hunk, Self::HunkWithContext];

    /// The text after the edit and the tier; `None` if it is refused, or if the form cannot express it.
    fn apply(self, file: &str, meant: &IntendedEdit, old: &str, new: &str) -> FormResult {
        let hunk = match self {
            Self::Edit => {
                return match replace(file, old, new, false) {
                    Ok(made) => FormResult::Made(made.change.apply(file).unwrap(), made.tier),
                    Err(_) => FormResult::Refused,
                };
            }
            Self::Hunk => hunk(meant, old, new, true),
            Self::HunkWithContext => hunk(meant, old, new, false),
        };
        let Some(hunk) = hunk else { return FormResult::Inexpressible };
        let source = format!("*** Begin Patch\n*** Update File: f\n@@\n{hunk}*** End Patch");
        match parse(&source).and_then(|patch| plan(&patch, |_| Some(file))).as_deref() {
            Ok([PatchStep::Edit { change, tier, .. }]) => {
                FormResult::Made(change.apply(file).unwrap(), *tier)
            }
            Ok(steps) => panic!("{steps:?}"),
            Err(_) => FormResult::Refused,
        }
    }
}

enum FormResult {
    Made(String, MatchTier),
    Refused,
    Inexpressible,
}

/// Lines that stay are context, as the old text shows them; if `is_strict`, only those that both texts show in the same way,
/// and without any all old lines are deleted. `None` if the texts do not have the lines of the edit.
fn hunk(meant: &IntendedEdit, old: &str, new: &str, is_strict: bool) -> Option<String> {
    let (old, new): (Vec<_>, Vec<_>) = (old.split('\n').collect(), new.split('\n').collect());
    let signed =
        |sign: char, lines: &[&str]| lines.iter().map(|line| format!("{sign}{line}\n")).collect::<String>();
    if old.len() != meant.old.len() || new.len() != meant.new.len() {
        return is_strict.then(|| signed('-', &old) + &signed('+', &new));
    }
    let mut hunk = String::new();
    let mut at = 0;
    for (line, given) in meant.new.iter().zip(new) {
        match line {
            NewLine::Kept(index) => {
                hunk += &signed('-', &old[at..*index]);
                if is_strict && old[*index] != given {
                    hunk += &format!("-{}\n+{given}\n", old[*index]);
                } else {
                    hunk += &format!(" {}\n", old[*index]);
                }
                at = index + 1;
            }
            NewLine::Written(_) => {
                // What a line replaces stands before it.
                if let Some(gone) = old.get(at).filter(|_| !meant.keeps(at)) {
                    hunk += &format!("-{gone}\n");
                    at += 1;
                }
                hunk += &format!("+{given}\n");
            }
        }
    }
    Some(hunk + &signed('-', &old[at..]))
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
    let mut all: BTreeMap<(usize, bool), DistortionCounts> = BTreeMap::new();
    let is_shown = std::env::var_os("SHOW_REFUSED").is_some();
    for (name, level, text) in samples() {
        let lines: Vec<_> = text.lines().collect();
        let mut random = TestRandom(name.len() as u64);
        for _ in 0..edits_per_file {
            let Some(meant) = meant(&lines, level, &mut random) else { continue };
            let expected = expected(&lines, &meant);
            for (index, case) in DISTORTIONS.iter().enumerate() {
                let Some((old, new)) = (case.distort)(&meant, &mut random) else { continue };
                for (form, newline) in
                    EditForm::ALL.into_iter().flat_map(|form| [(form, "\n"), (form, "\r\n")])
                {
                    let ended = |text: &str| text.replace('\n', newline);
                    let file = ended(&text);
                    let counts = all.entry((index, form != EditForm::Edit)).or_default();
                    match form.apply(&file, &meant, &old, &new) {
                        FormResult::Made(seen, tier) => {
                            // A literal part of a line is replaced literally.
                            let literal = || {
                                tier == MatchTier::Exact
                                    && form == EditForm::Edit
                                    && seen == ended(&text.replacen(&old, &new, 1))
                            };
                            assert!(
                                seen == ended(&expected) || literal(),
                                "WRONG: {} in {name} by {} ({form:?}):\n{old}\n→\n{new}\n{}",
                                case.name,
                                tier.name(),
                                diff(&ended(&expected), &seen, 1).to_unified(TruncateLimits::default())
                            );
                            counts.right += 1;
                            *counts.tiers.entry(tier.name()).or_default() += 1;
                        }
                        FormResult::Refused => {
                            counts.refused += 1;
                            if is_shown && newline == "\n" && case.floors[0] > 50 {
                                println!("REFUSED: {} in {name} ({form:?}):\n{old}\n→\n{new}\n", case.name);
                            }
                        }
                        FormResult::Inexpressible => {}
                    }
                }
            }
        }
    }
    println!("{:44} {:>6} {:>8}", "distortion", "right", "refused");
    let mut below = Vec::new();
    for ((index, is_patch), counts) in &all {
        let case = &DISTORTIONS[*index];
        let DistortionCounts { right, refused, tiers } = counts;
        let (name, by) = (case.name, if *is_patch { "patch" } else { "edit" });
        let share = right * 100 / (right + refused).max(1);
        println!("{name:44} {by:5} {right:>6} {refused:>8} {share:>3} %  {tiers:?}");
        if right * 100 < case.floors[usize::from(*is_patch)] * (right + refused) {
            below.push(format!("{name} by {by}: {share} %"));
        }
    }
    assert!(below.is_empty(), "below their floors: {below:#?}");
    assert_eq!(all.len(), 2 * DISTORTIONS.len(), "a distortion distorts nothing");
}

/// The text is no longer in the file, and nothing else is taken for it.
#[test]
fn what_is_gone_is_not_found_elsewhere() {
    let mut refused = 0;
    for (name, level, text) in samples() {
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
