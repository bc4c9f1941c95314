//! From pieces to blocks: the part of rendering that all wires share.
//!
//! A plan lists each block once, whole, and then the order in which blocks open, grow and close, and where in that
//! order the stream waits or breaks. A wire only defines how each of these looks.

use super::failure::ScriptedError;
use super::turn::{ScriptedCall, ScriptedPiece, ScriptedReasoning, ScriptedTurn};

#[derive(Debug)]
pub(crate) struct StreamPlan {
    pub(crate) blocks: Vec<PlannedBlock>,
    pub(crate) beats: Vec<PlannedStep>,
}

#[derive(Clone, Debug)]
pub(crate) struct PlannedBlock {
    /// Its index in the message: Anthropic's index and Responses' output index.
    pub(crate) index: usize,
    pub(crate) kind: PlannedBlockKind,
    /// The concatenation of its deltas.
    pub(crate) content: String,
}

#[derive(Clone, Debug)]
pub(crate) enum PlannedBlockKind {
    Reasoning {
        signature: Option<String>,
    },
    /// Has no deltas.
    Redacted {
        data: String,
    },
    Text,
    Call {
        /// Its index among the calls of the message, which is Chat's index.
        call_index: usize,
        id: String,
        name: String,
        signature: Option<String>,
    },
}

/// Blocks are named by their index.
#[derive(Debug)]
pub(crate) enum PlannedStep {
    Open(usize),
    Delta(usize, String),
    Close(usize),
    Ping,
    Raw(Vec<u8>),
    Malformed,
    Gate(String),
    /// Each of these is last.
    Finish,
    Error(ScriptedError),
    Stall(String),
    Reset,
    End,
    Truncated,
    Endless(usize),
}

impl StreamPlan {
    pub(crate) fn new(turn: &ScriptedTurn, interleave: bool) -> Self {
        let mut planner =
            StreamPlanner { chunk: turn.chunk, blocks: Vec::new(), beats: Vec::new(), open: None };
        let mut pieces = turn.pieces.as_slice();
        while let [piece, rest @ ..] = pieces {
            let calls = pieces.iter().take_while(|piece| matches!(piece, ScriptedPiece::Call(_))).count();
            if interleave && calls > 1 {
                let (group, rest) = pieces.split_at(calls);
                planner.interleaved(group);
                pieces = rest;
            } else {
                planner.piece(piece, rest);
                pieces = rest;
            }
        }
        if !turn.pieces.last().is_some_and(ScriptedPiece::is_last) {
            planner.close();
            planner.beats.push(PlannedStep::Finish);
        }
        Self { blocks: planner.blocks, beats: planner.beats }
    }

    pub(crate) fn has_calls(&self) -> bool {
        self.blocks.iter().any(|block| matches!(block.kind, PlannedBlockKind::Call { .. }))
    }
}

struct StreamPlanner {
    chunk: usize,
    blocks: Vec<PlannedBlock>,
    beats: Vec<PlannedStep>,
    open: Option<usize>,
}

impl StreamPlanner {
    fn piece(&mut self, piece: &ScriptedPiece, rest: &[ScriptedPiece]) {
        match piece {
            ScriptedPiece::Reasoning(reasoning) => self.reasoning(reasoning),
            ScriptedPiece::Text(text) => {
                self.text_block();
                self.grow(text);
            }
            ScriptedPiece::Chunks(chunks) => {
                let block = self.text_block();
                for chunk in chunks {
                    self.delta(block, chunk.clone());
                }
            }
            ScriptedPiece::Call(call) => {
                self.begin_call(call);
                self.grow(&arguments(call));
                self.close_call(rest);
            }
            ScriptedPiece::Arguments(text) => {
                self.grow(text);
                self.close_call(rest);
            }
            ScriptedPiece::Split => self.close(),
            ScriptedPiece::Gate(name) => self.beats.push(PlannedStep::Gate(name.clone())),
            ScriptedPiece::Ping => self.beats.push(PlannedStep::Ping),
            ScriptedPiece::Raw(bytes) => self.beats.push(PlannedStep::Raw(bytes.clone())),
            ScriptedPiece::Malformed => self.beats.push(PlannedStep::Malformed),
            ScriptedPiece::Error(fault) => self.beats.push(PlannedStep::Error(fault.clone())),
            ScriptedPiece::Reset => self.beats.push(PlannedStep::Reset),
            ScriptedPiece::End => self.beats.push(PlannedStep::End),
            ScriptedPiece::Truncated => self.beats.push(PlannedStep::Truncated),
            ScriptedPiece::Stall(name) => self.beats.push(PlannedStep::Stall(name.clone())),
            ScriptedPiece::Endless => {
                let block = self.text_block();
                self.beats.push(PlannedStep::Endless(block));
            }
        }
    }

    fn reasoning(&mut self, reasoning: &ScriptedReasoning) {
        if let Some(data) = &reasoning.redacted {
            self.begin(PlannedBlockKind::Redacted { data: data.clone() });
            self.close();
            return;
        }
        if !self.is_open(|kind| matches!(kind, PlannedBlockKind::Reasoning { .. })) {
            self.begin(PlannedBlockKind::Reasoning { signature: None });
        }
        self.grow(&reasoning.text);
        if reasoning.signature.is_some() {
            if let Some(PlannedBlock { kind: PlannedBlockKind::Reasoning { signature }, .. }) =
                self.blocks.last_mut()
            {
                signature.clone_from(&reasoning.signature);
            }
            self.close();
        }
    }

    /// Calls that begin one after another and then grow in turns.
    fn interleaved(&mut self, group: &[ScriptedPiece]) {
        let mut streams = Vec::new();
        for piece in group {
            if let ScriptedPiece::Call(call) = piece {
                let block = self.begin_call(call);
                self.open = None;
                streams.push((block, chunks(&arguments(call), self.chunk).into_iter()));
            }
        }
        let blocks: Vec<usize> = streams.iter().map(|(block, _)| *block).collect();
        while !streams.is_empty() {
            streams.retain_mut(|(block, chunks)| match chunks.next() {
                Some(chunk) => {
                    self.delta(*block, chunk);
                    true
                }
                None => false,
            });
        }
        self.beats.extend(blocks.into_iter().map(PlannedStep::Close));
    }

    fn begin_call(&mut self, call: &ScriptedCall) -> usize {
        let call_index =
            self.blocks.iter().filter(|block| matches!(block.kind, PlannedBlockKind::Call { .. })).count();
        self.begin(PlannedBlockKind::Call {
            call_index,
            id: call.id.clone(),
            name: call.name.clone(),
            signature: call.signature.clone(),
        })
    }

    /// Closes a call as soon as its arguments are complete, because clients act on that, unless a fault is to cut it.
    fn close_call(&mut self, rest: &[ScriptedPiece]) {
        let next = rest
            .iter()
            .find(|piece| piece.is_content() || piece.is_last() || matches!(piece, ScriptedPiece::Split));
        if !next.is_some_and(|piece| piece.is_last() || matches!(piece, ScriptedPiece::Arguments(_))) {
            self.close();
        }
    }

    fn text_block(&mut self) -> usize {
        match self.open {
            Some(block) if self.is_open(|kind| matches!(kind, PlannedBlockKind::Text)) => block,
            _ => self.begin(PlannedBlockKind::Text),
        }
    }

    fn is_open(&self, wanted: impl Fn(&PlannedBlockKind) -> bool) -> bool {
        self.open.and_then(|block| self.blocks.get(block)).is_some_and(|block| wanted(&block.kind))
    }

    fn begin(&mut self, kind: PlannedBlockKind) -> usize {
        self.close();
        let index = self.blocks.len();
        self.blocks.push(PlannedBlock { index, kind, content: String::new() });
        self.beats.push(PlannedStep::Open(index));
        self.open = Some(index);
        index
    }

    fn grow(&mut self, text: &str) {
        let block = self.open.expect("a block is open: Turn::check let no stray arguments through");
        for chunk in chunks(text, self.chunk) {
            self.delta(block, chunk);
        }
    }

    fn delta(&mut self, block: usize, text: String) {
        self.blocks[block].content.push_str(&text);
        self.beats.push(PlannedStep::Delta(block, text));
    }

    fn close(&mut self) {
        self.beats.extend(self.open.take().map(PlannedStep::Close));
    }
}

fn arguments(call: &ScriptedCall) -> String {
    call.raw.clone().unwrap_or_else(|| call.arguments.to_string())
}

/// Chunks of `size` characters; the last may be shorter.
fn chunks(text: &str, size: usize) -> Vec<String> {
    let mut characters = text.chars();
    std::iter::from_fn(|| {
        let chunk: String = characters.by_ref().take(size).collect();
        (!chunk.is_empty()).then_some(chunk)
    })
    .collect()
}
