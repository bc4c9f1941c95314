//! Changes to files, one or several at once: through an editor's buffer where the file is open, on the disk where not.
//!
//! Invariant: all of them are made, or none; what was made before one failed is taken back, by merge, so that nothing a
//! person typed meanwhile goes with it.
//! Invariant: a file that is open in an editor is never written behind its back.
//! Invariant: what is going to be changed is in the journal before it is changed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use copydesk_text::review::HunkId;
use copydesk_text::{Change, FileText};

use super::take_back::{Done, DoneFile};
use super::{Expect, FileError, Files, Place, Stamp, on_disk, write};
use crate::buffers::{Attempt, ClientId, OnDisk, Open, PlanError, Planned, Refusal, Wanted};
use crate::journal::{EntryId, Form, NewEntry, NewKind, Outcome, Text};
use crate::reviews::ReviewId;
use copydesk_config::Save;

/// A person types faster than an edit travels only for so long.
pub(super) const ATTEMPTS: usize = 16;

/// What is to become of one file.
#[derive(Debug, Clone)]
pub struct FileChange {
    pub place: Place,
    pub kind: ChangeKind,
}

#[derive(Debug, Clone)]
pub enum ChangeKind {
    /// `change` was made for the text of `file`, whose content had this stamp.
    Edit { file: FileText, stamp: Stamp, change: Change },
    Create {
        text: String,
        /// Its mode bits, where they are not those of any new file.
        mode: Option<u32>,
    },
    /// Only while it has this content.
    Delete { file: FileText, stamp: Stamp },
}

/// Who wants a change: for the journal, and for the name of the editor's undo step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    pub session: String,
    pub call: String,
    pub label: String,
    /// A person has seen it and said yes.
    pub accepted: bool,
    pub by: By,
    /// The first entry of those that are undone and redone together; else the changes of one call are.
    pub group: Option<EntryId>,
}

/// Whose change it is, for reviews.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// An agent's, for a person to decide.
    Agent,
    /// An agent's, of which a person has seen all and said yes.
    Person,
    /// It takes back this entry of the journal.
    Undo(EntryId),
    /// What a person decided in this review.
    Decision(ReviewId),
    /// What a person wrote in the place of this hunk, with which it is decided.
    Written(ReviewId, HunkId),
}

/// What became of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    pub place: Place,
    /// The client in whose buffer the change was made, where it was open.
    pub client: Option<(ClientId, String)>,
    /// The person had typed since the change was made; it was fitted to that.
    pub rebased: bool,
    /// Where there is a journal.
    pub entry: Option<EntryId>,
    /// The text before it and after it, without a byte order mark; a file that is created had none, one that goes has none.
    pub before: Option<Arc<String>>,
    pub after: Option<Arc<String>>,
    /// The text after it is on the disk.
    pub is_saved: bool,
    /// Why an editor did not save it that should have.
    pub unsaved: Option<String>,
}

/// Where the changes go at this moment.
#[derive(Default)]
struct Sorted {
    open: BTreeMap<ClientId, Vec<usize>>,
    closed: Vec<usize>,
}

impl Files {
    pub async fn change(&self, changes: &[FileChange], cause: &Cause) -> Result<Vec<Changed>, FileError> {
        self.fetch_reviews(&cause.session).await;
        let mut done = Done { group: cause.group, ..Done::default() };
        let knowing = async {
            if cause.by == By::Agent {
                self.know_head(&cause.session).await;
            }
        };
        // Beside each other: Git takes longer than most edits.
        let ((), result) = tokio::join!(knowing, self.make(changes, cause, &mut done));
        match result {
            Ok(changed) => Ok(changed),
            Err(error) => match self.take_back(done, cause).await {
                Ok(()) => Err(error),
                Err(left) => Err(FileError::Half { why: error.to_string(), left }),
            },
        }
    }

    async fn make(
        &self,
        changes: &[FileChange],
        cause: &Cause,
        done: &mut Done,
    ) -> Result<Vec<Changed>, FileError> {
        for _ in 0..ATTEMPTS {
            let sorted = self.sort(changes, cause)?;
            for change in sorted.closed.iter().filter_map(|index| changes.get(*index)) {
                let (place, expect) = (change.place.clone(), change.kind.expect());
                on_disk(&change.place, move || write::check(&place, &expect)).await?;
            }
            let mut changed = Vec::new();
            let mut moved = false;
            for (client, indices) in &sorted.open {
                match self.in_buffers(changes, *client, indices, cause, done).await? {
                    Some(made) => changed.extend(made),
                    None => moved = true,
                }
            }
            if moved {
                continue;
            }
            for index in &sorted.closed {
                let Some(change) = changes.get(*index) else { continue };
                changed.push((*index, self.on_the_disk(change, cause, done).await?));
            }
            changed.sort_by_key(|(index, _)| *index);
            return Ok(changed.into_iter().map(|(_, changed)| changed).collect());
        }
        let shown = changes.first().map(|change| change.place.shown.clone()).unwrap_or_default();
        Err(FileError::Busy { shown })
    }

    fn sort(&self, changes: &[FileChange], cause: &Cause) -> Result<Sorted, FileError> {
        let mut sorted = Sorted::default();
        for (index, change) in changes.iter().enumerate() {
            match self.buffer(&change.place)? {
                None => sorted.closed.push(index),
                Some(open) => match &change.kind {
                    ChangeKind::Edit { .. } => sorted.open.entry(open.client).or_default().push(index),
                    _ if change.kind.leaves(&open, cause) => sorted.closed.push(index),
                    ChangeKind::Create { .. } => {
                        return Err(FileError::Appeared { shown: change.place.shown.clone() });
                    }
                    ChangeKind::Delete { .. } => {
                        return Err(FileError::IsOpen { shown: change.place.shown.clone() });
                    }
                },
            }
        }
        Ok(sorted)
    }

    /// Nothing where the client has moved on; some of the changes may be made by then, and are not made again.
    async fn in_buffers(
        &self,
        changes: &[FileChange],
        client: ClientId,
        indices: &[usize],
        cause: &Cause,
        done: &mut Done,
    ) -> Result<Option<Vec<(usize, Changed)>>, FileError> {
        let chosen = || indices.iter().filter_map(|index| Some((*index, changes.get(*index)?)));
        let wanted = |(_, change): (usize, &FileChange)| match &change.kind {
            ChangeKind::Edit { file, change: edits, .. } => Some(Wanted {
                name: change.place.real().to_owned(),
                base: file.text().to_owned(),
                change: edits.clone(),
            }),
            ChangeKind::Create { .. } | ChangeKind::Delete { .. } => None,
        };
        let wanted: Vec<_> = chosen().filter_map(wanted).collect();
        let shown =
            || chosen().map(|(_, change)| change.place.shown.clone()).collect::<Vec<_>>().join("`, `");
        let failed = |error| FileError::buffer(shown(), error);
        let mut plan = self.buffers().plan(client, &wanted).map_err(failed)?;
        let texts = |planned: &Planned| (Text::new(planned.before.text()), Text::new(planned.after.text()));
        let texts: Vec<_> = plan.planned.iter().map(texts).collect();
        let mut entries = Vec::new();
        let planned = plan.planned.iter().zip(&texts);
        for (planned, (before, after)) in planned.filter(|(planned, _)| !planned.change.is_empty()) {
            let (before, after) = (before.clone(), after.clone());
            let edit = NewKind::Edit { before, change: planned.change.clone(), after };
            entries.push(entry(cause, done.group, &planned.name, edit));
        }
        let ids = self.record(entries, done).await?;
        let on_their_way: Vec<_> =
            plan.planned.iter().map(|planned| self.on_its_way(client, planned)).collect();
        let attempt = plan.carry_out(&cause.label).await;
        let arrived = on_their_way.into_iter().zip(plan.applied()).zip(chosen());
        arrived.for_each(|((edit, applied), (_, change))| edit.over(&change.place.shown, applied, cause));
        let mut ids = ids.into_iter();
        let mut outcomes = Vec::new();
        let mut entries = Vec::new();
        for (planned, applied) in plan.planned.iter().zip(plan.applied()) {
            let id = if planned.change.is_empty() { None } else { ids.next() };
            outcomes.extend(id.map(|id| (id, applied)));
            entries.push(id);
            if applied && !planned.change.is_empty() {
                done.buffers.push((client, planned.clone()));
            }
        }
        self.settle(outcomes).await;
        match attempt.map_err(failed)? {
            Attempt::Moved => return Ok(None),
            Attempt::Applied => {}
        }
        let mut made = Vec::new();
        for ((((index, change), planned), (before, after)), entry) in
            chosen().zip(&plan.planned).zip(&texts).zip(entries)
        {
            self.saw(&change.place, Stamp::of_text(after));
            let saved = self.save(client, planned, cause).await;
            made.push((
                index,
                Changed {
                    place: change.place.clone(),
                    client: Some((client, planned.uri.clone())),
                    rebased: planned.rebased,
                    entry,
                    before: Some(before.to_shared()),
                    after: Some(after.to_shared()),
                    is_saved: saved.as_ref().is_ok_and(|is_saved| *is_saved),
                    unsaved: saved.err().map(|refusal| refusal.to_string()),
                },
            ));
        }
        Ok(Some(made))
    }

    /// Has the editor save what it was told to change, where the person wants that; tells whether it did.
    async fn save(&self, client: ClientId, planned: &Planned, cause: &Cause) -> Result<bool, Refusal> {
        let wanted = match self.save_when() {
            Save::Never => false,
            Save::AfterAccept => cause.accepted,
            Save::Always => true,
        };
        if !wanted {
            return Ok(false);
        }
        self.buffers().editor(client).ok_or(Refusal::Gone)?.save(&planned.uri).await?;
        self.buffers().changed_on_disk(&planned.name, OnDisk::Written, Some(client));
        Ok(true)
    }

    async fn on_the_disk(
        &self,
        change: &FileChange,
        cause: &Cause,
        done: &mut Done,
    ) -> Result<Changed, FileError> {
        let FileChange { place, kind } = change;
        let Coming { before, after, recorded } = kind.coming(place)?;
        let recording = self.record(vec![entry(cause, done.group, place.real(), recorded)], done);
        let expect = kind.expect();
        let is_new = expect == Expect::New;
        let staging = async {
            let Some((content, _)) = &after else { return Ok(None) };
            self.stage(place, content, expect, kind.mode()).await.map(Some)
        };
        let (ids, staged) = if is_new {
            // No folder is made for it before the journal knows of it.
            (recording.await?, staging.await)
        } else {
            // What stands beside the file has not changed it; and each of the two waits for the disk.
            let (ids, staged) = tokio::join!(recording, staging);
            (ids?, staged)
        };
        let mode = place.mode();
        let made = match (staged, &before, &after) {
            (Err(error), ..) => Err(error),
            (Ok(Some(staged)), _, Some((content, text))) => {
                self.put(place, staged, content.clone(), text.clone()).await
            }
            (Ok(_), Some(before), _) => self.remove(place, before.clone()).await,
            (Ok(_), None, _) => Ok(()),
        };
        let entry = ids.first().copied();
        self.settle(ids.into_iter().map(|id| (id, made.is_ok())).collect()).await;
        made?;
        self.tell_reviews(change, cause, (&before, mode), after.as_ref().map(|(content, _)| content));
        let what = match (&before, &after) {
            (None, _) => OnDisk::Created,
            (Some(_), Some(_)) => OnDisk::Written,
            (Some(_), None) => OnDisk::Deleted,
        };
        let after = after.map(|(content, _)| content);
        let changed = Changed {
            place: place.clone(),
            client: None,
            rebased: false,
            entry,
            before: before.as_ref().map(FileText::shared),
            after: after.as_ref().map(FileText::shared),
            is_saved: true,
            unsaved: None,
        };
        done.files.push(DoneFile { place: place.clone(), before, mode, after });
        self.buffers().changed_on_disk(place.real(), what, None);
        Ok(changed)
    }

    fn tell_reviews(
        &self,
        change: &FileChange,
        cause: &Cause,
        (before, mode): (&Option<FileText>, Option<u32>),
        after: Option<&FileText>,
    ) {
        let (name, shown) = (change.place.real(), change.place.shown.as_str());
        let (session, hand, reviews) = (cause.session.as_str(), cause.hand(), self.reviews());
        match (before, after, &change.kind) {
            (Some(before), Some(after), ChangeKind::Edit { change, .. }) => {
                self.landed_on_disk(name, shown, cause, (before.text(), change, after.text()));
            }
            (None, Some(after), _) => reviews.created(name, shown, session, hand, after.text()),
            (Some(before), None, _) => {
                let form = Form { mode, bom: before.bom() };
                reviews.removed(name, shown, session, hand, (before.text(), form));
            }
            _ => {}
        }
    }

    async fn record(&self, entries: Vec<NewEntry>, done: &mut Done) -> Result<Vec<EntryId>, FileError> {
        let Some(journal) = self.journal().filter(|_| !entries.is_empty()) else { return Ok(Vec::new()) };
        let ids = journal.begin(entries).await;
        let ids = ids.map_err(|error| FileError::Journal { why: error.to_string() })?;
        done.group = done.group.or(ids.first().copied());
        Ok(ids)
    }

    async fn settle(&self, outcomes: Vec<(EntryId, bool)>) {
        let Some(journal) = self.journal() else { return };
        let (applied, failed): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(|(_, applied)| *applied);
        for (ids, outcome) in [(applied, Outcome::Applied), (failed, Outcome::Failed)] {
            let ids: Vec<_> = ids.into_iter().map(|(id, _)| id).collect();
            if !ids.is_empty() {
                // The change is made; that the journal does not know it yet is found out when it is next opened.
                let _ = journal.settle(ids, outcome).await;
            }
        }
    }
}

/// What one change comes to on the disk.
struct Coming {
    before: Option<FileText>,
    /// Nothing for a file that goes.
    after: Option<(FileText, Text)>,
    recorded: NewKind,
}

impl ChangeKind {
    fn expect(&self) -> Expect {
        match self {
            Self::Edit { file, .. } | Self::Delete { file, .. } => Expect::Unchanged(file.clone()),
            Self::Create { .. } => Expect::New,
        }
    }

    /// Whether a file may come or go while an editor has it open, whose text stays as it is: who decided on a file has seen
    /// what it holds; and what is taken back leaves the editor with the text that it has.
    fn leaves(&self, open: &Open, cause: &Cause) -> bool {
        let is_same = |text: &str| open.document.text() == text;
        match (self, cause.by) {
            (Self::Delete { .. }, By::Decision(_) | By::Person) => true,
            (Self::Delete { file, .. }, By::Undo(_)) => is_same(file.text()),
            (Self::Create { text, .. }, By::Undo(_)) => is_same(FileText::from(text.clone()).text()),
            _ => false,
        }
    }

    fn mode(&self) -> Option<u32> {
        match self {
            Self::Create { mode, .. } => *mode,
            Self::Edit { .. } | Self::Delete { .. } => None,
        }
    }

    fn coming(&self, place: &Place) -> Result<Coming, FileError> {
        let with_text = |file: FileText| {
            let text = Text::shared(file.shared());
            (file, text)
        };
        Ok(match self {
            Self::Create { text, .. } => {
                let (file, after) = with_text(text.clone().into());
                let recorded = NewKind::Create { after: after.clone() };
                Coming { before: None, after: Some((file, after)), recorded }
            }
            Self::Delete { file, stamp } => {
                let form = Form { mode: place.mode(), bom: file.bom() };
                let recorded = NewKind::Delete { before: stamp.text(file), form };
                Coming { before: Some(file.clone()), after: None, recorded }
            }
            Self::Edit { file, stamp, change } => {
                let stale = |_| FileError::Changed { shown: place.shown.clone() };
                let (new, after) = with_text(file.with_text(change.apply(file.text()).map_err(stale)?));
                let before = stamp.text(file);
                let recorded = NewKind::Edit { before, change: change.clone(), after: after.clone() };
                Coming { before: Some(file.clone()), after: Some((new, after)), recorded }
            }
        })
    }
}

fn entry(cause: &Cause, group: Option<EntryId>, place: &Path, kind: NewKind) -> NewEntry {
    NewEntry {
        session: cause.session.clone(),
        call: cause.call.clone(),
        place: place.to_string_lossy().into_owned(),
        kind,
        undoes: cause.undoes(),
        group,
    }
}

impl FileError {
    fn buffer(shown: String, error: PlanError) -> Self {
        match error {
            PlanError::Lost(why) => Self::Lost { shown, why },
            PlanError::Conflict(conflict) => Self::Conflict { shown, conflict },
            PlanError::Refused(refusal) => Self::Refused { shown, why: refusal.to_string() },
            error @ (PlanError::Unfit | PlanError::NoEcho) => Self::Refused { shown, why: error.to_string() },
        }
    }
}
