//! The daemon for commands that also work without it.

use super::status::attach;
use crate::daemon_client::{ClientKind, DaemonClient, DaemonInbox};
use crate::shim::handover::is_older;
use crate::terminal;

/// The daemon, if one runs that understands us. Anything else is a warning, not an error.
pub(super) async fn connect_daemon() -> Option<(DaemonClient, DaemonInbox)> {
    let ours = env!("CARGO_PKG_VERSION");
    let problem = match attach(ClientKind::Copydesk).await {
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
