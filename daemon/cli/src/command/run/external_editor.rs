//! Edits a text in the user's own editor.

use std::io::{self, Read as _, Write as _};
use std::process::Command;

use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

/// Everything below this line is ours. `#` alone is no mark, because lines of a text may begin with it.
pub(super) const CUT: &str = "# ------------------------ >8 ------------------------";
/// No text is longer.
const MAX_SAVED_BYTES: u64 = 16 * 1024 * 1024;

/// The user's editor.
pub(super) fn editor() -> String {
    let set = |name| std::env::var(name).ok().filter(|editor| !editor.trim().is_empty());
    set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".to_owned())
}

/// Blocks until the editor exits; returns the saved text. The error is for the user.
pub(super) fn edit_text(text: &str, suffix: &str, editor: &str) -> Result<String, String> {
    try_edit(text, suffix, editor).unwrap_or_else(|error| Err(format!("it could not be edited: {error}")))
}

fn try_edit(text: &str, suffix: &str, editor: &str) -> io::Result<Result<String, String>> {
    let mut file = tempfile::Builder::new().prefix("copydesk-").suffix(suffix).tempfile()?;
    file.write_all(text.as_bytes())?;
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
        return Ok(Err(format!("the editor `{editor}` failed ({status})")));
    }
    // Opened again by path: editors replace the file.
    let mut saved = Vec::new();
    std::fs::File::open(file.path())?.take(MAX_SAVED_BYTES + 1).read_to_end(&mut saved)?;
    if saved.len() as u64 > MAX_SAVED_BYTES {
        return Ok(Err("the saved text is too long".to_owned()));
    }
    Ok(String::from_utf8(saved).map_err(|_| "the saved text is not UTF-8".to_owned()))
}

/// The user's lines of a saved text.
pub(super) fn lines_above_cut(saved: &str) -> impl Iterator<Item = &str> {
    let end = saved.lines().rev().position(|line| line.trim_end() == CUT);
    let count = end.map_or(usize::MAX, |from_end| saved.lines().count() - from_end - 1);
    saved.lines().take(count)
}
