//! `task` against scripted subagents: what is asked, what is given on, and what the model reads in the end.

use std::sync::{Arc, Mutex};

use copydesk_metadata::TaskUsage;
use expect_test::expect;
use serde_json::{Value, json};

use super::fixture::fixture_with_asker;
use crate::context::ToolContext;
use crate::denial::PermissionDenial;
use crate::outcome::{CallOutcome, ToolError, ToolErrorKind};
use crate::output_spill::OutputSpill;
use crate::registry::{ToolOutputLimits, ToolRegistry};
use crate::subagents::{Subagent, SubagentTask, Subagents, TaskEnd, TaskFuture, TaskProgress, TaskReport};
use crate::tools::task_tool;

struct Works {
    agents: Vec<Subagent>,
    ends: Result<(TaskEnd, &'static str), ToolError>,
    given: Arc<Mutex<Vec<SubagentTask>>>,
}

impl Subagents for Works {
    fn agents(&self) -> &[Subagent] {
        &self.agents
    }

    fn run_task<'a>(
        &'a self,
        task: SubagentTask,
        _: ToolContext,
        show: Box<dyn Fn(&TaskProgress) + Send + Sync>,
    ) -> TaskFuture<'a> {
        self.given.lock().unwrap().push(task);
        let usage = TaskUsage { input: 7, ..TaskUsage::default() };
        let doings =
            TaskProgress { session: "t1".into(), calls: 2, now: "grep x".into(), usage, cost: Some(0.5) };
        show(&doings);
        let report = |(end, words): (TaskEnd, &str)| TaskReport {
            progress: doings,
            end,
            last_text: words.to_owned(),
            files: Vec::new(),
        };
        Box::pin(async move { self.ends.clone().map(report) })
    }
}

fn agents(count: usize) -> Vec<Subagent> {
    let agent = |number| Subagent {
        name: format!("a{number:03}"),
        description: format!("Does\n{}", "x ".repeat(number * 10)),
    };
    (0..count).map(agent).collect()
}

/// A call, and what was given on.
async fn call(
    ends: Result<(TaskEnd, &'static str), ToolError>,
    arguments: Value,
) -> (CallOutcome, Vec<SubagentTask>, Vec<Value>) {
    let given = Arc::default();
    let mut fixture = fixture_with_asker(&[], |ask| {
        assert_eq!((ask.key.as_str(), &ask.patterns), ("task", &ask.always));
        if ask.patterns == ["a001"] {
            Err(PermissionDenial::ByUser { reason: Some("not that one".into()) })
        } else {
            Ok(())
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let mut registry = ToolRegistry::new(ToolOutputLimits::default(), OutputSpill::new(folder.path()));
    registry.add(task_tool(Arc::new(Works { agents: agents(2), ends, given: Arc::clone(&given) })));
    let outcome = registry.run_raw_call("task", &arguments.to_string(), fixture.context()).await;
    let mut shown = Vec::new();
    while let Ok(progress) = fixture.shown.try_recv() {
        shown.push(progress.metadata.to_value());
    }
    let given = given.lock().unwrap().clone();
    (outcome, given, shown)
}

fn look(agent: &str) -> Value {
    json!({ "description": " Look\n at it ", "prompt": "Look.\n", "subagent_type": agent, "task_id": " " })
}

#[tokio::test]
async fn the_task_is_given_on_and_what_is_done_is_shown() {
    let (outcome, given, shown) = call(Ok((TaskEnd::Completed, "\nAll is well.\n")), look("@A000")).await;
    let task = SubagentTask {
        agent: "a000".into(),
        description: "Look at it".into(),
        prompt: "Look.\n".into(),
        resumed_session: None,
    };
    assert_eq!(given, [task]);
    assert_eq!(outcome.output, "task_id: t1\nstate: completed\n\nAll is well.");
    assert_eq!((outcome.title.as_str(), outcome.error_kind), ("a000: Look at it", None));
    let usage = json!({ "input": 7, "output": 0, "reasoning": 0, "cacheRead": 0, "cacheWrite": 0 });
    let about = json!({ "agent": "a000", "description": "Look at it", "session": "t1", "calls": 2, "usage": usage, "cost": 0.5 });
    let with = |key: &str, value: &str| {
        let mut about = about.clone();
        about[key] = json!(value);
        about
    };
    assert_eq!(shown, [with("now", "grep x")]);
    assert_eq!(outcome.metadata.to_value(), with("state", "completed"));
}

#[tokio::test]
async fn however_it_ends_the_model_knows_how_to_go_on() {
    let ends = [
        TaskEnd::Completed,
        TaskEnd::StepLimit(3),
        TaskEnd::Cancelled,
        TaskEnd::Rejected,
        TaskEnd::Failed("The model is gone.".into()),
    ];
    let mut told = String::new();
    for end in ends {
        let (outcome, ..) = call(Ok((end, " ")), look("a000")).await;
        told += &format!("{:?}\n{}\n\n", outcome.error_kind, outcome.output);
    }
    let (outcome, ..) = call(Err(ToolError::target("It cannot begin.")), look("a000")).await;
    told += &format!("{:?}\n{}\n", outcome.error_kind, outcome.output);
    expect![[r#"
        None
        task_id: t1
        state: completed

        (The agent said nothing at its end.)

        None
        task_id: t1
        state: out of steps
        It stopped after 3 steps and would have gone on. Pass `task_id` t1 to go on with it.

        (The agent said nothing at its end.)

        Some(Cancelled)
        a000: Look at it: the user ended it before it was done
        task_id: t1
        state: cancelled
        What it did until then is done. Pass `task_id` t1 to go on with it.

        Its last words:
        (The agent said nothing at its end.)

        Some(Denied)
        a000: Look at it: the user said no to something in it, and stopped it
        task_id: t1
        state: rejected
        What it did until then is done. Pass `task_id` t1 to go on with it.

        Its last words:
        (The agent said nothing at its end.)

        Some(Failed)
        a000: Look at it: it failed: The model is gone.
        task_id: t1
        state: failed
        What it did until then is done. Pass `task_id` t1 to go on with it.

        Its last words:
        (The agent said nothing at its end.)

        Some(Target)
        It cannot begin.
    "#]]
    .assert_eq(&told);
}

#[tokio::test]
async fn nothing_begins_that_was_not_allowed_or_makes_no_sense() {
    let done = || Ok((TaskEnd::Completed, "Done."));
    let with = |key: &str, value: Value| {
        let mut arguments = look("a000");
        arguments[key] = value;
        arguments
    };
    let long = "x".repeat(1_000_000);
    let calls = [
        (look("a001"), ToolErrorKind::Denied, "The user said no: not that one"),
        (
            look("a002"),
            ToolErrorKind::Target,
            "There is no agent `a002` that can be given a task. There are: `a000`, `a001`.",
        ),
        (look(&long), ToolErrorKind::Target, "There is no agent `xxxx"),
        (with("prompt", json!(" \n")), ToolErrorKind::Arguments, "`prompt` is empty."),
        (with("prompt", json!(7)), ToolErrorKind::Arguments, ""),
        (with("subagent_type", json!(["a000"])), ToolErrorKind::Arguments, ""),
        (json!({}), ToolErrorKind::Arguments, ""),
    ];
    for (arguments, kind, message) in calls {
        let (outcome, given, _) = call(done(), arguments).await;
        assert_eq!((outcome.error_kind, given.len()), (Some(kind), 0), "{}", outcome.output);
        assert!(outcome.output.starts_with(message) && outcome.output.len() < 2000, "{}", outcome.output);
    }
    // A title is short and one line, whatever the model says.
    let (outcome, given, _) = call(done(), with("description", json!(format!("a\u{0}\n{long}")))).await;
    assert_eq!((outcome.error_kind, given[0].description.chars().count()), (None, 81));
    let (_, given, _) = call(done(), with("description", json!(""))).await;
    assert_eq!(given[0].description, "Look.");
}

#[test]
fn agents_are_told_in_their_order_each_in_one_line_and_not_too_many() {
    let works = Works { agents: agents(100), ends: Ok((TaskEnd::Completed, "")), given: Arc::default() };
    let prompt = task_tool(Arc::new(works)).prompt().into_owned();
    let (_, listed) = prompt.split_once("The agents:\n").unwrap();
    let lines: Vec<_> = listed.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[40]), (41, "- `a000`: Does", "and 60 more."));
    for (number, line) in lines.iter().take(40).enumerate() {
        assert!(line.starts_with(&format!("- `a{number:03}`: Does")) && line.len() < 450, "{line}");
    }
}
