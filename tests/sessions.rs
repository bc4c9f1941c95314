//! Sessions end to end: `copydesk run` against the scripted model, with real files and real commands.

mod agents;
mod broken;
mod crash;
mod hardship;
pub(crate) mod harness;
mod instructions;
mod kept;
pub(crate) mod offline;
mod skills;
mod steering;
mod talking;
mod turns;
mod undo;
