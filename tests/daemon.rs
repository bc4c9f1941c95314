//! The daemon's life and its wire: the built binary as daemon, shim and command, and a desk by hand where the test must
//! see what a daemon is told.
//!
//! Waiting is for events: a line, a message, the end of a process. Nothing sleeps, no time is measured.

pub(crate) mod fake_daemon;
mod invalid_messages;
mod log;
mod other_users;
mod restart;
mod shutdown;
mod startup;
pub(crate) mod stdio_editor;
