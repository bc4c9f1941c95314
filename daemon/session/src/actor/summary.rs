//! The request for a summary: which model writes it, and which of its answers count.

use std::fmt::Write as _;

use copydesk_model::{
    AssistantPart, FinishReason, ModelEvent, ModelMessage, TokenUsage, ToolChoice, UserPart, estimate_tokens,
};

use super::{NamedModel, SessionActor};
use crate::compaction::ERROR_SHARE;
use crate::data::PartContent;
use crate::note_mark::mark_note;

const INSTRUCTION: &str = include_str!("../agent/compaction.md");
/// A longer summary saves too little.
const MAX_SUMMARY_TOKENS: u64 = 16_000;
/// A model that has less room for its response writes no summary.
const MIN_SUMMARY_TOKENS: u64 = 1_000;

/// A summary that counts, or why there is none.
pub(super) type SummaryResult = Result<WrittenSummary, SummaryFailure>;

pub(super) struct WrittenSummary {
    pub(super) text: String,
    /// `PROVIDER/MODEL`
    pub(super) model: String,
    pub(super) usage: TokenUsage,
    pub(super) cost: Option<f64>,
}

pub(super) enum SummaryFailure {
    Cancelled,
    /// For the user.
    Unusable(String),
}

impl SessionActor {
    /// The model that writes a summary of so many tokens, and the limit of its response: the configured one, else the session's own,
    /// else the one that was asked last, whose window may be larger. `None` if the conversation fits none of them.
    fn choose_author(&self, used: u64) -> Option<(NamedModel, u64)> {
        let configured = self.deps.summary_model.clone();
        let own = NamedModel { model: self.deps.model.clone(), name: self.deps.model_name.clone() };
        let earlier = || {
            let name = self.parts.iter().rev().find_map(|part| match &part.content {
                PartContent::StepStart { model } if *model != self.deps.model_name => Some(model.clone()),
                _ => None,
            })?;
            Some(NamedModel { model: self.deps.roles.model(&name)?, name })
        };
        let fits = |author: NamedModel| {
            let learned = self.learned_windows.get(&author.name).copied();
            let window = author.model.spec().context.min(learned.unwrap_or(u64::MAX));
            // Some servers refuse a request whose limit does not fit with it.
            let room = window.saturating_sub(used + window / ERROR_SHARE);
            let room = room.min(author.model.spec().output).min(MAX_SUMMARY_TOKENS);
            (room >= MIN_SUMMARY_TOKENS).then_some((author, room))
        };
        configured.and_then(fits).or_else(|| fits(own)).or_else(|| fits(earlier()?))
    }

    /// The beginning is that of every request, so the provider's cache is read if the session's own model is asked.
    pub(super) async fn ask_for_summary(
        &mut self,
        words: &str,
        left_out: usize,
        replaced: u64,
    ) -> SummaryResult {
        let mut instruction = INSTRUCTION.trim_end().to_owned();
        if left_out > 0 {
            let _ = write!(
                instruction,
                "\n\nThe oldest {left_out} prompts of the user are not kept: write what they want and what must hold."
            );
        }
        if !words.trim().is_empty() {
            let _ = write!(instruction, "\n\nThe user says about the summary: {}", words.trim());
        }
        let used = self.used_tokens() + estimate_tokens(&instruction);
        let Some((author, max_output)) = self.choose_author(used) else {
            return Err(SummaryFailure::Unusable("The context had no room left for a summary.".to_owned()));
        };
        let mut said = self.history.take_messages(&self.parts);
        let mut request = self.request();
        request.tool_choice = ToolChoice::None;
        request.max_output = Some(max_output);
        std::mem::swap(&mut request.messages, &mut said.messages);
        let last = request.messages.len();
        request.messages.push(ModelMessage::User(vec![UserPart::Note(mark_note(&instruction))]));
        let events = author.model.stream(&request);
        request.messages.truncate(last);
        std::mem::swap(&mut request.messages, &mut said.messages);
        self.history.return_messages(said);
        let mut events = events.map_err(|error| SummaryFailure::Unusable(error.message))?;
        let unusable = |why: &str| Err(SummaryFailure::Unusable(why.to_owned()));
        let mut text = String::new();
        loop {
            let cancel = self.cancel.clone();
            let event = tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(SummaryFailure::Cancelled),
                Some(command) = self.commands.recv() => {
                    self.handle_command(command).await;
                    continue;
                }
                event = events.next() => event,
            };
            match event {
                None => return unusable("The model's answer ended without a word."),
                Some(Err(error)) => return Err(SummaryFailure::Unusable(error.message)),
                Some(Ok(ModelEvent::PartEnded { content: AssistantPart::Text(part), .. })) => {
                    text.push_str(&part.text);
                }
                Some(Ok(ModelEvent::PartEnded { content: AssistantPart::Call(_), .. })) => {
                    return unusable("The model called a tool instead of writing a summary.");
                }
                Some(Ok(ModelEvent::Retry(_))) => text.clear(),
                Some(Ok(ModelEvent::Finished(finish))) => {
                    let tokens = estimate_tokens(&text);
                    return match finish.reason {
                        _ if text.trim().is_empty() => unusable("The model's summary was empty."),
                        FinishReason::End if tokens < replaced && tokens <= self.context_budget().tail() => {
                            let text = text.trim().to_owned();
                            Ok(WrittenSummary {
                                text,
                                model: author.name,
                                usage: finish.usage,
                                cost: finish.cost,
                            })
                        }
                        FinishReason::End => unusable("The model's summary was too long."),
                        FinishReason::Refused => unusable("The model refused to write a summary."),
                        _ => unusable("The model's summary was cut off."),
                    };
                }
                Some(Ok(_)) => {}
            }
        }
    }
}
