//! A session's title: at once the prompt's first words, soon after what a quick model makes of them. The turn waits for
//! neither.

use copydesk_model::{Event as ModelEvent, Input, Message, Part as ModelPart, Request, ToolChoice};

use super::{Titles, Worker};
use crate::event::Event;
use crate::store::StoreError;

/// Characters of a title.
const LONGEST: usize = 80;

/// What of a prompt a title is made of.
const ENOUGH: usize = 4_000;

impl Worker {
    pub(super) async fn give_title(&mut self, prompt: &str) -> Result<(), StoreError> {
        if !self.setting.session.title.is_empty() {
            return Ok(());
        }
        self.setting.session.title = tidy(prompt);
        let session = self.setting.session.clone();
        self.setting.store.rename_session(&session.id, &session.title).await?;
        self.emit(Event::Session { session: session.clone() }).await;
        let Some(titles) = self.setting.titles.clone() else { return Ok(()) };
        let (store, events) = (self.setting.store.clone(), self.setting.events.clone());
        let beginning = prompt.chars().take(ENOUGH).collect();
        tokio::spawn(async move {
            // A title that cannot be had is not missed: there is one already.
            let Some(title) = ask(titles, beginning).await else { return };
            if store.rename_session(&session.id, &title).await.is_ok()
                // It may have become another agent meanwhile.
                && let Ok(session) = store.session(session.id.as_str()).await
            {
                let _ = events.send(Event::Session { session }).await;
            }
        });
        Ok(())
    }
}

async fn ask(titles: Titles, prompt: String) -> Option<String> {
    let request = Request {
        system: vec![titles.prompt],
        messages: vec![Message::User(vec![Input::Text(prompt)])],
        tool_choice: ToolChoice::None,
        max_output: Some(1_000),
        ..Request::default()
    };
    let mut events = titles.model.stream(&request).ok()?;
    let mut title = String::new();
    while let Some(event) = events.next().await {
        match event.ok()? {
            ModelEvent::Ended { content: ModelPart::Text(text), .. } => title.push_str(&text.text),
            ModelEvent::Retry(_) => return None,
            _ => {}
        }
    }
    Some(tidy(&title)).filter(|title| !title.is_empty())
}

/// The first line with anything in it, cut to what fits in a list.
fn tidy(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let line = line.trim_matches(['"', '\'', '`', '#', '*', ' ']);
    match line.char_indices().nth(LONGEST) {
        None => line.to_owned(),
        Some((cut, _)) => format!("{}…", line.get(..cut).unwrap_or_default().trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::tidy;

    #[test]
    fn a_title_is_one_short_line() {
        assert_eq!(tidy("\n\n  # \"Fix the tests\"\nmore"), "Fix the tests");
        assert_eq!(tidy(&"ä".repeat(100)), format!("{}…", "ä".repeat(80)));
        assert_eq!(tidy(" \n "), "");
    }
}
