//! What a running command prints, for the person who watches.

use std::time::{Duration, Instant};

use copydesk_metadata::{CallDetail, CommandMetadata};

use crate::context::ToolContext;

/// How much of the end is shown.
const SHOWN: usize = 8 * 1024;
/// As long as a command has printed no more than this, every piece is shown as it comes.
const QUIET: usize = 16 * 1024;
/// After that, when so much is new, or so long nothing was shown.
const STEP: usize = 4 * 1024;
const PAUSE: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(super) struct LiveOutput<'a> {
    context: &'a ToolContext,
    tail: String,
    total: usize,
    new: usize,
    shown: Instant,
}

impl<'a> LiveOutput<'a> {
    pub(super) fn new(context: &'a ToolContext) -> Self {
        Self { context, tail: String::new(), total: 0, new: 0, shown: Instant::now() }
    }

    pub(super) fn push(&mut self, piece: &str) {
        self.tail.push_str(piece);
        let cut = self.tail.ceil_char_boundary(self.tail.len().saturating_sub(SHOWN));
        self.tail.drain(..cut);
        self.total += piece.len();
        self.new += piece.len();
        if self.total <= QUIET || self.new >= STEP || self.shown.elapsed() >= PAUSE {
            let output = Some(self.tail.clone());
            let shown = CommandMetadata { output, ..CommandMetadata::default() };
            self.context.show_progress(CallDetail::Command(shown));
            self.new = 0;
            self.shown = Instant::now();
        }
    }
}
