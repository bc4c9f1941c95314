//! Cases from OpenCode's behaviour (`tests/conformance/permission.json`, `read.json`).

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{
    Ask, PermissionAction, PermissionDecision, PermissionRule, PermissionRules, RuleLayers, RuleSetting,
    default_rules,
};

mod flows;

type RuleLines = Vec<(String, String, String)>;

#[derive(Deserialize)]
struct PermissionCases {
    evaluate: Vec<EvaluateCase>,
    config: Vec<ConfigRulesCase>,
    disabled: Vec<DisabledToolsCase>,
    ask: Vec<AskPatternsCase>,
    flows: Vec<flows::AskFlow>,
}

#[derive(Deserialize)]
struct EvaluateCase {
    id: String,
    rules: RuleLines,
    key: String,
    pattern: String,
    expected: String,
}

#[derive(Deserialize)]
struct ConfigRulesCase {
    id: String,
    config: Map<String, Value>,
    home: String,
    rules: RuleLines,
    evaluate: RuleLines,
}

#[derive(Deserialize)]
struct DisabledToolsCase {
    id: String,
    tools: Vec<String>,
    rules: RuleLines,
    expected: Vec<String>,
}

#[derive(Deserialize)]
struct AskPatternsCase {
    id: String,
    key: String,
    patterns: Vec<String>,
    rules: RuleLines,
    expected: String,
}

fn cases() -> PermissionCases {
    serde_json::from_str(include_str!("../../../tests/conformance/permission.json")).unwrap()
}

fn action(name: &str) -> PermissionAction {
    [PermissionAction::Allow, PermissionAction::Ask, PermissionAction::Deny]
        .into_iter()
        .find(|action| action.name() == name)
        .unwrap()
}

fn rules(lines: &RuleLines) -> PermissionRules {
    lines.iter().map(|(key, pattern, name)| PermissionRule::new(key, pattern, action(name))).collect()
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
                    RuleSetting::ByPattern(lines.iter().map(line).collect())
                }
                value => RuleSetting::Action(action(value.as_str().unwrap())),
            };
            (key.clone(), setting)
        });
        let ours = PermissionRules::from_settings(settings, &case.home);
        assert_eq!(ours, rules(&case.rules), "{}", case.id);
        for (key, pattern, expected) in &case.evaluate {
            assert_eq!(ours.evaluate(key, pattern).name(), expected, "{}", case.id);
            evaluated += 1;
        }
    }
    assert_eq!((cases.len(), evaluated), (22, 36));
}

/// In production each tool names its own key; the test uses upstream's keys.
#[test]
fn disabled() {
    let cases = cases().disabled;
    for case in &cases {
        let key = |tool| if matches!(tool, "write" | "apply_patch") { "edit" } else { tool };
        let tools = case.tools.iter().map(|tool| (tool.as_str(), key(tool)));
        assert_eq!(rules(&case.rules).denied_tools(tools), case.expected, "{}", case.id);
    }
    assert_eq!(cases.len(), 19);
}

#[test]
fn ask() {
    let cases = cases().ask;
    for case in &cases {
        let ask = Ask { key: case.key.clone(), patterns: case.patterns.clone(), ..Ask::default() };
        let ours = match RuleLayers::new([rules(&case.rules)]).decide(&ask) {
            PermissionDecision::Allow => "allow",
            PermissionDecision::Ask(_) => "ask",
            PermissionDecision::Deny(_) => "deny",
        };
        assert_eq!(ours, case.expected, "{}", case.id);
    }
    assert_eq!(cases.len(), 7);
}

#[derive(Deserialize)]
struct ReadCases {
    env: Vec<EnvFileCase>,
}

#[derive(Deserialize)]
struct EnvFileCase {
    file: String,
    asks: bool,
}

#[test]
fn files_with_secrets_are_asked_for() {
    let reads: ReadCases =
        serde_json::from_str(include_str!("../../../tests/conformance/read.json")).unwrap();
    for case in &reads.env {
        let paths = [case.file.clone(), format!("deep/er/{}", case.file)];
        let asks = paths.map(|path| default_rules().evaluate("read", &path) == PermissionAction::Ask);
        assert_eq!(asks, [case.asks; 2], "{}", case.file);
    }
    assert_eq!(reads.env.len(), 7);
}
