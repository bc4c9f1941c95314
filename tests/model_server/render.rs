//! Plays a plan in the voice of a wire.

use super::anthropic::Anthropic;
use super::chat::Chat;
use super::failure::Fault;
use super::gemini::Gemini;
use super::plan::{Beat, Block, Plan};
use super::responses::Responses;
use super::sink::{Sink, Step};
use super::turn::{Stop, Turn, Writes};
use super::wire::{Asked, Wire};

/// How one wire says what every wire has to say. It hears of a block's opening before its deltas, and of
/// `finish` or `error` at most once, last.
pub(crate) trait Voice: Send {
    /// Before the first piece, so that a client sees the message begin while the first gate is shut.
    fn begin(&mut self, out: &mut Sink);
    fn open(&mut self, block: &Block, out: &mut Sink);
    fn delta(&mut self, block: &Block, text: &str, out: &mut Sink);
    fn close(&mut self, block: &Block, out: &mut Sink);
    fn finish(&mut self, out: &mut Sink);
    fn error(&mut self, fault: &Fault, out: &mut Sink);

    fn ping(&mut self, out: &mut Sink) {
        out.comment("keep-alive");
    }

    /// The name a malformed event goes by, where events have names.
    fn delta_name(&self) -> Option<&'static str> {
        None
    }
}

const MALFORMED: &str = "{\"type\": \"text\", \"text\": ";

pub(crate) fn render(turn: &Turn, asked: &Asked) -> Vec<Step> {
    let plan = Plan::new(turn, turn.interleave && asked.wire == Wire::Chat);
    let stop = turn.stop.unwrap_or(if plan.has_calls() { Stop::Calls } else { Stop::End });
    let asked = asked.clone();
    let (mut voice, newline): (Box<dyn Voice>, _) = match asked.wire {
        Wire::Anthropic => (Box::new(Anthropic::new(asked, turn.usage, stop)), "\n"),
        Wire::Chat => (Box::new(Chat::new(asked, turn.usage, stop, turn.reasoning_field)), "\n"),
        Wire::Responses => (Box::new(Responses::new(asked, turn.usage, stop)), "\n"),
        // Google's servers end lines as HTTP does.
        Wire::Gemini => (Box::new(Gemini::new(asked, turn.usage, stop)), "\r\n"),
    };
    let mut out = Sink::new(turn.writes, newline);
    voice.begin(&mut out);
    for beat in plan.beats {
        match beat {
            Beat::Open(block) => voice.open(&plan.blocks[block], &mut out),
            Beat::Delta(block, text) => voice.delta(&plan.blocks[block], &text, &mut out),
            Beat::Close(block) => voice.close(&plan.blocks[block], &mut out),
            Beat::Finish => voice.finish(&mut out),
            Beat::Ping => voice.ping(&mut out),
            Beat::Raw(bytes) => out.raw(&bytes),
            Beat::Malformed => out.text_event(voice.delta_name(), MALFORMED),
            Beat::Error(fault) => voice.error(&fault, &mut out),
            Beat::Gate(name) => out.step(Step::Gate(name)),
            Beat::Stall(name) => out.step(Step::Stall(name)),
            Beat::Reset => out.step(Step::Reset),
            Beat::Truncated => out.step(Step::Truncate),
            Beat::End => {}
            Beat::Endless(block) => {
                out.step(endless(voice, plan.blocks[block].clone(), newline));
                break;
            }
        }
    }
    out.into_steps()
}

fn endless(mut voice: Box<dyn Voice>, block: Block, newline: &'static str) -> Step {
    Step::Forever(Box::new(move || {
        let mut out = Sink::new(Writes::Large, newline);
        for _ in 0..64 {
            voice.delta(&block, "on and on ", &mut out);
        }
        out.into_bytes()
    }))
}
