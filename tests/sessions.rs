//! Sessions end to end: `copydesk run` against the scripted model, with real files and real commands.

mod agent_ownership;
mod agents;
mod attachments;
mod batch;
mod calls;
mod closed_output;
mod crash;
mod disk_errors;
mod environment;
mod failures;
pub(crate) mod harness;
mod instructions;
mod jobs;
pub(crate) mod offline;
mod open_calls;
mod patches;
mod presets;
mod problems;
mod questions_and_todos;
mod skills;
mod steering;
mod stored_sessions;
pub(crate) mod tasks;
mod trust;
mod turns;
mod undo;
pub(crate) mod web;
