//! Which contents a session has seen, how much of them its model was shown, and which files have changed since.
//!
//! Only text that the model was shown, or wrote itself, counts as shown. An edit of a text into which the user has
//! typed shows the model a few lines of the result; the rest of what was typed stays unshown until it is read. What a
//! call shows counts from the next step on: the model wrote the other calls of the step before it saw it.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::{ContentStamp, READ_LIMIT, ResolvedPath, WorkspaceFiles, lock, run_blocking};
use crate::buffers::ClientId;
use crate::time_limits::DISK_CLOCK_LAG;

/// What a session has seen.
#[derive(Debug, Default)]
pub(super) struct SeenContents {
    /// By real path, since two names of one file are one file.
    by_path: HashMap<PathBuf, SeenContent>,
    /// Counts the model's steps.
    step: u64,
}

/// A content that the session has read or written.
#[derive(Debug, Clone)]
struct SeenContent {
    stamp: ContentStamp,
    shown: ShownText,
    /// What was shown in this step, which counts from the next one on.
    shown_in: Option<(u64, ShownText)>,
    /// When the disk last had it, or the other content that was reported.
    at: SystemTime,
    /// The buffer's revision at the last comparison. A version may name two texts.
    buffer: Option<(ClientId, u64)>,
    /// The other content that the session was told about.
    reported: Option<ContentStamp>,
}

/// How much of a content the model was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShownText {
    Whole,
    /// The first and the last line of each part, from 1, in order and apart.
    Lines(Vec<(usize, usize)>),
}

impl ShownText {
    pub fn none() -> Self {
        Self::Lines(Vec::new())
    }

    /// These parts of a text of `total` lines, each by its first and its last line.
    pub fn lines(mut parts: Vec<(usize, usize)>, total: usize) -> Self {
        parts.sort_unstable();
        let mut joined: Vec<(usize, usize)> = Vec::new();
        for (first, last) in parts {
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

    fn join(self, other: Self, total: usize) -> Self {
        match (self, other) {
            (Self::Lines(mut lines), Self::Lines(more)) => {
                lines.extend(more);
                Self::lines(lines, total)
            }
            _ => Self::Whole,
        }
    }
}

impl SeenContent {
    fn new(stamp: ContentStamp, shown: ShownText) -> Self {
        Self { stamp, shown, shown_in: None, at: SystemTime::now(), buffer: None, reported: None }
    }

    /// What the model knew when it began this step.
    fn shown_before(&self, step: u64) -> &ShownText {
        match &self.shown_in {
            // It contains what was shown earlier.
            Some((shown_in, shown)) if *shown_in < step => shown,
            _ => &self.shown,
        }
    }
}

impl WorkspaceFiles {
    /// The model has been sent everything that was shown so far, and begins its next step.
    pub fn begin_step(&self) {
        lock(&self.shared.seen_contents).step += 1;
    }

    /// The content that the session last read from or wrote to this path.
    pub fn seen_stamp(&self, place: &ResolvedPath) -> Option<ContentStamp> {
        lock(&self.shared.seen_contents).by_path.get(place.real_path()).map(|seen| seen.stamp)
    }

    /// How much of this content the model knew when it began its step; `None` if the session has not seen this content.
    pub fn shown_text(&self, place: &ResolvedPath, stamp: ContentStamp) -> Option<ShownText> {
        let seen = lock(&self.shared.seen_contents);
        let content = seen.by_path.get(place.real_path()).filter(|content| content.stamp == stamp)?;
        Some(content.shown_before(seen.step).clone())
    }

    /// The model is shown this much of a content of `total` lines.
    pub fn mark_shown(&self, place: &ResolvedPath, stamp: ContentStamp, shown: ShownText, total: usize) {
        let mut seen = lock(&self.shared.seen_contents);
        let before = seen.by_path.get(place.real_path()).filter(|content| content.stamp == stamp);
        let known = before.map_or_else(ShownText::none, |content| content.shown_before(seen.step).clone());
        let latest =
            before.map(|content| content.shown_in.as_ref().map_or(&content.shown, |(_, shown)| shown));
        let all = latest.map_or(shown.clone(), |latest| latest.clone().join(shown, total));
        let content = SeenContent { shown_in: Some((seen.step, all)), ..SeenContent::new(stamp, known) };
        seen.by_path.insert(place.real_path().to_owned(), content);
    }

    /// The file has this content now, and the model knows all of it: it knew the text before, and its change was made
    /// exactly as it was requested.
    pub fn mark_known(&self, place: &ResolvedPath, stamp: ContentStamp) {
        let mut seen = lock(&self.shared.seen_contents);
        if let Some(content) =
            seen.by_path.get_mut(place.real_path()).filter(|content| content.stamp == stamp)
        {
            (content.shown, content.shown_in) = (ShownText::Whole, None);
        }
    }

    /// The session has written this content. What the model knows of it depends on who decided what was written.
    pub(super) fn mark_written(&self, place: &ResolvedPath, stamp: ContentStamp) {
        let content = SeenContent::new(stamp, ShownText::none());
        lock(&self.shared.seen_contents).by_path.insert(place.real_path().to_owned(), content);
    }

    /// The file is at another path now; what the session has seen of it moves along.
    pub(super) fn mark_moved(&self, from: &ResolvedPath, to: &ResolvedPath) {
        let mut seen = lock(&self.shared.seen_contents);
        if let Some(content) = seen.by_path.remove(from.real_path()) {
            let content = SeenContent { at: SystemTime::now(), buffer: None, ..content };
            seen.by_path.insert(to.real_path().to_owned(), content);
        }
    }

    /// The files that have changed since the session saw them, each reported once: changed in an editor, by
    /// another program, or by the session's own command.
    pub async fn changed_since_seen(&self) -> Vec<String> {
        let known: Vec<(PathBuf, SeenContent)> = lock(&self.shared.seen_contents)
            .by_path
            .iter()
            .map(|(name, seen)| (name.clone(), seen.clone()))
            .collect();
        let mut changed = Vec::new();
        let mut closed = Vec::new();
        for (name, seen) in known {
            match self.shared.buffers.find(&name, self.home_client()) {
                Some(Ok(open)) if seen.buffer != Some((open.client, open.revision)) => {
                    let (text, version) = (open.document.text(), (open.client, open.revision));
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
        buffer: Option<(ClientId, u64)>,
        changed: &mut Vec<String>,
    ) {
        let mut seen = lock(&self.shared.seen_contents);
        let Some(known) = seen.by_path.get_mut(name) else { return };
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
