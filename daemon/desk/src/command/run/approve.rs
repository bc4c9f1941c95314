//! The person's word on an ask, typed on the terminal.
//!
//! Invariant: only what is typed after the question is there answers it.
//! Invariant: nothing is read before there is a line to read, so that a question can be taken back at any time.

use std::io::{self, BufRead as _, PipeReader};

use copydesk_protocol::ask::{Ask, PermissionReply};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::termios::{QueueSelector, tcflush};

use crate::terminal::{BOLD, columns, columns_of, cut, one_line, print, print_inline, styled};

/// What a terminal gives.
enum Typed {
    Line(String),
    /// Ctrl-D, or a question that was taken back.
    Nothing,
    /// The terminal is gone, and whoever was at it: they have not said no.
    HungUp,
}

/// Room for the answer.
const ANSWER: usize = 8;

/// Blocks. The question is taken back when the other end of the pipe is closed; then what is replied counts for nothing.
pub(super) fn ask(ask: &Ask, taken_back: &PipeReader) -> PermissionReply {
    let question = question(ask, columns());
    let _ = tcflush(io::stdin(), QueueSelector::IFlush);
    loop {
        let line = match read(&question, taken_back) {
            Typed::Line(line) => line,
            Typed::Nothing => return PermissionReply::Reject { reason: None },
            Typed::HungUp => return PermissionReply::Cancelled,
        };
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => return PermissionReply::Once,
            "a" | "always" if !ask.always.is_empty() => return PermissionReply::Always,
            "n" | "no" => return PermissionReply::Reject { reason: None },
            "r" => {
                let reason = match read("  because › ", taken_back) {
                    Typed::Line(reason) => Some(reason.trim().to_owned()).filter(|reason| !reason.is_empty()),
                    Typed::Nothing => None,
                    Typed::HungUp => return PermissionReply::Cancelled,
                };
                return PermissionReply::Reject { reason };
            }
            other => {
                let keys = if ask.always.is_empty() { "y, n or r" } else { "y, a, n or r" };
                let what =
                    if other.is_empty() { String::new() } else { format!("not `{}`: ", cut(other, 20)) };
                let _ = print(format!("  {what}type {keys}, then Enter"));
            }
        }
    }
}

/// The keys and what they mean, on one line where that fits.
fn question(ask: &Ask, columns: usize) -> String {
    let mut keys = vec![("y", "yes".to_owned())];
    if !ask.always.is_empty() {
        keys.push(("a", format!("always ({}: {})", ask.key, one_line(&ask.always.join(", ")))));
    }
    keys.push(("n", "no, stop".to_owned()));
    keys.push(("r", "no, because…".to_owned()));
    let width: usize = keys.iter().map(|(_, meaning)| "  [y] ".len() + columns_of(meaning)).sum();
    let key = |(key, meaning): &(&str, String)| format!("  [{}] {meaning}", styled(BOLD, key));
    let keys: Vec<_> = keys.iter().map(key).collect();
    if width + ANSWER <= columns {
        format!("{}  › ", keys.concat())
    } else {
        format!("{}\n  › ", keys.join("\n"))
    }
}

fn read(question: &str, taken_back: &PipeReader) -> Typed {
    if print_inline(question).is_err() {
        return Typed::HungUp;
    }
    // A terminal has something to read when a line is complete.
    let stdin = io::stdin();
    loop {
        let mut either = [PollFd::new(&stdin, PollFlags::IN), PollFd::new(taken_back, PollFlags::IN)];
        match poll(&mut either, None) {
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => return Typed::HungUp,
            Ok(_) => {}
        }
        let [typed, taken_back] = either.map(|one| one.revents());
        if typed.intersects(PollFlags::HUP | PollFlags::ERR) {
            return Typed::HungUp;
        }
        if !taken_back.is_empty() {
            return Typed::Nothing;
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
        Ok(0) => Typed::Nothing,
        Ok(_) => Typed::Line(line),
        Err(_) => Typed::HungUp,
    }
}
