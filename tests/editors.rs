//! Editors by hand, on the socket of the built daemon with the scripted model behind it: one that obeys, and all the ways
//! not to.
//!
//! Waiting is for messages, gates and the end of processes. Nothing sleeps.

mod broken;
pub(crate) mod client;
mod commands;
pub(crate) mod desk;
mod edits;
mod endings;
mod flood;
mod inline;
mod misbehaving;
mod patches;
mod problems;
mod questions;
mod reviews;
mod sessions;
mod several;
mod tasks;
mod together;
mod undo;
pub(crate) mod units;
