//! A case in OpenCode, with its language servers enabled, against the same scripted model.
//!
//! It is judged like the daemon, and in its favour where they differ: it lists all errors that it knows and never distinguishes
//! old from new, so old compiler errors do not count against it, and an error that it no longer lists counts as reported fixed.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::{PlayedStep, name, states, states_between, turns, warm_turns};
use crate::opencode;
use crate::sessions::harness::ScriptedEnvironment;
use crate::truth::case::{TruthCall, TruthCase, TruthCaseKind, TruthProject};
use crate::truth::judge::CompiledSnapshot;
use crate::truth::problem::TruthProblem;
use crate::truth::reported_problems::{ReportedProblems, ReportedSource};
use crate::truth::servers::InstalledServers;

pub(super) fn in_opencode(
    program: &Path,
    scripted: &ScriptedEnvironment,
    servers: (&InstalledServers, &str),
    (project, case): (&TruthProject, &TruthCase),
) -> Vec<PlayedStep> {
    // One run, so that its servers are the ones that were warmed up.
    if case.kind != TruthCaseKind::Cold {
        let warm = warm_turns(scripted, project, case);
        let last = warm.len() - 1;
        warm.into_iter().take(last).for_each(|turn| scripted.server.queue_turn(turn));
    }
    let first = if case.kind == TruthCaseKind::Cold { 0 } else { 3 };
    for (number, turn) in turns(case).enumerate() {
        scripted.server.queue_turn(turn.gate_before_response(format!("step {number}")));
    }
    let model_name = if case.uses_patches() { "gpt-5" } else { "m-1" };
    let states = opencode::play(program, scripted, servers, model_name, || states(scripted, case));
    let root = scripted.env.path("");
    let steps = case.steps.iter().enumerate().filter(|(_, calls)| calls.iter().any(TruthCall::is_change));
    let step = |(number, calls): (usize, &Vec<TruthCall>)| {
        let read = last_model_input(&scripted.request_body(first + number + 1));
        let requests = scripted.server.requests();
        let asked = requests[first + number + 1].begun;
        let waited =
            scripted.server.answer_time(first + number + 1).map(|at| asked.saturating_duration_since(at));
        let told = ReportedProblems {
            reports: reports(calls),
            failed: failed(&scripted.request_body(first + number + 1), number, calls),
            waited_ms: waited.unwrap_or(Duration::ZERO).as_millis().try_into().unwrap_or(u64::MAX),
            ..ReportedProblems::default()
        };
        let states = states_between(&states[number], &states[number + 1], calls);
        PlayedStep { states, told, listed: Some(parse_diagnostics(&read, &root)), read }
    };
    steps.map(step).collect()
}

/// The last message to the model.
fn last_model_input(request: &Value) -> String {
    let messages = request["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let contents = messages.last().and_then(|last| last["content"].as_array()).into_iter().flatten();
    contents.filter_map(|part| part["content"].as_str()).fold(String::new(), |read, text| read + text + "\n")
}

/// It always lists its servers' last report; nothing for commands.
fn reports(calls: &[TruthCall]) -> Vec<ReportedSource> {
    let is_edit = |call: &&TruthCall| call.is_change() && !matches!(call, TruthCall::Bash { .. });
    let report =
        |_| ReportedSource { source: "OpenCode".to_owned(), proof: "likely".to_owned(), why: String::new() };
    calls.iter().filter(is_edit).map(report).collect()
}

/// The errors of failed calls.
fn failed(request: &Value, step: usize, calls: &[TruthCall]) -> Vec<String> {
    let names: Vec<_> = (0..calls.len()).map(|call| name(step, call)).collect();
    let messages = request["messages"].as_array().into_iter().flatten();
    let results = messages.flat_map(|message| message["content"].as_array().into_iter().flatten());
    let is_failed = |result: &&Value| {
        result["is_error"] == true && names.iter().any(|name| result["tool_use_id"] == name.as_str())
    };
    results.filter(is_failed).map(|result| result["content"].to_string()).collect()
}

/// `<diagnostics file="…">`, and `ERROR [line:column] message` for each.
fn parse_diagnostics(read: &str, root: &Path) -> Vec<TruthProblem> {
    let (mut path, mut all) = (None, Vec::new());
    for line in read.lines() {
        if let Some((_, rest)) = line.split_once("<diagnostics file=\"") {
            let file = Path::new(rest.split('"').next().unwrap_or_default());
            path = Some(file.strip_prefix(root).unwrap_or(file).to_string_lossy().into_owned());
        } else if line.contains("</diagnostics>") {
            path = None;
        } else if let (Some(path), Some((place, message))) =
            (&path, line.strip_prefix("ERROR [").and_then(|rest| rest.split_once("] ")))
        {
            let line = place.split(':').next().and_then(|line| line.parse().ok()).unwrap_or(0);
            all.push(TruthProblem {
                path: path.clone(),
                line,
                is_error: true,
                code: String::new(),
                message: message.to_owned(),
                source: "OpenCode".to_owned(),
            });
        }
    }
    all
}

/// Its report for the judge: listed errors that did not exist before are new.
pub(crate) fn report_new_problems(
    mut told: ReportedProblems,
    listed: &[TruthProblem],
    moments: &[CompiledSnapshot],
) -> ReportedProblems {
    let (before, after) = (&moments[0], &moments[moments.len() - 1]);
    let delta = super::super::judge::delta(before, after);
    let is_old = |one: &TruthProblem| {
        let remains = |known: &TruthProblem| {
            known.matches_compiler(one) && !delta.new.iter().any(|new| new.matches_compiler(one))
        };
        after.truth.iter().any(remains)
    };
    told.new = listed.iter().filter(|one| !is_old(one)).cloned().collect();
    let is_edited = |path: &str| before.state.get(path) != after.state.get(path);
    let is_told = |fixed: &&TruthProblem| {
        fixed.is_error && is_edited(&fixed.path) && !listed.iter().any(|one| fixed.matches_compiler(one))
    };
    told.fixed = delta.fixed.iter().filter(is_told).count() as u64;
    told
}
