//! Follows a session to the end of a turn: shows what happens, and asks the user. It makes no difference
//! whether the session works in this process or in the daemon.
//!
//! Invariant: the user is asked one thing at a time, and sees what it is about first. Nothing touches the line
//! on which the user types.
//! Invariant: if output fails, the turn is cancelled and followed to its end.

use std::collections::VecDeque;
use std::io::{self, IsTerminal as _};
use std::sync::atomic::Ordering;

use anyhow::Context as _;
use copydesk_protocol::event::{EventInfo, TurnEndInfo};
use copydesk_protocol::permission::PermissionReply;
use copydesk_protocol::question::QuestionReply;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, timeout};

use super::hunk_dialog::{self, DecisionCounts, DialogAnswer, DialogSignals};
use super::interrupts::InterruptSignals;
use super::questions;
use super::terminal_input::WithdrawnQuestion;
use super::text_view::{self, CallRefusal, TextView};
use crate::session_client::{FollowedSession, FollowerMessage, ReviewRequests, TurnOwner, UserRequest};
use crate::terminal;
use crate::time_limits::{CANCEL_TIMEOUT, STATUS_INTERVAL};

#[derive(Debug, Clone, Copy)]
pub(crate) struct RunOptions {
    /// Approve everything without asking.
    pub(crate) auto: bool,
    /// Print events instead of text.
    pub(crate) json: bool,
}

#[derive(Debug)]
pub(super) struct FollowOutcome {
    /// `None` if the user did not wait for the end.
    pub(super) end: Option<TurnEndInfo>,
    /// Calls refused because no user could approve them.
    pub(super) refused_unasked: usize,
}

pub(super) struct TurnFollower {
    options: RunOptions,
    /// Whether a user can be asked.
    attended: bool,
    view: TextView,
    /// Requests not shown to the user yet.
    requests: VecDeque<UserRequest>,
    asking: Option<ActiveDialog>,
    /// Events deferred while the user is being asked.
    deferred: Vec<EventInfo>,
    /// The message that ended the question and those after it: handled once the user no longer types.
    after: Vec<FollowerMessage>,
    interrupted: bool,
    /// The first failed output; nothing is shown after it.
    output_error: Option<io::Error>,
    /// Calls refused because no user could approve them.
    refused_unasked: usize,
}

/// The user's answer.
#[derive(Debug)]
enum DialogOutcome {
    Ask(DialogAnswer, DecisionCounts),
    Answers(Result<QuestionReply, WithdrawnQuestion>),
    /// The dialog panicked.
    Nothing,
}

/// The request that the user is being asked.
struct ActiveDialog {
    request: UserRequest,
    dialog: JoinHandle<DialogOutcome>,
    signals: DialogSignals,
}

impl TurnFollower {
    pub(super) fn new(options: RunOptions) -> Self {
        Self {
            options,
            attended: !options.json && !options.auto && io::stdin().is_terminal(),
            view: TextView::new(),
            requests: VecDeque::new(),
            asking: None,
            deferred: Vec::new(),
            after: Vec::new(),
            interrupted: false,
            output_error: None,
            refused_unasked: 0,
        }
    }

    /// Follows to the end of the turn.
    pub(super) async fn follow(
        mut self,
        followed: FollowedSession,
        mut interrupts: InterruptSignals,
    ) -> anyhow::Result<FollowOutcome> {
        let FollowedSession { mut messages, reviews, cancel } = followed;
        let mut cancelled: Option<oneshot::Receiver<()>> = None;
        let mut ticks = tokio::time::interval(STATUS_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                message = messages.recv(), if !self.is_closed() => {
                    let lost = || FollowerMessage::Closed("the session ended unexpectedly".to_owned());
                    if let Some(end) = self.handle_message(message.unwrap_or_else(lost))? {
                        return self.ended(end);
                    }
                }
                outcome = next_outcome(&mut self.asking) => {
                    if let Some(end) = self.handle_outcome(outcome)? {
                        return self.ended(end);
                    }
                }
                _ = ticks.tick() => {
                    if self.is_watched() {
                        self.view.wait();
                    }
                    // Notice a reader that leaves while nothing is printed.
                    self.record_output_error(terminal::check_stdout_open());
                }
                // In an editor Ctrl-C has its own meaning.
                () = interrupts.next() => if !self.is_editing() {
                    if self.interrupted {
                        // A user who leaves before the cancellation arrives would leave the turn running.
                        let _ = timeout(CANCEL_TIMEOUT, async { cancelled.take()?.await.ok() }).await;
                        terminal::remark("left at once");
                        return Ok(FollowOutcome { end: None, refused_unasked: self.refused_unasked });
                    }
                    self.interrupted = true;
                    if !self.options.json {
                        let shown = self.view.interrupted(self.asking.is_some());
                        self.record_output_error(shown);
                    }
                    self.withdraw_question();
                    cancelled = Some(cancel());
                }
            }
            self.ask_next(&reviews);
            if self.output_error.is_some() && !self.interrupted {
                self.interrupted = true;
                self.withdraw_question();
                cancelled = Some(cancel());
            }
        }
    }

    /// Reports a turn whose output failed, and calls refused because no user could approve them.
    fn ended(self, end: TurnEndInfo) -> anyhow::Result<FollowOutcome> {
        match self.output_error {
            Some(error) if !terminal::is_stdout_closed(&error) => {
                return Err(error).context("cannot write to standard output; the turn was cancelled");
            }
            Some(error) if end == TurnEndInfo::Cancelled => {
                terminal::remark(format_args!("{error}: the turn was cancelled"));
            }
            _ => {}
        }
        let refused = match self.refused_unasked {
            0 => return Ok(FollowOutcome { end: Some(end), refused_unasked: 0 }),
            1 => "1 tool call was refused because nobody could approve it".to_owned(),
            several => format!("{several} tool calls were refused because nobody could approve them"),
        };
        terminal::warn(format_args!(
            "{refused}: use `--auto`, or allow it by a rule under `permission` in the \
             configuration"
        ));
        Ok(FollowOutcome { end: Some(end), refused_unasked: self.refused_unasked })
    }

    fn handle_message(&mut self, message: FollowerMessage) -> anyhow::Result<Option<TurnEndInfo>> {
        if let Some(asking) = &self.asking {
            let ends = match &message {
                FollowerMessage::Event(EventInfo::TurnEnded { .. }) | FollowerMessage::Closed(_) => true,
                FollowerMessage::Settled { id, .. } => id == asking.request.id(),
                _ => false,
            };
            if ends || !self.after.is_empty() {
                self.after.push(message);
                self.withdraw_question();
                return Ok(None);
            }
        }
        match message {
            FollowerMessage::Event(EventInfo::TurnEnded { end, turn }) => {
                self.show(&EventInfo::TurnEnded { end: end.clone(), turn });
                return Ok(Some(end));
            }
            FollowerMessage::Event(event) => {
                match (&event, self.asking.is_some() && !self.options.json) {
                    (_, false) => self.show(&event),
                    // Only the last progress counts.
                    (EventInfo::Progress { part, metadata }, true) => self.view.progress(part, metadata),
                    (_, true) => self.deferred.push(event),
                }
            }
            FollowerMessage::Request { request, owner } => self.queue_request(request, owner),
            FollowerMessage::Settled { id, .. } => self.requests.retain(|request| request.id() != id),
            FollowerMessage::ReviewChanged => {
                if let Some(asking) = &self.asking {
                    asking.signals.changed.notify_one();
                }
            }
            FollowerMessage::Queued if self.options.json => {}
            FollowerMessage::Queued => self.view.queued(),
            FollowerMessage::Closed(message) => anyhow::bail!(message),
        }
        Ok(None)
    }

    /// Replies by itself in an unattended run, else queues the request for the user.
    fn queue_request(&mut self, request: UserRequest, owner: TurnOwner) {
        // A daemon sends a request again after we attach again; the newer one counts.
        self.requests.retain(|known| known.id() != request.id());
        if self.attended {
            self.requests.push_back(request);
            return;
        }
        if owner == TurnOwner::Others {
            return;
        }
        if !self.options.json && self.output_error.is_none() {
            let shown = self.show_unasked(&request);
            self.record_output_error(shown);
        }
        // Approve nothing that could not be shown.
        if self.output_error.is_some() {
            return;
        }
        let part = request.part().to_owned();
        if let (UserRequest::Ask(ask, _), false) = (&request, self.options.auto) {
            // A plan needs no approval to be useful.
            self.refused_unasked += usize::from(ask.key != "plan_exit");
            self.view.refused(&part, CallRefusal::Nobody);
        }
        request.reply_unattended(self.options.auto);
        if self.is_watched() {
            self.view.call_resumed(&part);
        }
    }

    /// Shows a request that an unattended run answers by itself.
    fn show_unasked(&mut self, request: &UserRequest) -> io::Result<()> {
        match request {
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
                all.try_for_each(|(index, one)| terminal::print(questions::shown(asked, one, index)))
            }
        }
    }

    fn ask_next(&mut self, reviews: &ReviewRequests) {
        if self.asking.is_some() || self.interrupted || self.output_error.is_some() {
            return;
        }
        let Some(request) = self.requests.pop_front() else { return };
        let signals = DialogSignals::default();
        let (shown, dialog) = match &request {
            UserRequest::Ask(ask, _) => {
                let shown = self.view.ask(ask);
                self.view.mark_change_shown(ask);
                let asking = hunk_dialog::ask(ask.clone(), reviews.clone(), signals.clone());
                let dialog = tokio::spawn(async move {
                    let (answer, counts) = asking.await;
                    DialogOutcome::Ask(answer, counts)
                });
                (shown, dialog)
            }
            UserRequest::Questions(asked, _) => {
                let shown = self.view.question(asked);
                let asking = questions::ask(asked.clone(), signals.withdrawn.clone());
                (shown, tokio::spawn(async move { DialogOutcome::Answers(asking.await) }))
            }
        };
        self.asking = Some(ActiveDialog { request, dialog, signals });
        self.record_output_error(shown);
    }

    /// Handles the user's answer, then everything that came meanwhile, which may end the turn.
    fn handle_outcome(&mut self, outcome: DialogOutcome) -> anyhow::Result<Option<TurnEndInfo>> {
        let Some(asking) = self.asking.take() else { return Ok(None) };
        let after = std::mem::take(&mut self.after);
        let (id, part) = (asking.request.id().to_owned(), asking.request.part().to_owned());
        match (asking.request, outcome) {
            (UserRequest::Ask(_, answer), DialogOutcome::Ask(DialogAnswer::Reply(reply), counts)) => {
                let refused = if counts.accepted == 0 { CallRefusal::All } else { CallRefusal::Rest };
                let stops = matches!(reply, PermissionReply::Reject { .. });
                if stops {
                    self.view.refused(&part, refused);
                }
                if self.is_at_terminal(reply == PermissionReply::Cancelled)? {
                    // Fails if the asker is gone, which then needs no reply.
                    let _ = answer.send(reply);
                }
                if stops {
                    self.show_kept(counts);
                }
            }
            (UserRequest::Ask(..), DialogOutcome::Ask(DialogAnswer::Decided, counts)) => {
                if counts.accepted == 0 {
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
            (_, DialogOutcome::Ask(DialogAnswer::Withdrawn(question), counts)) => {
                self.show_withdrawn(question, &id, &after);
                self.show_kept(counts);
            }
            (_, DialogOutcome::Answers(Err(question))) => self.show_withdrawn(question, &id, &after),
            (_, DialogOutcome::Ask(..) | DialogOutcome::Answers(_) | DialogOutcome::Nothing) => {}
        }
        self.show_deferred();
        if self.is_watched() {
            self.view.call_resumed(&part);
        }
        for message in after {
            if let Some(end) = self.handle_message(message)? {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// False if the terminal hung up while standard output is a broken pipe; if only the terminal is gone, an
    /// error, because its SIGHUP may be ignored here.
    fn is_at_terminal(&mut self, is_gone: bool) -> anyhow::Result<bool> {
        if is_gone {
            self.record_output_error(terminal::check_stdout_open());
            anyhow::ensure!(self.output_error.is_some(), "the terminal is gone");
        }
        Ok(!is_gone)
    }

    /// Says that accepted hunks stay.
    fn show_kept(&mut self, counts: DecisionCounts) {
        if counts.accepted > 0 && self.output_error.is_none() {
            let shown = self.view.kept(counts.accepted);
            self.record_output_error(shown);
        }
    }

    /// Another client was first, or the turn is over.
    fn show_withdrawn(&mut self, question: WithdrawnQuestion, id: &str, after: &[FollowerMessage]) {
        if self.interrupted {
            return;
        }
        let settled = after.iter().find_map(|message| match message {
            FollowerMessage::Settled { id: settled, by } if settled == id => Some(by.as_deref()),
            _ => None,
        });
        let ended = if question.is_open { terminal::print("") } else { Ok(()) };
        let shown = ended.and_then(|()| settled.map_or(Ok(()), |by| self.view.decided(by)));
        self.record_output_error(shown);
    }

    /// Ends the question, whatever is typed.
    fn withdraw_question(&self) {
        if let Some(asking) = &self.asking {
            asking.signals.withdrawn.cancel();
        }
    }

    /// No more messages follow; an editor may still own the terminal.
    fn is_closed(&self) -> bool {
        self.after.iter().any(|message| matches!(message, FollowerMessage::Closed(_)))
    }

    /// The user does not type, and the status line may change.
    fn is_watched(&self) -> bool {
        self.asking.is_none() && !self.options.json && !self.interrupted && self.output_error.is_none()
    }

    fn is_editing(&self) -> bool {
        self.asking.as_ref().is_some_and(|asking| asking.signals.editing.load(Ordering::SeqCst))
    }

    pub(super) fn show(&mut self, event: &EventInfo) {
        if self.output_error.is_some() {
            return;
        }
        if let EventInfo::Warning { message } = event {
            terminal::warn(message);
        }
        let shown = if self.options.json { terminal::print_line(event) } else { self.view.show(event) };
        // Not every event is printed, so check the pipe.
        self.record_output_error(shown.and_then(|()| terminal::check_stdout_open()));
    }

    fn show_deferred(&mut self) {
        let deferred = std::mem::take(&mut self.deferred);
        deferred.iter().for_each(|event| self.show(event));
    }

    fn record_output_error(&mut self, shown: io::Result<()>) {
        self.output_error = self.output_error.take().or(shown.err());
    }
}

/// The outcome of the dialog; pending while nothing is asked.
async fn next_outcome(asking: &mut Option<ActiveDialog>) -> DialogOutcome {
    match asking {
        Some(asking) => (&mut asking.dialog).await.unwrap_or(DialogOutcome::Nothing),
        None => std::future::pending().await,
    }
}
