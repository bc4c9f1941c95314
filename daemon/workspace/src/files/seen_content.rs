//! Which contents a session has seen, and which files have changed since.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::{ContentStamp, READ_LIMIT, WorkspaceFiles, lock, run_blocking};
use crate::buffers::ClientId;
use crate::time_limits::DISK_CLOCK_LAG;

/// A content that the session has read or written.
#[derive(Debug, Clone)]
pub(super) struct SeenContent {
    pub(super) stamp: ContentStamp,
    /// When the disk last had it, or the other content that was reported.
    at: SystemTime,
    /// The buffer's version at the last comparison.
    buffer: Option<(ClientId, i32)>,
    /// The other content that the session was told about.
    reported: Option<ContentStamp>,
}

impl SeenContent {
    pub(super) fn new(stamp: ContentStamp) -> Self {
        Self { stamp, at: SystemTime::now(), buffer: None, reported: None }
    }
}

impl WorkspaceFiles {
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
