//! A requested change to one file, and how the user and the model see it.

use std::fmt::Write;

use copydesk_text::{Change as TextChange, Diff, FileText, LineTag, TruncateLimits, diff};
use copydesk_workspace::files::{ContentStamp, FileChange, FileChangeKind, ResolvedPath};

use crate::outcome::ToolError;

/// How much of the changed lines the model sees.
const MAX_SHOWN_LINES: usize = 60;
const MAX_LINE_CHARS: usize = 200;

/// Context lines of a diff.
const CONTEXT: usize = 3;

/// A change to a file, and its diff.
#[derive(Debug)]
pub(super) struct RequestedChange {
    pub(super) place: ResolvedPath,
    pub(super) kind: FileChangeKind,
    pub(super) diff: String,
    pub(super) additions: usize,
    pub(super) deletions: usize,
    /// The changed lines with line numbers, for the model.
    pub(super) places: String,
    moved: MoveHalf,
}

/// Whether it is one half of a move.
#[derive(Debug, Clone, PartialEq, Eq)]
enum MoveHalf {
    No,
    /// The new file, with its old path and the content that it had there.
    From(ResolvedPath, ContentStamp),
    /// The old file; only the other half is shown.
    Away,
}

impl RequestedChange {
    /// A change to an existing file whose content had this stamp. Takes up to half a second for texts that have nothing in
    /// common.
    pub(super) fn edit(
        place: &ResolvedPath,
        file: FileText,
        stamp: ContentStamp,
        change: TextChange,
    ) -> Result<Self, ToolError> {
        let around = change.excerpt(file.text()).map_err(|stale| ToolError::failed(stale.to_string()))?;
        let shown = RenderedDiff::render(&before(place), &after(place), &around.diff(CONTEXT));
        Ok(shown.into_change(place, FileChangeKind::Edit { file, stamp, change }))
    }

    pub(super) fn create(place: &ResolvedPath, text: String) -> Self {
        let shown = RenderedDiff::render("/dev/null", &after(place), &diff("", &text, CONTEXT));
        shown.into_change(place, FileChangeKind::Create { text, mode: None })
    }

    pub(super) fn delete(place: &ResolvedPath, file: FileText, stamp: ContentStamp) -> Self {
        let shown = RenderedDiff::render(&before(place), "/dev/null", &diff(file.text(), "", CONTEXT));
        shown.into_change(place, FileChangeKind::Delete { file, stamp })
    }

    /// A move with a change: a new file and a deleted one.
    pub(super) fn move_file(
        from: &ResolvedPath,
        to: &ResolvedPath,
        file: FileText,
        stamp: ContentStamp,
        change: &TextChange,
    ) -> Result<[Self; 2], ToolError> {
        let stale = |stale: copydesk_text::StaleChangeError| ToolError::failed(stale.to_string());
        let around = change.excerpt(file.text()).map_err(stale)?;
        let shown = RenderedDiff::render(&before(from), &after(to), &around.diff(CONTEXT));
        let new = file.with_text(change.apply(file.text()).map_err(stale)?);
        let text = String::from_utf8_lossy(&new.encode()).into_owned();
        let new = shown.into_change(to, FileChangeKind::Create { text, mode: from.mode() });
        let gone = Self::delete(from, file, stamp);
        Ok([
            Self { moved: MoveHalf::From(from.clone(), stamp), ..new },
            Self { moved: MoveHalf::Away, ..gone },
        ])
    }

    /// `Create a`
    pub(super) fn describe_planned(&self) -> String {
        self.words(["Create", "Edit", "Delete", "Move"])
    }

    /// `Created a`
    pub(super) fn describe_done(&self) -> String {
        self.words(["Created", "Edited", "Deleted", "Moved"])
    }

    fn words(&self, [create, edit, delete, moved]: [&str; 4]) -> String {
        let shown = &self.place.display_path;
        match (&self.moved, &self.kind) {
            (MoveHalf::From(from, _), _) => format!("{moved} {} to {shown}", from.display_path),
            (_, FileChangeKind::Create { .. }) => format!("{create} {shown}"),
            (_, FileChangeKind::Edit { .. }) => format!("{edit} {shown}"),
            (_, FileChangeKind::Delete { .. }) => format!("{delete} {shown}"),
        }
    }

    /// Whether the file exists before and after.
    pub(super) fn is_edited(&self) -> bool {
        matches!(self.kind, FileChangeKind::Edit { .. }) || self.from().is_some()
    }

    /// Whether it is shown: of a move only the new half is.
    pub(super) fn is_shown(&self) -> bool {
        self.moved != MoveHalf::Away
    }

    /// The old path of a moved file.
    pub(super) fn from(&self) -> Option<&ResolvedPath> {
        self.moved_from().map(|(from, _)| from)
    }

    /// The old path of a moved file, and the content that it had there.
    pub(super) fn moved_from(&self) -> Option<(&ResolvedPath, ContentStamp)> {
        match &self.moved {
            MoveHalf::From(from, stamp) => Some((from, *stamp)),
            MoveHalf::No | MoveHalf::Away => None,
        }
    }

    /// The text that the file is to have; `None` if it is deleted.
    pub(super) fn result(&self) -> Option<String> {
        match &self.kind {
            FileChangeKind::Create { text, .. } => Some(text.clone()),
            FileChangeKind::Edit { file, change, .. } => change.apply(file.text()).ok(),
            FileChangeKind::Delete { .. } => None,
        }
    }

    /// `+2 -1`, in lines.
    pub(super) fn size(&self) -> String {
        size(self.additions, self.deletions)
    }

    pub(super) fn into_file_change(self) -> FileChange {
        FileChange { path: self.place, kind: self.kind }
    }
}

pub(super) fn size(additions: usize, deletions: usize) -> String {
    format!("+{additions} -{deletions}")
}

/// The old file's name in the diff.
fn before(place: &ResolvedPath) -> String {
    format!("a/{}", place.display_path)
}

/// The new file's name in the diff.
fn after(place: &ResolvedPath) -> String {
    format!("b/{}", place.display_path)
}

/// The diff for the user and the lines for the model.
struct RenderedDiff {
    diff: String,
    additions: usize,
    deletions: usize,
    places: String,
}

impl RenderedDiff {
    /// `from` and `to` are the names of the old and the new file.
    fn render(from: &str, to: &str, diff: &Diff<'_>) -> Self {
        let unified = diff.to_unified(TruncateLimits::default());
        Self {
            diff: format!("--- {from}\n+++ {to}\n{unified}"),
            additions: diff.additions,
            deletions: diff.deletions,
            places: places(diff),
        }
    }

    fn into_change(self, place: &ResolvedPath, kind: FileChangeKind) -> RequestedChange {
        let Self { diff, additions, deletions, places } = self;
        RequestedChange {
            place: place.clone(),
            kind,
            diff,
            additions,
            deletions,
            places,
            moved: MoveHalf::No,
        }
    }
}

fn places(diff: &Diff<'_>) -> String {
    let mut text = String::new();
    let mut shown = 0;
    for hunk in &diff.hunks {
        let now = hunk.lines.iter().filter(|(tag, _)| *tag != LineTag::Delete);
        if !text.is_empty() {
            text.push_str("…\n");
        }
        for (number, (_, line)) in (hunk.new_start..).zip(now) {
            if shown == MAX_SHOWN_LINES {
                text.push_str("… (more is changed than is shown)\n");
                return text;
            }
            let _ = writeln!(text, "{number}: {}", clipped(line));
            shown += 1;
        }
    }
    text
}

fn clipped(line: &str) -> String {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}
