//! The pool as a source, and what is left of it where an editor serves some languages itself.

use std::path::{Path, PathBuf};

use futures_util::future::join_all;
use tokio::time::{Instant, timeout_at};

use super::Pool;
use super::ask::ask;
use super::chosen::{Group, Server};
use crate::report::{Report, Said};
use crate::source::{Changing, Checking, Moment, Source, Subject};

/// Files of which it is looked whether anybody serves them, after a command that changed more.
const MOST_CHANGED: usize = 200;

/// The pool without what is served already. No server of those is started.
#[derive(Debug, Clone)]
pub struct Besides {
    pub(super) pool: Pool,
    /// Names of servers, or ids of languages.
    pub(super) served: Vec<String>,
}

impl Pool {
    /// `served` are ids of languages, or names of servers, that somebody else answers for.
    pub fn besides(&self, served: &[String]) -> Besides {
        Besides { pool: self.clone(), served: served.to_vec() }
    }

    pub(super) async fn ask(&self, subjects: &[Subject], served: &[String], until: Instant) -> Vec<Report> {
        let groups = self.shared.groups(subjects, served);
        let asking = groups.iter().map(|group| self.ask_one(group, until));
        join_all(asking).await.into_iter().flatten().collect()
    }

    async fn ask_one(&self, group: &Group, until: Instant) -> Vec<Report> {
        match &group.server {
            Server::There(slot) => ask(&self.shared, slot, &group.subjects, until).await,
            Server::Not(name, why) => {
                let said = Said::Unknown { why: why.clone() };
                let report = |(subject, _): &(Subject, String)| {
                    Report::new(subject.path.clone(), name.clone(), said.clone())
                };
                group.subjects.iter().map(report).collect()
            }
        }
    }
}

impl Source for Besides {
    fn check<'a>(&'a self, subjects: &'a [Subject], until: Instant) -> Checking<'a> {
        Box::pin(self.pool.ask(subjects, &self.served, until))
    }

    fn later<'a>(&'a self, subjects: &'a [Subject], until: Instant) -> Checking<'a> {
        let late = self.late(subjects.to_vec());
        Box::pin(async move { timeout_at(until, late).await.unwrap_or_default() })
    }

    fn shadow<'a>(&'a self, subjects: &'a [Subject], until: Instant) -> Checking<'a> {
        Box::pin(Self::shadow(self, subjects, until))
    }

    fn moment(&self, until: Instant) -> Moment<'_> {
        Box::pin(async move {
            let shared = &self.pool.shared;
            shared.settle(until).await;
            shared.recent().now()
        })
    }

    fn changed<'a>(&'a self, since: u64, below: &'a Path, until: Instant) -> Changing<'a> {
        Box::pin(async move {
            let shared = &self.pool.shared;
            shared.settle(until).await;
            let mut paths = shared.recent().since(since);
            paths.retain(|path| path.starts_with(below));
            let is_served = |path: &PathBuf| !shared.choose.servers_for(path, "").is_empty();
            paths.into_iter().take(MOST_CHANGED).filter(is_served).collect()
        })
    }
}

impl Source for Pool {
    fn check<'a>(&'a self, subjects: &'a [Subject], until: Instant) -> Checking<'a> {
        Box::pin(self.ask(subjects, &[], until))
    }
}
