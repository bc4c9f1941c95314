//! The metadata of calls and asks.

use copydesk_metadata::{
    AgentSwitchMetadata, AskedQuestionMetadata, BackgroundCommandMetadata, BatchMetadata,
    BatchedCallMetadata, CallDetail, CallMetadata, CallNotes, ChangedFileMetadata, CodePlaceMetadata,
    CodePlacesMetadata, CommandAskMetadata, CommandMetadata, DiagnosticsMetadata, EditMetadata,
    FetchAskMetadata, FileChangeStats, FileEditMetadata, FileListMetadata, JobMetadata, MediaFileMetadata,
    MultiFileEditMetadata, PermissionAskDetail, PermissionAskMetadata, PermissionAskNotes, PlanAskMetadata,
    ProblemMetadata, ProblemProof, ProblemSeverity, ProblemSourceMetadata, QuestionsMetadata,
    RepeatedCallAskMetadata, SearchAskMetadata, SkillAskMetadata, SkillMetadata, TaskAskMetadata,
    TaskMetadata, TaskState, TaskUsage, TextPageMetadata, TextSearchMetadata, TodoEntryMetadata,
    TodoEntryPriority, TodoEntryStatus, TodoListMetadata, WebPageMetadata, WebSearchMetadata,
};
use expect_test::{Expect, expect};
use serde_json::json;

use super::check;

#[track_caller]
fn check_call(detail: CallDetail, expected: &Expect) {
    check(&CallMetadata::from(detail), expected);
}

#[track_caller]
fn check_ask(detail: PermissionAskDetail, expected: &Expect) {
    check(&PermissionAskMetadata::from(detail), expected);
}

fn file() -> ChangedFileMetadata {
    ChangedFileMetadata {
        filepath: "/w/a.rs".into(),
        diff: Some("@@".into()),
        additions: 2,
        deletions: 1,
        from: None,
        path: None,
    }
}

fn problem(severity: ProblemSeverity) -> ProblemMetadata {
    let code = (severity == ProblemSeverity::Error).then(|| "E0308".into());
    let (source, message) = ("rustc".into(), "mismatched types".into());
    ProblemMetadata { path: "a.rs".into(), line: 3, column: 7, severity, code, source, message }
}

fn diagnostics() -> DiagnosticsMetadata {
    let source = |name: &str, proof, why: Option<&str>| ProblemSourceMetadata {
        source: name.into(),
        proof,
        why: why.map(Into::into),
    };
    let reports = vec![
        source("rust-analyzer", ProblemProof::Proven, None),
        source("ruff", ProblemProof::Likely, None),
        source("cargo check", ProblemProof::Unknown, Some("timeout")),
    ];
    let unsure = [ProblemSeverity::Warning, ProblemSeverity::Information, ProblemSeverity::Hint].map(problem);
    let new = vec![problem(ProblemSeverity::Error)];
    let unsure = unsure.to_vec();
    DiagnosticsMetadata { reports, new, unsure, fixed: 1, remaining: 2, waited_ms: 90, unlisted: Some(4) }
}

#[test]
fn edits() {
    let tiers = Some([("exact".to_owned(), 2)].into());
    let edit = FileEditMetadata { file: file(), diagnostics: Some(diagnostics()), tiers: tiers.clone() };
    check_call(
        CallDetail::Edit(EditMetadata::File(edit)),
        &expect![[
            r#"{"filepath":"/w/a.rs","diff":"@@","additions":2,"deletions":1,"diagnostics":{"reports":[{"source":"rust-analyzer","proof":"proven"},{"source":"ruff","proof":"likely"},{"source":"cargo check","proof":"unknown","why":"timeout"}],"new":[{"path":"a.rs","line":3,"column":7,"severity":"error","code":"E0308","source":"rustc","message":"mismatched types"}],"unsure":[{"path":"a.rs","line":3,"column":7,"severity":"warning","source":"rustc","message":"mismatched types"},{"path":"a.rs","line":3,"column":7,"severity":"information","source":"rustc","message":"mismatched types"},{"path":"a.rs","line":3,"column":7,"severity":"hint","source":"rustc","message":"mismatched types"}],"fixed":1,"remaining":2,"waitedMs":90,"unlisted":4},"tiers":{"exact":2}}"#
        ]],
    );
    let moved = ChangedFileMetadata { from: Some("/w/b.rs".into()), path: Some("a.rs".into()), ..file() };
    let edit =
        MultiFileEditMetadata { files: vec![moved], additions: 2, deletions: 1, diagnostics: None, tiers };
    check_call(
        CallDetail::Edit(EditMetadata::Files(edit)),
        &expect![[
            r#"{"files":[{"filepath":"/w/a.rs","diff":"@@","additions":2,"deletions":1,"from":"/w/b.rs","path":"a.rs"}],"additions":2,"deletions":1,"tiers":{"exact":2}}"#
        ]],
    );
    let edit = FileEditMetadata { file: file(), diagnostics: None, tiers: None };
    check_ask(
        PermissionAskDetail::Edit(EditMetadata::File(edit)),
        &expect![[r#"{"filepath":"/w/a.rs","diff":"@@","additions":2,"deletions":1}"#]],
    );
}

#[test]
fn commands() {
    let running = CommandMetadata { output: Some("so far".into()), ..CommandMetadata::default() };
    check_call(CallDetail::Command(running), &expect![[r#"{"output":"so far"}"#]]);
    let done = CommandMetadata { exit: Some(0), truncated: Some(false), ..CommandMetadata::default() };
    check_call(CallDetail::Command(done), &expect![[r#"{"exit":0,"truncated":false}"#]]);
    let ended = CommandMetadata {
        truncated: Some(true),
        signal: Some(9),
        timed_out: Some(true),
        sandboxed: Some(true),
        sandbox_note: Some("it has no network".into()),
        output: Some("no".into()),
        ..CommandMetadata::default()
    };
    check_call(
        CallDetail::Command(ended),
        &expect![[
            r#"{"truncated":true,"signal":9,"timedOut":true,"sandboxed":true,"sandboxNote":"it has no network","output":"no"}"#
        ]],
    );
    let started = BackgroundCommandMetadata { job: 1, file: Some("/t/1.txt".into()), sandboxed: Some(false) };
    check_call(
        CallDetail::BackgroundCommand(started),
        &expect![[r#"{"job":1,"file":"/t/1.txt","sandboxed":false}"#]],
    );
    check_call(
        CallDetail::Job(JobMetadata { job: 1, running: true }),
        &expect![[r#"{"job":1,"running":true}"#]],
    );
    let ask = CommandAskMetadata {
        command: "ls".into(),
        workdir: ".".into(),
        description: Some("Lists".into()),
        sandboxed: Some(true),
        sandbox_note: Some("no network".into()),
    };
    check_ask(
        PermissionAskDetail::Command(ask),
        &expect![[
            r#"{"command":"ls","workdir":".","description":"Lists","sandboxed":true,"sandboxNote":"no network"}"#
        ]],
    );
}

#[test]
fn tasks() {
    let states = [
        TaskState::Completed,
        TaskState::OutOfSteps,
        TaskState::Cancelled,
        TaskState::Rejected,
        TaskState::Failed,
    ];
    let texts: Vec<_> = states.iter().map(|state| serde_json::to_string(state).unwrap()).collect();
    assert_eq!(
        texts,
        [r#""completed""#, r#""out of steps""#, r#""cancelled""#, r#""rejected""#, r#""failed""#]
    );
    let task = TaskMetadata {
        agent: "general".into(),
        description: "Look".into(),
        session: "s2".into(),
        calls: 3,
        now: Some("thinking".into()),
        usage: TaskUsage { input: 1, output: 2, reasoning: 1, cache_read: 3, cache_write: 4 },
        cost: Some(0.5),
        state: Some(TaskState::Completed),
        files: vec![FileChangeStats { filepath: "/w/a.rs".into(), additions: 2, deletions: 1 }],
    };
    check_call(
        CallDetail::Task(task),
        &expect![[
            r#"{"agent":"general","description":"Look","session":"s2","calls":3,"now":"thinking","usage":{"input":1,"output":2,"reasoning":1,"cacheRead":3,"cacheWrite":4},"cost":0.5,"state":"completed","files":[{"filepath":"/w/a.rs","additions":2,"deletions":1}]}"#
        ]],
    );
    check_ask(
        PermissionAskDetail::Task(TaskAskMetadata { prompt: "Look.".into() }),
        &expect![[r#"{"prompt":"Look."}"#]],
    );
}

#[test]
fn lists_and_questions() {
    let entry = |status, priority| TodoEntryMetadata { content: "Look".into(), status, priority };
    let todos = vec![
        entry(TodoEntryStatus::Pending, Some(TodoEntryPriority::High)),
        entry(TodoEntryStatus::InProgress, Some(TodoEntryPriority::Medium)),
        entry(TodoEntryStatus::Completed, Some(TodoEntryPriority::Low)),
        entry(TodoEntryStatus::Cancelled, None),
    ];
    check_call(
        CallDetail::TodoList(TodoListMetadata { todos, is_new: Some(true) }),
        &expect![[
            r#"{"todos":[{"content":"Look","status":"pending","priority":"high"},{"content":"Look","status":"in_progress","priority":"medium"},{"content":"Look","status":"completed","priority":"low"},{"content":"Look","status":"cancelled"}],"isNew":true}"#
        ]],
    );
    let questions = vec![AskedQuestionMetadata { header: "Colour".into(), text: "Which?".into() }];
    let answers = vec![vec!["red".to_owned()]];
    check_call(
        CallDetail::Questions(QuestionsMetadata { questions, answers }),
        &expect![[r#"{"questions":[{"header":"Colour","text":"Which?"}],"answers":[["red"]]}"#]],
    );
    let calls = vec![BatchedCallMetadata { name: "read".into(), title: "a".into(), is_error: false }];
    let batch = BatchMetadata { calls, surplus: 1, running: Some(true) };
    let notes = CallNotes { repaired: vec!["single quotes".into()], refused: Some("doom_loop".into()) };
    check(
        &CallMetadata::from(CallDetail::Batch(batch)).with_notes(notes),
        &expect![[
            r#"{"calls":[{"name":"read","title":"a","isError":false}],"surplus":1,"running":true,"repaired":["single quotes"],"refused":"doom_loop"}"#
        ]],
    );
    let switch = AgentSwitchMetadata { path: Some("plan.md".into()), agent: "build".into() };
    check_call(CallDetail::AgentSwitch(switch), &expect![[r#"{"path":"plan.md","agent":"build"}"#]]);
    check_ask(
        PermissionAskDetail::Plan(PlanAskMetadata { plan: "1. Look".into() }),
        &expect![[r#"{"plan":"1. Look"}"#]],
    );
    let repeated = RepeatedCallAskMetadata { name: "read".into(), arguments: json!({"a": 1}), times: 3 };
    check_ask(
        PermissionAskDetail::RepeatedCall(repeated),
        &expect![[r#"{"name":"read","arguments":{"a":1},"times":3}"#]],
    );
}

#[test]
fn files_and_the_web() {
    let page = TextPageMetadata { first: 1, last: 2, total: 3, truncated: true };
    check_call(CallDetail::TextPage(page), &expect![[r#"{"first":1,"last":2,"total":3,"truncated":true}"#]]);
    check_call(
        CallDetail::MediaFile(MediaFileMetadata { mime: "image/png".into() }),
        &expect![[r#"{"mime":"image/png"}"#]],
    );
    check_call(
        CallDetail::FileList(FileListMetadata { count: 2, truncated: false }),
        &expect![[r#"{"count":2,"truncated":false}"#]],
    );
    let place = CodePlaceMetadata { path: "/a".into(), line: 1, column: 2, text: "fn a()".into() };
    check_call(
        CallDetail::CodePlaces(CodePlacesMetadata {
            places: vec![place],
            matches: 1,
            truncated: false,
            waiting: None,
        }),
        &expect![[
            r#"{"places":[{"path":"/a","line":1,"column":2,"text":"fn a()"}],"matches":1,"truncated":false}"#
        ]],
    );
    check_call(
        CallDetail::TextSearch(TextSearchMetadata { matches: 2, truncated: false }),
        &expect![[r#"{"matches":2,"truncated":false}"#]],
    );
    let skill =
        SkillMetadata { name: "tidy".into(), path: "/s".into(), foreign: true, files: vec!["x".into()] };
    check_call(
        CallDetail::Skill(skill),
        &expect![[r#"{"name":"tidy","path":"/s","foreign":true,"files":["x"]}"#]],
    );
    let asked =
        PermissionAskMetadata::from(PermissionAskDetail::Skill(SkillAskMetadata { path: "/s".into() }));
    let asked = asked.with_session("s2");
    assert_eq!(asked.notes, PermissionAskNotes { session: Some("s2".into()) });
    check(&asked, &expect![[r#"{"path":"/s","session":"s2"}"#]]);
    let page = WebPageMetadata {
        url: "https://a.example/".into(),
        title: Some("A".into()),
        mime: "text/html".into(),
        bytes: 5,
        status: 200,
    };
    check_call(
        CallDetail::WebPage(page),
        &expect![[r#"{"url":"https://a.example/","title":"A","type":"text/html","bytes":5,"status":200}"#]],
    );
    check_call(
        CallDetail::WebSearch(WebSearchMetadata { query: "q".into(), count: Some(2) }),
        &expect![[r#"{"query":"q","count":2}"#]],
    );
    let ask = FetchAskMetadata { url: "https://a.example/".into() };
    check_ask(PermissionAskDetail::Fetch(ask), &expect![[r#"{"url":"https://a.example/"}"#]]);
    check_ask(
        PermissionAskDetail::Search(SearchAskMetadata { query: "q".into() }),
        &expect![[r#"{"query":"q"}"#]],
    );
}
