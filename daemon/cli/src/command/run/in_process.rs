//! Starts the host in this process, for `--no-daemon` or if no daemon runs.
//!
//! The prompt takes the same way as through the daemon; only the socket is a pair inside the process.

use std::sync::Arc;

use copydesk_faces::lifecycle::{DaemonHandle, DaemonService as _};
use copydesk_faces::log_control::NoLog;
use copydesk_faces::lsp::LspFace;
use copydesk_host::session_host::SessionHost;
use copydesk_host::setup::UserSetup;
use copydesk_rpc::transport::SocketConnection;
use copydesk_session::Store;
use copydesk_workspace::journal::{Journal, JournalLimits};

use crate::daemon_client::{ClientKind, DaemonClient, DaemonInbox};
use crate::terminal;

/// Starts a host and attaches a client to it. The host ends with the process.
pub(super) async fn start(setup: &UserSetup) -> anyhow::Result<(DaemonClient, DaemonInbox)> {
    let (store, opened) = Store::open(&setup.paths.data_dir)?;
    if let Some(aside) = opened.moved_aside {
        terminal::warn(format_args!(
            "the sessions could not be read and were moved to {}; a new store was created",
            aside.display()
        ));
    }
    let host = Arc::new(SessionHost::new(setup.paths.clone(), store, journal(setup)));
    let (ours, theirs) = SocketConnection::pair()?;
    tokio::spawn(LspFace { host, log: Arc::new(NoLog) }.serve(theirs, DaemonHandle::default()));
    Ok(DaemonClient::initialize(ours, ClientKind::Copydesk).await?)
}

/// Opens the journal that the daemon uses, too.
fn journal(setup: &UserSetup) -> Option<Journal> {
    match Journal::open(&setup.paths.data_dir, JournalLimits::default()) {
        Ok((journal, opened)) => {
            if let Some(aside) = opened.moved_aside {
                terminal::warn(format_args!(
                    "the journal of edits could not be read and was moved to {}; the edits in it cannot be undone",
                    aside.display()
                ));
            }
            Some(journal)
        }
        Err(error) => {
            terminal::warn(format_args!("{error}; the edits of this run cannot be undone"));
            None
        }
    }
}
