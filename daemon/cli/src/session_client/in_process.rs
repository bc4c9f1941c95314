//! Starts the host in this process, for `--no-daemon` or if no daemon runs.
//!
//! A request takes the same way as through the daemon; only the socket is a pair inside the process.

use std::sync::Arc;

use copydesk_faces::lifecycle::{DaemonHandle, DaemonService as _};
use copydesk_faces::log_control::NoLog;
use copydesk_faces::lsp::LspFace;
use copydesk_host::setup::UserSetup;
use copydesk_rpc::transport::SocketConnection;

use crate::daemon_client::{ClientKind, DaemonClient, DaemonInbox};
use crate::open_host::open_host;
use crate::terminal;

/// Starts a host and attaches a client to it. The host ends with the process.
pub(crate) async fn start_in_process(setup: &UserSetup) -> anyhow::Result<(DaemonClient, DaemonInbox)> {
    let (host, warnings) = open_host(setup)?;
    for warning in warnings {
        terminal::warn(warning);
    }
    let (ours, theirs) = SocketConnection::pair()?;
    tokio::spawn(LspFace { host, log: Arc::new(NoLog) }.serve(theirs, DaemonHandle::default()));
    Ok(DaemonClient::initialize(ours, ClientKind::Copydesk).await?)
}
