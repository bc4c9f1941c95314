//! A session as Markdown.

use std::fmt::Write as _;

use crate::data::{CallPart, Part, PartContent, PartState, Session};

/// Longer outputs are cut; the JSON export has them whole.
const MAX_OUTPUT_CHARS: usize = 4_000;

pub fn markdown(session: &Session, parts: &[Part]) -> String {
    let title = if session.title.is_empty() { "A session" } else { &session.title };
    let mut text = format!("# {title}\n\n`{}` in `{}`\n", session.id, session.folder.display());
    let mut open = TurnTracker::default();
    for part in parts {
        if open.turn != part.turn {
            text.push_str(std::mem::take(&mut open).end());
        }
        open.see(part);
        // Writing to a string cannot fail.
        let _ = match &part.content {
            PartContent::Prompt(prompt) => {
                let names = prompt.context.iter().map(|piece| format!("\n*With {}*\n", piece.name));
                write!(text, "\n## {}\n{}", quoted_heading(&prompt.text), names.collect::<String>())
            }
            PartContent::File(media) => {
                write!(text, "\n*{}*\n", media.name.as_deref().unwrap_or(&media.mime))
            }
            PartContent::Text(said) => write!(text, "\n{}\n", said.text.trim_end()),
            PartContent::Reasoning(thought) => write!(text, "\n{}\n", block_quote(&thought.text)),
            PartContent::Call(call) => write!(text, "\n{}", called(call, &part.state)),
            PartContent::Note(note) => write!(text, "\n*{}*\n", note.text.trim_end()),
            PartContent::StepStart { .. }
            | PartContent::StepFinish(_)
            | PartContent::Retry { .. }
            | PartContent::Compaction(_)
            | PartContent::Pruning(_)
            | PartContent::TurnEnd(_) => Ok(()),
        };
    }
    text.push_str(open.end());
    text
}

/// Tracks whether a turn ended before it was done.
#[derive(Default)]
struct TurnTracker {
    turn: u32,
    /// A request has no complete response.
    asked: bool,
    interrupted: bool,
}

impl TurnTracker {
    fn see(&mut self, part: &Part) {
        self.turn = part.turn;
        self.interrupted |= part.state == PartState::Interrupted;
        match part.content {
            PartContent::StepStart { .. } => self.asked = true,
            PartContent::StepFinish(_) => self.asked = false,
            _ => {}
        }
    }

    fn end(self) -> &'static str {
        match (self.interrupted, self.asked) {
            (true, _) => "\n*(The turn was cancelled or interrupted here.)*\n",
            (false, true) => "\n*(The model's answer has not come to its end here.)*\n",
            (false, false) => "",
        }
    }
}

/// A prompt of one line is a heading; a longer one also follows below.
fn quoted_heading(prompt: &str) -> String {
    let prompt = prompt.trim();
    match prompt.split_once('\n') {
        None => prompt.to_owned(),
        Some((first, _)) => format!("{}\n\n{prompt}", first.trim_end()),
    }
}

fn block_quote(text: &str) -> String {
    text.trim_end()
        .lines()
        .map(|line| format!("> {line}").trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}

fn called(call: &CallPart, state: &PartState) -> String {
    let arguments = fenced(&call.arguments);
    let outcome = match (&call.output, state) {
        (Some(output), state) => {
            let verdict = match state {
                PartState::Interrupted => "interrupted",
                _ if output.is_error => "failed",
                _ => "done",
            };
            format!("{verdict} after {} ms\n\n{}", output.milliseconds, fenced(&cut(&output.output)))
        }
        (None, PartState::Error { message }) => format!("failed: {message}\n"),
        (None, PartState::Interrupted) => "interrupted\n".to_owned(),
        (None, _) => "not finished\n".to_owned(),
    };
    format!("**{}**\n\n{arguments}\n{outcome}", call.name)
}

/// A fence longer than any in the text.
fn fenced(text: &str) -> String {
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{}\n{fence}\n", text.trim_end())
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_OUTPUT_CHARS) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}\n… {} bytes more", text.get(..at).unwrap_or_default(), text.len() - at),
    }
}
