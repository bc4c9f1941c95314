//! What people did since the model's last step: decisions on its edits, comments, files they changed. One note for all.

use copydesk_tool::decided::note;

use super::Worker;
use crate::data::{Content, Note, State};
use crate::store::StoreError;

impl Worker {
    pub(super) async fn tell_news(&mut self) -> Result<(), StoreError> {
        let files = &self.setting.files;
        if self.step == 1 {
            files.look_at_commits(self.setting.session.id.as_str()).await;
        }
        let news = files.reviews().news(self.setting.session.id.as_str());
        let mut changed = files.changed_since_seen().await;
        // What was said of a file says that it changed.
        changed.retain(|shown| news.items.iter().all(|item| item.shown != *shown));
        let Some(text) = note(&news, &changed) else { return Ok(()) };
        let part = self.new_part(State::Completed, Content::Note(Note { text }));
        let kept = self.keep(part).await;
        if kept.is_err() {
            // The model has not heard of it.
            self.setting.files.reviews().untold(self.setting.session.id.as_str(), news);
        }
        kept
    }
}
