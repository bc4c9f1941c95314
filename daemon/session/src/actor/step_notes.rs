//! Tells the model in one note what happened since its last step: review decisions, comments, files that the user changed,
//! jobs that ended, and diagnostics that came too late for their call.
//!
//! A subagent session gets the feedback on its own edits; after its end the parent gets it.

use std::sync::Arc;

use copydesk_metadata::CallDetail;
use copydesk_tool::job_notes;
use copydesk_tool::review_notes::review_note;
use copydesk_workspace::process::Processes;

use super::SessionActor;
use crate::data::{NotePart, Part, PartContent, PartState};
use crate::store::StoreError;

impl SessionActor {
    pub(super) async fn note_updates(&mut self) -> Result<(), StoreError> {
        let files = &self.deps.files;
        files.begin_step();
        let owner = self.deps.parent.as_ref().map(|above| above.owner.clone());
        let session = owner.as_ref().map_or(self.deps.session.id.as_str(), |owner| &owner.session).to_owned();
        if self.step == 1 {
            files.detect_commits(&session).await;
        }
        let news = match &owner {
            Some(owner) => files.reviews().take_call_feedback(&session, &owner.call),
            None => files.reviews().take_feedback(&session),
        };
        let mut changed = files.changed_since_seen().await;
        // A file with feedback is not listed as changed again.
        changed.retain(|shown| news.items.iter().all(|item| item.shown != *shown));
        let jobs = self.deps.processes.take_ended_jobs();
        let lost = std::mem::take(&mut self.lost_jobs);
        let late = self.deps.checks.take_late_notes();
        let texts = [review_note(&news, &changed), job_notes::ended_jobs_note(&jobs).await];
        let texts: Vec<_> = texts
            .into_iter()
            .flatten()
            .chain(lost.iter().map(|id| job_notes::lost_job_note(*id)))
            .chain(late)
            .collect();
        if texts.is_empty() {
            return Ok(());
        }
        let text = texts.join("\n\n");
        let part = self.new_part(PartState::Completed, PartContent::Note(NotePart { text }));
        let kept = self.store_part(part).await;
        if kept.is_err() {
            // The model has not read it.
            self.deps.files.reviews().return_feedback(&session, news);
            self.deps.processes.mark_jobs_unreported(&jobs);
            self.lost_jobs = lost;
        }
        kept
    }
}

/// The jobs that were running when the session last ended.
pub(super) fn lost_jobs(parts: &[Arc<Part>], processes: &Processes) -> Vec<i64> {
    let mut open = Vec::new();
    for part in parts {
        match &part.content {
            PartContent::Call(call) => match call.output.as_ref().map(|output| &*output.metadata.detail) {
                Some(CallDetail::BackgroundCommand(started)) => {
                    open.push(i64::from(started.job));
                }
                // The model saw its end with `job`.
                Some(CallDetail::Job(job)) if !job.running => {
                    open.retain(|id| *id != i64::from(job.job));
                }
                _ => {}
            },
            PartContent::Note(note) => open.retain(|id| !job_notes::is_end_note(&note.text, *id)),
            _ => {}
        }
    }
    let known = processes.jobs();
    open.retain(|id| known.iter().all(|job| i64::from(job.id) != *id));
    open
}
