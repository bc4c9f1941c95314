//! The pool as a source, and what is left of it where an editor serves some languages itself.

use std::path::PathBuf;

use futures_util::future::join_all;
use tokio::time::{Instant, timeout_at};

use super::Pool;
use super::ask::{Aim, ask};
use super::chosen::{Group, Server};
use crate::report::{Report, Said};
use crate::source::{Checking, Source, Subject};

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

    pub(super) async fn ask(
        &self,
        subjects: &[Subject],
        served: &[String],
        aim: Aim,
        until: Instant,
    ) -> Vec<Report> {
        let groups = self.shared.groups(subjects, served);
        let asking = groups.iter().map(|group| self.ask_one(group, aim, until));
        join_all(asking).await.into_iter().flatten().collect()
    }

    async fn ask_one(&self, group: &Group, aim: Aim, until: Instant) -> Vec<Report> {
        match &group.server {
            Server::There(slot) => ask(&self.shared, slot, &group.subjects, aim, until).await,
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
        Box::pin(self.pool.ask(subjects, &self.served, Aim::Whole, until))
    }

    fn alone<'a>(&'a self, subjects: &'a [Subject], until: Instant) -> Checking<'a> {
        Box::pin(self.pool.ask(subjects, &self.served, Aim::Alone, until))
    }

    fn warm<'a>(&'a self, subjects: &'a [Subject], until: Instant) -> Checking<'a> {
        Box::pin(self.pool.ask(subjects, &self.served, Aim::Warm, until))
    }

    fn later<'a>(&'a self, subjects: &'a [Subject], until: Instant) -> Checking<'a> {
        let late = self.late(subjects.to_vec());
        Box::pin(async move { timeout_at(until, late).await.unwrap_or_default() })
    }

    fn spare(&self, paths: &[PathBuf]) {
        let shared = &self.pool.shared;
        // Whoever has none need not look who would serve them.
        for path in paths.iter().filter(|_| !shared.slots().is_empty()) {
            for chosen in shared.choose.servers_for(path, "") {
                let slot = shared.slots().get(&(chosen.name, chosen.root)).cloned();
                slot.iter().for_each(|slot| slot.spare());
            }
        }
    }

    fn shadow<'a>(&'a self, subjects: &'a [Subject], until: Instant) -> Checking<'a> {
        Box::pin(Self::shadow(self, subjects, until))
    }
}

impl Source for Pool {
    fn check<'a>(&'a self, subjects: &'a [Subject], until: Instant) -> Checking<'a> {
        Box::pin(self.ask(subjects, &[], Aim::Whole, until))
    }
}
