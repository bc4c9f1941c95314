//! Which contents a session has seen, how much of them its model was shown, and which files have changed since.
//!
//! Only text that the model was shown, or wrote itself, counts as shown. An edit of a text into which the user has
//! typed shows the model a few lines of the result; the rest of what was typed stays unshown until it is read.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::{ContentStamp, READ_LIMIT, ResolvedPath, WorkspaceFiles, lock, run_blocking};
use crate::buffers::ClientId;
use crate::time_limits::DISK_CLOCK_LAG;

/// A content that the session has read or written.
#[derive(Debug, Clone)]
pub(super) struct SeenContent {
    pub(super) stamp: ContentStamp,
    shown: ShownText,
    /// When the disk last had it, or the other content that was reported.
    at: SystemTime,
    /// The buffer's version at the last comparison.
    buffer: Option<(ClientId, i32)>,
    /// The other content that the session was told about.
    reported: Option<ContentStamp>,
}

/// How much of a content the model was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShownText {
    Whole,
    /// The first and the last line of each part, from 1, in order and apart.
    Lines(Vec<(usize, usize)>),
    /// It contains what the user typed after the model had read it.
    Unsure,
}

impl ShownText {
    pub fn none() -> Self {
        Self::Lines(Vec::new())
    }

    /// A page of a text of `total` lines.
    pub fn page(first: usize, last: usize, total: usize) -> Self {
        Self::Lines(vec![(first, last)]).simplify(total)
    }

    fn join(self, other: Self, total: usize) -> Self {
        match (self, other) {
            (Self::Whole, _) | (_, Self::Whole) => Self::Whole,
            (Self::Unsure, other) => other,
            (one, Self::Unsure) => one,
            (Self::Lines(mut lines), Self::Lines(more)) => {
                lines.extend(more);
                Self::Lines(lines).simplify(total)
            }
        }
    }

    fn simplify(self, total: usize) -> Self {
        let Self::Lines(mut lines) = self else { return self };
        lines.sort_unstable();
        let mut joined: Vec<(usize, usize)> = Vec::new();
        for (first, last) in lines {
            match joined.last_mut() {
                Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
                _ => joined.push((first, last)),
            }
        }
        match joined.as_slice() {
            [(first, last)] if *first <= 1 && *last >= total => Self::Whole,
            _ => Self::Lines(joined),
        }
    }
}

impl WorkspaceFiles {
    /// The content that the session last read from or wrote to this path.
    pub fn seen_stamp(&self, place: &ResolvedPath) -> Option<ContentStamp> {
        lock(&self.shared.seen_contents).get(place.real_path()).map(|seen| seen.stamp)
    }

    /// How much of this content the model was shown; `None` if the session has not seen this content.
    pub fn shown_text(&self, place: &ResolvedPath, stamp: ContentStamp) -> Option<ShownText> {
        let seen = lock(&self.shared.seen_contents);
        seen.get(place.real_path()).filter(|seen| seen.stamp == stamp).map(|seen| seen.shown.clone())
    }

    /// The model is shown this much of a content of `total` lines.
    pub fn mark_shown(&self, place: &ResolvedPath, stamp: ContentStamp, shown: ShownText, total: usize) {
        let before = self.shown_text(place, stamp);
        let shown = before.map_or(shown.clone(), |before| before.join(shown, total));
        self.mark_seen(place, stamp, shown);
    }

    /// The session has changed one content into another, or has created a file.
    pub(super) fn mark_changed(
        &self,
        place: &ResolvedPath,
        before: Option<ContentStamp>,
        after: ContentStamp,
    ) {
        let shown = match before.map(|before| self.shown_text(place, before)) {
            None | Some(Some(ShownText::Whole)) => ShownText::Whole,
            // The lines have other numbers now.
            Some(Some(ShownText::Lines(_))) => ShownText::none(),
            Some(None) if self.seen_stamp(place).is_none() => ShownText::none(),
            Some(None | Some(ShownText::Unsure)) => ShownText::Unsure,
        };
        self.mark_seen(place, after, shown);
    }

    fn mark_seen(&self, place: &ResolvedPath, stamp: ContentStamp, shown: ShownText) {
        let seen = SeenContent { stamp, shown, at: SystemTime::now(), buffer: None, reported: None };
        lock(&self.shared.seen_contents).insert(place.real_path().to_owned(), seen);
    }

    /// The files that have changed since the session saw them, each reported once: changed in an editor, by
    /// another program, or by the session's own command.
    pub async fn changed_since_seen(&self) -> Vec<String> {
        let known: Vec<(PathBuf, SeenContent)> = lock(&self.shared.seen_contents)
            .iter()
            .map(|(name, seen)| (name.clone(), seen.clone()))
            .collect();
        let mut changed = Vec::new();
        let mut closed = Vec::new();
        for (name, seen) in known {
            match self.shared.buffers.find(&name, self.home_client()) {
                Some(Ok(open)) if seen.buffer != Some((open.client, open.version)) => {
                    let (text, version) = (open.document.text(), (open.client, open.version));
                    let stamp = ContentStamp::of_bytes(text.as_bytes());
                    self.compared(&name, (text.as_bytes(), stamp), Some(version), &mut changed);
                }
                Some(_) => {}
                // A buffer without a file.
                None if name.is_relative() => {}
                None => closed.push((name, seen.at)),
            }
        }
        // Most files are untouched, and are not read.
        let root = self.resolve(".");
        let newer = move || {
            let is_newer = |(name, at): &(PathBuf, SystemTime)| {
                let meta = std::fs::symlink_metadata(name).ok().filter(std::fs::Metadata::is_file);
                // Not the modification time: a file that is moved here keeps that.
                meta.is_some_and(|meta| changed_at(&meta).is_none_or(|time| time + DISK_CLOCK_LAG > *at))
            };
            Ok(closed.into_iter().filter(is_newer).map(|(name, _)| name).collect::<Vec<_>>())
        };
        for name in run_blocking(&root, newer).await.unwrap_or_default() {
            let place = self.resolve(&name.to_string_lossy());
            if let Ok(content) = self.peek(&place, READ_LIMIT).await {
                self.compared(&name, (&content.bytes, content.stamp), None, &mut changed);
            }
        }
        changed.sort();
        changed
    }

    fn compared(
        &self,
        name: &Path,
        (now, stamp): (&[u8], ContentStamp),
        buffer: Option<(ClientId, i32)>,
        changed: &mut Vec<String>,
    ) {
        let mut seen = lock(&self.shared.seen_contents);
        let Some(known) = seen.get_mut(name) else { return };
        (known.buffer, known.at) = (buffer, SystemTime::now());
        // An editor has a text without its byte order mark.
        let other_mark = || match now.strip_prefix(MARK) {
            Some(text) => ContentStamp::of_bytes(text),
            None => ContentStamp::of_bytes(&[MARK, now].concat()),
        };
        let known_as = |known: ContentStamp| known == stamp || known == other_mark();
        if !known_as(known.stamp) && !known.reported.is_some_and(known_as) {
            known.reported = Some(stamp);
            changed.push(self.resolve(&name.to_string_lossy()).display_path);
        }
    }
}

const MARK: &[u8] = "\u{feff}".as_bytes();

fn changed_at(meta: &std::fs::Metadata) -> Option<SystemTime> {
    let seconds = Duration::from_secs(u64::try_from(meta.ctime()).ok()?);
    UNIX_EPOCH.checked_add(seconds + Duration::from_nanos(u64::try_from(meta.ctime_nsec()).ok()?))
}
