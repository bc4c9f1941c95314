//! The editor connection with a real Neovim that has nothing but its stock LSP client: `vim.lsp`, no extension of ours.
//!
//! Each test runs with every Neovim that `COPYDESK_TEST_NVIM` names. They are ignored by a plain `cargo test`, because few
//! machines have one; `tests/run` installs them and runs these tests.

mod edits;
pub(crate) mod lives;
pub(crate) mod nvim;
mod saving;
mod texts;
pub(crate) mod typing;
mod undoing;
pub(crate) mod window;
