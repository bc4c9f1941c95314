//! The keys at a hunk, which are those of `git add -p` where it has such.

use copydesk_protocol::permission::PermissionAskInfo;

use super::super::permission_prompt;
use crate::terminal::{BOLD, one_line, styled};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HunkKey {
    Yes,
    No,
    Edit,
    Comment,
    /// Yes to the rest of the file.
    All,
    /// No to the rest of the file.
    Neither,
    Always,
    Stop,
    Print,
    Help,
}

impl HunkKey {
    pub(super) fn parse(typed: &str) -> Option<Self> {
        // The only key whose size matters.
        if typed == "A" {
            return Some(Self::Always);
        }
        Some(match typed.to_lowercase().as_str() {
            "y" | "yes" => Self::Yes,
            "n" | "no" => Self::No,
            "e" | "edit" => Self::Edit,
            // What it is at other asks.
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

/// The question. With one hunk it has words; with several the keys come again and again.
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

/// What each key does.
pub(super) fn help(ask: &PermissionAskInfo) -> String {
    let always = format!("yes, and do not ask again ({}: {})", ask.key, one_line(&ask.always.join(", ")));
    let mut keys = vec![
        ("y", "yes, accept this hunk"),
        ("n", "no, reject this hunk; the model is told"),
        ("e", "accept it as you edit it, in $VISUAL or $EDITOR"),
        ("c", "reject it and say why; the model is told that too"),
        ("a", "accept this hunk and all that follow in the file"),
        ("d", "reject this hunk and all that follow in the file"),
    ];
    if !ask.always.is_empty() {
        keys.push(("A", &always));
    }
    keys.extend([
        ("q", "no, and stop the turn; what you have accepted stays"),
        ("p", "print this hunk again, all of it"),
        ("?", "print this help"),
    ]);
    let lines: Vec<_> =
        keys.into_iter().map(|(key, meaning)| format!("  {}  {meaning}", styled(BOLD, key))).collect();
    lines.join("\n")
}
