//! The editor connection with a real Neovim and its stock LSP client: `vim.lsp`, no plugin of ours.
//!
//! Each test runs with every Neovim in `COPYDESK_TEST_NVIM`. A plain `cargo test` ignores them, because few machines have
//! one; `tests/run` installs them and runs these tests.

pub(crate) mod crashes;
mod edits;
mod file_kinds;
pub(crate) mod neovim_session;
pub(crate) mod nvim;
mod saving;
pub(crate) mod typing;
mod undo;
