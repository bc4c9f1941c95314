//! The folder a person works in: its configuration, where the user's own files live, their keys, and which of a
//! project's files they trust; and what a session does there: reading and writing files, searching, running commands.
//!
//! Invariant: nothing here reads the process environment or the current folder by itself; both are passed in,
//! because one daemon serves clients that differ in both.
//! Invariant: no input (a file, a variable) can panic this room or be ignored without a word.

pub mod buffers;

pub mod database;
pub mod files;
pub mod journal;

pub mod process;
pub mod reviews;
pub mod search;
