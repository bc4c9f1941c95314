//! The folder that a session works in: editor buffers over the disk, files, search, the journal of edits,
//! reviews, and processes.
//!
//! Invariant: nothing here reads the process environment or the current folder; callers pass both in, because
//! one daemon serves clients that differ in both.
//! Invariant: no input (a file, a message of a client) can panic this crate or be ignored silently.

pub mod buffers;

pub mod database;
pub mod disk_watcher;
mod file_walk;
pub mod files;
pub mod ignore_files;
pub mod journal;
pub mod library_files;

pub mod process;
mod real_path;
pub mod review_feedback;
pub mod reviews;
pub mod search;
pub mod text_index;
pub mod time_limits;
