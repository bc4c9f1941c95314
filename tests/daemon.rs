//! The daemon's life and its wire: the built binary as daemon, shim and command, and a desk by hand where the test must
//! see what a daemon is told.
//!
//! Waiting is for events: a line, a message, the end of a process. Nothing sleeps, no time is measured.

mod broken;
pub(crate) mod by_hand;
pub(crate) mod editor;
mod ending;
mod restart;
mod starting;
mod strangers;
