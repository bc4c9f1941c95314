//! Taking back what an agent did to files, through the buffers and by merge: what a person wrote stays, and files that the
//! agent did not edit are not touched.

use copydesk_text::FileText;

use super::{By, Cause, ChangeKind, FileChange, FileError, Files, READ_LIMIT};
use crate::journal::{Blocked, Entry, EntryId, Journal, Kind, Step, inverse};

/// What became of one edit that was to be taken back.
#[derive(Debug)]
pub struct TakenBack {
    /// An absolute path, or the URI of a buffer that has none.
    pub place: String,
    pub how: How,
}

#[derive(Debug)]
pub enum How {
    Undone,
    /// It is as if it had not been made.
    Nothing,
    Blocked(Blocked),
    Failed(String),
}

impl Files {
    /// Takes entries back, in their order; each is one edit of its own, so that a conflict in one file leaves the others
    /// undone. They belong together: one redo brings them all back.
    pub async fn take_back_entries(
        &self,
        journal: &Journal,
        entries: &[&Entry],
        label: &str,
    ) -> Vec<TakenBack> {
        let mut group = None;
        let mut taken = Vec::new();
        for entry in entries {
            let how = self.take_back_entry(journal, entry, label, &mut group).await;
            let how = how.unwrap_or_else(How::Failed);
            taken.push(TakenBack { place: entry.place.clone(), how });
        }
        taken
    }

    async fn take_back_entry(
        &self,
        journal: &Journal,
        entry: &Entry,
        label: &str,
        group: &mut Option<EntryId>,
    ) -> Result<How, String> {
        let texts = journal.texts(entry.id).await.map_err(|error| error.to_string())?;
        let place = self.resolve(entry.leads_to());
        // An editor may hold what was deleted on the disk, and still does when it is there again.
        let found = match entry.kind {
            Kind::Delete => self.on_disk_alone(&place).await,
            Kind::Create | Kind::Edit | Kind::Move { .. } => self.look(&place, READ_LIMIT).await,
        };
        let now = match found {
            Ok(content) => {
                let file = FileText::decode(content.bytes).map_err(|error| error.to_string())?;
                Some((file, content.stamp))
            }
            Err(FileError::NotFound { .. }) => None,
            Err(error) => return Err(error.to_string()),
        };
        let step = match inverse(entry, &texts, now.as_ref().map(|(file, _)| file.text())) {
            Ok(step) => step,
            Err(blocked) => return Ok(How::Blocked(blocked)),
        };
        let kind = match (step, now) {
            (Step::Nothing, _) => return Ok(How::Nothing),
            (Step::Edit(change), Some((file, stamp))) => ChangeKind::Edit { file, stamp, change },
            (Step::Delete, Some((file, stamp))) => ChangeKind::Delete { file, stamp },
            (Step::Create(text), None) => {
                ChangeKind::Create { text: entry.form.of_text(text), mode: entry.form.mode }
            }
            (Step::MoveBack(_) | Step::Edit(_) | Step::Delete | Step::Create(_), _) => {
                return Ok(How::Blocked(Blocked::Missing));
            }
        };
        let cause = Cause {
            session: entry.session.clone(),
            call: entry.call.clone(),
            label: label.to_owned(),
            accepted: true,
            by: By::Undo(entry.id),
            group: *group,
        };
        let changed =
            self.change(&[FileChange { place, kind }], &cause).await.map_err(|error| error.to_string())?;
        *group = group.or(changed.first().and_then(|changed| changed.entry));
        Ok(How::Undone)
    }
}
