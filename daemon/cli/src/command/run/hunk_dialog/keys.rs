//! The keys at a hunk: those of `git add -p` if it has them.

use copydesk_protocol::permission::PermissionAskInfo;

use super::super::permission_prompt;
use crate::terminal::{BOLD, one_line, styled};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HunkKey {
    Yes,
    No,
    Edit,
    Comment,
    /// Accept the rest of the file.
    All,
    /// Reject the rest of the file.
    Neither,
    Always,
    Stop,
    Print,
    Help,
}

impl HunkKey {
    pub(super) fn parse(typed: &str) -> Option<Self> {
        // The only key whose case matters.
        if typed == "A" {
            return Some(Self::Always);
        }
        Some(match typed.to_lowercase().as_str() {
            "y" | "yes" => Self::Yes,
            "n" | "no" => Self::No,
            "e" | "edit" => Self::Edit,
            // `r` is the key for this at other asks.
            "c" | "r" => Self::Comment,
            "a" | "all" => Self::All,
            "d" => Self::Neither,
            "always" => Self::Always,
            "q" | "quit" => Self::Stop,
            "p" => Self::Print,
            "?" | "h" | "help" => Self::Help,
            _ => return None,
        })
    }
}

/// The question: with words for a single hunk; with keys only for several, because it repeats.
pub(super) fn question(ask: &PermissionAskInfo, is_single: bool, columns: usize) -> String {
    if !is_single {
        return format!("  {} [{}] › ", styled(BOLD, "accept this hunk?"), list(ask, is_single, ","));
    }
    let mut keys = vec![("y", "yes"), ("n", "no"), ("e", "edit")];
    if !ask.always.is_empty() {
        keys.push(("A", "always"));
    }
    keys.extend([("q", "no, stop"), ("c", "no, because…")]);
    let keys: Vec<_> = keys.into_iter().map(|(key, meaning)| (key, meaning.to_owned())).collect();
    permission_prompt::question(&keys, columns)
}

pub(super) fn explain(typed: &str, ask: &PermissionAskInfo, is_single: bool) {
    permission_prompt::explain(typed, &list(ask, is_single, ", "));
}

fn list(ask: &PermissionAskInfo, is_single: bool, between: &str) -> String {
    let keys = if is_single { "y n e c A q ?" } else { "y n e c a d A q ?" };
    let keys = keys.split(' ').filter(|key| *key != "A" || !ask.always.is_empty());
    keys.collect::<Vec<_>>().join(between)
}

pub(super) fn help(ask: &PermissionAskInfo) -> String {
    let always = format!("accept, and do not ask again ({}: {})", ask.key, one_line(&ask.always.join(", ")));
    let mut keys = vec![
        ("y", "accept this hunk"),
        ("n", "reject this hunk; the model is told"),
        ("e", "edit this hunk in $VISUAL or $EDITOR, then accept it"),
        ("c", "reject this hunk with a comment for the model"),
        ("a", "accept this hunk and all that follow in the file"),
        ("d", "reject this hunk and all that follow in the file"),
    ];
    if !ask.always.is_empty() {
        keys.push(("A", &always));
    }
    keys.extend([
        ("q", "reject, and stop the turn; accepted hunks stay"),
        ("p", "print the whole hunk again"),
        ("?", "print this help"),
    ]);
    let lines: Vec<_> =
        keys.into_iter().map(|(key, meaning)| format!("  {}  {meaning}", styled(BOLD, key))).collect();
    lines.join("\n")
}
