//! One prompt from its beginning to its end: the session does the work, this shows its events and brings it the person's
//! replies. Ctrl-C cancels the turn the first time and quits the second.
//!
//! Invariant: a person is asked one thing at a time, and sees what before being asked. Nothing touches the line on which
//! they type.

use std::collections::VecDeque;
use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use copydesk_permission::Reply;
use copydesk_session::{Asked, Event, Id, Live, Request, Session, Store, TurnEnd};
use copydesk_workspace::config::Loaded;
use copydesk_workspace::journal::{Bound, Journal};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::approve;
use super::text::TextView;
use crate::opening::{self, Choice, Desk};
use crate::setup::Setup;
use crate::terminal;

/// What a shell says of a program that Ctrl-C ended.
const CANCELLED: u8 = 130;

/// How the session is followed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manner {
    /// Approve everything that would be asked.
    pub(crate) auto: bool,
    /// Print events instead of text.
    pub(crate) json: bool,
}

/// What came of it; no end where the person did not wait for it.
#[derive(Debug)]
pub(crate) struct Worked {
    pub(crate) session: Session,
    pub(crate) end: Option<TurnEnd>,
}

impl Worked {
    pub(crate) fn code(&self) -> ExitCode {
        match &self.end {
            Some(TurnEnd::Done) => ExitCode::SUCCESS,
            Some(TurnEnd::Cancelled) | None => ExitCode::from(CANCELLED),
            Some(TurnEnd::Rejected | TurnEnd::StepLimit { .. } | TurnEnd::Failed { .. }) => ExitCode::FAILURE,
        }
    }
}

pub(crate) fn work(
    setup: &Setup,
    loaded: &Loaded,
    choice: &Choice,
    request: Request,
    manner: Manner,
) -> anyhow::Result<Worked> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let worked = runtime.block_on(async {
        let (store, opened) = Store::open(&setup.paths.data_dir)?;
        if let Some(aside) = opened.moved_aside {
            terminal::warn(format_args!(
                "the sessions could not be read and were moved to {}; a new store was begun",
                aside.display()
            ));
        }
        let (events_in, events) = mpsc::channel(1024);
        let setting = opening::open(setup, loaded, store, &desk(setup), choice, events_in).await?;
        let session = setting.session.clone();
        let live = Live::start(setting).await?;
        live.prompt(request).await;
        if manner.json {
            terminal::print_line(&Event::Session { session: session.clone() })?;
        }
        let end = Follower::new(manner, live).follow(events).await?;
        Ok(Worked { session, end })
    });
    // Nothing is left to wait for; a reader of the terminal must not hold us.
    runtime.shutdown_background();
    worked
}

/// A desk for one session, without editors. What it does to files is in the same journal as everybody's.
fn desk(setup: &Setup) -> Desk {
    let journal = match Journal::open(&setup.paths.data_dir, Bound::default()) {
        Ok((journal, opened)) => {
            if let Some(aside) = opened.moved_aside {
                terminal::warn(format_args!(
                    "the journal of edits could not be read and was moved to {}; what it held cannot be undone",
                    aside.display()
                ));
            }
            Some(journal)
        }
        Err(error) => {
            terminal::warn(format_args!("{error}; what is done now cannot be undone"));
            None
        }
    };
    Desk { journal, ..Desk::default() }
}

struct Follower {
    manner: Manner,
    live: Live,
    view: TextView,
    /// Asks that the person has not been shown yet.
    waiting: VecDeque<Asked>,
    asking: Option<JoinHandle<Answered>>,
    /// What happened while the person was being asked.
    held: Vec<Event>,
}

/// A call about which the person was asked, and whether they said no.
#[derive(Debug)]
struct Answered {
    part: Id,
    refused: bool,
}

impl Follower {
    fn new(manner: Manner, live: Live) -> Self {
        let view = TextView::new();
        Self { manner, live, view, waiting: VecDeque::new(), asking: None, held: Vec::new() }
    }

    async fn follow(mut self, mut events: mpsc::Receiver<Event>) -> anyhow::Result<Option<TurnEnd>> {
        // One for all: a signal that comes between two waits must not be lost.
        let mut interrupts = signal(SignalKind::interrupt())?;
        let mut interrupted = false;
        loop {
            let event = tokio::select! {
                event = events.recv() => event,
                answered = answered(&mut self.asking) => {
                    self.asking = None;
                    if let Some(Answered { part, refused: true }) = answered {
                        self.view.refused(part);
                    }
                    self.show_held()?;
                    self.ask_next()?;
                    continue;
                }
                _ = interrupts.recv() => {
                    if interrupted {
                        terminal::remark("left at once");
                        return Ok(None);
                    }
                    interrupted = true;
                    if !self.manner.json {
                        self.view.interrupted(self.asking.is_some())?;
                    }
                    self.live.cancel().await;
                    continue;
                }
            };
            let Some(event) = event else {
                return Ok(Some(TurnEnd::Failed { message: "the session ended without a word".to_owned() }));
            };
            match event {
                Event::Asked(asked) => {
                    if self.manner.json {
                        terminal::print_line(&Event::Asked(asked.clone()))?;
                    }
                    self.waiting.push_back(asked);
                }
                Event::TurnEnded { end, turn } => {
                    self.show_held()?;
                    self.show(&Event::TurnEnded { end: end.clone(), turn })?;
                    return Ok(Some(end));
                }
                event => {
                    if let Event::Settled { ask } = &event {
                        self.waiting.retain(|asked| asked.ask != *ask);
                    }
                    let hold = self.asking.is_some() && !self.manner.json;
                    if hold { self.held.push(event) } else { self.show(&event)? }
                }
            }
            self.ask_next()?;
        }
    }

    fn show(&mut self, event: &Event) -> anyhow::Result<()> {
        if self.manner.json { terminal::print_line(event) } else { Ok(self.view.show(event)?) }
    }

    fn show_held(&mut self) -> anyhow::Result<()> {
        let held = std::mem::take(&mut self.held);
        held.iter().try_for_each(|event| self.show(event))
    }

    /// Replies on its own, or has the person do so without holding up the events.
    fn ask_next(&mut self) -> anyhow::Result<()> {
        if self.asking.is_some() {
            return Ok(());
        }
        let Some(asked) = self.waiting.pop_front() else { return Ok(()) };
        if !self.manner.json {
            self.view.show(&Event::Asked(asked.clone()))?;
        }
        let live = self.live.clone();
        let Manner { auto, json } = self.manner;
        self.asking = Some(tokio::spawn(async move {
            let (ask, part) = (asked.ask.clone(), asked.part.clone());
            let mut refused = false;
            let reply = if auto {
                Reply::Once
            } else if json || !io::stdin().is_terminal() {
                let reason = "Nobody is there to approve this. It would need to be run with --auto, or a rule that allows it.";
                Reply::Reject { reason: Some(reason.to_owned()) }
            } else {
                let reply = tokio::task::spawn_blocking(move || approve::ask(&asked)).await;
                let reply = reply.unwrap_or(Reply::Reject { reason: None });
                refused = matches!(reply, Reply::Reject { .. });
                reply
            };
            live.reply(&ask, reply).await;
            Answered { part, refused }
        }));
        Ok(())
    }
}

/// When the person has replied; never while nobody is asked.
async fn answered(asking: &mut Option<JoinHandle<Answered>>) -> Option<Answered> {
    match asking {
        Some(task) => task.await.ok(),
        None => std::future::pending().await,
    }
}
