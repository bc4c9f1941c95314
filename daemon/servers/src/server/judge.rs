//! The judge decides what to do next to learn a server's diagnostics of a text, and whether a response to a pull
//! counts.
//!
//! Contract: pure. The facts are a [`ServerRecord`]: the server's capabilities, what it got, what it published, and
//! when. The quirks are an entry of `known_servers.json`, and the time is an argument. The judge sends nothing and
//! never waits: its caller carries out the [`CheckAction`], and asks again at the next event or at the given moment.

#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::Duration;

use copydesk_text::PositionEncoding;
use tokio::time::Instant;

use super::check_document::unknown_verdict;
use super::documents::ServerDocument;
use super::freshness::Freshness;
use super::record::{ReadinessGate, ServerRecord};
use crate::quirks::{PullSupport, Quirks, ReadinessSignal};
use crate::report::Verdict;
use crate::time_limits::{DISK_READ_TIME, DISK_UNPROVEN_TIME};

/// Why a caller waits while the server reads the project.
const READING: &str = "it is still reading the project";
/// Why the server gets the same text once more.
const RESEND: &str = "it does not publish for this text again by itself";

#[derive(Debug, PartialEq, Eq)]
pub(super) enum CheckAction {
    /// The verdict is final.
    Conclude(Verdict),
    /// Pull the diagnostics of the text.
    Pull,
    /// Send the same text once more.
    Resend,
    /// Wait for an event, or until this moment.
    Wait(Option<Instant>),
}

impl CheckAction {
    /// For the log.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Conclude(Verdict::Proven(_)) => "proven",
            Self::Conclude(Verdict::Likely(_)) => "likely",
            Self::Conclude(Verdict::Unknown { .. }) => "unknown",
            Self::Conclude(Verdict::Unchecked { .. }) => "unchecked",
            Self::Pull => "pull",
            Self::Resend => "resend",
            Self::Wait(_) => "wait",
        }
    }
}

/// An action, the version of the text that it is about, and the reason.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CheckDecision {
    pub(super) action: CheckAction,
    pub(super) version: i32,
    pub(super) why: &'static str,
}

/// Whether a response to a pull counts.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PullJudgement {
    Accept,
    /// The server reloaded the project meanwhile: pull again.
    AskAgain,
    /// The server is no longer ready, for this reason.
    Shut(String),
}

impl ServerRecord {
    /// `asked` is the version that the caller first asked about; `None` at its first call.
    pub(super) fn judge(
        &self,
        path: &Path,
        asked: Option<i32>,
        quirks: &Quirks,
        now: Instant,
    ) -> CheckDecision {
        let document = self.documents.get(path);
        let current = document.map(|document| document.version);
        let asked = asked.unwrap_or(current.unwrap_or_default());
        // A check of other files may resend this one under a new version: the text is still the same.
        let is_same =
            document.is_none_or(|document| document.version == asked || document.sent.is_current_text(asked));
        let version = if is_same { current.unwrap_or(asked) } else { asked };
        let decide = |action, why| CheckDecision { action, version, why };
        let unknown = |why| decide(CheckAction::Conclude(unknown_verdict(why)), why);
        if !is_same {
            return unknown("the text was changed again before the answer had come");
        }
        let ready = match self.gate(now) {
            ReadinessGate::Open(ready) => ready,
            // Such a server answers once it has read the project.
            ReadinessGate::Wait(_) | ReadinessGate::Reading(_)
                if quirks.pull == PullSupport::Tsserver && self.capabilities.tsserver =>
            {
                now
            }
            ReadinessGate::Wait(at) => {
                return decide(
                    CheckAction::Wait(at),
                    "it has not said in time whether it has read the project",
                );
            }
            // The caller's deadline decides how long it is worth the wait.
            ReadinessGate::Reading(_) => return decide(CheckAction::Wait(None), READING),
            ReadinessGate::Shut(why) => {
                return decide(CheckAction::Conclude(Verdict::Unknown { why }), "it is not ready");
            }
        };
        if !self.pull_options_for(path, quirks).is_empty() {
            if document.is_none() && !quirks.pull_closed {
                return unknown("it does not hold the file open");
            }
            if let Some(later) = self.disk_read(quirks).filter(|later| *later > now) {
                return decide(CheckAction::Wait(Some(later)), "files were changed on the disk just before");
            }
            return decide(CheckAction::Pull, "it can be asked for the diagnostics of this text");
        }
        let Some(document) = document else {
            return unknown("it does not hold the file open");
        };
        if quirks.pull == PullSupport::Only {
            return decide(CheckAction::Wait(None), "it has not said in time that it can be asked");
        }
        let published = || self.published_diagnostics(path);
        match self.judge_publish(path, document, quirks, ready, now) {
            Freshness::Proven if self.knows_columns(document) => decide(
                CheckAction::Conclude(Verdict::Proven(published())),
                "it published for this version, and no other publish is to be expected",
            ),
            Freshness::Proven | Freshness::Likely => decide(
                CheckAction::Conclude(Verdict::Likely(published())),
                "it published after the last change, or was silent for longer than any of its publishes took",
            ),
            Freshness::Wait(at) => decide(CheckAction::Wait(at), "it said nothing of this text in time"),
            Freshness::NeedsSave => {
                unknown("it sees other files as they were saved, and one was changed since")
            }
            Freshness::Useless => unknown("it read another file while that was being changed"),
            Freshness::Resend => decide(CheckAction::Resend, RESEND),
        }
    }

    /// `ready` is the server's `reported_ready` when the pull was sent.
    pub(super) fn judge_pull(&self, ready: Option<Instant>, quirks: &Quirks, now: Instant) -> PullJudgement {
        // A response from the start of a reload means nothing.
        if self.readiness.ready_again_by(now).is_some() {
            return PullJudgement::AskAgain;
        }
        match self.gate(now) {
            ReadinessGate::Shut(why) => PullJudgement::Shut(why),
            // tsserver answers once it has read the project, whatever its progress says.
            ReadinessGate::Reading(_) if quirks.pull != PullSupport::Tsserver => PullJudgement::AskAgain,
            // A response from between two reloads means nothing either, however short they were.
            _ if self.reported_ready(quirks, now) != ready => PullJudgement::AskAgain,
            _ => PullJudgement::Accept,
        }
    }

    /// Whether the response to a pull sent now is proof: the server has the text, and has read the disk.
    pub(super) fn is_pull_proof(&self, path: &Path, quirks: &Quirks, now: Instant) -> bool {
        self.documents.get(path).is_some_and(|document| self.knows_columns(document))
            && self.has_read_disk(quirks, now)
    }

    /// Whether the server has surely read what changed on the disk.
    pub(super) fn has_read_disk(&self, quirks: &Quirks, now: Instant) -> bool {
        self.disk_changed(quirks).is_none_or(|disk| disk + DISK_UNPROVEN_TIME <= now)
    }

    /// Whether the daemon can convert the server's columns: for most encodings it needs the text.
    fn knows_columns(&self, document: &ServerDocument) -> bool {
        self.encoding == PositionEncoding::Utf16 || document.has_text()
    }

    /// Since when the server is ready, if it reports that by `serverStatus`. `None` for other servers: they report even
    /// the work on a request as progress.
    pub(super) fn reported_ready(&self, quirks: &Quirks, now: Instant) -> Option<Instant> {
        match self.gate(now) {
            ReadinessGate::Open(since) if quirks.ready == ReadinessSignal::ServerStatus => Some(since),
            _ => None,
        }
    }

    /// When the disk last changed in a way that the server may not have read before it answers the next request.
    fn disk_changed(&self, quirks: &Quirks) -> Option<Instant> {
        let files = self.disk_changed.filter(|_| !quirks.disk_in_order);
        files.max(self.folders_changed.filter(|_| quirks.folders_ms > 0))
    }

    /// When the server has read that change, as far as the daemon knows.
    fn disk_read(&self, quirks: &Quirks) -> Option<Instant> {
        let files = self.disk_changed.filter(|_| !quirks.disk_in_order).map(|disk| disk + DISK_READ_TIME);
        let folders = self.folders_changed.filter(|_| quirks.folders_ms > 0);
        files.max(folders.map(|folders| folders + Duration::from_millis(quirks.folders_ms.min(10_000))))
    }
}
