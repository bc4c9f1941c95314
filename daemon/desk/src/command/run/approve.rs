//! The person's word on an ask, typed on the terminal.
//!
//! Invariant: only what is typed after the question is there answers it.

use std::io::{self, BufRead as _};

use copydesk_permission::Reply;
use copydesk_session::Asked;
use rustix::termios::{QueueSelector, tcflush};

use crate::terminal::{BOLD, columns, columns_of, cut, one_line, print, print_inline, styled};

/// Room for the answer.
const ANSWER: usize = 8;

pub(crate) fn ask(asked: &Asked) -> Reply {
    let question = question(asked, columns());
    let _ = tcflush(io::stdin(), QueueSelector::IFlush);
    loop {
        let Some(line) = read(&question) else { return Reply::Reject { reason: None } };
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => return Reply::Once,
            "a" | "always" if !asked.always.is_empty() => return Reply::Always,
            "n" | "no" => return Reply::Reject { reason: None },
            "r" => {
                let reason = read("  because › ").unwrap_or_default();
                let reason = Some(reason.trim().to_owned()).filter(|reason| !reason.is_empty());
                return Reply::Reject { reason };
            }
            other => {
                let keys = if asked.always.is_empty() { "y, n or r" } else { "y, a, n or r" };
                let what =
                    if other.is_empty() { String::new() } else { format!("not `{}`: ", cut(other, 20)) };
                let _ = print(format!("  {what}type {keys}, then Enter"));
            }
        }
    }
}

/// The keys and what they mean, on one line where that fits.
fn question(asked: &Asked, columns: usize) -> String {
    let mut keys = vec![("y", "yes".to_owned())];
    if !asked.always.is_empty() {
        keys.push(("a", format!("always ({}: {})", asked.key, one_line(&asked.always.join(", ")))));
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

/// A line; none where there is nobody to type one.
fn read(question: &str) -> Option<String> {
    print_inline(question).ok()?;
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line);
    if !line.ends_with('\n') {
        // Ended by Ctrl-D, which moves no cursor.
        print("").ok()?;
    }
    match read {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(line),
    }
}
