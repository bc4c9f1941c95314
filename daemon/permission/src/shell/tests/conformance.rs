//! Cases of `tests/conformance/shell_scan.json` and `bash_arity.json`. Where we differ on purpose stands with
//! its reason in `differences.json`; a difference that is not there, or no longer is one, fails.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::shell::command_words::count_command_words;
use crate::shell::reader::{KnownVariables, read_script};
use crate::{ShellPlace, read_command};

#[derive(Deserialize)]
struct ScanCases {
    bash: Vec<ScanCase>,
}

#[derive(Deserialize)]
struct ScanCase {
    id: String,
    command: String,
    /// `None`: the whole is asked for.
    commands: Option<Vec<ScannedCommand>>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct ScannedCommand {
    resource: String,
    words: Vec<String>,
}

#[derive(Deserialize)]
struct ArityCases {
    cases: Vec<ArityCase>,
}

#[derive(Deserialize)]
struct ArityCase {
    id: String,
    tokens: Vec<String>,
    expected: Vec<String>,
    always: Option<String>,
}

/// Reasons by the id of a case.
fn differences(of: &str) -> BTreeMap<String, String> {
    let mut all: BTreeMap<String, BTreeMap<String, String>> =
        serde_json::from_str(include_str!("differences.json")).unwrap();
    all.remove(of).unwrap()
}

fn check(of: &str, outcomes: Vec<(String, bool, String)>, expected_equal: usize) {
    let mut listed = differences(of);
    let mut wrong = Vec::new();
    let mut equal = 0;
    for (id, is_equal, ours) in outcomes {
        equal += usize::from(is_equal);
        if is_equal == listed.remove(&id).is_some() {
            wrong.push(format!("{id}: equal: {is_equal}, ours: {ours}"));
        }
    }
    assert!(wrong.is_empty() && listed.is_empty(), "{}\nnot found: {listed:?}", wrong.join("\n"));
    assert_eq!(equal, expected_equal);
}

#[test]
fn shell_scan() {
    let cases: ScanCases =
        serde_json::from_str(include_str!("../../../../../tests/conformance/shell_scan.json")).unwrap();
    let outcome = |case: ScanCase| {
        let script = read_script(&case.command, KnownVariables::default());
        let ours = script.ok().map(|script| {
            let scanned = script.commands.into_iter().map(|command| ScannedCommand {
                resource: command.source,
                words: command.words.into_iter().map(|word| word.text).collect(),
            });
            scanned.collect::<Vec<_>>()
        });
        (case.id, ours == case.commands, format!("{ours:?}"))
    };
    check("shell_scan", cases.bash.into_iter().map(outcome).collect(), 59);
}

#[test]
fn bash_arity() {
    let cases: ArityCases =
        serde_json::from_str(include_str!("../../../../../tests/conformance/bash_arity.json")).unwrap();
    let outcome = |case: ArityCase| {
        let tokens: Vec<&str> = case.tokens.iter().map(String::as_str).collect();
        let count = if tokens.is_empty() { 0 } else { count_command_words(&tokens) };
        let offered = read_command(&tokens.join(" "), ShellPlace::default()).always;
        let is_equal = tokens[..count] == case.expected && offered.first() == case.always.as_ref();
        (case.id, is_equal, format!("{:?}, {offered:?}", &tokens[..count]))
    };
    check("bash_arity", cases.cases.into_iter().map(outcome).collect(), 23);
}
