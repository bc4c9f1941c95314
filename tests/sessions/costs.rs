//! What sessions cost: limits that wait for the user, and the usage of all sessions.

use serde_json::{Value, json};

use super::harness::ScriptedEnvironment;
use crate::model_server::{ScriptedTurn, ScriptedUsage};

/// A token costs a tenth of a cent.
fn environment(turns: impl IntoIterator<Item = ScriptedTurn>, limits: &Value) -> ScriptedEnvironment {
    let scripted = ScriptedEnvironment::with_config(turns, json!({ "limits": limits }));
    let path = crate::cli::environment::USER_CONFIG;
    let mut config: Value = serde_json::from_str(&scripted.env.read(path)).unwrap();
    config["provider"]["script"]["models"]["m-1"] = json!({ "cost": { "input": 1_000, "output": 1_000 } });
    scripted.env.write(path, config.to_string());
    scripted.env.write("a.txt", "one\n");
    scripted
}

fn used(turn: ScriptedTurn, input: u64) -> ScriptedTurn {
    turn.usage(ScriptedUsage { input, ..ScriptedUsage::default() })
}

fn read() -> ScriptedTurn {
    ScriptedTurn::new().call("c1", "read", json!({ "filePath": "a.txt" }))
}

/// Nobody can be asked, so the turn ends before the request that would go beyond the limit.
#[test]
fn a_turn_without_a_person_ends_at_a_limit() {
    let steps = || vec![used(read(), 1_000), used(read(), 1_000)];
    for (limits, key) in
        [(json!({ "session": 1.5 }), "limits.session"), (json!({ "day": 1.5 }), "limits.day")]
    {
        let scripted = environment(steps(), &limits);
        let ran = scripted.run(&["Go"]);
        assert_eq!((ran.code, scripted.server.requests().len()), (Some(1), 2), "{ran:?}");
        assert!(ran.stderr.contains(key) && ran.stderr.contains("$2.00"), "{ran:?}");
    }
    // Below the limit nothing is asked.
    let turns = steps().into_iter().chain([used(ScriptedTurn::new().text("Done."), 1)]);
    let scripted = environment(turns, &json!({ "session": 2.5, "day": 9 }));
    assert_eq!(scripted.run(&["Go"]).code, Some(0));
}

/// The subagent's request counts for the session that called it.
#[test]
fn subagents_count() {
    let task = json!({ "description": "look", "prompt": "Look", "subagent_type": "explore" });
    let turns = [
        used(ScriptedTurn::new().call("t1", "task", task), 400),
        used(ScriptedTurn::new().text("Seen."), 1_200),
    ];
    let scripted = environment(turns, &json!({ "session": 1.5 }));
    let ran = scripted.run(&["Go"]);
    assert_eq!((ran.code, scripted.server.requests().len()), (Some(1), 2), "{ran:?}");
    assert!(ran.stderr.contains("This session cost $1.60"), "{ran:?}");
}

#[test]
fn usage_is_shown_by_day_model_and_project() {
    let scripted =
        environment([used(read(), 1_000), used(ScriptedTurn::new().text("Done."), 500)], &json!({}));
    let none = scripted.env.run(&["usage"]);
    assert!(none.stdout.contains("No requests in the last 30 days"), "{none:?}");
    assert_eq!(scripted.run(&["Go"]).code, Some(0));
    let shown = scripted.env.run(&["usage", "--json"]);
    let report: Value = serde_json::from_str(&shown.stdout).unwrap();
    for group in ["days", "models", "projects"] {
        let sums = report[group].as_array().unwrap();
        assert_eq!(sums.len(), 1, "{report}");
        assert_eq!((&sums[0]["requests"], &sums[0]["input"]), (&json!(2), &json!(1_500)), "{report}");
    }
    assert_eq!(report["models"][0]["name"], "script/m-1");
    assert_eq!(report["total"]["cost"].as_f64().map(|cost| (cost * 10.0).round()), Some(15.0), "{report}");
    let table = scripted.env.run(&["usage", "--days", "1"]).stdout;
    for words in ["Day", "script/m-1", "Project", "$1.50"] {
        assert!(table.contains(words), "{words}: {table}");
    }
}
