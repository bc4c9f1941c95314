//! One review, and what it follows.

use std::collections::HashMap;
use std::path::PathBuf;

use copydesk_text::review::{Current, HunkId, Print, Review};
use copydesk_text::{Change, Document, Edit};

use super::ReviewId;
use super::problems::{Problem, Problems};
use super::propose::Proposed;
use crate::buffers::{ClientId, Typed};
use crate::journal::Form;

#[derive(Debug)]
pub(super) struct Tracked {
    pub(super) id: ReviewId,
    /// As the buffers name the document.
    pub(super) name: PathBuf,
    /// For a person or a model.
    pub(super) shown: String,
    pub(super) review: Review,
    /// That of the document: as it was when the agent deleted it, or as it is to be when it is created.
    pub(super) form: Form,
    /// What waits for it, where it is one *before*.
    pub(super) proposed: Option<Proposed>,
    /// The client whose buffer it follows.
    pub(super) follows: Option<ClientId>,
    /// Decisions that are being carried out.
    pub(super) carrying: usize,
    /// What viewers know of the first hunks.
    pub(super) told: HashMap<HunkId, Told>,
    pub(super) problems: Problems,
    /// Hunks with a person's typing in them that the model knows of.
    pub(super) noted: HashMap<HunkId, Print>,
    /// Why what was proposed came to nothing.
    pub(super) failed: Option<String>,
    /// Viewers do not know it as it is.
    pub(super) is_changed: bool,
    /// The disk does not know it as it is.
    pub(super) is_unsaved: bool,
}

/// What of a hunk a viewer should know, but for its place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) expected: Print,
    pub(super) edited: bool,
    pub(super) rejecting: bool,
    pub(super) problems: Vec<Problem>,
}

impl Tracked {
    pub(super) fn new(name: PathBuf, shown: String, review: Review) -> Self {
        Self {
            id: ReviewId(0),
            name,
            shown,
            review,
            form: Form::default(),
            proposed: None,
            follows: None,
            carrying: 0,
            told: HashMap::new(),
            problems: Problems::new(),
            noted: HashMap::new(),
            failed: None,
            is_changed: true,
            is_unsaved: true,
        }
    }

    pub(super) fn is_before(&self) -> bool {
        self.proposed.is_some()
    }

    /// One *before* of a file that is not there yet, or is to go: its text is not the document's.
    pub(super) fn is_new_file(&self) -> bool {
        self.is_before() && self.review.whole_hunk().is_some()
    }

    /// The call that it is of has its answer.
    pub(super) fn is_answered(&self) -> bool {
        self.proposed.as_ref().is_some_and(|proposed| proposed.is_answered)
    }

    /// Nothing is left to decide.
    pub(super) fn is_over(&self) -> bool {
        self.review.is_empty() || self.is_answered()
    }

    /// Whether an editor's undo or redo may bring its hunks back.
    pub(super) fn may_return(&self) -> bool {
        !self.is_before() && self.follows.is_some() && self.review.has_been()
    }

    /// Whether its text is that of the document, and still matters.
    pub(super) fn follows_text(&self) -> bool {
        !self.is_new_file() && !self.is_answered()
    }

    /// What the text is other than it was, a person did.
    pub(super) fn catch_up<'a>(&mut self, now: impl Into<Current<'a>>) {
        let now = now.into();
        if !self.follows_text() || self.review.is_at(now) {
            return;
        }
        let change = Change::between(&self.review.text(), &now.text());
        // Cannot be refused: it was made for this very text.
        let _ = self.review.person(&change);
        self.is_changed = true;
    }

    /// What a person typed, piece by piece. A review that is not where it should be looks at the whole text.
    pub(super) fn typed(&mut self, typed: &[Typed<'_>], now: &Document) {
        if !self.follows_text() {
            return;
        }
        let hunks = self.shape();
        for piece in typed {
            let Some(range) = piece.range.clone() else { return self.catch_up(now) };
            let edit = Edit { range, text: piece.text.to_owned() };
            if self.review.person(&edit.into()).is_err() {
                return self.catch_up(now);
            }
        }
        if self.review.size() != now.len() {
            return self.catch_up(now);
        }
        // Typing outside of hunks moves them, which marks in an editor do by themselves.
        let touches = |range: &std::ops::Range<usize>, piece: &Typed<'_>| {
            piece.range.as_ref().is_some_and(|typed| {
                typed.start <= range.end && range.start <= typed.start + piece.text.len().max(typed.len())
            })
        };
        let is_inside =
            self.review.hunks().iter().any(|hunk| typed.iter().any(|piece| touches(&hunk.text, piece)));
        self.is_changed |= is_inside || hunks != self.shape();
        self.is_unsaved |= hunks != self.shape();
    }

    /// How many hunks there are, and whether the file is one.
    fn shape(&self) -> (usize, bool) {
        (self.review.hunks().len(), self.review.whole_hunk().is_some())
    }
}
