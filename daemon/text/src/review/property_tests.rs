//! Properties of a review under random steps; the model checks each.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::Review;
use super::model_tests::ReviewModel;
use crate::{Change, Edit};

/// Where an edit starts or ends, resolved against the text of that moment.
#[derive(Debug, Clone)]
enum EditPlace {
    Anywhere(u16),
    Line(u16),
    /// The border of a hunk, or a character beside it.
    Border(u16, i8),
    Start,
    End,
}

#[derive(Debug, Clone)]
enum ReviewStep {
    Agent(Vec<(EditPlace, u8, &'static str)>),
    /// `bool`: with a unique word before the text.
    User(EditPlace, u8, &'static str, bool),
    PersonBetween(EditPlace, EditPlace, &'static str, bool),
    Keep(usize, Option<(u8, u8)>),
    KeepAll,
    Reject(usize, Option<(u8, u8)>, bool),
    /// The editor's undo of the last edit, or its redo if undo was the last step.
    Undo,
    /// Saved and restored, with the user's changes to the file in between.
    Restart(Vec<(EditPlace, u8, &'static str)>),
    Commit(u8),
}

const TEXTS: [&str; 14] =
    ["", "", "a\n", "b\n", "}\n", "\n", "x", "é", "\r\n", "c\r\n", "a\nb\n", "\na", "q\nr\ns\n", "\r"];

fn place() -> impl Strategy<Value = EditPlace> {
    prop_oneof![
        3 => any::<u16>().prop_map(EditPlace::Anywhere),
        3 => any::<u16>().prop_map(EditPlace::Line),
        4 => (any::<u16>(), -1i8..=1).prop_map(|(number, by)| EditPlace::Border(number, by)),
        1 => Just(EditPlace::Start),
        1 => Just(EditPlace::End),
    ]
}

fn edit() -> impl Strategy<Value = (EditPlace, u8, &'static str)> {
    (place(), prop_oneof![2 => Just(0u8), 3 => 0u8..8], prop::sample::select(&TEXTS[..]))
}

fn step() -> impl Strategy<Value = ReviewStep> {
    let lines = || prop::option::of((any::<u8>(), any::<u8>()).prop_map(|(old, new)| (old & 7, new & 7)));
    prop_oneof![
        6 => prop::collection::vec(edit(), 1..4).prop_map(ReviewStep::Agent),
        6 => (edit(), any::<bool>()).prop_map(|((place, len, text), word)| ReviewStep::User(place, len, text, word)),
        3 => (place(), place(), prop::sample::select(&TEXTS[..]), any::<bool>())
            .prop_map(|(from, to, text, word)| ReviewStep::PersonBetween(from, to, text, word)),
        2 => (any::<usize>(), lines()).prop_map(|(number, lines)| ReviewStep::Keep(number, lines)),
        2 => (any::<usize>(), lines(), any::<bool>())
            .prop_map(|(number, lines, takes)| ReviewStep::Reject(number, lines, takes)),
        2 => Just(ReviewStep::Undo),
        1 => prop::collection::vec(edit(), 0..3).prop_map(ReviewStep::Restart),
        1 => any::<u8>().prop_map(ReviewStep::Commit),
        1 => Just(ReviewStep::KeepAll),
    ]
}

fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof!["[ab]{0,2}", Just("}".to_owned()), Just("é".to_owned()), "[a-z]{1,3}"];
    let ending = prop_oneof![8 => Just("\n"), 1 => Just("\r\n")];
    (prop::collection::vec((line, ending), 0..12), any::<bool>()).prop_map(|(lines, ended)| {
        let text: String = lines.into_iter().map(|(line, ending)| line + ending).collect();
        if ended { text } else { text.trim_end().to_owned() }
    })
}

impl EditPlace {
    fn at(&self, review: &Review, text: &str) -> usize {
        let pick = |number: u16, of: &[usize]| of.get(usize::from(number) % of.len().max(1)).copied();
        let at = match self {
            Self::Start => 0,
            Self::End => text.len(),
            Self::Anywhere(number) => usize::from(*number) % (text.len() + 1),
            Self::Line(number) => {
                let starts = text.match_indices('\n').map(|(at, _)| at + 1);
                pick(*number, &[0].into_iter().chain(starts).collect::<Vec<_>>()).unwrap_or_default()
            }
            Self::Border(number, by) => {
                let ends = review.hunks().iter().flat_map(|hunk| [hunk.text.start, hunk.text.end]);
                let border = pick(*number, &ends.collect::<Vec<_>>()).unwrap_or_default();
                border.saturating_add_signed(isize::from(*by))
            }
        };
        text.floor_char_boundary(at)
    }
}

/// Edits of the present text, sorted and non-overlapping.
fn edits(model: &ReviewModel, wanted: &[(EditPlace, u8, &'static str)]) -> Vec<Edit> {
    let place = |(place, len, new): &(EditPlace, u8, &'static str)| {
        let start = place.at(&model.review, &model.text);
        let end = model.text.floor_char_boundary(start + usize::from(*len));
        Edit { range: start..end.max(start), text: (*new).to_owned() }
    };
    let mut edits: Vec<_> = wanted.iter().map(place).collect();
    edits.sort_by_key(|edit| edit.range.start);
    let mut end = None;
    edits.retain(|edit| {
        let is_apart = end.is_none_or(|end| end < edit.range.start);
        if is_apart {
            end = Some(edit.range.end);
        }
        is_apart
    });
    edits
}

fn typed(model: &mut ReviewModel, range: std::ops::Range<usize>, text: &str, with_word: bool) {
    let word = with_word.then(|| model.word());
    let text = word.clone().unwrap_or_default() + text;
    model.user(Edit { range, text }, word.as_deref());
}

/// Runs all steps; remembers the text before each edit for undo.
fn run(text: &str, steps: &[ReviewStep]) {
    let mut model = ReviewModel::new(text);
    let mut history: Vec<(String, Option<ReviewModel>)> = Vec::new();
    for step in steps {
        let before = model.clone();
        match step {
            ReviewStep::Agent(wanted) => {
                let edits = edits(&model, wanted);
                model.agent(edits);
                history.push((before.text.clone(), Some(before)));
            }
            ReviewStep::User(place, len, text, word) => {
                let start = place.at(&model.review, &model.text);
                let end = model.text.floor_char_boundary(start + usize::from(*len)).max(start);
                typed(&mut model, start..end, text, *word);
                history.push((before.text, None));
            }
            ReviewStep::PersonBetween(from, to, text, word) => {
                let ends = [from, to].map(|place| place.at(&model.review, &model.text));
                typed(&mut model, ends[0].min(ends[1])..ends[0].max(ends[1]), text, *word);
                history.push((before.text, None));
            }
            ReviewStep::Keep(number, lines) => {
                let decision = model.pick(*number, *lines);
                model.keep(decision.as_slice());
                history.clear();
            }
            ReviewStep::KeepAll => model.keep(&model.review.all_decisions()),
            ReviewStep::Reject(number, lines, takes) => {
                let decision = model.pick(*number, *lines);
                model.reject(decision.as_slice(), *takes);
                history.push((before.text, None));
            }
            ReviewStep::Undo => undo(&mut model, history.pop()),
            ReviewStep::Restart(wanted) => {
                restart(&mut model, wanted);
                // The states before the agent's edits are not saved.
                history.iter_mut().for_each(|(_, agents)| *agents = None);
            }
            ReviewStep::Commit(number) => commit(&mut model, *number),
        }
    }
}

fn undo(model: &mut ReviewModel, last: Option<(String, Option<ReviewModel>)>) {
    let Some((text, agents)) = last else { return };
    let done = model.clone();
    let back = Change::between(&model.text, &text);
    model.review.record_user_change(&back).unwrap();
    model.text.clone_from(&text);
    model.check();
    let Some(before) = agents.filter(|before| before.review.base() == done.review.base()) else { return };
    let hunks = |review: &Review| review.hunks().iter().map(|hunk| hunk.id).collect::<Vec<_>>();
    assert_eq!(model.review.base(), before.review.base(), "undone, it leaves the base");
    assert_eq!(hunks(&model.review), hunks(&before.review), "undone, the hunks are what they were");
    let again = Change::between(&text, &done.text);
    model.review.record_user_change(&again).unwrap();
    model.text.clone_from(&done.text);
    model.check();
    assert_eq!(model.review.base(), done.review.base(), "redone, it is the agent's again\n{done:#?}");
}

fn restart(model: &mut ReviewModel, wanted: &[(EditPlace, u8, &'static str)]) {
    let meanwhile = Change::from_edits(edits(model, wanted));
    let live = meanwhile.apply(&model.text).unwrap();
    let json = serde_json::to_string(&model.review.to_saved()).unwrap();
    let (review, lost) = Review::restore(serde_json::from_str(&json).unwrap(), &live).unwrap();
    if meanwhile.is_empty() {
        assert_eq!((review.hunks(), lost.len()), (model.review.hunks(), 0));
        assert_eq!(review.base(), model.review.base());
    }
    let lost_one = |id| lost.iter().any(|lost| lost.id == id);
    assert!(review.hunks().iter().all(|hunk| !lost_one(hunk.id)), "lost, and still there");
    model.review = review;
    model.text = live;
    model.check();
}

/// Commits the text, possibly without one hunk.
fn commit(model: &mut ReviewModel, number: u8) {
    let left_out = model.pick(usize::from(number), None).filter(|_| number.is_multiple_of(2));
    let mut other = model.review.clone();
    let change = other.reject(left_out.as_slice()).change;
    let committed = change.apply(&model.text).unwrap();
    let all: Vec<_> = model.review.hunks().iter().map(|hunk| hunk.id).collect();
    let kept = model.review.keep_committed(&committed);
    model.check();
    if left_out.is_none() {
        assert_eq!(kept, all, "all of it was committed");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3000,
        rng_seed: RngSeed::Fixed(20261115),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn whatever_happens_base_and_hunks_give_the_text(
        text in text(), steps in prop::collection::vec(step(), 1..20),
    ) {
        run(&text, &steps);
    }

    #[test]
    fn hostile_ranges_are_refused_and_change_nothing(
        text in text(), agents in prop::collection::vec(edit(), 1..4),
        ranges in prop::collection::vec((0usize..40, 0usize..40), 1..3),
    ) {
        let mut model = ReviewModel::new(&text);
        let edits = edits(&model, &agents);
        model.agent(edits);
        let edit = |(start, end): &(usize, usize)| Edit { range: *start..*end, text: "h\n".into() };
        let change = Change::from_edits(ranges.iter().map(edit).collect());
        let before = model.review.clone();
        let expected = change.apply(&model.text);
        let results = [
            model.review.record_agent_change(&change, "hostile").is_ok(),
            before.clone().record_user_change(&change).is_ok(),
            before.clone().record_rejection(&change).is_ok(),
        ];
        assert_eq!(results, [expected.is_ok(); 3]);
        model.text = expected.unwrap_or(model.text);
        model.check();
    }
}
