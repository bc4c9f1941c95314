//! From pieces to blocks: the part of rendering that is the same on every wire.
//!
//! A plan names each block once, whole, and then says in which order blocks open, grow and close, and
//! where in that order the stream waits or breaks. A wire only has to say how each of these reads.

use super::failure::Fault;
use super::turn::{Call, Piece, Reasoning, Turn};

#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) blocks: Vec<Block>,
    pub(crate) beats: Vec<Beat>,
}

#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// Among the blocks of the message, which is Anthropic's index and Responses' output index.
    pub(crate) index: usize,
    pub(crate) kind: Kind,
    /// All that its deltas will say.
    pub(crate) content: String,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Reasoning {
        signature: Option<String>,
    },
    /// Has no deltas.
    Redacted {
        data: String,
    },
    Text,
    Call {
        /// Among the calls of the message, which is Chat's index.
        call_index: usize,
        id: String,
        name: String,
        signature: Option<String>,
    },
}

/// Blocks are named by their index.
#[derive(Debug)]
pub(crate) enum Beat {
    Open(usize),
    Delta(usize, String),
    Close(usize),
    Ping,
    Raw(Vec<u8>),
    Malformed,
    Gate(String),
    /// All of these are last.
    Finish,
    Error(Fault),
    Stall(String),
    Reset,
    End,
    Truncated,
    Endless(usize),
}

impl Plan {
    pub(crate) fn new(turn: &Turn, interleave: bool) -> Self {
        let mut planner = Planner { chunk: turn.chunk, blocks: Vec::new(), beats: Vec::new(), open: None };
        let mut pieces = turn.pieces.as_slice();
        while let [piece, rest @ ..] = pieces {
            let calls = pieces.iter().take_while(|piece| matches!(piece, Piece::Call(_))).count();
            if interleave && calls > 1 {
                let (group, rest) = pieces.split_at(calls);
                planner.interleaved(group);
                pieces = rest;
            } else {
                planner.piece(piece, rest);
                pieces = rest;
            }
        }
        if !turn.pieces.last().is_some_and(Piece::is_last) {
            planner.close();
            planner.beats.push(Beat::Finish);
        }
        Self { blocks: planner.blocks, beats: planner.beats }
    }

    pub(crate) fn has_calls(&self) -> bool {
        self.blocks.iter().any(|block| matches!(block.kind, Kind::Call { .. }))
    }
}

struct Planner {
    chunk: usize,
    blocks: Vec<Block>,
    beats: Vec<Beat>,
    open: Option<usize>,
}

impl Planner {
    fn piece(&mut self, piece: &Piece, rest: &[Piece]) {
        match piece {
            Piece::Reasoning(reasoning) => self.reasoning(reasoning),
            Piece::Text(text) => {
                self.text_block();
                self.grow(text);
            }
            Piece::Chunks(chunks) => {
                let block = self.text_block();
                for chunk in chunks {
                    self.delta(block, chunk.clone());
                }
            }
            Piece::Call(call) => {
                self.begin_call(call);
                self.grow(&arguments(call));
                self.close_call(rest);
            }
            Piece::Arguments(text) => {
                self.grow(text);
                self.close_call(rest);
            }
            Piece::Split => self.close(),
            Piece::Gate(name) => self.beats.push(Beat::Gate(name.clone())),
            Piece::Ping => self.beats.push(Beat::Ping),
            Piece::Raw(bytes) => self.beats.push(Beat::Raw(bytes.clone())),
            Piece::Malformed => self.beats.push(Beat::Malformed),
            Piece::Error(fault) => self.beats.push(Beat::Error(fault.clone())),
            Piece::Reset => self.beats.push(Beat::Reset),
            Piece::End => self.beats.push(Beat::End),
            Piece::Truncated => self.beats.push(Beat::Truncated),
            Piece::Stall(name) => self.beats.push(Beat::Stall(name.clone())),
            Piece::Endless => {
                let block = self.text_block();
                self.beats.push(Beat::Endless(block));
            }
        }
    }

    fn reasoning(&mut self, reasoning: &Reasoning) {
        if let Some(data) = &reasoning.redacted {
            self.begin(Kind::Redacted { data: data.clone() });
            self.close();
            return;
        }
        if !self.is_open(|kind| matches!(kind, Kind::Reasoning { .. })) {
            self.begin(Kind::Reasoning { signature: None });
        }
        self.grow(&reasoning.text);
        if reasoning.signature.is_some() {
            if let Some(Block { kind: Kind::Reasoning { signature }, .. }) = self.blocks.last_mut() {
                signature.clone_from(&reasoning.signature);
            }
            self.close();
        }
    }

    /// Calls that begin one after another and then grow in turns.
    fn interleaved(&mut self, group: &[Piece]) {
        let mut streams = Vec::new();
        for piece in group {
            if let Piece::Call(call) = piece {
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
        self.beats.extend(blocks.into_iter().map(Beat::Close));
    }

    fn begin_call(&mut self, call: &Call) -> usize {
        let call_index = self.blocks.iter().filter(|block| matches!(block.kind, Kind::Call { .. })).count();
        self.begin(Kind::Call {
            call_index,
            id: call.id.clone(),
            name: call.name.clone(),
            signature: call.signature.clone(),
        })
    }

    /// A call is over as soon as its arguments are, since clients act on that, unless a fault is to cut it.
    fn close_call(&mut self, rest: &[Piece]) {
        let next =
            rest.iter().find(|piece| piece.is_content() || piece.is_last() || matches!(piece, Piece::Split));
        if !next.is_some_and(|piece| piece.is_last() || matches!(piece, Piece::Arguments(_))) {
            self.close();
        }
    }

    fn text_block(&mut self) -> usize {
        match self.open {
            Some(block) if self.is_open(|kind| matches!(kind, Kind::Text)) => block,
            _ => self.begin(Kind::Text),
        }
    }

    fn is_open(&self, wanted: impl Fn(&Kind) -> bool) -> bool {
        self.open.and_then(|block| self.blocks.get(block)).is_some_and(|block| wanted(&block.kind))
    }

    fn begin(&mut self, kind: Kind) -> usize {
        self.close();
        let index = self.blocks.len();
        self.blocks.push(Block { index, kind, content: String::new() });
        self.beats.push(Beat::Open(index));
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
        self.beats.push(Beat::Delta(block, text));
    }

    fn close(&mut self) {
        self.beats.extend(self.open.take().map(Beat::Close));
    }
}

fn arguments(call: &Call) -> String {
    call.raw.clone().unwrap_or_else(|| call.arguments.to_string())
}

/// Pieces of `size` characters; the last may be shorter.
fn chunks(text: &str, size: usize) -> Vec<String> {
    let mut characters = text.chars();
    std::iter::from_fn(|| {
        let chunk: String = characters.by_ref().take(size).collect();
        (!chunk.is_empty()).then_some(chunk)
    })
    .collect()
}
