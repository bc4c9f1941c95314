//! Has a language server organize imports, format, or repair what it knows a fix for.

use serde_json::json;

use super::intent::TidyGoal;
use super::turn::{CompletedCall, OfflineTurn};
use super::{OfflineStep, advice};

/// Fixes per turn, at most.
const MAX_FIXES: usize = 20;

pub(super) fn next_step(turn: &OfflineTurn<'_>, what: TidyGoal, path: &str) -> OfflineStep {
    let operation = match what {
        TidyGoal::OrganizeImports => "organizeImports",
        TidyGoal::Format => "format",
        TidyGoal::QuickFixes => return next_fix(turn, path, |_| true),
    };
    match turn.last_step().first() {
        None => OfflineStep::call("", "refactor", json!({ "operation": operation, "filePath": path })),
        Some(call) if call.is_error => OfflineStep::say(advice::failed_call(call.output)),
        Some(call) => OfflineStep::say(call.output),
    }
}

/// The quick fixes of these problems alone.
pub(super) fn fix_listed(turn: &OfflineTurn<'_>, path: &str, problems: &[String]) -> OfflineStep {
    // An editor adds the source to the message.
    let is_listed = |problem: &str| problems.iter().any(|listed| listed.contains(problem));
    next_fix(turn, path, is_listed)
}

/// Lists the fixes, applies the first that its server prefers, and lists again.
fn next_fix(turn: &OfflineTurn<'_>, path: &str, is_wanted: impl Fn(&str) -> bool) -> OfflineStep {
    let list = || OfflineStep::call("", "refactor", json!({ "operation": "codeAction", "filePath": path }));
    let Some(call) = turn.last_step().first() else { return list() };
    if call.is_error {
        return OfflineStep::say(advice::failed_call(call.output));
    }
    let applied = || turn.steps.iter().flatten().filter(|call| is_fix(call));
    if is_fix(call) {
        return list();
    }
    let is_new = |(title, problem): &(String, String)| {
        is_wanted(problem)
            && !applied().any(|call| call.argument("title") == title && call.argument("problem") == problem)
    };
    match preferred_fixes(call.output).into_iter().find(is_new) {
        Some((title, problem)) if applied().count() < MAX_FIXES => {
            let arguments =
                json!({ "operation": "codeAction", "filePath": path, "title": title, "problem": problem });
            OfflineStep::call("", "refactor", arguments)
        }
        _ => OfflineStep::say(match applied().count() {
            0 => format!("No language server prefers a fix in `{path}`."),
            1 => "1 fix is made. No other one is preferred.".to_owned(),
            several => format!("{several} fixes are made. No other one is preferred."),
        }),
    }
}

fn is_fix(call: &CompletedCall<'_>) -> bool {
    !call.argument("title").is_empty()
}

/// The titles and problems of the fixes that servers prefer.
fn preferred_fixes(output: &str) -> Vec<(String, String)> {
    let mut fixes = Vec::new();
    let mut lines = output.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((title, _)) =
            line.strip_prefix("- ").and_then(|line| line.split_once(" (quickfix, preferred"))
        else {
            continue;
        };
        let problem = lines.peek().and_then(|next| next.trim_start().split_once(": "));
        fixes.extend(problem.map(|(_, problem)| (title.to_owned(), problem.to_owned())));
    }
    fixes
}
