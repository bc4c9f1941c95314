//! The daemon, and the journal of edits.

use copydesk_protocol::desk::Empty;
use copydesk_protocol::table::Status;
use copydesk_workspace::journal::{Bound, Journal};

use super::{Finding, places};
use crate::client::Greeting;
use crate::command::status::{attach, in_time};
use crate::log;
use copydesk_host::setup::Setup;
use copydesk_rpc::transport::Place;

/// Nobody is started for this.
pub(super) fn daemon(setup: &Setup) -> anyhow::Result<Finding> {
    let about = "daemon";
    let socket = Place::new(&|name| std::env::var_os(name)).socket();
    let log = log::path(&setup.paths.state_dir);
    let places = format!("socket {}, log {}", socket.display(), log.display());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let status = runtime.block_on(async {
        let Some((client, _inbox)) = attach(Greeting::Copydesk).await? else { return Ok(None) };
        in_time(client.request::<Status>(&Empty {})).await.map(Some)
    });
    let ours = env!("CARGO_PKG_VERSION");
    Ok(match status {
        Ok(None) => Finding::good(about, format!("not running; {places}")),
        Ok(Some(status)) if status.version != ours => Finding::odd(
            about,
            format!("version {} runs as process {}, this is {ours}; {places}", status.version, status.pid),
            "`copydesk stop` ends it; the next one is started when it is needed",
        ),
        Ok(Some(status)) => {
            Finding::good(about, format!("version {ours} runs as process {}; {places}", status.pid))
        }
        Err(error) => Finding::bad(
            about,
            format!("{error:#}; {places}"),
            "mend this, or `copydesk stop`; `copydesk run --no-daemon` works meanwhile",
        ),
    })
}

pub(super) fn journal(setup: &Setup) -> Finding {
    let about = "journal";
    let Some(look) = Journal::look(&setup.paths.data_dir) else {
        return Finding::good(about, "none yet");
    };
    let place = look.path.display();
    let bound = Bound::default();
    match look.rows {
        Ok(count) => Finding::good(
            about,
            format!(
                "{count} edits, {} of {} in {place}",
                places::size(look.bytes),
                places::size(bound.bytes)
            ),
        ),
        Err(error) => Finding::bad(
            about,
            format!("{place}: {error}"),
            "nothing can be undone before; where the file is damaged, the next session moves it aside and begins a new one",
        ),
    }
}
