//! Repairs a Rust project: asks the compiler, does what it suggests, asks again.
//!
//! First what the compiler vouches for; only when none of that is left, its guesses, and of those only the ones without an
//! alternative. It ends when nothing is left to do, when the same is left as before, or after a number of rounds.

use serde_json::json;

use super::diagnostics::{self, Fix, Problem, Report};
use super::file_lines::{FileLines, unread};
use super::intent::Goal;
use super::patch::{self, Replacement};
use super::turn::{Done, Turn};
use super::{Step, ToolCall, advice, fix_words};

const ROUNDS: usize = 8;

/// A check, the reads and edits that followed, in one.
pub(super) struct Round<'t, 'a> {
    pub(super) report: Report,
    pub(super) steps: &'t [Vec<Done<'a>>],
}

pub(super) fn next(turn: &Turn<'_>, goal: Goal) -> Step {
    let failed = turn.last().iter().find(|call| call.is_error && (call.name != "edit" || is_refusal(call)));
    let rounds = rounds(turn);
    if let Some(failed) = failed {
        return Step::say(fix_words::stopped(&rounds, failed.output));
    }
    let Some(round) = rounds.last() else { return check("I ask the compiler what is wrong.", goal) };
    let chosen = chosen(&round.report, goal);
    match turn.last().first().map(|call| call.name) {
        Some("bash") => {
            let before = rounds.len().checked_sub(2).and_then(|at| rounds.get(at));
            let same = before.is_some_and(|before| self::chosen(&before.report, goal) == chosen);
            if chosen.is_empty() || same || goal.only_look || rounds.len() > ROUNDS {
                return Step::say(fix_words::summary(&rounds, goal));
            }
            let calls = files(&chosen).iter().map(|path| ToolCall::read(path, 1)).collect();
            Step { text: fix_words::found(&round.report, &chosen), calls }
        }
        Some("read") => {
            let wanted = files(&chosen);
            let more = unread(&wanted, round.steps);
            if !more.is_empty() {
                return Step { text: String::new(), calls: more };
            }
            let mut calls = edits(&chosen, &wanted, round.steps);
            // What the person said no to is not put before them again.
            let refused: Vec<_> = turn.steps.iter().flatten().filter(|call| is_rejected(call)).collect();
            calls.retain(|call| refused.iter().all(|refused| refused.arguments != call.arguments));
            if calls.is_empty() {
                return Step::say(fix_words::summary(&rounds, goal));
            }
            Step { text: String::new(), calls }
        }
        _ => check("I ask the compiler again.", goal),
    }
}

fn check(text: &str, goal: Goal) -> Step {
    let tests = if goal.tests { " --tests" } else { "" };
    // One program and its arguments, so that the person can allow it for good.
    let command = format!("cargo check{tests} --quiet --message-format=json");
    let arguments =
        json!({ "command": command, "timeout": 600_000, "description": "Check the project with cargo" });
    Step::call(text, "bash", arguments)
}

pub(super) fn rounds<'t, 'a>(turn: &'t Turn<'a>) -> Vec<Round<'t, 'a>> {
    let is_check = |step: &Vec<Done<'a>>| step.first().is_some_and(|call| call.name == "bash");
    let starts: Vec<_> =
        turn.steps.iter().enumerate().filter(|(_, step)| is_check(step)).map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([turn.steps.len()]);
    let round = |(start, end): (usize, usize)| {
        let steps = turn.steps.get(start..end)?;
        let report = diagnostics::read(steps.first()?.first()?.output);
        Some(Round { report, steps })
    };
    starts.iter().copied().zip(ends).filter_map(round).collect()
}

/// What is to be done about a report.
pub(super) fn chosen(report: &Report, goal: Goal) -> Vec<(&Problem, &Fix)> {
    fn pick(problems: &[Problem], sure: bool) -> Vec<(&Problem, &Fix)> {
        let fixes = problems.iter().filter_map(|problem| Some((problem, problem.fix()?)));
        fixes.filter(|(_, fix)| fix.sure == sure).collect()
    }
    if report.errors.is_empty() {
        return if goal.warnings { pick(&report.warnings, true) } else { Vec::new() };
    }
    let sure = pick(&report.errors, true);
    if sure.is_empty() { pick(&report.errors, false) } else { sure }
}

fn files(chosen: &[(&Problem, &Fix)]) -> Vec<String> {
    let mut files: Vec<_> =
        chosen.iter().flat_map(|(_, fix)| &fix.parts).map(|(path, _)| path.clone()).collect();
    files.sort();
    files.dedup();
    files
}

fn edits(chosen: &[(&Problem, &Fix)], files: &[String], steps: &[Vec<Done<'_>>]) -> Vec<ToolCall> {
    let mut calls = Vec::new();
    for path in files {
        let lines = FileLines::of(path, steps).lines;
        let changes: Vec<Vec<Replacement>> = chosen
            .iter()
            .map(|(_, fix)| {
                fix.parts.iter().filter(|(file, _)| file == path).map(|(_, part)| part.clone()).collect()
            })
            .collect();
        calls.extend(patch::edits(path, &lines, &changes).0);
    }
    calls
}

/// Whether somebody said no, rather than that it did not work out.
pub(super) fn is_refusal(call: &Done<'_>) -> bool {
    let words = ["said no", "forbids this", "cancelled", "interrupted", "Nobody is there"];
    call.is_error && words.iter().any(|word| call.output.contains(word))
}

/// Whether the person looked at it and wanted none of it. They said no to this, not to the repair as a whole.
fn is_rejected(call: &Done<'_>) -> bool {
    call.name == "edit" && call.is_error && !advice::rejected(call.output).is_empty()
}

/// For a request that ended before anything could be checked.
pub(super) fn not_run(report: &Report) -> String {
    let said = report.words.iter().filter(|line| !line.starts_with("(exit code"));
    let words: Vec<_> = said.rev().take(12).collect();
    let words: Vec<_> = words.into_iter().rev().map(String::as_str).collect();
    format!("cargo could not check this. It says:\n{}", words.join("\n"))
}
