//! The form that a language server gives to a proposed text, which is lent to it as for a question of what would be wrong (`proposed_text`).

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
    /// By the first of those that serve the file that can; it is started where it is not there.
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
                open(shared, slot, &group.subjects);
                if slot.running().is_some_and(|alive| !alive.server.can_format()) {
                    continue;
                }
                // One that reads its project is not kept from those who ask it something, and waited for once, not for each file.
                let begun = slot.running().map_or(slot.created, |alive| alive.since);
                let _ = timeout_at(until.min(begun + FORMAT_READY_TIMEOUT), wait_until_ready(slot)).await;
                let alive = match slot.ready_server() {
                    Ok(alive) => alive,
                    Err(why) => return failed(&why),
                };
                let Some(turn) = slot.lock_exclusive(FORMAT_LOCK_TIMEOUT, until).await else {
                    return failed("it is busy with other texts");
                };
                let lent = ProposedTextGuard::begin(shared, slot, &alive, &group.subjects, turn);
                let formed = alive.server.format(path, until).await;
                drop(lent);
                return match formed {
                    Ok(new) => Ok(Some(new)),
                    Err(why) => failed(&why),
                };
            }
            Ok(None)
        })
    }
}

/// Some are ready when they have spoken of a file for the first time: as it is, before another text is lent to them.
fn open(shared: &PoolInner, slot: &ServerSlot, subjects: &[(CheckedDocument, String)]) {
    // A text that is being tried is not disturbed.
    let Ok(_turn) = slot.lock.try_read() else { return };
    for (proposed, language) in subjects {
        match (shared.texts.document(&proposed.path), slot.running()) {
            (Some(subject), Some(alive)) => _ = slot.sync_document(&alive, &subject, language),
            (Some(subject), None) => _ = slot.documents().sync(&subject, language),
            (None, _) => {}
        }
    }
}
