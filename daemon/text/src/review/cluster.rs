//! Groups edits with the hunks they touch. The lines around each cluster are compared again; all other hunks
//! only shift.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use super::base_edits::apply_edits_to_piece;
use super::compare::{CompareEffort, compare, is_long};
use super::hunk_identity::{ComparedHunk, PreviousHunk, carry_over_ids, slice_piece};
use super::hunk_measure::HunkMeasure;
use super::range_shift::RangeShift;
use super::review_text::ReviewText;
use super::undone_hunks::{UndoneHunk, growth};
use super::{Hunk, HunkId, HunkOutcome, Review};
use crate::Edit;

/// A shorter edit is a keystroke, not a paste.
const KEYSTROKE: usize = 1024;

#[derive(Debug, Clone)]
pub(super) enum HunkAuthor {
    /// With the call id.
    Agent(Arc<str>),
    User,
    /// A decision, with the outcome of the hunks that it ends.
    Decision(HunkOutcome),
}

/// Edits of the text, and the same edits in the base.
#[derive(Debug)]
pub(super) struct EditWindow {
    /// The text lines that change.
    pub(super) window: Range<usize>,
    pub(super) text: Vec<Edit>,
    pub(super) base: Vec<Edit>,
}

impl EditWindow {
    pub(super) fn new(body: &ReviewText, edit: Edit) -> Self {
        let Range { start, end } = edit.range;
        let whole = if edit.text.is_empty() { body.begins_line(start) } else { edit.text.ends_with('\n') };
        let to = if whole && body.begins_line(end) { end } else { body.line_end(end) };
        Self { window: body.line_start(start)..to, text: vec![edit], base: Vec::new() }
    }
}

/// Edit windows that touch, with the hunks among them.
#[derive(Debug)]
pub(super) struct HunkCluster {
    pub(super) window: Range<usize>,
    /// Indices into the list of hunks.
    pub(super) hunks: Range<usize>,
    text: Vec<Edit>,
    base: Vec<Edit>,
}

/// The result of resolving a cluster.
#[derive(Debug, Default)]
struct ClusterOutcome {
    replaced: Range<usize>,
    /// Not yet shifted by earlier clusters; id 0 means a new hunk.
    hunks: Vec<Hunk>,
    text: Vec<Edit>,
    base: Vec<Edit>,
    undone: Vec<UndoneHunk>,
    redone: Vec<HunkId>,
}

impl Review {
    /// The only place that changes base, text and hunks.
    pub(super) fn apply_edit_windows(&mut self, touches: Vec<EditWindow>, author: HunkAuthor) {
        let clusters = self.clusters(touches);
        let outcomes: Vec<_> =
            clusters.into_iter().map(|cluster| self.resolve_cluster(cluster, &author)).collect();
        let end = if let HunkAuthor::Decision(end) = author { end } else { HunkOutcome::Vanished };
        let (mut base, mut text) = (Vec::new(), Vec::new());
        let (mut undone, mut redone) = (Vec::new(), Vec::new());
        let (mut base_grown, mut text_grown, mut done) = (0, 0, 0);
        let mut old = std::mem::take(&mut self.hunks).into_iter();
        let mut hunks = Vec::with_capacity(old.len());
        for outcome in outcomes {
            let Range { start, end: to } = outcome.replaced;
            let before = old.by_ref().take(start.saturating_sub(done));
            hunks.extend(before.map(|hunk| shift_hunk(hunk, base_grown, text_grown)));
            let replaced: Vec<_> = old.by_ref().take(to - start).collect();
            done = to;
            let living: HashSet<_> = outcome.hunks.iter().map(|hunk| hunk.id).collect();
            for gone in replaced.iter().filter(|gone| !living.contains(&gone.id)) {
                self.record_outcome(gone.id, if gone.rejecting { HunkOutcome::Rejected } else { end });
            }
            for mut hunk in outcome.hunks {
                if hunk.id == HunkId(0) {
                    hunk.id = self.allocate_id();
                }
                hunks.push(shift_hunk(hunk, base_grown, text_grown));
            }
            base_grown += outcome.base.iter().map(growth).sum::<isize>();
            text_grown += outcome.text.iter().map(growth).sum::<isize>();
            base.extend(outcome.base);
            text.extend(outcome.text);
            undone.extend(outcome.undone);
            redone.extend(outcome.redone);
        }
        hunks.extend(old.map(|hunk| shift_hunk(hunk, base_grown, text_grown)));
        self.hunks = hunks;
        self.base.apply_edits(&base);
        self.text.apply_edits(&text);
        self.shift_undone(&base, undone, &redone);
        self.drop_hunks_if_equal(end);
        self.measure_hunks();
    }

    pub(super) fn clusters(&self, touches: Vec<EditWindow>) -> Vec<HunkCluster> {
        let mut clusters: Vec<HunkCluster> = Vec::with_capacity(touches.len());
        for EditWindow { mut window, text, base } in touches {
            let first = self.first_hunk_reaching(window.start);
            let after = self.hunks.partition_point(|hunk| hunk.text.start <= window.end).max(first);
            for hunk in self.hunks.get(first..after).unwrap_or_default() {
                window = window.start.min(hunk.text.start)..window.end.max(hunk.text.end);
            }
            match clusters.last_mut() {
                Some(last) if window.start <= last.window.end => {
                    last.window.end = last.window.end.max(window.end);
                    last.hunks.end = last.hunks.end.max(after);
                    last.text.extend(text);
                    last.base.extend(base);
                }
                _ => clusters.push(HunkCluster { window, hunks: first..after, text, base }),
            }
        }
        clusters
    }

    fn resolve_cluster(&self, cluster: HunkCluster, author: &HunkAuthor) -> ClusterOutcome {
        let HunkCluster { window, hunks: replaced, text, base } = cluster;
        let hunks = self.hunks.get(replaced.clone()).unwrap_or_default();
        let base_window = self.base_window(&window, &replaced);
        let is_user = matches!(author, HunkAuthor::User);
        let undone = if is_user { self.undone_in(&base_window) } else { Vec::new() };
        if is_user && hunks.is_empty() && undone.is_empty() {
            // Outside all hunks both texts get the same edit.
            return ClusterOutcome { replaced, text, base, ..ClusterOutcome::default() };
        }
        if let Some(hunk) = self.grow_hunk(hunks, &window, &text, &base) {
            let hunks = vec![with_author(hunk, author)];
            return ClusterOutcome { replaced, hunks, text, base, ..ClusterOutcome::default() };
        }
        let old = (&*self.base.slice(base_window.clone()), &*self.text.slice(window.clone()));
        let start = (base_window.start, window.start);
        let new_text = apply_edits_to_piece(old.1, start.1, &text);
        let is_undo = !hunks.is_empty() && new_text == old.0;
        let (undone, redo) =
            self.find_redone(undone, |edits| apply_edits_to_piece(old.1, start.1, edits) == new_text);
        let base = if is_undo || !redo.is_empty() { Vec::new() } else { base };
        let new_base = apply_edits_to_piece(old.0, start.0, &base);

        let moved = (RangeShift::new(&base), RangeShift::new(&text));
        let lines = |base: &Range<usize>| slice_piece(old.0, base, start.0);
        let known = |hunk| {
            PreviousHunk::from_hunk(
                hunk,
                &moved,
                (lines(&hunk.base), slice_piece(old.1, &hunk.text, start.1)),
            )
        };
        let mut olds: Vec<_> = hunks.iter().map(known).collect();
        for (undone, edit) in undone.iter().zip(&redo) {
            olds.push(PreviousHunk::from_undone(
                undone,
                moved.1.shift_range(&edit.range),
                lines(&undone.base),
            ));
        }
        olds.sort_by_key(|old| (old.base.start, old.base.end));

        let pairs = compare(&new_base, &new_text, effort(&text, author));
        let new = |(base, text)| ComparedHunk::new(base, text, (&new_base, &new_text), start);
        let mut found: Vec<_> = pairs.into_iter().map(new).collect();
        carry_over_ids(&olds, &mut found);
        let typed: Vec<_> = text.iter().map(|edit| moved.1.shift_range(&edit.range)).collect();
        let hunks_now = found.into_iter().map(|new| attribute_hunk(new, &typed, author)).collect();
        let ended = hunks.iter().filter(|_| is_undo);
        let ended =
            ended.filter_map(|hunk| UndoneHunk::from_hunk(hunk, self.new_text(hunk), is_user)).collect();
        let redone = undone.iter().map(|undone| undone.id).collect();
        ClusterOutcome { replaced, hunks: hunks_now, text, base, undone: ended, redone }
    }

    /// The base lines beside a window; no hunk crosses its borders.
    pub(super) fn base_window(&self, window: &Range<usize>, hunks: &Range<usize>) -> Range<usize> {
        let place = |at: usize, before: usize| {
            let last = before.checked_sub(1).and_then(|last| self.hunks.get(last));
            last.map_or(at, |hunk| hunk.base.end + (at - hunk.text.end))
        };
        place(window.start, hunks.start)..place(window.end, hunks.end)
    }

    /// The hunk after edits inside it that cannot make any of its lines equal to the base, or where finding
    /// such lines costs more than a keystroke may.
    fn grow_hunk(&self, hunks: &[Hunk], window: &Range<usize>, text: &[Edit], base: &[Edit]) -> Option<Hunk> {
        let [hunk] = hunks else { return None };
        let (first, last) = (text.first()?, text.last()?);
        if !base.is_empty() || *window != hunk.text {
            return None;
        }
        let len = hunk.text.len().saturating_add_signed(text.iter().map(growth).sum());
        let is_between = || {
            first.range.start >= self.text.line_end(hunk.text.start)
                && last.range.end < self.text.line_start(hunk.text.end.saturating_sub(1))
                && is_long(hunk.base.len() + hunk.text.len())
        };
        let stays = if hunk.base.is_empty() { len > 0 } else { is_between() };
        let text = hunk.text.start..hunk.text.start + len;
        stays.then(|| Hunk { text, rejecting: false, measure: HunkMeasure::default(), ..hunk.clone() })
    }

    /// Lines deleted in one place and inserted in another, among equal lines, are no difference.
    fn drop_hunks_if_equal(&mut self, end: HunkOutcome) {
        let (Some(first), Some(last)) = (self.hunks.first(), self.hunks.last()) else { return };
        let (base, text) = (first.base.start..last.base.end, first.text.start..last.text.end);
        if self.text.slices_equal(text, &self.base, base) {
            for hunk in std::mem::take(&mut self.hunks) {
                self.record_outcome(hunk.id, end);
            }
        }
    }
}

/// A hunk belongs to the author whose edit touches and changes it.
fn attribute_hunk(new: ComparedHunk<'_>, typed: &[Range<usize>], author: &HunkAuthor) -> Hunk {
    let near = typed.partition_point(|typed| typed.end < new.text.start);
    let is_touched = typed.get(near).is_some_and(|typed| typed.start <= new.text.end);
    let ComparedHunk { id, calls, edited, rejecting, is_unchanged, base, text, .. } = new;
    let is_new = calls.is_empty();
    let hunk = Hunk {
        id: id.unwrap_or(HunkId(0)),
        base,
        text,
        calls,
        edited,
        rejecting,
        measure: HunkMeasure::default(),
    };
    if (is_touched && !is_unchanged) || is_new { with_author(hunk, author) } else { hunk }
}

fn effort(edits: &[Edit], author: &HunkAuthor) -> CompareEffort {
    let size: usize = edits.iter().map(|edit| edit.range.len() + edit.text.len()).sum();
    let is_quick = size < KEYSTROKE && !matches!(author, HunkAuthor::Decision(_));
    if is_quick { CompareEffort::Keystroke } else { CompareEffort::Full }
}

fn with_author(mut hunk: Hunk, author: &HunkAuthor) -> Hunk {
    match author {
        HunkAuthor::Agent(call) if !hunk.calls.contains(call) => hunk.calls.push(call.clone()),
        HunkAuthor::User => hunk.edited = true,
        HunkAuthor::Agent(_) | HunkAuthor::Decision(_) => {}
    }
    hunk
}

fn shift_hunk(hunk: Hunk, base: isize, text: isize) -> Hunk {
    let shift = |range: &Range<usize>, by: isize| {
        range.start.saturating_add_signed(by)..range.end.saturating_add_signed(by)
    };
    Hunk { base: shift(&hunk.base, base), text: shift(&hunk.text, text), ..hunk }
}
