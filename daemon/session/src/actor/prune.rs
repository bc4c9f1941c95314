//! Leaves old outputs of calls out of the next requests when that pays.
//!
//! Invariant: the session changes by one part, which says what the model reads instead. So the same parts give the same messages, and
//! what the provider has cached stays valid until the next pruning.

use copydesk_model::estimate_tokens;

use super::SessionActor;
use crate::compaction::plan::first_live;
use crate::compaction::pruning::{OldOutput, PromptCache, PruningSituation, choose_outputs, old_outputs};
use crate::compaction::pruning_note::{needs_file, pruning_note};
use crate::data::{PartContent, PartState, PrunedOutput, PruningPart};
use crate::id::now;
use crate::store::StoreError;
use crate::time_limits::PROMPT_CACHE_TTL;

/// Of a model whose prices are not known, in those of a token that is not cached.
const USUAL_CACHE: PromptCache = PromptCache::Warm { read: 0.1, write: 1.0 };

impl SessionActor {
    /// `used` are the tokens of the next request. Returns whether it will have fewer.
    pub(super) async fn prune_outputs(&mut self, used: u64) -> Result<bool, StoreError> {
        if !self.deps.compaction.prunes {
            return Ok(false);
        }
        let budget = self.context_budget();
        let live = first_live(&self.parts);
        let old = old_outputs(&self.parts, self.meter.counted(), live, budget);
        if old.is_empty() {
            return Ok(false);
        }
        let situation = PruningSituation { used, budget, cache: self.prompt_cache() };
        let behind = |at: usize| -> u64 {
            let counted = self.meter.counted().get(at..).unwrap_or_default();
            counted.iter().map(|tokens| tokens.total()).sum()
        };
        let chosen = choose_outputs(old, situation, behind);
        let mut pruning = PruningPart { outputs: Vec::new(), tokens_before: used, tokens_after: used };
        for old in chosen {
            let Some(output) = self.pruned_output(&old).await else { continue };
            let saved = old.tokens.saturating_sub(estimate_tokens(&output.note));
            pruning.tokens_after = pruning.tokens_after.saturating_sub(saved);
            pruning.outputs.push(output);
        }
        if pruning.outputs.is_empty() {
            return Ok(false);
        }
        tracing::info!(
            outputs = pruning.outputs.len(),
            tokens_before = used,
            tokens_after = pruning.tokens_after,
            is_cold = situation.cache == PromptCache::Cold,
            "outputs were left out"
        );
        let part = self.new_part(PartState::Completed, PartContent::Pruning(pruning));
        self.store_part(part).await?;
        Ok(true)
    }

    /// `None` if the output cannot be read again.
    async fn pruned_output(&self, old: &OldOutput) -> Option<PrunedOutput> {
        let part = self.parts.get(old.at)?;
        let PartContent::Call(call) = &part.content else { return None };
        let output = call.output.as_deref()?;
        let file = if needs_file(call, old.is_superseded) {
            Some(self.deps.tools.store_whole_output(&format!("old_{}", part.id), &output.output).await?)
        } else {
            None
        };
        let note = pruning_note(call, output, old.tokens, old.is_superseded, file.as_deref());
        Some(PrunedOutput { call: part.id.clone(), note })
    }

    /// What the provider has of the conversation: nothing after a rest, or if another model was asked last.
    fn prompt_cache(&self) -> PromptCache {
        let last = self.parts.iter().rev().find_map(|part| match &part.content {
            PartContent::StepStart { model } => Some((model, part.updated)),
            _ => None,
        });
        let is_warm = last.is_some_and(|(model, asked)| {
            let age = u128::from(now().saturating_sub(asked));
            *model == self.deps.model_name && age < PROMPT_CACHE_TTL.as_millis()
        });
        if !is_warm || self.meter.is_prefix_new() {
            return PromptCache::Cold;
        }
        match &self.deps.model.spec().cost {
            Some(prices) if prices.base.input > 0.0 => {
                let relative = |price: Option<f64>| price.map_or(1.0, |price| price / prices.base.input);
                PromptCache::Warm {
                    read: relative(prices.base.cache_read),
                    write: relative(prices.base.cache_write),
                }
            }
            _ => USUAL_CACHE,
        }
    }
}
