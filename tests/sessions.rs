//! Sessions end to end: `copydesk run` against the scripted model, with real files and real commands.

mod broken;
mod crash;
mod harness;
mod kept;
mod offline;
mod turns;
