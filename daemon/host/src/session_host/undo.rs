//! Undoes the file changes of a session's agent: one call, one turn, everything after a part, or the last turn.

use std::collections::BTreeMap;

use copydesk_config::SaveMode;
use copydesk_protocol::undo::{UndoOutcome, UndoResult, UndoScope, UndoneFile};
use copydesk_session::{Part, PartContent};
use copydesk_workspace::buffers::ClientId;
use copydesk_workspace::files::{UndoDirection, UndoneEntry, UndoneEntryOutcome, WorkspaceFiles};
use copydesk_workspace::journal::{Journal, JournalEntry, UndoError, entries_to_redo, entries_to_undo};

use super::{HostedSession, SessionHost, SessionHostError};

impl HostedSession {
    pub async fn undo(
        &self,
        client: Option<ClientId>,
        what: Option<UndoScope>,
    ) -> Result<UndoResult, SessionHostError> {
        let host = self.host()?;
        let _idle = self.lock_idle(&host).await?;
        let journal = journal(&host)?;
        let parts = host.store.parts(self.id()).await?;
        let entries = entries(journal, self.id().as_str()).await?;
        let turn = if what.is_none() { last_turn_in_effect(&parts, &entries) } else { None };
        let calls = match what.or(turn.map(UndoScope::Turn)) {
            Some(what) => calls(&parts, &what)?,
            None => Vec::new(),
        };
        let wanted = entries_to_undo(&entries, &calls);
        let files = self.revert_entries(&host, journal, client, &wanted, UndoDirection::Undo).await;
        Ok(UndoResult { files, turn })
    }

    pub async fn redo(&self, client: Option<ClientId>) -> Result<UndoResult, SessionHostError> {
        let host = self.host()?;
        let _idle = self.lock_idle(&host).await?;
        let journal = journal(&host)?;
        let entries = entries(journal, self.id().as_str()).await?;
        let wanted = entries_to_redo(&entries);
        let files = self.revert_entries(&host, journal, client, &wanted, UndoDirection::Redo).await;
        Ok(UndoResult { files, turn: None })
    }

    async fn revert_entries(
        &self,
        host: &SessionHost,
        journal: &Journal,
        client: Option<ClientId>,
        wanted: &[&JournalEntry],
        direction: UndoDirection,
    ) -> Vec<UndoneFile> {
        let home = &host.paths.home;
        let journaled = Some(journal.clone());
        let (buffers, reviews) = (host.buffers.clone(), host.reviews.clone());
        let files = WorkspaceFiles::with_buffers(
            &self.session().folder,
            home,
            buffers,
            journaled,
            reviews,
            SaveMode::Never,
        );
        files.set_home_client(client);
        let undone = files.undo_entries(journal, wanted, direction).await;
        undone.iter().map(undone_file).collect()
    }
}

fn journal(host: &SessionHost) -> Result<&Journal, SessionHostError> {
    let missing = || {
        SessionHostError::Failed("the journal of edits could not be opened; see the daemon's log".to_owned())
    };
    host.journal.as_ref().ok_or_else(missing)
}

async fn entries(journal: &Journal, session: &str) -> Result<Vec<JournalEntry>, SessionHostError> {
    journal.entries(session).await.map_err(|error| SessionHostError::Failed(error.to_string()))
}

/// The last turn with changes that are not undone.
fn last_turn_in_effect(parts: &[Part], entries: &[JournalEntry]) -> Option<u32> {
    let turns: BTreeMap<String, u32> = parts
        .iter()
        .filter(|part| matches!(part.content, PartContent::Call(_)))
        .map(|part| (part.id.to_string(), part.turn))
        .collect();
    let calls: Vec<String> = turns.keys().cloned().collect();
    entries_to_undo(entries, &calls).iter().filter_map(|entry| turns.get(&entry.call)).max().copied()
}

/// The calls in the scope, by the ids of their parts.
pub(super) fn calls(parts: &[Part], what: &UndoScope) -> Result<Vec<String>, SessionHostError> {
    let index = |id: &str| {
        let index = parts.iter().position(|part| part.id.as_str() == id);
        index.ok_or_else(|| SessionHostError::UnknownPart(format!("the session has no part `{id}`")))
    };
    let in_scope: Vec<&Part> = match what {
        UndoScope::Call(id) => {
            let call = parts.get(index(id)?);
            // A `batch` is undone with its inner calls.
            call.into_iter().chain(parts.iter().filter(|part| is_within(part, id))).collect()
        }
        UndoScope::After(id) => parts.iter().skip(index(id)? + 1).collect(),
        UndoScope::Turn(turn) => {
            let of_turn: Vec<_> = parts.iter().filter(|part| part.turn == *turn).collect();
            if of_turn.is_empty() {
                return Err(SessionHostError::UnknownPart(format!("the session has no turn {turn}")));
            }
            of_turn
        }
    };
    let calls = in_scope.into_iter().filter(|part| matches!(part.content, PartContent::Call(_)));
    Ok(calls.map(|part| part.id.to_string()).collect())
}

fn is_within(part: &Part, call: &str) -> bool {
    matches!(&part.content, PartContent::Call(inner) if inner.parent.as_ref().is_some_and(|id| id.as_str() == call))
}

fn undone_file(undone: &UndoneEntry) -> UndoneFile {
    let (outcome, message) = match &undone.outcome {
        UndoneEntryOutcome::Undone => (UndoOutcome::Undone, None),
        UndoneEntryOutcome::AlreadyUndone => (UndoOutcome::Unchanged, None),
        UndoneEntryOutcome::Blocked(error @ UndoError::Missing) => {
            (UndoOutcome::Gone, Some(error.to_string()))
        }
        UndoneEntryOutcome::Blocked(error) => (UndoOutcome::Conflict, Some(error.to_string())),
        UndoneEntryOutcome::Failed(reason) => (UndoOutcome::Conflict, Some(reason.clone())),
    };
    let uri = url::Url::from_file_path(&undone.path).map_or_else(|()| undone.path.clone(), String::from);
    UndoneFile { uri, outcome, message }
}
