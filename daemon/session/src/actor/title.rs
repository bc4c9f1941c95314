//! A session's title: at once the prompt's first words, later the title of a small model. The turn waits for neither.

use copydesk_model::{
    AssistantPart as ModelPart, ModelEvent, ModelMessage, ModelRequest, ToolChoice, UserPart,
};
use tracing::Instrument as _;

use super::{SessionActor, TitleGenerator};
use crate::event::SessionEvent;
use crate::store::StoreError;

const MAX_TITLE_CHARS: usize = 80;

/// How much of the prompt the model reads to make a title.
const MAX_PROMPT_CHARS: usize = 4_000;

impl SessionActor {
    pub(super) async fn give_title(&mut self, prompt: &str) -> Result<(), StoreError> {
        if !self.deps.session.title.is_empty() {
            return Ok(());
        }
        self.deps.session.title = tidy(prompt);
        let session = self.deps.session.clone();
        self.deps.store.rename_session(&session.id, &session.title).await?;
        self.emit(SessionEvent::SessionChanged { session: session.clone() }).await;
        let Some(titles) = self.deps.title_generator.clone() else { return Ok(()) };
        let (store, events) = (self.deps.store.clone(), self.deps.events.clone());
        let beginning = prompt.chars().take(MAX_PROMPT_CHARS).collect();
        let title = async move {
            // If the request fails, the first title stays.
            let Some(title) = ask(titles, beginning).await else { return };
            if store.rename_session(&session.id, &title).await.is_ok()
                // The session may have switched its agent meanwhile.
                && let Ok(session) = store.session(session.id.as_str()).await
            {
                let _ = events.send(SessionEvent::SessionChanged { session }).await;
            }
        };
        tokio::spawn(title.in_current_span());
        Ok(())
    }
}

async fn ask(titles: TitleGenerator, prompt: String) -> Option<String> {
    let request = ModelRequest {
        system: vec![titles.prompt],
        messages: vec![ModelMessage::User(vec![UserPart::Text(prompt)])],
        tool_choice: ToolChoice::None,
        max_output: Some(1_000),
        ..ModelRequest::default()
    };
    let mut events = titles.model.stream(&request).ok()?;
    let mut title = String::new();
    while let Some(event) = events.next().await {
        match event.ok()? {
            ModelEvent::PartEnded { content: ModelPart::Text(text), .. } => title.push_str(&text.text),
            ModelEvent::Retry(_) => return None,
            _ => {}
        }
    }
    Some(tidy(&title)).filter(|title| !title.is_empty())
}

/// The first line that is not empty, cut to fit a list.
fn tidy(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let line = line.trim_matches(['"', '\'', '`', '#', '*', ' ']);
    match line.char_indices().nth(MAX_TITLE_CHARS) {
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
