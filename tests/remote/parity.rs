//! Runs every case twice, in its own process and over the daemon: output, exit code, files and model requests must be the
//! same.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::model_server::{ScriptedErrorKind, ScriptedTurn, ScriptedUsage};
use crate::sessions::harness::{RunLocation, ScriptedEnvironment, events, strip_durations};

/// The runs, one after the other in one environment, and the model's turns.
struct RunCase {
    name: &'static str,
    runs: &'static [&'static [&'static str]],
    turns: fn() -> Vec<ScriptedTurn>,
}

fn edit(old: &str, new: &str) -> ScriptedTurn {
    ScriptedTurn::new().call("c1", "edit", json!({ "filePath": "a.txt", "oldString": old, "newString": new }))
}

const CASES: &[RunCase] = &[
    RunCase {
        name: "an answer",
        runs: &[&["Say", "hello"]],
        turns: || {
            let usage = ScriptedUsage { input: 10, output: 5, ..ScriptedUsage::default() };
            vec![ScriptedTurn::new().reasoning("Hm.").signed("s").text("Hello.").usage(usage)]
        },
    },
    RunCase {
        name: "a file is read, another is not there",
        runs: &[&["Look"]],
        turns: || {
            vec![
                ScriptedTurn::new().text("I look.").call("c1", "read", json!({ "filePath": "a.txt" })),
                ScriptedTurn::new().call("c2", "read", json!({ "filePath": "missing" })),
                ScriptedTurn::new().text("Done."),
            ]
        },
    },
    RunCase {
        name: "nobody approves",
        runs: &[&["Change it"]],
        turns: || vec![edit("one", "two"), ScriptedTurn::new().text("I see.")],
    },
    RunCase {
        name: "everything is approved, and the session goes on",
        runs: &[&["--auto", "Change it"], &["--continue", "--auto", "Run", "it"]],
        turns: || {
            let command = ScriptedTurn::new().call("c2", "bash", json!({ "command": "cat a.txt" }));
            vec![
                edit("one", "two"),
                ScriptedTurn::new().text("Done."),
                command,
                ScriptedTurn::new().text("It is so."),
            ]
        },
    },
    RunCase {
        name: "another agent",
        runs: &[&["--agent", "plan", "--auto", "Plan"], &["--continue", "--agent", "build", "--auto", "Do"]],
        turns: || {
            vec![
                edit("one", "two"),
                ScriptedTurn::new().text("ok"),
                edit("one", "two"),
                ScriptedTurn::new().text("ok"),
            ]
        },
    },
    RunCase { name: "an agent that is not there", runs: &[&["--agent", "nobody", "Plan"]], turns: Vec::new },
    RunCase { name: "a session that is not there", runs: &[&["--session", "nosuch", "Go"]], turns: Vec::new },
    RunCase { name: "nothing to continue", runs: &[&["--continue", "Go"]], turns: Vec::new },
    RunCase {
        name: "an image",
        runs: &[&["--file", "shot.png", "What is this?"]],
        turns: || vec![ScriptedTurn::new().text("ok")],
    },
    RunCase {
        name: "a model that fails",
        runs: &[&["Go"]],
        turns: || vec![ScriptedTurn::failure(ScriptedErrorKind::Invalid, "no such thing")],
    },
];

/// The result of a case.
#[derive(Debug, PartialEq)]
struct RunCaseResult {
    runs: Vec<(Vec<String>, Vec<String>, Option<i32>)>,
    file: String,
    sent: Vec<Value>,
}

fn run_case(case: &RunCase, place: RunLocation, json: bool) -> RunCaseResult {
    let scripted = ScriptedEnvironment::new((case.turns)());
    scripted.env.write("a.txt", "one\n");
    scripted.env.write("shot.png", b"\x89PNG\r\n\x1a\nrest");
    let _up = scripted.start_daemon(place);
    let mut runs = Vec::new();
    for args in case.runs {
        let args: Vec<_> = json.then_some("--json").into_iter().chain(args.iter().copied()).collect();
        let ran = scripted.run(&args);
        let shown = if json { normalize_events(events(&ran)) } else { lines(&ran.stdout) };
        runs.push((shown, lines(&ran.stderr), ran.code));
    }
    let root = scripted.env.path("");
    let root = root.to_str().unwrap().trim_end_matches('/');
    let sent = scripted.server.requests();
    let sent = sent.iter().map(|request| {
        let text = request.body["messages"].to_string().replace(root, "PROJECT");
        serde_json::from_str(&untimed(&text)).unwrap()
    });
    RunCaseResult { runs, file: scripted.env.read("a.txt"), sent: sent.collect() }
}

/// Without durations of commands: `(exit code 0 after 0.1 s)`.
fn untimed(text: &str) -> String {
    let mut pieces = text.split("(exit code ");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |text, piece| {
        let (code, rest) = piece.split_once(" after ").unwrap();
        format!("{text}(exit code {code}{}", &rest[rest.find(" s)").unwrap() + 2..])
    })
}

fn lines(text: &str) -> Vec<String> {
    strip_durations(text).lines().map(str::to_owned).collect()
}

/// Events without times, with ids that count up. Progress depends on the speed of a command, and an ask may come before or
/// after its call starts: asks come last here.
fn normalize_events(events: Vec<Value>) -> Vec<String> {
    let mut ids = BTreeMap::new();
    let (mut shown, mut asked) = (Vec::new(), Vec::new());
    for (at, mut event) in events.into_iter().enumerate() {
        if event["event"] == "progress" {
            continue;
        }
        // The daemon sets a session's model on the first prompt.
        if at == 0 {
            event["session"].as_object_mut().unwrap().remove("model");
        }
        number(&mut event, &mut ids);
        if event["event"] == "asked" { &mut asked } else { &mut shown }.push(untimed(&event.to_string()));
    }
    shown.extend(asked);
    shown
}

fn number(value: &mut Value, ids: &mut BTreeMap<String, usize>) {
    match value {
        Value::Object(fields) => {
            for key in ["created", "updated", "milliseconds", "at", "folder", "context"] {
                fields.remove(key);
            }
            for (key, value) in fields.iter_mut() {
                if let (true, Value::String(id)) =
                    (["id", "session", "part", "ask", "prompt"].contains(&key.as_str()), &*value)
                {
                    let next = ids.len();
                    *value = (*ids.entry(id.clone()).or_insert(next)).into();
                } else {
                    number(value, ids);
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| number(value, ids)),
        _ => {}
    }
}

#[test]
fn a_user_sees_the_same() {
    for case in CASES {
        let (here, there) =
            (run_case(case, RunLocation::OwnProcess, false), run_case(case, RunLocation::Daemon, false));
        assert_eq!(here, there, "{}", case.name);
    }
}

#[test]
fn a_script_reads_the_same() {
    for case in CASES {
        let (here, there) =
            (run_case(case, RunLocation::OwnProcess, true), run_case(case, RunLocation::Daemon, true));
        assert_eq!(here, there, "{}", case.name);
    }
}
