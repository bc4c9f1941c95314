//! Lines that a person types on the terminal.
//!
//! Invariant: nothing is read before there is a line to read, so that a question can be taken back at any time.

use std::io::{self, BufRead as _, PipeReader, PipeWriter};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::termios::{QueueSelector, tcflush};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::terminal::{print, print_inline};

/// What came of a question.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TerminalInput {
    Line(String),
    /// Ctrl-D.
    Nothing,
    /// The terminal is gone, and whoever was at it: they have not said no.
    HungUp,
    Withdrawn(WithdrawnQuestion),
}

/// A question that is over before it was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WithdrawnQuestion {
    /// The line on which the answer was typed has no end.
    pub(super) is_open: bool,
}

/// A question on the terminal that waits for its line.
pub(super) struct TerminalQuestion {
    typed: JoinHandle<TerminalInput>,
    /// Closed, it takes the question back.
    open: PipeWriter,
}

impl TerminalQuestion {
    pub(super) fn show(words: String) -> io::Result<Self> {
        let (taken_back, open) = io::pipe()?;
        let typed = tokio::task::spawn_blocking(move || read(&words, &taken_back));
        Ok(Self { typed, open })
    }

    /// May be waited for again when something else came first.
    pub(super) async fn wait_for_input(&mut self) -> TerminalInput {
        (&mut self.typed).await.unwrap_or(TerminalInput::HungUp)
    }

    /// Nobody reads the terminal any more when this is done.
    pub(super) async fn withdraw(self) {
        drop(self.open);
        let _ = self.typed.await;
    }
}

/// The line that is typed, unless the question is over before.
pub(super) async fn ask(words: String, over: &CancellationToken) -> TerminalInput {
    if over.is_cancelled() {
        return TerminalInput::Withdrawn(WithdrawnQuestion { is_open: false });
    }
    let Ok(mut question) = TerminalQuestion::show(words) else { return TerminalInput::HungUp };
    let typed = tokio::select! {
        typed = question.wait_for_input() => Some(typed),
        () = over.cancelled() => None,
    };
    match typed {
        Some(typed) => typed,
        None => {
            question.withdraw().await;
            TerminalInput::Withdrawn(WithdrawnQuestion { is_open: true })
        }
    }
}

/// What was typed before a question is there does not answer it.
pub(super) fn discard_input() {
    let _ = tcflush(io::stdin(), QueueSelector::IFlush);
}

fn read(words: &str, taken_back: &PipeReader) -> TerminalInput {
    if print_inline(words).is_err() {
        return TerminalInput::HungUp;
    }
    // A terminal has something to read when a line is complete.
    let stdin = io::stdin();
    loop {
        let mut either = [PollFd::new(&stdin, PollFlags::IN), PollFd::new(taken_back, PollFlags::IN)];
        match poll(&mut either, None) {
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => return TerminalInput::HungUp,
            Ok(_) => {}
        }
        let [typed, taken_back] = either.map(|one| one.revents());
        if typed.intersects(PollFlags::HUP | PollFlags::ERR) {
            return TerminalInput::HungUp;
        }
        if !taken_back.is_empty() {
            return TerminalInput::Withdrawn(WithdrawnQuestion { is_open: true });
        }
        if !typed.is_empty() {
            break;
        }
    }
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line);
    if !line.ends_with('\n') {
        // Ended by Ctrl-D, which moves no cursor.
        let _ = print("");
    }
    match read {
        Ok(0) => TerminalInput::Nothing,
        Ok(_) => TerminalInput::Line(line),
        Err(_) => TerminalInput::HungUp,
    }
}
