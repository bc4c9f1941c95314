//! Counts, since the daemon started, which matching tier located agents' edits, from the metadata of their
//! calls.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use copydesk_protocol::daemon::MatchTierCount;
use copydesk_protocol::metadata::CallDetail;
use copydesk_session::{Part, PartContent, PartState};

/// More than the tiers that exist: a cap on what a tool's metadata can add.
const MAX_TIERS: usize = 64;

#[derive(Debug, Default)]
pub(super) struct MatchTierCounts(Mutex<BTreeMap<String, u64>>);

impl MatchTierCounts {
    /// The most frequent first.
    pub(super) fn counts(&self) -> Vec<MatchTierCount> {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = |(tier, count): (&String, &u64)| MatchTierCount { tier: tier.clone(), count: *count };
        let mut counts: Vec<_> = counts.iter().map(count).collect();
        counts.sort_by_key(|counted| std::cmp::Reverse(counted.count));
        counts
    }

    /// Called once for each part with its output.
    pub(super) fn count(&self, part: &Part) {
        let PartContent::Call(call) = &part.content else { return };
        let output = call.output.as_ref().filter(|_| part.state == PartState::Completed);
        let Some(CallDetail::Edit(edit)) = output.map(|output| &*output.metadata.detail) else { return };
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (tier, count) in edit.tiers().into_iter().flatten() {
            if counts.len() < MAX_TIERS || counts.contains_key(tier) {
                let sum = counts.entry(tier.clone()).or_default();
                *sum = sum.saturating_add(*count);
            }
        }
    }
}
