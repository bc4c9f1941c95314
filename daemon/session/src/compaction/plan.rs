//! Which parts of a conversation a compaction replaces. Pure.
//!
//! Invariant: what is kept begins with a prompt or with a step, so no call is separated from its result.

use std::sync::Arc;

use super::context_use::tokens_of;
use super::{BYTES_PER_TOKEN, ContextBudget};
use crate::data::{CallPart, CompactionPart, Part, PartContent};
use crate::id::Id;

/// A cut output keeps at least this.
const MIN_OUTPUT_BYTES: u64 = 400;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CompactionPlan {
    pub(crate) kept_from: Option<Id>,
    pub(crate) prompts: Vec<Id>,
    pub(crate) max_prompt_bytes: usize,
    pub(crate) max_output_bytes: Option<usize>,
    /// The replaced parts: indices into all parts.
    pub(crate) replaced: std::ops::Range<usize>,
}

/// `None` if there is nothing to replace. `parts` is the whole session.
pub(crate) fn plan(parts: &[Arc<Part>], budget: ContextBudget) -> Option<CompactionPlan> {
    let live = first_live(parts);
    let (at, max_output_bytes) = first_kept(parts, live, budget);
    let is_said = |part: &Arc<Part>| matches!(part.content, PartContent::Text(_) | PartContent::Call(_));
    // Outputs can be cut even if nothing is replaced.
    if max_output_bytes.is_none() && !parts.get(live..at)?.iter().any(is_said) {
        return None;
    }
    let max_prompt = budget.prompts() / 2;
    Some(CompactionPlan {
        kept_from: parts.get(at).map(|part| part.id.clone()),
        prompts: kept_prompts(parts.get(..at)?, budget.prompts(), max_prompt),
        max_prompt_bytes: usize::try_from(max_prompt * BYTES_PER_TOKEN).unwrap_or(usize::MAX),
        max_output_bytes,
        replaced: live..at,
    })
}

/// The first part that the model reads word for word now.
pub(crate) fn first_live(parts: &[Arc<Part>]) -> usize {
    let Some(at) = last_compaction(parts) else { return 0 };
    match parts.get(at).map(|part| &part.content) {
        Some(PartContent::Compaction(compaction)) => kept_index(parts, compaction).unwrap_or(at),
        _ => at,
    }
}

fn last_compaction(parts: &[Arc<Part>]) -> Option<usize> {
    parts.iter().rposition(|part| matches!(part.content, PartContent::Compaction(_)))
}

/// Where the parts begin that a compaction kept.
pub(crate) fn kept_index(parts: &[Arc<Part>], compaction: &CompactionPart) -> Option<usize> {
    let kept = compaction.kept_from.as_ref()?;
    parts.iter().rposition(|part| part.id == *kept)
}

/// Where the parts begin that stay, and the cap of their outputs if they are too large.
fn first_kept(parts: &[Arc<Part>], live: usize, budget: ContextBudget) -> (usize, Option<usize>) {
    let mut kept = None;
    let (mut tokens, mut outputs) = (0_u64, 0_u64);
    // A request that was refused leaves a step in which nothing was said.
    let mut is_said = false;
    for (at, part) in parts.iter().enumerate().skip(live).rev() {
        tokens += tokens_of(part);
        let begins = match &part.content {
            PartContent::StepStart { .. } => std::mem::take(&mut is_said),
            PartContent::Prompt(prompt) => {
                is_said = false;
                !prompt.steers
            }
            PartContent::Call(CallPart { parent, .. }) => {
                is_said = true;
                outputs += u64::from(parent.is_none());
                false
            }
            PartContent::Text(_) | PartContent::Reasoning(_) => {
                is_said = true;
                false
            }
            _ => false,
        };
        if !begins {
            continue;
        }
        if tokens > budget.tail() {
            // At least the last step, or the prompt that none has answered.
            let cap = || (budget.tail() * BYTES_PER_TOKEN / outputs.max(1)).max(MIN_OUTPUT_BYTES);
            return kept.map_or_else(|| (at, usize::try_from(cap()).ok()), |kept| (kept, None));
        }
        kept = Some(at);
    }
    (kept.unwrap_or(parts.len()), None)
}

/// The newest prompts that fit, in their order. Each counts with no more than `most` tokens, to which it is cut.
fn kept_prompts(parts: &[Arc<Part>], budget: u64, most: u64) -> Vec<Id> {
    let mut left = budget;
    let mut kept = Vec::new();
    for part in parts.iter().rev().filter(|part| matches!(part.content, PartContent::Prompt(_))) {
        let Some(rest) = left.checked_sub(tokens_of(part).min(most)) else { break };
        left = rest;
        kept.push(part.id.clone());
    }
    kept.reverse();
    kept
}

#[cfg(test)]
mod tests {
    use copydesk_model::{TextPart, TokenUsage};
    use proptest::prelude::*;

    use super::*;
    use crate::data::{CallOutput, CompactionReason, PartState, PromptPart};

    /// A step writes a text, and calls with outputs of so many words.
    #[derive(Debug, Clone)]
    enum Said {
        Prompt(usize),
        Step(Vec<usize>),
    }

    fn words(count: usize) -> String {
        "word ".repeat(count)
    }

    fn parts(said: &[Said]) -> Vec<Arc<Part>> {
        let mut parts = Vec::new();
        let mut add = |content| {
            let id = Id::from(parts.len().to_string().as_str());
            let session = Id::from("s");
            let state = PartState::Completed;
            let part = Part { id, session, turn: 1, step: 1, created: 0, updated: 0, state, content };
            parts.push(Arc::new(part));
        };
        for said in said {
            match said {
                Said::Prompt(count) => add(PartContent::Prompt(PromptPart {
                    text: words(*count),
                    steers: false,
                    context: Vec::new(),
                })),
                Said::Step(outputs) => {
                    add(PartContent::StepStart { model: "p/m".into() });
                    add(PartContent::Text(TextPart { text: words(3), echo: None }));
                    for count in outputs {
                        let output = CallOutput { output: words(*count), ..CallOutput::default() };
                        add(PartContent::Call(CallPart {
                            call: "c".into(),
                            name: "read".into(),
                            arguments: "{}".into(),
                            echo: None,
                            parent: None,
                            output: Some(Box::new(output)),
                        }));
                    }
                }
            }
        }
        parts
    }

    fn said() -> impl Strategy<Value = Vec<Said>> {
        let step = prop::collection::vec(0..1_500_usize, 0..4).prop_map(Said::Step);
        let prompt = (1..400_usize).prop_map(Said::Prompt);
        prop::collection::vec(prop_oneof![1 => prompt, 3 => step], 0..30)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Also if conversations are compacted again and again.
        #[test]
        fn what_is_kept_is_whole_and_small(said in said(), window in 4_000_u64..30_000) {
            let budget = ContextBudget::new(window, 1_000, None);
            let mut parts = parts(&said);
            for round in 0..3 {
                let Some(plan) = plan(&parts, budget) else { break };
                let at = plan.replaced.end;
                prop_assert!(at > plan.replaced.start || plan.max_output_bytes.is_some());
                let kept = &parts[at..];
                let begins = kept.first().is_none_or(|part| {
                    matches!(part.content, PartContent::StepStart { .. } | PartContent::Prompt(_))
                });
                prop_assert!(begins, "{:?}", kept.first());
                let tokens: u64 = kept.iter().map(|part| tokens_of(part)).sum();
                prop_assert!(tokens <= budget.tail() || plan.max_output_bytes.is_some());
                let most = budget.prompts() / 2;
                let of_prompts: u64 = parts
                    .iter()
                    .filter(|part| plan.prompts.contains(&part.id))
                    .map(|part| tokens_of(part).min(most))
                    .sum();
                prop_assert!(of_prompts <= budget.prompts());
                // Whatever its length, the newest prompt is not lost.
                let is_prompt = |part: &&Arc<Part>| matches!(part.content, PartContent::Prompt(_));
                let newest = parts.iter().rev().find(is_prompt).map(|part| &part.id);
                let is_kept = |id: &Id| plan.prompts.contains(id) || kept.iter().any(|part| part.id == *id);
                prop_assert!(newest.is_none_or(is_kept));
                let summary = CompactionPart {
                    reason: CompactionReason::Full,
                    summary: "Short.".into(),
                    state: String::new(),
                    model: None,
                    failure: None,
                    kept_from: plan.kept_from,
                    prompts: plan.prompts,
                    max_prompt_bytes: Some(plan.max_prompt_bytes),
                    max_output_bytes: plan.max_output_bytes,
                    tokens_before: 0,
                    tokens_after: 0,
                    window: None,
                    usage: TokenUsage::default(),
                    cost: None,
                };
                prop_assert_eq!(kept_index(&parts, &summary), (at < parts.len()).then_some(at));
                let id = Id::from(format!("compaction {round}").as_str());
                let content = PartContent::Compaction(Box::new(summary));
                let last = Part { id, content, ..Part::clone(&parts[0]) };
                parts.push(Arc::new(last));
            }
        }
    }
}
