//! What was done to the model's view of a conversation, in a line.

use copydesk_protocol::part::{CompactionInfo, PartStateInfo, PruningInfo};

use super::text_view::is_settled;

pub(super) fn compaction_line(compaction: &CompactionInfo, state: &PartStateInfo) -> String {
    if !is_settled(state) {
        return format!("making the conversation shorter, of about {} tokens", compaction.tokens_before);
    }
    let (before, after) = (compaction.tokens_before, compaction.tokens_after);
    let failure = compaction.failure.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
    let author =
        compaction.model.as_ref().map_or_else(|| "by rule".to_owned(), |model| format!("by {model}"));
    format!("the conversation was summed up {author}: about {before} tokens are now {after}{failure}")
}

pub(super) fn pruning_line(pruning: PruningInfo) -> String {
    let PruningInfo { outputs, tokens_before: before, tokens_after: after } = pruning;
    format!("{outputs} old outputs were left out: about {before} tokens are now {after}")
}
