//! What holds for every change. To the fake checker, every `!word` is an error.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use copydesk_text::{Change, Position};

use super::tests::{between, checked, item, report};
use super::*;

/// Few different lines, so that many are equal.
fn lines() -> impl Strategy<Value = Vec<String>> {
    let line = prop_oneof!["[xy]{0,2}", "!a", "f(!a, !b)", "é😀 !a", "!b !b", "}"];
    prop::collection::vec(line, 0..14)
}

/// Anything that a server may report, including positions outside the text.
fn wild() -> impl Strategy<Value = Vec<Diagnostic>> {
    let place = prop_oneof![0..12u32, Just(u32::MAX), Just(1000)];
    let one = (place.clone(), place.clone(), place.clone(), place, "[ab]{1}", any::<bool>());
    let one = one.prop_map(|(line, character, to_line, to_character, message, coded)| {
        let mut item = item(0, 0, &message);
        item.span.start = Position::new(line, character);
        item.span.end = Position::new(to_line, to_character);
        item.code = coded.then(|| "C1".into());
        item
    });
    prop::collection::vec(one, 0..12)
}

fn joined(lines: &[String], ending: &str) -> String {
    lines.iter().flat_map(|line| [line.as_str(), ending]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 500,
        rng_seed: RngSeed::Fixed(20261115),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn counts_add_up(old in lines(), new in lines(), crlf: bool) {
        let ending = if crlf { "\r\n" } else { "\n" };
        let (old, new) = (joined(&old, ending), joined(&new, ending));
        let delta = between(&old, &new, Severity::Error);
        prop_assert_eq!(delta.new.len() + delta.remaining.len(), checked(&new).len());
        prop_assert_eq!(delta.fixed.len() + delta.remaining.len(), checked(&old).len());
        // Diagnostics with the same words never become more by matching.
        for word in ["a", "b"] {
            let count = |list: &[ReportedDiagnostic]| list.iter().filter(|p| *p.diagnostic.message == *word).count();
            let before = checked(&old).iter().filter(|item| *item.message == *word).count();
            prop_assert_eq!(count(&delta.fixed) + count(&delta.remaining), before);
        }
    }

    #[test]
    fn unchanged_diagnostics_are_never_new(text in lines(), items in wild()) {
        let text = joined(&text, "\n");
        let unchanged = report("c", items);
        for before in [Baseline::unchanged(&unchanged), Baseline::shifted(&unchanged, &text, &Change::between(&text, &text))] {
            let delta = DiagnosticsDelta::compute(&[before], std::slice::from_ref(&unchanged), Severity::Hint);
            prop_assert_eq!((delta.new.len(), delta.unsure.len(), delta.fixed.len()), (0, 0, 0));
        }
    }

    /// Also for positions outside the text.
    #[test]
    fn lines_inserted_above_make_nothing_new(text in lines(), items in wild(), above in 1..5u32) {
        let old = joined(&text, "\n");
        let new = "above\n".repeat(above as usize) + &old;
        let moved = |item: &Diagnostic| {
            let down = |at: Position| Position { line: at.line.saturating_add(above), ..at };
            let mut item = item.clone();
            (item.span.start, item.span.end) = (down(item.span.start), down(item.span.end));
            item
        };
        let after = report("c", items.iter().map(moved).collect());
        let before = Baseline::shifted(&report("c", items), &old, &Change::between(&old, &new));
        let delta = DiagnosticsDelta::compute(&[before], &[after], Severity::Hint);
        prop_assert_eq!((delta.new, delta.fixed), (vec![], vec![]));
    }

    #[test]
    fn only_inserted_lines_have_new_diagnostics(old in lines(), inserted in lines(), at in 0..14usize) {
        let at = at.min(old.len());
        let new = [&old[..at], &inserted, &old[at..]].concat();
        let delta = between(&joined(&old, "\n"), &joined(&new, "\n"), Severity::Error);
        let words = |text: &str| {
            let mut words: Vec<_> = checked(text).into_iter().map(|item| item.message).collect();
            words.sort();
            words
        };
        let mut new: Vec<_> = delta.new.iter().map(|problem| problem.diagnostic.message.clone()).collect();
        new.sort();
        prop_assert_eq!(new, words(&joined(&inserted, "\n")));
        prop_assert_eq!(delta.fixed, vec![]);
    }

    #[test]
    fn any_server_output_is_handled(old in lines(), new in lines(), before in wild(), after in wild()) {
        let (old, new) = (joined(&old, "\n"), joined(&new, "\n"));
        let before = Baseline::shifted(&report("c", before), &old, &Change::between(&old, &new));
        let delta = DiagnosticsDelta::compute(&[before], &[report("c", after.clone())], Severity::Hint);
        prop_assert!(delta.new.len() + delta.remaining.len() <= after.len());
    }
}
