//! How clients see the host: one module per protocol; no module knows another. [`lifecycle`] decides how long
//! the daemon serves.

pub mod lifecycle;
pub mod log_control;
pub mod lsp;
mod time_limits;
