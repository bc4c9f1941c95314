//! A change on its way into a client's buffers: rebased over what the user typed meanwhile, proposed to the
//! client, and confirmed by the text that comes back.
//!
//! A plan is for the versions at one moment. If the client has moved on, it ends as
//! [`EditPlanOutcome::Stale`] and the caller makes a new plan: no attempt repeats with the same text.

use std::path::PathBuf;

use copydesk_text::{Change, Conflict, Document, Position, PositionEncoding, RebaseError, rebase};
use thiserror::Error;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::expected_echo::{EchoState, ExpectedEcho};
use super::{BufferClient, BufferEdit, Buffers, ClientId, EditorError, SyncError};
use crate::time_limits::{APPLY_EDIT_TIMEOUT, ECHO_TIMEOUT};

/// More edits to one document are joined before they are sent: an editor that reads ten thousand of them stops for a moment.
/// Within a joined edit a cursor stays at its row and column, but not always at its text.
const MAX_SENT_EDITS: usize = 1000;

/// A change to make in one buffer.
#[derive(Debug, Clone)]
pub struct RequestedEdit {
    /// The buffer's name: a real path, or a URI.
    pub name: PathBuf,
    /// The text that the change is for.
    pub base: String,
    pub change: Change,
}

/// A change fitted to the buffer's current text.
#[derive(Debug, Clone)]
pub struct PlannedEdit {
    pub name: PathBuf,
    pub uri: String,
    pub before: Document,
    pub after: Document,
    pub change: Change,
    /// The user has typed since the change was made.
    pub is_rebased: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EditPlanError {
    #[error(transparent)]
    OutOfSync(#[from] SyncError),
    #[error(transparent)]
    Conflict(Box<Conflict>),
    #[error(transparent)]
    Refused(#[from] EditorError),
    /// The change does not apply to its own base text.
    #[error("the change does not fit the text that it was made for")]
    Mismatch,
    /// The client said yes, but its text does not contain the edit.
    #[error("the editor says that it made the edit, but its text does not show it")]
    NotEchoed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditPlanOutcome {
    Applied,
    /// The client's text has changed; the edit was not made.
    Stale,
}

/// Edits for one client, each for the version that its buffer had when the plan was made.
#[derive(Debug)]
pub struct EditPlan {
    client: BufferClient,
    pub planned_edits: Vec<PlannedEdit>,
    edits: Vec<BufferEdit>,
    echo_states: Vec<watch::Receiver<EchoState>>,
    /// A client that does not refuse silently said no, even if its text looks as if the edit were made.
    is_refused: bool,
}

impl Buffers {
    /// Fits changes to the current texts and starts to watch for their echoes. All buffers must belong to
    /// `client`.
    pub fn plan_edits(&self, client: ClientId, wanted: &[RequestedEdit]) -> Result<EditPlan, EditPlanError> {
        let mut state = self.lock();
        let attached = state.clients.get_mut(&client).ok_or(EditorError::Disconnected)?;
        let mut plan = EditPlan {
            client: attached.client.clone(),
            planned_edits: Vec::new(),
            edits: Vec::new(),
            echo_states: Vec::new(),
            is_refused: false,
        };
        for wanted in wanted {
            let uri = attached.names.get(&wanted.name).ok_or(SyncError::NotOpen)?;
            let buffer = attached.buffers.get(uri).ok_or(SyncError::NotOpen)?;
            let before = buffer.snapshot(client, uri)?.document;
            let (mut change, rebased) = rebase_requested(wanted, &before)?;
            if plan.client.refuses_silently {
                change = with_last_end(change, &before);
            }
            let mut after = before.clone();
            let mismatch = |_| EditPlanError::Mismatch;
            after.apply_change(&change).map_err(mismatch)?;
            let mut edits = if change.edits().len() > MAX_SENT_EDITS {
                let joined = change.joined(&before.text(), MAX_SENT_EDITS).map_err(mismatch)?;
                before.change_ranges(&joined, plan.client.encoding).map_err(mismatch)?
            } else {
                before.change_ranges(&change, plan.client.encoding).map_err(mismatch)?
            };
            if plan.client.refuses_silently
                && let Some(last) = edits.last_mut()
            {
                off_the_end(last, &before, plan.client.encoding);
            }
            // Neovim opens with version 0 and does not check an edit for that version; any change makes it
            // more than 1.
            let version = if plan.client.refuses_silently { buffer.version.max(1) } else { buffer.version };
            plan.edits.push(BufferEdit { uri: uri.clone(), version, before: before.clone(), edits });
            let (name, uri) = (wanted.name.clone(), uri.clone());
            plan.planned_edits.push(PlannedEdit { name, uri, before, after, change, is_rebased: rebased });
        }
        // Watch for echoes only if all changes fit.
        for (planned, edit) in plan.planned_edits.iter().zip(&plan.edits) {
            let Some(buffer) = attached.buffers.get_mut(&planned.uri) else { continue };
            let with_last_hunk =
                if plan.client.refuses_silently { with_last_hunk(planned, edit, &plan.client) } else { None };
            let (expected, echo_state) = ExpectedEcho::new(
                planned.before.clone(),
                planned.change.clone(),
                planned.after.clone(),
                with_last_hunk,
            );
            if !planned.change.is_empty() {
                buffer.expected.push(expected);
                plan.echo_states.push(echo_state);
            }
        }
        Ok(plan)
    }
}

/// Neovim 0.10 leaves an empty line behind text that is inserted after the last line. The same edit, started
/// from the end of the line before, works.
fn off_the_end(
    (start, end, text): &mut (Position, Position, String),
    before: &Document,
    encoding: PositionEncoding,
) {
    let whole = before.text();
    let Some(line_end) = ["\r\n", "\n"].into_iter().find(|line_end| whole.ends_with(line_end)) else {
        return;
    };
    let is_last = *end == before.position(before.len(), encoding) && start.character == 0 && start.line > 0;
    let Some(lines) = text.strip_suffix('\n').or(text.is_empty().then_some("")).filter(|_| is_last) else {
        return;
    };
    let lines = lines.strip_suffix('\r').unwrap_or(lines);
    let from = before.offset(*start, encoding).saturating_sub(1);
    let from = if whole.get(..from).is_some_and(|text| text.ends_with('\r')) { from - 1 } else { from };
    let new = if text.is_empty() { String::new() } else { format!("{line_end}{lines}") };
    *start = before.position(from, encoding);
    *end = before.position(before.len() - line_end.len(), encoding);
    *text = new;
}

/// In Neovim the last line always has its line ending. A change that would delete the ending keeps it.
fn with_last_end(change: Change, before: &Document) -> Change {
    if change.edits().last().is_none_or(|edit| edit.range.end < before.len()) {
        return change;
    }
    let whole = before.text();
    let line_end = ["\r\n", "\n"].into_iter().find(|line_end| whole.ends_with(line_end));
    let (Some(line_end), Ok(after)) = (line_end, change.apply(&whole)) else { return change };
    if after.ends_with('\n') {
        return change;
    }
    let mut edits = change.edits().to_vec();
    if let Some(last) = edits.last_mut() {
        last.range.end = last.range.end.saturating_sub(line_end.len()).max(last.range.start);
    }
    Change::from_unchecked_edits(&whole, edits).unwrap_or(change)
}

/// The text with only the last hunk applied.
fn with_last_hunk(planned: &PlannedEdit, edit: &BufferEdit, client: &BufferClient) -> Option<Document> {
    let (start, end, text) = edit.edits.last()?;
    let mut made = planned.before.clone();
    made.apply_content_change(Some((*start, *end)), text, client.encoding).ok()?;
    Some(made)
}

fn rebase_requested(wanted: &RequestedEdit, now: &Document) -> Result<(Change, bool), EditPlanError> {
    if *now == *wanted.base {
        return Ok((wanted.change.clone(), false));
    }
    let change = rebase(&wanted.base, &wanted.change, &now.text()).map_err(|error| match error {
        RebaseError::Conflict(conflict) => EditPlanError::Conflict(Box::new(conflict)),
        RebaseError::Stale(_) => EditPlanError::Mismatch,
    })?;
    Ok((change, true))
}

impl EditPlan {
    /// Proposes the edits, to be made until the given time, and waits for the result.
    pub async fn execute(&mut self, label: &str, until: Instant) -> Result<EditPlanOutcome, EditPlanError> {
        let edits: Vec<_> = self.edits.drain(..).filter(|edit| !edit.edits.is_empty()).collect();
        if edits.is_empty() {
            return Ok(EditPlanOutcome::Applied);
        }
        let propose = async |edits| {
            let answer =
                timeout(APPLY_EDIT_TIMEOUT, self.client.editor.apply_edits(label, edits, until)).await;
            answer.unwrap_or(Err(EditorError::TimedOut))
        };
        let mut answer = Ok(());
        if self.client.refuses_silently {
            // Neovim checks the version of only the first document in an edit of several.
            for edit in edits {
                if answer.is_ok() {
                    answer = propose(vec![edit]).await;
                }
            }
        } else {
            answer = propose(edits).await;
        }
        self.is_refused = !self.client.refuses_silently && matches!(answer, Err(EditorError::Declined(_)));
        match answer {
            Ok(()) => self.wait_for_echo().await,
            // The client sent its newer text before this answer.
            Err(EditorError::Declined(_)) if self.has_any(EchoState::NotApplied) => {
                Ok(EditPlanOutcome::Stale)
            }
            Err(EditorError::Declined(_)) if self.is_refused && self.has_any(EchoState::Applied) => {
                Ok(EditPlanOutcome::Stale)
            }
            // The client had another text, and has opened the document again with it.
            Err(EditorError::Declined(_)) if self.is_any_closed() => Ok(EditPlanOutcome::Stale),
            Err(refusal) => Err(refusal.into()),
        }
    }

    /// Waits until every buffer shows the edit, or one of them shows another text instead.
    async fn wait_for_echo(&mut self) -> Result<EditPlanOutcome, EditPlanError> {
        let believes = !self.client.refuses_silently;
        for echo_state in &mut self.echo_states {
            // If the client's yes is reliable, a missing edit can still arrive.
            let settled = |seen: &EchoState| match seen {
                EchoState::Waiting => false,
                EchoState::Applied => true,
                EchoState::NotApplied => !believes,
            };
            match timeout(ECHO_TIMEOUT, echo_state.wait_for(settled)).await {
                Ok(Ok(seen)) if *seen == EchoState::Applied => {}
                Ok(Ok(_)) => return Ok(EditPlanOutcome::Stale),
                Ok(Err(_)) => return Err(EditorError::Disconnected.into()),
                Err(_) => return Err(EditPlanError::NotEchoed),
            }
        }
        Ok(EditPlanOutcome::Applied)
    }

    /// Which of the changes are known to be applied, in the order of `planned_edits`.
    pub fn applied_flags(&self) -> Vec<bool> {
        let mut echo_states = self.echo_states.iter();
        let planned = self.planned_edits.iter();
        // An empty change counts as applied.
        let seen = |planned: &PlannedEdit| {
            planned.change.is_empty()
                || echo_states.next().is_some_and(|seen| *seen.borrow() == EchoState::Applied)
                    && !self.is_refused
        };
        planned.map(seen).collect()
    }

    /// Whether the client has closed one of the documents since.
    fn is_any_closed(&self) -> bool {
        self.echo_states.iter().any(|seen| seen.has_changed().is_err())
    }

    fn has_any(&self, state: EchoState) -> bool {
        self.echo_states.iter().any(|seen| *seen.borrow() == state)
    }
}
