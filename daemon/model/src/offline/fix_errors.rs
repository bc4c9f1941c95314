//! Repairs a Rust project: runs the compiler, applies its suggestions, runs it again.
//!
//! Machine-applicable suggestions go first; when none is left, guesses follow, but only those without an
//! alternative. It ends when nothing is left to do, when the same fixes are left as before, or after
//! `MAX_ROUNDS` rounds.

use serde_json::json;

use super::cargo_output::{self, CargoReport, CompilerFix, CompilerProblem, UNSAVED_NOTE};
use super::edit_calls::{self, SpanReplacement};
use super::file_lines::{FileLines, unread_calls};
use super::intent::FixGoal;
use super::turn::{CompletedCall, OfflineTurn};
use super::{OfflineCall, OfflineStep, advice, fix_messages};

const MAX_ROUNDS: usize = 8;

/// One check and the reads and edits that followed.
pub(super) struct FixRound<'t, 'a> {
    pub(super) report: CargoReport,
    pub(super) steps: &'t [Vec<CompletedCall<'a>>],
}

pub(super) fn next_step(turn: &OfflineTurn<'_>, goal: FixGoal) -> OfflineStep {
    let failed =
        turn.last_step().iter().find(|call| call.is_error && (call.name != "edit" || is_refusal(call)));
    let rounds = rounds(turn);
    if let Some(failed) = failed {
        return OfflineStep::say(fix_messages::stopped_message(&rounds, failed.output));
    }
    let Some(round) = rounds.last() else { return check("I ask the compiler what is wrong.", goal) };
    let chosen = choose_fixes(&round.report, goal);
    match turn.last_step().first().map(|call| call.name) {
        Some("bash") => {
            let before = rounds.len().checked_sub(2).and_then(|at| rounds.get(at));
            let same = before.is_some_and(|before| self::choose_fixes(&before.report, goal) == chosen);
            if chosen.is_empty() || same || goal.is_report_only || rounds.len() > MAX_ROUNDS {
                return OfflineStep::say(fix_messages::summary(&rounds, goal));
            }
            let calls = files(&chosen).iter().map(|path| OfflineCall::read(path, 1)).collect();
            OfflineStep { text: fix_messages::found_message(&round.report, &chosen), calls }
        }
        Some("read") => {
            let wanted = files(&chosen);
            let more = unread_calls(&wanted, round.steps);
            if !more.is_empty() {
                return OfflineStep { text: String::new(), calls: more };
            }
            let mut calls = edits(&chosen, &wanted, round.steps);
            // Do not propose again what the user rejected.
            let refused: Vec<_> = turn.steps.iter().flatten().filter(|call| is_rejected(call)).collect();
            calls.retain(|call| refused.iter().all(|refused| refused.arguments != call.arguments));
            if calls.is_empty() {
                return OfflineStep::say(fix_messages::summary(&rounds, goal));
            }
            OfflineStep { text: String::new(), calls }
        }
        _ => check("I ask the compiler again.", goal),
    }
}

fn check(text: &str, goal: FixGoal) -> OfflineStep {
    let tests = if goal.tests { " --tests" } else { "" };
    // One program with arguments, so that the user can allow it permanently.
    let command = format!("cargo check{tests} --quiet --message-format=json");
    let arguments =
        json!({ "command": command, "timeout": 600_000, "description": "Check the project with cargo" });
    OfflineStep::call(text, "bash", arguments)
}

pub(super) fn rounds<'t, 'a>(turn: &'t OfflineTurn<'a>) -> Vec<FixRound<'t, 'a>> {
    let is_check = |step: &Vec<CompletedCall<'a>>| step.first().is_some_and(|call| call.name == "bash");
    let starts: Vec<_> =
        turn.steps.iter().enumerate().filter(|(_, step)| is_check(step)).map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([turn.steps.len()]);
    let round = |(start, end): (usize, usize)| {
        let steps = turn.steps.get(start..end)?;
        let report = cargo_output::parse_cargo_output(steps.first()?.first()?.output);
        Some(FixRound { report, steps })
    };
    starts.iter().copied().zip(ends).filter_map(round).collect()
}

/// The fixes to apply for a report.
pub(super) fn choose_fixes(report: &CargoReport, goal: FixGoal) -> Vec<(&CompilerProblem, &CompilerFix)> {
    fn pick(problems: &[CompilerProblem], sure: bool) -> Vec<(&CompilerProblem, &CompilerFix)> {
        let fixes = problems.iter().filter_map(|problem| Some((problem, problem.only_fix()?)));
        fixes.filter(|(_, fix)| fix.is_certain == sure).collect()
    }
    if report.errors.is_empty() {
        return if goal.warnings { pick(&report.warnings, true) } else { Vec::new() };
    }
    let sure = pick(&report.errors, true);
    if sure.is_empty() { pick(&report.errors, false) } else { sure }
}

fn files(chosen: &[(&CompilerProblem, &CompilerFix)]) -> Vec<String> {
    let mut files: Vec<_> =
        chosen.iter().flat_map(|(_, fix)| &fix.parts).map(|(path, _)| path.clone()).collect();
    files.sort();
    files.dedup();
    files
}

fn edits(
    chosen: &[(&CompilerProblem, &CompilerFix)],
    files: &[String],
    steps: &[Vec<CompletedCall<'_>>],
) -> Vec<OfflineCall> {
    let mut calls = Vec::new();
    for path in files {
        let lines = FileLines::from_steps(path, steps).lines;
        let changes: Vec<Vec<SpanReplacement>> = chosen
            .iter()
            .map(|(_, fix)| {
                fix.parts.iter().filter(|(file, _)| file == path).map(|(_, part)| part.clone()).collect()
            })
            .collect();
        calls.extend(edit_calls::edits(path, &lines, &changes).0);
    }
    calls
}

/// Whether the call was refused, rather than failed.
pub(super) fn is_refusal(call: &CompletedCall<'_>) -> bool {
    let words = ["said no", "forbids this", "cancelled", "interrupted", "Nobody is there"];
    call.is_error && words.iter().any(|word| call.output.contains(word))
}

/// Whether the user reviewed this edit and rejected it. That rejects this edit, not the whole repair.
fn is_rejected(call: &CompletedCall<'_>) -> bool {
    call.name == "edit" && call.is_error && !advice::rejected_places(call.output).is_empty()
}

/// For a turn where cargo could not check anything.
pub(super) fn not_run(report: &CargoReport) -> String {
    let is_of_bash = |line: &String| line.starts_with("(exit code") || line.starts_with(UNSAVED_NOTE);
    let messages = report.plain_messages.iter().filter(|line| !is_of_bash(line));
    let words: Vec<_> = messages.rev().take(12).collect();
    let words: Vec<_> = words.into_iter().rev().map(String::as_str).collect();
    format!("cargo could not check this. It says:\n{}", words.join("\n"))
}
