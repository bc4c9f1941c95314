//! Rolls back a change that could not be made as a whole.

use copydesk_text::FileText;
use tokio::time::Instant;

use super::change::MAX_ATTEMPTS;
use super::move_file::MovedFile;
use super::{ChangeCause, ResolvedPath, WorkspaceFiles, WritePrecondition};
use crate::buffers::{Buffers, ClientId, EditPlanOutcome, PlannedEdit, RequestedEdit};
use crate::journal::{EntryId, FileAttributes};
use crate::reviews::EditAuthor;
use crate::time_limits::EDIT_DEADLINE;

/// What has been done, for a rollback.
#[derive(Default)]
pub(super) struct RollbackLog {
    pub(super) group: Option<EntryId>,
    pub(super) buffers: Vec<(ClientId, PlannedEdit)>,
    pub(super) files: Vec<RollbackFile>,
    pub(super) moves: Vec<MovedFile>,
}

/// A changed file on disk: its content and mode before, and its content after.
pub(super) struct RollbackFile {
    pub(super) place: ResolvedPath,
    pub(super) before: Option<FileText>,
    pub(super) mode: Option<u32>,
    pub(super) after: Option<FileText>,
}

impl WorkspaceFiles {
    /// Tells the reviews that a change was rolled back: nothing of it is left to decide.
    fn tell_taken_back(&self, file: &RollbackFile, cause: &ChangeCause) {
        let (name, shown) = (file.place.real_path(), file.place.display_path.as_str());
        let (session, reviews) = (cause.session.as_str(), self.reviews());
        match (&file.before, &file.after) {
            (Some(before), Some(_)) => reviews.refresh_text(session, name, None, before.text().into()),
            (Some(before), None) => {
                reviews.record_created(name, shown, session, EditAuthor::User, before.text());
            }
            (None, Some(after)) => {
                let attributes = FileAttributes { mode: file.mode, bom: after.has_bom() };
                reviews.record_removed(name, shown, session, EditAuthor::User, (after.text(), attributes));
            }
            (None, None) => {}
        }
    }

    /// Rolls back the parts of a change that were made; the error names what could not be restored.
    pub(super) async fn roll_back(&self, done: RollbackLog, cause: &ChangeCause) -> Result<(), String> {
        let mut left = Vec::new();
        for file in done.files.into_iter().rev() {
            let RollbackFile { place, before, mode, after } = &file;
            let restored = match (before, after) {
                (Some(before), Some(after)) => {
                    self.write(place, before.clone(), WritePrecondition::Unchanged(after.clone()), None).await
                }
                (Some(before), None) => {
                    self.write(place, before.clone(), WritePrecondition::New, *mode).await
                }
                (None, Some(after)) => self.remove(place, after.clone()).await,
                (None, None) => Ok(()),
            };
            match restored {
                Ok(()) => self.tell_taken_back(&file, cause),
                Err(_) => left.push(place.display_path.clone()),
            }
        }
        for (client, planned) in done.buffers.into_iter().rev() {
            if !restore(self.buffers(), client, &planned, &cause.label).await {
                left.push(planned.name.display().to_string());
            }
        }
        left.extend(self.move_back(done.moves, cause).await);
        if left.is_empty() { Ok(()) } else { Err(left.join(", ")) }
    }
}

async fn restore(buffers: &Buffers, client: ClientId, planned: &PlannedEdit, label: &str) -> bool {
    let Ok(change) = planned.change.inverse(&planned.before.text()) else { return false };
    let wanted = [RequestedEdit { name: planned.name.clone(), base: planned.after.text(), change }];
    let until = Instant::now() + EDIT_DEADLINE;
    for _ in 0..MAX_ATTEMPTS {
        if Instant::now() >= until {
            break;
        }
        let Ok(mut plan) = buffers.plan_edits(client, &wanted) else { return false };
        match plan.execute(label, until).await {
            Ok(EditPlanOutcome::Applied) => return true,
            Ok(EditPlanOutcome::Stale) => {}
            Err(_) => return false,
        }
    }
    false
}
