//! Runs one prompt to its end. The session runs in this process or in the daemon; this module shows its events and sends
//! the user's replies. The first Ctrl-C cancels the turn, the second quits.

use std::process::ExitCode;
use std::sync::Arc;

use copydesk_config::LoadedConfig;
use copydesk_host::setup::UserSetup;
use copydesk_protocol::event::{EventInfo, TurnEndInfo};
use copydesk_protocol::session::SessionInfo;
use copydesk_session::PromptRequest;

use super::interrupts::InterruptSignals;
use super::turn_follower::{FollowOutcome, RunOptions, TurnFollower};
use super::{attachments, environment_mismatch};
use crate::command::connect_daemon::connect_daemon;
use crate::daemon_client::{DaemonClient, DaemonClientError, DaemonInbox};
use crate::session_client::{self, FollowedSession, SessionChoice, open_chosen_session, start_in_process};

/// The exit code of a program that Ctrl-C ended, as shells report it.
const CANCELLED: u8 = 130;

/// Where the session runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunTarget {
    /// In this process.
    InProcess,
    /// In the daemon if one runs, else in this process.
    DaemonIfUp,
}

/// The outcome; `end` is missing if the user did not wait for it.
#[derive(Debug)]
pub(crate) struct RunOutcome {
    pub(crate) session: SessionInfo,
    pub(crate) end: Option<TurnEndInfo>,
    /// How many calls were refused because no user could be asked.
    refused_unasked: usize,
}

impl RunOutcome {
    pub(crate) fn code(&self) -> ExitCode {
        match &self.end {
            Some(TurnEndInfo::Done) if self.refused_unasked == 0 => ExitCode::SUCCESS,
            Some(TurnEndInfo::Cancelled) | None => ExitCode::from(CANCELLED),
            Some(
                TurnEndInfo::Done
                | TurnEndInfo::Rejected
                | TurnEndInfo::StepLimit { .. }
                | TurnEndInfo::Failed { .. }
                | TurnEndInfo::Interrupted,
            ) => ExitCode::FAILURE,
        }
    }
}

pub(crate) fn run_prompt(
    setup: &UserSetup,
    loaded: &LoadedConfig,
    choice: &SessionChoice,
    request: PromptRequest,
    options: RunOptions,
    target: RunTarget,
) -> anyhow::Result<RunOutcome> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let outcome = runtime.block_on(async {
        let daemon = match target {
            RunTarget::InProcess => None,
            RunTarget::DaemonIfUp => connect_daemon().await,
        };
        let starting = async {
            match daemon {
                Some((client, inbox)) => {
                    environment_mismatch::compare(&client, setup, loaded, choice).await;
                    let started = start((client, inbox), (setup, loaded), choice, request).await;
                    started.map_err(|error| environment_mismatch::explain(error, setup, loaded, choice))
                }
                None => {
                    let connection = start_in_process(setup).await?;
                    Ok(start(connection, (setup, loaded), choice, request).await?)
                }
            }
        };
        // The turn may start before we know of it, so a Ctrl-C meanwhile cancels the turn.
        let mut interrupts = InterruptSignals::new()?;
        let (session, followed) = interrupts.during(starting).await?;
        let mut follower = TurnFollower::new(options);
        if options.json {
            follower.show(&EventInfo::Session { session: session.clone() });
        }
        let FollowOutcome { end, refused_unasked } = follower.follow(followed, interrupts).await?;
        Ok(RunOutcome { session, end, refused_unasked })
    });
    // All work is done. A thread that reads the terminal must not delay the exit.
    runtime.shutdown_background();
    outcome
}

/// Opens the session and prompts it.
async fn start(
    (client, inbox): (DaemonClient, DaemonInbox),
    (setup, loaded): (&UserSetup, &LoadedConfig),
    choice: &SessionChoice,
    request: PromptRequest,
) -> Result<(SessionInfo, FollowedSession), DaemonClientError> {
    let session = open_chosen_session(&client, &setup.cwd, choice).await?;
    attachments::warn(setup, loaded, (session.model.as_deref(), &session.agent), &request.files);
    let followed = session_client::prompt(Arc::new(client), inbox, &session, request).await?;
    Ok((session, followed))
}
