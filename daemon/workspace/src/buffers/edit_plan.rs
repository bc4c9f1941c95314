//! A change on its way into a client's buffers: from the text it was made for, over what the person typed meanwhile, to
//! the text that comes back.
//!
//! A plan is made from what is known at one moment, for that version. Where the client has moved on it comes back as
//! [`EditPlanOutcome::Moved`], and whoever made the plan makes another: nothing is tried twice with the same text.

use std::path::PathBuf;
use std::time::Duration;

use copydesk_text::{Change, Conflict, Document, Position, PositionEncoding, RebaseError, rebase};
use thiserror::Error;
use tokio::sync::watch;
use tokio::time::timeout;

use super::expected_echo::{EchoState, ExpectedEcho};
use super::{BufferEdit, Buffers, ClientId, EditorClient, EditorError, SyncError};

/// How long an editor may take to answer. A person may have a dialog open there.
const ANSWER: Duration = Duration::from_secs(20);
/// How long after its yes the text may take to come. Neovim gathers changes for 150 ms.
const ECHO: Duration = Duration::from_secs(5);

/// A change that is to be made to one buffer.
#[derive(Debug, Clone)]
pub struct RequestedEdit {
    /// As the buffers are named: a real path, or a URI.
    pub name: PathBuf,
    /// The text it was made for.
    pub base: String,
    pub change: Change,
}

/// A change as it is going to be made.
#[derive(Debug, Clone)]
pub struct PlannedEdit {
    pub name: PathBuf,
    pub uri: String,
    pub before: Document,
    pub after: Document,
    pub change: Change,
    /// The person had typed since it was made.
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
    /// The change was not made for the text it came with.
    #[error("the change does not fit the text that it was made for")]
    Mismatch,
    /// It said yes, and its text says no.
    #[error("the editor says that it made the edit, but its text does not show it")]
    NotEchoed,
}

/// How it went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditPlanOutcome {
    Applied,
    /// The client's text is another by now; nothing was changed.
    Stale,
}

/// Edits for one client, each for the version its buffer had when the plan was made.
#[derive(Debug)]
pub struct EditPlan {
    client: EditorClient,
    pub planned_edits: Vec<PlannedEdit>,
    edits: Vec<BufferEdit>,
    verdicts: Vec<watch::Receiver<EchoState>>,
    /// One that does not lie said that it made nothing, however much its text looks otherwise.
    is_refused: bool,
}

impl Buffers {
    /// Fits changes to the texts as they are now, and from now on looks out for them. All buffers must be `client`'s.
    pub fn plan_edits(&self, client: ClientId, wanted: &[RequestedEdit]) -> Result<EditPlan, EditPlanError> {
        let mut state = self.lock();
        let attached = state.clients.get_mut(&client).ok_or(EditorError::Disconnected)?;
        let mut plan = EditPlan {
            client: attached.client.clone(),
            planned_edits: Vec::new(),
            edits: Vec::new(),
            verdicts: Vec::new(),
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
            let stale = |_| EditPlanError::Mismatch;
            after.apply_change(&change).map_err(stale)?;
            let mut edits = before.change_ranges(&change, plan.client.encoding).map_err(stale)?;
            if plan.client.refuses_silently
                && let Some(last) = edits.last_mut()
            {
                off_the_end(last, &before, plan.client.encoding);
            }
            // Neovim does not look at a version of 0, which it opens with; any change makes it more than 1.
            let version = if plan.client.refuses_silently { buffer.version.max(1) } else { buffer.version };
            plan.edits.push(BufferEdit { uri: uri.clone(), version, edits });
            let (name, uri) = (wanted.name.clone(), uri.clone());
            plan.planned_edits.push(PlannedEdit { name, uri, before, after, change, is_rebased: rebased });
        }
        // Only when all of them fit is any of them looked out for.
        for (planned, edit) in plan.planned_edits.iter().zip(&plan.edits) {
            let Some(buffer) = attached.buffers.get_mut(&planned.uri) else { continue };
            let first =
                if plan.client.refuses_silently { last_hunk(planned, edit, &plan.client) } else { None };
            let (expected, verdict) = ExpectedEcho::new(
                planned.before.clone(),
                planned.change.clone(),
                planned.after.clone(),
                first,
            );
            if !planned.change.is_empty() {
                buffer.expected.push(expected);
                plan.verdicts.push(verdict);
            }
        }
        Ok(plan)
    }
}

/// Neovim 0.10 leaves an empty line behind what is put after the last line. The same edit, from the end of the line before
/// it, is made well.
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

/// The last line of a Neovim's text has its end, whatever is taken away: a change that would take the end with it leaves
/// it there.
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

/// The text with the last hunk alone.
fn last_hunk(planned: &PlannedEdit, edit: &BufferEdit, client: &EditorClient) -> Option<Document> {
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
    /// Proposes the edits and sees what comes of it.
    pub async fn execute(&mut self, label: &str) -> Result<EditPlanOutcome, EditPlanError> {
        let edits: Vec<_> = self.edits.drain(..).filter(|edit| !edit.edits.is_empty()).collect();
        if edits.is_empty() {
            return Ok(EditPlanOutcome::Applied);
        }
        let propose = async |edits| {
            let answer = timeout(ANSWER, self.client.editor.apply_edits(label, edits)).await;
            answer.unwrap_or(Err(EditorError::TimedOut))
        };
        let mut answer = Ok(());
        if self.client.refuses_silently {
            // Of several documents in one edit, Neovim looks at the version of the first only.
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
            // The text that it has instead came before its answer.
            Err(EditorError::Declined(_)) if self.any(EchoState::NotApplied) => Ok(EditPlanOutcome::Stale),
            Err(EditorError::Declined(_)) if self.is_refused && self.any(EchoState::Applied) => {
                Ok(EditPlanOutcome::Stale)
            }
            Err(refusal) => Err(refusal.into()),
        }
    }

    /// Waits until every buffer shows the edit, or one of them something else instead.
    async fn wait_for_echo(&mut self) -> Result<EditPlanOutcome, EditPlanError> {
        let believes = !self.client.refuses_silently;
        for verdict in &mut self.verdicts {
            // From one that does not lie about it, an edit that is not there yet can still come.
            let settled = |seen: &EchoState| match seen {
                EchoState::Waiting => false,
                EchoState::Applied => true,
                EchoState::NotApplied => !believes,
            };
            match timeout(ECHO, verdict.wait_for(settled)).await {
                Ok(Ok(seen)) if *seen == EchoState::Applied => {}
                Ok(Ok(_)) => return Ok(EditPlanOutcome::Stale),
                Ok(Err(_)) => return Err(EditorError::Disconnected.into()),
                Err(_) => return Err(EditPlanError::NotEchoed),
            }
        }
        Ok(EditPlanOutcome::Applied)
    }

    /// Which of the changes are known to be made, in the order of `planned`.
    pub fn applied_flags(&self) -> Vec<bool> {
        let mut verdicts = self.verdicts.iter();
        let planned = self.planned_edits.iter();
        // What has nothing to change is made as it stands.
        let seen = |planned: &PlannedEdit| {
            planned.change.is_empty()
                || verdicts.next().is_some_and(|seen| *seen.borrow() == EchoState::Applied)
                    && !self.is_refused
        };
        planned.map(seen).collect()
    }

    fn any(&self, verdict: EchoState) -> bool {
        self.verdicts.iter().any(|seen| *seen.borrow() == verdict)
    }
}
