//! Reviews as viewers see them: all of them, and then what has changed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use copydesk_text::review::{Hunk, HunkId, HunkView, Print, WholeHunk, Words};

use super::tracked::{Told, Tracked};
use super::{Problem, ReviewId, Reviews};

/// Hunks of one review that viewers have at once. There may be more: what is decided makes room for them.
const PAGE: usize = 1000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum When {
    /// With the ask that waits for it.
    Before {
        ask: Option<String>,
    },
    After,
}

/// One review. Its hunks say what is old and new as a person means it, whichever of the two is in the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    pub id: ReviewId,
    pub name: PathBuf,
    pub shown: String,
    pub when: When,
    /// There is more of it to come.
    pub is_written: bool,
    pub print: Print,
    pub whole: Option<(WholeHunk, Print)>,
    pub hunks: Vec<HunkView>,
    /// What is wrong in their new lines, of those with anything.
    pub problems: HashMap<HunkId, Vec<Problem>>,
    pub total: usize,
    /// In lines, of all hunks.
    pub additions: usize,
    pub deletions: usize,
}

/// What is new in one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// With those hunks alone that are new or others.
    pub view: View,
    pub gone: Vec<HunkId>,
    /// Why what was proposed came to nothing.
    pub failed: Option<String>,
}

impl Reviews {
    /// What a session has to decide, by document.
    pub fn list(&self, session: &str, name: Option<&Path>, skip: usize) -> Vec<View> {
        let mut state = self.lock();
        let reviews = state.of(session).reviews.values();
        let wanted = |tracked: &&Tracked| name.is_none_or(|name| tracked.name == name) && !tracked.is_over();
        let mut views: Vec<_> = reviews.filter(wanted).map(|tracked| tracked.view(skip)).collect();
        views.sort_by(|one, other| (&one.shown, one.id).cmp(&(&other.shown, other.id)));
        views
    }

    /// What has changed since this was last asked. Reviews that are over are told once, and then are no more.
    pub fn changes(&self, session: &str) -> Vec<Change> {
        let mut state = self.lock();
        let of = state.of(session);
        let changed = of.reviews.values_mut().filter(|tracked| tracked.is_changed);
        let changes = changed.map(Tracked::change).collect();
        let is_kept = self.journal.is_some();
        of.reviews.retain(|_, tracked| {
            let is_needed = tracked.is_before() && !tracked.is_answered();
            // Whoever starts the desk again finds it as the disk has it.
            let is_to_be_kept = is_kept && tracked.is_unsaved && !tracked.is_before();
            !tracked.is_over() || is_needed || is_to_be_kept || tracked.carrying > 0 || tracked.may_return()
        });
        changes
    }
}

impl Tracked {
    pub(super) fn view(&self, skip: usize) -> View {
        self.view_where(skip, |_| true)
    }

    fn view_where(&self, skip: usize, is_wanted: impl Fn(&Hunk) -> bool) -> View {
        let (old, new) = self.review.count();
        let is_turned = self.is_before() && self.review.whole_hunk().is_none();
        let (deletions, additions) = if is_turned { (new, old) } else { (old, new) };
        let mut hunks = self.review.view_where(skip..skip.saturating_add(PAGE), is_wanted);
        if is_turned {
            hunks.iter_mut().for_each(turn);
        }
        let with_problems = self.review.hunks().iter().map(|hunk| (hunk.id, self.problems_of(hunk)));
        let problems = match self.problems.is_empty() {
            true => HashMap::new(),
            false => with_problems.map(|(id, problems)| (id, problems.to_vec())).collect(),
        };
        View {
            id: self.id,
            name: self.name.clone(),
            shown: self.shown.clone(),
            when: match &self.proposed {
                Some(proposed) => When::Before { ask: proposed.ask.clone() },
                None => When::After,
            },
            is_written: self.proposed.as_ref().is_some_and(|proposed| proposed.is_written),
            print: self.review.print_all(),
            whole: self.review.whole_hunk().cloned().zip(self.review.whole_print()),
            total: self.review.hunks().len(),
            hunks,
            problems,
            additions,
            deletions,
        }
    }

    fn change(&mut self) -> Change {
        let state = |hunk: &Hunk| Told {
            expected: self.review.decision(hunk).expected,
            edited: hunk.edited,
            rejecting: hunk.rejecting,
            problems: self.problems_of(hunk).to_vec(),
        };
        let page = self.review.hunks().iter().take(PAGE);
        let now: HashMap<_, _> = page.map(|hunk| (hunk.id, state(hunk))).collect();
        let gone = self.told.keys().filter(|id| !now.contains_key(id)).copied().collect();
        let view = self.view_where(0, |hunk| self.told.get(&hunk.id) != now.get(&hunk.id));
        self.told = now;
        self.is_changed = false;
        Change { view, gone, failed: self.failed.take() }
    }
}

/// What is in the document is the old, what the call wants the new.
fn turn(hunk: &mut HunkView) {
    std::mem::swap(&mut hunk.old, &mut hunk.new);
    std::mem::swap(&mut hunk.old_lines, &mut hunk.new_lines);
    hunk.words.iter_mut().for_each(|Words { old, new, .. }| std::mem::swap(old, new));
}
