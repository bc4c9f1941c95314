//! Announces background commands when they begin and end, in a turn or between turns.

use copydesk_tool::job_notes::{describe_to_user, first_line};
use copydesk_workspace::process::{self, Processes};
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use crate::event::{JobSnapshot, SessionEvent};

/// Announces them until this is dropped. At most `process::MAX_JOBS` run.
pub(super) fn watch(processes: &Processes, events: mpsc::Sender<SessionEvent>) -> AbortOnDropHandle<()> {
    let (processes, mut changed) = (processes.clone(), processes.jobs_changed());
    AbortOnDropHandle::new(tokio::spawn(async move {
        // A job may begin and end between two looks.
        let mut told: Vec<i32> = Vec::new();
        while changed.changed().await.is_ok() {
            let (running, over): (Vec<_>, Vec<_>) =
                processes.jobs().into_iter().partition(|job| job.exit.is_none());
            let ended = over.iter().filter(|job| !told.contains(&job.id)).map(job).collect();
            told = over.iter().map(|job| job.id).collect();
            let running = running.iter().map(job).collect();
            let _ = events.send(SessionEvent::JobsChanged { running, ended }).await;
        }
    }))
}

fn job(job: &process::BackgroundJob) -> JobSnapshot {
    JobSnapshot { id: job.id, command: first_line(&job.script), state: describe_to_user(job) }
}
