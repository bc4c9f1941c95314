//! An inline edit: a model rewrites a range of a document as the user asks.
//!
//! It is no turn: it has no tools, and no history except the prompts and answers about this range.

use copydesk_model::{
    AssistantPart as ModelPart, Model, ModelEvent, ModelMessage, ModelRequest, PartKind, TextPart,
    ToolChoice, UserPart,
};
use tokio::sync::mpsc;

/// The cap on the context on each side of the range.
const MAX_CONTEXT_BYTES: usize = 24 * 1024;

const MAX_ANSWER_BYTES: usize = 1024 * 1024;

/// The range to rewrite.
#[derive(Debug, Clone, Default)]
pub struct InlineRegion {
    /// The document's name, for the model.
    pub display_name: String,
    pub before: String,
    pub text: String,
    pub after: String,
}

impl InlineRegion {
    /// The whole document.
    pub fn whole(&self) -> String {
        [self.before.as_str(), &self.text, &self.after].concat()
    }

    /// The model's text, with the same line end as the range.
    pub fn fit_replacement(&self, written: &str) -> String {
        let written = match (self.text.ends_with('\n'), written.ends_with('\n')) {
            (true, false) if !written.is_empty() => format!("{written}\n"),
            (false, true) => written.trim_end_matches(['\n', '\r']).to_owned(),
            _ => written.to_owned(),
        };
        self.lines(&written)
    }

    /// The text so far: the lines that the model has not reached stay as they were.
    pub fn fit_partial(&self, written: &str) -> String {
        let whole = written.rfind('\n').map_or(0, |end| end + 1);
        let lines = written.get(..whole).unwrap_or_default();
        let reached = lines.matches('\n').count();
        let rest: String = self.text.split_inclusive('\n').skip(reached).collect();
        if rest.is_empty() { self.fit_replacement(lines) } else { format!("{}{rest}", self.lines(lines)) }
    }

    /// The document with the range replaced.
    pub fn with_replacement(&self, text: &str) -> String {
        [self.before.as_str(), text, &self.after].concat()
    }

    fn lines(&self, lines: &str) -> String {
        if self.text.contains("\r\n") {
            lines.replace("\r\n", "\n").replace('\n', "\r\n")
        } else {
            lines.to_owned()
        }
    }
}

/// The prompts and answers; the last prompt has no answer yet.
#[derive(Debug, Clone, Default)]
pub struct InlineConversation {
    rounds: Vec<(String, Option<String>)>,
}

impl InlineConversation {
    pub fn new(instruction: String) -> Self {
        Self { rounds: vec![(instruction, None)] }
    }

    /// Adds the answer to the last prompt.
    pub fn record_answer(&mut self, text: &str) {
        if let Some((_, answer)) = self.rounds.last_mut() {
            *answer = Some(text.to_owned());
        }
    }

    /// Adds a prompt; an empty one retries the last.
    pub fn follow_up(&mut self, instruction: Option<String>) {
        match instruction {
            // Drops a prompt without an answer.
            Some(instruction) => {
                self.rounds.retain(|(_, answer)| answer.is_some());
                self.rounds.push((instruction, None));
            }
            None => {
                if let Some((_, answer)) = self.rounds.last_mut() {
                    *answer = None;
                }
            }
        }
    }
}

/// Asks the model. `written` gets the whole text so far each time it grows. Returns the final text or the error.
pub async fn rewrite(
    model: &Model,
    stretch: &InlineRegion,
    talk: &InlineConversation,
    written: mpsc::Sender<String>,
) -> Result<String, String> {
    let request = ModelRequest {
        system: vec![include_str!("inline.md").to_owned()],
        messages: messages(stretch, talk),
        tool_choice: ToolChoice::None,
        ..ModelRequest::default()
    };
    let mut events = model.stream(&request).map_err(|error| error.message)?;
    // Complete parts, and the one being written; reasoning does not count.
    let (mut whole, mut open, mut is_text) = (String::new(), String::new(), false);
    while let Some(event) = events.next().await {
        match event.map_err(|error| error.message)? {
            ModelEvent::PartStarted { kind, .. } => (is_text, open) = (kind == PartKind::Text, String::new()),
            ModelEvent::PartDelta { text, .. } if is_text => {
                open.push_str(&text);
                if whole.len() + open.len() > MAX_ANSWER_BYTES {
                    return Err("the model does not come to an end".to_owned());
                }
                // If the reader is behind, this is dropped: the next text has more.
                let _ = written.try_send(strip_fence(&format!("{whole}{open}"), false).to_owned());
            }
            ModelEvent::PartEnded { content: ModelPart::Text(text), .. } => {
                whole.push_str(&text.text);
                open.clear();
            }
            // A retry: the model starts over.
            ModelEvent::Retry(_) => (whole, open) = (String::new(), String::new()),
            ModelEvent::Finished(_) => break,
            ModelEvent::PartDelta { .. } | ModelEvent::PartEnded { .. } => {}
        }
    }
    Ok(strip_fence(&whole, true).to_owned())
}

fn messages(stretch: &InlineRegion, talk: &InlineConversation) -> Vec<ModelMessage> {
    let InlineRegion { display_name: shown, before, text, after } = stretch;
    let (before, after) = (tail(before), head(after));
    let mut messages = Vec::new();
    for (number, (asked, answer)) in talk.rounds.iter().enumerate() {
        let said = match number {
            0 => format!(
                "File: {shown}\n\n<before>\n{before}</before>\n<selection>\n{text}</selection>\n<after>\n{after}</after>\n\n\
                 Instruction: {asked}"
            ),
            _ => format!("Instruction, for the text as you rewrote it: {asked}"),
        };
        messages.push(ModelMessage::User(vec![UserPart::Text(said)]));
        if let Some(answer) = answer {
            messages.push(ModelMessage::Assistant(vec![ModelPart::Text(TextPart {
                text: answer.clone(),
                ..TextPart::default()
            })]));
        }
    }
    messages
}

/// The end of a text, from a line start.
fn tail(text: &str) -> &str {
    let from = text.ceil_char_boundary(text.len().saturating_sub(MAX_CONTEXT_BYTES));
    let cut = text.get(from..).unwrap_or_default();
    if from == 0 { cut } else { cut.split_once('\n').map_or(cut, |(_, rest)| rest) }
}

/// The beginning of a text, to a line end.
fn head(text: &str) -> &str {
    let to = text.floor_char_boundary(MAX_CONTEXT_BYTES);
    let cut = text.get(..to).unwrap_or_default();
    if to == text.len() { cut } else { cut.rsplit_once('\n').map_or(cut, |(lines, _)| lines) }
}

/// Removes the fence that models put around code.
fn strip_fence(text: &str, is_whole: bool) -> &str {
    let Some(fenced) = text.trim_start().strip_prefix("```") else { return text };
    // The first line names a language.
    let Some((_, code)) = fenced.split_once('\n') else { return if is_whole { text } else { "" } };
    match code.trim_end().strip_suffix("```") {
        Some(code) => code,
        // The closing fence may not have arrived yet.
        None if is_whole => code,
        None => code.trim_end_matches('`'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_taken_off_and_nothing_else() {
        for (text, whole) in [
            ("let a = 1;\n", "let a = 1;\n"),
            ("```rust\nlet a = 1;\n```", "let a = 1;\n"),
            ("\n```\nlet a = 1;\n```\n", "let a = 1;\n"),
            ("    indented\n", "    indented\n"),
            ("a ``` b\n", "a ``` b\n"),
            ("```", "```"),
        ] {
            assert_eq!(strip_fence(text, true), whole, "{text:?}");
        }
        for (text, so_far) in [("```ru", ""), ("```rust\nlet", "let"), ("```rust\nlet\n``", "let\n")] {
            assert_eq!(strip_fence(text, false), so_far, "{text:?}");
        }
    }

    #[test]
    fn what_is_written_ends_as_the_stretch_does_and_has_its_line_ends() {
        let of = |text: &str| InlineRegion { text: text.into(), ..InlineRegion::default() };
        for (text, written, fitted) in [
            ("a\n", "b", "b\n"),
            ("a\n", "b\n", "b\n"),
            ("a", "b\n", "b"),
            ("a\n", "", ""),
            ("a\r\n", "b\nc", "b\r\nc\r\n"),
        ] {
            assert_eq!(of(text).fit_replacement(written), fitted, "{text:?} {written:?}");
        }
        assert_eq!(of("1\n2\n3\n").fit_partial("A\nB"), "A\n2\n3\n");
        assert_eq!(of("1\r\n2\r\n").fit_partial("A\nB"), "A\r\n2\r\n");
        assert_eq!(of("1\n").fit_partial("A\nB\nC"), "A\nB\n");
    }

    #[test]
    fn what_is_around_is_cut_at_lines() {
        let long = "0123456789\n".repeat(10_000);
        assert!(tail(&long).len() <= MAX_CONTEXT_BYTES && tail(&long).starts_with("0123"));
        assert!(head(&long).len() <= MAX_CONTEXT_BYTES && head(&long).ends_with("789"));
        assert_eq!((tail("a\nb"), head("a\nb")), ("a\nb", "a\nb"));
    }

    #[test]
    fn a_follow_up_comes_after_the_answer_and_a_retry_in_its_place() {
        let stretch = InlineRegion {
            display_name: "a.rs".into(),
            before: "fn a() {\n".into(),
            text: "    1\n".into(),
            after: "}\n".into(),
        };
        let mut talk = InlineConversation::new("make it two".into());
        talk.record_answer("    2\n");
        talk.follow_up(Some("and typed".into()));
        let said = serde_json::to_string(&messages(&stretch, &talk)).unwrap();
        expect_test::expect![[r#"[{"user":[{"text":"File: a.rs\n\n<before>\nfn a() {\n</before>\n<selection>\n    1\n</selection>\n<after>\n}\n</after>\n\nInstruction: make it two"}]},{"assistant":[{"text":{"text":"    2\n"}}]},{"user":[{"text":"Instruction, for the text as you rewrote it: and typed"}]}]"#]].assert_eq(&said);
        talk.record_answer("    2u8\n");
        talk.follow_up(None);
        assert_eq!(serde_json::to_string(&messages(&stretch, &talk)).unwrap(), said);
    }
}
