//! Opens the user's session host. The daemon and a command that works without it begin here.

use std::path::PathBuf;
use std::sync::Arc;

use copydesk_host::session_host::SessionHost;
use copydesk_host::setup::UserSetup;
use copydesk_session::{SalvagedSessions, Store, StoreRecovery};
use copydesk_workspace::journal::{Journal, JournalError, JournalLimits};

/// What the user should know of the host's files, although the host works.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HostWarning {
    #[error("{}", .0.describe().unwrap_or_default())]
    SessionsDamaged(StoreRecovery),
    #[error(
        "the journal of edits could not be read and was moved to {}; the edits in it cannot be undone",
        .0.display()
    )]
    JournalMoved(PathBuf),
    #[error("{0}; without a journal no edit can be undone")]
    NoJournal(JournalError),
}

impl HostWarning {
    /// Logs it, without the titles of sessions.
    pub(crate) fn log(&self) {
        match self {
            Self::SessionsDamaged(StoreRecovery { moved_aside, salvaged }) => {
                let SalvagedSessions { sessions, incomplete } = salvaged;
                let lost: Vec<_> = incomplete.iter().map(|(id, _)| id.to_string()).collect();
                let lost = lost.join(" ");
                tracing::error!(
                    ?moved_aside,
                    sessions,
                    lost,
                    "the session store was damaged; what can be read was brought over"
                );
            }
            Self::JournalMoved(_) | Self::NoJournal(_) => tracing::error!("{self}"),
        }
    }
}

/// The daemon logs the warnings, because no client is connected yet; a command prints them.
pub(crate) fn open_host(setup: &UserSetup) -> anyhow::Result<(Arc<SessionHost>, Vec<HostWarning>)> {
    let data_dir = &setup.paths.data_dir;
    let (store, opened) = Store::open(data_dir)?;
    let mut warnings = Vec::new();
    if opened.moved_aside.is_some() {
        warnings.push(HostWarning::SessionsDamaged(opened));
    }
    let journal = match Journal::open(data_dir, JournalLimits::default()) {
        Ok((journal, opened)) => {
            warnings.extend(opened.moved_aside.map(HostWarning::JournalMoved));
            Some(journal)
        }
        Err(error) => {
            warnings.push(HostWarning::NoJournal(error));
            None
        }
    };
    Ok((Arc::new(SessionHost::new(setup.paths.clone(), store, journal)), warnings))
}
