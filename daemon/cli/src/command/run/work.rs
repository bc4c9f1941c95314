//! One prompt from its beginning to its end: the session does the work, here or in the daemon; this shows its events and
//! brings it the person's replies. Ctrl-C cancels the turn the first time and quits the second.

use std::process::ExitCode;

use copydesk_config::Loaded;
use copydesk_protocol::event::{Event, TurnEnd};
use copydesk_protocol::session::Session;
use copydesk_session::Request;

use super::follow::{Follower, Manner, Seen};
use super::interrupts::Interrupts;
use super::{environment, here, remote};
use crate::command::reach::reach;
use copydesk_host::hub::convert;
use copydesk_host::opening::Choice;
use copydesk_host::setup::Setup;

/// What a shell says of a program that Ctrl-C ended.
const CANCELLED: u8 = 130;

/// Where the session works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Where {
    /// In this process.
    Here,
    /// In the daemon, if one is up.
    DaemonIfUp,
}

/// What came of it; no end where the person did not wait for it.
#[derive(Debug)]
pub(crate) struct Worked {
    pub(crate) session: Session,
    pub(crate) end: Option<TurnEnd>,
    /// How often something was refused because nobody could be asked.
    unasked: usize,
}

impl Worked {
    pub(crate) fn code(&self) -> ExitCode {
        match &self.end {
            Some(TurnEnd::Done) if self.unasked == 0 => ExitCode::SUCCESS,
            Some(TurnEnd::Cancelled) | None => ExitCode::from(CANCELLED),
            Some(TurnEnd::Done | TurnEnd::Rejected | TurnEnd::StepLimit { .. } | TurnEnd::Failed { .. }) => {
                ExitCode::FAILURE
            }
        }
    }
}

pub(crate) fn work(
    setup: &Setup,
    loaded: &Loaded,
    choice: &Choice,
    request: Request,
    manner: Manner,
    place: Where,
) -> anyhow::Result<Worked> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let worked = runtime.block_on(async {
        let daemon = match place {
            Where::Here => None,
            Where::DaemonIfUp => reach().await,
        };
        let starting = async {
            match daemon {
                Some((client, inbox)) => {
                    environment::compare(&client, setup, loaded, choice).await;
                    let started = remote::start(client, inbox, (setup, loaded), choice, request).await;
                    started.map_err(|error| environment::explain(error, setup, loaded, choice))
                }
                None => {
                    let (session, followed) = here::start(setup, loaded, choice, request).await?;
                    Ok((convert::session(&session), followed))
                }
            }
        };
        // The turn may be at work before we hear of it: a Ctrl-C that comes meanwhile is for the turn.
        let mut interrupts = Interrupts::new()?;
        let (session, followed) = interrupts.during(starting).await?;
        let mut follower = Follower::new(manner);
        if manner.json {
            follower.show(&Event::Session { session: session.clone() });
        }
        let Seen { end, unasked } = follower.follow(followed, interrupts).await?;
        Ok(Worked { session, end, unasked })
    });
    // Nothing is left to wait for; a reader of the terminal must not hold us.
    runtime.shutdown_background();
    worked
}
