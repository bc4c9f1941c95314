//! A session is followed to the end of a turn: what happens is shown, what is asked is brought before the person. Where the
//! session works, in this process or in the daemon, makes no difference here.
//!
//! Invariant: a person is asked one thing at a time, and sees what before being asked. Nothing touches the line on which
//! they type.
//! Invariant: where nothing can be shown any more the turn is cancelled, and heard to its end.

use std::collections::VecDeque;
use std::io::{self, IsTerminal as _};
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Context as _;
use copydesk_protocol::event::{EventInfo, TurnEndInfo};
use copydesk_protocol::permission::PermissionReply;
use copydesk_protocol::question::QuestionReply;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, timeout};

use super::hunk_dialog::{self, DecisionCounts, DialogAnswer, DialogSignals};
use super::interrupts::InterruptSignals;
use super::questions;
use super::review_backend::ReviewBackend;
use super::terminal_input::WithdrawnQuestion;
use super::text_view::{self, CallRefusal, TextView};
use super::user_request::{DialogOutcome, UserRequest};
use crate::terminal;

/// How the session is followed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunOptions {
    /// Approve everything that would be asked.
    pub(crate) auto: bool,
    /// Print events instead of text.
    pub(crate) json: bool,
}

/// What a follower hears.
#[derive(Debug)]
pub(super) enum FollowerMessage {
    /// Something that happened in the turn that is followed.
    Event(EventInfo),
    /// A person's word is needed.
    Request { request: UserRequest, owner: TurnOwner },
    /// It is not needed any more.
    Settled { id: String, by: Option<String> },
    /// There may be other hunks to decide.
    ReviewChanged,
    /// The turn has to wait for another.
    Queued,
    /// Nothing more will be heard, and why.
    Closed(String),
}

/// Which turn asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TurnOwner {
    Ours,
    /// One that others began, and that ours waits for: nothing is decided there in a person's name.
    Others,
}

/// How long whoever leaves waits for a desk to know that it has to end the turn.
const KNOWN: Duration = Duration::from_secs(1);

/// What came of a turn.
#[derive(Debug)]
pub(super) struct FollowOutcome {
    /// None where the person did not wait for it.
    pub(super) end: Option<TurnEndInfo>,
    /// How often something was refused because nobody could be asked.
    pub(super) unasked: usize,
}

/// How often it is said how long something takes, and looked whether anybody reads it.
const TICK: Duration = Duration::from_secs(1);

/// A session to follow.
pub(super) struct FollowedSession {
    pub(super) messages: mpsc::Receiver<FollowerMessage>,
    pub(super) reviews: ReviewBackend,
    /// Ends the turn that is followed. Says so when whoever works on it knows.
    pub(super) cancel: Box<dyn Fn() -> oneshot::Receiver<()> + Send>,
}

pub(super) struct TurnFollower {
    manner: RunOptions,
    /// Whether there is somebody to ask.
    attended: bool,
    view: TextView,
    /// What the person has not been shown yet.
    waiting: VecDeque<UserRequest>,
    asking: Option<ActiveDialog>,
    /// What happened while the person was being asked.
    held: Vec<EventInfo>,
    /// What ended the question, and what came then: told when nobody types any more.
    after: Vec<FollowerMessage>,
    interrupted: bool,
    /// Why nothing is shown any more.
    output_error: Option<io::Error>,
    /// Calls that were refused because nobody could be asked.
    unasked: usize,
}

/// What the person is being asked.
struct ActiveDialog {
    waiting: UserRequest,
    dialog: JoinHandle<DialogOutcome>,
    attention: DialogSignals,
}

impl TurnFollower {
    pub(super) fn new(manner: RunOptions) -> Self {
        Self {
            manner,
            attended: !manner.json && !manner.auto && io::stdin().is_terminal(),
            view: TextView::new(),
            waiting: VecDeque::new(),
            asking: None,
            held: Vec::new(),
            after: Vec::new(),
            interrupted: false,
            output_error: None,
            unasked: 0,
        }
    }

    /// To the end of the turn.
    pub(super) async fn follow(
        mut self,
        followed: FollowedSession,
        mut interrupts: InterruptSignals,
    ) -> anyhow::Result<FollowOutcome> {
        let FollowedSession { messages: mut told, reviews, cancel } = followed;
        let mut is_known: Option<oneshot::Receiver<()>> = None;
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                told = told.recv(), if !self.is_lost() => {
                    let lost = || FollowerMessage::Closed("the session ended without a word".to_owned());
                    if let Some(end) = self.handle_message(told.unwrap_or_else(lost))? {
                        return self.ended(end);
                    }
                }
                said = said(&mut self.asking) => {
                    if let Some(end) = self.answered(said)? {
                        return self.ended(end);
                    }
                }
                _ = ticks.tick() => {
                    if self.is_watched() {
                        self.view.wait();
                    }
                    // Whoever goes while nothing happens is missed, too.
                    self.record_output_error(terminal::check_stdout_open());
                }
                // In an editor it has its own meaning.
                () = interrupts.next() => if !self.is_editing() {
                    if self.interrupted {
                        // Who leaves before the desk knows leaves it at work.
                        let _ = timeout(KNOWN, async { is_known.take()?.await.ok() }).await;
                        terminal::remark("left at once");
                        return Ok(FollowOutcome { end: None, unasked: self.unasked });
                    }
                    self.interrupted = true;
                    if !self.manner.json {
                        let shown = self.view.interrupted(self.asking.is_some());
                        self.record_output_error(shown);
                    }
                    self.withdraw_question();
                    is_known = Some(cancel());
                }
            }
            self.ask_next(&reviews);
            if self.output_error.is_some() && !self.interrupted {
                self.interrupted = true;
                self.withdraw_question();
                is_known = Some(cancel());
            }
        }
    }

    /// Says what became of a turn that was not seen to its end.
    fn ended(self, end: TurnEndInfo) -> anyhow::Result<FollowOutcome> {
        match self.output_error {
            Some(error) if !terminal::is_stdout_closed(&error) => {
                return Err(error).context("standard output cannot be written; the turn was cancelled");
            }
            Some(error) if end == TurnEndInfo::Cancelled => {
                terminal::remark(format_args!("{error}: the turn was cancelled"));
            }
            _ => {}
        }
        let refused = match self.unasked {
            0 => return Ok(FollowOutcome { end: Some(end), unasked: 0 }),
            1 => "what 1 call wanted was refused".to_owned(),
            several => format!("what {several} calls wanted was refused"),
        };
        terminal::warn(format_args!(
            "nobody could be asked, and {refused}: `--auto` approves what would be asked, and so does a rule under \
             `permission` in the configuration"
        ));
        Ok(FollowOutcome { end: Some(end), unasked: self.unasked })
    }

    fn handle_message(&mut self, told: FollowerMessage) -> anyhow::Result<Option<TurnEndInfo>> {
        if let Some(asking) = &self.asking {
            let ends = match &told {
                FollowerMessage::Event(EventInfo::TurnEnded { .. }) | FollowerMessage::Closed(_) => true,
                FollowerMessage::Settled { id, .. } => id == asking.waiting.id(),
                _ => false,
            };
            if ends || !self.after.is_empty() {
                self.after.push(told);
                self.withdraw_question();
                return Ok(None);
            }
        }
        match told {
            FollowerMessage::Event(EventInfo::TurnEnded { end, turn }) => {
                self.show(&EventInfo::TurnEnded { end: end.clone(), turn });
                return Ok(Some(end));
            }
            FollowerMessage::Event(event) => {
                match (&event, self.asking.is_some() && !self.manner.json) {
                    (_, false) => self.show(&event),
                    // Only the last counts.
                    (EventInfo::Progress { part, metadata }, true) => self.view.progress(part, metadata),
                    (_, true) => self.held.push(event),
                }
            }
            FollowerMessage::Request { request: waiting, owner: whose } => self.queue_request(waiting, whose),
            FollowerMessage::Settled { id, .. } => self.waiting.retain(|waiting| waiting.id() != id),
            FollowerMessage::ReviewChanged => {
                if let Some(asking) = &self.asking {
                    asking.attention.changed.notify_one();
                }
            }
            FollowerMessage::Queued if self.manner.json => {}
            FollowerMessage::Queued => self.view.queued(),
            FollowerMessage::Closed(message) => anyhow::bail!(message),
        }
        Ok(None)
    }

    /// Replies on its own, or has the person asked when it is their turn.
    fn queue_request(&mut self, waiting: UserRequest, whose: TurnOwner) {
        // Sent again by a desk that we attached to again: the newer request is the one to answer.
        self.waiting.retain(|known| known.id() != waiting.id());
        if self.attended {
            self.waiting.push_back(waiting);
            return;
        }
        if whose == TurnOwner::Others {
            return;
        }
        if !self.manner.json && self.output_error.is_none() {
            let shown = self.show_unasked(&waiting);
            self.record_output_error(shown);
        }
        // Nothing is done that nobody could see.
        if self.output_error.is_some() {
            return;
        }
        let part = waiting.part().to_owned();
        if let (UserRequest::Ask(ask, _), false) = (&waiting, self.manner.auto) {
            // A plan that nobody can approve is a plan all the same.
            self.unasked += usize::from(ask.key != "plan_exit");
            self.view.refused(&part, CallRefusal::Nobody);
        }
        waiting.reply_unattended(self.manner.auto);
        if self.is_watched() {
            self.view.call_resumed(&part);
        }
    }

    /// What nobody is asked about.
    fn show_unasked(&mut self, waiting: &UserRequest) -> io::Result<()> {
        match waiting {
            UserRequest::Ask(ask, _) => {
                self.view.ask(ask)?;
                self.view.mark_change_shown(ask);
                let diffs = text_view::diffs(ask.metadata.changed_files());
                if diffs.is_empty() {
                    Ok(())
                } else {
                    terminal::print(text_view::coloured(&text_view::joined(&diffs)))
                }
            }
            UserRequest::Questions(asked, _) => {
                self.view.question(asked)?;
                let mut all = asked.questions.iter().enumerate();
                all.try_for_each(|(at, one)| terminal::print(questions::shown(asked, one, at)))
            }
        }
    }

    fn ask_next(&mut self, reviews: &ReviewBackend) {
        if self.asking.is_some() || self.interrupted || self.output_error.is_some() {
            return;
        }
        let Some(waiting) = self.waiting.pop_front() else { return };
        let attention = DialogSignals::default();
        let (shown, dialog) = match &waiting {
            UserRequest::Ask(ask, _) => {
                let shown = self.view.ask(ask);
                self.view.mark_change_shown(ask);
                let asking = hunk_dialog::ask(ask.clone(), reviews.clone(), attention.clone());
                let dialog = tokio::spawn(async move {
                    let (answer, tally) = asking.await;
                    DialogOutcome::Ask(answer, tally)
                });
                (shown, dialog)
            }
            UserRequest::Questions(asked, _) => {
                let shown = self.view.question(asked);
                let asking = questions::ask(asked.clone(), attention.withdrawn.clone());
                (shown, tokio::spawn(async move { DialogOutcome::Answers(asking.await) }))
            }
        };
        self.asking = Some(ActiveDialog { waiting, dialog, attention });
        self.record_output_error(shown);
    }

    /// Nobody types any more. What came meanwhile is shown, and may be the end of the turn.
    fn answered(&mut self, said: DialogOutcome) -> anyhow::Result<Option<TurnEndInfo>> {
        let Some(asking) = self.asking.take() else { return Ok(None) };
        let after = std::mem::take(&mut self.after);
        let (id, part) = (asking.waiting.id().to_owned(), asking.waiting.part().to_owned());
        match (asking.waiting, said) {
            (UserRequest::Ask(_, answer), DialogOutcome::Ask(DialogAnswer::Reply(reply), tally)) => {
                let refused = if tally.accepted == 0 { CallRefusal::All } else { CallRefusal::Rest };
                let stops = matches!(reply, PermissionReply::Reject { .. });
                if stops {
                    self.view.refused(&part, refused);
                }
                if self.is_at_terminal(reply == PermissionReply::Cancelled)? {
                    // Whoever asked may be gone; then nobody waits.
                    let _ = answer.send(reply);
                }
                if stops {
                    self.kept(tally);
                }
            }
            (UserRequest::Ask(..), DialogOutcome::Ask(DialogAnswer::Decided, tally)) => {
                if tally.accepted == 0 {
                    self.view.refused(&part, CallRefusal::All);
                }
            }
            (UserRequest::Questions(_, answer), DialogOutcome::Answers(Ok(reply))) => {
                if matches!(reply, QuestionReply::Rejected { .. }) {
                    self.view.refused(&part, CallRefusal::Answer);
                }
                if self.is_at_terminal(reply == QuestionReply::Cancelled)? {
                    let _ = answer.send(reply);
                }
            }
            (_, DialogOutcome::Ask(DialogAnswer::Withdrawn(taken_back), tally)) => {
                self.taken_back(taken_back, &id, &after);
                self.kept(tally);
            }
            (_, DialogOutcome::Answers(Err(taken_back))) => self.taken_back(taken_back, &id, &after),
            (_, DialogOutcome::Ask(..) | DialogOutcome::Answers(_) | DialogOutcome::Nothing) => {}
        }
        self.show_held();
        if self.is_watched() {
            self.view.call_resumed(&part);
        }
        for told in after {
            if let Some(end) = self.handle_message(told)? {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// Somebody may still be there whose pipe nobody reads. Otherwise the signal that comes with it may be ignored here.
    fn is_at_terminal(&mut self, is_gone: bool) -> anyhow::Result<bool> {
        if is_gone {
            self.record_output_error(terminal::check_stdout_open());
            anyhow::ensure!(self.output_error.is_some(), "the terminal is gone");
        }
        Ok(!is_gone)
    }

    /// What was accepted stays.
    fn kept(&mut self, tally: DecisionCounts) {
        if tally.accepted > 0 && self.output_error.is_none() {
            let shown = self.view.kept(tally.accepted);
            self.record_output_error(shown);
        }
    }

    /// Somebody else was first, or the turn is over.
    fn taken_back(&mut self, taken_back: WithdrawnQuestion, id: &str, after: &[FollowerMessage]) {
        if self.interrupted {
            return;
        }
        let settled = after.iter().find_map(|told| match told {
            FollowerMessage::Settled { id: settled, by } if settled == id => Some(by.as_deref()),
            _ => None,
        });
        let ended = if taken_back.is_open { terminal::print("") } else { Ok(()) };
        let shown = ended.and_then(|()| settled.map_or(Ok(()), |by| self.view.decided(by)));
        self.record_output_error(shown);
    }

    /// The question is over, whatever is typed.
    fn withdraw_question(&self) {
        if let Some(asking) = &self.asking {
            asking.attention.withdrawn.cancel();
        }
    }

    /// Nothing more will be heard; an editor may still have the terminal.
    fn is_lost(&self) -> bool {
        self.after.iter().any(|told| matches!(told, FollowerMessage::Closed(_)))
    }

    /// Nobody types, and the line that says what is waited for may be another.
    fn is_watched(&self) -> bool {
        self.asking.is_none() && !self.manner.json && !self.interrupted && self.output_error.is_none()
    }

    fn is_editing(&self) -> bool {
        self.asking.as_ref().is_some_and(|asking| asking.attention.editing.load(Ordering::SeqCst))
    }

    pub(super) fn show(&mut self, event: &EventInfo) {
        if self.output_error.is_some() {
            return;
        }
        if let EventInfo::Warning { message } = event {
            terminal::warn(message);
        }
        let shown = if self.manner.json { terminal::print_line(event) } else { self.view.show(event) };
        // Not everything that happens is printed.
        self.record_output_error(shown.and_then(|()| terminal::check_stdout_open()));
    }

    fn show_held(&mut self) {
        let held = std::mem::take(&mut self.held);
        held.iter().for_each(|event| self.show(event));
    }

    fn record_output_error(&mut self, shown: io::Result<()>) {
        self.output_error = self.output_error.take().or(shown.err());
    }
}

/// What the person said; never while nobody is asked.
async fn said(asking: &mut Option<ActiveDialog>) -> DialogOutcome {
    match asking {
        Some(asking) => (&mut asking.dialog).await.unwrap_or(DialogOutcome::Nothing),
        None => std::future::pending().await,
    }
}
