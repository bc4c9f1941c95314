//! Properties of every inexact replacement, for any texts, each checked against its plain definition.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::fold::LineFold;
use super::{MatchTier, MatchedChange, ReplaceError, replace};
use crate::{Change, LineEnding};

const CASES: u32 = 2000;

/// Lines of few words, so that many repeat; blanks before, within and after them.
fn line() -> impl Strategy<Value = String> {
    let indent =
        prop_oneof![4 => Just(""), 2 => Just("  "), 2 => Just("    "), 1 => Just("\t"), 1 => Just("\t\t")];
    let word = prop_oneof![
        Just("let sum"),
        Just("let  sum"),
        Just("call(one, two)"),
        Just("call(one,  two)"),
        Just("call(one, twoo)"),
        Just("“x” – y"),
        Just("\"x\" - y"),
        Just("}"),
        Just("end $& $1"),
        Just(""),
    ];
    let trailing = prop_oneof![4 => Just(""), 1 => Just(" "), 1 => Just("\t")];
    (indent, word, trailing).prop_map(|(indent, word, trailing)| format!("{indent}{word}{trailing}"))
}

fn lines(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(line(), count)
}

/// A file, lines that are or may be in it, their replacement, and a line ending.
fn request() -> impl Strategy<Value = (String, String, String)> {
    let ending = prop_oneof![3 => Just("\n"), 1 => Just("\r\n")];
    let manner = (any::<bool>(), any::<bool>(), 0..6_usize, any::<prop::sample::Index>());
    (lines(1..14), lines(1..6), lines(0..5), any::<prop::sample::Index>(), ending, manner).prop_map(
        |(file, other, new, at, ending, (from_file, ended, how, which))| {
            let at = at.index(file.len());
            let old = if from_file { &file[at..file.len().min(at + other.len() + 1)] } else { &other };
            let mut old = old.to_vec();
            let mut new = new;
            // Some of the old text stays.
            new.extend(old.iter().skip(1).cloned());
            let distort = |line: &String| match how {
                0 => format!("{line}  "),
                1 => format!("    {line}"),
                2 => line.trim().to_owned(),
                3 => line.replace("    ", "\t"),
                _ => line.clone(),
            };
            if how == 4 {
                let which = which.index(old.len());
                old[which] = old[which].replace("sum", "sun");
            }
            let text = |lines: Vec<String>, ending: &str| lines.join(ending);
            let last = if ended { ending } else { "" };
            (
                text(file, ending) + last,
                text(old.iter().map(distort).collect(), "\n"),
                text(new.iter().map(distort).collect(), "\n"),
            )
        },
    )
}

fn folded(text: &str, fold: LineFold) -> Vec<String> {
    text.lines().map(|line| fold.key(line).into_owned()).collect()
}

/// The number of places where all folded lines are equal.
fn count(text: &str, old: &str, fold: LineFold) -> usize {
    let (text, old) = (folded(text, fold), folded(old, fold));
    if old.is_empty() { 0 } else { text.windows(old.len()).filter(|window| *window == old).count() }
}

fn fold_of(tier: MatchTier) -> Option<LineFold> {
    match tier {
        MatchTier::TrailingBlanks => Some(LineFold::Trailing),
        MatchTier::Indentation => Some(LineFold::Trimmed),
        MatchTier::Typography => Some(LineFold::Typography),
        _ => None,
    }
}

fn lenient(text: &str, old: &str, new: &str, all: bool) -> Option<(MatchedChange, String)> {
    let replaced = replace(text, old, new, all).ok().filter(|replaced| replaced.tier != MatchTier::Exact)?;
    let result = replaced.change.apply(text).unwrap();
    Some((replaced, result))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: CASES,
        rng_seed: RngSeed::Fixed(20261115),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_is_not_exact_is_in_one_place_and_no_stricter_tier_has_any((text, old, new) in request()) {
        let Ok(replaced) = replace(&text, &old, &new, false) else { return Ok(()) };
        let flat = text.replace("\r\n", "\n");
        prop_assert_eq!(replaced.tier == MatchTier::Exact, flat.contains(&old));
        if replaced.tier > MatchTier::TrailingBlanks {
            prop_assert_eq!(count(&flat, &old, LineFold::Trailing), 0);
        }
        if let Some(fold) = fold_of(replaced.tier) {
            // Places without a common indentation rule do not count, so this may count more.
            let places = count(&flat, &old, fold);
            prop_assert!(places == 1 || replaced.tier != MatchTier::TrailingBlanks && places > 1);
        }
    }

    /// With a second copy of the file behind it, everything occurs twice.
    #[test]
    fn a_tie_is_never_broken((text, old, new) in request()) {
        let break_between = if LineEnding::detect(&text) == LineEnding::Crlf { "\r\n" } else { "\n" };
        let twice = format!("{text}{break_between}#\n{text}{break_between}");
        if replace(&text, &old, &new, false).is_ok() {
            let seen = replace(&twice, &old, &new, false);
            // A text that had no exact match may have one where the copies meet.
            let exact = twice.replace("\r\n", "\n").matches(&*old).count() == 1;
            prop_assert!(matches!(seen, Err(ReplaceError::Ambiguous { .. })) || exact, "{:?}", seen);
        }
    }

    /// Lines similar to none of the old ones survive in order and byte for byte.
    #[test]
    fn a_line_that_was_not_shown_is_never_touched((text, old, new) in request(), all: bool) {
        let Some((_, result)) = lenient(&text, &old, &new, all) else { return Ok(()) };
        let bare = |line: &str| LineFold::Blanks.key(line).into_owned();
        let shown: Vec<_> = old.lines().map(bare).collect();
        let is_shown = |line: &str| {
            let line = bare(line);
            shown.iter().any(|old| super::similarity::similarity(old, &line) >= 0.85 || line.contains(old.as_str()))
        };
        let mut left = result.lines();
        for line in text.lines().filter(|line| !is_shown(line)) {
            prop_assert!(left.any(|other| other == line), "{:?} is gone in {:?}", line, result);
        }
    }

    /// What only the new text contains is written as given, `$` included, except for its indentation, and for typography
    /// that the old text shows and the file does not have.
    #[test]
    fn new_lines_are_written_as_given((text, old, new) in request()) {
        let Some((replaced, result)) = lenient(&text, &old, &new, false) else { return Ok(()) };
        let given = new.lines().filter(|line| !line.trim().is_empty());
        for line in given.filter(|line| !old.lines().any(|old| old == *line)) {
            let plain = LineFold::Typography.key(line).into_owned();
            let written = |other: &str| {
                other.trim() == line.trim() || other.contains(line) || other.trim() == plain && !old.is_ascii()
            };
            prop_assert!(result.lines().any(written), "{:?} by {:?}", line, replaced.tier);
        }
    }

    #[test]
    fn line_endings_and_the_end_of_the_file_stay((text, old, new) in request(), all: bool) {
        let Some((_, result)) = lenient(&text, &old, &new, all) else { return Ok(()) };
        let (before, after) = (LineEnding::detect(&text), LineEnding::detect(&result));
        prop_assert!(before == after || after == LineEnding::None || before == LineEnding::None);
        // Nothing may be left, or an empty last line.
        let emptied = new.is_empty() || new.ends_with('\n');
        prop_assert!(result.is_empty() || emptied || text.ends_with('\n') == result.ends_with('\n'));
    }

    /// The editor receives no more than what differs.
    #[test]
    fn the_change_is_minimal_and_does_something((text, old, new) in request()) {
        let Some((replaced, result)) = lenient(&text, &old, &new, false) else { return Ok(()) };
        prop_assert_ne!(&result, &text);
        let touched = |change: &Change| change.edits().iter().map(|edit| edit.range.len() + edit.text.len()).sum::<usize>();
        prop_assert!(touched(&replaced.change) <= text.len() + result.len());
        prop_assert!(replaced.change.edits().iter().all(|edit| text[edit.range.clone()] != edit.text));
        prop_assert!(touched(&replaced.change) <= 2 * touched(&Change::between(&text, &result)) + 8);
    }

    /// Blocks with depths: file and model use different blanks for them.
    #[test]
    fn new_lines_are_indented_as_the_file_is(
        depths in prop::collection::vec(0..3_usize, 1..6),
        base in 0..3_usize,
        (file_unit, model_unit) in (
            prop_oneof![Just("\t"), Just("    "), Just("  ")],
            prop_oneof![Just("\t"), Just("    "), Just("  ")],
        ),
        model_base in 0..2_usize,
        at in any::<prop::sample::Index>(),
        new_depth in 0..4_usize,
    ) {
        let line = |unit: &str, depth: usize, name: String| format!("{}{name};\n", unit.repeat(depth));
        let block = |unit: &str, base: usize| -> Vec<String> {
            depths.iter().enumerate().map(|(index, depth)| line(unit, base + depth, format!("line {index}"))).collect()
        };
        let at = at.index(depths.len());
        // A line is at most one level deeper than the one before it.
        let new_depth = new_depth.min(depths[at] + 1);
        let added = |unit, base| line(unit, base + new_depth, "added".to_owned());
        let (file, old) = (block(file_unit, base), block(model_unit, model_base));
        let (mut expected, mut new) = (file.clone(), old.clone());
        expected.insert(at + 1, added(file_unit, base));
        new.insert(at + 1, added(model_unit, model_base));
        let around = |lines: Vec<String>| format!("first\n{}last\n", lines.concat());
        let text = around(file);
        // If both use spaces, a shift is a number of spaces; and unindented lines show nothing.
        let spaces = ![file_unit, model_unit].contains(&"\t");
        let bare = depths.iter().all(|depth| base + depth == 0);
        if file_unit != model_unit && (spaces || bare) && !depths.contains(&new_depth) {
            return Ok(());
        }
        match replace(&text, &old.concat(), &new.concat(), false) {
            // A literal part of a line is replaced literally.
            Ok(MatchedChange { tier: MatchTier::Exact, .. }) => {}
            Ok(replaced) => prop_assert_eq!(replaced.change.apply(&text).unwrap(), around(expected)),
            // Depths alone do not distinguish a shift from other blanks, and a line left of all others may be
            // anything.
            Err(error) => prop_assert!(
                file_unit != model_unit || base < model_base && new_depth < *depths.iter().min().unwrap(),
                "{}", error
            ),
        }
    }

    #[test]
    fn every_place_is_replaced_or_none((text, old, new) in request()) {
        if let Some((replaced, _)) = lenient(&text, &old, &new, true) {
            prop_assert!(replaced.tier <= MatchTier::Indentation);
        }
    }
}
