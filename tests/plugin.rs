//! The Neovim plugin in a real Neovim: a user at the keys, the real daemon, the scripted model.
//!
//! Each test runs with every Neovim in `COPYDESK_TEST_NVIM`; a plain `cargo test` ignores them, and `tests/run` installs
//! them. Screens are compared as text.

mod apply_edit;
mod changes;
mod chat;
mod commands;
mod completion;
mod context;
mod documents;
mod drawing;
mod failures;
mod help;
mod inline_edits;
mod language;
mod mock_daemon_neovim;
mod pictures;
pub(crate) mod plugin_neovim;
mod problems;
mod questions_and_todos;
mod review;
mod setup;
mod tasks;
mod trust;
mod typist;
mod web;
