//! How many tokens a conversation has: what the provider counted last, and an estimate of what came since.

use std::sync::Arc;

use copydesk_model::{MediaPart, estimate_tokens};

use crate::data::{CallPart, Part, PartContent};

/// An image or a page, whatever its size: vendors count 250 to 1,600.
const MEDIA_TOKENS: u64 = 1_500;

/// What the next request has. `fixed` is what every request has.
pub(crate) fn used_tokens(fixed: impl FnOnce() -> u64, parts: &[Arc<Part>]) -> u64 {
    let mut since = 0_u64;
    for (at, part) in parts.iter().enumerate().rev() {
        match &part.content {
            // Some local servers count nothing.
            PartContent::StepFinish(finish) if finish.usage.prompt_tokens() > 0 => {
                let counted = finish.usage.prompt_tokens().saturating_add(finish.usage.output);
                return counted + outputs_of_step(parts.get(..at).unwrap_or_default()) + since;
            }
            PartContent::Compaction(compaction) => return compaction.tokens_after + since,
            _ => since += tokens_of(part),
        }
    }
    fixed() + since
}

/// The outputs of the calls of the last step: its request did not have them.
fn outputs_of_step(parts: &[Arc<Part>]) -> u64 {
    let of_step =
        parts.iter().rev().take_while(|part| !matches!(part.content, PartContent::StepStart { .. }));
    of_step.filter_map(|part| output_of(part)).sum()
}

/// What a part adds to a request, about.
pub(crate) fn tokens_of(part: &Part) -> u64 {
    match &part.content {
        PartContent::Prompt(prompt) => estimate_tokens(&prompt.text_with_context()),
        PartContent::File(_) => MEDIA_TOKENS,
        PartContent::Text(text) => estimate_tokens(&text.text),
        PartContent::Reasoning(reasoning) => estimate_tokens(&reasoning.text),
        PartContent::Note(note) => estimate_tokens(&note.text),
        PartContent::Call(CallPart { parent: Some(_), .. }) => 0,
        PartContent::Call(call) => {
            estimate_tokens(&call.name)
                + estimate_tokens(&call.arguments)
                + output_of(part).unwrap_or_default()
        }
        PartContent::Compaction(_)
        | PartContent::StepStart { .. }
        | PartContent::StepFinish(_)
        | PartContent::Retry { .. }
        | PartContent::TurnEnd(_) => 0,
    }
}

fn output_of(part: &Part) -> Option<u64> {
    let PartContent::Call(CallPart { parent: None, output: Some(output), .. }) = &part.content else {
        return None;
    };
    let media = |media: &Vec<MediaPart>| media.len() as u64 * MEDIA_TOKENS;
    Some(estimate_tokens(&output.output) + media(&output.media))
}
