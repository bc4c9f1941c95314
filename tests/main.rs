//! End-to-end tests: the built binary and the wires, against real servers.

// A test fails by panicking; that is what these lints forbid elsewhere.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

mod cli;
mod daemon;
mod editors;
mod laws;
mod model_server;
mod navigation;
mod neovim;
mod opencode;
mod plugin;
mod refactoring;
mod remote;
mod servers;
mod sessions;
mod terminal;
mod tidy;
mod truth;
mod vscode;
mod wires;
