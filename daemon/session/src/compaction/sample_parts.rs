//! Sessions for the tests of this folder.

use std::sync::Arc;

use copydesk_model::{FinishReason, TextPart, TokenUsage};

use crate::data::{
    CallOutput, CallPart, CompactionPart, CompactionReason, Part, PartContent, PartState, PromptPart,
    StepFinishPart,
};
use crate::id::Id;

#[derive(Debug, Default)]
pub(crate) struct SampleSession {
    pub(crate) parts: Vec<Arc<Part>>,
    turn: u32,
    step: u32,
}

impl SampleSession {
    /// The id is the number of the part.
    pub(crate) fn add(&mut self, content: PartContent) -> Id {
        let id = Id::from(self.parts.len().to_string().as_str());
        let part = Part {
            id: id.clone(),
            session: Id::from("s"),
            turn: self.turn,
            step: self.step,
            created: 0,
            updated: 0,
            state: PartState::Completed,
            content,
        };
        self.parts.push(Arc::new(part));
        id
    }

    /// Begins a turn.
    pub(crate) fn prompt(&mut self, text: &str) {
        (self.turn, self.step) = (self.turn + 1, 0);
        self.add(PartContent::Prompt(PromptPart { text: text.into(), steers: false, context: Vec::new() }));
    }

    pub(crate) fn step(&mut self) {
        self.step += 1;
        self.add(PartContent::StepStart { model: "p/m".into() });
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.add(PartContent::Text(TextPart { text: text.into(), echo: None }));
    }

    pub(crate) fn call(&mut self, name: &str, arguments: &str, output: &str) -> Id {
        self.add_call(name, arguments, CallOutput { output: output.into(), ..CallOutput::default() })
    }

    pub(crate) fn add_call(&mut self, name: &str, arguments: &str, output: CallOutput) -> Id {
        self.add(PartContent::Call(CallPart {
            call: "c".into(),
            name: name.into(),
            arguments: arguments.into(),
            echo: None,
            parent: None,
            output: Some(Box::new(output)),
        }))
    }

    pub(crate) fn finish(&mut self, input: u64, output: u64) {
        let usage = TokenUsage { input, output, ..TokenUsage::default() };
        self.add(PartContent::StepFinish(StepFinishPart {
            stop: FinishReason::End,
            usage,
            cost: None,
            context: None,
        }));
    }

    /// Keeps the parts from this number on.
    pub(crate) fn compaction(&mut self, kept_from: usize, tokens_after: u64) {
        self.add(PartContent::Compaction(Box::new(CompactionPart {
            reason: CompactionReason::Full,
            summary: "What was before.".into(),
            state: String::new(),
            model: None,
            failure: None,
            kept_from: self.parts.get(kept_from).map(|part| part.id.clone()),
            prompts: Vec::new(),
            max_prompt_bytes: None,
            max_output_bytes: None,
            tokens_before: 0,
            tokens_after,
            window: None,
            usage: TokenUsage::default(),
            cost: None,
        })));
    }
}
