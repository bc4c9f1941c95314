//! The wire's reasoning control: adaptive with an effort, or a token budget.

use serde::Serialize;

use super::super::RequestTarget;
use crate::catalogue::ReasoningControl;
use crate::request::{AssistantPart, ModelMessage, ModelRequest, ReasoningEffort, ToolChoice};

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum AnthropicThinking {
    Adaptive { display: &'static str },
    Disabled,
    Enabled { budget_tokens: u64 },
}

#[derive(Serialize)]
pub(super) struct AnthropicOutputConfig {
    effort: &'static str,
}

pub(super) fn thinking_config(
    target: RequestTarget<'_>,
    request: &ModelRequest,
    max_tokens: u64,
) -> (Option<AnthropicThinking>, Option<AnthropicOutputConfig>) {
    let info = target.info;
    let can_be_off = info.efforts.contains(&ReasoningEffort::Off);
    // A forced call and thinking exclude each other.
    let forced =
        info.forced_tool && matches!(request.tool_choice, ToolChoice::Required | ToolChoice::Named(_));
    match (info.reasoning, request.effort) {
        (Some(ReasoningControl::Adaptive), effort)
            if can_be_off && (forced || effort == Some(ReasoningEffort::Off)) =>
        {
            (Some(AnthropicThinking::Disabled), None)
        }
        (_, _) if forced => (None, None),
        (Some(ReasoningControl::Adaptive), effort) => {
            let effort = effort.map(|effort| info.nearest_effort(effort.max(ReasoningEffort::Low)).as_str());
            // Newer models omit their thinking unless asked, and users want to see it.
            (
                Some(AnthropicThinking::Adaptive { display: "summarized" }),
                effort.map(|effort| AnthropicOutputConfig { effort }),
            )
        }
        (Some(ReasoningControl::Budget), Some(effort))
            if effort > ReasoningEffort::Off && !continues_unthought_step(target, request) =>
        {
            let wanted = match effort {
                ReasoningEffort::Off | ReasoningEffort::Minimal => 1_024,
                ReasoningEffort::Low => 4_096,
                ReasoningEffort::Medium => 10_000,
                ReasoningEffort::High => 16_000,
                ReasoningEffort::XHigh | ReasoningEffort::Max => 31_999,
            };
            // The budget is part of max_tokens and at least 1,024; without room for both, thinking is off.
            let budget_tokens = wanted.min(max_tokens.saturating_sub(1_024));
            ((budget_tokens >= 1_024).then_some(AnthropicThinking::Enabled { budget_tokens }), None)
        }
        _ => (None, None),
    }
}

/// Whether the request continues a step of calls that does not start with this model's own thinking, because
/// another model or effort began it. The wire then accepts a budget only from the next step on.
fn continues_unthought_step(target: RequestTarget<'_>, request: &ModelRequest) -> bool {
    let step = request.messages.iter().rev().find(|message| !matches!(message, ModelMessage::Results(_)));
    let ends_in_results = matches!(request.messages.last(), Some(ModelMessage::Results(_)));
    let thought = |part: &AssistantPart| matches!(part, AssistantPart::Reasoning(thought) if target.own_metadata(thought.echo.as_ref()).is_some());
    match step {
        Some(ModelMessage::Assistant(parts)) if ends_in_results => !parts.first().is_some_and(thought),
        _ => false,
    }
}
