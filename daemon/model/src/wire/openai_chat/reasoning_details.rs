//! `reasoning_details`: reasoning blocks that arrive in pieces and are echoed whole.
//!
//! A piece belongs to the block with its index and type, or to the last block if neither has an index. Texts
//! are joined; any other field keeps its last value. Encrypted blocks arrive whole, several under one index,
//! and stay separate.

use serde_json::{Map, Value};

use crate::response_builder::{PART_OVERHEAD, ResponseBuilder, StreamFault};

#[derive(Debug, Default)]
pub(super) struct ChatReasoningDetails {
    blocks: Vec<Map<String, Value>>,
}

impl ChatReasoningDetails {
    pub(super) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    pub(super) fn blocks(&self) -> &[Map<String, Value>] {
        &self.blocks
    }

    pub(super) fn push(
        &mut self,
        piece: Map<String, Value>,
        answer: &mut ResponseBuilder,
    ) -> Result<(), StreamFault> {
        let same = |block: &&mut Map<String, Value>| {
            block.get("type") == piece.get("type")
                && block.get("index") == piece.get("index")
                && !piece.contains_key("data")
        };
        let joins = |key: &str| matches!(key, "text" | "summary");
        let size: usize = piece.values().filter_map(Value::as_str).map(str::len).sum();
        answer.count_bytes(size)?;
        let Some(block) = self.blocks.iter_mut().rev().find(same) else {
            answer.count_bytes(PART_OVERHEAD)?;
            self.blocks.push(piece);
            return Ok(());
        };
        for (key, value) in piece {
            match (block.get_mut(&key), value) {
                (Some(Value::String(text)), Value::String(more)) if joins(&key) => text.push_str(&more),
                (_, Value::Null) => {}
                (_, value) => {
                    block.insert(key, value);
                }
            }
        }
        Ok(())
    }
}
