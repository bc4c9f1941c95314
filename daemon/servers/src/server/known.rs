//! All that is known of a running server, and what follows from it at a moment.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::documents::{Documents, Held};
use super::fresh::{Case, Heard, Learnt, Verdict};
use super::greeting::{Offers, PullOptions, Sync};
use super::parse::{Publish, Set};
use super::published::{AllPublished, Published};
use super::readiness::{Readiness, Stage};
use super::registered::Registered;
use super::saves::Saves;
use super::{State, tsserver, uri};
use crate::diagnostic::Diagnostic;
use crate::known::language_of;
use crate::quirks::{Dependents, Pull, Quirks};

#[derive(Debug)]
pub(super) struct Known {
    pub(super) documents: Documents,
    pub(super) published: AllPublished,
    pub(super) readiness: Readiness,
    pub(super) registered: Registered,
    pub(super) saves: Saves,
    pub(super) learnt: Learnt,
    pub(super) offers: Offers,
    /// Counts what happens.
    pub(super) tick: u64,
    /// When the disk was last changed under the server's eyes, or it was sent back to a file there.
    pub(super) disk: Option<Instant>,
    /// When anything in the project was last changed there by others: a compiler reads more than its server.
    pub(super) beside: Option<Instant>,
    /// When folders came or went there.
    pub(super) folders: Option<Instant>,
    /// When a text that is held last came to lie on the disk, whoever wrote it.
    pub(super) landed: Option<Instant>,
    /// When the server was last told of a save.
    pub(super) saved: Option<Instant>,
    pub(super) hung: Option<&'static str>,
    pub(super) ended: Option<String>,
    /// Its end is our own wish.
    pub(super) is_stopped: bool,
    /// How often something came that is no message, and what came last.
    pub(super) garbage: Option<(u64, String)>,
}

/// Whether what the server says means anything at the moment.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Gate {
    /// Since then.
    Open(Instant),
    /// Soon, perhaps: at this moment it is known.
    Wait(Option<Instant>),
    /// Why not.
    Shut(String),
}

impl Known {
    pub(super) fn new(quirks: &Quirks, now: Instant) -> Self {
        Self {
            documents: Documents::default(),
            published: AllPublished::default(),
            readiness: Readiness::new(quirks.ready.clone(), now),
            registered: Registered::default(),
            saves: Saves::new(quirks.save_tokens.clone(), Duration::from_millis(quirks.save_begins_ms)),
            learnt: Learnt::default(),
            offers: Offers { sync: Sync::Full, save: None, pull: None, tsserver: false, format: false },
            tick: 0,
            disk: None,
            beside: None,
            folders: None,
            landed: None,
            saved: None,
            hung: None,
            ended: None,
            is_stopped: false,
            garbage: None,
        }
    }

    pub(super) fn state(&self, now: Instant) -> State {
        if let Some(why) = &self.ended {
            return State::Ended { why: why.clone() };
        }
        match (self.hung, self.readiness.stage(now)) {
            (Some(request), _) => State::Hung { request: request.to_owned() },
            (None, Stage::Ready { .. }) => State::Ready,
            (None, Stage::Indexing { message, percent }) => State::Indexing { message, percent },
            (None, Stage::Starting { .. }) => State::Indexing { message: None, percent: None },
        }
    }

    pub(super) fn gate(&self, now: Instant) -> Gate {
        if let Some(why) = &self.ended {
            return Gate::Shut(format!("it has ended: {why}"));
        }
        if let Some(request) = self.hung {
            return Gate::Shut(format!("it does not answer (`{request}`)"));
        }
        match self.readiness.stage(now) {
            Stage::Ready { since } => Gate::Open(since),
            Stage::Starting { until } => Gate::Wait(until),
            Stage::Indexing { .. } if self.readiness.back(now).is_some() => {
                Gate::Wait(self.readiness.back(now))
            }
            Stage::Indexing { message, percent } => {
                let percent = percent.map(|percent| format!(" ({percent} %)")).unwrap_or_default();
                let message = message.map(|message| format!(": {message}")).unwrap_or_default();
                Gate::Shut(format!("it is still reading the project{message}{percent}"))
            }
        }
    }

    /// How it can be asked, where it can.
    pub(super) fn pull(&self, quirks: &Quirks) -> Option<&PullOptions> {
        match quirks.pull {
            Pull::Never => None,
            Pull::IfOffered | Pull::Only => self.registered.pull().or(self.offers.pull.as_ref()),
            Pull::Tsserver => self.offers.tsserver.then_some(&tsserver::OPTIONS),
        }
    }

    /// The same for one file.
    pub(super) fn pull_of(&self, path: &Path, quirks: &Quirks) -> Option<&PullOptions> {
        let language = || match self.documents.get(path) {
            Some(held) => Some(held.language.as_str()),
            None => language_of(path, ""),
        };
        let is_asked = |name: &str| quirks.pull_languages.iter().any(|language| language == name);
        let is_all = quirks.pull_languages.is_empty();
        self.pull(quirks).filter(|_| is_all || language().is_some_and(is_asked))
    }

    /// It can be asked about what it tells of other files by itself.
    pub(super) fn is_asked_instead(&self, quirks: &Quirks) -> bool {
        quirks.dirty_dependents == Dependents::Told && self.pull(quirks).is_some()
    }

    /// What was published, judged for a document that is held.
    pub(super) fn judge(
        &self,
        path: &Path,
        held: &Held,
        quirks: &Quirks,
        ready: Instant,
        now: Instant,
    ) -> Verdict {
        let others = || self.documents.all().filter(|(other, _)| *other != path).map(|(_, held)| held);
        let heard = self.published.get(path).filter(|said| !said.is_answer).map(|said| said.heard);
        let is_newer =
            |edited: Option<(Instant, u64)>| edited.map(|edited| edited.0) > heard.map(|heard| heard.at);
        let case = Case {
            quirks,
            gap: self.learnt.gap(),
            silence: self.learnt.silence(Duration::from_millis(quirks.silence_ms)),
            version: held.version,
            changed: held.told,
            touched: self.elsewhere(path).map_or(held.told, |elsewhere| elsewhere.max(held.told)),
            on_dirty: others().any(|other| !other.is_clean() && is_newer(other.edited)),
            ready,
            first_ready: self.readiness.first(),
            heard,
        };
        self.on_ground(held, heard, quirks, case.judge(now))
    }

    /// Takes in a publish. Tells of which file, where it is one.
    pub(super) fn take(&mut self, publish: Publish, quirks: &Quirks, now: Instant) -> Option<PathBuf> {
        let path = uri::path(&publish.uri)?;
        let held = self.documents.get(&path);
        let version = publish.version.and_then(|version| i32::try_from(version).ok());
        if version.is_some_and(|version| held.is_some_and(|held| held.is_before(version))) {
            return None;
        }
        // One that it was never told is no version of this text.
        let version = version.filter(|version| held.is_some_and(|held| held.had(*version)));
        let before = self.published.get(&path).filter(|said| !said.is_answer).map(|said| said.heard);
        if version.is_some() && before.is_some_and(|before| before.version > version) {
            return None;
        }
        if let Some(held) = held
            && before.is_none_or(|before| before.at < held.told)
            && (version == Some(held.version) || version.is_none())
        {
            // How long it took while it read the project says only how long it takes at most.
            match self.gate(now) {
                Gate::Open(since) if before.is_none() || since <= held.told => {
                    self.learnt.took(now - held.told.max(since));
                }
                _ if before.is_none() => self.learnt.opened(now - held.told),
                _ => {}
            }
        }
        let told = held.map(|held| held.told);
        if let (Some(before), None, Some(told)) = (before, version, told)
            && before.at >= told
        {
            self.learnt.followed(now - before.at);
        }
        self.found_ground(&path, version, before, quirks);
        self.put(path.clone(), publish.set, Heard::next(before, version, now, told), quirks, false);
        Some(path)
    }

    /// Takes in what it answered of a file.
    pub(super) fn take_answer(&mut self, path: PathBuf, set: Set, quirks: &Quirks, now: Instant) {
        self.put(path, set, Heard::next(None, None, now, None), quirks, true);
    }

    fn put(&mut self, path: PathBuf, set: Set, heard: Heard, quirks: &Quirks, is_answer: bool) {
        let (saved, diagnostics) = apart(set.diagnostics, quirks);
        // An answer does not say what follows a save.
        let before = self.published.get(&path).filter(|_| is_answer).map(|before| Arc::clone(&before.saved));
        let saved = before.unwrap_or_else(|| Arc::new(saved));
        let tick = self.tick + 1;
        let published = Published { heard, tick, diagnostics: Arc::new(diagnostics), saved, is_answer };
        let documents = &self.documents;
        self.published.put(path, published, |path| documents.get(path).is_some());
    }
}

/// Those that only follow a save, and the others.
pub(super) fn apart(diagnostics: Vec<Diagnostic>, quirks: &Quirks) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
    let follows = |diagnostic: &Diagnostic| {
        diagnostic.source.as_deref().is_some_and(|source| quirks.follows_save(source))
    };
    diagnostics.into_iter().partition(follows)
}

/// An object, whatever was sent.
pub(super) fn value(params: &serde_json::value::RawValue) -> Value {
    serde_json::from_str(params.get()).unwrap_or_default()
}
