//! The tools that a model may call.
//!
//! A [`Tool`] declares its parameters and does one thing. The [`ToolRegistry`] does what all tools share: it parses
//! arguments, words errors for the model, caps the output, measures time, cancels, and catches panics.
//!
//! Invariant: whatever a model sends, a call ends in a [`CallOutcome`]: no panic, no hang after a cancel, no output without a
//! cap.

mod arguments;
mod batch_outcome;
mod context;
mod denial;
mod disabled_tools;
pub mod front_matter;
pub mod job_notes;
mod outcome;
mod output_spill;
pub mod page;
mod plan_file;
mod prepared_call;
mod question;
mod registry;
pub mod review_notes;
mod sandbox_notes;
pub mod skills;
mod subagents;
mod time_limits;
mod todo;
mod tool;
mod tool_names;
pub mod tools;
pub mod web;

pub use arguments::ArgumentsCompleteness;
pub use context::{
    AskFuture, AskUserMode, Asker, CallProgress, EditOwner, PermissionGrant, PermissionRequest,
    QuestionFuture, SwitchAgentFuture, ToolContext,
};
pub use denial::PermissionDenial;
pub use disabled_tools::disabled_tool;
pub use outcome::{CallOutcome, MediaAttachment, ToolError, ToolErrorKind, ToolOutput};
pub use output_spill::OutputSpill;
pub use plan_file::PlanFile;
pub use prepared_call::{PreparedCall, RawCall};
pub use question::{Question, QuestionAnswers, QuestionOption};
pub use registry::{ToolDefinition, ToolOutputLimits, ToolRegistry};
pub use subagents::{Subagent, SubagentTask, Subagents, TaskEnd, TaskFuture, TaskProgress, TaskReport};
pub use todo::{TODOWRITE, TodoList};
pub use tool::{AnyTool, InnerCall, Tool, ToolFuture, TouchedFiles, box_tool};
