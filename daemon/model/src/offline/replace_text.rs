//! Replaces a text or renames a word: searches, edits, and searches again until none is left.

use super::edit_calls::{self, SpanReplacement};
use super::file_lines::{FileLines, unread_calls};
use super::fix_errors::is_refusal;
use super::fix_messages::count_noun;
use super::generated_files::{self, SearchFollowUp};
use super::intent::is_word;
use super::lookup::{escape_regex, grep, in_path, matched_files};
use super::turn::{CompletedCall, OfflineTurn};
use super::{OfflineCall, OfflineStep, advice};

/// Searches per turn, at most; `grep` shows a hundred lines at a time.
const MAX_SEARCHES: usize = 20;

pub(super) fn replace(turn: &OfflineTurn<'_>, old: &str, new: &str, path: Option<&str>) -> OfflineStep {
    let search = || grep(&escape_regex(old), path);
    // If the new text contains the old one, a search would always find more.
    let once = new.contains(old);
    next_step(turn, old, new, path, ReplaceMode { pattern: search, is_single_pass: once, by_word: false })
}

pub(super) fn rename(turn: &OfflineTurn<'_>, old: &str, new: &str, path: Option<&str>) -> OfflineStep {
    let search = || grep(&format!(r"\b{}\b", escape_regex(old)), path);
    next_step(turn, old, new, path, ReplaceMode { pattern: search, is_single_pass: false, by_word: true })
}

struct ReplaceMode<F> {
    pattern: F,
    is_single_pass: bool,
    by_word: bool,
}

fn next_step<F: Fn() -> serde_json::Value>(
    turn: &OfflineTurn<'_>,
    old: &str,
    new: &str,
    path: Option<&str>,
    manner: ReplaceMode<F>,
) -> OfflineStep {
    if old == new {
        return OfflineStep::say("Both are the same: there is nothing to do.");
    }
    let searches = turn.steps.iter().filter(|step| step.iter().any(|call| call.name == "grep")).count();
    let rejected: Vec<_> =
        turn.last_step().iter().flat_map(|call| advice::rejected_places(call.output)).collect();
    if !rejected.is_empty() {
        // The user rejected the rest; do not search for it again.
        return OfflineStep::say(
            replaced_summary(turn, old, new, manner.by_word) + &advice::rejection_reply(&rejected),
        );
    }
    let failed = turn.last_step().iter().find(|call| call.is_error);
    if let Some(failed) = failed {
        let did = replaced_summary(turn, old, new, manner.by_word);
        let words = if is_refusal(failed) || failed.name != "edit" {
            String::new()
        } else {
            format!(" (`{}` could not be changed)", failed.argument("filePath"))
        };
        return OfflineStep::say(format!("{did}{}{words}", advice::failed_call(failed.output)));
    }
    let found = || {
        let at = turn.steps.iter().rposition(|step| step.iter().any(|call| call.name == "grep"))?;
        let since = turn.steps.get(at..)?;
        let mut files = matched_files(since.first()?.first()?.output);
        files.retain(|file| generated_files::is_source_file(turn, file, path));
        Some((files, since))
    };
    match turn.last_step().first().map(|call| call.name) {
        Some("grep" | "glob") => {
            match generated_files::next_search_step(turn, path) {
                SearchFollowUp::Inspect(calls) => return OfflineStep { text: String::new(), calls },
                SearchFollowUp::SearchAgain(include) if searches <= MAX_SEARCHES => {
                    return OfflineStep::call(
                        "",
                        "grep",
                        generated_files::exclude_globs((manner.pattern)(), &include),
                    );
                }
                SearchFollowUp::SearchAgain(_) => return OfflineStep::say(advice::too_many_generated(old)),
                SearchFollowUp::Edit => {}
            }
            let files = found().map(|(files, _)| files).unwrap_or_default();
            let passed_over = generated_files::skipped_note(turn);
            let did = replaced_summary(turn, old, new, manner.by_word);
            if files.is_empty() && did.is_empty() {
                return OfflineStep::say(format!(
                    "`{old}` is nowhere{}. (Files that git ignores are passed over.){passed_over}",
                    in_path(path)
                ));
            }
            if files.is_empty() || searches > MAX_SEARCHES {
                let rest = if files.is_empty() { "None is left." } else { "Some are left; ask me again." };
                return OfflineStep::say(format!("{did}{rest}{passed_over}"));
            }
            let text = format!("`{old}` is in {}.", count_noun(files.len(), "file"));
            let calls = if manner.by_word {
                files.iter().map(|file| OfflineCall::read(file, 1)).collect()
            } else {
                files.iter().map(|file| OfflineCall::edit(file, old, new, true)).collect()
            };
            OfflineStep { text, calls }
        }
        Some("read") => {
            let Some((files, since)) = found() else { return OfflineStep::say(advice::unknown_request()) };
            let more = unread_calls(&files, since);
            if !more.is_empty() {
                return OfflineStep { text: String::new(), calls: more };
            }
            let calls: Vec<_> = files.iter().flat_map(|file| word_edits(file, since, old, new)).collect();
            if calls.is_empty() {
                let did = replaced_summary(turn, old, new, true);
                return OfflineStep::say(format!(
                    "{did}What is left stands in lines too long for me to see whole."
                ));
            }
            OfflineStep { text: String::new(), calls }
        }
        Some("edit") if manner.is_single_pass => {
            let search = turn.steps.iter().flatten().rfind(|call| call.name == "grep");
            let more = search.is_some_and(|call| call.output.contains("there are more"));
            let rest = if more {
                "There are more files with it: name a folder or a file, and I go on there."
            } else {
                ""
            };
            let passed_over = generated_files::skipped_note(turn);
            let did = replaced_summary(turn, old, new, manner.by_word);
            OfflineStep::say(format!("{}{passed_over}", format!("{did}{rest}").trim_end()))
        }
        _ => {
            // A later search keeps the exclusions of the earlier ones.
            let last = turn.steps.iter().flatten().rfind(|call| call.name == "grep");
            let include = last.map(|call| call.argument("include")).unwrap_or_default();
            OfflineStep::call("", "grep", generated_files::exclude_globs((manner.pattern)(), include))
        }
    }
}

/// One `replaceAll` edit if no other word contains the old one; otherwise one edit per place.
fn word_edits(file: &str, since: &[Vec<CompletedCall<'_>>], old: &str, new: &str) -> Vec<OfflineCall> {
    let read = FileLines::from_steps(file, since);
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
            places.push(vec![SpanReplacement {
                start: (at + 1, column),
                end: (at + 1, end),
                text: new.to_owned(),
            }]);
        }
    }
    if places.is_empty() {
        return Vec::new();
    }
    if !others && read.next_read(file).is_none() {
        return vec![OfflineCall::edit(file, old, new, true)];
    }
    edit_calls::edits(file, &read.lines, &places).0
}

fn replaced_summary(turn: &OfflineTurn<'_>, old: &str, new: &str, by_word: bool) -> String {
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
