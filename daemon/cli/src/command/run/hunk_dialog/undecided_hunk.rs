//! What the user decides at once: a hunk of lines, or a whole file.

use copydesk_protocol::review::{
    CutLineInfo, FileHunkKind, HunkInfo, ReviewDecision, ReviewInfo, ReviewVerdict, WordDiffInfo,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UndecidedHunk {
    pub(super) path: String,
    pub(super) kind: UndecidedHunkKind,
    pub(super) hunk: String,
    /// The first line, from 0.
    pub(super) line: usize,
    pub(super) old: Vec<String>,
    pub(super) new: Vec<String>,
    /// Lines of a very long hunk that the daemon left out.
    pub(super) old_missing: usize,
    pub(super) new_missing: usize,
    /// A line of `new` is only the beginning of the real one.
    pub(super) is_new_cut: bool,
    pub(super) words: Vec<WordDiffInfo>,
    expected: String,
    review: String,
    review_expected: String,
    /// Hunks of the same file that are neither decided nor being decided, this one included.
    pub(super) left: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UndecidedHunkKind {
    Lines,
    Created,
    Deleted,
    Renamed,
}

impl UndecidedHunk {
    /// All hunks except those being decided right now.
    pub(super) fn all(reviews: &[ReviewInfo]) -> Vec<Self> {
        reviews.iter().flat_map(Self::from_review).collect()
    }

    fn from_review(review: &ReviewInfo) -> Vec<Self> {
        let lines = review.hunks.iter().filter(|hunk| !hunk.deciding);
        let Some(file) = &review.file else { return lines.map(|hunk| Self::new(review, hunk)).collect() };
        // A created, deleted or renamed file is decided as a whole, with its lines.
        let item = review.hunks.first().map(|hunk| Self::new(review, hunk));
        let mut item = item.unwrap_or_else(|| Self::empty(review));
        (item.hunk, item.expected, item.left) = (file.hunk.clone(), file.expected.clone(), 1);
        item.kind = match file.kind {
            FileHunkKind::Created => UndecidedHunkKind::Created,
            FileHunkKind::Deleted => UndecidedHunkKind::Deleted,
            FileHunkKind::Renamed => UndecidedHunkKind::Renamed,
        };
        vec![item]
    }

    fn empty(review: &ReviewInfo) -> Self {
        let deciding = review.hunks.iter().filter(|hunk| hunk.deciding).count();
        Self {
            path: review.path.clone(),
            kind: UndecidedHunkKind::Lines,
            hunk: String::new(),
            line: 0,
            old: Vec::new(),
            new: Vec::new(),
            old_missing: 0,
            new_missing: 0,
            is_new_cut: false,
            words: Vec::new(),
            expected: String::new(),
            review: review.review.clone(),
            review_expected: review.expected.clone(),
            left: (review.total as usize).saturating_sub(deciding),
        }
    }

    fn new(review: &ReviewInfo, hunk: &HunkInfo) -> Self {
        Self {
            hunk: hunk.hunk.clone(),
            line: hunk.line as usize,
            old: marked(&hunk.old, &hunk.old_cut),
            new: marked(&hunk.new, &hunk.new_cut),
            old_missing: (hunk.old_lines as usize).saturating_sub(hunk.old.len()),
            new_missing: (hunk.new_lines as usize).saturating_sub(hunk.new.len()),
            is_new_cut: !hunk.new_cut.is_empty(),
            words: hunk.words.clone(),
            expected: hunk.expected.clone(),
            ..Self::empty(review)
        }
    }

    /// Whether it is the same hunk with the same lines.
    pub(super) fn is_same_hunk(&self, other: &Self) -> bool {
        (&self.hunk, &self.expected) == (&other.hunk, &other.expected)
    }

    pub(super) fn is_same_review(&self, other: &Self) -> bool {
        self.review == other.review
    }

    pub(super) fn decision(&self, verdict: ReviewVerdict) -> ReviewDecision {
        decision(&self.hunk, &self.expected, verdict)
    }

    /// A decision on the rest of the file.
    pub(super) fn decision_on_all(&self, verdict: ReviewVerdict) -> ReviewDecision {
        decision(&self.review, &self.review_expected, verdict)
    }
}

/// The lines, with a mark behind those that are cut.
fn marked(lines: &[String], cut: &[CutLineInfo]) -> Vec<String> {
    let mut lines = lines.to_vec();
    for CutLineInfo { line, bytes } in cut {
        if let Some(text) = lines.get_mut(*line as usize) {
            text.push_str(&format!("… ({bytes} bytes)"));
        }
    }
    lines
}

fn decision(hunk: &str, expected: &str, verdict: ReviewVerdict) -> ReviewDecision {
    let (hunk, expected) = (hunk.to_owned(), expected.to_owned());
    ReviewDecision { hunk, expected, verdict, lines: None, text: None, comment: None, confirmed: false }
}
