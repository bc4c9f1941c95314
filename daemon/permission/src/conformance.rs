//! Cases from OpenCode's behaviour (`tests/conformance/permission.json`, `read.json`).

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{Action, Ask, Decision, Layers, Rule, Rules, Setting, defaults};

mod flows;

type Lines = Vec<(String, String, String)>;

#[derive(Deserialize)]
struct Cases {
    evaluate: Vec<Evaluate>,
    config: Vec<Config>,
    disabled: Vec<Disabled>,
    ask: Vec<Several>,
    flows: Vec<flows::Flow>,
}

#[derive(Deserialize)]
struct Evaluate {
    id: String,
    rules: Lines,
    key: String,
    pattern: String,
    expected: String,
}

#[derive(Deserialize)]
struct Config {
    id: String,
    config: Map<String, Value>,
    home: String,
    rules: Lines,
    evaluate: Lines,
}

#[derive(Deserialize)]
struct Disabled {
    id: String,
    tools: Vec<String>,
    rules: Lines,
    expected: Vec<String>,
}

#[derive(Deserialize)]
struct Several {
    id: String,
    key: String,
    patterns: Vec<String>,
    rules: Lines,
    expected: String,
}

fn cases() -> Cases {
    serde_json::from_str(include_str!("../../../tests/conformance/permission.json")).unwrap()
}

fn action(name: &str) -> Action {
    [Action::Allow, Action::Ask, Action::Deny].into_iter().find(|action| action.name() == name).unwrap()
}

fn rules(lines: &Lines) -> Rules {
    lines.iter().map(|(key, pattern, name)| Rule::new(key, pattern, action(name))).collect()
}

#[test]
fn evaluate() {
    let cases = cases().evaluate;
    for case in &cases {
        let ours = rules(&case.rules).evaluate(&case.key, &case.pattern);
        assert_eq!(ours.name(), case.expected, "{}", case.id);
    }
    assert_eq!(cases.len(), 42);
}

#[test]
fn config() {
    let cases = cases().config;
    let mut evaluated = 0;
    for case in &cases {
        let settings = case.config.iter().map(|(key, value)| {
            let setting = match value {
                Value::Object(lines) => {
                    let line = |(pattern, name): (&String, &Value)| {
                        (pattern.clone(), action(name.as_str().unwrap()))
                    };
                    Setting::ByPattern(lines.iter().map(line).collect())
                }
                value => Setting::Action(action(value.as_str().unwrap())),
            };
            (key.clone(), setting)
        });
        let ours = Rules::from_settings(settings, &case.home);
        assert_eq!(ours, rules(&case.rules), "{}", case.id);
        for (key, pattern, expected) in &case.evaluate {
            assert_eq!(ours.evaluate(key, pattern).name(), expected, "{}", case.id);
            evaluated += 1;
        }
    }
    assert_eq!((cases.len(), evaluated), (22, 36));
}

/// Which key a tool has is for the tool to say; here, as upstream's say.
#[test]
fn disabled() {
    let cases = cases().disabled;
    for case in &cases {
        let key = |tool| if matches!(tool, "write" | "apply_patch") { "edit" } else { tool };
        let tools = case.tools.iter().map(|tool| (tool.as_str(), key(tool)));
        assert_eq!(rules(&case.rules).disabled(tools), case.expected, "{}", case.id);
    }
    assert_eq!(cases.len(), 19);
}

#[test]
fn ask() {
    let cases = cases().ask;
    for case in &cases {
        let ask =
            Ask { key: case.key.clone(), patterns: case.patterns.clone(), always: Vec::new(), said: None };
        let ours = match Layers::new([rules(&case.rules)]).decide(&ask) {
            Decision::Allow => "allow",
            Decision::Ask(_) => "ask",
            Decision::Deny(_) => "deny",
        };
        assert_eq!(ours, case.expected, "{}", case.id);
    }
    assert_eq!(cases.len(), 7);
}

#[derive(Deserialize)]
struct Reads {
    env: Vec<Env>,
}

#[derive(Deserialize)]
struct Env {
    file: String,
    asks: bool,
}

#[test]
fn files_with_secrets_are_asked_for() {
    let reads: Reads = serde_json::from_str(include_str!("../../../tests/conformance/read.json")).unwrap();
    for case in &reads.env {
        let paths = [case.file.clone(), format!("deep/er/{}", case.file)];
        let asks = paths.map(|path| defaults().evaluate("read", &path) == Action::Ask);
        assert_eq!(asks, [case.asks; 2], "{}", case.file);
    }
    assert_eq!(reads.env.len(), 7);
}
