//! The VS Code extension in a real VS Code (code-server) and a real browser: the real daemon, the scripted model.
//!
//! A plain `cargo test` ignores these tests, because few machines have what they need; `tests/run` installs it and runs them. A window takes
//! ten seconds to start, so a test goes through several cases in one.

mod activation;
mod always;
mod asks;
mod bad_programs;
mod chat;
mod chat_actions;
mod chat_input;
mod chat_page;
mod chat_reading;
mod chat_sessions;
mod chat_tabs;
mod commands;
mod crashes;
mod deleted_files;
mod editing;
mod file_kinds;
mod inline_edits;
mod installed_parts;
mod json_peer;
mod keyboard;
mod language;
mod pictures;
mod reverting;
mod review;
mod reviewing;
mod saving;
mod several_folders;
mod typing;
pub(crate) mod vscode_server;
pub(crate) mod vscode_user;
mod vscode_window;
mod waiting;
mod walkthrough;
