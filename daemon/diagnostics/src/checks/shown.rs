//! What of the problems a session has caused, for whoever shows them where they are.

use std::path::Path;
use std::sync::Arc;

use super::{Checks, State};
use crate::delta::{Delta, Problem};
use copydesk_servers::report::Report;
use copydesk_servers::source::Subject;

/// Whoever shows problems beside the lines that they are in.
pub trait Viewer: Send + Sync {
    /// All that is wrong with this text, as far as it is known, and was not before this session changed it; or of which it is
    /// not known whether it was.
    fn found(&self, path: &Path, text: &str, problems: &[Problem]);
}

impl Checks {
    /// Tells of problems from now on. The first one to be told stays.
    pub fn shown_by(&self, viewer: Arc<dyn Viewer>) {
        let _ = self.shared.viewer.set(viewer);
    }

    pub(super) fn show(&self, subjects: &[Subject]) {
        let Some(viewer) = self.shared.viewer.get() else { return };
        for subject in subjects {
            let problems = self.lock().caused(subject, self.shared.options.least);
            if let Some(problems) = problems {
                viewer.found(&subject.path, &subject.text, &problems);
            }
        }
    }
}

impl State {
    /// None where nothing is known of this text.
    fn caused(
        &self,
        subject: &Subject,
        least: copydesk_servers::diagnostic::Severity,
    ) -> Option<Vec<Problem>> {
        let is_of = |(report, text): &(&Report, Option<&Arc<String>>)| {
            report.path == subject.path && *text == Some(&subject.text)
        };
        let reports: Vec<Report> =
            self.ledger.all().filter(is_of).map(|(report, _)| report.clone()).collect();
        if reports.is_empty() {
            return None;
        }
        let baselines = self.first.baselines(&reports, |_| Some(&subject.text));
        let delta = Delta::of(&baselines, &reports, least);
        Some(delta.new.into_iter().chain(delta.unsure).collect())
    }
}
