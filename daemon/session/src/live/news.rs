//! What people did since the model's last step: decisions on its edits, comments, files they changed. One note for all.
//!
//! A session that works for another is told of its own edits; what is decided when it is done is told above.

use copydesk_tool::decided::note;

use super::Worker;
use crate::data::{Content, Note, State};
use crate::store::StoreError;

impl Worker {
    pub(super) async fn tell_news(&mut self) -> Result<(), StoreError> {
        let files = &self.setting.files;
        let owner = self.setting.above.as_ref().map(|above| above.owner.clone());
        let session =
            owner.as_ref().map_or(self.setting.session.id.as_str(), |owner| &owner.session).to_owned();
        if self.step == 1 {
            files.look_at_commits(&session).await;
        }
        let news = match &owner {
            Some(owner) => files.reviews().news_of(&session, &owner.call),
            None => files.reviews().news(&session),
        };
        let mut changed = files.changed_since_seen().await;
        // What was said of a file says that it changed.
        changed.retain(|shown| news.items.iter().all(|item| item.shown != *shown));
        let Some(text) = note(&news, &changed) else { return Ok(()) };
        let part = self.new_part(State::Completed, Content::Note(Note { text }));
        let kept = self.keep(part).await;
        if kept.is_err() {
            // The model has not heard of it.
            self.setting.files.reviews().untold(&session, news);
        }
        kept
    }
}
