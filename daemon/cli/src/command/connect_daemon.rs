//! The daemon as commands use it that can do without.

use super::status::attach;
use crate::daemon_client::{ClientKind, DaemonClient, DaemonInbox};
use crate::shim::handover::is_older;
use crate::terminal;

/// The daemon, where one is up that understands us. What keeps us from it is said, and no failure.
pub(super) async fn connect_daemon() -> Option<(DaemonClient, DaemonInbox)> {
    let ours = env!("CARGO_PKG_VERSION");
    let why = match attach(ClientKind::Copydesk).await {
        Ok(None) => return None,
        Ok(Some((client, inbox))) => match client.daemon_hello() {
            Some(desk) if is_older(&desk.version, ours) => {
                format!("the daemon is version {}, this is {ours}; `copydesk stop` ends it", desk.version)
            }
            Some(_) => return Some((client, inbox)),
            None => "what listens in the daemon's place is none".to_owned(),
        },
        Err(error) => format!("{error:#}"),
    };
    terminal::warn(format_args!("{why}. Going on without the daemon"));
    None
}
