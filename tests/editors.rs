//! Scripted editors on the socket of the built daemon, with the scripted model behind it: one that behaves, and all the
//! ways not to.
//!
//! Tests wait for messages, gates and the end of processes. Nothing sleeps.

mod commands;
mod disconnects;
mod edits;
pub(crate) mod encoding;
mod flood;
mod inline;
mod invalid_messages;
mod large_messages;
mod misbehaving;
mod multi_file_changes;
mod open_files;
mod patches;
mod problems;
mod providers;
mod questions;
mod reviews;
pub(crate) mod scripted_daemon;
pub(crate) mod scripted_editor;
mod sessions;
mod shared_session;
mod slow_peers;
mod tasks;
mod trust;
mod undo;
