//! Measures how full the model's context is: what the provider counted last, and an estimate of what came since.
//!
//! Every part is counted once, so a request costs no more at the end of a long session than at its beginning.

use std::collections::HashMap;
use std::sync::Arc;

use copydesk_model::{ModelRequest, TokenUsage, ToolSpec, estimate_tokens};

use super::BYTES_PER_TOKEN;
use super::context_use::PartTokens;
use super::plan::kept_index;
use crate::data::{CompactionPart, ContextUse, Part, PartContent, PruningPart};

#[derive(Default)]
pub(crate) struct ContextMeter {
    /// One for each part that is counted, whether the model still reads it or not.
    counted: Vec<PartTokens>,
    /// The estimate of what the model reads now, without what every request has.
    live: ContextUse,
    /// The outputs of the current step: its request did not have them.
    step_outputs: u64,
    anchor: Option<CountedRequest>,
    fixed: Option<FixedTokens>,
    /// The system prompt or the tools are others than in the last request.
    is_prefix_new: bool,
}

/// A whole request as the provider counted it, and the estimate of the same parts.
#[derive(Debug, Clone, Copy)]
struct CountedRequest {
    counted: u64,
    estimated: u64,
}

/// What every request has.
struct FixedTokens {
    system: Vec<String>,
    tools: Vec<ToolSpec>,
    system_tokens: u64,
    tools_tokens: u64,
}

impl ContextMeter {
    /// Measures the system prompt and the tools, if they are others than before.
    pub(crate) fn set_request(&mut self, request: &ModelRequest) {
        let is_same = |fixed: &FixedTokens| fixed.system == request.system && fixed.tools == request.tools;
        if self.fixed.as_ref().is_some_and(is_same) {
            return;
        }
        self.is_prefix_new |= self.fixed.is_some();
        let tool = |tool: &ToolSpec| {
            estimate_tokens(&tool.parameters.to_string())
                + estimate_tokens(&tool.description)
                + estimate_tokens(&tool.name)
        };
        self.fixed = Some(FixedTokens {
            system: request.system.clone(),
            tools: request.tools.clone(),
            system_tokens: request.system.iter().map(|block| estimate_tokens(block)).sum(),
            tools_tokens: request.tools.iter().map(tool).sum(),
        });
    }

    pub(crate) fn has_request(&self) -> bool {
        self.fixed.is_some()
    }

    /// The next request has another system prompt, or other tools.
    pub(crate) fn forget_request(&mut self) {
        self.is_prefix_new |= self.fixed.take().is_some();
    }

    /// Whether the provider has cached nothing that the next request begins with.
    pub(crate) fn is_prefix_new(&self) -> bool {
        self.is_prefix_new
    }

    /// A request is sent.
    pub(crate) fn note_request(&mut self) {
        self.is_prefix_new = false;
    }

    /// The tokens of the system prompt and the tools.
    pub(crate) fn fixed_tokens(&self) -> u64 {
        self.fixed.as_ref().map_or(0, |fixed| fixed.system_tokens + fixed.tools_tokens)
    }

    /// Counts the parts that are new. `parts` is the whole session, and all of them are settled.
    pub(crate) fn update(&mut self, parts: &[Arc<Part>]) {
        if self.counted.len() > parts.len() {
            *self = Self { fixed: self.fixed.take(), ..Self::default() };
        }
        for (at, part) in parts.iter().enumerate().skip(self.counted.len()) {
            let tokens = PartTokens::of(part);
            self.counted.push(tokens);
            match &part.content {
                PartContent::Compaction(compaction) => self.compact(compaction, parts, at),
                PartContent::Pruning(pruning) => self.prune(pruning, parts),
                PartContent::StepStart { .. } => self.step_outputs = 0,
                // Some local servers count nothing.
                PartContent::StepFinish(finish) if finish.usage.prompt_tokens() > 0 => {
                    self.anchor = Some(CountedRequest {
                        counted: finish.usage.prompt_tokens().saturating_add(finish.usage.output),
                        estimated: self.live.total().saturating_sub(self.step_outputs),
                    });
                }
                _ => self.add(tokens, u64::MAX),
            }
        }
    }

    fn add(&mut self, tokens: PartTokens, most_output: u64) {
        let output = tokens.output.min(most_output);
        self.live.conversation += tokens.conversation;
        self.live.files += tokens.attached;
        *(if tokens.is_file { &mut self.live.files } else { &mut self.live.outputs }) += output;
        self.step_outputs += output;
    }

    fn compact(&mut self, compaction: &CompactionPart, parts: &[Arc<Part>], at: usize) {
        let tokens = |bytes: Option<usize>| bytes.map_or(u64::MAX, |bytes| bytes as u64 / BYTES_PER_TOKEN);
        let before = parts.get(..at).unwrap_or_default();
        let kept = kept_index(before, compaction).unwrap_or(at);
        let prompts = before.iter().zip(&self.counted).take(kept);
        let prompts = prompts.filter(|(part, _)| compaction.prompts.contains(&part.id));
        let most = tokens(compaction.max_prompt_bytes);
        let conversation = prompts.map(|(_, tokens)| tokens.total().min(most)).sum();
        let summary = estimate_tokens(&compaction.note());
        self.live = ContextUse { conversation, summary, ..ContextUse::default() };
        let most = tokens(compaction.max_output_bytes);
        for tokens in self.counted.get(kept..at).unwrap_or_default().to_vec() {
            self.add(tokens, most);
        }
        self.anchor = Some(CountedRequest { counted: compaction.tokens_after, estimated: self.live.total() });
    }

    fn prune(&mut self, pruning: &PruningPart, parts: &[Arc<Part>]) {
        let notes: HashMap<_, _> =
            pruning.outputs.iter().map(|output| (&output.call, estimate_tokens(&output.note))).collect();
        for (part, tokens) in parts.iter().zip(&mut self.counted) {
            let Some(note) = notes.get(&part.id) else { continue };
            let saved = std::mem::replace(&mut tokens.output, *note).saturating_sub(*note);
            let share = if tokens.is_file { &mut self.live.files } else { &mut self.live.outputs };
            *share = share.saturating_sub(saved);
        }
    }

    /// The tokens of each part that is counted; of an output that was left out, those of its note.
    pub(crate) fn counted(&self) -> &[PartTokens] {
        &self.counted
    }

    /// What the next request has.
    pub(crate) fn measure(&self, window: u64) -> ContextUse {
        let fixed = self.fixed.as_ref();
        let system = fixed.map_or(0, |fixed| fixed.system_tokens);
        let tools = fixed.map_or(0, |fixed| fixed.tools_tokens);
        let estimated = ContextUse { window, system, tools, ..self.live };
        let Some(anchor) = self.anchor else { return estimated };
        let total = (anchor.counted + self.live.total()).saturating_sub(anchor.estimated);
        scale(estimated, total)
    }
}

/// What a request had, as the provider counted it, with its response.
pub(crate) fn with_response(request: ContextUse, usage: TokenUsage) -> ContextUse {
    let counted = usage.prompt_tokens();
    let scaled = if counted > 0 { scale(request, counted) } else { request };
    ContextUse { conversation: scaled.conversation + usage.output, ..scaled }
}

/// The same shares of another sum.
fn scale(shares: ContextUse, total: u64) -> ContextUse {
    let estimated = shares.total().max(1);
    let part = |tokens: u64| {
        let scaled = u128::from(tokens) * u128::from(total) / u128::from(estimated);
        u64::try_from(scaled).unwrap_or(u64::MAX)
    };
    let scaled = ContextUse {
        window: shares.window,
        system: part(shares.system),
        tools: part(shares.tools),
        files: part(shares.files),
        outputs: part(shares.outputs),
        conversation: part(shares.conversation),
        summary: part(shares.summary),
    };
    // What rounding lost.
    let rest = total.saturating_sub(scaled.total());
    ContextUse { conversation: scaled.conversation + rest, ..scaled }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compaction::sample_parts::SampleSession;

    fn measured(meter: &mut ContextMeter, session: &SampleSession) -> ContextUse {
        meter.update(&session.parts);
        meter.measure(1_000)
    }

    fn request() -> ModelRequest {
        ModelRequest { system: vec!["one two three".into()], ..ModelRequest::default() }
    }

    #[test]
    fn what_the_provider_counts_is_the_sum_and_the_estimate_makes_the_shares() {
        let mut meter = ContextMeter::default();
        meter.set_request(&request());
        let mut session = SampleSession::default();
        session.prompt("four words are here");
        let context = measured(&mut meter, &session);
        assert_eq!((context.system, context.conversation, context.total()), (4, 5, 9));
        session.step();
        session.call("read", "{}", "a file of some words");
        session.call("bash", "{}", "its output");
        session.finish(1_000, 20);
        // The outputs were not in the request that was counted.
        let outputs = ["a file of some words", "its output"].map(estimate_tokens).iter().sum::<u64>();
        let context = measured(&mut meter, &session);
        assert_eq!(context.total(), 1_020 + outputs);
        assert!(context.files > context.outputs && context.outputs > 0, "{context:?}");
        // A server that counts nothing leaves the older count, and the estimate goes on.
        session.step();
        session.finish(0, 0);
        session.prompt("more");
        assert_eq!(measured(&mut meter, &session).total(), 1_020 + outputs + estimate_tokens("more"));
    }

    #[test]
    fn it_does_not_matter_how_often_it_was_measured() {
        let mut session = SampleSession::default();
        let mut often = ContextMeter::default();
        for turn in 0..10_u64 {
            session.prompt("a prompt of some words");
            session.step();
            session.call("read", "{}", &"word ".repeat(50));
            session.finish(500 * turn, 10);
            often.update(&session.parts);
            if turn == 6 {
                session.compaction(9, 700);
            }
        }
        let mut once = ContextMeter::default();
        let (often, once) = (measured(&mut often, &session), measured(&mut once, &session));
        assert_eq!(often, once);
        assert!(once.summary > 0, "{once:?}");
    }

    #[test]
    fn the_response_belongs_to_the_conversation() {
        let request = ContextUse { system: 100, files: 300, conversation: 100, ..ContextUse::default() };
        let usage = TokenUsage { input: 1_000, output: 50, ..TokenUsage::default() };
        let context = with_response(request, usage);
        assert_eq!((context.system, context.files, context.conversation), (200, 600, 250));
    }
}
