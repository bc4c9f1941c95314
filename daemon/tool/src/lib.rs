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
pub mod head;
mod invalid;
pub mod jobs;
mod names;
mod off;
mod outcome;
pub mod page;
mod plan;
mod prepared;
mod question;
mod registry;
pub mod skills;
mod spill;
mod subagents;
mod todo;
mod together;
mod tool;
pub mod tools;
pub mod web;

pub use arguments::Ending;
pub use context::{
    Allowed, Answer, Answering, Ask, Asker, Context, Owner, Progress, Refused, Reviewed, Switching,
};
pub use off::off;
pub use outcome::{Failure, FailureKind, Media, Outcome, Output};
pub use plan::Plan;
pub use prepared::{Prepared, Written};
pub use question::{Answers, Choice, Question};
pub use registry::{Limits, Registry, Spec};
pub use spill::Spill;
pub use subagents::{Changed, Doings, Report, Subagent, Subagents, Task, TaskEnd, Used, Working};
pub use todo::{TODOWRITE, Todos};
pub use tool::{AnyTool, Inner, Running, Tool, Touches, typed};
