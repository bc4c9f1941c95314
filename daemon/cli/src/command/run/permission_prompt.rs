//! Asks the user about a call as a whole, in the terminal.
//!
//! Invariant: only input typed after the question appears answers it.

use std::sync::atomic::Ordering;

use copydesk_protocol::permission::{AlwaysScopeInfo, PermissionAskInfo, PermissionReply};

use super::external_editor::{self, CUT};
use super::hunk_dialog::DialogSignals;
use super::terminal_input::{self, TerminalInput, WithdrawnQuestion};
use crate::terminal::{BOLD, DIM, WARNING, columns, columns_of, cut, one_line, print, styled};

/// Columns for the answer.
const ANSWER_COLUMNS: usize = 8;

/// Below the patterns in the editor.
const EDIT_HELP: &str = "# Above is what \"always\" would allow, one pattern per line. `*` stands for anything.\n\
                         # Save and close; nothing is allowed before you choose \"always\" in the terminal.\n\
                         # This line and those below are ignored.\n";

pub(super) async fn ask(
    ask: &PermissionAskInfo,
    signals: &DialogSignals,
) -> Result<PermissionReply, WithdrawnQuestion> {
    let withdrawn = &signals.withdrawn;
    // A plan is a question by itself.
    if let Some(why) = ask.why.as_ref().filter(|_| ask.key != "plan_exit") {
        let _ = print(format!("  why: {}", one_line(why)));
    }
    if let Some(problem) = &ask.problem {
        let _ = print(format!("  {} {}", styled(WARNING, "not accepted:"), one_line(problem)));
    }
    let mut edited: Option<Vec<String>> = None;
    terminal_input::discard_input();
    loop {
        let always = edited.as_ref().unwrap_or(&ask.always);
        let keys = keys(ask, always);
        let line = match terminal_input::ask(question(&keys, columns()), withdrawn).await {
            TerminalInput::Line(line) => line,
            TerminalInput::Nothing => return Ok(PermissionReply::Reject { reason: None }),
            TerminalInput::HungUp => return Ok(PermissionReply::Cancelled),
            TerminalInput::Withdrawn(question) => return Err(question),
        };
        let typed = line.trim().to_lowercase();
        let key = keys.iter().find(|(key, _)| *key == typed || long_name(key) == typed);
        match key.map(|(key, _)| *key) {
            Some("y") => return Ok(PermissionReply::Once),
            Some("a") => {
                return Ok(PermissionReply::Always { scope: AlwaysScopeInfo::Session, patterns: edited });
            }
            Some("p") => {
                return Ok(PermissionReply::Always { scope: AlwaysScopeInfo::Project, patterns: edited });
            }
            Some("e") => edited = edit(always, signals).await.or(edited),
            Some("n") => return Ok(PermissionReply::Reject { reason: None }),
            Some("r") => {
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
            _ => {
                let names: Vec<_> = keys.iter().map(|(key, _)| *key).collect();
                explain(&typed, &listed(&names));
            }
        }
    }
}

/// The user edits the patterns in their editor. `None` if they did not.
async fn edit(always: &[String], signals: &DialogSignals) -> Option<Vec<String>> {
    let editor = external_editor::editor();
    let remark = |text: &str| drop(print(styled(DIM, format!("  {text}"))));
    remark(&format!("waiting for `{editor}`…"));
    let text = format!("{}\n{CUT}\n{EDIT_HELP}", always.join("\n"));
    signals.editing.store(true, Ordering::SeqCst);
    let saved = tokio::task::spawn_blocking(move || external_editor::edit_text(&text, "", &editor)).await;
    signals.editing.store(false, Ordering::SeqCst);
    terminal_input::discard_input();
    let saved = saved.ok()?.inspect_err(|reason| remark(reason)).ok()?;
    let lines = external_editor::lines_above_cut(&saved).map(str::trim).filter(|line| !line.is_empty());
    let patterns: Vec<_> = lines.map(str::to_owned).collect();
    if patterns.is_empty() {
        remark("no pattern is left, so nothing is changed");
        return None;
    }
    Some(patterns)
}

fn long_name(key: &str) -> &'static str {
    match key {
        "y" => "yes",
        "a" => "always",
        "p" => "project",
        "e" => "edit",
        "n" => "no",
        _ => "",
    }
}

/// `y, a or n`
fn listed(keys: &[&str]) -> String {
    match keys.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => keys.concat(),
    }
}

/// Lists the keys after an unknown one.
pub(super) fn explain(typed: &str, keys: &str) {
    let what = if typed.is_empty() { String::new() } else { format!("not `{}`: ", cut(typed, 20)) };
    let _ = print(format!("  {what}type {keys}, then Enter"));
}

fn keys(ask: &PermissionAskInfo, always: &[String]) -> Vec<(&'static str, String)> {
    let mut keys = vec![("y", "yes".to_owned())];
    if !always.is_empty() {
        keys.push(("a", format!("always ({}: {})", ask.key, one_line(&always.join(", ")))));
        if ask.project_always {
            keys.push(("p", "always in this project".to_owned()));
        }
        keys.push(("e", "edit what always allows".to_owned()));
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
