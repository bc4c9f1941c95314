//! The Neovim plugin, in a real Neovim: a person at the keys, the real desk, the scripted model.
//!
//! Each test runs with every Neovim that `COPYDESK_TEST_NVIM` names, and is ignored by a plain `cargo test`; `tests/run`
//! installs them. Screens are compared as text.

mod applying;
mod bare;
mod changing;
mod chat;
mod commands;
mod completion;
mod context;
mod documents;
mod drawing;
mod help;
mod inlining;
mod language;
mod lives;
mod pictures;
mod problems;
mod reviewing;
mod setup;
mod talking;
mod tasks;
mod web;
pub(crate) mod window;
