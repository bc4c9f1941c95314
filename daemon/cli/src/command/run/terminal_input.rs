//! Reads lines that the user types.
//!
//! Invariant: nothing is read before a whole line is available, so that a question can be withdrawn at any
//! time.

use std::io::{self, BufRead as _, PipeReader, PipeWriter};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::termios::{QueueSelector, tcflush};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::terminal::{print, print_inline};

/// The outcome of a question.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TerminalInput {
    Line(String),
    /// Ctrl-D.
    Nothing,
    /// The terminal is gone; that is not a no.
    HungUp,
    Withdrawn(WithdrawnQuestion),
}

/// A question withdrawn before it was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WithdrawnQuestion {
    /// The cursor is still on the line of the answer.
    pub(super) is_open: bool,
}

/// A question on the terminal that waits for a line.
pub(super) struct TerminalQuestion {
    typed: JoinHandle<TerminalInput>,
    /// Closing it withdraws the question.
    open: PipeWriter,
}

impl TerminalQuestion {
    pub(super) fn show(text: String) -> io::Result<Self> {
        let (withdrawn, open) = io::pipe()?;
        let typed = tokio::task::spawn_blocking(move || read(&text, &withdrawn));
        Ok(Self { typed, open })
    }

    /// Cancel-safe: may be called again if something else came first.
    pub(super) async fn wait_for_input(&mut self) -> TerminalInput {
        (&mut self.typed).await.unwrap_or(TerminalInput::HungUp)
    }

    /// When this returns, nothing reads the terminal any more.
    pub(super) async fn withdraw(self) {
        drop(self.open);
        let _ = self.typed.await;
    }
}

/// Asks for a line, unless the question is withdrawn first.
pub(super) async fn ask(text: String, withdrawn: &CancellationToken) -> TerminalInput {
    if withdrawn.is_cancelled() {
        return TerminalInput::Withdrawn(WithdrawnQuestion { is_open: false });
    }
    let Ok(mut question) = TerminalQuestion::show(text) else { return TerminalInput::HungUp };
    let typed = tokio::select! {
        typed = question.wait_for_input() => Some(typed),
        () = withdrawn.cancelled() => None,
    };
    match typed {
        Some(typed) => typed,
        None => {
            question.withdraw().await;
            TerminalInput::Withdrawn(WithdrawnQuestion { is_open: true })
        }
    }
}

/// Discards input typed before a question appears: it must not answer it.
pub(super) fn discard_input() {
    let _ = tcflush(io::stdin(), QueueSelector::IFlush);
}

fn read(text: &str, withdrawn: &PipeReader) -> TerminalInput {
    if print_inline(text).is_err() {
        return TerminalInput::HungUp;
    }
    // A terminal becomes readable when a line is complete.
    let stdin = io::stdin();
    loop {
        let mut ready = [PollFd::new(&stdin, PollFlags::IN), PollFd::new(withdrawn, PollFlags::IN)];
        match poll(&mut ready, None) {
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => return TerminalInput::HungUp,
            Ok(_) => {}
        }
        let [typed, withdrawn] = ready.map(|one| one.revents());
        if typed.intersects(PollFlags::HUP | PollFlags::ERR) {
            return TerminalInput::HungUp;
        }
        if !withdrawn.is_empty() {
            return TerminalInput::Withdrawn(WithdrawnQuestion { is_open: true });
        }
        if !typed.is_empty() {
            break;
        }
    }
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line);
    if !line.ends_with('\n') {
        // Ctrl-D ended the line and did not move the cursor.
        let _ = print("");
    }
    match read {
        Ok(0) => TerminalInput::Nothing,
        Ok(_) => TerminalInput::Line(line),
        Err(_) => TerminalInput::HungUp,
    }
}
