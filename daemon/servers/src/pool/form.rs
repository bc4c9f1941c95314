//! The form that a language server gives to a proposed text, which is lent to it as for a question of what would be wrong (`shadow`).

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::Shared;
use super::chosen::Server;
use super::late::is_ready;
use super::shadow::Lent;
use super::slot::Slot;
use super::source::Besides;
use crate::format::{Former, Forming, NotFormatted};
use crate::source::Subject;

/// How long after its start it is waited for that it is ready.
const READY: Duration = Duration::from_millis(1500);
/// How long those are waited for who ask it something: a text is good without its form, too.
const TURN: Duration = Duration::from_millis(150);

impl Former for Besides {
    /// By the first of those that serve the file that can; it is started where it is not there.
    fn form<'a>(&'a self, path: &'a Path, text: &'a str, until: Instant) -> Forming<'a> {
        Box::pin(async move {
            let shared = &self.pool.shared;
            let subject = Subject { path: path.to_owned(), text: Arc::new(text.to_owned()), is_saved: false };
            for group in shared.groups(std::slice::from_ref(&subject), &self.served) {
                let Server::There(slot) = &group.server else { continue };
                let failed =
                    |why: &str| Err(NotFormatted { name: slot.launch.name.clone(), why: why.to_owned() });
                slot.touch();
                slot.begun(until.min(slot.made + READY)).await;
                open(shared, slot, &group.subjects);
                if slot.alive().is_some_and(|alive| !alive.server.can_format()) {
                    continue;
                }
                // One that reads its project is not kept from those who ask it something, and waited for once, not for each file.
                let begun = slot.alive().map_or(slot.made, |alive| alive.since);
                let _ = timeout_at(until.min(begun + READY), is_ready(slot)).await;
                let alive = match slot.ready() {
                    Ok(alive) => alive,
                    Err(why) => return failed(&why),
                };
                let Some(turn) = slot.alone(TURN, until).await else {
                    return failed("it is busy with other texts");
                };
                let lent = Lent::begin(shared, slot, &alive, &group.subjects, turn);
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
fn open(shared: &Shared, slot: &Slot, subjects: &[(Subject, String)]) {
    // A text that is being tried is not disturbed.
    let Ok(_turn) = slot.turn.try_read() else { return };
    for (proposed, language) in subjects {
        match (shared.texts.text(&proposed.path), slot.alive()) {
            (Some(subject), Some(alive)) => _ = slot.hold(&alive, &subject, language),
            (Some(subject), None) => _ = slot.documents().hold(&subject, language),
            (None, _) => {}
        }
    }
}
