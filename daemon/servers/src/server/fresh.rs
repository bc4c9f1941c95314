//! Whether what a server published is said of the text that is asked about. Pure: what was heard and when, and what time it is.
//!
//! A publish that names the version is proof, once another one for the same version can no longer follow. Without a version it is
//! likely, where it came later than the server gathers changes, and no other has followed for as long as one ever did; the first
//! of all is waited past for longer, since a server that has just read the project says what it knows piece by piece. Silence means that nothing has changed only where the server is
//! known to be silent then, there is an earlier set, and it has been silent for longer than it ever took. Everything else is waited
//! for, and in the end unknown.

use std::time::Duration;

use tokio::time::Instant;

use crate::quirks::{Dependents, Quirks};

pub(super) use learnt::Learnt;

mod learnt;

/// After the last of several publishes: what is sent together arrives together.
const TOGETHER: Duration = Duration::from_millis(20);

/// Without a version: servers publish what they find as they find it, and the rest shortly after.
const PIECES: Duration = Duration::from_millis(100);

/// How long a server that has read the project may take to publish what it found, before it is told of a text once more.
const BY_ITSELF: Duration = Duration::from_millis(500);

/// The text that is asked about, and what was heard of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Case<'a> {
    pub(super) quirks: &'a Quirks,
    /// How long the server may be silent before it says what a change changed: the longest of what its quirks say and what
    /// was learnt. None where nothing was learnt yet: then its silence means nothing.
    pub(super) silence: Option<Duration>,
    /// How long after a publish without a version another one for the same text may follow, as was learnt.
    pub(super) gap: Duration,
    pub(super) version: i32,
    /// When the server was told of this text.
    pub(super) changed: Instant,
    /// When it was last told of anything that this file may depend on; not before `changed`.
    pub(super) touched: Instant,
    /// Something that it depends on was changed since, and is not saved.
    pub(super) on_dirty: bool,
    /// What was said before this does not count.
    pub(super) ready: Instant,
    /// When it had read the project for the first time, where it told of that: what was published before means nothing.
    pub(super) first_ready: Option<Instant>,
    pub(super) heard: Option<Heard>,
}

/// The last publish for a file, and what came before it for the same version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Heard {
    /// None where it names none, or one that it was never told.
    pub(super) version: Option<i32>,
    pub(super) at: Instant,
    /// The first one for that version.
    pub(super) first: Instant,
    /// How many there were for that version.
    pub(super) count: u32,
    /// Nothing had been heard of the document when it got the text that it has.
    pub(super) is_first: bool,
}

impl Heard {
    /// The next one, after this. `told` is when the server was last told of the document, if it was.
    pub(super) fn next(
        before: Option<Self>,
        version: Option<i32>,
        at: Instant,
        told: Option<Instant>,
    ) -> Self {
        let same = before.filter(|before| before.version == version);
        // Without a version it is for the same text if that was not changed in between.
        let same = same.filter(|before| version.is_some() || told.is_none_or(|told| before.at >= told));
        let is_first =
            before.is_none_or(|before| before.is_first && told.is_none_or(|told| before.at >= told));
        match same {
            Some(before) => {
                Self { version, at, first: before.first, count: before.count.saturating_add(1), is_first }
            }
            None => Self { version, at, first: at, count: 1, is_first },
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// What was heard last is said of exactly this text.
    Proven,
    /// What was heard last is said of this text, as far as can be known.
    Likely,
    /// Not known yet. At this moment it is judged again, whatever comes until then.
    Wait(Option<Instant>),
    /// It will not say anything more by itself: it has to be told of the text once more.
    Touch,
    /// It will not say anything of it before what else was changed is saved.
    Unsaved,
}

impl Case<'_> {
    pub(super) fn judge(&self, now: Instant) -> Verdict {
        let from = |moment: Instant, verdict| match moment <= now {
            true => verdict,
            false => Verdict::Wait(Some(moment)),
        };
        let silent = |verdict| match self.silence {
            Some(silence) => from(self.touched.max(self.ready) + silence, verdict),
            None => Verdict::Wait(None),
        };
        let Some(heard) = self.heard else { return Verdict::Wait(None) };
        if let Some(first) = self.first_ready.filter(|first| heard.at < *first) {
            let is_told_again = self.touched >= first;
            // Most publish by themselves what they have found in the project.
            return match self.quirks.dirty_dependents {
                Dependents::Asked if !is_told_again => {
                    from(first + millis(self.quirks.settle_ms).max(BY_ITSELF), Verdict::Touch)
                }
                _ => Verdict::Wait(None),
            };
        }
        let is_after = heard.at >= self.touched;
        match heard.version {
            Some(version) if version == self.version && (is_after || self.stands_alone()) => {
                from(self.settled(heard), Verdict::Proven)
            }
            // Something else was changed since.
            Some(version) if version == self.version => match self.quirks.dirty_dependents {
                Dependents::Asked => Verdict::Touch,
                Dependents::Saved if self.on_dirty => Verdict::Unsaved,
                _ => silent(Verdict::Likely),
            },
            None if is_after && heard.at >= self.changed + millis(self.quirks.quiet_ms) => {
                let first = if heard.is_first { millis(self.quirks.silence_ms) } else { PIECES };
                let pieces = self.gap.max(first);
                from(self.settled(heard).max(heard.at + pieces), Verdict::Likely)
            }
            _ if self.quirks.silent_when_unchanged => silent(Verdict::Likely),
            _ => Verdict::Wait(None),
        }
    }

    fn stands_alone(&self) -> bool {
        self.quirks.dirty_dependents == Dependents::None
    }

    /// From when on no other publish for the same text is to be expected.
    fn settled(&self, heard: Heard) -> Instant {
        let is_from_here = heard.first >= self.touched && heard.first >= self.ready;
        if self.quirks.partial_first && is_from_here && heard.count >= 2 {
            return heard.at + TOGETHER;
        }
        let first = if is_from_here { heard.first } else { heard.at };
        first.max(self.ready) + millis(self.quirks.settle_ms)
    }
}

fn millis(number: u64) -> Duration {
    // What nobody can have measured is a mistake in the data, and must not overflow.
    Duration::from_millis(number.min(600_000))
}
