//! The versions of one document that a server got, and which of them a publish means.
//!
//! A version is the daemon's, and never repeats. The server knows it by a number. For a document of the daemon's own the
//! two are the same. An editor counts its own numbers, and they repeat: Neovim opens a document again with the number
//! that it had, or with 0. So a publish that names such a number does not say which of the texts it is about.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher as _};

/// How many versions of a document keep a fingerprint of their text.
const MAX_VERSIONS: usize = 64;

/// Numbers from here on are the daemon's, if an editor counts the others.
const OWN_NUMBERS: i32 = 1_000_000_000;

#[derive(Debug)]
pub(super) struct SentVersions {
    /// The last ones, oldest first.
    sent: VecDeque<SentVersion>,
    /// The server may have got other texts since it opened the document, before the first version.
    has_earlier: bool,
    /// Up to this number, the server may have got other texts by the same numbers, before the document was closed.
    repeated: Option<i32>,
}

#[derive(Debug, Clone, Copy)]
struct SentVersion {
    version: i32,
    number: i32,
    fingerprint: u64,
}

/// What a server means by a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NamedVersion {
    Sent(i32),
    /// One from before the document was opened, or so old that it was dropped.
    Stale,
    /// Not known: the server never got it, or got more than one.
    Unclear,
}

impl SentVersions {
    pub(super) fn new(version: i32, text: &str) -> Self {
        let mut versions = Self { sent: VecDeque::new(), has_earlier: false, repeated: None };
        versions.push(version, version, fingerprint(text));
        versions
    }

    /// The versions of an editor's document. The fingerprints are of the versions, because the texts come later.
    pub(super) fn observed(version: i32, number: i32, has_earlier: bool, repeated: Option<i32>) -> Self {
        let mut versions = Self { sent: VecDeque::new(), has_earlier, repeated };
        versions.push(version, number, fingerprint(&version));
        versions
    }

    pub(super) fn change(&mut self, version: i32, text: &str) {
        self.push(version, version, fingerprint(text));
    }

    pub(super) fn observe_change(&mut self, version: i32, number: i32) {
        self.push(version, number, fingerprint(&version));
    }

    /// The last text again, in an editor's document or in one of the daemon's own. Returns the number to send.
    pub(super) fn resend(&mut self, version: i32, is_observed: bool) -> i32 {
        let number = if is_observed { OWN_NUMBERS.saturating_add(version) } else { version };
        let fingerprint = self.sent.back().map_or(0, |last| last.fingerprint);
        self.push(version, number, fingerprint);
        number
    }

    pub(super) fn named(&self, number: i32) -> NamedVersion {
        let is_repeated = self.repeated.is_some_and(|repeated| number <= repeated);
        if let Some(sent) = self.sent.iter().rev().find(|sent| sent.number == number) {
            return if is_repeated { NamedVersion::Unclear } else { NamedVersion::Sent(sent.version) };
        }
        let is_own = |number| number >= OWN_NUMBERS;
        let mut comparable =
            self.sent.iter().map(|sent| sent.number).filter(|sent| is_own(*sent) == is_own(number));
        let is_dropped = number > 0 && comparable.next().is_some_and(|oldest| number < oldest);
        if is_repeated || is_dropped { NamedVersion::Stale } else { NamedVersion::Unclear }
    }

    /// The greatest number that an editor gave.
    pub(super) fn greatest_number(&self) -> Option<i32> {
        let numbers = self.sent.iter().map(|sent| sent.number).filter(|number| *number < OWN_NUMBERS);
        numbers.chain(self.repeated).max()
    }

    /// Whether a version had the current text.
    pub(super) fn is_current_text(&self, version: i32) -> bool {
        let sent = self.sent.iter().find(|sent| sent.version == version);
        let fingerprint = sent.map(|sent| sent.fingerprint);
        fingerprint.is_some() && fingerprint == self.sent.back().map(|last| last.fingerprint)
    }

    /// Whether the server got no other version of the document.
    pub(super) fn is_first(&self) -> bool {
        self.sent.len() == 1 && !self.has_earlier && self.repeated.is_none()
    }

    /// Whether the server got no other text since it opened the document.
    pub(super) fn is_opening_text(&self) -> bool {
        let last = self.sent.back().map(|last| last.fingerprint);
        !self.has_earlier && self.sent.iter().all(|sent| Some(sent.fingerprint) == last)
    }

    /// Whether a publish cannot name the last version, because its number repeats.
    pub(super) fn is_unclear(&self) -> bool {
        self.sent.back().is_some_and(|last| self.named(last.number) == NamedVersion::Unclear)
    }

    /// Whether the version before had the same text.
    pub(super) fn is_resent(&self) -> bool {
        let mut last = self.sent.iter().rev().map(|sent| sent.fingerprint);
        last.next() == last.next()
    }

    fn push(&mut self, version: i32, number: i32, fingerprint: u64) {
        if self.sent.len() >= MAX_VERSIONS {
            self.sent.pop_front();
            self.has_earlier = true;
        }
        self.sent.push_back(SentVersion { version, number, fingerprint });
    }
}

fn fingerprint(text: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_repeats_names_no_text() {
        let mut versions = SentVersions::observed(7, 0, false, None);
        assert_eq!(versions.named(0), NamedVersion::Sent(7));
        assert!(versions.is_first());
        versions.observe_change(8, 4);
        versions.observe_change(9, 5);
        assert_eq!((versions.named(4), versions.named(3)), (NamedVersion::Sent(8), NamedVersion::Unclear));

        let mut again = SentVersions::observed(10, 0, false, versions.greatest_number());
        assert!(!again.is_first() && again.is_opening_text() && again.is_unclear());
        // Of the two texts with the number 0, a late publish may mean either; by 5 it means one from before.
        assert_eq!((again.named(0), again.named(5)), (NamedVersion::Unclear, NamedVersion::Stale));
        again.observe_change(11, 6);
        assert_eq!(again.named(6), NamedVersion::Sent(11));
        assert!(!again.is_opening_text() && !again.is_unclear());
        assert_eq!(again.greatest_number(), Some(6));
    }

    #[test]
    fn a_resend_does_not_make_the_editors_numbers_stale() {
        let mut versions = SentVersions::observed(1, 60, false, None);
        assert_eq!(versions.resend(2, true), OWN_NUMBERS + 2);
        assert!(versions.is_resent() && versions.is_current_text(1));
        for step in 0..=i32::try_from(MAX_VERSIONS).unwrap() {
            versions.observe_change(3 + step, 61 + step);
        }
        assert_eq!(versions.named(70), NamedVersion::Sent(12));
        assert_eq!(versions.named(60), NamedVersion::Stale);
        assert_eq!(versions.greatest_number(), Some(125));
    }
}
