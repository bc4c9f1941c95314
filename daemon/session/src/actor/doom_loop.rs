//! Detects a model that goes in circles: the same call with the same result, step after step.
//!
//! Counts back over the steps that made calls, also those before a restart; other calls beside it make no difference. The
//! fourth call asks the user.

use std::sync::Arc;

use copydesk_metadata::{PermissionAskDetail, RepeatedCallAskMetadata};
use copydesk_tool::{PermissionRequest, PreparedCall};
use serde_json::Value;

use crate::data::{CallPart, Part, PartContent};

/// How often a call may repeat.
const TIMES: usize = 3;

/// The permission key of the ask.
const KEY: &str = "doom_loop";

/// What the model reads if the ask is denied.
pub(super) const DENIAL_NOTE: &str =
    "This very call had the same result three times in a row, and was not made again. Do something else.";

/// The ask before a call that repeated too often. `parts` are those of earlier steps.
pub(super) fn doom_loop_ask<'a>(
    call: &PreparedCall,
    parts: impl DoubleEndedIterator<Item = &'a Arc<Part>>,
) -> Option<PermissionRequest> {
    let name = call.name();
    let last = find_repeated_call(parts, &name, call.arguments())?;
    let title = last.output.as_ref().map(|output| output.title.as_str()).unwrap_or_default();
    Some(PermissionRequest {
        key: KEY.to_owned(),
        patterns: vec![name.clone()],
        always: vec![name.clone()],
        title: format!("{name} {title}: again, after {TIMES} times with the same result"),
        metadata: PermissionAskDetail::RepeatedCall(RepeatedCallAskMetadata {
            name,
            arguments: call.arguments().clone(),
            times: TIMES as u64,
        })
        .into(),
        ..PermissionRequest::default()
    })
}

/// The last call like this one, if enough of them in a row had one result.
fn find_repeated_call<'a>(
    parts: impl DoubleEndedIterator<Item = &'a Arc<Part>>,
    name: &str,
    arguments: &Value,
) -> Option<&'a CallPart> {
    let mut step = None;
    let (mut in_step, mut count) = (true, 0);
    let mut last: Option<(&CallPart, String)> = None;
    for part in parts.rev() {
        let PartContent::Call(call) = &part.content else { continue };
        if call.parent.is_some() {
            continue;
        }
        let of = (part.turn, part.step);
        if step != Some(of) {
            if !in_step {
                return None;
            }
            (step, in_step) = (Some(of), false);
        }
        if call.name != name || !same(&call.arguments, arguments) {
            continue;
        }
        in_step = true;
        // It did not run then.
        if was_refused(call) {
            continue;
        }
        // Waiting for something shows the same result until it ends.
        if is_waiting(call) {
            return None;
        }
        let result = result(call);
        if last.as_ref().is_some_and(|(_, last)| *last != result) {
            return None;
        }
        count += 1;
        let (last, _) = last.get_or_insert((call, result));
        if count == TIMES {
            return Some(last);
        }
    }
    None
}

fn same(written: &str, arguments: &Value) -> bool {
    serde_json::from_str::<Value>(written).is_ok_and(|written| written == *arguments)
}

fn was_refused(call: &CallPart) -> bool {
    call.output.as_ref().is_some_and(|output| output.metadata.notes.refused.as_deref() == Some(KEY))
}

/// It looks at a background job that still runs.
fn is_waiting(call: &CallPart) -> bool {
    call.output.as_ref().is_some_and(|output| output.metadata.is_running())
}

/// The result without durations and without the path of the whole output.
fn result(call: &CallPart) -> String {
    let output = call.output.as_ref().map(|output| output.output.as_str()).unwrap_or_default();
    let is_told = |line: &&str| !(line.starts_with('[') && line.contains(" left out. "));
    output.lines().filter(is_told).map(without_times).collect::<Vec<_>>().join("\n")
}

/// `finished in 0.5s` and `finished in 12 ms` are the same.
fn without_times(line: &str) -> String {
    let mut kept = String::new();
    let mut rest = line;
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (before, number) = rest.split_at(start);
        let end =
            number.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(number.len());
        let (number, after) = number.split_at(end);
        kept.push_str(before);
        match unit(after) {
            Some(after) => rest = after,
            None => {
                kept.push_str(number);
                rest = after;
            }
        }
    }
    kept + rest
}

/// The text after a unit of time, if there is one here.
fn unit(text: &str) -> Option<&str> {
    let word = text.strip_prefix(' ').unwrap_or(text);
    let units = ["ms", "s", "sec", "secs", "second", "seconds", "us", "µs", "ns"];
    let after = word.trim_start_matches(char::is_alphabetic);
    let unit = word.get(..word.len() - after.len())?;
    units.contains(&unit).then_some(after)
}

#[cfg(test)]
mod tests {
    use copydesk_metadata::CallMetadata;
    use serde_json::json;

    use super::*;
    use crate::data::{CallOutput, PartState, PromptPart};
    use crate::id::Id;

    fn part(step: u32, content: PartContent) -> Arc<Part> {
        let (id, session) = (Id::from("p"), Id::from("s"));
        Arc::new(Part {
            id,
            session,
            turn: 1,
            step,
            created: 0,
            updated: 0,
            state: PartState::Completed,
            content,
        })
    }

    fn call(step: u32, arguments: &str, output: &str) -> Arc<Part> {
        let metadata = match output {
            "refused" => json!({ "refused": KEY }),
            "runs" => json!({ "job": 1, "running": true }),
            _ => json!({ "job": 1, "running": false }),
        };
        let metadata = CallMetadata::from_value(metadata);
        let output = CallOutput { output: output.into(), metadata, ..CallOutput::default() };
        let (arguments, output) = (arguments.to_owned(), Some(Box::new(output)));
        part(
            step,
            PartContent::Call(CallPart {
                call: "c".into(),
                name: "t".into(),
                arguments,
                echo: None,
                parent: None,
                output,
            }),
        )
    }

    #[track_caller]
    fn check(expected: bool, parts: &[Arc<Part>]) {
        assert_eq!(find_repeated_call(parts.iter(), "t", &json!({ "a": 1, "b": 2 })).is_some(), expected);
    }

    #[test]
    fn three_in_a_row_are_enough() {
        let same = |step: u32, output: &str| call(step, r#"{"a":1,"b":2}"#, output);
        let other = |step: u32| call(step, r#"{"a":2}"#, "x");
        check(false, &[]);
        check(false, &[same(1, "x"), same(2, "x")]);
        check(true, &[same(1, "x"), same(2, "x"), same(3, "x")]);
        // In another notation, and with other parts between.
        let prompt = part(
            2,
            PartContent::Prompt(PromptPart { text: "Go on".into(), steers: false, context: Vec::new() }),
        );
        let written = call(3, "{ \"b\": 2, \"a\": 1 }", "x");
        check(true, &[other(1), same(1, "x"), prompt, same(2, "x"), other(2), written]);
        // Several in one step count, too.
        check(true, &[same(1, "x"), same(1, "x"), same(1, "x")]);
        check(true, &[same(1, "x"), same(2, "x"), same(3, "x"), same(4, "refused")]);
    }

    #[test]
    fn something_else_or_another_result_ends_the_row() {
        let same = |step: u32, output: &str| call(step, r#"{"a":1,"b":2}"#, output);
        let other = |step: u32| call(step, r#"{"a":2}"#, "x");
        check(false, &[same(1, "x"), same(2, "x"), same(3, "x"), other(4)]);
        check(false, &[same(1, "x"), same(2, "x"), other(3), same(4, "x")]);
        check(false, &[same(1, "x"), same(2, "y"), same(3, "x")]);
        check(false, &[same(1, "x"), same(2, "x"), same(3, "refused")]);
        // Waiting for a job is no loop.
        check(false, &[same(1, "runs"), same(2, "runs"), same(3, "runs"), same(4, "runs")]);
        check(false, &[same(1, "runs"), same(2, "runs"), same(3, "x")]);
    }

    #[test]
    fn times_and_places_are_no_results() {
        let took = |time: &str| {
            call(
                1,
                "{}",
                &format!("[5 lines left out. See {time}]\nfailed: 3 of 7\n(exit code 1 after {time})"),
            )
        };
        let result = |time: &str| match &took(time).content {
            PartContent::Call(call) => super::result(call),
            _ => String::new(),
        };
        assert_eq!(result("0.5 s"), result("12ms"));
        assert_eq!(result("0.5 s"), "failed: 3 of 7\n(exit code 1 after )");
        for line in ["", "7", "1.5 steps", "3 sheep and 2s", "v1.2.3", "日5本"] {
            assert_eq!(without_times(line), line.replace("2s", ""), "{line}");
        }
    }
}
