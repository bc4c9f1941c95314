//! Plays a plan on a wire.

use super::anthropic::AnthropicRenderer;
use super::chat::ChatRenderer;
use super::failure::ScriptedError;
use super::gemini::GeminiRenderer;
use super::plan::{PlannedBlock, PlannedStep, StreamPlan};
use super::responses::ResponsesRenderer;
use super::sse_writer::{ConnectionStep, SseWriter};
use super::turn::{BodyChunking, ScriptedStop, ScriptedTurn};
use super::wire::{RequestSummary, ScriptedWire};

/// How one wire writes the steps of a plan. It gets a block's opening before its deltas, and `finish` or `error` at
/// most once, last.
pub(crate) trait WireRenderer: Send {
    /// Before the first piece, so that a client sees the message begin while the first gate is shut.
    fn begin(&mut self, out: &mut SseWriter);
    fn open(&mut self, block: &PlannedBlock, out: &mut SseWriter);
    fn delta(&mut self, block: &PlannedBlock, text: &str, out: &mut SseWriter);
    fn close(&mut self, block: &PlannedBlock, out: &mut SseWriter);
    fn finish(&mut self, out: &mut SseWriter);
    fn error(&mut self, fault: &ScriptedError, out: &mut SseWriter);

    fn ping(&mut self, out: &mut SseWriter) {
        out.comment("keep-alive");
    }

    /// The name of a malformed event, if events have names.
    fn delta_name(&self) -> Option<&'static str> {
        None
    }
}

const MALFORMED: &str = "{\"type\": \"text\", \"text\": ";

pub(crate) fn render(turn: &ScriptedTurn, asked: &RequestSummary) -> Vec<ConnectionStep> {
    let plan = StreamPlan::new(turn, turn.interleave && asked.wire == ScriptedWire::Chat);
    let stop = turn.stop.unwrap_or(if plan.has_calls() { ScriptedStop::Calls } else { ScriptedStop::End });
    let asked = asked.clone();
    let (mut voice, newline): (Box<dyn WireRenderer>, _) = match asked.wire {
        ScriptedWire::Anthropic => (Box::new(AnthropicRenderer::new(asked, turn.usage, stop)), "\n"),
        ScriptedWire::Chat => {
            (Box::new(ChatRenderer::new(asked, turn.usage, stop, turn.reasoning_field)), "\n")
        }
        ScriptedWire::Responses => (Box::new(ResponsesRenderer::new(asked, turn.usage, stop)), "\n"),
        // Google's servers end lines as HTTP does.
        ScriptedWire::Gemini => (Box::new(GeminiRenderer::new(asked, turn.usage, stop)), "\r\n"),
    };
    let mut out = SseWriter::new(turn.writes, newline);
    voice.begin(&mut out);
    for beat in plan.beats {
        match beat {
            PlannedStep::Open(block) => voice.open(&plan.blocks[block], &mut out),
            PlannedStep::Delta(block, text) => voice.delta(&plan.blocks[block], &text, &mut out),
            PlannedStep::Close(block) => voice.close(&plan.blocks[block], &mut out),
            PlannedStep::Finish => voice.finish(&mut out),
            PlannedStep::Ping => voice.ping(&mut out),
            PlannedStep::Raw(bytes) => out.raw(&bytes),
            PlannedStep::Malformed => out.text_event(voice.delta_name(), MALFORMED),
            PlannedStep::Error(fault) => voice.error(&fault, &mut out),
            PlannedStep::Gate(name) => out.step(ConnectionStep::Gate(name)),
            PlannedStep::Stall(name) => out.step(ConnectionStep::Stall(name)),
            PlannedStep::Reset => out.step(ConnectionStep::Reset),
            PlannedStep::Truncated => out.step(ConnectionStep::Truncate),
            PlannedStep::End => {}
            PlannedStep::Endless(block) => {
                out.step(endless(voice, plan.blocks[block].clone(), newline));
                break;
            }
        }
    }
    out.into_steps()
}

fn endless(mut voice: Box<dyn WireRenderer>, block: PlannedBlock, newline: &'static str) -> ConnectionStep {
    ConnectionStep::Forever(Box::new(move || {
        let mut out = SseWriter::new(BodyChunking::Large, newline);
        for _ in 0..64 {
            voice.delta(&block, "on and on ", &mut out);
        }
        out.into_bytes()
    }))
}
