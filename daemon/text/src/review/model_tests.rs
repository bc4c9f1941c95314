//! A review beside plain strings, checked after every step.

use std::ops::Range;

use super::{Hunk, HunkDecision, LineSelection, Review};
use crate::{Change, Edit};

/// The review under test, and its expected state.
#[derive(Debug, Clone)]
pub(super) struct ReviewModel {
    pub(super) review: Review,
    pub(super) text: String,
    pub(super) calls: usize,
    typed: usize,
}

impl ReviewModel {
    pub(super) fn new(text: &str) -> Self {
        Self { review: Review::new(text), text: text.to_owned(), calls: 0, typed: 0 }
    }

    pub(super) fn agent(&mut self, edits: Vec<Edit>) {
        let before = self.review.base();
        let change = Change::from_edits(edits);
        self.calls += 1;
        self.review.record_agent_change(&change, &format!("call {}", self.calls)).unwrap();
        self.text = change.apply(&self.text).unwrap();
        assert_eq!(self.review.base(), before, "the agent's edits leave the base");
        self.check();
    }

    /// A unique word that marks the user's typing.
    pub(super) fn word(&mut self) -> String {
        self.typed += 1;
        format!("<{}>", self.typed)
    }

    pub(super) fn user(&mut self, edit: Edit, word: Option<&str>) {
        let before = self.review.clone();
        let (before_base, before_text) = (before.base(), before.text());
        let change = Change::from_edits(vec![edit.clone()]);
        self.review.record_user_change(&change).unwrap();
        self.text = change.apply(&self.text).unwrap();
        let base = self.review.base();
        if let Some(word) = word.filter(|_| is_outside(&before, &edit)) {
            assert!(
                base.contains(word),
                "typed outside of hunks, lost by rejecting\nbefore {before:#?}\n{edit:?}"
            );
        }
        for number in 0..=self.typed {
            let word = format!("<{number}>");
            let is_hit = |(at, _)| at < edit.range.end && edit.range.start < at + word.len();
            let stays = before_base.contains(&word) && !before_text.match_indices(&word).any(is_hit);
            assert!(!stays || base.contains(&word), "{word} was typed elsewhere\n{before:#?}\n{edit:?}");
        }
        // Text that was undone or rejected and is typed again belongs to the agent.
        let is_known = !before.undone_hunks.is_empty()
            || before.snapshots.iter().any(|state| state.text.text() == self.text);
        if let Some(mapped) = far_from_hunks(&before, &edit).filter(|_| !is_known) {
            let change = Change::from_edits(vec![Edit { range: mapped, text: edit.text.clone() }]);
            assert_eq!(base, change.apply(&before.base()).unwrap(), "outside of hunks both are edited alike");
            let ids = |review: &Review| review.hunks().iter().map(|hunk| hunk.id).collect::<Vec<_>>();
            assert_eq!(ids(&self.review), ids(&before));
        }
        let is_whole = before.refine_edits(std::slice::from_ref(&edit)) != [edit.clone()];
        if before.hunks().iter().any(|hunk| is_inside(&hunk.text, &edit)) && !is_whole {
            assert_eq!(base, before.base(), "within a hunk the base stays");
        }
        self.check();
    }

    pub(super) fn keep(&mut self, decisions: &[HunkDecision]) {
        let before = self.review.clone();
        let kept = self.review.keep(decisions);
        if let [HunkDecision { lines: None, hunk, .. }] = decisions
            && let [settled] = &*kept.decided
        {
            let hunk = before.hunk(*hunk).unwrap();
            let change =
                Change::from_edits(vec![Edit { range: hunk.base.clone(), text: settled.new.clone() }]);
            assert_eq!(self.review.base(), change.apply(&before.base()).unwrap());
            assert_eq!(self.review.hunks().len() + 1, before.hunks().len());
        }
        let again = self.review.keep(decisions);
        let whole = decisions.iter().filter(|decision| decision.lines.is_none()).count();
        assert!(again.errors.len() >= whole.min(kept.decided.len()), "kept twice");
        self.check();
    }

    /// Through a buffer that applies the change, applies it after the user's typing, or refuses it.
    pub(super) fn reject(&mut self, decisions: &[HunkDecision], takes: bool) {
        let before = self.review.clone();
        let rejection = self.review.reject(decisions);
        let twice = self.review.reject(decisions);
        assert_eq!((twice.decided, twice.change), (Vec::new(), Change::default()), "rejected twice");
        if takes {
            self.review.record_rejection(&rejection.change).unwrap();
            self.text = rejection.change.apply(&self.text).unwrap();
        } else {
            let ids: Vec<_> = rejection.decided.iter().map(|settled| settled.id).collect();
            self.review.unmark_deciding(&ids);
            assert_eq!(self.review.hunks(), before.hunks());
        }
        assert_eq!(self.review.base(), before.base(), "rejecting leaves the base");
        self.check();
    }

    /// A decision on the hunk that a number picks.
    pub(super) fn pick(&self, number: usize, lines: Option<(u8, u8)>) -> Option<HunkDecision> {
        let all = self.review.all_decisions();
        let mut decision = all.get(number % all.len().max(1))?.clone();
        let chosen = |bits: u8| (0..8).filter(|bit| bits & (1 << bit) != 0).collect();
        decision.lines = lines.map(|(old, new)| LineSelection { old: chosen(old), new: chosen(new) });
        Some(decision)
    }

    /// Checks the invariants.
    pub(super) fn check(&self) {
        let review = &self.review;
        let (base, text) = (review.base(), review.text());
        assert_eq!(text, self.text);
        let (mut made, mut at) = (String::new(), 0);
        let mut last: Option<&Hunk> = None;
        for hunk in review.hunks() {
            let (old, new) = (&base[hunk.base.clone()], &text[hunk.text.clone()]);
            assert_ne!(old, new, "a hunk's lines differ");
            assert!(review.is_measured(hunk), "what is known of a hunk is of another");
            for (piece, range, whole) in [(old, &hunk.base, &base), (new, &hunk.text, &text)] {
                assert!(range.start == 0 || whole[..range.start].ends_with('\n'), "{hunk:?} of {whole:?}");
                assert!(
                    piece.is_empty() || piece.ends_with('\n') || range.end == whole.len(),
                    "{hunk:?} of {whole:?}"
                );
            }
            assert!(
                last.is_none_or(|last| last.base.end < hunk.base.start && last.text.end < hunk.text.start)
            );
            assert!(!hunk.calls.is_empty() || hunk.edited, "somebody made it");
            made.push_str(&base[at..hunk.base.start]);
            assert_eq!(made.len(), hunk.text.start);
            made.push_str(new);
            at = hunk.base.end;
            last = Some(hunk);
        }
        made.push_str(&base[at..]);
        assert_eq!(made, text, "base and hunks give the text");
        let mut ids: Vec<_> = review.hunks().iter().map(|hunk| hunk.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), review.hunks().len(), "ids are unique");
        let all = review.all_decisions();
        if all.len() == review.hunks().len() {
            let (mut kept, mut rejected) = (review.clone(), review.clone());
            assert_eq!(kept.keep(&all).errors, []);
            assert_eq!((kept.base(), kept.is_empty()), (text.clone(), true), "keeping all");
            let change = rejected.reject(&all).change;
            rejected.record_rejection(&change).unwrap();
            assert_eq!(change.apply(&text).unwrap(), base, "rejecting all gives the base");
            assert_eq!((rejected.text(), rejected.is_empty()), (base, true), "rejecting all");
        }
        assert_eq!(review.view_hunks(0..usize::MAX).len(), review.hunks().len());
    }
}

/// Whether the typed text must survive the rejection of every hunk.
fn is_outside(review: &Review, edit: &Edit) -> bool {
    let Range { start, end } = edit.range;
    let text = review.text();
    if start < end {
        // Lines that stay, and a suffix shared with the old text, are not typed.
        let (first, last) = (text[..start].rfind('\n').map_or(0, |at| at + 1), line_end(&text, end));
        let old: Vec<_> = text[first..last].split_inclusive('\n').collect();
        let new = format!("{}{}{}", &text[first..start], edit.text, &text[end..last]);
        let is_other = new.split_inclusive('\n').all(|line| !old.contains(&line));
        let both = text[start..end].chars().rev().zip(edit.text.chars().rev());
        let same: usize = both.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        let is_free = |at: usize| review.hunks().iter().all(|hunk| !hunk.text.contains(&at));
        return is_other && !text[start..end].contains('<') && (start..end - same).any(is_free);
    }
    let begins_line = start == 0 || text[..start].ends_with('\n');
    review.hunks().iter().all(|hunk| {
        let is_near = hunk.text.start <= start && start <= hunk.text.end;
        let is_after = start == hunk.text.end && begins_line;
        let is_before = start == hunk.text.start && edit.text.ends_with('\n');
        !is_near || is_after || is_before
    })
}

/// The place in the base of an edit that whole lines separate from every hunk.
fn far_from_hunks(review: &Review, edit: &Edit) -> Option<Range<usize>> {
    let text = review.text();
    let start = text[..edit.range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = line_end(&text, edit.range.end);
    let mut grown = 0;
    for hunk in review.hunks() {
        if hunk.text.start <= end && start <= hunk.text.end {
            return None;
        }
        if hunk.text.end < start {
            grown = hunk.base.end.cast_signed() - hunk.text.end.cast_signed();
        }
    }
    let shift = |at: usize| at.checked_add_signed(grown).unwrap();
    Some(shift(edit.range.start)..shift(edit.range.end))
}

fn is_inside(hunk: &Range<usize>, edit: &Edit) -> bool {
    hunk.start < edit.range.start && edit.range.end < hunk.end
}

fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |found| at + found + 1)
}
