use serde_json::{Value, json};

use super::{CompiledSnapshot, TruthClass, delta, judge};
use crate::truth::problem::TruthProblem;
use crate::truth::reported_problems::{ReportedProblems, ReportedSource};

fn problem(line: usize, code: &str) -> TruthProblem {
    let (path, message) = ("a.ts".to_owned(), format!("message of {code}"));
    TruthProblem { path, line, is_error: true, code: code.to_owned(), message, source: "ts".to_owned() }
}

fn moment(text: &str, truth: &[TruthProblem]) -> CompiledSnapshot {
    let state = [("a.ts".to_owned(), text.to_owned())].into_iter().collect();
    CompiledSnapshot { state, truth: truth.to_vec() }
}

fn told(proof: &str, new: &[TruthProblem], fixed: u64) -> ReportedProblems {
    let report = ReportedSource { source: "ts".to_owned(), proof: proof.to_owned(), why: String::new() };
    ReportedProblems { new: new.to_vec(), reports: vec![report], fixed, ..ReportedProblems::default() }
}

#[test]
fn what_moved_is_not_new() {
    let before = moment("one\ntwo\nthree\n", &[problem(2, "TS1000")]);
    let after = moment("zero\none\ntwo\nthree\nfour\n", &[problem(3, "TS1000"), problem(5, "TS2000")]);
    let moved = delta(&before, &after);
    assert_eq!((moved.new, moved.fixed, moved.remaining), (vec![problem(5, "TS2000")], vec![], vec![]));
    // In a changed line it may count as either.
    let changed = delta(&before, &moment("one\ntoo\nthree\n", &[problem(2, "TS1000")]));
    assert_eq!((changed.new, changed.fixed, changed.remaining), (vec![], vec![], vec![problem(2, "TS1000")]));
}

#[test]
fn each_class_is_told_from_the_others() {
    let (clean, broken) = (moment("one\n", &[]), moment("two\n", &[problem(1, "TS2345")]));
    let error = problem(1, "2345");
    let unknown =
        |text: &str| ReportedProblems { failed: vec![text.to_owned()], ..ReportedProblems::default() };
    for (before, after, told, class) in [
        (&clean, &broken, told("proven", std::slice::from_ref(&error), 0), TruthClass::Exact),
        (&clean, &broken, told("proven", &[], 0), TruthClass::Stale),
        (&clean, &broken, told("unknown", &[], 0), TruthClass::Unknown),
        (&clean, &broken, told("proven", &[problem(1, "2999")], 0), TruthClass::Wrong),
        (&clean, &broken, told("proven", &[error.clone(), problem(3, "2999")], 0), TruthClass::Wrong),
        (&clean, &broken, ReportedProblems::default(), TruthClass::Unknown),
        (&broken, &clean, told("proven", &[], 1), TruthClass::Exact),
        (&broken, &clean, told("proven", &[], 0), TruthClass::Stale),
        (&broken, &clean, ReportedProblems { has_none: true, ..told("proven", &[], 0) }, TruthClass::Exact),
        (&broken, &clean, told("likely", std::slice::from_ref(&error), 0), TruthClass::Stale),
        (&clean, &clean, told("likely", &[], 0), TruthClass::Exact),
        (&clean, &clean, told("likely", &[], 1), TruthClass::Wrong),
        (&clean, &clean, told("unknown", &[], 0), TruthClass::Unknown),
        (&broken, &broken, told("proven", std::slice::from_ref(&error), 0), TruthClass::Wrong),
        (&clean, &clean, unknown("no such file"), TruthClass::Failed),
    ] {
        let verdict = judge(&[before.clone(), after.clone()], &told);
        assert_eq!(verdict.class, class, "{}: {before:?} {after:?} {told:?}", verdict.why);
    }
}

#[test]
fn what_is_told_as_perhaps_new_has_to_be_there() {
    let (clean, broken) = (moment("one\n", &[]), moment("two\n", &[problem(1, "TS2345")]));
    let unsure = ReportedProblems { unsure: vec![problem(1, "2345")], ..told("proven", &[], 0) };
    for (before, after, class) in [
        (&clean, &broken, TruthClass::Exact),
        (&broken, &broken, TruthClass::Unknown),
        (&broken, &clean, TruthClass::Stale),
        (&clean, &clean, TruthClass::Wrong),
    ] {
        let verdict = judge(&[before.clone(), after.clone()], &unsure);
        assert_eq!(verdict.class, class, "{}: {before:?} {after:?}", verdict.why);
    }
}

#[test]
fn an_error_of_a_moment_between_is_true() {
    let (clean, broken) = (moment("one\n", &[]), moment("two\n", &[problem(1, "TS2345")]));
    let moments = [clean.clone(), broken, clean];
    assert_eq!(judge(&moments, &told("proven", &[problem(1, "2345")], 1)).class, TruthClass::Exact);
    assert_eq!(judge(&moments, &told("proven", &[problem(2, "2345")], 0)).class, TruthClass::Wrong);
}

#[test]
fn what_is_missing_in_another_file_is_incomplete() {
    let other = TruthProblem { path: "b.ts".to_owned(), ..problem(1, "TS2345") };
    let (before, after) = (moment("one\n", &[]), moment("two\n", &[other]));
    assert_eq!(judge(&[before, after], &told("proven", &[], 0)).class, TruthClass::Incomplete);
}

#[test]
fn a_fix_that_is_not_told_is_not_excused_by_what_another_knows() {
    let (broken, clean) = (moment("one\n", &[problem(1, "TS2345")]), moment("two\n", &[]));
    let mut told = told("proven", &[], 0);
    let (source, why) = ("rustc".to_owned(), "it was not saved".to_owned());
    told.reports.push(ReportedSource { source, proof: "unknown".to_owned(), why });
    assert_eq!(judge(&[broken, clean], &told).class, TruthClass::Unknown);
}

#[test]
fn what_is_perhaps_new_excuses_nothing_else() {
    let other = problem(2, "TS2345");
    let broken = moment("one\ntwo\n", std::slice::from_ref(&other));
    let same = [moment("zero\ntwo\n", std::slice::from_ref(&other)), broken.clone()];
    // Another call reports the same one as new.
    let both =
        ReportedProblems { unsure: vec![other.clone()], ..told("proven", std::slice::from_ref(&other), 0) };
    assert_eq!(judge(&same, &both).class, TruthClass::Wrong);
    // An old syntax error that may be new.
    let syntax = TruthProblem { source: "tree-sitter".to_owned(), code: String::new(), ..other };
    let unsure = ReportedProblems { unsure: vec![syntax.clone()], ..told("proven", &[], 0) };
    assert_eq!(judge(&same, &unsure).class, TruthClass::Unknown);
    let third = TruthProblem { line: 9, ..syntax };
    let unsure = ReportedProblems { unsure: vec![third], ..told("proven", &[], 0) };
    assert_eq!(judge(&[moment("one\n", &[]), broken], &unsure).class, TruthClass::Stale);
}

#[test]
fn what_a_note_says_is_judged_beside_what_is_perhaps_new() {
    let listed = |line: u64, message: &str| json!({ "path": "a.ts", "line": line, "severity": "error", "message": message });
    let call = |unsure: Value| json!({ "output": { "metadata": { "diagnostics": { "unsure": unsure } } } });
    let calls = [call(json!([listed(1, "bad"), listed(2, "worse")]))];
    let told = ReportedProblems::collect(&calls, "- a.ts:1:1 error TS1 bad\n- a.ts:1:5 error TS2 another\n");
    let lines = |list: &[TruthProblem]| list.iter().map(|one| one.line).collect::<Vec<_>>();
    assert_eq!((lines(&told.new), told.new[0].message.as_str()), (vec![1], "error TS2 another"));
    assert_eq!(lines(&told.unread), [2]);
}
