//! What a model may call.
//!
//! A [`Tool`] says what it takes and does one thing; the [`Registry`] does what is the same for all of them: reading
//! arguments, errors in words for the model, limits on the output, timing, cancelling, and a tool that breaks down.
//!
//! Invariant: whatever a model sends, a call ends in an [`Outcome`]: no panic, no hang after a cancel, no output without a
//! cap.

mod arguments;
mod context;
pub mod decided;
mod invalid;
pub mod jobs;
mod names;
mod off;
mod outcome;
pub mod page;
mod prepared;
mod registry;
mod spill;
mod subagents;
mod together;
mod tool;
pub mod tools;
pub mod web;

pub use arguments::Ending;
pub use context::{Allowed, Answer, Ask, Asker, Context, Owner, Progress, Refused, Reviewed};
pub use off::off;
pub use outcome::{Failure, FailureKind, Media, Outcome, Output};
pub use prepared::{Prepared, Written};
pub use registry::{Limits, Registry, Spec};
pub use spill::Spill;
pub use subagents::{Changed, Doings, Report, Subagent, Subagents, Task, TaskEnd, Used, Working};
pub use tool::{AnyTool, Inner, Running, Tool, Touches, typed};
