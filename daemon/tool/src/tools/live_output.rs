//! Shows the user what a running command prints.

use std::time::Instant;

use copydesk_metadata::{CallDetail, CommandMetadata};

use crate::context::ToolContext;
use crate::time_limits::LIVE_OUTPUT_INTERVAL;

/// How much of the end the user sees.
const MAX_SHOWN_BYTES: usize = 8 * 1024;
/// Up to this total every piece is shown at once.
const QUIET: usize = 16 * 1024;
/// After that, pieces are shown after so many new bytes, or after [`LIVE_OUTPUT_INTERVAL`].
const STEP: usize = 4 * 1024;

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
        let cut = self.tail.ceil_char_boundary(self.tail.len().saturating_sub(MAX_SHOWN_BYTES));
        self.tail.drain(..cut);
        self.total += piece.len();
        self.new += piece.len();
        if self.total <= QUIET || self.new >= STEP || self.shown.elapsed() >= LIVE_OUTPUT_INTERVAL {
            let output = Some(self.tail.clone());
            let shown = CommandMetadata { output, ..CommandMetadata::default() };
            self.context.show_progress(CallDetail::Command(shown));
            self.new = 0;
            self.shown = Instant::now();
        }
    }
}
