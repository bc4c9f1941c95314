//! Sessions, their parts and their events.

use copydesk_metadata::CallMetadata;
use expect_test::expect;
use serde_json::json;

use super::check;
use crate::daemon::Empty;
use crate::event::{EventInfo, EventParams, JobInfo, TurnEndInfo};
use crate::part::{
    CallInfo, CallOutputInfo, CompactionInfo, CompactionReasonInfo, ContextUseInfo, MediaContent,
    PartContentInfo, PartInfo, PartStateInfo, PromptInfo, PruningInfo, StepFinishInfo, StopReasonInfo,
    TextContent, UsageInfo,
};
use crate::permission::PermissionPresetInfo;
use crate::position::{WirePosition, WireRange};
use crate::review::{FeedbackInfo, FeedbackKindInfo, ReviewTimingInfo};
use crate::session::{
    PendingSessionInfo, SessionForkParams, SessionInfo, SessionListParams, SessionListResult,
    SessionLoadParams, SessionLoadResult, SessionNewParams, SessionParams, SessionPartsParams,
    SessionPartsResult, SessionPendingParams, SessionPendingResult, SessionRenameParams, SessionResult,
    SessionSearchMatch, SessionSearchParams, SessionSearchResult, SessionSetAgentParams,
    SessionSetModelParams,
};
use crate::tests::wire::asks::{ask, questions};
use crate::trust::{TrustInfo, TrustState};
use crate::turn::LastTurnInfo;
use crate::turn::{ContextItem, TurnParams, TurnStartResult, TurnSteerResult, TurnStopCallParams};
use crate::undo::{UndoOutcome, UndoParams, UndoResult, UndoScope, UndoneFile};

fn session() -> SessionInfo {
    SessionInfo {
        id: "s1".into(),
        folder: "/w".into(),
        title: String::new(),
        agent: "build".into(),
        model: None,
        parent: None,
        review: None,
        preset: None,
        active_preset: None,
        created: 1,
        updated: 2,
    }
}

fn part(state: PartStateInfo, content: PartContentInfo) -> PartInfo {
    PartInfo {
        id: "p1".into(),
        session: "s1".into(),
        turn: 1,
        step: 0,
        created: 1,
        updated: 2,
        state,
        content,
    }
}

fn media() -> MediaContent {
    MediaContent { mime: "image/png".into(), base64: "AA==".into(), name: Some("a.png".into()) }
}

fn call() -> CallInfo {
    CallInfo {
        call: "c1".into(),
        name: "bash".into(),
        arguments: "{\"command\":\"ls\"}".into(),
        parent: None,
        progress: CallMetadata::default(),
        output: None,
    }
}

#[test]
fn sessions() {
    check(&session(), &expect![[r#"{"id":"s1","folder":"/w","agent":"build","created":1,"updated":2}"#]]);
    let full = SessionInfo {
        title: "Fix it".into(),
        model: Some("p/m".into()),
        parent: Some("s0".into()),
        review: Some(ReviewTimingInfo::Before),
        preset: Some(PermissionPresetInfo::Trusting),
        active_preset: Some(PermissionPresetInfo::Normal),
        ..session()
    };
    check(
        &SessionResult { session: full },
        &expect![[
            r#"{"session":{"id":"s1","folder":"/w","title":"Fix it","agent":"build","model":"p/m","parent":"s0","review":"before","preset":"trusting","activePreset":"normal","created":1,"updated":2}}"#
        ]],
    );
    check(&SessionNewParams::default(), &expect!["{}"]);
    let new =
        SessionNewParams { folder: Some("/w".into()), agent: Some("plan".into()), model: Some("p/m".into()) };
    check(&new, &expect![[r#"{"folder":"/w","agent":"plan","model":"p/m"}"#]]);
    let list = SessionListParams { folder: Some("/w".into()), limit: Some(10), before: Some("s1".into()) };
    check(&list, &expect![[r#"{"folder":"/w","limit":10,"before":"s1"}"#]]);
    check(&SessionListResult { sessions: vec![] }, &expect![[r#"{"sessions":[]}"#]]);
    check(&SessionParams { session: "s1".into() }, &expect![[r#"{"session":"s1"}"#]]);
    check(
        &SessionForkParams { session: "s1".into(), before: "p1".into() },
        &expect![[r#"{"session":"s1","before":"p1"}"#]],
    );
    check(
        &SessionRenameParams { session: "s1".into(), title: "T".into() },
        &expect![[r#"{"session":"s1","title":"T"}"#]],
    );
    check(
        &SessionSetModelParams { session: "s1".into(), model: "p/m".into() },
        &expect![[r#"{"session":"s1","model":"p/m"}"#]],
    );
    check(
        &SessionSetAgentParams { session: "s1".into(), agent: "plan".into() },
        &expect![[r#"{"session":"s1","agent":"plan"}"#]],
    );
    check(&SessionSearchParams { query: "needle".into(), limit: None }, &expect![[r#"{"query":"needle"}"#]]);
    let found = SessionSearchMatch {
        session: "s1".into(),
        title: String::new(),
        part: "p1".into(),
        excerpt: "a needle in it".into(),
    };
    check(
        &SessionSearchResult { found: vec![found] },
        &expect![[r#"{"found":[{"session":"s1","part":"p1","excerpt":"a needle in it"}]}"#]],
    );
    check(&Empty {}, &expect!["{}"]);
}

#[test]
fn loading() {
    check(&SessionLoadParams { session: "s1".into(), limit: None }, &expect![[r#"{"session":"s1"}"#]]);
    let prompt = PromptInfo { text: "go".into(), steers: false, context: Vec::new() };
    let loaded = SessionLoadResult {
        trust: Some(TrustInfo { folder: "/w".into(), trust: TrustState::Trusted }),
        session: session(),
        parts: vec![part(PartStateInfo::Completed, PartContentInfo::Prompt(prompt))],
        earlier: false,
        running: Some(1),
        last_turn: Some(LastTurnInfo { turn: 1, prompt: "p0".into(), end: None }),
        seq: 7,
        asks: vec![ask()],
        questions: vec![questions()],
        feedback: vec![FeedbackInfo {
            path: "a.rs".into(),
            line: 3,
            lines: 2,
            kind: FeedbackKindInfo::Commented,
            comment: Some("why?".into()),
        }],
        jobs: vec![JobInfo { id: 7, command: "cargo test".into(), state: "running for 3.0 s".into() }],
        warnings: vec!["`modle` is no key".into()],
    };
    check(
        &loaded,
        &expect![[
            r#"{"session":{"id":"s1","folder":"/w","agent":"build","created":1,"updated":2},"parts":[{"id":"p1","session":"s1","turn":1,"step":0,"created":1,"updated":2,"state":{"kind":"completed"},"content":{"kind":"prompt","text":"go"}}],"earlier":false,"running":1,"lastTurn":{"turn":1,"prompt":"p0"},"seq":7,"asks":[{"ask":"a1","part":"p1","key":"edit","patterns":["src/a.rs"],"always":[],"title":"Edit src/a.rs","why":"a rule","metadata":{"command":"ls","workdir":"."}}],"questions":[{"question":"q1","part":"p1","agent":"general","questions":[{"header":"Colour","text":"Which colour?","options":[{"label":"red","description":"as it was"},{"label":"blue"}],"multiple":false,"custom":true}]}],"feedback":[{"path":"a.rs","line":3,"lines":2,"kind":"commented","comment":"why?"}],"jobs":[{"id":7,"command":"cargo test","state":"running for 3.0 s"}],"warnings":["`modle` is no key"],"trust":{"folder":"/w","trust":"trusted"}}"#
        ]],
    );
    let page = SessionPartsParams { session: "s1".into(), before: "p1".into(), limit: Some(5) };
    check(&page, &expect![[r#"{"session":"s1","before":"p1","limit":5}"#]]);
    check(&SessionPartsResult { parts: vec![], earlier: true }, &expect![[r#"{"parts":[],"earlier":true}"#]]);
}

#[test]
fn pending_sessions() {
    check(&SessionPendingParams { folder: Some("/w".into()) }, &expect![[r#"{"folder":"/w"}"#]]);
    let one = PendingSessionInfo { session: session(), running: true, waiting: 1, undecided: 2 };
    check(
        &SessionPendingResult { sessions: vec![one] },
        &expect![[
            r#"{"sessions":[{"session":{"id":"s1","folder":"/w","agent":"build","created":1,"updated":2},"running":true,"waiting":1,"undecided":2}]}"#
        ]],
    );
}

#[test]
fn states_of_parts() {
    check(&PartStateInfo::Pending, &expect![[r#"{"kind":"pending"}"#]]);
    check(&PartStateInfo::Running, &expect![[r#"{"kind":"running"}"#]]);
    check(&PartStateInfo::Completed, &expect![[r#"{"kind":"completed"}"#]]);
    check(&PartStateInfo::Error { message: "no".into() }, &expect![[r#"{"kind":"error","message":"no"}"#]]);
    check(&PartStateInfo::Interrupted, &expect![[r#"{"kind":"interrupted"}"#]]);
}

#[test]
fn contents_of_parts() {
    check(
        &PartContentInfo::Prompt(PromptInfo {
            text: "and this".into(),
            steers: true,
            context: vec!["a.rs, line 3".into()],
        }),
        &expect![[r#"{"kind":"prompt","text":"and this","steers":true,"context":["a.rs, line 3"]}"#]],
    );
    check(
        &PartContentInfo::File(media()),
        &expect![[r#"{"kind":"file","mime":"image/png","base64":"AA==","name":"a.png"}"#]],
    );
    check(
        &PartContentInfo::TurnEnd { end: TurnEndInfo::StepLimit { steps: 3 } },
        &expect![[r#"{"kind":"turnEnd","end":{"kind":"stepLimit","steps":3}}"#]],
    );
    check(
        &PartContentInfo::Text(TextContent { text: "Hi".into() }),
        &expect![[r#"{"kind":"text","text":"Hi"}"#]],
    );
    check(
        &PartContentInfo::Reasoning(TextContent { text: "Hm".into() }),
        &expect![[r#"{"kind":"reasoning","text":"Hm"}"#]],
    );
    check(
        &PartContentInfo::Call(Box::new(CallInfo {
            progress: CallMetadata::from_value(json!({"output": "x"})),
            ..call()
        })),
        &expect![[
            r#"{"kind":"call","call":"c1","name":"bash","arguments":"{\"command\":\"ls\"}","progress":{"output":"x"}}"#
        ]],
    );
    let output = CallOutputInfo {
        title: "ls".into(),
        output: "a\nb".into(),
        is_error: true,
        metadata: CallMetadata::from_value(json!({"exit": 1})),
        media: vec![media()],
        milliseconds: 12,
    };
    check(
        &PartContentInfo::Call(Box::new(CallInfo { output: Some(Box::new(output)), ..call() })),
        &expect![[
            r#"{"kind":"call","call":"c1","name":"bash","arguments":"{\"command\":\"ls\"}","output":{"title":"ls","output":"a\nb","isError":true,"metadata":{"exit":1},"media":[{"mime":"image/png","base64":"AA==","name":"a.png"}],"milliseconds":12}}"#
        ]],
    );
    check(
        &PartContentInfo::StepStart { model: "p/m".into() },
        &expect![[r#"{"kind":"stepStart","model":"p/m"}"#]],
    );
    let usage = UsageInfo { input: 1, output: 2, reasoning: 1, cache_read: 3, cache_write: 4 };
    let context =
        ContextUseInfo { window: 9, system: 1, tools: 2, files: 3, outputs: 0, conversation: 1, summary: 0 };
    let finish =
        StepFinishInfo { stop: StopReasonInfo::Calls, usage, cost: Some(0.5), context: Some(context) };
    check(
        &PartContentInfo::StepFinish(finish),
        &expect![[
            r#"{"kind":"stepFinish","stop":"calls","usage":{"input":1,"output":2,"reasoning":1,"cacheRead":3,"cacheWrite":4},"cost":0.5,"context":{"window":9,"system":1,"tools":2,"files":3,"outputs":0,"conversation":1,"summary":0}}"#
        ]],
    );
    check(
        &PartContentInfo::Retry { attempt: 1, message: "busy".into(), at: 9 },
        &expect![[r#"{"kind":"retry","attempt":1,"message":"busy","at":9}"#]],
    );
    check(
        &PartContentInfo::Note(TextContent { text: "by the way".into() }),
        &expect![[r#"{"kind":"note","text":"by the way"}"#]],
    );
    check(
        &PartContentInfo::Pruning(PruningInfo { outputs: 3, tokens_before: 9000, tokens_after: 900 }),
        &expect![[r#"{"kind":"pruning","outputs":3,"tokensBefore":9000,"tokensAfter":900}"#]],
    );
    let compaction = CompactionInfo {
        reason: CompactionReasonInfo::Full,
        summary: "Goal: go".into(),
        model: Some("p/m".into()),
        failure: None,
        tokens_before: 9000,
        tokens_after: 900,
        cost: Some(0.5),
    };
    check(
        &PartContentInfo::Compaction(Box::new(compaction.clone())),
        &expect![[
            r#"{"kind":"compaction","reason":"full","summary":"Goal: go","model":"p/m","tokensBefore":9000,"tokensAfter":900,"cost":0.5}"#
        ]],
    );
    let by_rule =
        CompactionInfo { model: None, failure: Some("It was empty.".into()), cost: None, ..compaction };
    check(
        &PartContentInfo::Compaction(Box::new(by_rule)),
        &expect![[
            r#"{"kind":"compaction","reason":"full","summary":"Goal: go","failure":"It was empty.","tokensBefore":9000,"tokensAfter":900}"#
        ]],
    );
    let reasons = [CompactionReasonInfo::Full, CompactionReasonInfo::Refused, CompactionReasonInfo::Asked];
    check(&reasons.to_vec(), &expect![[r#"["full","refused","asked"]"#]]);
    let reasons = [
        StopReasonInfo::End,
        StopReasonInfo::Calls,
        StopReasonInfo::Length,
        StopReasonInfo::Context,
        StopReasonInfo::Refused,
        StopReasonInfo::Paused,
        StopReasonInfo::Broken,
    ];
    check(&reasons.to_vec(), &expect![[r#"["end","calls","length","context","refused","paused","broken"]"#]]);
}

#[test]
fn events() {
    let event = EventInfo::TurnStarted { turn: 1, prompt: "p1".into() };
    check(
        &EventParams { session: "s1".into(), seq: 1, event },
        &expect![[r#"{"session":"s1","seq":1,"event":{"event":"turnStarted","turn":1,"prompt":"p1"}}"#]],
    );
    check(
        &EventInfo::Session { session: session() },
        &expect![[
            r#"{"event":"session","session":{"id":"s1","folder":"/w","agent":"build","created":1,"updated":2}}"#
        ]],
    );
    let text = part(PartStateInfo::Running, PartContentInfo::Text(TextContent { text: String::new() }));
    check(
        &EventInfo::Part { part: Box::new(text) },
        &expect![[
            r#"{"event":"part","part":{"id":"p1","session":"s1","turn":1,"step":0,"created":1,"updated":2,"state":{"kind":"running"},"content":{"kind":"text","text":""}}}"#
        ]],
    );
    check(
        &EventInfo::Delta { part: "p1".into(), text: "Hel".into() },
        &expect![[r#"{"event":"delta","part":"p1","text":"Hel"}"#]],
    );
    check(&EventInfo::Void { part: "p1".into() }, &expect![[r#"{"event":"void","part":"p1"}"#]]);
    check(
        &EventInfo::Progress {
            part: "p1".into(),
            metadata: CallMetadata::from_value(json!({"output": "x"})),
        },
        &expect![[r#"{"event":"progress","part":"p1","metadata":{"output":"x"}}"#]],
    );
    check(
        &EventInfo::Asked(ask()),
        &expect![[
            r#"{"event":"asked","ask":"a1","part":"p1","key":"edit","patterns":["src/a.rs"],"always":[],"title":"Edit src/a.rs","why":"a rule","metadata":{"command":"ls","workdir":"."}}"#
        ]],
    );
    check(&EventInfo::Settled { ask: "a1".into() }, &expect![[r#"{"event":"settled","ask":"a1"}"#]]);
    check(
        &EventInfo::Questioned(questions()),
        &expect![[
            r#"{"event":"questioned","question":"q1","part":"p1","agent":"general","questions":[{"header":"Colour","text":"Which colour?","options":[{"label":"red","description":"as it was"},{"label":"blue"}],"multiple":false,"custom":true}]}"#
        ]],
    );
    check(
        &EventInfo::Answered { question: "q1".into() },
        &expect![[r#"{"event":"answered","question":"q1"}"#]],
    );
    check(
        &EventInfo::TurnEnded { turn: 1, end: TurnEndInfo::Done },
        &expect![[r#"{"event":"turnEnded","turn":1,"end":{"kind":"done"}}"#]],
    );
    let job = JobInfo { id: 7, command: "cargo test".into(), state: "exit code 0 after 3.0 s".into() };
    check(
        &EventInfo::Jobs { running: vec![], ended: vec![job] },
        &expect![[
            r#"{"event":"jobs","running":[],"ended":[{"id":7,"command":"cargo test","state":"exit code 0 after 3.0 s"}]}"#
        ]],
    );
    check(
        &EventInfo::Warning { message: "`modle` is no key".into() },
        &expect![[r#"{"event":"warning","message":"`modle` is no key"}"#]],
    );
    check(&EventInfo::Feedback { items: Vec::new() }, &expect![[r#"{"event":"feedback","items":[]}"#]]);
    check(&FeedbackKindInfo::Accepted, &expect![[r#""accepted""#]]);
    check(&EventInfo::Deleted, &expect![[r#"{"event":"deleted"}"#]]);
    let ends = [
        TurnEndInfo::Cancelled,
        TurnEndInfo::Rejected,
        TurnEndInfo::StepLimit { steps: 3 },
        TurnEndInfo::Failed { message: "no".into() },
        TurnEndInfo::Interrupted,
    ];
    check(
        &ends.to_vec(),
        &expect![[
            r#"[{"kind":"cancelled"},{"kind":"rejected"},{"kind":"stepLimit","steps":3},{"kind":"failed","message":"no"},{"kind":"interrupted"}]"#
        ]],
    );
}

#[test]
fn prompts() {
    let bare = TurnParams {
        session: "s1".into(),
        text: "go".into(),
        files: vec![],
        context: vec![],
        context_of: Some("p1".into()),
        unattended: false,
    };
    check(&bare, &expect![[r#"{"session":"s1","text":"go","contextOf":"p1"}"#]]);
    let range = WireRange {
        start: WirePosition { line: 0, character: 0 },
        end: WirePosition { line: 2, character: 0 },
    };
    let context = vec![
        ContextItem { uri: "file:///w/a.rs".into(), range: Some(range), text: Some("fn a() {}\n".into()) },
        ContextItem { uri: "file:///w/b.rs".into(), range: None, text: None },
    ];
    check(
        &TurnParams { files: vec![media()], context, unattended: true, ..bare },
        &expect![[
            r#"{"session":"s1","text":"go","files":[{"mime":"image/png","base64":"AA==","name":"a.png"}],"context":[{"uri":"file:///w/a.rs","range":{"start":{"line":0,"character":0},"end":{"line":2,"character":0}},"text":"fn a() {}\n"},{"uri":"file:///w/b.rs"}],"contextOf":"p1","unattended":true}"#
        ]],
    );
    check(
        &TurnStartResult { queued: true, prompt: "p1".into() },
        &expect![[r#"{"queued":true,"prompt":"p1"}"#]],
    );
    check(
        &TurnSteerResult { joined: false, prompt: "p1".into() },
        &expect![[r#"{"joined":false,"prompt":"p1"}"#]],
    );
    check(
        &TurnStopCallParams { session: "s1".into(), part: "p1".into() },
        &expect![[r#"{"session":"s1","part":"p1"}"#]],
    );
}

#[test]
fn undoing() {
    let undo = |what| UndoParams { session: "s1".into(), what: Some(what) };
    check(&undo(UndoScope::Call("p1".into())), &expect![[r#"{"session":"s1","what":{"call":"p1"}}"#]]);
    check(&undo(UndoScope::Turn(2)), &expect![[r#"{"session":"s1","what":{"turn":2}}"#]]);
    check(&undo(UndoScope::After("p1".into())), &expect![[r#"{"session":"s1","what":{"after":"p1"}}"#]]);
    check(&UndoParams { session: "s1".into(), what: None }, &expect![[r#"{"session":"s1"}"#]]);
    let file = |outcome, message: Option<&str>| UndoneFile {
        uri: "file:///w/a.rs".into(),
        outcome,
        message: message.map(str::to_owned),
    };
    let files = vec![
        file(UndoOutcome::Undone, None),
        file(UndoOutcome::Conflict, Some("line 3 was changed since")),
        file(UndoOutcome::Gone, None),
        file(UndoOutcome::Unchanged, None),
    ];
    check(
        &UndoResult { files, turn: Some(2) },
        &expect![[
            r#"{"files":[{"uri":"file:///w/a.rs","outcome":"undone"},{"uri":"file:///w/a.rs","outcome":"conflict","message":"line 3 was changed since"},{"uri":"file:///w/a.rs","outcome":"gone"},{"uri":"file:///w/a.rs","outcome":"unchanged"}],"turn":2}"#
        ]],
    );
}
