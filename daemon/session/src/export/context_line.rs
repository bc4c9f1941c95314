//! What fills the model's context, in a line.

use crate::data::{ContextUse, Part, PartContent};

/// As of the last request; `None` before the first.
pub fn context_line(parts: &[Part]) -> Option<String> {
    parts.iter().rev().find_map(|part| match &part.content {
        PartContent::StepFinish(finish) => finish.context.map(|context| describe(&context)),
        PartContent::Compaction(compaction) if compaction.tokens_after > 0 => {
            Some(format!("Context: about {} tokens after the summary", compaction.tokens_after))
        }
        _ => None,
    })
}

fn describe(context: &ContextUse) -> String {
    let ContextUse { window, system, tools, files, outputs, conversation, summary } = *context;
    let total = context.total();
    let share = total.saturating_mul(100).checked_div(window).unwrap_or_default();
    let shares = [
        ("system prompt", system),
        ("tools", tools),
        ("files", files),
        ("outputs", outputs),
        ("conversation", conversation),
        ("summary", summary),
    ];
    let shares = shares.iter().filter(|(_, tokens)| *tokens > 0);
    let shares: Vec<_> = shares.map(|(name, tokens)| format!("{name} {tokens}")).collect();
    format!("Context: {total} of {window} tokens ({share} %): {}", shares.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_without_tokens_are_left_out() {
        let context =
            ContextUse { window: 10_000, system: 300, tools: 1_500, files: 700, ..ContextUse::default() };
        assert_eq!(
            describe(&context),
            "Context: 2500 of 10000 tokens (25 %): system prompt 300, tools 1500, files 700"
        );
    }
}
