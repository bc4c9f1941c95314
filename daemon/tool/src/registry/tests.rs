use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{Limits, Registry};
use crate::arguments::Ending;
use crate::context::{Allowed, Answer, Answering, Ask, Asker, Context, Refused, Switching};
use crate::outcome::{Failure, FailureKind, Output};
use crate::prepared::Written;
use crate::question::Question;
use crate::spill::Spill;
use crate::todo::Todos;
use crate::tool::{Tool, typed};

/// Does what its `act` says.
struct Actor;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Parameters {
    /// What to do.
    act: String,
    /// How much of it.
    how_much: Option<usize>,
}

impl Tool for Actor {
    type Parameters = Parameters;

    fn name(&self) -> Cow<'static, str> {
        "act".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        "Acts.".into()
    }

    async fn run(&self, parameters: Parameters, context: Context) -> Result<Output, Failure> {
        match parameters.act.as_str() {
            "panic" => panic!("as asked"),
            "fail" => Err(Failure::failed("It did not work.").with_metadata(json!(1))),
            "ask" => {
                let ask = Ask {
                    key: "bash".into(),
                    patterns: vec!["x".into()],
                    always: vec![],
                    title: "x".into(),
                    ..Ask::default()
                };
                context.ask(ask).await.map(|_| Output::default())
            }
            "wait" => {
                context.cancel.cancelled().await;
                Err(Failure::cancelled())
            }
            "deaf" => std::future::pending().await,
            "talk" => {
                Ok(Output { output: "line\n".repeat(parameters.how_much.unwrap_or(1)), ..Output::default() })
            }
            "talk last" => Ok(Output {
                output: "line\n".repeat(parameters.how_much.unwrap_or(1)) + "end",
                keep_end: true,
                ..Output::default()
            }),
            other => {
                Ok(Output { title: other.to_owned(), output: format!("did {other}"), ..Output::default() })
            }
        }
    }
}

struct Says(Result<(), Refused>);

impl Asker for Says {
    fn ask<'a>(&'a self, _call: &'a str, _ask: Ask) -> Answer<'a> {
        Box::pin(async { self.0.clone().map(|()| Allowed::ByPerson) })
    }

    fn question<'a>(&'a self, _call: &'a str, _questions: Vec<Question>) -> Answering<'a> {
        Box::pin(async { self.0.clone().map(|()| Vec::new()) })
    }

    fn go_on_as<'a>(&'a self, _agent: &'a str) -> Switching<'a> {
        Box::pin(async { Ok(()) })
    }
}

fn registry(spill: &std::path::Path) -> Registry {
    let mut registry = Registry::new(Limits { lines: 3, bytes: 1000 }, Spill::new(spill));
    registry.add(typed(Actor));
    registry
}

fn context(says: Result<(), Refused>) -> Context {
    Context {
        checks: copydesk_diagnostics::Checks::default(),
        formatters: None,
        session: "s".into(),
        call: "c1".into(),
        above: None,
        agent: "build".into(),
        cancel: CancellationToken::new(),
        files: copydesk_workspace::files::Files::new("/".as_ref(), "/".as_ref()),
        asker: Arc::new(Says(says)),
        todos: Todos::default(),
        progress: mpsc::channel(1).0,
        waited: Arc::default(),
    }
}

async fn run(name: &str, arguments: &str) -> (Option<FailureKind>, String) {
    let dir = tempfile::tempdir().unwrap();
    let outcome = registry(dir.path()).run(name, arguments, context(Ok(()))).await;
    (outcome.failure, outcome.output)
}

#[tokio::test]
async fn a_call_that_fits_is_made() {
    let dir = tempfile::tempdir().unwrap();
    let outcome = registry(dir.path()).run("act", r#"{"act":"this"}"#, context(Ok(()))).await;
    assert_eq!(
        (outcome.name.as_str(), outcome.title.as_str(), outcome.output.as_str(), outcome.failure),
        ("act", "this", "did this", None)
    );
    // Models write names in other case and numbers in quotes.
    let outcome = registry(dir.path()).run("Act", r#"{"act":"talk","howMuch":"2"}"#, context(Ok(()))).await;
    assert_eq!((outcome.name.as_str(), outcome.output.as_str()), ("act", "line\nline\n"));
}

#[tokio::test]
async fn what_does_not_fit_is_told_so_that_the_model_can_mend_it() {
    let cases = [
        (
            "acts",
            "{}",
            FailureKind::Unknown,
            "There is no tool `acts`. Did you mean `act`? It takes: act (string), howMuch (integer, optional). There are: `act`.",
        ),
        (
            "act",
            "{\"act\":",
            FailureKind::Arguments,
            "The arguments of `act` are no JSON object (EOF while parsing a value at line 1 column 7). It takes: act (string), howMuch (integer, optional). Make the call again with valid JSON.",
        ),
        (
            "act",
            "[1]",
            FailureKind::Arguments,
            "The arguments of `act` are no JSON object (they are an array). It takes: act (string), howMuch (integer, optional). Make the call again with valid JSON.",
        ),
        (
            "act",
            "",
            FailureKind::Arguments,
            "The arguments of `act` do not fit: missing field `act`. It takes: act (string), howMuch (integer, optional). Make the call again.",
        ),
        (
            "act",
            r#"{"act":"talk","howMuch":"many"}"#,
            FailureKind::Arguments,
            "The arguments of `act` do not fit: `howMuch`: invalid type: string \"many\", expected a whole number of at least 0. It takes: act (string), howMuch (integer, optional). Make the call again.",
        ),
        (
            "act",
            r#"{"act":"talk","howMuch":-1}"#,
            FailureKind::Arguments,
            "The arguments of `act` do not fit: `howMuch`: invalid value: integer `-1`, expected a whole number of at least 0. It takes: act (string), howMuch (integer, optional). Make the call again.",
        ),
    ];
    for (name, arguments, kind, message) in cases {
        assert_eq!(run(name, arguments).await, (Some(kind), message.to_owned()), "{name} {arguments}");
    }
}

#[tokio::test]
async fn what_was_repaired_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let run = async |name: &str, arguments: &str| {
        let outcome = registry(dir.path()).run(name, arguments, context(Ok(()))).await;
        (outcome.name, outcome.output, outcome.metadata)
    };
    let said = |name: &str, output: &str, metadata| (name.to_owned(), output.to_owned(), metadata);
    assert_eq!(run("act", r#"{"act":"x"}"#).await, said("act", "did x", json!(null)));
    // Not worth a word to the model.
    let noise = json!({ "repaired": ["single quotes were taken for double ones"] });
    assert_eq!(run("functions.Act", "{'act':'x'}").await, said("act", "did x", noise));
    let renamed = "line\n\n\n(Repaired in this call: `how_much` was taken for `howMuch`.)";
    let repaired =
        json!({ "repaired": ["`how_much` was taken for `howMuch`", "`howMuch` was taken for a number"] });
    assert_eq!(run("act", r#"{"act":"talk","how_much":"1"}"#).await, said("act", renamed, repaired));
}

#[tokio::test]
async fn what_cannot_be_understood_is_invalid() {
    let dir = tempfile::tempdir().unwrap();
    let registry = registry(dir.path());
    let understood = |name: &str, arguments: &str, ending| {
        let call = registry.prepare(&Written { name, arguments, ending }, |key| key != "act");
        (call.name(), call.rewritten())
    };
    let invalid = |name: &str, arguments: serde_json::Value| {
        ("invalid".to_owned(), Some(json!({ "tool": name, "arguments": arguments }).to_string()))
    };
    assert_eq!(understood("act", r#"{ "act":"x" }"#, Ending::Whole), ("act".to_owned(), None));
    assert_eq!(
        understood("act", r#"{"act":"x""#, Ending::Whole),
        ("act".to_owned(), Some(r#"{"act":"x"}"#.to_owned()))
    );
    assert_eq!(understood("act", r#"{"act":"x""#, Ending::Cut), invalid("act", json!(r#"{"act":"x""#)));
    assert_eq!(understood("act", r#"{"acts":1}"#, Ending::Whole), invalid("act", json!({ "acts": 1 })));
    assert_eq!(understood("invalid", "{}", Ending::Whole), invalid("invalid", json!({})));
    let call =
        registry.prepare(&Written { name: "x", arguments: "", ending: Ending::Whole }, |key| key != "act");
    let outcome = registry.carry_out(call, context(Ok(()))).await;
    assert_eq!(outcome.output, "There is no tool `x`. There are: .", "none that the model was not told of");
}

#[tokio::test]
async fn a_tool_that_fails_or_breaks_down_is_an_outcome_too() {
    let dir = tempfile::tempdir().unwrap();
    let outcome = registry(dir.path()).run("act", r#"{"act":"fail"}"#, context(Ok(()))).await;
    assert_eq!(
        (outcome.failure, outcome.output.as_str(), outcome.metadata),
        (Some(FailureKind::Failed), "It did not work.", json!(1))
    );
    let (kind, message) = run("act", r#"{"act":"panic"}"#).await;
    assert_eq!(kind, Some(FailureKind::Broken));
    assert!(message.contains("a fault of Copydesk"), "{message}");
}

#[tokio::test]
async fn a_tool_that_is_off_is_not_offered_and_says_so_when_it_is_called() {
    let dir = tempfile::tempdir().unwrap();
    let mut registry = registry(dir.path());
    let names =
        |registry: &Registry| registry.specs(|_| true).into_iter().map(|spec| spec.name).collect::<Vec<_>>();
    assert!(names(&registry).contains(&"act".to_owned()));
    registry.add(crate::off("act", "plan"));
    assert!(!names(&registry).contains(&"act".to_owned()));
    for name in ["act", "Act"] {
        let outcome = registry.run(name, r#"{"act":"fail"}"#, context(Ok(()))).await;
        assert_eq!(outcome.failure, Some(FailureKind::Denied));
        assert_eq!(outcome.output, "The tool `act` is switched off for the agent `plan`. Do without it.");
    }
    let unknown = registry.run("actor", "{}", context(Ok(()))).await;
    assert!(!unknown.output.contains("`act`"), "{}", unknown.output);
}

#[tokio::test]
async fn a_refusal_reaches_the_model_with_its_reason() {
    let dir = tempfile::tempdir().unwrap();
    for (refused, word) in [
        (Refused::ByRule { why: "the rule".into() }, "A rule forbids this: the rule. Find another way"),
        (Refused::ByPerson { reason: Some("use make".into()) }, "The person said no: use make"),
        (Refused::ByPerson { reason: None }, "The person said no."),
    ] {
        let outcome = registry(dir.path()).run("act", r#"{"act":"ask"}"#, context(Err(refused))).await;
        assert_eq!(outcome.failure, Some(FailureKind::Denied));
        assert!(outcome.output.starts_with(word), "{}", outcome.output);
    }
    assert_eq!(registry(dir.path()).run("act", r#"{"act":"ask"}"#, context(Ok(()))).await.failure, None);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_ends_even_if_its_tool_is_deaf() {
    let dir = tempfile::tempdir().unwrap();
    for act in ["wait", "deaf", "anything"] {
        let context = context(Ok(()));
        let cancel = context.cancel.clone();
        let registry = registry(dir.path());
        if act == "anything" {
            cancel.cancel();
        }
        let call =
            tokio::spawn(
                async move { registry.run("act", &json!({ "act": act }).to_string(), context).await },
            );
        tokio::task::yield_now().await;
        cancel.cancel();
        assert_eq!(call.await.unwrap().failure, Some(FailureKind::Cancelled), "{act}");
    }
}

#[tokio::test]
async fn a_long_output_is_cut_and_the_whole_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("c1.txt");
    let outcome = registry(dir.path()).run("act", r#"{"act":"talk","howMuch":10}"#, context(Ok(()))).await;
    let expected = format!(
        "line\nline\nline\n\n[7 lines (36 bytes) are left out. The whole is in {}: read it with offset and limit, or search it.]",
        file.display()
    );
    assert_eq!(outcome.output, expected);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "line\n".repeat(10));
    let outcome =
        registry(dir.path()).run("act", r#"{"act":"talk last","howMuch":10}"#, context(Ok(()))).await;
    assert!(
        outcome.output.starts_with("[8 lines (") && outcome.output.ends_with("]\n\nline\nline\nend"),
        "{}",
        outcome.output
    );
}

#[test]
fn what_nobody_will_read_again_is_removed() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("c1.txt"), "x").unwrap();
    let spill = Spill::new(dir.path());
    spill.clean(SystemTime::now());
    assert!(dir.path().join("c1.txt").exists());
    spill.clean(SystemTime::now() + Duration::from_secs(8 * 24 * 3600));
    assert!(!dir.path().join("c1.txt").exists());
    Spill::new(&dir.path().join("nowhere")).clean(SystemTime::now());
    // In the folders of sessions, too, which go with the last of it.
    let session = spill.of("../s1");
    assert_eq!(session.folder(), dir.path().join("s1"));
    std::fs::create_dir(session.folder()).unwrap();
    std::fs::write(session.folder().join("c1.txt"), "x").unwrap();
    spill.clean(SystemTime::now());
    assert!(session.folder().join("c1.txt").exists());
    spill.clean(SystemTime::now() + Duration::from_secs(8 * 24 * 3600));
    assert!(!session.folder().exists());
}

#[test]
fn the_model_reads_the_comments_of_the_parameters() {
    let dir = tempfile::tempdir().unwrap();
    let specs = registry(dir.path()).specs(|_| true);
    assert_eq!(
        specs[0].parameters.pointer("/properties/howMuch/description"),
        Some(&json!("How much of it."))
    );
    assert_eq!(registry(dir.path()).specs(|name| name != "act"), []);
}
