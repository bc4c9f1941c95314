//! Formats a proposed text with a language server, which gets the text as in `proposed_text`.

use std::path::Path;
use std::sync::Arc;

use tokio::time::{Instant, timeout_at};

use super::PoolInner;
use super::proposed_text::ProposedTextGuard;
use super::server_groups::GroupServer;
use super::slot::ServerSlot;
use super::source::PoolSource;
use super::when_ready::wait_until_ready;
use crate::format::{DocumentFormatter, FormatError, FormatFuture};
use crate::source::CheckedDocument;
use crate::time_limits::{FORMAT_LOCK_TIMEOUT, FORMAT_READY_TIMEOUT};

impl DocumentFormatter for PoolSource {
    /// By the first server of the file that can format. It is started if it is not running.
    fn format_text<'a>(&'a self, path: &'a Path, text: &'a str, until: Instant) -> FormatFuture<'a> {
        Box::pin(async move {
            let shared = &self.pool.shared;
            let subject =
                CheckedDocument { path: path.to_owned(), text: Arc::new(text.to_owned()), is_saved: false };
            for group in shared.group_by_server(std::slice::from_ref(&subject), &self.excluded) {
                let GroupServer::Available(slot) = &group.server else { continue };
                let failed =
                    |why: &str| Err(FormatError { name: slot.launch.name.clone(), why: why.to_owned() });
                slot.mark_used();
                slot.wait_started(until.min(slot.created + FORMAT_READY_TIMEOUT)).await;
                open_current(shared, slot, &group.subjects);
                if slot.running().is_some_and(|alive| !alive.server.can_format()) {
                    continue;
                }
                // A server that is reading its project stays free for checks. The wait for it begins at its start, so
                // several files wait only once.
                let started = slot.running().map_or(slot.created, |alive| alive.since);
                let _ = timeout_at(until.min(started + FORMAT_READY_TIMEOUT), wait_until_ready(slot)).await;
                let alive = match slot.ready_server() {
                    Ok(alive) => alive,
                    Err(why) => return failed(&why),
                };
                let Some(lock) = slot.lock_exclusive(FORMAT_LOCK_TIMEOUT, until).await else {
                    return failed("it is busy with other texts");
                };
                let guard = ProposedTextGuard::begin(shared, slot, &alive, &group.subjects, lock);
                let formatted = alive.server.format(path, until).await;
                drop(guard);
                return match formatted {
                    Ok(new) => Ok(Some(new)),
                    Err(why) => failed(&why),
                };
            }
            Ok(None)
        })
    }
}

/// Some servers are ready only after their first diagnostics of a file. So they get the current text before a proposed
/// one.
fn open_current(shared: &PoolInner, slot: &ServerSlot, subjects: &[(CheckedDocument, String)]) {
    // Do not disturb the check of a proposed text.
    let Ok(_lock) = slot.lock.try_read() else { return };
    for (proposed, language) in subjects {
        match (shared.texts.document(&proposed.path), slot.running()) {
            (Some(subject), Some(alive)) => _ = slot.sync_document(&alive, &subject, language),
            (Some(subject), None) => _ = slot.documents().sync(&subject, language),
            (None, _) => {}
        }
    }
}
