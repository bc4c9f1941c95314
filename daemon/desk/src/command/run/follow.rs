//! A session is followed to the end of a turn: what happens is shown, what is asked is brought before the person. Where the
//! session works, in this process or in the daemon, makes no difference here.
//!
//! Invariant: a person is asked one thing at a time, and sees what before being asked. Nothing touches the line on which
//! they type.

use std::collections::VecDeque;
use std::io::{self, IsTerminal as _, PipeWriter};

use copydesk_protocol::ask::{Ask, PermissionReply};
use copydesk_protocol::event::{Event, TurnEnd};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::approve;
use super::text::TextView;
use crate::terminal;

const NOBODY: &str =
    "Nobody is there to approve this. It would need to be run with --auto, or a rule that allows it.";

/// How the session is followed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manner {
    /// Approve everything that would be asked.
    pub(crate) auto: bool,
    /// Print events instead of text.
    pub(crate) json: bool,
}

/// What a follower hears.
#[derive(Debug)]
pub(super) enum Told {
    /// Something that happened in the turn that is followed.
    Event(Event),
    /// A person's word is needed. Dropped, the answer leaves it to others.
    Ask { ask: Ask, whose: Whose, answer: oneshot::Sender<PermissionReply> },
    /// It is not needed any more.
    Settled { ask: String, by: Option<String> },
    /// The turn has to wait for another.
    Queued,
    /// Nothing more will be heard, and why.
    Lost(String),
}

/// Which turn asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    Ours,
    /// One that others began, and that ours waits for: nothing is decided there in a person's name.
    Others,
}

/// A session to follow.
pub(super) struct Followed {
    pub(super) told: mpsc::Receiver<Told>,
    /// Ends the turn that is followed.
    pub(super) cancel: Box<dyn Fn() + Send>,
}

pub(super) struct Follower {
    manner: Manner,
    /// Whether there is somebody to ask.
    attended: bool,
    view: TextView,
    /// Asks that the person has not been shown yet.
    waiting: VecDeque<(Ask, oneshot::Sender<PermissionReply>)>,
    asking: Option<Asking>,
    /// What happened while the person was being asked.
    held: Vec<Event>,
    interrupted: bool,
}

/// What the person is being asked.
struct Asking {
    ask: Ask,
    answer: oneshot::Sender<PermissionReply>,
    typed: JoinHandle<PermissionReply>,
    /// Closed, it takes the question back.
    _open: PipeWriter,
}

impl Follower {
    pub(super) fn new(manner: Manner) -> Self {
        Self {
            manner,
            attended: !manner.json && !manner.auto && io::stdin().is_terminal(),
            view: TextView::new(),
            waiting: VecDeque::new(),
            asking: None,
            held: Vec::new(),
            interrupted: false,
        }
    }

    /// To the end of the turn; none where the person does not wait for it.
    pub(super) async fn follow(mut self, followed: Followed) -> anyhow::Result<Option<TurnEnd>> {
        let Followed { mut told, cancel } = followed;
        // One for all: a signal that comes between two waits must not be lost.
        let mut interrupts = signal(SignalKind::interrupt())?;
        loop {
            tokio::select! {
                told = told.recv() => {
                    let lost = || Told::Lost("the session ended without a word".to_owned());
                    if let Some(end) = self.hear(told.unwrap_or_else(lost))? {
                        return Ok(Some(end));
                    }
                }
                reply = typed(&mut self.asking) => self.answered(reply)?,
                _ = interrupts.recv() => {
                    if self.interrupted {
                        terminal::remark("left at once");
                        return Ok(None);
                    }
                    self.interrupted = true;
                    if !self.manner.json {
                        self.view.interrupted(self.asking.is_some())?;
                    }
                    cancel();
                }
            }
            self.ask_next()?;
        }
    }

    fn hear(&mut self, told: Told) -> anyhow::Result<Option<TurnEnd>> {
        match told {
            Told::Event(Event::TurnEnded { end, turn }) => {
                self.end_asking();
                self.show_held()?;
                self.show(&Event::TurnEnded { end: end.clone(), turn })?;
                return Ok(Some(end));
            }
            Told::Event(event) => {
                let hold = self.asking.is_some() && !self.manner.json;
                if hold { self.held.push(event) } else { self.show(&event)? }
            }
            Told::Ask { ask, whose, answer } => self.asked(ask, whose, answer)?,
            Told::Settled { ask, by } => self.settled(&ask, by.as_deref())?,
            Told::Queued if self.manner.json => {}
            Told::Queued => self.view.queued(),
            Told::Lost(message) => {
                if self.end_asking() && !self.interrupted {
                    terminal::print("")?;
                }
                self.show_held()?;
                anyhow::bail!(message);
            }
        }
        Ok(None)
    }

    /// Replies on its own, or has the person asked when it is their turn.
    fn asked(
        &mut self,
        ask: Ask,
        whose: Whose,
        answer: oneshot::Sender<PermissionReply>,
    ) -> anyhow::Result<()> {
        // Sent again by a desk that we attached to again: the newer request is the one to answer.
        self.waiting.retain(|(known, _)| known.ask != ask.ask);
        if self.attended {
            self.waiting.push_back((ask, answer));
            return Ok(());
        }
        if whose == Whose::Others {
            return Ok(());
        }
        if !self.manner.json {
            self.view.ask(&ask)?;
        }
        let nobody = || PermissionReply::Reject { reason: Some(NOBODY.to_owned()) };
        // Whoever asked may be gone; then nobody waits.
        let _ = answer.send(if self.manner.auto { PermissionReply::Once } else { nobody() });
        Ok(())
    }

    fn ask_next(&mut self) -> anyhow::Result<()> {
        if self.asking.is_some() || self.interrupted {
            return Ok(());
        }
        let Some((ask, answer)) = self.waiting.pop_front() else { return Ok(()) };
        self.view.ask(&ask)?;
        let asked = ask.clone();
        let (taken_back, open) = io::pipe()?;
        let typed = tokio::task::spawn_blocking(move || approve::ask(&asked, &taken_back));
        self.asking = Some(Asking { ask, answer, typed, _open: open });
        Ok(())
    }

    fn answered(&mut self, reply: PermissionReply) -> anyhow::Result<()> {
        if let Some(Asking { ask, answer, .. }) = self.asking.take() {
            if matches!(reply, PermissionReply::Reject { .. }) {
                self.view.refused(&ask.part);
            }
            let _ = answer.send(reply);
        }
        self.show_held()
    }

    fn settled(&mut self, ask: &str, by: Option<&str>) -> anyhow::Result<()> {
        self.waiting.retain(|(waiting, _)| waiting.ask != ask);
        if self.asking.as_ref().is_some_and(|asking| asking.ask.ask == ask) {
            self.end_asking();
            if !self.interrupted {
                self.view.decided(by)?;
            }
            self.show_held()?;
        }
        Ok(())
    }

    /// Whether the person was being asked something.
    fn end_asking(&mut self) -> bool {
        self.asking.take().is_some()
    }

    fn show(&mut self, event: &Event) -> anyhow::Result<()> {
        if self.manner.json { terminal::print_line(event) } else { Ok(self.view.show(event)?) }
    }

    fn show_held(&mut self) -> anyhow::Result<()> {
        let held = std::mem::take(&mut self.held);
        held.iter().try_for_each(|event| self.show(event))
    }
}

/// When the person has replied; never while nobody is asked.
async fn typed(asking: &mut Option<Asking>) -> PermissionReply {
    match asking {
        Some(asking) => (&mut asking.typed).await.unwrap_or(PermissionReply::Reject { reason: None }),
        None => std::future::pending().await,
    }
}
