//! Words that may be paths. Too many is right: the caller asks only about those outside the workspace.

use super::script::ShellWord;

/// A longer word is no path.
const MAX_PATH_BYTES: usize = 4096;

/// Programs that only print their arguments.
pub(super) const PRINTING_PROGRAMS: [&str; 7] = ["echo", "printf", "true", "false", ":", "exit", "return"];

/// Files that hold nothing.
pub(super) const HARMLESS_TARGETS: [&str; 3] = ["/dev/null", "/dev/stdout", "/dev/stderr"];

/// The paths in a word: itself, what follows `=`, and what follows the letters of an option.
pub(super) fn find_paths(word: &ShellWord, home: Option<&str>) -> Vec<String> {
    let Some(value) = word.value.as_deref().filter(|value| value.len() <= MAX_PATH_BYTES) else {
        return Vec::new();
    };
    let mut candidates = Vec::new();
    if !value.starts_with('-') {
        candidates.push(value.strip_prefix('@').unwrap_or(value));
    }
    candidates.extend(value.split_once('=').map(|(_, path)| path.strip_prefix('@').unwrap_or(path)));
    if value.starts_with('-') {
        let start = value.find(['/', '~']).into_iter().chain(value.find("..")).min();
        candidates.extend(start.and_then(|at| value.get(at..)));
    }
    candidates.extend(value.split_once("file:").map(|(_, path)| path.trim_start_matches("//")));
    let is_harmless = |path: &str| HARMLESS_TARGETS.contains(&path);
    let is_path = |path: &&str| {
        !is_harmless(path) && {
            !path.is_empty() && !path.contains('\n') && (!path.contains("://") || path.starts_with('/'))
        }
    };
    candidates.into_iter().filter(is_path).map(|path| expand_home(path, home)).collect()
}

fn expand_home(path: &str, home: Option<&str>) -> String {
    match (path.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        _ => path.to_owned(),
    }
}
