//! One review and the text that it follows.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use copydesk_text::review::{CurrentText, HunkFingerprint, HunkId, Review};
use copydesk_text::{Change, Document, Edit};

use super::ReviewId;
use super::diagnostics::{DiagnosticsByHunk, ReviewDiagnostic};
use super::proposal::WaitingCall;
use crate::buffers::{ByteRangeChange, ClientId};
use crate::journal::FileAttributes;

#[derive(Debug)]
pub(super) struct TrackedReview {
    pub(super) id: ReviewId,
    /// The name of the document in the buffers.
    pub(super) name: PathBuf,
    /// For a user or a model.
    pub(super) display_path: String,
    pub(super) review: Review,
    /// Of the document: before the agent deleted it, or for its creation.
    pub(super) attributes: FileAttributes,
    /// The call that waits, for a review *before*.
    pub(super) waiting_call: Option<WaitingCall>,
    /// The client whose buffer it follows.
    pub(super) followed_client: Option<ClientId>,
    /// Decisions that are being applied.
    pub(super) decisions_in_progress: usize,
    /// The state of the first hunks that viewers know.
    pub(super) published_hunks: HashMap<HunkId, PublishedHunk>,
    pub(super) problems: DiagnosticsByHunk,
    /// Hunks with the user's typing that the model knows of.
    pub(super) noted: HashMap<HunkId, HunkFingerprint>,
    /// Hunks that the user reverted in an editor and that the model does not know of.
    pub(super) reverted: HashSet<HunkId>,
    /// The user's undo took its last hunks; a redo brings them back.
    pub(super) is_undone: bool,
    /// Why the proposal failed.
    pub(super) failed: Option<String>,
    /// Viewers do not know its current state.
    pub(super) is_changed: bool,
    /// The journal does not have its current state.
    pub(super) is_unsaved: bool,
}

/// What a viewer knows of a hunk, except its position.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PublishedHunk {
    pub(super) expected: HunkFingerprint,
    pub(super) edited: bool,
    pub(super) rejecting: bool,
    pub(super) problems: Vec<ReviewDiagnostic>,
}

impl TrackedReview {
    pub(super) fn new(name: PathBuf, shown: String, review: Review) -> Self {
        Self {
            id: ReviewId(0),
            name,
            display_path: shown,
            review,
            attributes: FileAttributes::default(),
            waiting_call: None,
            followed_client: None,
            decisions_in_progress: 0,
            published_hunks: HashMap::new(),
            problems: DiagnosticsByHunk::new(),
            noted: HashMap::new(),
            reverted: HashSet::new(),
            is_undone: false,
            failed: None,
            is_changed: true,
            is_unsaved: true,
        }
    }

    pub(super) fn is_proposal(&self) -> bool {
        self.waiting_call.is_some()
    }

    /// A review *before* of a file to be created or deleted: its text is not the document's.
    pub(super) fn is_new_file(&self) -> bool {
        self.is_proposal() && self.review.file_hunk().is_some()
    }

    /// Its call has its answer.
    pub(super) fn is_answered(&self) -> bool {
        self.waiting_call.as_ref().is_some_and(|proposed| proposed.is_answered)
    }

    /// Nothing is left to decide.
    pub(super) fn is_decided(&self) -> bool {
        self.review.is_empty() || self.is_answered()
    }

    /// Whether an undo or redo, in an editor or of the daemon, may bring its hunks back.
    pub(super) fn may_reappear(&self) -> bool {
        let may_in_editor = self.followed_client.is_some() && self.review.has_snapshots();
        !self.is_proposal() && (may_in_editor || self.is_undone)
    }

    /// Whether its text is the document's, and still matters.
    pub(super) fn follows_text(&self) -> bool {
        !self.is_new_file() && !self.is_answered()
    }

    /// Takes over a text; every difference counts as the user's.
    pub(super) fn adopt_text<'a>(&mut self, now: impl Into<CurrentText<'a>>) {
        let now = now.into();
        if !self.follows_text() || self.review.has_text(now) {
            return;
        }
        let change = Change::between(&self.review.text(), &now.text());
        // Cannot fail: the change was made for this text.
        let _ = self.review.record_user_change(&change);
        self.is_changed = true;
    }

    /// Records what the user typed. If a change does not fit, it takes over the whole text.
    pub(super) fn apply_typing(&mut self, typed: &[ByteRangeChange<'_>], now: &Document) {
        if !self.follows_text() {
            return;
        }
        let (hunks, reverted) = (self.shape(), self.review.reverted_ids());
        if self.record_typing(typed).is_none() || self.review.size() != now.len() {
            return self.adopt_text(now);
        }
        self.note_reverted(&reverted);
        // Typing outside of hunks moves them; marks in an editor move by themselves.
        let touches = |range: &std::ops::Range<usize>, piece: &ByteRangeChange<'_>| {
            piece.range.as_ref().is_some_and(|typed| {
                typed.start <= range.end && range.start <= typed.start + piece.text.len().max(typed.len())
            })
        };
        let is_inside =
            self.review.hunks().iter().any(|hunk| typed.iter().any(|piece| touches(&hunk.text, piece)));
        self.is_changed |= is_inside || hunks != self.shape();
        self.is_unsaved |= hunks != self.shape();
    }

    /// `None` if a change does not fit.
    fn record_typing(&mut self, typed: &[ByteRangeChange<'_>]) -> Option<()> {
        let edit = |piece: &ByteRangeChange<'_>| {
            Some(Edit { range: piece.range.clone()?, text: piece.text.to_owned() })
        };
        let edits: Vec<_> = typed.iter().map(edit).collect::<Option<_>>()?;
        let is_upwards =
            edits.windows(2).all(|pair| matches!(pair, [one, next] if next.range.end <= one.range.start));
        if edits.len() > 1 && is_upwards {
            // So VS Code reports what happens at once. One by one, an undo of many places would not be recognised.
            return self.review.record_user_edits(edits.into_iter().rev().collect()).ok();
        }
        edits.into_iter().try_for_each(|edit| self.review.record_user_change(&edit.into())).ok()
    }

    /// Remembers the hunks that are reverted now and were not before, and forgets those that have returned.
    fn note_reverted(&mut self, before: &HashSet<HunkId>) {
        if self.is_proposal() {
            return;
        }
        let now = self.review.reverted_ids();
        self.reverted.retain(|id| now.contains(id));
        self.reverted.extend(now.difference(before));
    }

    /// The number of hunks, and whether the file itself is one.
    fn shape(&self) -> (usize, bool) {
        (self.review.hunks().len(), self.review.file_hunk().is_some())
    }
}
