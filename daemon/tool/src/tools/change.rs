//! A change to one file: what is to become of it, and how that is shown to a person and to a model.

use std::fmt::Write;

use copydesk_text::{Change as TextChange, Diff, FileText, Limits, Tag, diff};
use copydesk_workspace::files::{ChangeKind, FileChange, Place, Stamp};

use crate::outcome::Failure;

/// How much of the changed places the model is shown.
const MOST_LINES: usize = 60;
const MOST_CHARS: usize = 200;

/// Lines around a change, as people are used to.
const CONTEXT: usize = 3;

/// What is to become of a file, and how that differs from what is there.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) place: Place,
    pub(super) kind: ChangeKind,
    pub(super) diff: String,
    pub(super) additions: usize,
    pub(super) deletions: usize,
    /// The changed places as they will be, with line numbers.
    pub(super) places: String,
    moved: Moved,
}

/// Whether it is one half of a file that moves.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Moved {
    No,
    /// Here, from where it was.
    From(Place),
    /// Away; the other half is shown.
    Away,
}

impl Change {
    /// Of a file that is there, whose content had this stamp. Takes up to half a second for texts that have nothing in common.
    pub(super) fn edit(
        place: &Place,
        file: FileText,
        stamp: Stamp,
        change: TextChange,
    ) -> Result<Self, Failure> {
        let around = change.around(file.text()).map_err(|stale| Failure::failed(stale.to_string()))?;
        let shown = Shown::of(&before(place), &after(place), &around.diff(CONTEXT));
        Ok(shown.with(place, ChangeKind::Edit { file, stamp, change }))
    }

    pub(super) fn create(place: &Place, text: String) -> Self {
        let shown = Shown::of("/dev/null", &after(place), &diff("", &text, CONTEXT));
        shown.with(place, ChangeKind::Create { text, mode: None })
    }

    pub(super) fn delete(place: &Place, file: FileText, stamp: Stamp) -> Self {
        let shown = Shown::of(&before(place), "/dev/null", &diff(file.text(), "", CONTEXT));
        shown.with(place, ChangeKind::Delete { file, stamp })
    }

    /// A file that goes elsewhere, changed on the way: a new one, and one that is no more.
    pub(super) fn moved(
        from: &Place,
        to: &Place,
        file: FileText,
        stamp: Stamp,
        change: &TextChange,
    ) -> Result<[Self; 2], Failure> {
        let stale = |stale: copydesk_text::Stale| Failure::failed(stale.to_string());
        let around = change.around(file.text()).map_err(stale)?;
        let shown = Shown::of(&before(from), &after(to), &around.diff(CONTEXT));
        let new = file.with_text(change.apply(file.text()).map_err(stale)?);
        let text = String::from_utf8_lossy(&new.encode()).into_owned();
        let new = shown.with(to, ChangeKind::Create { text, mode: from.mode() });
        let gone = Self::delete(from, file, stamp);
        Ok([Self { moved: Moved::From(from.clone()), ..new }, Self { moved: Moved::Away, ..gone }])
    }

    /// `Create a`, of what is going to be done.
    pub(super) fn wanted(&self) -> String {
        self.words(["Create", "Edit", "Delete", "Move"])
    }

    /// `Created a`, of what was done.
    pub(super) fn did(&self) -> String {
        self.words(["Created", "Edited", "Deleted", "Moved"])
    }

    fn words(&self, [create, edit, delete, moved]: [&str; 4]) -> String {
        let shown = &self.place.shown;
        match (&self.moved, &self.kind) {
            (Moved::From(from), _) => format!("{moved} {} to {shown}", from.shown),
            (_, ChangeKind::Create { .. }) => format!("{create} {shown}"),
            (_, ChangeKind::Edit { .. }) => format!("{edit} {shown}"),
            (_, ChangeKind::Delete { .. }) => format!("{delete} {shown}"),
        }
    }

    /// Whether there was a text before it, and still is.
    pub(super) fn is_edited(&self) -> bool {
        matches!(self.kind, ChangeKind::Edit { .. }) || self.from().is_some()
    }

    /// Whether it is told of: of a file that moves only the new half is.
    pub(super) fn is_shown(&self) -> bool {
        self.moved != Moved::Away
    }

    /// Where the file was.
    pub(super) fn from(&self) -> Option<&Place> {
        match &self.moved {
            Moved::From(from) => Some(from),
            Moved::No | Moved::Away => None,
        }
    }

    /// `+2 -1`, in lines.
    pub(super) fn size(&self) -> String {
        size(self.additions, self.deletions)
    }

    pub(super) fn into_file_change(self) -> FileChange {
        FileChange { place: self.place, kind: self.kind }
    }
}

pub(super) fn size(additions: usize, deletions: usize) -> String {
    format!("+{additions} -{deletions}")
}

/// What the old file is called in a diff.
fn before(place: &Place) -> String {
    format!("a/{}", place.shown)
}

/// What the new one is called.
fn after(place: &Place) -> String {
    format!("b/{}", place.shown)
}

/// What a person and a model are shown of a change.
struct Shown {
    diff: String,
    additions: usize,
    deletions: usize,
    places: String,
}

impl Shown {
    /// `from` and `to` are what the old and the new file are called.
    fn of(from: &str, to: &str, diff: &Diff<'_>) -> Self {
        let unified = diff.unified(Limits::default());
        Self {
            diff: format!("--- {from}\n+++ {to}\n{unified}"),
            additions: diff.additions,
            deletions: diff.deletions,
            places: places(diff),
        }
    }

    fn with(self, place: &Place, kind: ChangeKind) -> Change {
        let Self { diff, additions, deletions, places } = self;
        Change { place: place.clone(), kind, diff, additions, deletions, places, moved: Moved::No }
    }
}

fn places(diff: &Diff<'_>) -> String {
    let mut text = String::new();
    let mut shown = 0;
    for hunk in &diff.hunks {
        let now = hunk.lines.iter().filter(|(tag, _)| *tag != Tag::Delete);
        if !text.is_empty() {
            text.push_str("…\n");
        }
        for (number, (_, line)) in (hunk.new_start..).zip(now) {
            if shown == MOST_LINES {
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
    match line.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}
