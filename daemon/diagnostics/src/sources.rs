//! All sources of a session, and which of them is asked about which text.
//!
//! The editor's own servers come first: a second server for what the person's editor serves would be one too many. Where the
//! editor has nothing to say, our pool is asked. Checkers are asked beside them, where they are configured. A grammar finds
//! mistakes of form only, and is asked about what nobody else knows.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use copydesk_servers::report::{Proof, Report};
use copydesk_servers::source::{Changed, Checking, Source, Subject, Witness};

/// What a grammar takes to say something, which is little.
const FOR_SYNTAX: Duration = Duration::from_millis(50);

/// How long an editor may take to say whether it serves, where nobody waits.
const FOR_EDITOR: Duration = Duration::from_secs(3);

/// Each may be missing.
#[derive(Clone, Default)]
pub struct Sources {
    pub editor: Option<Arc<dyn Source>>,
    pub pool: Option<Arc<dyn Source>>,
    pub checkers: Option<Arc<dyn Source>>,
    pub syntax: Option<Arc<dyn Source>>,
    pub witness: Option<Arc<dyn Witness>>,
}

impl std::fmt::Debug for Sources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sources").finish_non_exhaustive()
    }
}

/// In what way they are asked.
type Asking = for<'a> fn(&'a dyn Source, &'a [Subject], Instant) -> Checking<'a>;

/// How much is to be known of a file that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Warming {
    /// What is said of it alone, which is known soonest.
    Alone,
    /// What is said of it and of all that it may break.
    Whole,
    /// The same, however long the servers need to be ready.
    Later,
}

impl Sources {
    /// Nobody can say anything.
    pub fn is_empty(&self) -> bool {
        [&self.editor, &self.pool, &self.checkers, &self.syntax].iter().all(|source| source.is_none())
    }

    /// Everything that is known by then.
    pub async fn check(&self, subjects: &[Subject], until: Instant) -> Vec<Report> {
        self.ask(|source, subjects, until| source.check(subjects, until), subjects, until).await
    }

    /// What servers of ours say of files that may be changed next. Nothing where an editor has servers: it is not made to open
    /// files that nobody changes.
    pub async fn warm(
        &self,
        warming: Warming,
        subjects: &[Subject],
        root: &Path,
        until: Instant,
    ) -> Vec<Report> {
        if self.oversee(root, until.min(Instant::now() + FOR_EDITOR)).await {
            return Vec::new();
        }
        let Some(pool) = &self.pool else { return Vec::new() };
        match warming {
            Warming::Alone => pool.alone(subjects, until).await,
            Warming::Whole => pool.warm(subjects, until).await,
            Warming::Later => pool.later(subjects, until).await,
        }
    }

    /// Tells whether an editor serves, whose servers do not say what they see on the disk: so somebody else has to look.
    async fn oversee(&self, root: &Path, until: Instant) -> bool {
        let Some(editor) = &self.editor else { return false };
        let is_served = editor.serves(until).await;
        if let Some(witness) = self.witness.as_ref().filter(|_| is_served) {
            witness.oversee(root);
        }
        is_served
    }

    /// The same, with time to wait for whoever is not ready.
    pub async fn later(&self, subjects: &[Subject], until: Instant) -> Vec<Report> {
        self.ask(|source, subjects, until| source.later(subjects, until), subjects, until).await
    }

    /// What would be said if these were the texts. Of what an editor serves our own servers are not asked: none may be there for it.
    pub async fn shadow(&self, subjects: &[Subject], until: Instant) -> Vec<Report> {
        let mut sources = self.clone();
        if let Some(editor) = &self.editor
            && self.pool.is_some()
            && editor.serves(until).await
        {
            sources.pool = None;
        }
        sources.ask(|source, subjects, until| source.shadow(subjects, until), subjects, until).await
    }

    /// This moment, for [`Self::changed`] below a folder.
    pub async fn moment(&self, below: &Path, until: Instant) -> u64 {
        let Some(witness) = &self.witness else { return 0 };
        // An editor that does not answer leaves time for what was changed before to be seen.
        let now = Instant::now();
        self.oversee(below, now + until.saturating_duration_since(now) / 2).await;
        witness.moment(until).await
    }

    /// What of the files below a folder that are served was changed on the disk since a moment.
    pub async fn changed(&self, since: u64, below: &Path, until: Instant) -> Changed {
        match &self.witness {
            Some(witness) => witness.changed(since, below, until).await,
            None => Changed::default(),
        }
    }

    async fn ask(&self, asking: Asking, subjects: &[Subject], until: Instant) -> Vec<Report> {
        let by = async |source: &Option<Arc<dyn Source>>, subjects: &[Subject], until: Instant| match source {
            Some(source) if !subjects.is_empty() => asking(&**source, subjects, until).await,
            _ => Vec::new(),
        };
        let of =
            async |source: &Option<Arc<dyn Source>>, subjects: &[Subject]| by(source, subjects, until).await;
        let servers = async {
            let mut reports = of(&self.editor, subjects).await;
            let served = paths(&reports, |_| true);
            if let Some(pool) = self.pool.as_ref().filter(|_| !served.is_empty()) {
                pool.spare(&served.iter().cloned().collect::<Vec<_>>());
            }
            let own = of(&self.pool, &except(subjects, &served)).await;
            // What the editor says of another file counts more than what we think of it.
            reports.extend(own.into_iter().filter(|report| !served.contains(&report.path)));
            reports
        };
        let (mut reports, checked) = tokio::join!(servers, of(&self.checkers, subjects));
        reports.extend(checked);
        let known = paths(&reports, |report| report.said.proof() != Proof::Unknown);
        // It is asked when the others may have taken all the time.
        let until = until.max(Instant::now() + FOR_SYNTAX);
        reports.extend(by(&self.syntax, &except(subjects, &known), until).await);
        reports
    }
}

fn paths(reports: &[Report], which: impl Fn(&Report) -> bool) -> HashSet<PathBuf> {
    reports.iter().filter(|report| which(report)).map(|report| report.path.clone()).collect()
}

fn except(subjects: &[Subject], paths: &HashSet<PathBuf>) -> Vec<Subject> {
    subjects.iter().filter(|subject| !paths.contains(&subject.path)).cloned().collect()
}

#[cfg(test)]
mod tests;
