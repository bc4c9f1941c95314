//! Judges whether the daemon's report about a step equals the compiler's for the same texts.
//!
//! Only errors are judged: compilers and servers differ in their warnings. If an edit changes the line of an old error, both
//! answers, new and old, are right.

#[cfg(test)]
mod tests;

use super::case::ProjectTexts;
use super::problem::TruthProblem;
use super::reported_problems::ReportedProblems;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TruthClass {
    /// Exactly the compiler's new errors were reported.
    Exact,
    /// A new error was not reported, nor was the result called unknown.
    Incomplete,
    /// The report is about an earlier text: errors that are gone, or nothing although the edited file itself is
    /// broken.
    Stale,
    /// An error was reported as new that is not, and never was.
    Wrong,
    /// The result was called unknown.
    Unknown,
    /// The case could not be played.
    Failed,
}

#[derive(Debug, Clone)]
pub(crate) struct TruthVerdict {
    pub(crate) class: TruthClass,
    pub(crate) why: String,
}

/// The texts of the project, and the compiler's errors for them.
#[derive(Debug, Clone)]
pub(crate) struct CompiledSnapshot {
    pub(crate) state: ProjectTexts,
    pub(crate) truth: Vec<TruthProblem>,
}

/// What an edit changed, by the compiler.
#[derive(Debug, Default)]
pub(crate) struct CompilerDelta {
    pub(crate) new: Vec<TruthProblem>,
    pub(crate) fixed: Vec<TruthProblem>,
    /// The same as before, in a changed line.
    pub(crate) remaining: Vec<TruthProblem>,
}

/// Judges a step by its states: before it, and after each of its calls.
pub(crate) fn judge(moments: &[CompiledSnapshot], told: &ReportedProblems) -> TruthVerdict {
    let verdict = |class, why: String| TruthVerdict { class, why };
    if !told.failed.is_empty() {
        return verdict(TruthClass::Failed, told.failed.join("; "));
    }
    let (before, after) = (&moments[0], &moments[moments.len() - 1]);
    let whole = delta(before, after);
    let steps: Vec<CompilerDelta> = moments
        .windows(2)
        .map(|pair| delta(&pair[0], &pair[1]))
        .chain(moments[1..].iter().map(|moment| delta(before, moment)))
        .collect();

    let is_true = |one: &TruthProblem| {
        steps.iter().any(|step| step.new.iter().chain(&step.remaining).any(|new| new.matches_compiler(one)))
    };
    // For a broken file the compiler may report anything, and for one that it did not read to the end nothing.
    let is_excused = |one: &TruthProblem| {
        let mut known = moments[1..].iter().flat_map(|moment| &moment.truth);
        known.any(|known| known.path == one.path && (known.is_fatal() || (known.is_error && one.is_syntax())))
    };
    let gone = |one: &TruthProblem| match contains_problem(before, one) {
        true => verdict(TruthClass::Stale, format!("told, and it is no more: {one}")),
        false => verdict(TruthClass::Wrong, format!("told, and the compiler knows nothing of it: {one}")),
    };
    for one in told.new.iter().filter(|told| told.is_error) {
        if is_true(one) || is_excused(one) {
            continue;
        }
        if contains_problem(after, one) {
            return verdict(TruthClass::Wrong, format!("told as new, and it is not: {one}"));
        }
        return gone(one);
    }
    let mut unsure = None;
    for one in told.unsure.iter().filter(|told| told.is_error && !is_true(told)) {
        if !contains_problem(after, one) && !is_excused(one) {
            return gone(one);
        }
        unsure = Some(one);
    }

    let is_error = |problem: &&TruthProblem| problem.is_error;
    let is_told =
        |new: &TruthProblem| told.new.iter().chain(&told.unsure).any(|told| new.matches_compiler(told));
    let has_syntax =
        |new: &TruthProblem| told.new.iter().any(|told| told.is_syntax() && told.path == new.path);
    let missing: Vec<_> =
        whole.new.iter().filter(is_error).filter(|new| !is_told(new) && !has_syntax(new)).collect();
    let is_edited =
        |problem: &TruthProblem| before.state.get(&problem.path) != after.state.get(&problem.path);
    if let Some(first) = missing.first() {
        let why = format!(
            "not reported ({} of {}): {first}",
            missing.len(),
            whole.new.iter().filter(is_error).count()
        );
        if let Some(unknown) = told.unknown_source() {
            return verdict(TruthClass::Unknown, format!("{}: {}; {why}", unknown.source, unknown.why));
        }
        if told.reports.is_empty() && told.new.is_empty() {
            return verdict(TruthClass::Unknown, format!("nothing was said; {why}"));
        }
        let is_false_clean =
            missing.iter().any(|missing| is_edited(missing)) && told.new.is_empty() && told.is_known();
        return verdict(if is_false_clean { TruthClass::Stale } else { TruthClass::Incomplete }, why);
    }

    let fixed: Vec<_> = whole.fixed.iter().filter(is_error).collect();
    let fixed_any = steps.iter().any(|step| !step.fixed.is_empty() || !step.remaining.is_empty());
    if told.fixed > 0 && !fixed_any {
        return verdict(TruthClass::Wrong, format!("{} told as fixed, and nothing is", told.fixed));
    }
    // A compiler that stops at the first kind of errors reports no others.
    let is_whole = !after.truth.iter().any(|known| known.is_error && whole.new.contains(known));
    // "No errors" claims that the old ones are gone.
    let is_left = |path: &str| after.truth.iter().any(|known| known.is_error && known.path == path);
    let fixed: Vec<_> = fixed.into_iter().filter(|fixed| !told.has_none || is_left(&fixed.path)).collect();
    if let (Some(first), 0, true) = (fixed.first(), told.fixed, is_whole) {
        let why = format!("not reported as fixed: {first}");
        if let Some(unknown) = told.unknown_source() {
            return verdict(TruthClass::Unknown, format!("{}: {}; {why}", unknown.source, unknown.why));
        }
        if told.reports.is_empty() {
            return verdict(TruthClass::Unknown, format!("nothing was said; {why}"));
        }
        let is_old = is_edited(first) && after.state.contains_key(&first.path);
        return verdict(if is_old { TruthClass::Stale } else { TruthClass::Incomplete }, why);
    }
    if let Some(unread) = told.unread.first() {
        return verdict(
            TruthClass::Incomplete,
            format!("in the metadata, and the model did not read it: {unread}"),
        );
    }
    if let Some(one) = unsure {
        return verdict(
            TruthClass::Unknown,
            format!("it was said that it is not known whether this is new: {one}"),
        );
    }
    if !told.is_known() && told.new.is_empty() {
        let why = told
            .unknown_source()
            .map_or("nothing was said".to_owned(), |one| format!("{}: {}", one.source, one.why));
        return verdict(TruthClass::Unknown, why);
    }
    verdict(TruthClass::Exact, String::new())
}

fn contains_problem(moment: &CompiledSnapshot, told: &TruthProblem) -> bool {
    moment.truth.iter().any(|known| known.matches_compiler(told))
}

/// New and fixed problems, with the old lines moved to their current place.
pub(crate) fn delta(before: &CompiledSnapshot, after: &CompiledSnapshot) -> CompilerDelta {
    let mut old: Vec<_> = before
        .truth
        .iter()
        .map(|problem| (problem, moved_line(problem, &before.state, &after.state)))
        .collect();
    let mut delta = CompilerDelta::default();
    let mut rest = Vec::new();
    for now in &after.truth {
        let same = old.iter().position(|(was, line)| *line == Some(now.line) && was.has_same_message(now));
        match same {
            Some(at) => drop(old.swap_remove(at)),
            None => rest.push(now),
        }
    }
    for now in rest {
        // In a changed line, or worded differently.
        let same = old.iter().position(|(was, line)| {
            (line.is_none() && was.has_same_message(now))
                || (*line == Some(now.line)
                    && was.matches_compiler(&TruthProblem { line: was.line, ..now.clone() }))
        });
        match same {
            Some(at) => {
                old.swap_remove(at);
                delta.remaining.push(now.clone());
            }
            None => delta.new.push(now.clone()),
        }
    }
    delta.fixed = old.into_iter().map(|(problem, _)| problem.clone()).collect();
    delta
}

/// The current line of an old problem; `None` if that line was changed or deleted.
fn moved_line(problem: &TruthProblem, before: &ProjectTexts, after: &ProjectTexts) -> Option<usize> {
    let lines = |state: &ProjectTexts| {
        state.get(&problem.path).map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>())
    };
    let (before, after) = (lines(before)?, lines(after)?);
    // How many lines the remainders from each pair of positions have in common, in order.
    let mut common = vec![vec![0; after.len() + 1]; before.len() + 1];
    for one in (0..before.len()).rev() {
        for other in (0..after.len()).rev() {
            common[one][other] = if before[one] == after[other] {
                common[one + 1][other + 1] + 1
            } else {
                common[one + 1][other].max(common[one][other + 1])
            };
        }
    }
    let (mut one, mut other) = (0, 0);
    while one < before.len() && other < after.len() {
        if before[one] == after[other] {
            if one + 1 == problem.line {
                return Some(other + 1);
            }
            (one, other) = (one + 1, other + 1);
        } else if common[one + 1][other] >= common[one][other + 1] {
            one += 1;
        } else {
            other += 1;
        }
    }
    None
}
