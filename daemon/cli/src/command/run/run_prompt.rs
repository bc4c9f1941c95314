//! One prompt from its beginning to its end: the session does the work, here or in the daemon; this shows its events and
//! brings it the person's replies. Ctrl-C cancels the turn the first time and quits the second.

use std::process::ExitCode;

use copydesk_config::LoadedConfig;
use copydesk_protocol::event::{EventInfo, TurnEndInfo};
use copydesk_protocol::session::SessionInfo;
use copydesk_session::PromptRequest;

use super::interrupts::InterruptSignals;
use super::session_choice::SessionChoice;
use super::turn_follower::{FollowOutcome, RunOptions, TurnFollower};
use super::{environment_mismatch, in_process, remote_session};
use crate::command::connect_daemon::connect_daemon;
use copydesk_host::setup::UserSetup;

/// What a shell says of a program that Ctrl-C ended.
const CANCELLED: u8 = 130;

/// Where the session works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunTarget {
    /// In this process.
    InProcess,
    /// In the daemon, if one is up.
    DaemonIfUp,
}

/// What came of it; no end where the person did not wait for it.
#[derive(Debug)]
pub(crate) struct RunOutcome {
    pub(crate) session: SessionInfo,
    pub(crate) end: Option<TurnEndInfo>,
    /// How often something was refused because nobody could be asked.
    unasked: usize,
}

impl RunOutcome {
    pub(crate) fn code(&self) -> ExitCode {
        match &self.end {
            Some(TurnEndInfo::Done) if self.unasked == 0 => ExitCode::SUCCESS,
            Some(TurnEndInfo::Cancelled) | None => ExitCode::from(CANCELLED),
            Some(
                TurnEndInfo::Done
                | TurnEndInfo::Rejected
                | TurnEndInfo::StepLimit { .. }
                | TurnEndInfo::Failed { .. },
            ) => ExitCode::FAILURE,
        }
    }
}

pub(crate) fn run_prompt(
    setup: &UserSetup,
    loaded: &LoadedConfig,
    choice: &SessionChoice,
    request: PromptRequest,
    manner: RunOptions,
    place: RunTarget,
) -> anyhow::Result<RunOutcome> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let worked = runtime.block_on(async {
        let daemon = match place {
            RunTarget::InProcess => None,
            RunTarget::DaemonIfUp => connect_daemon().await,
        };
        let starting = async {
            match daemon {
                Some((client, inbox)) => {
                    environment_mismatch::compare(&client, setup, loaded, choice).await;
                    let started =
                        remote_session::start(client, inbox, (setup, loaded), choice, request).await;
                    started.map_err(|error| environment_mismatch::explain(error, setup, loaded, choice))
                }
                None => {
                    let (client, inbox) = in_process::start(setup).await?;
                    Ok(remote_session::start(client, inbox, (setup, loaded), choice, request).await?)
                }
            }
        };
        // The turn may be at work before we hear of it: a Ctrl-C that comes meanwhile is for the turn.
        let mut interrupts = InterruptSignals::new()?;
        let (session, followed) = interrupts.during(starting).await?;
        let mut follower = TurnFollower::new(manner);
        if manner.json {
            follower.show(&EventInfo::Session { session: session.clone() });
        }
        let FollowOutcome { end, unasked } = follower.follow(followed, interrupts).await?;
        Ok(RunOutcome { session, end, unasked })
    });
    // Nothing is left to wait for; a reader of the terminal must not hold us.
    runtime.shutdown_background();
    worked
}
