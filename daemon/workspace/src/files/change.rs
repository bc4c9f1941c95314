//! Changes one or several files: through an editor's buffer if the file is open, else on disk.
//!
//! Invariant: all changes are made, or none. If one fails, the earlier ones are rolled back by merge, so that
//! nothing the user typed meanwhile is lost.
//! Invariant: a file that is open in an editor is never written behind its back.
//! Invariant: a change is in the journal before it is made.

use std::collections::BTreeMap;
use std::path::Path;

use copydesk_text::FileText;
use tokio::time::Instant;

use super::file_change::{
    AppliedFileChange, Author, ChangeCause, FileChange, FileChangeKind, PendingDiskChange,
};
use super::rollback::{RollbackFile, RollbackLog};
use super::{ContentStamp, FileError, WorkspaceFiles, WritePrecondition, run_blocking, write};
use crate::buffers::{
    ClientId, DiskChange, EditPlanError, EditPlanOutcome, EditorError, OpenBuffer, PlannedEdit, RequestedEdit,
};
use crate::journal::{EntryId, EntryOutcome, FileAttributes, HashedText, NewEntry, NewEntryKind};
use crate::time_limits::EDIT_DEADLINE;
use copydesk_config::SaveMode;

/// How often to retry, at most, while the user types faster than the edit travels. More than fit into the deadline of an
/// edit if the client waits for a pause in the typing.
pub(super) const MAX_ATTEMPTS: usize = 256;

/// Which changes go to which client, and which to the disk.
#[derive(Default)]
struct ChangeRouting {
    open: BTreeMap<ClientId, Vec<usize>>,
    closed: Vec<usize>,
    /// Deletions of files that are open.
    deleted: Vec<(usize, OpenBuffer)>,
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
        // A file is edited where it is after its move.
        let moved = self.apply_moves(changes, cause, done).await?;
        // One for all attempts: a cancelled call is waited for no longer.
        let until = Instant::now() + EDIT_DEADLINE;
        for _ in 0..MAX_ATTEMPTS {
            if Instant::now() >= until {
                break;
            }
            let sorted = self.route_changes(changes, cause)?;
            self.check_on_disk(sorted.closed.iter().filter_map(|index| changes.get(*index))).await?;
            let mut deletions = Vec::new();
            for (index, open) in &sorted.deleted {
                let Some(change) = changes.get(*index) else { continue };
                deletions.push((*index, self.check_deletion(change, open, cause).await?, open));
            }
            let mut changed = Vec::new();
            let mut is_stale = false;
            for (client, indices) in &sorted.open {
                match self.apply_in_buffers(changes, (*client, indices), until, cause, done).await? {
                    Some(made) => changed.extend(made),
                    None => is_stale = true,
                }
            }
            if is_stale {
                continue;
            }
            let closed = sorted.closed.iter().filter_map(|index| Some((*index, changes.get(*index)?, None)));
            let deletions = deletions.iter().map(|(index, change, open)| (*index, change, Some(*open)));
            for (index, change, open) in closed.chain(deletions) {
                changed.push((index, self.apply_on_disk(change, open, cause, done).await?));
            }
            changed.sort_by_key(|(index, _)| *index);
            return Ok(moved.into_iter().chain(changed.into_iter().map(|(_, changed)| changed)).collect());
        }
        let shown = changes.first().map(|change| change.path.display_path.clone()).unwrap_or_default();
        Err(FileError::Busy { shown })
    }

    /// Whether the changes would succeed, as far as can be told without trying.
    pub(super) async fn check_on_disk(
        &self,
        changes: impl Iterator<Item = &FileChange>,
    ) -> Result<(), FileError> {
        for change in changes {
            let (place, expect) = (change.path.clone(), change.kind.expect());
            run_blocking(&change.path, move || write::check(&place, &expect)).await?;
        }
        Ok(())
    }

    fn route_changes(&self, changes: &[FileChange], cause: &ChangeCause) -> Result<ChangeRouting, FileError> {
        let mut sorted = ChangeRouting::default();
        for (index, change) in changes.iter().enumerate().filter(|(_, change)| !change.kind.is_move()) {
            match self.buffer(&change.path)? {
                None => sorted.closed.push(index),
                Some(open) => match &change.kind {
                    FileChangeKind::Edit { .. } => sorted.open.entry(open.client).or_default().push(index),
                    _ if change.kind.allows_open_buffer(&open, cause) => sorted.closed.push(index),
                    FileChangeKind::Create { .. } => {
                        return Err(FileError::AlreadyExists { shown: change.path.display_path.clone() });
                    }
                    FileChangeKind::Delete { .. } => sorted.deleted.push((index, open)),
                    FileChangeKind::Move { .. } => {}
                },
            }
        }
        Ok(sorted)
    }

    /// `None` if the client has moved on. Some of the changes may be made by then; they are not repeated.
    async fn apply_in_buffers(
        &self,
        changes: &[FileChange],
        (client, indices): (ClientId, &[usize]),
        until: Instant,
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
            FileChangeKind::Create { .. } | FileChangeKind::Delete { .. } | FileChangeKind::Move { .. } => {
                None
            }
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
        let attempt = plan.execute(&cause.label, until).await;
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

    /// `open`: the buffer of a file that is deleted.
    async fn apply_on_disk(
        &self,
        change: &FileChange,
        open: Option<&OpenBuffer>,
        cause: &ChangeCause,
        done: &mut RollbackLog,
    ) -> Result<AppliedFileChange, FileError> {
        let FileChange { path: place, kind } = change;
        let Some(PendingDiskChange { before, after, recorded }) = kind.disk_change(place)? else {
            return Err(FileError::NotFound { shown: place.display_path.clone() });
        };
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
            (Ok(_), Some(before), _) => self.delete_file(place, before, open, cause).await.map(|()| None),
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

    pub(super) async fn record(
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

    pub(super) async fn settle(&self, outcomes: Vec<(EntryId, bool)>) {
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

pub(super) fn entry(
    cause: &ChangeCause,
    group: Option<EntryId>,
    place: &Path,
    kind: NewEntryKind,
) -> NewEntry {
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
