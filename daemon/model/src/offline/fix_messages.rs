//! Messages about a repair: what the compiler found, what was applied, what is left.

use super::advice;
use super::cargo_output::{CargoReport, CompilerFix, CompilerProblem};
use super::fix_errors::{FixRound, choose_fixes, not_run};
use super::intent::FixGoal;

const MAX_LISTED: usize = 20;

/// Before a round's edits.
pub(super) fn found_message(report: &CargoReport, chosen: &[(&CompilerProblem, &CompilerFix)]) -> String {
    let (kind, count) = if report.errors.is_empty() {
        ("warning", report.warnings.len())
    } else {
        ("error", report.errors.len())
    };
    let sure = chosen.iter().all(|(_, fix)| fix.is_certain);
    let how = if sure {
        "For these the compiler knows the repair:"
    } else {
        "For these it has a guess, which you should look at:"
    };
    let lines = chosen.iter().map(|(problem, fix)| done_line(problem, fix));
    format!(
        "The compiler reports {}. {how}\n{}",
        count_noun(count, kind),
        list_lines(lines.collect()).trim_end()
    )
}

/// At the end of the turn.
pub(super) fn summary(rounds: &[FixRound<'_, '_>], goal: FixGoal) -> String {
    let Some(report) = rounds.last().map(|round| &round.report) else { return advice::unknown_request() };
    if report.success.is_none() || (report.success == Some(false) && report.errors.is_empty()) {
        return format!("{}{}", applied_message(rounds, goal), not_run(report));
    }
    let (done, rejected) = (applied_message(rounds, goal), rejected(rounds));
    if let Some(files) = report.unsaved_files().filter(|_| !done.is_empty())
        && report.errors.iter().any(|problem| is_in_files(problem, files))
    {
        return format!(
            "{rejected}{done}The compiler reads the disk, and your editor has not saved {files} yet. Save, and ask me again."
        );
    }
    let text = match (report.errors.is_empty(), done.is_empty()) {
        (true, true) if goal.is_report_only => "It compiles.".to_owned(),
        (true, true) if !rejected.is_empty() => "It compiles.".to_owned(),
        (true, true) => "It compiles; the compiler has nothing that I could repair.".to_owned(),
        (true, false) => format!("{done}It compiles now."),
        (false, _) => {
            let left = list_lines(report.errors.iter().map(remaining_line).collect());
            let count = count_noun(report.errors.len(), "error");
            let verb = if report.errors.len() == 1 { "is" } else { "are" };
            if goal.is_report_only {
                format!(
                    "There {verb} {count}:\n{left}\nSay `fix the errors`, and I do what the compiler suggests."
                )
            } else {
                let why = if rejected.is_empty() { " that I cannot repair" } else { "" };
                format!("{done}{count} {verb} left{why}:\n{left}\n{}", advice::setup_advice())
            }
        }
    };
    let mut text = rejected + &text;
    if !report.warnings.is_empty() {
        let count = count_noun(report.warnings.len(), "warning");
        let hint = if goal.warnings {
            ""
        } else {
            " `fix the warnings` has me repair what can be repaired of them."
        };
        text.push_str(&format!(
            "\nThere {} {count}.{hint}",
            if report.warnings.len() == 1 { "is" } else { "are" }
        ));
    }
    if let Some(files) = report.unsaved_files().filter(|_| !report.errors.is_empty()) {
        text.push_str(&format!("\n(The compiler reads the disk. Your editor has not saved {files} yet.)"));
    }
    if report.is_truncated {
        text.push_str("\n(The compiler said more than I was shown; ask me again for the rest.)");
    }
    text
}

fn is_in_files(problem: &CompilerProblem, files: &str) -> bool {
    let file = problem.place.rsplit_once(':').map_or(problem.place.as_str(), |(file, _)| file);
    files.split(", ").any(|unsaved| unsaved == file || unsaved.ends_with(&format!("/{file}")))
}

/// When a call was refused or failed.
pub(super) fn stopped_message(rounds: &[FixRound<'_, '_>], why: &str) -> String {
    let goal = FixGoal { warnings: true, ..FixGoal::default() };
    format!("{}{}", applied_message(rounds, goal), advice::failed_call(why))
}

/// The fixes that the user rejected.
fn rejected(rounds: &[FixRound<'_, '_>]) -> String {
    let calls = rounds.iter().flat_map(|round| round.steps).flatten().filter(|call| call.name == "edit");
    let lines: Vec<_> = calls.flat_map(|call| advice::rejected_places(call.output)).collect();
    if lines.is_empty() { String::new() } else { format!("Not done, as you decided:\n{}", list_lines(lines)) }
}

/// The fixes that were applied.
fn applied_message(rounds: &[FixRound<'_, '_>], goal: FixGoal) -> String {
    let mut lines = Vec::new();
    for round in rounds {
        let made: Vec<_> =
            round.steps.iter().flatten().filter(|call| call.name == "edit" && !call.is_error).collect();
        let is_made = |fix: &CompilerFix| {
            fix.parts.iter().all(|(path, _)| made.iter().any(|call| call.argument("filePath") == path))
        };
        let fixes = choose_fixes(&round.report, goal);
        lines.extend(
            fixes.iter().filter(|(_, fix)| is_made(fix)).map(|(problem, fix)| done_line(problem, fix)),
        );
    }
    if lines.is_empty() {
        String::new()
    } else {
        format!("Done, as the compiler suggested:\n{}\n", list_lines(lines))
    }
}

fn done_line(problem: &CompilerProblem, fix: &CompilerFix) -> String {
    let guess = if fix.is_certain { "" } else { " (a guess)" };
    format!("- {}: {} → {}{guess}", problem.place, problem.message, fix.description)
}

fn remaining_line(problem: &CompilerProblem) -> String {
    let code = problem.code.as_ref().map(|code| format!(" ({code})")).unwrap_or_default();
    format!("- {}: {}{code}", problem.place, problem.message)
}

fn list_lines(mut lines: Vec<String>) -> String {
    let more = lines.len().saturating_sub(MAX_LISTED);
    lines.truncate(MAX_LISTED);
    if more > 0 {
        lines.push(format!("- … and {more} more"));
    }
    lines.join("\n") + "\n"
}

pub(super) fn count_noun(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
