//! How hard to think, as this wire is told: adaptively with an effort, or with a budget of tokens.

use serde::Serialize;

use super::super::Target;
use crate::catalogue::ReasoningControl;
use crate::request::{Effort, Message, Part, Request, ToolChoice};

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Thinking {
    Adaptive { display: &'static str },
    Disabled,
    Enabled { budget_tokens: u64 },
}

#[derive(Serialize)]
pub(super) struct OutputConfig {
    effort: &'static str,
}

pub(super) fn thinking(
    target: Target<'_>,
    request: &Request,
    max_tokens: u64,
) -> (Option<Thinking>, Option<OutputConfig>) {
    let info = target.info;
    let can_be_off = info.efforts.contains(&Effort::Off);
    // A forced call and thinking exclude each other.
    let forced =
        info.forced_tool && matches!(request.tool_choice, ToolChoice::Required | ToolChoice::Named(_));
    match (info.reasoning, request.effort) {
        (Some(ReasoningControl::Adaptive), effort)
            if can_be_off && (forced || effort == Some(Effort::Off)) =>
        {
            (Some(Thinking::Disabled), None)
        }
        (_, _) if forced => (None, None),
        (Some(ReasoningControl::Adaptive), effort) => {
            let effort = effort.map(|effort| info.nearest_effort(effort.max(Effort::Low)).word());
            // Newer models leave the thinking out unless asked, and a person wants to see it.
            (Some(Thinking::Adaptive { display: "summarized" }), effort.map(|effort| OutputConfig { effort }))
        }
        (Some(ReasoningControl::Budget), Some(effort))
            if effort > Effort::Off && !in_step(target, request) =>
        {
            let wanted = match effort {
                Effort::Off | Effort::Minimal => 1_024,
                Effort::Low => 4_096,
                Effort::Medium => 10_000,
                Effort::High => 16_000,
                Effort::XHigh | Effort::Max => 31_999,
            };
            // The budget is part of max_tokens and at least 1,024; with no room for both there is no thinking.
            let budget_tokens = wanted.min(max_tokens.saturating_sub(1_024));
            ((budget_tokens >= 1_024).then_some(Thinking::Enabled { budget_tokens }), None)
        }
        _ => (None, None),
    }
}

/// Whether the request goes on with a step of calls that has no thought of this model's before it, because another model
/// or another effort began it: the wire takes a budget only from the next step on.
fn in_step(target: Target<'_>, request: &Request) -> bool {
    let step = request.messages.iter().rev().find(|message| !matches!(message, Message::Results(_)));
    let ends_in_results = matches!(request.messages.last(), Some(Message::Results(_)));
    let thought =
        |part: &Part| matches!(part, Part::Reasoning(thought) if target.own(thought.echo.as_ref()).is_some());
    match step {
        Some(Message::Assistant(parts)) if ends_in_results => !parts.first().is_some_and(thought),
        _ => false,
    }
}
