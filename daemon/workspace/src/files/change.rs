//! Changes one or several files: through an editor's buffer if the file is open, else on disk.
//!
//! Invariant: all changes are made, or none. If one fails, the earlier ones are rolled back by merge, so that
//! nothing the user typed meanwhile is lost.
//! Invariant: a file that is open in an editor is never written behind its back.
//! Invariant: a change is in the journal before it is made.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use copydesk_text::review::HunkId;
use copydesk_text::{Change, FileText};

use super::rollback::{RollbackFile, RollbackLog};
use super::{ContentStamp, FileError, ResolvedPath, WorkspaceFiles, WritePrecondition, run_blocking, write};
use crate::buffers::{
    ClientId, DiskChange, EditPlanError, EditPlanOutcome, EditorError, OpenBuffer, PlannedEdit, RequestedEdit,
};
use crate::journal::{EntryId, EntryOutcome, FileAttributes, HashedText, NewEntry, NewEntryKind};
use crate::reviews::ReviewId;
use copydesk_config::SaveMode;

/// How often to retry while the user types faster than the edit travels.
pub(super) const MAX_ATTEMPTS: usize = 16;

/// What to do to one file.
#[derive(Debug, Clone)]
pub struct FileChange {
    pub path: ResolvedPath,
    pub kind: FileChangeKind,
}

#[derive(Debug, Clone)]
pub enum FileChangeKind {
    /// `change` applies to the text of `file`, whose content has this stamp.
    Edit { file: FileText, stamp: ContentStamp, change: Change },
    Create {
        text: String,
        /// The mode bits, if they differ from a new file's.
        mode: Option<u32>,
    },
    /// Only while it has this content.
    Delete { file: FileText, stamp: ContentStamp },
}

/// The origin of a change: for the journal, and for the name of the editor's undo step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeCause {
    pub session: String,
    pub call: String,
    pub label: String,
    /// The user has seen and accepted it.
    pub is_accepted: bool,
    pub author: Author,
    /// The first entry of a group that is undone and redone together. By default the changes of one call are
    /// a group.
    pub group: Option<EntryId>,
}

/// The author of a change, for reviews.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// An agent; the user decides on it later.
    Agent,
    /// An agent, and the user has seen and accepted everything.
    ApprovedAgent,
    /// The undo of this journal entry.
    Undo(EntryId),
    /// The user's decision in this review.
    Decision(ReviewId),
    /// The user's own text in the place of this hunk, which decides it.
    HunkReplacement(ReviewId, HunkId),
}

/// The result for one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedFileChange {
    pub path: ResolvedPath,
    /// The client and URI of the buffer with the change, if the file was open.
    pub client: Option<(ClientId, String)>,
    /// The user had typed since the change was made; it was rebased.
    pub is_rebased: bool,
    /// `None` without a journal.
    pub entry: Option<EntryId>,
    /// The texts before and after, without a byte order mark; `None` for no file.
    pub before: Option<Arc<String>>,
    pub after: Option<Arc<String>>,
    /// The content after.
    pub stamp: Option<ContentStamp>,
    /// The text after is on disk.
    pub is_saved: bool,
    /// Why an editor that should have saved it did not.
    pub save_error: Option<String>,
}

/// Which changes go to which client, and which to the disk.
#[derive(Default)]
struct ChangeRouting {
    open: BTreeMap<ClientId, Vec<usize>>,
    closed: Vec<usize>,
}

impl WorkspaceFiles {
    pub async fn apply_changes(
        &self,
        changes: &[FileChange],
        cause: &ChangeCause,
    ) -> Result<Vec<AppliedFileChange>, FileError> {
        self.load_reviews(&cause.session).await;
        let mut done = RollbackLog { group: cause.group, ..RollbackLog::default() };
        let knowing = async {
            if cause.author == Author::Agent {
                self.know_head(&cause.session).await;
            }
        };
        // In parallel: Git takes longer than most edits.
        let ((), result) = tokio::join!(knowing, self.apply_all(changes, cause, &mut done));
        match result {
            Ok(changed) => Ok(changed),
            Err(error) => match self.roll_back(done, cause).await {
                Ok(()) => Err(error),
                Err(left) => Err(FileError::PartiallyApplied { why: error.to_string(), left }),
            },
        }
    }

    async fn apply_all(
        &self,
        changes: &[FileChange],
        cause: &ChangeCause,
        done: &mut RollbackLog,
    ) -> Result<Vec<AppliedFileChange>, FileError> {
        for _ in 0..MAX_ATTEMPTS {
            let sorted = self.route_changes(changes, cause)?;
            for change in sorted.closed.iter().filter_map(|index| changes.get(*index)) {
                let (place, expect) = (change.path.clone(), change.kind.expect());
                run_blocking(&change.path, move || write::check(&place, &expect)).await?;
            }
            let mut changed = Vec::new();
            let mut moved = false;
            for (client, indices) in &sorted.open {
                match self.apply_in_buffers(changes, *client, indices, cause, done).await? {
                    Some(made) => changed.extend(made),
                    None => moved = true,
                }
            }
            if moved {
                continue;
            }
            for index in &sorted.closed {
                let Some(change) = changes.get(*index) else { continue };
                changed.push((*index, self.apply_on_disk(change, cause, done).await?));
            }
            changed.sort_by_key(|(index, _)| *index);
            return Ok(changed.into_iter().map(|(_, changed)| changed).collect());
        }
        let shown = changes.first().map(|change| change.path.display_path.clone()).unwrap_or_default();
        Err(FileError::Busy { shown })
    }

    fn route_changes(&self, changes: &[FileChange], cause: &ChangeCause) -> Result<ChangeRouting, FileError> {
        let mut sorted = ChangeRouting::default();
        for (index, change) in changes.iter().enumerate() {
            match self.buffer(&change.path)? {
                None => sorted.closed.push(index),
                Some(open) => match &change.kind {
                    FileChangeKind::Edit { .. } => sorted.open.entry(open.client).or_default().push(index),
                    _ if change.kind.allows_open_buffer(&open, cause) => sorted.closed.push(index),
                    FileChangeKind::Create { .. } => {
                        return Err(FileError::AlreadyExists { shown: change.path.display_path.clone() });
                    }
                    FileChangeKind::Delete { .. } => {
                        return Err(FileError::IsOpen { shown: change.path.display_path.clone() });
                    }
                },
            }
        }
        Ok(sorted)
    }

    /// `None` if the client has moved on. Some of the changes may be made by then; they are not repeated.
    async fn apply_in_buffers(
        &self,
        changes: &[FileChange],
        client: ClientId,
        indices: &[usize],
        cause: &ChangeCause,
        done: &mut RollbackLog,
    ) -> Result<Option<Vec<(usize, AppliedFileChange)>>, FileError> {
        let chosen = || indices.iter().filter_map(|index| Some((*index, changes.get(*index)?)));
        let wanted = |(_, change): (usize, &FileChange)| match &change.kind {
            FileChangeKind::Edit { file, change: edits, .. } => Some(RequestedEdit {
                name: change.path.real_path().to_owned(),
                base: file.text().to_owned(),
                change: edits.clone(),
            }),
            FileChangeKind::Create { .. } | FileChangeKind::Delete { .. } => None,
        };
        let wanted: Vec<_> = chosen().filter_map(wanted).collect();
        let shown =
            || chosen().map(|(_, change)| change.path.display_path.clone()).collect::<Vec<_>>().join("`, `");
        let failed = |error| FileError::buffer(shown(), error);
        let mut plan = self.buffers().plan_edits(client, &wanted).map_err(failed)?;
        let texts = |planned: &PlannedEdit| {
            (HashedText::new(planned.before.text()), HashedText::new(planned.after.text()))
        };
        let texts: Vec<_> = plan.planned_edits.iter().map(texts).collect();
        let mut entries = Vec::new();
        let planned = plan.planned_edits.iter().zip(&texts);
        for (planned, (before, after)) in planned.filter(|(planned, _)| !planned.change.is_empty()) {
            let (before, after) = (before.clone(), after.clone());
            let edit = NewEntryKind::Edit { before, change: planned.change.clone(), after };
            entries.push(entry(cause, done.group, &planned.name, edit));
        }
        let ids = self.record(entries, done).await?;
        let on_their_way: Vec<_> =
            plan.planned_edits.iter().map(|planned| self.track_in_flight(client, planned)).collect();
        let attempt = plan.execute(&cause.label).await;
        let arrived = on_their_way.into_iter().zip(plan.applied_flags()).zip(chosen());
        arrived.for_each(|((edit, applied), (_, change))| {
            edit.finish(&change.path.display_path, applied, cause);
        });
        let mut ids = ids.into_iter();
        let mut outcomes = Vec::new();
        let mut entries = Vec::new();
        for (planned, applied) in plan.planned_edits.iter().zip(plan.applied_flags()) {
            let id = if planned.change.is_empty() { None } else { ids.next() };
            outcomes.extend(id.map(|id| (id, applied)));
            entries.push(id);
            if applied && !planned.change.is_empty() {
                done.buffers.push((client, planned.clone()));
            }
        }
        self.settle(outcomes).await;
        match attempt.map_err(failed)? {
            EditPlanOutcome::Stale => return Ok(None),
            EditPlanOutcome::Applied => {}
        }
        let mut made = Vec::new();
        for ((((index, change), planned), (before, after)), entry) in
            chosen().zip(&plan.planned_edits).zip(&texts).zip(entries)
        {
            let stamp = ContentStamp::of_text(after);
            self.mark_written(&change.path, stamp);
            let saved = self.save(client, planned, cause).await;
            made.push((
                index,
                AppliedFileChange {
                    path: change.path.clone(),
                    client: Some((client, planned.uri.clone())),
                    is_rebased: planned.is_rebased,
                    entry,
                    before: Some(before.to_shared()),
                    after: Some(after.to_shared()),
                    stamp: Some(stamp),
                    is_saved: saved.as_ref().is_ok_and(|is_saved| *is_saved),
                    save_error: saved.err().map(|refusal| refusal.to_string()),
                },
            ));
        }
        Ok(Some(made))
    }

    /// Asks the editor to save its buffer, if the user wants that. Returns whether it saved.
    async fn save(
        &self,
        client: ClientId,
        planned: &PlannedEdit,
        cause: &ChangeCause,
    ) -> Result<bool, EditorError> {
        let wanted = match self.save_when() {
            SaveMode::Never => false,
            SaveMode::AfterAccept => cause.is_accepted,
            SaveMode::Always => true,
        };
        if !wanted {
            return Ok(false);
        }
        self.buffers().editor(client).ok_or(EditorError::Disconnected)?.save(&planned.uri).await?;
        self.buffers().notify_disk_change(&planned.name, DiskChange::Written, Some(client));
        Ok(true)
    }

    async fn apply_on_disk(
        &self,
        change: &FileChange,
        cause: &ChangeCause,
        done: &mut RollbackLog,
    ) -> Result<AppliedFileChange, FileError> {
        let FileChange { path: place, kind } = change;
        let PendingDiskChange { before, after, recorded } = kind.disk_change(place)?;
        let recording = self.record(vec![entry(cause, done.group, place.real_path(), recorded)], done);
        let expect = kind.expect();
        let is_new = expect == WritePrecondition::New;
        let staging = async {
            let Some((content, _)) = &after else { return Ok(None) };
            self.stage(place, content, expect, kind.mode()).await.map(Some)
        };
        let (ids, staged) = if is_new {
            // Create no folder before the journal knows of it.
            (recording.await?, staging.await)
        } else {
            // The staged file does not change the original, and both steps wait for the disk.
            let (ids, staged) = tokio::join!(recording, staging);
            (ids?, staged)
        };
        let mode = place.mode();
        let made = match (staged, &before, &after) {
            (Err(error), ..) => Err(error),
            (Ok(Some(staged)), _, Some((content, text))) => {
                self.commit_staged(place, staged, (content.clone(), text.clone())).await.map(Some)
            }
            (Ok(_), Some(before), _) => self.remove(place, before.clone()).await.map(|()| None),
            (Ok(_), None, _) => Ok(None),
        };
        let entry = ids.first().copied();
        self.settle(ids.into_iter().map(|id| (id, made.is_ok())).collect()).await;
        let stamp = made?;
        self.report_to_reviews(change, cause, (&before, mode), after.as_ref().map(|(content, _)| content));
        let what = match (&before, &after) {
            (None, _) => DiskChange::Created,
            (Some(_), Some(_)) => DiskChange::Written,
            (Some(_), None) => DiskChange::Deleted,
        };
        let after = after.map(|(content, _)| content);
        let changed = AppliedFileChange {
            path: place.clone(),
            client: None,
            is_rebased: false,
            entry,
            before: before.as_ref().map(FileText::shared_text),
            after: after.as_ref().map(FileText::shared_text),
            stamp,
            is_saved: true,
            save_error: None,
        };
        done.files.push(RollbackFile { place: place.clone(), before, mode, after });
        self.buffers().notify_disk_change(place.real_path(), what, None);
        Ok(changed)
    }

    fn report_to_reviews(
        &self,
        change: &FileChange,
        cause: &ChangeCause,
        (before, mode): (&Option<FileText>, Option<u32>),
        after: Option<&FileText>,
    ) {
        let (name, shown) = (change.path.real_path(), change.path.display_path.as_str());
        let (session, author, reviews) = (cause.session.as_str(), cause.edit_author(), self.reviews());
        match (before, after, &change.kind) {
            (Some(before), Some(after), FileChangeKind::Edit { change, .. }) => {
                self.record_disk_edit(name, shown, cause, (before.text(), change, after.text()));
            }
            (None, Some(after), _) => reviews.record_created(name, shown, session, author, after.text()),
            (Some(before), None, _) => {
                let attributes = FileAttributes { mode, bom: before.has_bom() };
                reviews.record_removed(name, shown, session, author, (before.text(), attributes));
            }
            _ => {}
        }
    }

    async fn record(
        &self,
        entries: Vec<NewEntry>,
        done: &mut RollbackLog,
    ) -> Result<Vec<EntryId>, FileError> {
        let Some(journal) = self.journal().filter(|_| !entries.is_empty()) else { return Ok(Vec::new()) };
        let ids = journal.begin(entries).await;
        let ids = ids.map_err(|error| FileError::Journal { why: error.to_string() })?;
        done.group = done.group.or(ids.first().copied());
        Ok(ids)
    }

    async fn settle(&self, outcomes: Vec<(EntryId, bool)>) {
        let Some(journal) = self.journal() else { return };
        let (applied, failed): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(|(_, applied)| *applied);
        for (ids, outcome) in [(applied, EntryOutcome::Applied), (failed, EntryOutcome::Failed)] {
            let ids: Vec<_> = ids.into_iter().map(|(id, _)| id).collect();
            if !ids.is_empty() {
                // The change is made. If the journal does not record that, it finds out when it is next
                // opened.
                let _ = journal.settle(ids, outcome).await;
            }
        }
    }
}

/// One change in terms of the disk.
struct PendingDiskChange {
    before: Option<FileText>,
    /// `None` for a deletion.
    after: Option<(FileText, HashedText)>,
    recorded: NewEntryKind,
}

impl FileChangeKind {
    fn expect(&self) -> WritePrecondition {
        match self {
            Self::Edit { file, .. } | Self::Delete { file, .. } => WritePrecondition::Unchanged(file.clone()),
            Self::Create { .. } => WritePrecondition::New,
        }
    }

    /// Whether a file may be created or deleted while an editor has it open and keeps its text: a user who
    /// decided on a file has seen its content, and an undo leaves the editor with the same text.
    fn allows_open_buffer(&self, open: &OpenBuffer, cause: &ChangeCause) -> bool {
        let is_same = |text: &str| open.document.text() == text;
        match (self, cause.author) {
            (Self::Delete { .. }, Author::Decision(_) | Author::ApprovedAgent) => true,
            (Self::Delete { file, .. }, Author::Undo(_)) => is_same(file.text()),
            (Self::Create { text, .. }, Author::Undo(_)) => is_same(FileText::from(text.clone()).text()),
            _ => false,
        }
    }

    /// The stamp of the content that it changes; `None` if it creates a file.
    pub fn stamp(&self) -> Option<ContentStamp> {
        match self {
            Self::Edit { stamp, .. } | Self::Delete { stamp, .. } => Some(*stamp),
            Self::Create { .. } => None,
        }
    }

    fn mode(&self) -> Option<u32> {
        match self {
            Self::Create { mode, .. } => *mode,
            Self::Edit { .. } | Self::Delete { .. } => None,
        }
    }

    fn disk_change(&self, place: &ResolvedPath) -> Result<PendingDiskChange, FileError> {
        let with_text = |file: FileText| {
            let text = HashedText::from_shared(file.shared_text());
            (file, text)
        };
        Ok(match self {
            Self::Create { text, .. } => {
                let (file, after) = with_text(text.clone().into());
                let recorded = NewEntryKind::Create { after: after.clone() };
                PendingDiskChange { before: None, after: Some((file, after)), recorded }
            }
            Self::Delete { file, stamp } => {
                let attributes = FileAttributes { mode: place.mode(), bom: file.has_bom() };
                let recorded = NewEntryKind::Delete { before: stamp.text(file), attributes };
                PendingDiskChange { before: Some(file.clone()), after: None, recorded }
            }
            Self::Edit { file, stamp, change } => {
                let stale = |_| FileError::Changed { shown: place.display_path.clone() };
                let (new, after) = with_text(file.with_text(change.apply(file.text()).map_err(stale)?));
                let before = stamp.text(file);
                let recorded = NewEntryKind::Edit { before, change: change.clone(), after: after.clone() };
                PendingDiskChange { before: Some(file.clone()), after: Some((new, after)), recorded }
            }
        })
    }
}

fn entry(cause: &ChangeCause, group: Option<EntryId>, place: &Path, kind: NewEntryKind) -> NewEntry {
    NewEntry {
        session: cause.session.clone(),
        call: cause.call.clone(),
        path: place.to_string_lossy().into_owned(),
        kind,
        undoes: cause.undoes(),
        group,
    }
}

impl FileError {
    fn buffer(shown: String, error: EditPlanError) -> Self {
        match error {
            EditPlanError::OutOfSync(why) => Self::OutOfSync { shown, why },
            EditPlanError::Conflict(conflict) => Self::Conflict { shown, conflict },
            EditPlanError::Refused(refusal) => Self::Refused { shown, why: refusal.to_string() },
            error @ (EditPlanError::Mismatch | EditPlanError::NotEchoed) => {
                Self::Refused { shown, why: error.to_string() }
            }
        }
    }
}
