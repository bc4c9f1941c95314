//! Examines the daemon and the journal of edits.

use copydesk_host::setup::UserSetup;
use copydesk_protocol::daemon::Empty;
use copydesk_protocol::table::Status;
use copydesk_rpc::transport::DaemonAddress;
use copydesk_workspace::journal::{Journal, JournalLimits};

use super::{DoctorFinding, system};
use crate::command::connect_daemon::{connect_any_version, with_timeout};
use crate::daemon_client::ClientKind;
use crate::log;

/// Starts no daemon.
pub(super) fn daemon(setup: &UserSetup) -> anyhow::Result<DoctorFinding> {
    let about = "daemon";
    let socket = DaemonAddress::new(&|name| std::env::var_os(name)).socket();
    let log = log::path(&setup.paths.state_dir);
    let places = format!("socket {}, log {}", socket.display(), log.display());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let status = runtime.block_on(async {
        let Some((client, _)) = connect_any_version(ClientKind::Copydesk).await? else { return Ok(None) };
        with_timeout(client.request::<Status>(&Empty {})).await.map(Some)
    });
    let ours = env!("CARGO_PKG_VERSION");
    Ok(match status {
        Ok(None) => DoctorFinding::ok(about, format!("not running; {places}")),
        Ok(Some(status)) if status.version != ours => DoctorFinding::warning(
            about,
            format!("version {} runs as process {}, this is {ours}; {places}", status.version, status.pid),
            "`copydesk stop` stops it; a new one starts when needed",
        ),
        Ok(Some(status)) => {
            DoctorFinding::ok(about, format!("version {ours} runs as process {}; {places}", status.pid))
        }
        Err(error) => DoctorFinding::error(
            about,
            format!("{error:#}; {places}"),
            "fix this, or run `copydesk stop`; `copydesk run --no-daemon` works meanwhile",
        ),
    })
}

pub(super) fn journal(setup: &UserSetup) -> DoctorFinding {
    let about = "journal";
    let Some(inspected) = Journal::inspect(&setup.paths.data_dir) else {
        return DoctorFinding::ok(about, "none yet");
    };
    let place = inspected.path.display();
    let limits = JournalLimits::default();
    match inspected.rows {
        Ok(count) => DoctorFinding::ok(
            about,
            format!(
                "{count} edits, {} of {} in {place}",
                system::size(inspected.bytes),
                system::size(limits.bytes)
            ),
        ),
        Err(error) => DoctorFinding::error(
            about,
            format!("{place}: {error}"),
            "until then nothing can be undone; if the file is damaged, the next session moves it aside and creates a new one",
        ),
    }
}
