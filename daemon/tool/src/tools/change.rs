//! A change to one file on its way: shown, asked about, and made only to what it was made for.

use std::fmt::Write;

use copydesk_text::{Change as TextChange, Diff, FileText, Limits, Tag, diff};
use copydesk_workspace::files::{By, Cause, ChangeKind, FileChange, Place, Stamp};
use serde_json::{Value, json};

use super::reviewed;
use super::target::{file_failure, names};
use crate::context::{Allowed, Ask, Context, Owner, Reviewed};
use crate::outcome::Failure;

/// How much of the changed places the model is shown.
const MOST_LINES: usize = 60;
const MOST_CHARS: usize = 200;

/// Lines around a change, as people are used to.
const CONTEXT: usize = 3;

/// What is to become of a file, and how that differs from what is there.
#[derive(Debug)]
pub(super) struct Change {
    kind: ChangeKind,
    diff: String,
    additions: usize,
    deletions: usize,
    /// The changed places as they will be, with line numbers.
    pub(super) places: String,
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
        let shown = Shown::of(place, &format!("a/{}", place.shown), &around.diff(CONTEXT));
        Ok(shown.with(ChangeKind::Edit { file, stamp, change }))
    }

    pub(super) fn create(place: &Place, text: String) -> Self {
        Shown::of(place, "/dev/null", &diff("", &text, CONTEXT)).with(ChangeKind::Create { text })
    }

    /// Asks, and makes the change: in the editor where the file is open, else on the disk, if nothing has happened to it
    /// meanwhile. Gives what the person is shown afterwards.
    pub(super) async fn make(self, context: &Context, place: &Place) -> Result<Made, Failure> {
        let metadata = json!({
            "filepath": place.path.to_string_lossy(),
            "diff": self.diff,
            "additions": self.additions,
            "deletions": self.deletions,
        });
        let verb = if matches!(self.kind, ChangeKind::Create { .. }) { "Create" } else { "Edit" };
        let title = format!("{verb} {} ({})", place.shown, self.size());
        let ask = Ask {
            key: "edit".to_owned(),
            patterns: names(context, place),
            always: vec!["*".to_owned()],
            title: title.clone(),
            metadata: metadata.clone(),
            review: Reviewed::First,
        };
        let owner = context.owner();
        let mut proposal = None;
        let mut allowed = context.ask(ask.clone()).await;
        if let Ok(Allowed::IfReviewed) = allowed {
            let Owner { session, call } = &owner;
            proposal = context.files.reviews().propose(session, call, place, &self.kind);
            let review = proposal.as_ref().map_or(Reviewed::Never, |proposal| Reviewed::In(proposal.id()));
            allowed = context.ask(Ask { review, ..ask }).await;
        }
        if let Some(proposal) = &proposal {
            // What was accepted may still be on its way.
            proposal.at_rest().await;
        }
        if context.cancel.is_cancelled() {
            allowed = Err(Failure::cancelled());
        }
        if let Some(proposal) = proposal.as_ref().filter(|proposal| proposal.is_begun()) {
            let reviewed = reviewed::rest(context, proposal, allowed).await?;
            return Ok(Made { metadata, rebased: false, unsaved: None, reviewed: Some(reviewed) });
        }
        let allowed = allowed?;
        let cause = Cause {
            session: owner.session,
            call: owner.call,
            label: title,
            accepted: allowed == Allowed::ByPerson,
            // What a person has said yes to is not to be decided once more.
            by: match (&proposal, allowed) {
                (Some(proposal), Allowed::ByPerson | Allowed::ByReview) => By::Decision(proposal.id()),
                _ => By::Agent,
            },
            group: None,
        };
        let change = FileChange { place: place.clone(), kind: self.kind };
        let changed = context.files.change(&[change], &cause).await.map_err(|error| file_failure(&error))?;
        let rebased = changed.iter().any(|changed| changed.rebased);
        let unsaved = changed.into_iter().find_map(|changed| changed.unsaved);
        Ok(Made { metadata, rebased, unsaved, reviewed: None })
    }

    /// `+2 -1`, in lines.
    pub(super) fn size(&self) -> String {
        format!("+{} -{}", self.additions, self.deletions)
    }
}

/// What a person and a model are shown of a change.
struct Shown {
    diff: String,
    additions: usize,
    deletions: usize,
    places: String,
}

impl Shown {
    /// `from` is what the old file is called.
    fn of(place: &Place, from: &str, diff: &Diff<'_>) -> Self {
        let unified = diff.unified(Limits::default());
        Self {
            diff: format!("--- {from}\n+++ b/{}\n{unified}", place.shown),
            additions: diff.additions,
            deletions: diff.deletions,
            places: places(diff),
        }
    }

    fn with(self, kind: ChangeKind) -> Change {
        let Self { diff, additions, deletions, places } = self;
        Change { kind, diff, additions, deletions, places }
    }
}

/// What became of it.
pub(super) struct Made {
    pub(super) metadata: Value,
    /// The person had typed in the file meanwhile: line numbers may be others.
    pub(super) rebased: bool,
    /// It should have been saved, and why it was not.
    unsaved: Option<String>,
    /// It was decided piece by piece, and this is what came of it.
    pub(super) reviewed: Option<reviewed::Reviewed>,
}

impl Made {
    /// What the model should know beyond the change itself.
    pub(super) fn notes(&self) -> String {
        let unsaved = self.unsaved.as_ref();
        unsaved.map(|why| format!("\n(The editor did not save the file: {why}.)")).unwrap_or_default()
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
