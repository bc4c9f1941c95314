//! How others see the host: one module for each protocol, none of which knows another. [`lifecycle`] is how long the daemon serves them.

pub mod lifecycle;
pub mod log_control;
pub mod lsp;
