//! The daemon's lifecycle and wire: the built binary as daemon, shim and command, and a fake daemon where the test must
//! see its input.
//!
//! Tests wait for events: a line, a message, the end of a process. Nothing sleeps, and no time is measured.

pub(crate) mod fake_daemon;
mod invalid_messages;
mod log;
mod other_users;
mod restart;
mod shutdown;
mod startup;
pub(crate) mod stdio_editor;
