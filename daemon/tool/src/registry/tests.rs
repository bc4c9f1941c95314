use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use copydesk_metadata::CallDetail;
use copydesk_navigation::Navigator;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{ToolOutputLimits, ToolRegistry};
use crate::arguments::ArgumentsCompleteness;
use crate::context::{
    AskFuture, Asker, PermissionGrant, PermissionRequest, QuestionFuture, SwitchAgentFuture, ToolContext,
};
use crate::denial::PermissionDenial;
use crate::outcome::{ToolError, ToolErrorKind, ToolOutput};
use crate::output_spill::OutputSpill;
use crate::prepared_call::RawCall;
use crate::question::Question;
use crate::todo::TodoList;
use crate::tool::{Tool, box_tool};

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

    async fn run(&self, parameters: Parameters, context: ToolContext) -> Result<ToolOutput, ToolError> {
        match parameters.act.as_str() {
            "panic" => panic!("as asked"),
            "fail" => Err(ToolError::failed("It did not work.").with_metadata(CallDetail::Other(json!(1)))),
            "ask" => {
                let ask = PermissionRequest {
                    key: "bash".into(),
                    patterns: vec!["x".into()],
                    always: vec![],
                    title: "x".into(),
                    ..PermissionRequest::default()
                };
                context.ask(ask).await.map(|_| ToolOutput::default())
            }
            "wait" => {
                context.cancel.cancelled().await;
                Err(ToolError::cancelled())
            }
            "deaf" => std::future::pending().await,
            "talk" => Ok(ToolOutput {
                output: "line\n".repeat(parameters.how_much.unwrap_or(1)),
                ..ToolOutput::default()
            }),
            "talk last" => Ok(ToolOutput {
                output: "line\n".repeat(parameters.how_much.unwrap_or(1)) + "end",
                keep_end: true,
                ..ToolOutput::default()
            }),
            other => Ok(ToolOutput {
                title: other.to_owned(),
                output: format!("did {other}"),
                ..ToolOutput::default()
            }),
        }
    }
}

struct Says(Result<(), PermissionDenial>);

impl Asker for Says {
    fn ask<'a>(&'a self, _call: &'a str, _ask: PermissionRequest) -> AskFuture<'a> {
        Box::pin(async { self.0.clone().map(|()| PermissionGrant::ByUser) })
    }

    fn ask_questions<'a>(&'a self, _call: &'a str, _questions: Vec<Question>) -> QuestionFuture<'a> {
        Box::pin(async { self.0.clone().map(|()| Vec::new()) })
    }

    fn switch_agent<'a>(&'a self, _agent: &'a str) -> SwitchAgentFuture<'a> {
        Box::pin(async { Ok(()) })
    }
}

fn registry(spill: &std::path::Path) -> ToolRegistry {
    let mut registry = ToolRegistry::new(ToolOutputLimits { lines: 3, bytes: 1000 }, OutputSpill::new(spill));
    registry.add(box_tool(Actor));
    registry
}

fn context(says: Result<(), PermissionDenial>) -> ToolContext {
    ToolContext {
        checks: copydesk_diagnostics::DiagnosticsTracker::default(),
        formatters: None,
        navigator: Navigator::default(),
        session: "s".into(),
        call: "c1".into(),
        parent_call: None,
        agent: "build".into(),
        cancel: CancellationToken::new(),
        files: copydesk_workspace::files::WorkspaceFiles::new("/".as_ref(), "/".as_ref()),
        asker: Arc::new(Says(says)),
        todos: TodoList::default(),
        progress: mpsc::channel(1).0,
        waited: Arc::default(),
    }
}

async fn run(name: &str, arguments: &str) -> (Option<ToolErrorKind>, String) {
    let dir = tempfile::tempdir().unwrap();
    let outcome = registry(dir.path()).run_raw_call(name, arguments, context(Ok(()))).await;
    (outcome.error_kind, outcome.output)
}

#[tokio::test]
async fn a_call_that_fits_is_made() {
    let dir = tempfile::tempdir().unwrap();
    let outcome = registry(dir.path()).run_raw_call("act", r#"{"act":"this"}"#, context(Ok(()))).await;
    assert_eq!(
        (outcome.name.as_str(), outcome.title.as_str(), outcome.output.as_str(), outcome.error_kind),
        ("act", "this", "did this", None)
    );
    // Models write names in other case and numbers in quotes.
    let outcome =
        registry(dir.path()).run_raw_call("Act", r#"{"act":"talk","howMuch":"2"}"#, context(Ok(()))).await;
    assert_eq!((outcome.name.as_str(), outcome.output.as_str()), ("act", "line\nline\n"));
}

#[tokio::test]
async fn what_does_not_fit_is_told_so_that_the_model_can_mend_it() {
    let cases = [
        (
            "acts",
            "{}",
            ToolErrorKind::Unknown,
            "There is no tool `acts`. Did you mean `act`? It takes: act (string), howMuch (integer, optional). There are: `act`.",
        ),
        (
            "act",
            "{\"act\":",
            ToolErrorKind::Arguments,
            "The arguments of `act` are no JSON object (EOF while parsing a value at line 1 column 7). It takes: act (string), howMuch (integer, optional). Make the call again with valid JSON.",
        ),
        (
            "act",
            "[1]",
            ToolErrorKind::Arguments,
            "The arguments of `act` are no JSON object (they are an array). It takes: act (string), howMuch (integer, optional). Make the call again with valid JSON.",
        ),
        (
            "act",
            "",
            ToolErrorKind::Arguments,
            "The arguments of `act` do not fit: missing field `act`. It takes: act (string), howMuch (integer, optional). Make the call again.",
        ),
        (
            "act",
            r#"{"act":"talk","howMuch":"many"}"#,
            ToolErrorKind::Arguments,
            "The arguments of `act` do not fit: `howMuch`: invalid type: string \"many\", expected a whole number of at least 0. It takes: act (string), howMuch (integer, optional). Make the call again.",
        ),
        (
            "act",
            r#"{"act":"talk","howMuch":-1}"#,
            ToolErrorKind::Arguments,
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
        let outcome = registry(dir.path()).run_raw_call(name, arguments, context(Ok(()))).await;
        (outcome.name, outcome.output, outcome.metadata.to_value())
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
        let call = registry.prepare(&RawCall { name, arguments, completeness: ending }, |key| key != "act");
        (call.name(), call.rewritten_arguments())
    };
    let invalid = |name: &str, arguments: serde_json::Value| {
        ("invalid".to_owned(), Some(json!({ "tool": name, "arguments": arguments }).to_string()))
    };
    assert_eq!(
        understood("act", r#"{ "act":"x" }"#, ArgumentsCompleteness::Complete),
        ("act".to_owned(), None)
    );
    assert_eq!(
        understood("act", r#"{"act":"x""#, ArgumentsCompleteness::Complete),
        ("act".to_owned(), Some(r#"{"act":"x"}"#.to_owned()))
    );
    assert_eq!(
        understood("act", r#"{"act":"x""#, ArgumentsCompleteness::Truncated),
        invalid("act", json!(r#"{"act":"x""#))
    );
    assert_eq!(
        understood("act", r#"{"acts":1}"#, ArgumentsCompleteness::Complete),
        invalid("act", json!({ "acts": 1 }))
    );
    assert_eq!(understood("invalid", "{}", ArgumentsCompleteness::Complete), invalid("invalid", json!({})));
    let call = registry.prepare(
        &RawCall { name: "x", arguments: "", completeness: ArgumentsCompleteness::Complete },
        |key| key != "act",
    );
    let outcome = registry.run_call(call, context(Ok(()))).await;
    assert_eq!(outcome.output, "There is no tool `x`. There are: .", "none that the model was not told of");
}

#[tokio::test]
async fn a_tool_that_fails_or_breaks_down_is_an_outcome_too() {
    let dir = tempfile::tempdir().unwrap();
    let outcome = registry(dir.path()).run_raw_call("act", r#"{"act":"fail"}"#, context(Ok(()))).await;
    assert_eq!(
        (outcome.error_kind, outcome.output.as_str(), outcome.metadata.to_value()),
        (Some(ToolErrorKind::Failed), "It did not work.", json!(1))
    );
    let (kind, message) = run("act", r#"{"act":"panic"}"#).await;
    assert_eq!(kind, Some(ToolErrorKind::Broken));
    assert!(message.contains("a fault of Copydesk"), "{message}");
}

#[tokio::test]
async fn a_tool_that_is_off_is_not_offered_and_says_so_when_it_is_called() {
    let dir = tempfile::tempdir().unwrap();
    let mut registry = registry(dir.path());
    let names = |registry: &ToolRegistry| {
        registry.definitions(|_| true).into_iter().map(|spec| spec.name).collect::<Vec<_>>()
    };
    assert!(names(&registry).contains(&"act".to_owned()));
    registry.add(crate::disabled_tool("act", "plan"));
    assert!(!names(&registry).contains(&"act".to_owned()));
    for name in ["act", "Act"] {
        let outcome = registry.run_raw_call(name, r#"{"act":"fail"}"#, context(Ok(()))).await;
        assert_eq!(outcome.error_kind, Some(ToolErrorKind::Denied));
        assert_eq!(outcome.output, "The tool `act` is switched off for the agent `plan`. Do without it.");
    }
    let unknown = registry.run_raw_call("actor", "{}", context(Ok(()))).await;
    assert!(!unknown.output.contains("`act`"), "{}", unknown.output);
}

#[tokio::test]
async fn a_refusal_reaches_the_model_with_its_reason() {
    let dir = tempfile::tempdir().unwrap();
    for (refused, word, title) in [
        (
            PermissionDenial::ByRule { why: "the rule".into() },
            "A rule forbids this: the rule. Find another way",
            "A rule forbids this: the rule. Find another way, or say what you would need.",
        ),
        (
            PermissionDenial::ByUser { reason: Some("use make".into()) },
            "The user said no: use make",
            "rejected: use make",
        ),
        (PermissionDenial::ByUser { reason: None }, "The user said no.", "rejected"),
    ] {
        let outcome =
            registry(dir.path()).run_raw_call("act", r#"{"act":"ask"}"#, context(Err(refused))).await;
        assert_eq!(outcome.error_kind, Some(ToolErrorKind::Denied));
        assert!(outcome.output.starts_with(word), "{}", outcome.output);
        assert_eq!(outcome.title, title, "for the user");
    }
    assert_eq!(
        registry(dir.path()).run_raw_call("act", r#"{"act":"ask"}"#, context(Ok(()))).await.error_kind,
        None
    );
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
        let call = tokio::spawn(async move {
            registry.run_raw_call("act", &json!({ "act": act }).to_string(), context).await
        });
        tokio::task::yield_now().await;
        cancel.cancel();
        assert_eq!(call.await.unwrap().error_kind, Some(ToolErrorKind::Cancelled), "{act}");
    }
}

#[tokio::test]
async fn a_long_output_is_cut_and_the_whole_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("c1.txt");
    let outcome =
        registry(dir.path()).run_raw_call("act", r#"{"act":"talk","howMuch":10}"#, context(Ok(()))).await;
    let expected = format!(
        "line\nline\nline\n\n[7 lines (36 bytes) are left out. The whole is in {}: read it with offset and limit, or search it.]",
        file.display()
    );
    assert_eq!(outcome.output, expected);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "line\n".repeat(10));
    let outcome = registry(dir.path())
        .run_raw_call("act", r#"{"act":"talk last","howMuch":10}"#, context(Ok(())))
        .await;
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
    let spill = OutputSpill::new(dir.path());
    spill.remove_expired(SystemTime::now());
    assert!(dir.path().join("c1.txt").exists());
    spill.remove_expired(SystemTime::now() + Duration::from_secs(8 * 24 * 3600));
    assert!(!dir.path().join("c1.txt").exists());
    OutputSpill::new(&dir.path().join("nowhere")).remove_expired(SystemTime::now());
    // In the folders of sessions, too, which go with the last of it.
    let session = spill.for_session("../s1");
    assert_eq!(session.folder(), dir.path().join("s1"));
    std::fs::create_dir(session.folder()).unwrap();
    std::fs::write(session.folder().join("c1.txt"), "x").unwrap();
    spill.remove_expired(SystemTime::now());
    assert!(session.folder().join("c1.txt").exists());
    spill.remove_expired(SystemTime::now() + Duration::from_secs(8 * 24 * 3600));
    assert!(!session.folder().exists());
}

#[test]
fn the_model_reads_the_comments_of_the_parameters() {
    let dir = tempfile::tempdir().unwrap();
    let specs = registry(dir.path()).definitions(|_| true);
    assert_eq!(
        specs[0].parameters.pointer("/properties/howMuch/description"),
        Some(&json!("How much of it."))
    );
    assert_eq!(registry(dir.path()).definitions(|name| name != "act"), []);
}
