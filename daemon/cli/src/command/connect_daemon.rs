//! Connects commands to a running daemon; none is started. [`connect_daemon`] is for commands that also work without it: it does
//! not use an older daemon. [`connect_any_version`] is for those that only ask or stop the daemon, whatever its version is.

use anyhow::Context as _;
use copydesk_rpc::transport::{DaemonAddress, TransportError};

use crate::daemon_client::{ClientKind, DaemonClient, DaemonClientError, DaemonInbox};
use crate::shim::handover::is_older;
use crate::terminal;
use crate::time_limits::RESPONSE_TIMEOUT;

/// The daemon, if one runs that understands us. Anything else is a warning, not an error.
pub(super) async fn connect_daemon() -> Option<(DaemonClient, DaemonInbox)> {
    let ours = env!("CARGO_PKG_VERSION");
    let problem = match connect_any_version(ClientKind::Copydesk).await {
        Ok(None) => return None,
        Ok(Some((client, inbox))) => match client.daemon_hello() {
            Some(hello) if is_older(&hello.version, ours) => {
                format!(
                    "the daemon is version {}, this is {ours}; stop it with `copydesk stop`",
                    hello.version
                )
            }
            Some(_) => return Some((client, inbox)),
            None => "the process at the daemon's socket is not a Copydesk daemon".to_owned(),
        },
        Err(error) => format!("{error:#}"),
    };
    terminal::warn(format_args!("{problem}. Continuing without the daemon"));
    None
}

/// A connection to the running daemon, without a look at its version; `None` if none runs. A daemon with another protocol rejects
/// [`ClientKind::Copydesk`].
pub(super) async fn connect_any_version(
    kind: ClientKind,
) -> anyhow::Result<Option<(DaemonClient, DaemonInbox)>> {
    let connection = match DaemonAddress::new(&|name| std::env::var_os(name)).connect().await {
        Err(TransportError::NoDaemon) => return Ok(None),
        connection => connection?,
    };
    Ok(Some(with_timeout(DaemonClient::initialize(connection, kind)).await?))
}

/// Limits how long a command waits for a response.
pub(super) async fn with_timeout<T>(
    response: impl Future<Output = Result<T, DaemonClientError>>,
) -> anyhow::Result<T> {
    let response = tokio::time::timeout(RESPONSE_TIMEOUT, response).await;
    let response = response.context("the daemon does not respond; run `copydesk doctor`, or see its log")?;
    Ok(response?)
}
