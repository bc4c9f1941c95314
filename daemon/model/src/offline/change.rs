//! Replaces a text, and renames a word: finds it, changes it, and looks again whether any is left.

use super::built::{self, Sorted};
use super::file_lines::{FileLines, unread};
use super::fix::is_refusal;
use super::fix_words::number;
use super::intent::is_word;
use super::look::{escaped, files, grep, within};
use super::patch::{self, Replacement};
use super::turn::{Done, Turn};
use super::{Step, ToolCall, advice};

/// `grep` shows a hundred lines at a time.
const ROUNDS: usize = 20;

pub(super) fn replace(turn: &Turn<'_>, old: &str, new: &str, path: Option<&str>) -> Step {
    let search = || grep(&escaped(old), path);
    // Where the new text contains the old one, there is always some left.
    let once = new.contains(old);
    next(turn, old, new, path, Manner { pattern: search, once, by_word: false })
}

pub(super) fn rename(turn: &Turn<'_>, old: &str, new: &str, path: Option<&str>) -> Step {
    let search = || grep(&format!(r"\b{}\b", escaped(old)), path);
    next(turn, old, new, path, Manner { pattern: search, once: false, by_word: true })
}

struct Manner<F> {
    pattern: F,
    once: bool,
    by_word: bool,
}

fn next<F: Fn() -> serde_json::Value>(
    turn: &Turn<'_>,
    old: &str,
    new: &str,
    path: Option<&str>,
    manner: Manner<F>,
) -> Step {
    if old == new {
        return Step::say("Both are the same: there is nothing to do.");
    }
    let searches = turn.steps.iter().filter(|step| step.iter().any(|call| call.name == "grep")).count();
    let rejected: Vec<_> = turn.last().iter().flat_map(|call| advice::rejected(call.output)).collect();
    if !rejected.is_empty() {
        // What is left of it is left because somebody wants it so.
        return Step::say(done(turn, old, new, manner.by_word) + &advice::as_decided(&rejected));
    }
    let failed = turn.last().iter().find(|call| call.is_error);
    if let Some(failed) = failed {
        let did = done(turn, old, new, manner.by_word);
        let words = if is_refusal(failed) || failed.name != "edit" {
            String::new()
        } else {
            format!(" (`{}` could not be changed)", failed.argument("filePath"))
        };
        return Step::say(format!("{did}{}{words}", advice::stopped(failed.output)));
    }
    let found = || {
        let at = turn.steps.iter().rposition(|step| step.iter().any(|call| call.name == "grep"))?;
        let since = turn.steps.get(at..)?;
        let mut files = files(since.first()?.first()?.output);
        files.retain(|file| built::is_mine(turn, file, path));
        Some((files, since))
    };
    match turn.last().first().map(|call| call.name) {
        Some("grep" | "glob") => {
            match built::sort(turn, path) {
                Sorted::Ask(calls) => return Step { text: String::new(), calls },
                Sorted::Without(include) if searches <= ROUNDS => {
                    return Step::call("", "grep", built::without((manner.pattern)(), &include));
                }
                Sorted::Without(_) => return Step::say(advice::too_much(old)),
                Sorted::Mine => {}
            }
            let files = found().map(|(files, _)| files).unwrap_or_default();
            let passed_over = built::passed_over(turn);
            let did = done(turn, old, new, manner.by_word);
            if files.is_empty() && did.is_empty() {
                return Step::say(format!(
                    "`{old}` is nowhere{}. (Files that git ignores are passed over.){passed_over}",
                    within(path)
                ));
            }
            if files.is_empty() || searches > ROUNDS {
                let rest = if files.is_empty() { "None is left." } else { "Some are left; ask me again." };
                return Step::say(format!("{did}{rest}{passed_over}"));
            }
            let text = format!("`{old}` is in {}.", number(files.len(), "file"));
            let calls = if manner.by_word {
                files.iter().map(|file| ToolCall::read(file, 1)).collect()
            } else {
                files.iter().map(|file| ToolCall::edit(file, old, new, true)).collect()
            };
            Step { text, calls }
        }
        Some("read") => {
            let Some((files, since)) = found() else { return Step::say(advice::unknown()) };
            let more = unread(&files, since);
            if !more.is_empty() {
                return Step { text: String::new(), calls: more };
            }
            let calls: Vec<_> = files.iter().flat_map(|file| word_edits(file, since, old, new)).collect();
            if calls.is_empty() {
                let did = done(turn, old, new, true);
                return Step::say(format!("{did}What is left stands in lines too long for me to see whole."));
            }
            Step { text: String::new(), calls }
        }
        Some("edit") if manner.once => {
            let search = turn.steps.iter().flatten().rfind(|call| call.name == "grep");
            let more = search.is_some_and(|call| call.output.contains("there are more"));
            let rest = if more {
                "There are more files with it: name a folder or a file, and I go on there."
            } else {
                ""
            };
            let passed_over = built::passed_over(turn);
            let did = done(turn, old, new, manner.by_word);
            Step::say(format!("{}{passed_over}", format!("{did}{rest}").trim_end()))
        }
        _ => {
            // A search that comes after others leaves out what they did.
            let last = turn.steps.iter().flatten().rfind(|call| call.name == "grep");
            let include = last.map(|call| call.argument("include")).unwrap_or_default();
            Step::call("", "grep", built::without((manner.pattern)(), include))
        }
    }
}

/// One edit for all where no other word contains it; else each place by itself.
fn word_edits(file: &str, since: &[Vec<Done<'_>>], old: &str, new: &str) -> Vec<ToolCall> {
    let read = FileLines::of(file, since);
    let (mut places, mut others) = (Vec::new(), read.lines.iter().any(Option::is_none));
    for (at, line) in read.lines.iter().enumerate() {
        let line = line.as_deref().unwrap_or_default();
        for (start, _) in line.match_indices(old) {
            let before = line.get(..start).unwrap_or_default();
            let after = line.get(start + old.len()..).unwrap_or_default();
            if before.ends_with(is_word) || after.starts_with(is_word) {
                others = true;
                continue;
            }
            let column = before.chars().count() + 1;
            let end = column + old.chars().count();
            places.push(vec![Replacement {
                start: (at + 1, column),
                end: (at + 1, end),
                text: new.to_owned(),
            }]);
        }
    }
    if places.is_empty() {
        return Vec::new();
    }
    if !others && read.rest(file).is_none() {
        return vec![ToolCall::edit(file, old, new, true)];
    }
    patch::edits(file, &read.lines, &places).0
}

fn done(turn: &Turn<'_>, old: &str, new: &str, by_word: bool) -> String {
    let edits = turn.steps.iter().flatten().filter(|call| call.name == "edit" && !call.is_error);
    let mut files: Vec<_> = edits.map(|call| call.argument("filePath")).collect();
    files.sort_unstable();
    files.dedup();
    if files.is_empty() {
        return String::new();
    }
    let (verb, what) = if by_word {
        ("Renamed", ", wherever it stood as a whole word, in comments and texts too")
    } else {
        ("Replaced", "")
    };
    let link = if by_word { "to" } else { "with" };
    format!("{verb} `{old}` {link} `{new}` in {}{what}.\n", files.join(", "))
}
