//! Edits the new lines of a hunk in the user's own editor.

use std::path::Path;

use super::super::external_editor::{self, CUT};
use super::undecided_hunk::{UndecidedHunk, UndecidedHunkKind};

/// Old lines shown below the cut.
const MAX_OLD_LINES: usize = 200;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum HunkEditOutcome {
    /// Accepted unchanged.
    Same,
    /// Accepted with this text.
    Text(String),
    /// Not decided, with the reason.
    Not(String),
}

/// Blocks until the editor exits.
pub(super) fn edit(item: &UndecidedHunk, editor: &str) -> HunkEditOutcome {
    if item.new_missing > 0 || item.is_new_cut {
        return HunkEditOutcome::Not("it is too long to edit here".to_owned());
    }
    if matches!(item.kind, UndecidedHunkKind::Deleted | UndecidedHunkKind::Renamed) {
        return HunkEditOutcome::Not("it has no lines to edit".to_owned());
    }
    // The file's extension tells the editor the language.
    let ending = Path::new(&item.path).extension().and_then(|ending| ending.to_str());
    let suffix = ending.map(|ending| format!(".{ending}")).unwrap_or_default();
    match external_editor::edit_text(&written(item), &suffix, editor) {
        Ok(saved) => read(item, &saved),
        Err(reason) => HunkEditOutcome::Not(reason),
    }
}

pub(super) fn written(item: &UndecidedHunk) -> String {
    let mut text: String = item.new.iter().map(|line| format!("{line}\n")).collect();
    let place = match item.kind {
        UndecidedHunkKind::Lines => format!("{}, line {}", item.path, item.line + 1),
        _ => item.path.clone(),
    };
    text.push_str(&format!(
        "{CUT}\n\
         # The new lines for {place} are above. Edit, save and close to accept them.\n\
         # Unedited they are accepted as they are. If you delete them all, or the editor fails, Copydesk asks again.\n\
         # This line and those below are ignored.\n"
    ));
    if !item.old.is_empty() {
        text.push_str("# The old lines:\n");
        text.extend(item.old.iter().take(MAX_OLD_LINES).map(|line| format!("# {line}\n")));
    }
    text
}

pub(super) fn read(item: &UndecidedHunk, saved: &str) -> HunkEditOutcome {
    let lines: Vec<_> = external_editor::lines_above_cut(saved).collect();
    if lines.iter().eq(item.new.iter()) {
        return HunkEditOutcome::Same;
    }
    if lines.iter().all(|line| line.trim().is_empty()) {
        return HunkEditOutcome::Not("the saved text is empty".to_owned());
    }
    let text = lines.join("\n");
    // The daemon knows whether the document's last line ends with a line break.
    HunkEditOutcome::Text(if item.kind == UndecidedHunkKind::Lines { text } else { text + "\n" })
}
