//! Sessions end to end: `copydesk run` against the scripted model, with real files and real commands.

mod agents;
mod attached;
mod batch;
mod broken;
mod calls;
mod closed;
mod crash;
mod environment;
mod hardship;
pub(crate) mod harness;
mod instructions;
mod jobs;
mod kept;
pub(crate) mod offline;
mod open;
mod patches;
mod problems;
mod skills;
mod steering;
mod talking;
pub(crate) mod tasks;
mod turns;
mod undo;
pub(crate) mod web;
mod whose;
