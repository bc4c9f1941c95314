//! Asks the user about a call as a whole, in the terminal.
//!
//! Invariant: only input typed after the question appears answers it.

use copydesk_protocol::permission::{PermissionAskInfo, PermissionReply};
use tokio_util::sync::CancellationToken;

use super::terminal_input::{self, TerminalInput, WithdrawnQuestion};
use crate::terminal::{BOLD, columns, columns_of, cut, one_line, print, styled};

/// Columns for the answer.
const ANSWER_COLUMNS: usize = 8;

pub(super) async fn ask(
    ask: &PermissionAskInfo,
    withdrawn: &CancellationToken,
) -> Result<PermissionReply, WithdrawnQuestion> {
    let question = question(&keys(ask), columns());
    // A plan is a question by itself.
    if let Some(why) = ask.why.as_ref().filter(|_| ask.key != "plan_exit") {
        let _ = print(format!("  why: {}", one_line(why)));
    }
    terminal_input::discard_input();
    loop {
        let line = match terminal_input::ask(question.clone(), withdrawn).await {
            TerminalInput::Line(line) => line,
            TerminalInput::Nothing => return Ok(PermissionReply::Reject { reason: None }),
            TerminalInput::HungUp => return Ok(PermissionReply::Cancelled),
            TerminalInput::Withdrawn(question) => return Err(question),
        };
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(PermissionReply::Once),
            "a" | "always" if !ask.always.is_empty() => return Ok(PermissionReply::Always),
            "n" | "no" => return Ok(PermissionReply::Reject { reason: None }),
            "r" => {
                let reason = match terminal_input::ask("  because › ".to_owned(), withdrawn).await {
                    TerminalInput::Line(reason) => {
                        Some(reason.trim().to_owned()).filter(|reason| !reason.is_empty())
                    }
                    TerminalInput::Nothing => None,
                    TerminalInput::HungUp => return Ok(PermissionReply::Cancelled),
                    TerminalInput::Withdrawn(question) => return Err(question),
                };
                return Ok(PermissionReply::Reject { reason });
            }
            other => explain(other, if ask.always.is_empty() { "y, n or r" } else { "y, a, n or r" }),
        }
    }
}

/// Lists the keys after an unknown one.
pub(super) fn explain(typed: &str, keys: &str) {
    let what = if typed.is_empty() { String::new() } else { format!("not `{}`: ", cut(typed, 20)) };
    let _ = print(format!("  {what}type {keys}, then Enter"));
}

fn keys(ask: &PermissionAskInfo) -> Vec<(&'static str, String)> {
    let mut keys = vec![("y", "yes".to_owned())];
    if !ask.always.is_empty() {
        keys.push(("a", format!("always ({}: {})", ask.key, one_line(&ask.always.join(", ")))));
    }
    keys.push(("n", "no, stop".to_owned()));
    keys.push(("r", "no, because…".to_owned()));
    keys
}

/// The keys with their meanings, on one line if they fit.
pub(super) fn question(keys: &[(&str, String)], columns: usize) -> String {
    let width: usize = keys.iter().map(|(_, meaning)| "  [y] ".len() + columns_of(meaning)).sum();
    let key = |(key, meaning): &(&str, String)| format!("  [{}] {meaning}", styled(BOLD, key));
    let keys: Vec<_> = keys.iter().map(key).collect();
    if width + ANSWER_COLUMNS <= columns {
        format!("{}  › ", keys.concat())
    } else {
        format!("{}\n  › ", keys.join("\n"))
    }
}
