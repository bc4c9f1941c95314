//! Whether what a server published is said of the text that is asked about. Pure: what was heard and when, and what time it is.
//!
//! A publish that names the version is proof, once another one for the same version can no longer follow. Without a version it is
//! likely, where it came later than the server gathers changes, and no other has followed for as long as one ever did; the first
//! of all is waited past for longer, since a server that has just read the project says what it knows piece by piece. Silence means that nothing has changed only where the server is
//! known to be silent then, there is an earlier set, and it has been silent for longer than it ever took. Everything else is waited
//! for, and in the end unknown.

use std::time::Duration;

use tokio::time::Instant;

use crate::quirks::{DependentsPolicy, Quirks};
use crate::time_limits::{BURST_TIME, OTHER_FILES_GAP, PARTIAL_PUBLISH_GAP, UNPROMPTED_PUBLISH_TIMEOUT};

pub(super) use timings::PublishTimings;

mod timings;

/// The text that is asked about, and what was heard of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct FreshnessInput<'a> {
    pub(super) quirks: &'a Quirks,
    /// How long the server may be silent before it says what a change changed: the longest of what its quirks say and what
    /// was learnt. None where nothing was learnt yet: then its silence means nothing.
    pub(super) silence_limit: Option<Duration>,
    /// How long after a publish without a version another one for the same text may follow, as was learnt.
    pub(super) publish_gap: Duration,
    /// The server can be told of the text once more.
    pub(super) can_resend: bool,
    pub(super) version: i32,
    /// There may be a text before this one that the server speaks of.
    pub(super) has_earlier_text: bool,
    /// When the server was told of this text.
    pub(super) sent_at: Instant,
    /// When it was last told of anything that this file may depend on; not before `sent_at`.
    pub(super) last_related_change: Instant,
    /// Something that it depends on was changed since, and is not saved.
    pub(super) has_unsaved_dependency: bool,
    /// What was said before this does not count.
    pub(super) ready_since: Instant,
    /// When it had read the project for the first time, where it told of that: what was published before means nothing.
    pub(super) first_ready: Option<Instant>,
    pub(super) last_publish: Option<PublishRecord>,
    /// When the server last published for any file.
    pub(super) last_publish_of_any: Option<Instant>,
}

/// The last publish for a file, and what came before it for the same version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PublishRecord {
    /// None where it names none, or one that it was never told.
    pub(super) version: Option<i32>,
    pub(super) received_at: Instant,
    /// The first one for that version.
    pub(super) first_received: Instant,
    /// How many there were for that version.
    pub(super) count: u32,
    /// Nothing had been heard of the document when it got the text that it has.
    pub(super) is_first_for_text: bool,
}

impl PublishRecord {
    /// The next one, after this. `told` is when the server was last told of the document, if it was.
    pub(super) fn following(
        before: Option<Self>,
        version: Option<i32>,
        at: Instant,
        told: Option<Instant>,
    ) -> Self {
        let same = before.filter(|before| before.version == version);
        // Without a version it is for the same text if that was not changed in between.
        let same =
            same.filter(|before| version.is_some() || told.is_none_or(|told| before.received_at >= told));
        let is_first = before.is_none_or(|before| {
            before.is_first_for_text && told.is_none_or(|told| before.received_at >= told)
        });
        match same {
            Some(before) => Self {
                version,
                received_at: at,
                first_received: before.first_received,
                count: before.count.saturating_add(1),
                is_first_for_text: is_first,
            },
            None => {
                Self { version, received_at: at, first_received: at, count: 1, is_first_for_text: is_first }
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Freshness {
    /// What was heard last is said of exactly this text.
    Proven,
    /// What was heard last is said of this text, as far as can be known.
    Likely,
    /// Not known yet. At this moment it is judged again, whatever comes until then.
    Wait(Option<Instant>),
    /// It will not say anything more by itself: it has to be told of the text once more.
    Resend,
    /// It will not say anything of it before what else was changed is saved.
    NeedsSave,
}

impl FreshnessInput<'_> {
    pub(super) fn judge(&self, now: Instant) -> Freshness {
        let from = |moment: Instant, verdict| match moment <= now {
            true => verdict,
            false => Freshness::Wait(Some(moment)),
        };
        let silent = |verdict| match self.silence_limit {
            Some(silence) => from(self.last_related_change.max(self.ready_since) + silence, verdict),
            None => Freshness::Wait(None),
        };
        let Some(heard) = self.last_publish else { return Freshness::Wait(None) };
        if let Some(first) = self.first_ready.filter(|first| heard.received_at < *first) {
            let is_told_again = self.last_related_change >= first;
            // Most publish by themselves what they have found in the project.
            return match self.quirks.dirty_dependents {
                DependentsPolicy::Asked if !is_told_again && self.can_resend => from(
                    first + millis(self.quirks.settle_ms).max(UNPROMPTED_PUBLISH_TIMEOUT),
                    Freshness::Resend,
                ),
                // What it has not published anew since then is as it was.
                _ if !self.can_resend => {
                    from(first.max(self.last_related_change) + UNPROMPTED_PUBLISH_TIMEOUT, Freshness::Likely)
                }
                _ => Freshness::Wait(None),
            };
        }
        let is_after = heard.received_at >= self.last_related_change;
        match heard.version {
            // A version proves that the server had read what it was told before this text, and nothing of what it was told later, unless
            // it is known to publish again then.
            Some(version)
                if version == self.version
                    && (self.is_told_last()
                        || self.stands_alone()
                        || (is_after && self.follows_others())) =>
            {
                from(self.settled(heard), Freshness::Proven)
            }
            // Something else was changed since.
            Some(version) if version == self.version => match self.quirks.dirty_dependents {
                DependentsPolicy::Asked if self.can_resend => Freshness::Resend,
                DependentsPolicy::Asked if is_after => {
                    from(self.settled(heard).max(heard.received_at + PARTIAL_PUBLISH_GAP), Freshness::Likely)
                }
                DependentsPolicy::Saved if self.has_unsaved_dependency => Freshness::NeedsSave,
                _ => match self.others_settled() {
                    Some(settled) => from(settled, Freshness::Likely),
                    None => silent(Freshness::Likely),
                },
            },
            None if is_after && heard.received_at >= self.sent_at + self.quiet() => {
                let first = if heard.is_first_for_text {
                    millis(self.quirks.silence_ms)
                } else {
                    PARTIAL_PUBLISH_GAP
                };
                let pieces = self.publish_gap.max(first);
                from(self.settled(heard).max(heard.received_at + pieces), Freshness::Likely)
            }
            None if let Some(settled) = self.others_settled()
                && heard.received_at >= self.sent_at + self.quiet() =>
            {
                from(settled, Freshness::Likely)
            }
            _ if self.quirks.silent_when_unchanged => silent(Freshness::Likely),
            _ => Freshness::Wait(None),
        }
    }

    /// From when on an editor's server has said of all files what the last change did: it has published for any of them since. (It cannot be
    /// told of a text once more, so its silence about this file has to do.)
    fn others_settled(&self) -> Option<Instant> {
        let last = self.last_publish_of_any.filter(|last| *last >= self.last_related_change)?;
        (!self.can_resend).then(|| last + millis(self.quirks.settle_ms).max(OTHER_FILES_GAP))
    }

    /// How long after a change what is published without a version may be about the text before.
    fn quiet(&self) -> Duration {
        if self.has_earlier_text { millis(self.quirks.quiet_ms) } else { Duration::ZERO }
    }

    fn is_told_last(&self) -> bool {
        self.sent_at >= self.last_related_change
    }

    fn stands_alone(&self) -> bool {
        self.quirks.dirty_dependents == DependentsPolicy::None
    }

    /// What it publishes after another file was changed is said with that change.
    fn follows_others(&self) -> bool {
        matches!(self.quirks.dirty_dependents, DependentsPolicy::Told | DependentsPolicy::Saved)
    }

    /// From when on no other publish for the same text is to be expected.
    fn settled(&self, heard: PublishRecord) -> Instant {
        let is_from_here =
            heard.first_received >= self.last_related_change && heard.first_received >= self.ready_since;
        if self.quirks.partial_first && is_from_here && heard.count >= 2 {
            return heard.received_at + BURST_TIME;
        }
        let first = if is_from_here { heard.first_received } else { heard.received_at };
        first.max(self.ready_since) + millis(self.quirks.settle_ms)
    }
}

fn millis(number: u64) -> Duration {
    // What nobody can have measured is a mistake in the data, and must not overflow.
    Duration::from_millis(number.min(600_000))
}
