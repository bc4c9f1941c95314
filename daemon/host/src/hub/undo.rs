//! Taking back what a session's agent did to files: one call, one turn, or everything after a part.

use copydesk_config::Save;
use copydesk_protocol::undo::{UndoOutcome, UndoResult, UndoWhat, UndoneFile};
use copydesk_session::{Content, Part};
use copydesk_workspace::buffers::ClientId;
use copydesk_workspace::files::{Files, How, TakenBack};
use copydesk_workspace::journal::{Blocked, Entry, Journal, to_redo, to_undo};

use super::{Held, Hub, HubError};

impl Held {
    pub async fn undo(&self, client: Option<ClientId>, what: UndoWhat) -> Result<UndoResult, HubError> {
        let hub = self.hub()?;
        let _still = self.still(&hub).await?;
        let journal = journal(&hub)?;
        let parts = hub.store.parts(self.id()).await?;
        let calls = calls(&parts, &what)?;
        let entries = entries(journal, self.id().as_str()).await?;
        let wanted = to_undo(&entries, &calls);
        Ok(self.take_back(&hub, journal, client, &wanted, "Undo").await)
    }

    pub async fn redo(&self, client: Option<ClientId>) -> Result<UndoResult, HubError> {
        let hub = self.hub()?;
        let _still = self.still(&hub).await?;
        let journal = journal(&hub)?;
        let entries = entries(journal, self.id().as_str()).await?;
        let wanted = to_redo(&entries);
        Ok(self.take_back(&hub, journal, client, &wanted, "Redo").await)
    }

    async fn take_back(
        &self,
        hub: &Hub,
        journal: &Journal,
        client: Option<ClientId>,
        wanted: &[&Entry],
        label: &str,
    ) -> UndoResult {
        let home = &hub.paths.home;
        let journaled = Some(journal.clone());
        let (buffers, reviews) = (hub.buffers.clone(), hub.reviews.clone());
        let files = Files::over(&self.session().folder, home, buffers, journaled, reviews, Save::Never);
        files.set_home(client);
        let taken = files.take_back_entries(journal, wanted, label).await;
        UndoResult { files: taken.iter().map(told).collect() }
    }
}

fn journal(hub: &Hub) -> Result<&Journal, HubError> {
    let missing =
        || HubError::Failed("the journal of edits could not be opened; the log says why".to_owned());
    hub.journal.as_ref().ok_or_else(missing)
}

async fn entries(journal: &Journal, session: &str) -> Result<Vec<Entry>, HubError> {
    journal.entries(session).await.map_err(|error| HubError::Failed(error.to_string()))
}

/// The calls that are meant, by the ids of their parts.
pub(super) fn calls(parts: &[Part], what: &UndoWhat) -> Result<Vec<String>, HubError> {
    let at = |id: &str| {
        let at = parts.iter().position(|part| part.id.as_str() == id);
        at.ok_or_else(|| HubError::UnknownPart(format!("the session has no part `{id}`")))
    };
    let meant: Vec<&Part> = match what {
        UndoWhat::Call(id) => {
            let call = parts.get(at(id)?);
            // One that stands for others is taken back with them.
            call.into_iter().chain(parts.iter().filter(|part| is_within(part, id))).collect()
        }
        UndoWhat::After(id) => parts.iter().skip(at(id)? + 1).collect(),
        UndoWhat::Turn(turn) => {
            let of_turn: Vec<_> = parts.iter().filter(|part| part.turn == *turn).collect();
            if of_turn.is_empty() {
                return Err(HubError::UnknownPart(format!("the session has no turn {turn}")));
            }
            of_turn
        }
    };
    let calls = meant.into_iter().filter(|part| matches!(part.content, Content::Call(_)));
    Ok(calls.map(|part| part.id.to_string()).collect())
}

fn is_within(part: &Part, call: &str) -> bool {
    matches!(&part.content, Content::Call(inner) if inner.parent.as_ref().is_some_and(|id| id.as_str() == call))
}

fn told(taken: &TakenBack) -> UndoneFile {
    let (outcome, message) = match &taken.how {
        How::Undone => (UndoOutcome::Undone, None),
        How::Nothing => (UndoOutcome::Unchanged, None),
        How::Blocked(why @ Blocked::Missing) => (UndoOutcome::Gone, Some(why.to_string())),
        How::Blocked(why) => (UndoOutcome::Conflict, Some(why.to_string())),
        How::Failed(why) => (UndoOutcome::Conflict, Some(why.clone())),
    };
    let uri = url::Url::from_file_path(&taken.place).map_or_else(|()| taken.place.clone(), String::from);
    UndoneFile { uri, outcome, message }
}
