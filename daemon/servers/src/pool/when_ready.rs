//! Checks that wait until a server has read its project.

use std::future::Future;
use std::sync::Arc;

use futures_util::future::join_all;
use tokio::time::{Instant, timeout};

use super::check::{CheckMode, check_with_server};
use super::server_groups::GroupServer;
use super::slot::{ServerSlot, SlotState};
use super::source::PoolSource;
use crate::report::DiagnosticsReport;
use crate::server::LanguageServerState;
use crate::source::CheckedDocument;
use crate::time_limits::{INDEXING_TIMEOUT, LATE_ANSWER_TIMEOUT};

impl PoolSource {
    /// Checks these texts as soon as their servers are ready. Skips texts that have changed meanwhile, and failed
    /// servers. Dropping the future ends the wait.
    pub fn check_after_ready(
        &self,
        subjects: Vec<CheckedDocument>,
    ) -> impl Future<Output = Vec<DiagnosticsReport>> + Send + use<> {
        let source = self.clone();
        async move {
            let shared = Arc::clone(&source.pool.shared);
            let groups = shared.group_by_server(&subjects, &source.excluded);
            let waiting = groups.into_iter().map(|group| {
                let shared = Arc::clone(&shared);
                async move {
                    let GroupServer::Available(slot) = &group.server else { return Vec::new() };
                    let ready = timeout(INDEXING_TIMEOUT, wait_until_ready(slot));
                    if !matches!(shared.closed.run_until_cancelled(ready).await, Some(Ok(true))) {
                        return Vec::new();
                    }
                    let is_current = |subject: &CheckedDocument| {
                        shared.texts.document(&subject.path).is_some_and(|now| now.text == subject.text)
                    };
                    let mut subjects = group.subjects;
                    subjects.retain(|(subject, _)| is_current(subject));
                    if subjects.is_empty() {
                        return Vec::new();
                    }
                    let reports = check_with_server(
                        &shared,
                        slot,
                        &subjects,
                        CheckMode::WarmUp,
                        Instant::now() + LATE_ANSWER_TIMEOUT,
                    )
                    .await;
                    reports.into_iter().filter(|report| report.verdict.diagnostics().is_some()).collect()
                }
            });
            let reports = join_all(waiting).await.concat();
            // A text may have changed during the check.
            let is_old = |report: &DiagnosticsReport| {
                subjects.iter().any(|subject| {
                    subject.path == report.path
                        && shared.texts.document(&subject.path).is_none_or(|now| now.text != subject.text)
                })
            };
            reports.into_iter().filter(|report| !is_old(report)).collect()
        }
    }
}

/// Waits until the server is ready. False if it never will be.
pub(super) async fn wait_until_ready(slot: &ServerSlot) -> bool {
    let mut slot_states = slot.state.subscribe();
    loop {
        let state = slot_states.borrow_and_update().clone();
        match state {
            SlotState::Running(alive) => {
                let mut states = alive.server.subscribe_state();
                tokio::select! {
                    ready = states.wait_for(|state| *state == LanguageServerState::Ready) => if ready.is_ok() {
                        return true;
                    },
                    changed = slot_states.changed() => match changed {
                        Ok(()) => continue,
                        Err(_) => return false,
                    },
                }
            }
            SlotState::Failed { .. } => return false,
            SlotState::Starting | SlotState::Backoff { .. } | SlotState::Stopping => {}
        }
        if slot_states.changed().await.is_err() {
            return false;
        }
    }
}
