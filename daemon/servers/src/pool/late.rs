//! What a server says when it has read its project at last.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::{Instant, timeout};

use super::ask::{Aim, ask};
use super::chosen::Server;
use super::slot::{Life, Slot};
use super::source::Besides;
use crate::report::Report;
use crate::server::State;
use crate::source::Subject;

/// Nobody waits longer for a server to read its project.
const LONGEST: Duration = Duration::from_secs(900);
/// How long it may take to answer then.
const ANSWER: Duration = Duration::from_secs(30);

impl Besides {
    /// What could not be known of these texts in time, when it is known: without those that somebody has changed meanwhile, and
    /// without servers that are given up. Dropping it ends the waiting.
    pub fn late(&self, subjects: Vec<Subject>) -> impl Future<Output = Vec<Report>> + Send + use<> {
        let besides = self.clone();
        async move {
            let shared = Arc::clone(&besides.pool.shared);
            let groups = shared.groups(&subjects, &besides.served);
            let waiting = groups.into_iter().map(|group| {
                let shared = Arc::clone(&shared);
                async move {
                    let Server::There(slot) = &group.server else { return Vec::new() };
                    let ready = timeout(LONGEST, is_ready(slot));
                    if !matches!(shared.closed.run_until_cancelled(ready).await, Some(Ok(true))) {
                        return Vec::new();
                    }
                    let is_current = |subject: &Subject| {
                        shared.texts.text(&subject.path).is_some_and(|now| now.text == subject.text)
                    };
                    let mut subjects = group.subjects;
                    subjects.retain(|(subject, _)| is_current(subject));
                    if subjects.is_empty() {
                        return Vec::new();
                    }
                    let reports = ask(&shared, slot, &subjects, Aim::Warm, Instant::now() + ANSWER).await;
                    reports.into_iter().filter(|report| report.said.diagnostics().is_some()).collect()
                }
            });
            let reports = join_all(waiting).await.concat();
            // It may have been changed while the server worked.
            let is_old = |report: &Report| {
                subjects.iter().any(|subject| {
                    subject.path == report.path
                        && shared.texts.text(&subject.path).is_none_or(|now| now.text != subject.text)
                })
            };
            reports.into_iter().filter(|report| !is_old(report)).collect()
        }
    }
}

/// Waits until it can answer; whether it ever will.
pub(super) async fn is_ready(slot: &Slot) -> bool {
    let mut lives = slot.life.subscribe();
    loop {
        let life = lives.borrow_and_update().clone();
        match life {
            Life::Running(alive) => {
                let mut states = alive.server.states();
                tokio::select! {
                    ready = states.wait_for(|state| *state == State::Ready) => if ready.is_ok() {
                        return true;
                    },
                    changed = lives.changed() => match changed {
                        Ok(()) => continue,
                        Err(_) => return false,
                    },
                }
            }
            Life::GivenUp { .. } => return false,
            Life::Starting | Life::Resting { .. } | Life::Ending => {}
        }
        if lives.changed().await.is_err() {
            return false;
        }
    }
}
