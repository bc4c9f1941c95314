//! Makes a conversation shorter when it comes near the end of the model's context, when the provider refuses it, or when the user asks.
//!
//! Invariant: the session changes only by one part, stored when the summary is complete. A compaction that fails or is cancelled
//! leaves it as it was.

use std::fmt::Write as _;
use std::sync::Arc;

use copydesk_model::{estimate_tokens, offline};

use super::SessionActor;
use super::summary::{SummaryFailure, WrittenSummary};
use crate::compaction::plan::{CompactionPlan, plan};
use crate::compaction::{BYTES_PER_TOKEN, context_use, rule_summary};
use crate::data::{CompactionPart, CompactionReason, NotePart, Part, PartContent, PartState, TurnEnd};
use crate::event::SessionEvent;
use crate::id::{Id, now};
use crate::store::StoreError;

/// A compaction that saves less of the window than one in so many is not worth its request, and would come again at once.
const MIN_SAVED_SHARE: u64 = 10;
/// What a summary may take of the window, for that estimate: one in so many.
const SUMMARY_SHARE: u64 = 50;
/// Fewer replaced tokens have nothing to sum up.
const MIN_REPLACED_TOKENS: u64 = 500;
/// How often a turn is made shorter because the provider refuses its requests.
const MAX_REFUSALS: usize = 3;

/// What came of a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CompactionOutcome {
    Compacted,
    /// There is nothing before the last step.
    NothingToReplace,
    Cancelled,
}

impl SessionActor {
    /// Before a request: leaves out old outputs if that pays, or makes the conversation shorter if it comes near the end of the
    /// context.
    pub(super) async fn make_room(&mut self) -> Result<(), StoreError> {
        let budget = self.context_budget();
        let used = self.used_tokens();
        self.tell_assumed_window(used).await;
        let is_pruned = self.prune_outputs(used).await?;
        if is_pruned || used <= budget.limit || !self.deps.compaction.is_automatic {
            return Ok(());
        }
        let Some(plan) = plan(&self.parts, budget) else { return Ok(()) };
        // A summary has some tokens, too.
        let saved = used.saturating_sub(self.tokens_after(&plan) + budget.window / SUMMARY_SHARE);
        if saved < budget.window / MIN_SAVED_SHARE {
            return Ok(());
        }
        self.compact_by(plan, CompactionReason::Full, "", Id::new()).await.map(drop)
    }

    /// `words` are the user's, for the summary.
    pub(super) async fn compact(
        &mut self,
        reason: CompactionReason,
        words: &str,
        id: Id,
    ) -> Result<CompactionOutcome, StoreError> {
        let mut budget = self.context_budget();
        if reason == CompactionReason::Refused {
            // The window is smaller than the catalogue or the user says.
            let used = self.used_tokens();
            budget = self.budget_of(budget.window.min(used));
        }
        let Some(plan) = plan(&self.parts, budget) else { return Ok(CompactionOutcome::NothingToReplace) };
        if reason == CompactionReason::Asked && self.replaced_tokens(&plan) < MIN_REPLACED_TOKENS {
            return Ok(CompactionOutcome::NothingToReplace);
        }
        self.compact_by(plan, reason, words, id).await
    }

    /// The turn of a prompt that is `/compact`. The compaction's part has the prompt's id.
    pub(super) async fn run_compaction(&mut self, id: Id, words: &str) -> Result<TurnEnd, StoreError> {
        let nothing =
            || "There is nothing to make shorter: the conversation is short enough to be kept word for word.";
        Ok(match self.compact(CompactionReason::Asked, words, id).await? {
            CompactionOutcome::Compacted => TurnEnd::Done,
            CompactionOutcome::Cancelled => TurnEnd::Cancelled,
            CompactionOutcome::NothingToReplace => TurnEnd::Failed { message: nothing().to_owned() },
        })
    }

    async fn compact_by(
        &mut self,
        plan: CompactionPlan,
        reason: CompactionReason,
        words: &str,
        id: Id,
    ) -> Result<CompactionOutcome, StoreError> {
        let tokens_before = self.used_tokens();
        let replaced_tokens = self.replaced_tokens(&plan);
        let mut compaction = CompactionPart {
            reason,
            summary: String::new(),
            state: String::new(),
            model: None,
            failure: None,
            kept_from: plan.kept_from.clone(),
            prompts: plan.prompts.clone(),
            max_prompt_bytes: Some(plan.max_prompt_bytes),
            max_output_bytes: plan.max_output_bytes,
            tokens_before,
            tokens_after: 0,
            window: self.learned_window(),
            usage: copydesk_model::TokenUsage::default(),
            cost: None,
        };
        let content = PartContent::Compaction(Box::new(compaction.clone()));
        let part = Part { id, ..self.new_part(PartState::Running, content) };
        self.emit(SessionEvent::PartChanged { part: Arc::new(part.clone()) }).await;
        tracing::info!(?reason, tokens_before, "compaction began");
        // A request that was refused as too long would be refused again.
        let written = match reason {
            CompactionReason::Refused => Err(SummaryFailure::Unusable(String::new())),
            _ if self.deps.model.provider().id == offline::ID => Err(SummaryFailure::Unusable(String::new())),
            // Only outputs are cut.
            _ if replaced_tokens < MIN_REPLACED_TOKENS => Err(SummaryFailure::Unusable(String::new())),
            _ => {
                let left_out = self.left_out_prompts(&plan).len();
                self.ask_for_summary(words, left_out, replaced_tokens).await
            }
        };
        match written {
            Err(SummaryFailure::Cancelled) => {
                self.emit(SessionEvent::PartDiscarded { part: part.id }).await;
                return Ok(CompactionOutcome::Cancelled);
            }
            Ok(WrittenSummary { text, model, usage, cost }) => {
                compaction.model = Some(model);
                (compaction.summary, compaction.usage, compaction.cost) = (text, usage, cost);
            }
            Err(SummaryFailure::Unusable(why)) => {
                compaction.failure = Some(why).filter(|why| !why.is_empty());
                compaction.summary = self.summary_by_rule(&plan);
            }
        }
        compaction.state = self.state_for_summary();
        compaction.tokens_after = self.tokens_after(&plan) + estimate_tokens(&compaction.note());
        tracing::info!(
            by_model = compaction.model.is_some(),
            tokens_after = compaction.tokens_after,
            "compaction ended"
        );
        // Nested instructions may have been replaced: they are told again where the model reads next.
        self.told_instructions.clear();
        let content = PartContent::Compaction(Box::new(compaction));
        self.store_part(Part { content, state: PartState::Completed, updated: now(), ..part }).await?;
        Ok(CompactionOutcome::Compacted)
    }

    fn replaced_tokens(&self, plan: &CompactionPlan) -> u64 {
        let replaced = self.parts.get(plan.replaced.clone()).unwrap_or_default();
        replaced.iter().map(|part| context_use::tokens_of(part)).sum()
    }

    /// The prompts of the whole past that the model does not read any more.
    fn left_out_prompts(&self, plan: &CompactionPlan) -> Vec<&Part> {
        let before = self.parts.get(..plan.replaced.end).unwrap_or_default();
        let is_left_out =
            |part: &&Part| matches!(part.content, PartContent::Prompt(_)) && !plan.prompts.contains(&part.id);
        before.iter().map(Arc::as_ref).filter(is_left_out).collect()
    }

    fn summary_by_rule(&self, plan: &CompactionPlan) -> String {
        let before = self.parts.get(..plan.replaced.end).unwrap_or_default();
        let earlier = before.iter().rev().find_map(|part| match &part.content {
            PartContent::Compaction(compaction) => Some(compaction.summary.as_str()),
            _ => None,
        });
        let replaced = self.parts.get(plan.replaced.clone()).unwrap_or_default();
        rule_summary::summarize(earlier, &self.left_out_prompts(plan), replaced)
    }

    /// What the program knows better than a summary.
    fn state_for_summary(&self) -> String {
        let mut state = String::new();
        if let Some(todos) = self.todos.text() {
            let _ = writeln!(state, "The to-do list, {todos}");
        }
        let owner = self.deps.parent.as_ref().map(|above| above.owner.session.as_str());
        let session = owner.unwrap_or(self.deps.session.id.as_str());
        let undecided = self.deps.files.reviews().list_reviews(session, None, 0);
        let files: Vec<_> = undecided.iter().map(|review| review.display_path.as_str()).collect();
        if !files.is_empty() {
            let _ = writeln!(state, "The user has not decided all of your changes in: {}", files.join(", "));
        }
        for job in self.deps.processes.jobs().iter().filter(|job| job.exit.is_none()) {
            let _ = writeln!(state, "Background job {} runs: {}", job.id, job.script);
        }
        state.trim_end().to_owned()
    }

    /// Estimates the request after a compaction, without the summary.
    fn tokens_after(&self, plan: &CompactionPlan) -> u64 {
        let tokens = |bytes: usize| bytes as u64 / BYTES_PER_TOKEN;
        let most = plan.max_output_bytes.map_or(u64::MAX, tokens);
        let kept = self.parts.get(plan.replaced.end..).unwrap_or_default().iter().map(|part| {
            let is_call = matches!(part.content, PartContent::Call(_));
            context_use::tokens_of(part).min(if is_call { most } else { u64::MAX })
        });
        let is_kept = |part: &&Arc<Part>| plan.prompts.contains(&part.id);
        let prompts = self.parts.iter().filter(is_kept);
        let prompts = prompts.map(|part| context_use::tokens_of(part).min(tokens(plan.max_prompt_bytes)));
        self.meter.fixed_tokens() + kept.sum::<u64>() + prompts.sum::<u64>()
    }

    /// The provider refused a request as too long, or had no room for all of the response. False if the conversation is not made
    /// shorter.
    pub(super) async fn compact_refused(&mut self, was_cut_off: bool) -> Result<bool, StoreError> {
        let is_again = self.refused_steps.last().is_some_and(|step| step + 1 == self.step);
        if !self.deps.compaction.is_automatic || is_again || self.refused_steps.len() >= MAX_REFUSALS {
            return Ok(false);
        }
        self.refused_steps.push(self.step);
        let outcome = self.compact(CompactionReason::Refused, "", Id::new()).await?;
        if was_cut_off {
            let text = "Your response was cut off at the end of the context. Go on from there.".to_owned();
            let note = PartContent::Note(NotePart { text });
            self.store_part(self.new_part(PartState::Completed, note)).await?;
        }
        Ok(outcome == CompactionOutcome::Compacted)
    }

    /// What the user reads when no compaction helps.
    pub(super) fn full_context_message(&self) -> String {
        let (window, fixed) = (self.context_budget().window, self.meter.fixed_tokens());
        format!(
            "The conversation does not fit the context of {} ({window} tokens as far as known; the system prompt and the tools alone \
             take about {fixed}), and it was not made shorter. Try `/compact`, choose a model with a larger context, or begin a new session.",
            self.deps.model_name
        )
    }
}
