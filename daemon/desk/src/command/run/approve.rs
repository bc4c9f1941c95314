//! The person's word on an ask, typed on the terminal.

use std::io::{self, BufRead as _};

use copydesk_permission::Reply;
use copydesk_session::Asked;

use crate::terminal::{BOLD, DIM, print_inline, styled};

pub(crate) fn ask(asked: &Asked) -> Reply {
    loop {
        let always = match asked.always.as_slice() {
            [] => String::new(),
            patterns => {
                let what = format!("({}: {})", asked.key, patterns.join(", "));
                format!("  {} always {}", styled(BOLD, "a"), styled(DIM, what))
            }
        };
        let question = format!(
            "  {} once{always}  {} no  {} no, because… ",
            styled(BOLD, "y"),
            styled(BOLD, "n"),
            styled(BOLD, "r")
        );
        let Some(line) = read(&question) else { return Reply::Reject { reason: None } };
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => return Reply::Once,
            "a" | "always" if !asked.always.is_empty() => return Reply::Always,
            "n" | "no" => return Reply::Reject { reason: None },
            "r" => {
                let reason = read("  because: ").unwrap_or_default();
                let reason = Some(reason.trim().to_owned()).filter(|reason| !reason.is_empty());
                return Reply::Reject { reason };
            }
            _ => {}
        }
    }
}

fn read(question: &str) -> Option<String> {
    print_inline(question).ok()?;
    let mut line = String::new();
    match io::stdin().lock().read_line(&mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(line),
    }
}
