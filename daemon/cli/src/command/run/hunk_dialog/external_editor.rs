//! The new lines of a hunk in the person's own editor.

use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::process::Command;

use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

use super::undecided_hunk::{UndecidedHunk, UndecidedHunkKind};

/// What stands below it is ours. Lines of a text may begin with `#` themselves.
pub(super) const CUT: &str = "# ------------------------ >8 ------------------------";
/// Old lines that are shown below it.
const OLD: usize = 200;
/// No text is longer.
const LONGEST: u64 = 16 * 1024 * 1024;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum HunkEditOutcome {
    /// Accepted as it is.
    Same,
    /// Accepted with this text in its place.
    Text(String),
    /// Not decided, and why.
    Not(String),
}

/// Which editor.
pub(super) fn editor() -> String {
    let set = |name| std::env::var(name).ok().filter(|editor| !editor.trim().is_empty());
    set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".to_owned())
}

/// Blocks until the editor has ended.
pub(super) fn edit(item: &UndecidedHunk, editor: &str) -> HunkEditOutcome {
    try_edit(item, editor)
        .unwrap_or_else(|error| HunkEditOutcome::Not(format!("it could not be edited: {error}")))
}

fn try_edit(item: &UndecidedHunk, editor: &str) -> io::Result<HunkEditOutcome> {
    if item.new_missing > 0 {
        return Ok(HunkEditOutcome::Not("it is too long to be edited here".to_owned()));
    }
    if matches!(item.kind, UndecidedHunkKind::Deleted | UndecidedHunkKind::Renamed) {
        return Ok(HunkEditOutcome::Not("it has no lines that could be edited".to_owned()));
    }
    // The editor knows by the ending what language it is.
    let ending = Path::new(&item.path).extension().and_then(|ending| ending.to_str());
    let suffix = ending.map(|ending| format!(".{ending}")).unwrap_or_default();
    let mut file = tempfile::Builder::new().prefix("copydesk-hunk-").suffix(&suffix).tempfile()?;
    file.write_all(written(item).as_bytes())?;
    file.flush()?;
    let modes = tcgetattr(io::stdin());
    // As git does: what is set may have arguments.
    let status =
        Command::new("sh").args(["-c", &format!("{editor} \"$@\""), editor]).arg(file.path()).status();
    if let Ok(modes) = modes {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &modes);
    }
    let status = status?;
    if !status.success() {
        return Ok(HunkEditOutcome::Not(format!("the editor `{editor}` failed ({status})")));
    }
    // By its name: editors put another file in its place.
    let mut saved = Vec::new();
    std::fs::File::open(file.path())?.take(LONGEST + 1).read_to_end(&mut saved)?;
    if saved.len() as u64 > LONGEST {
        return Ok(HunkEditOutcome::Not("what was saved is too long".to_owned()));
    }
    Ok(match String::from_utf8(saved) {
        Ok(saved) => read(item, &saved),
        Err(_) => HunkEditOutcome::Not("what was saved is not UTF-8".to_owned()),
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
         # Above: the new lines for {place}. Change them, save, and close: they are accepted so.\n\
         # Unchanged they are accepted as they are. If nothing is left above, or the editor fails, you are asked again.\n\
         # This and what is below is left out.\n"
    ));
    if !item.old.is_empty() {
        text.push_str("# The old lines:\n");
        text.extend(item.old.iter().take(OLD).map(|line| format!("# {line}\n")));
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
        return HunkEditOutcome::Not("nothing was left of it".to_owned());
    }
    let text = lines.join("\n");
    // The last line of a document may have no end: the desk knows.
    HunkEditOutcome::Text(if item.kind == UndecidedHunkKind::Lines { text } else { text + "\n" })
}
