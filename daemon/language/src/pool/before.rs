//! What is known before a change.

use tokio::time::Instant;

use super::Pool;
use super::ask::{Aim, report};
use super::source::Besides;
use crate::report::Report;
use crate::source::Subject;

impl Pool {
    /// What servers said of exactly these texts, if nothing that they know has changed since. Starts and asks nobody.
    ///
    /// What others changed on the disk counts from the moment it was told to the servers, with the last question.
    pub fn known(&self, subjects: &[Subject]) -> Vec<Report> {
        let mut reports = Vec::new();
        for slot in self.shared.all().iter().filter(|slot| slot.ready().is_ok()) {
            let documents = slot.documents();
            let of = |subject: &Subject| Some(report(slot, &subject.path, documents.known(subject)?.clone()));
            reports.extend(subjects.iter().filter_map(of));
        }
        reports
    }
}

impl Besides {
    /// What is wrong with these texts before they are changed, and with the files that they may break, which are opened for it.
    pub async fn baseline(&self, subjects: &[Subject], until: Instant) -> Vec<Report> {
        self.pool.ask(subjects, &self.served, Aim::Before, until).await
    }
}
