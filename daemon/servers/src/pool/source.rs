//! The pool as a diagnostics source, with or without the languages that an editor serves itself.

use std::path::PathBuf;

use futures_util::future::join_all;
use tokio::time::{Instant, timeout_at};

use super::ServerPool;
use super::affected_files::affected_files;
use super::check::{CheckMode, check_with_server};
use super::server_groups::{GroupServer, ServerGroup};
use super::when_ready::wait_until_ready;
use crate::report::{DiagnosticsReport, Verdict};
use crate::source::{AffectedFilesFuture, CheckFuture, CheckedDocument, DiagnosticsSource, ReadyFuture};

/// The pool without the servers and languages that another source serves. None of those is started.
#[derive(Debug, Clone)]
pub struct PoolSource {
    pub(super) pool: ServerPool,
    /// Server names or language ids.
    pub(super) excluded: Vec<String>,
}

impl ServerPool {
    /// `served` are language ids or server names that another source serves.
    pub fn excluding(&self, served: &[String]) -> PoolSource {
        PoolSource { pool: self.clone(), excluded: served.to_vec() }
    }

    pub(super) async fn check_documents(
        &self,
        subjects: &[CheckedDocument],
        served: &[String],
        mode: CheckMode,
        until: Instant,
    ) -> Vec<DiagnosticsReport> {
        let groups = self.shared.group_by_server(subjects, served);
        let checks = groups.iter().map(|group| self.check_group(group, mode, until));
        join_all(checks).await.into_iter().flatten().collect()
    }

    async fn check_group(
        &self,
        group: &ServerGroup,
        mode: CheckMode,
        until: Instant,
    ) -> Vec<DiagnosticsReport> {
        match &group.server {
            GroupServer::Available(slot) => {
                check_with_server(&self.shared, slot, &group.subjects, mode, until).await
            }
            GroupServer::Unavailable(name, why) => {
                let verdict = Verdict::Unknown { why: why.clone() };
                let report = |(subject, _): &(CheckedDocument, String)| {
                    DiagnosticsReport::new(subject.path.clone(), name.clone(), verdict.clone())
                };
                group.subjects.iter().map(report).collect()
            }
        }
    }
}

impl DiagnosticsSource for PoolSource {
    fn check<'a>(&'a self, subjects: &'a [CheckedDocument], until: Instant) -> CheckFuture<'a> {
        Box::pin(self.pool.check_documents(subjects, &self.excluded, CheckMode::Full, until))
    }

    fn check_file_only<'a>(&'a self, subjects: &'a [CheckedDocument], until: Instant) -> CheckFuture<'a> {
        Box::pin(self.pool.check_documents(subjects, &self.excluded, CheckMode::FileOnly, until))
    }

    fn warm_up<'a>(&'a self, subjects: &'a [CheckedDocument], until: Instant) -> CheckFuture<'a> {
        Box::pin(self.pool.check_documents(subjects, &self.excluded, CheckMode::WarmUp, until))
    }

    fn check_when_ready<'a>(&'a self, subjects: &'a [CheckedDocument], until: Instant) -> CheckFuture<'a> {
        let late = self.check_after_ready(subjects.to_vec());
        Box::pin(async move { timeout_at(until, late).await.unwrap_or_default() })
    }

    fn affected_files<'a>(&'a self, changed: &'a [PathBuf], until: Instant) -> AffectedFilesFuture<'a> {
        Box::pin(affected_files(&self.pool.shared, &self.excluded, changed, until))
    }

    fn wait_until_ready<'a>(&'a self, subjects: &'a [CheckedDocument], until: Instant) -> ReadyFuture<'a> {
        let slots = self.pool.shared.existing_slots(subjects.iter().map(|subject| subject.path.as_path()));
        Box::pin(async move {
            let _ = timeout_at(until, join_all(slots.iter().map(|slot| wait_until_ready(slot)))).await;
        })
    }

    fn mark_redundant(&self, paths: &[PathBuf]) {
        let slots = self.pool.shared.existing_slots(paths.iter().map(PathBuf::as_path));
        slots.iter().for_each(|slot| slot.mark_redundant());
    }

    fn check_proposed<'a>(&'a self, subjects: &'a [CheckedDocument], until: Instant) -> CheckFuture<'a> {
        Box::pin(Self::check_proposed(self, subjects, until))
    }
}

impl DiagnosticsSource for ServerPool {
    fn check<'a>(&'a self, subjects: &'a [CheckedDocument], until: Instant) -> CheckFuture<'a> {
        Box::pin(self.check_documents(subjects, &[], CheckMode::Full, until))
    }
}
