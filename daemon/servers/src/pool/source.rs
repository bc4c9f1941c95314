//! The pool as a source, and what is left of it where an editor serves some languages itself.

use std::path::PathBuf;

use futures_util::future::join_all;
use tokio::time::{Instant, timeout_at};

use super::ServerPool;
use super::check::{CheckMode, check_with_server};
use super::server_groups::{GroupServer, ServerGroup};
use crate::report::{DiagnosticsReport, Verdict};
use crate::source::{CheckFuture, CheckedDocument, DiagnosticsSource};

/// The pool without what is served already. No server of those is started.
#[derive(Debug, Clone)]
pub struct PoolSource {
    pub(super) pool: ServerPool,
    /// Names of servers, or ids of languages.
    pub(super) excluded: Vec<String>,
}

impl ServerPool {
    /// `served` are ids of languages, or names of servers, that somebody else answers for.
    pub fn excluding(&self, served: &[String]) -> PoolSource {
        PoolSource { pool: self.clone(), excluded: served.to_vec() }
    }

    pub(super) async fn check_documents(
        &self,
        subjects: &[CheckedDocument],
        served: &[String],
        aim: CheckMode,
        until: Instant,
    ) -> Vec<DiagnosticsReport> {
        let groups = self.shared.group_by_server(subjects, served);
        let asking = groups.iter().map(|group| self.ask_one(group, aim, until));
        join_all(asking).await.into_iter().flatten().collect()
    }

    async fn ask_one(&self, group: &ServerGroup, aim: CheckMode, until: Instant) -> Vec<DiagnosticsReport> {
        match &group.server {
            GroupServer::Available(slot) => {
                check_with_server(&self.shared, slot, &group.subjects, aim, until).await
            }
            GroupServer::Unavailable(name, why) => {
                let said = Verdict::Unknown { why: why.clone() };
                let report = |(subject, _): &(CheckedDocument, String)| {
                    DiagnosticsReport::new(subject.path.clone(), name.clone(), said.clone())
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

    fn mark_redundant(&self, paths: &[PathBuf]) {
        let shared = &self.pool.shared;
        // Whoever has none need not look who would serve them.
        for path in paths.iter().filter(|_| !shared.slots().is_empty()) {
            for chosen in shared.choose.servers_for(path, "") {
                let slot = shared.slots().get(&(chosen.name, chosen.root)).cloned();
                slot.iter().for_each(|slot| slot.mark_redundant());
            }
        }
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
