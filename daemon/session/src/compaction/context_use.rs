//! About how many tokens a part adds to a request, and to which share of the context.

use copydesk_model::{MediaPart, estimate_tokens};

use crate::data::{CallPart, Part, PartContent, PromptContext};

/// An image or a page, whatever its size: vendors count 250 to 1,600.
const MEDIA_TOKENS: u64 = 1_500;
/// The tool whose outputs count as files.
pub(crate) const READ_TOOL: &str = "read";

/// What one part adds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PartTokens {
    /// What the user, the daemon and the model wrote.
    pub(crate) conversation: u64,
    /// What came with a prompt.
    pub(crate) attached: u64,
    pub(crate) output: u64,
    /// The output is the content of a file.
    pub(crate) is_file: bool,
}

impl PartTokens {
    pub(crate) fn of(part: &Part) -> Self {
        let said = |text: &str| Self { conversation: estimate_tokens(text), ..Self::default() };
        match &part.content {
            PartContent::Prompt(prompt) => {
                let piece = |piece: &PromptContext| {
                    let text = piece.text.as_deref().map_or(0, estimate_tokens);
                    text + estimate_tokens(&piece.name)
                };
                Self { attached: prompt.context.iter().map(piece).sum(), ..said(&prompt.text) }
            }
            PartContent::File(_) => Self { attached: MEDIA_TOKENS, ..Self::default() },
            PartContent::Text(text) => said(&text.text),
            PartContent::Reasoning(reasoning) => said(&reasoning.text),
            PartContent::Note(note) => said(&note.text),
            PartContent::Call(CallPart { parent: Some(_), .. }) => Self::default(),
            PartContent::Call(call) => Self {
                conversation: estimate_tokens(&call.name) + estimate_tokens(&call.arguments),
                attached: 0,
                output: output_of(call),
                is_file: call.name == READ_TOOL,
            },
            PartContent::Compaction(_)
            | PartContent::Pruning(_)
            | PartContent::StepStart { .. }
            | PartContent::StepFinish(_)
            | PartContent::Retry { .. }
            | PartContent::TurnEnd(_) => Self::default(),
        }
    }

    pub(crate) fn total(self) -> u64 {
        self.conversation + self.attached + self.output
    }
}

/// What a part adds to a request, about.
pub(crate) fn tokens_of(part: &Part) -> u64 {
    PartTokens::of(part).total()
}

fn output_of(call: &CallPart) -> u64 {
    let Some(output) = &call.output else { return 0 };
    let media = |media: &Vec<MediaPart>| media.len() as u64 * MEDIA_TOKENS;
    estimate_tokens(&output.output) + media(&output.media)
}
