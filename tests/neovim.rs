//! The editor connection with a real Neovim that has nothing but its stock LSP client: `vim.lsp`, no extension of ours.
//!
//! Each test runs with every Neovim that `COPYDESK_TEST_NVIM` names. They are ignored by a plain `cargo test`, because few
//! machines have one; `tests/run` installs them and runs these tests.

pub(crate) mod crashes;
mod edits;
mod file_kinds;
pub(crate) mod neovim_session;
pub(crate) mod nvim;
mod saving;
pub(crate) mod typing;
mod undo;
