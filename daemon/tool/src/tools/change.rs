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
    moved: MovePart,
}

/// Whether it is a part of a move. Each part knows the file's old path and the content that it had there.
#[derive(Debug, Clone, PartialEq, Eq)]
enum MovePart {
    No,
    /// The move itself, shown with the edit.
    Rename(ResolvedPath, ContentStamp),
    /// The edit of the moved file; only the move is shown.
    Edit(ResolvedPath, ContentStamp),
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

    /// A move, and then the edit of the moved file, if it has one.
    pub(super) fn move_file(
        from: &ResolvedPath,
        to: &ResolvedPath,
        file: FileText,
        stamp: ContentStamp,
        change: TextChange,
    ) -> Result<Vec<Self>, ToolError> {
        let around = change.excerpt(file.text()).map_err(|stale| ToolError::failed(stale.to_string()))?;
        let shown = RenderedDiff::render(&before(from), &after(to), &around.diff(CONTEXT));
        let kind = FileChangeKind::Move { to: to.clone(), file: file.clone(), stamp };
        let rename = Self { moved: MovePart::Rename(from.clone(), stamp), ..shown.into_change(to, kind) };
        if change.is_empty() {
            return Ok(vec![rename]);
        }
        let edit = Self::edit(to, file, stamp, change)?;
        Ok(vec![rename, Self { moved: MovePart::Edit(from.clone(), stamp), ..edit }])
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
            (MovePart::Rename(from, _), _) => format!("{moved} {} to {shown}", from.display_path),
            (_, FileChangeKind::Create { .. }) => format!("{create} {shown}"),
            (_, FileChangeKind::Edit { .. }) => format!("{edit} {shown}"),
            (_, FileChangeKind::Delete { .. }) => format!("{delete} {shown}"),
            (_, FileChangeKind::Move { .. }) => format!("{moved} {shown}"),
        }
    }

    /// Whether the file exists before and after.
    pub(super) fn is_edited(&self) -> bool {
        matches!(self.kind, FileChangeKind::Edit { .. }) || self.from().is_some()
    }

    /// Whether it is shown: the edit of a moved file is shown with the move.
    pub(super) fn is_shown(&self) -> bool {
        !matches!(self.moved, MovePart::Edit(..))
    }

    /// The old path of a moved file.
    pub(super) fn from(&self) -> Option<&ResolvedPath> {
        self.moved_from().map(|(from, _)| from)
    }

    /// The old path of a moved file, and the content that it had there.
    pub(super) fn moved_from(&self) -> Option<(&ResolvedPath, ContentStamp)> {
        match &self.moved {
            MovePart::Rename(from, stamp) | MovePart::Edit(from, stamp) => Some((from, *stamp)),
            MovePart::No => None,
        }
    }

    /// Where the document is that it changes, before any of the changes.
    pub(super) fn document(&self) -> &ResolvedPath {
        self.from().unwrap_or(&self.place)
    }

    /// The text that the file is to have; `None` if it is deleted, or only moves.
    pub(super) fn result(&self) -> Option<String> {
        match &self.kind {
            FileChangeKind::Create { text, .. } => Some(text.clone()),
            FileChangeKind::Edit { file, change, .. } => change.apply(file.text()).ok(),
            FileChangeKind::Delete { .. } | FileChangeKind::Move { .. } => None,
        }
    }

    /// `+2 -1`, in lines.
    pub(super) fn size(&self) -> String {
        size(self.additions, self.deletions)
    }

    pub(super) fn into_file_change(self) -> FileChange {
        let path = match self.moved {
            MovePart::Rename(from, _) => from,
            MovePart::No | MovePart::Edit(..) => self.place,
        };
        FileChange { path, kind: self.kind }
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
            moved: MovePart::No,
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
