//! Edits the new lines of a hunk in the user's own editor.

use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::process::Command;

use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

use super::undecided_hunk::{UndecidedHunk, UndecidedHunkKind};

/// Everything below this line is ours. `#` alone is no mark, because lines of a text may begin with it.
pub(super) const CUT: &str = "# ------------------------ >8 ------------------------";
/// Old lines shown below the cut.
const MAX_OLD_LINES: usize = 200;
/// No text is longer.
const MAX_SAVED_BYTES: u64 = 16 * 1024 * 1024;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum HunkEditOutcome {
    /// Accepted unchanged.
    Same,
    /// Accepted with this text.
    Text(String),
    /// Not decided, with the reason.
    Not(String),
}

/// The user's editor.
pub(super) fn editor() -> String {
    let set = |name| std::env::var(name).ok().filter(|editor| !editor.trim().is_empty());
    set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".to_owned())
}

/// Blocks until the editor exits.
pub(super) fn edit(item: &UndecidedHunk, editor: &str) -> HunkEditOutcome {
    try_edit(item, editor)
        .unwrap_or_else(|error| HunkEditOutcome::Not(format!("it could not be edited: {error}")))
}

fn try_edit(item: &UndecidedHunk, editor: &str) -> io::Result<HunkEditOutcome> {
    if item.new_missing > 0 || item.is_new_cut {
        return Ok(HunkEditOutcome::Not("it is too long to edit here".to_owned()));
    }
    if matches!(item.kind, UndecidedHunkKind::Deleted | UndecidedHunkKind::Renamed) {
        return Ok(HunkEditOutcome::Not("it has no lines to edit".to_owned()));
    }
    // The file's extension tells the editor the language.
    let ending = Path::new(&item.path).extension().and_then(|ending| ending.to_str());
    let suffix = ending.map(|ending| format!(".{ending}")).unwrap_or_default();
    let mut file = tempfile::Builder::new().prefix("copydesk-hunk-").suffix(&suffix).tempfile()?;
    file.write_all(written(item).as_bytes())?;
    file.flush()?;
    let modes = tcgetattr(io::stdin());
    // As git does: the variable may contain arguments.
    let status =
        Command::new("sh").args(["-c", &format!("{editor} \"$@\""), editor]).arg(file.path()).status();
    if let Ok(modes) = modes {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &modes);
    }
    let status = status?;
    if !status.success() {
        return Ok(HunkEditOutcome::Not(format!("the editor `{editor}` failed ({status})")));
    }
    // Opened again by path: editors replace the file.
    let mut saved = Vec::new();
    std::fs::File::open(file.path())?.take(MAX_SAVED_BYTES + 1).read_to_end(&mut saved)?;
    if saved.len() as u64 > MAX_SAVED_BYTES {
        return Ok(HunkEditOutcome::Not("the saved text is too long".to_owned()));
    }
    Ok(match String::from_utf8(saved) {
        Ok(saved) => read(item, &saved),
        Err(_) => HunkEditOutcome::Not("the saved text is not UTF-8".to_owned()),
    })
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
    let saved = saved.replace("\r\n", "\n");
    let mut lines: Vec<_> = saved.lines().collect();
    if let Some(cut) = lines.iter().rposition(|line| line.trim_end() == CUT) {
        lines.truncate(cut);
    }
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
