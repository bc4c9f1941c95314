//! Decides whether a publish is about the text in question. Pure: the inputs are the publishes, their times, and the
//! time now.
//!
//! A publish that names the version is proof, once no other publish for the same version can follow. A publish without
//! a version is likely, if it came after `debounce_ms`, and no other followed for longer than the longest recorded gap
//! between two publishes. The first publish for a text gets more time, because a server that has just read the project publishes
//! piece by piece. Silence means "unchanged" only if the server is known to be silent then, an earlier publish exists,
//! and the silence is longer than the longest recorded delay of a publish. In every other case the caller waits, and in the end the
//! verdict is unknown.

use std::time::Duration;

use tokio::time::Instant;

use crate::quirks::{DependentsPolicy, Quirks};
use crate::time_limits::{BURST_TIME, OTHER_FILES_GAP, PARTIAL_PUBLISH_GAP, UNPROMPTED_PUBLISH_TIMEOUT};

pub(super) use timings::PublishTimings;

mod timings;

/// The text in question, and the publishes about it.
#[derive(Debug, Clone, Copy)]
pub(super) struct FreshnessInput<'a> {
    pub(super) quirks: &'a Quirks,
    /// How long the server may be silent before it publishes the effect of a change: the maximum of its quirks and of
    /// its recorded times. `None` before the first recorded time: then its silence means nothing.
    pub(super) publish_delay_limit: Option<Duration>,
    /// How long after a publish without a version another one for the same text may follow, by the recorded times.
    pub(super) publish_gap: Duration,
    /// The daemon can send the text once more.
    pub(super) can_resend: bool,
    pub(super) version: i32,
    /// The server may still publish for an earlier text.
    pub(super) has_earlier_text: bool,
    /// When the server got this text.
    pub(super) sent_at: Instant,
    /// When the server last got a change that this file may depend on; never before `sent_at`.
    pub(super) last_related_change: Instant,
    /// Another open document has changed since the last publish, and is not saved.
    pub(super) has_unsaved_dependency: bool,
    /// Publishes before this moment do not count.
    pub(super) ready_since: Instant,
    /// When the server first finished reading the project, if it reported that. Earlier publishes mean nothing.
    pub(super) first_ready: Option<Instant>,
    pub(super) last_publish: Option<PublishRecord>,
    pub(super) last_publish_of_any: Option<Instant>,
}

/// The last publish for a file, with the earlier ones for the same version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PublishRecord {
    /// `None` if the publish names no version, or one that the server never got.
    pub(super) version: Option<i32>,
    pub(super) received_at: Instant,
    /// The first publish for this version.
    pub(super) first_received: Instant,
    /// The number of publishes for this version.
    pub(super) count: u32,
    /// The server also published for an earlier text of the document.
    pub(super) has_earlier_text_publish: bool,
}

impl PublishRecord {
    /// The record after the publish that follows `before`. `sent_at` is when the server last got the document, if ever.
    pub(super) fn following(
        before: Option<Self>,
        version: Option<i32>,
        received_at: Instant,
        sent_at: Option<Instant>,
    ) -> Self {
        let same = before.filter(|before| before.version == version);
        // Without a version, both are for the same text if it did not change in between.
        let same = same.filter(|before| {
            version.is_some() || sent_at.is_none_or(|sent_at| before.received_at >= sent_at)
        });
        let has_earlier_text_publish = before.is_some_and(|before| {
            before.has_earlier_text_publish || sent_at.is_some_and(|sent_at| before.received_at < sent_at)
        });
        match same {
            Some(before) => Self {
                version,
                received_at,
                first_received: before.first_received,
                count: before.count.saturating_add(1),
                has_earlier_text_publish,
            },
            None => {
                Self { version, received_at, first_received: received_at, count: 1, has_earlier_text_publish }
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Freshness {
    /// The last publish is about exactly this text.
    Proven,
    /// The last publish is about this text, as far as the daemon can know.
    Likely,
    /// Not known yet. Judge again at this moment, or when a message comes.
    Wait(Option<Instant>),
    /// The server will not publish again by itself: it must get the text once more.
    Resend,
    /// The server will not publish for it until another changed file is saved.
    NeedsSave,
    /// The server read files while they changed, twice.
    Useless,
}

impl FreshnessInput<'_> {
    pub(super) fn judge(&self, now: Instant) -> Freshness {
        let from = |moment: Instant, verdict| match moment <= now {
            true => verdict,
            false => Freshness::Wait(Some(moment)),
        };
        let after_silence = |verdict| match self.publish_delay_limit {
            Some(limit) => from(self.last_related_change.max(self.ready_since) + limit, verdict),
            None => Freshness::Wait(None),
        };
        let Some(publish) = self.last_publish else { return Freshness::Wait(None) };
        if let Some(ready) = self.first_ready.filter(|ready| publish.received_at < *ready) {
            let is_sent_again = self.last_related_change >= ready;
            // Most servers publish by themselves what they found in the project.
            return match self.quirks.dirty_dependents {
                DependentsPolicy::MustRequest if !is_sent_again && self.can_resend => from(
                    ready + millis(self.quirks.republish_ms).max(UNPROMPTED_PUBLISH_TIMEOUT),
                    Freshness::Resend,
                ),
                // What it has not published again since then is unchanged.
                _ if !self.can_resend => {
                    from(ready.max(self.last_related_change) + UNPROMPTED_PUBLISH_TIMEOUT, Freshness::Likely)
                }
                _ => Freshness::Wait(None),
            };
        }
        let is_after = publish.received_at >= self.last_related_change;
        match publish.version {
            // A version proves that the server had read every message before this text. It proves nothing about later
            // messages, unless the server is known to publish again after those.
            Some(version)
                if version == self.version
                    && (self.is_sent_last()
                        || self.checks_alone()
                        || (is_after && self.follows_others())) =>
            {
                from(self.settled_at(publish), Freshness::Proven)
            }
            // Another file has changed since.
            Some(version) if version == self.version => match self.quirks.dirty_dependents {
                DependentsPolicy::MustRequest if self.can_resend => Freshness::Resend,
                DependentsPolicy::MustRequest if is_after => from(
                    self.settled_at(publish).max(publish.received_at + PARTIAL_PUBLISH_GAP),
                    Freshness::Likely,
                ),
                DependentsPolicy::Saved if self.has_unsaved_dependency => Freshness::NeedsSave,
                _ => match self.others_settled() {
                    Some(settled_at) => from(settled_at, Freshness::Likely),
                    None => after_silence(Freshness::Likely),
                },
            },
            None if is_after && publish.received_at >= self.sent_at + self.debounce_time() => {
                let least_gap = if publish.has_earlier_text_publish {
                    PARTIAL_PUBLISH_GAP
                } else {
                    millis(self.quirks.publish_delay_ms)
                };
                let gap = self.publish_gap.max(least_gap);
                from(self.settled_at(publish).max(publish.received_at + gap), Freshness::Likely)
            }
            None if let Some(settled_at) = self.others_settled()
                && publish.received_at >= self.sent_at + self.debounce_time() =>
            {
                from(settled_at, Freshness::Likely)
            }
            _ if self.quirks.silent_when_unchanged => after_silence(Freshness::Likely),
            _ => Freshness::Wait(None),
        }
    }

    /// When an editor's server has published the effect of the last change on all files: after it has published for any
    /// file since. The daemon cannot send it a text once more, so its silence about this file has to do.
    fn others_settled(&self) -> Option<Instant> {
        let last = self.last_publish_of_any.filter(|last| *last >= self.last_related_change)?;
        (!self.can_resend).then(|| last + millis(self.quirks.republish_ms).max(OTHER_FILES_GAP))
    }

    /// How long after a change a publish without a version may still be about the text before.
    fn debounce_time(&self) -> Duration {
        if self.has_earlier_text { millis(self.quirks.debounce_ms) } else { Duration::ZERO }
    }

    fn is_sent_last(&self) -> bool {
        self.sent_at >= self.last_related_change
    }

    fn checks_alone(&self) -> bool {
        self.quirks.dirty_dependents == DependentsPolicy::None
    }

    /// A publish after a change of another file takes that change into account.
    fn follows_others(&self) -> bool {
        matches!(self.quirks.dirty_dependents, DependentsPolicy::Pushed | DependentsPolicy::Saved)
    }

    /// When no other publish for the same text can follow.
    fn settled_at(&self, publish: PublishRecord) -> Instant {
        let is_from_here =
            publish.first_received >= self.last_related_change && publish.first_received >= self.ready_since;
        if self.quirks.partial_first && is_from_here && publish.count >= 2 {
            return publish.received_at + BURST_TIME;
        }
        let since = if is_from_here { publish.first_received } else { publish.received_at };
        since.max(self.ready_since) + millis(self.quirks.republish_ms)
    }
}

fn millis(number: u64) -> Duration {
    // A longer time is a mistake in the data, and must not overflow.
    Duration::from_millis(number.min(600_000))
}
