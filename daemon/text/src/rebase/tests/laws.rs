//! Properties of every base, change and typing.

use proptest::prelude::*;
use proptest::sample::Index;
use similar::TextMerge;

use super::*;
use crate::edit_validation::splits_line_break;

/// Lines of few kinds, so that many repeat and collide.
fn text() -> impl Strategy<Value = String> {
    let newline = prop::sample::select(vec!["\n", "\n", "\r\n"]);
    let line = prop::sample::select(vec!["", "a", "b", "ab", "é", "}", "a\r"]);
    let lines = prop::collection::vec((line, newline), 0..7);
    (lines, any::<bool>()).prop_map(|(lines, ended)| {
        let mut text: String = lines.iter().flat_map(|(line, newline)| [*line, *newline]).collect();
        if !ended {
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
        }
        text
    })
}

type Steps = Vec<(Index, Index, String)>;

/// Some edits of any text: places and replacements.
fn steps(pieces: &'static [&'static str]) -> impl Strategy<Value = Steps> {
    let piece = prop::collection::vec(prop::sample::select(pieces), 0..3).prop_map(|all| all.concat());
    prop::collection::vec((any::<Index>(), any::<Index>(), piece), 0..4)
}

/// Some pieces only one side writes, some both.
const AGENT: &[&str] = &["p", "q", "p\n", "\nq", "\r\n", "\n", "a", "é"];
const PERSON: &[&str] = &["X", "Y", "X\n", "\nY", "\r\n", "\n", "😀", "a"];
const TYPED: &[char] = &['X', 'Y', '😀'];

fn agent() -> impl Strategy<Value = Steps> {
    steps(AGENT)
}

fn user() -> impl Strategy<Value = Steps> {
    steps(PERSON)
}

fn change(text: &str, steps: &Steps) -> Change {
    let fits = |at: &usize| text.is_char_boundary(*at) && !splits_line_break(text, *at);
    let places: Vec<_> = (0..=text.len()).filter(fits).collect();
    let edit = |(start, len, with): &(Index, Index, String)| {
        let first = start.index(places.len());
        let last = (first + len.index(5)).min(places.len() - 1);
        Edit { range: places[first]..places[last], text: with.clone() }
    };
    let mut edits: Vec<Edit> = steps.iter().map(edit).collect();
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut end = 0;
    edits.retain(|edit| {
        let apart = edit.range.start >= end;
        end = end.max(edit.range.end);
        apart
    });
    Change::from_unchecked_edits(text, edits).unwrap()
}

fn typed(text: &str) -> String {
    text.chars().filter(|c| TYPED.contains(c)).collect()
}

/// Merges the edits as made, not as a comparison finds them.
fn merged(base: &str, one: &Change, other: &Change) -> Option<Change> {
    let base = BaseLines::new(base);
    merge(&base, touched_by_change(&base, one), touched_by_change(&base, other)).ok()
}

fn rebased(base: &str, change: &Change, now: &str) -> Option<Change> {
    let result = rebase(base, change, now);
    assert!(!matches!(result, Err(RebaseError::Stale(_))));
    result.ok()
}

/// For each byte of the edited text, its offset in the base.
fn origins(base: &str, edits: &[TouchedLines]) -> Vec<Option<usize>> {
    let mut origins = Vec::new();
    let mut at = 0;
    for edit in edits.iter().map(|touch| &touch.edit) {
        origins.extend((at..edit.range.start).map(Some));
        origins.extend(edit.text.bytes().map(|_| None));
        at = edit.range.end;
    }
    origins.extend((at..base.len()).map(Some));
    origins
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn nothing_typed_is_lost(base in text(), agent in agent(), user in user()) {
        let now = change(&base, &user).apply(&base).unwrap();
        if let Some(moved) = rebased(&base, &change(&base, &agent), &now) {
            prop_assert_eq!(typed(&moved.apply(&now).unwrap()), typed(&now));
        }
    }

    #[test]
    fn only_what_stands_as_it_did_is_replaced(base in text(), agent in agent(), user in user()) {
        let (one, other) = (change(&base, &agent), change(&base, &user));
        let lines = BaseLines::new(&base);
        let origins = origins(&base, &touched_by_change(&lines, &other));
        let own = touched_by_change(&lines, &one);
        for edit in merged(&base, &one, &other).unwrap_or_default().edits() {
            for origin in &origins[edit.range.clone()] {
                let origin = origin.expect("nothing that the user wrote");
                let is_own = own.iter().any(|own| own.edit.range.contains(&origin));
                prop_assert!(is_own, "{} of {:?}", origin, edit);
            }
        }
    }

    #[test]
    fn either_order_gives_the_same(base in text(), agent in agent(), user in user()) {
        let (one, other) = (change(&base, &agent), change(&base, &user));
        let (first, second) = (one.apply(&base).unwrap(), other.apply(&base).unwrap());
        let there = merged(&base, &one, &other).map(|moved| moved.apply(&second).unwrap());
        let back = merged(&base, &other, &one).map(|moved| moved.apply(&first).unwrap());
        prop_assert_eq!(there, back);

        let (one, other) = (change_by_lines(&base, &first), change_by_lines(&base, &second));
        let there = rebased(&base, &one, &second).map(|moved| moved.apply(&second).unwrap());
        let back = rebased(&base, &other, &first).map(|moved| moved.apply(&first).unwrap());
        prop_assert_eq!(there, back);
    }

    #[test]
    fn touched_lines_describe_the_same_change(base in text(), agent in agent()) {
        let change = change(&base, &agent);
        let lines = BaseLines::new(&base);
        let touches = touched_by_change(&lines, &change);
        let same = Change::from_edits(touches.iter().map(|touch| touch.edit.clone()).collect());
        prop_assert_eq!(same.apply(&base).unwrap(), change.apply(&base).unwrap());
        for touch in touches {
            prop_assert!(lines.start(touch.lines.start) <= touch.edit.range.start);
            prop_assert!(touch.edit.range.end <= lines.start(touch.lines.end));
        }
    }

    #[test]
    fn alone_a_change_stays_and_done_it_is_nothing(base in text(), agent in agent(), now in text()) {
        let change = change(&base, &agent);
        let wanted = change.apply(&base).unwrap();
        if wanted != base {
            prop_assert_eq!(rebase(&base, &change, &wanted), Ok(Change::default()));
        }
        prop_assert_eq!(rebase(&base, &change, &base), Ok(change));
        prop_assert_eq!(rebase(&base, &Change::default(), &now), Ok(Change::default()));
    }

    #[test]
    fn the_result_keeps_what_a_change_promises(base in text(), agent in agent(), user in user()) {
        let now = change(&base, &user).apply(&base).unwrap();
        if let Some(moved) = rebased(&base, &change(&base, &agent), &now) {
            prop_assert_eq!(Change::from_unchecked_edits(&now, moved.edits().to_vec()), Ok(moved));
        }
    }

    /// Each line is kept, deleted, edited or preceded by a new one, by one side only; or one side edits it
    /// and the other types a line above. Untouched lines lie between them.
    #[test]
    fn different_lines_never_clash(
        lines in prop::collection::vec((0..6, any::<bool>()), 0..8),
        newline in prop::sample::select(vec!["\n", "\r\n"]),
        ended in any::<bool>(),
    ) {
        let text = |agent: bool, user: bool| {
            let mut text = String::new();
            for (number, (what, by_agent)) in lines.iter().enumerate() {
                let end = if number + 1 < lines.len() || ended { newline } else { "" };
                let (done, other) = if *by_agent { (agent, user) } else { (user, agent) };
                let above = match what {
                    0 if done => format!("above {number}{newline}"),
                    1 if other => format!("other above {number}{newline}"),
                    _ => String::new(),
                };
                let line = match what {
                    1 | 2 if done => format!("é {number}{end}"),
                    // Without its own break it takes the previous one along.
                    3 if done && !end.is_empty() => String::new(),
                    _ => format!("line {number}{end}"),
                };
                text += &format!("{number}{newline}{above}{line}");
            }
            text
        };
        let (base, wanted, now) = (text(false, false), text(true, false), text(false, true));
        prop_assert_eq!(both(&base, &wanted, &now), Ok(text(true, true)));
    }

    #[test]
    fn a_change_is_taken_back(base in text(), agent in agent()) {
        let change = change(&base, &agent);
        let wanted = change.apply(&base).unwrap();
        let inverse = change.inverse(&base).unwrap();
        prop_assert_eq!(inverse.apply(&wanted).unwrap(), base);
        prop_assert_eq!(Change::from_unchecked_edits(&wanted, inverse.edits().to_vec()), Ok(inverse));
    }

    #[test]
    fn a_change_is_taken_back_from_under_later_typing(base in text(), agent in agent(), user in user()) {
        let change = change(&base, &agent);
        let wanted = change.apply(&base).unwrap();
        let now = self::change(&wanted, &user).apply(&wanted).unwrap();
        if let Some(undo) = rebased(&wanted, &change.inverse(&base).unwrap(), &now) {
            prop_assert_eq!(typed(&undo.apply(&now).unwrap()), typed(&now));
        }
        // Compared the same way, only the typing is left, as if the change had never been made.
        let undo = rebased(&wanted, &change_by_lines(&wanted, &base), &now).map(|undo| undo.apply(&now).unwrap());
        let typing = rebased(&wanted, &change_by_lines(&wanted, &now), &base).map(|all| all.apply(&base).unwrap());
        prop_assert_eq!(undo, typing);
    }

    /// If `similar` merges too, it gives the same text, provided all lines differ: among equal ones it
    /// chooses differently, and it treats a lone `\r` as a line break.
    #[test]
    fn similar_merges_to_the_same(
        lines in 0..7,
        ended in any::<bool>(),
        agent in agent(),
        user in user(),
    ) {
        let lines: Vec<_> = (0..lines).map(|number| format!("é{number}")).collect();
        let base = lines.join("\n") + if ended { "\n" } else { "" };
        let wanted = change(&base, &agent).apply(&base).unwrap();
        let now = change(&base, &user).apply(&base).unwrap();
        let oracle = TextMerge::from_lines(base.as_str(), now.as_str(), wanted.as_str());
        if !oracle.is_conflicted() {
            prop_assert_eq!(both(&base, &wanted, &now), Ok(oracle.to_string()));
        }
    }

    /// However many lines are equal, text after the typing is never taken for text before it.
    #[test]
    fn typing_in_one_place_moves_the_rest_as_a_whole(
        before in text(),
        typed in text(),
        after in text(),
        agent in agent(),
    ) {
        let before = if before.is_empty() || before.ends_with('\n') { before } else { before + "\n" };
        let now = format!("{before}X{typed}\n{after}");
        let change = change(&after, &agent);
        let wanted = format!("{before}X{typed}\n{}", change.apply(&after).unwrap());
        let by = before.len().cast_signed();
        let edits = change.edits().iter().map(|edit| shift_edit(edit.clone(), by)).collect();
        let base = before + &after;
        if let Some(moved) = rebased(&base, &Change::from_edits(edits), &now) {
            prop_assert_eq!(moved.apply(&now).unwrap(), wanted);
        }
    }
}
