//! `copydesk log`: shows the end of the daemon's log, and follows it. Needs no daemon, except to set its level.

use std::collections::VecDeque;

use anyhow::Context as _;
use copydesk_host::setup::UserSetup;
use copydesk_protocol::daemon::{LogLevelEnd, LogSetParams};
use copydesk_protocol::table::LogSet;

use super::connect_daemon::{connect_any_version, with_timeout};
use crate::args::LogArgs;
use crate::daemon_client::{ClientKind, DaemonClient};
use crate::log::{self, LogFollower, SessionFilter};
use crate::terminal::{self, print};
use crate::time_limits::LOG_POLL_INTERVAL;

pub(crate) fn run(setup: &UserSetup, options: &LogArgs) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        // Before anything is printed, so that a rejected level is the only output.
        let daemon = match &options.level {
            Some(level) => Some(set_level(level, options.follow).await?),
            None => None,
        };
        let mut view = LogView::new(setup, options);
        view.print_end(options.lines)?;
        if options.follow { view.follow(daemon).await } else { Ok(()) }
    })
}

/// Sets the level: with `follow` until this command ends, for any reason, else until the daemon ends.
async fn set_level(level: &str, follow: bool) -> anyhow::Result<DaemonClient> {
    let Some((client, _inbox)) = connect_any_version(ClientKind::Copydesk).await? else {
        anyhow::bail!(
            "the daemon is not running, so there is no level to set; `COPYDESK_LOG={level} copydesk daemon` starts one with it"
        );
    };
    let until = if follow { LogLevelEnd::Detach } else { LogLevelEnd::Exit };
    let params = LogSetParams { level: Some(level.to_owned()), until: Some(until) };
    let level = with_timeout(client.request::<LogSet>(&params)).await?.level;
    let how_long = if follow { "until this command ends" } else { "until the daemon ends" };
    terminal::remark(format_args!("log level {level}, {how_long}"));
    Ok(client)
}

/// The shown part of the log.
struct LogView {
    follower: LogFollower,
    filter: SessionFilter,
}

impl LogView {
    fn new(setup: &UserSetup, options: &LogArgs) -> Self {
        Self {
            follower: LogFollower::new(log::path(&setup.paths.state_dir)),
            filter: SessionFilter::new(options.session.clone()),
        }
    }

    /// The new lines to show since the last call.
    fn new_lines(&mut self) -> anyhow::Result<Vec<String>> {
        let lines = self.follower.read_lines();
        let mut lines = lines.with_context(|| self.follower.path().display().to_string())?;
        lines.retain(|line| self.filter.is_wanted(line));
        Ok(lines)
    }

    fn print_end(&mut self, count: usize) -> anyhow::Result<()> {
        let lines = VecDeque::from(self.new_lines()?);
        if lines.is_empty() {
            terminal::remark(format_args!("nothing to show in {}", self.follower.path().display()));
        }
        let skipped = lines.len().saturating_sub(count);
        Ok(lines.iter().skip(skipped).try_for_each(|line| print(log::styled_line(line)))?)
    }

    /// Runs until the reader closes standard output, or the user ends the command.
    async fn follow(mut self, mut daemon: Option<DaemonClient>) -> anyhow::Result<()> {
        let mut poll = tokio::time::interval(LOG_POLL_INTERVAL);
        loop {
            let daemon_ended = async {
                match &mut daemon {
                    Some(daemon) => daemon.wait_closed().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                _ = poll.tick() => {
                    terminal::check_stdout_open()?;
                    self.new_lines()?.iter().try_for_each(|line| print(log::styled_line(line)))?;
                }
                () = daemon_ended => {
                    daemon = None;
                    terminal::warn("the daemon has ended; the next one logs at its own level");
                }
            }
        }
    }
}
