//! What is said about a repair: what was found, what was done, what is left.

use super::advice;
use super::diagnostics::{Fix, Problem, Report};
use super::fix::{Round, chosen, not_run};
use super::intent::Goal;

/// Problems that are listed one by one.
const MOST: usize = 20;

/// Before the edits of a round.
pub(super) fn found(report: &Report, chosen: &[(&Problem, &Fix)]) -> String {
    let (kind, count) = if report.errors.is_empty() {
        ("warning", report.warnings.len())
    } else {
        ("error", report.errors.len())
    };
    let sure = chosen.iter().all(|(_, fix)| fix.sure);
    let how = if sure {
        "For these the compiler knows the repair:"
    } else {
        "For these it has a guess, which you should look at:"
    };
    let lines = chosen.iter().map(|(problem, fix)| done_line(problem, fix));
    format!("The compiler reports {}. {how}\n{}", number(count, kind), listed(lines.collect()).trim_end())
}

/// At the end.
pub(super) fn summary(rounds: &[Round<'_, '_>], goal: Goal) -> String {
    let Some(report) = rounds.last().map(|round| &round.report) else { return advice::unknown() };
    if report.success.is_none() || (report.success == Some(false) && report.errors.is_empty()) {
        return format!("{}{}", done(rounds, goal), not_run(report));
    }
    let (done, rejected) = (done(rounds, goal), rejected(rounds));
    let text = match (report.errors.is_empty(), done.is_empty()) {
        (true, true) if goal.only_look => "It compiles.".to_owned(),
        (true, true) if !rejected.is_empty() => "It compiles.".to_owned(),
        (true, true) => "It compiles; the compiler has nothing that I could repair.".to_owned(),
        (true, false) => format!("{done}It compiles now."),
        (false, _) => {
            let left = listed(report.errors.iter().map(left_line).collect());
            let count = number(report.errors.len(), "error");
            let verb = if report.errors.len() == 1 { "is" } else { "are" };
            if goal.only_look {
                format!(
                    "There {verb} {count}:\n{left}\nSay `fix the errors`, and I do what the compiler suggests."
                )
            } else {
                let why = if rejected.is_empty() { " that I cannot repair" } else { "" };
                format!("{done}{count} {verb} left{why}:\n{left}\n{}", advice::beyond())
            }
        }
    };
    let mut text = rejected + &text;
    if !report.warnings.is_empty() {
        let count = number(report.warnings.len(), "warning");
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
    if report.cut {
        text.push_str("\n(The compiler said more than I was shown; ask me again for the rest.)");
    }
    text
}

/// When somebody said no, or something broke.
pub(super) fn stopped(rounds: &[Round<'_, '_>], why: &str) -> String {
    let goal = Goal { warnings: true, ..Goal::default() };
    format!("{}{}", done(rounds, goal), advice::stopped(why))
}

/// The repairs that the person did not want.
fn rejected(rounds: &[Round<'_, '_>]) -> String {
    let calls = rounds.iter().flat_map(|round| round.steps).flatten().filter(|call| call.name == "edit");
    let lines: Vec<_> = calls.flat_map(|call| advice::rejected(call.output)).collect();
    if lines.is_empty() { String::new() } else { format!("Not done, as you decided:\n{}", listed(lines)) }
}

/// The repairs whose edits were made.
fn done(rounds: &[Round<'_, '_>], goal: Goal) -> String {
    let mut lines = Vec::new();
    for round in rounds {
        let made: Vec<_> =
            round.steps.iter().flatten().filter(|call| call.name == "edit" && !call.is_error).collect();
        let is_made = |fix: &Fix| {
            fix.parts.iter().all(|(path, _)| made.iter().any(|call| call.argument("filePath") == path))
        };
        let fixes = chosen(&round.report, goal);
        lines.extend(
            fixes.iter().filter(|(_, fix)| is_made(fix)).map(|(problem, fix)| done_line(problem, fix)),
        );
    }
    if lines.is_empty() {
        String::new()
    } else {
        format!("Done, as the compiler suggested:\n{}\n", listed(lines))
    }
}

fn done_line(problem: &Problem, fix: &Fix) -> String {
    let guess = if fix.sure { "" } else { " (a guess)" };
    format!("- {}: {} → {}{guess}", problem.place, problem.message, fix.what)
}

fn left_line(problem: &Problem) -> String {
    let code = problem.code.as_ref().map(|code| format!(" ({code})")).unwrap_or_default();
    format!("- {}: {}{code}", problem.place, problem.message)
}

fn listed(mut lines: Vec<String>) -> String {
    let more = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    if more > 0 {
        lines.push(format!("- … and {more} more"));
    }
    lines.join("\n") + "\n"
}

pub(super) fn number(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
