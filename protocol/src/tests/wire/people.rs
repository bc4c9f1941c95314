//! Asks, questions, the daemon's status, and the handshake.

use copydesk_metadata::PermissionAskMetadata;
use expect_test::expect;
use serde_json::json;

use super::check;
use crate::daemon::{
    AgentInfo, AgentsParams, AgentsResult, LogLevelEnd, LogSetParams, LogSetResult, MatchTierCount,
    MissingServer, ModelInfo, ModelsParams, ModelsResult, ServerInfo, ServerState, ServersRestartParams,
    ServersRestartResult, SessionStatus, StatusResult, StopParams, StopResult, StopTiming,
};
use crate::handshake::{ClientHello, DaemonHello, ProtocolMismatch, ProtocolSide};
use crate::permission::{PermissionAskInfo, PermissionAskParams, PermissionReply, PermissionSettledParams};
use crate::question::{
    QuestionAskInfo, QuestionAskParams, QuestionInfo, QuestionOptionInfo, QuestionReply,
    QuestionSettledParams,
};

pub(super) fn ask() -> PermissionAskInfo {
    PermissionAskInfo {
        ask: "a1".into(),
        part: "p1".into(),
        key: "edit".into(),
        patterns: vec!["src/a.rs".into()],
        always: vec![],
        title: "Edit src/a.rs".into(),
        metadata: PermissionAskMetadata::from_value(json!({"command": "ls", "workdir": "."})),
    }
}

pub(super) fn questions() -> QuestionAskInfo {
    let choice = |label: &str, description: &str| QuestionOptionInfo {
        label: label.into(),
        description: description.into(),
    };
    let question = QuestionInfo {
        header: "Colour".into(),
        text: "Which colour?".into(),
        options: vec![choice("red", "as it was"), choice("blue", "")],
        multiple: false,
        custom: true,
    };
    QuestionAskInfo {
        question: "q1".into(),
        part: "p1".into(),
        agent: Some("general".into()),
        questions: vec![question],
    }
}

#[test]
fn permission() {
    check(
        &PermissionAskParams { session: "s1".into(), ask: ask() },
        &expect![[
            r#"{"session":"s1","ask":"a1","part":"p1","key":"edit","patterns":["src/a.rs"],"always":[],"title":"Edit src/a.rs","metadata":{"command":"ls","workdir":"."}}"#
        ]],
    );
    check(&PermissionReply::Once, &expect![[r#"{"reply":"once"}"#]]);
    check(&PermissionReply::Always, &expect![[r#"{"reply":"always"}"#]]);
    check(&PermissionReply::Reject { reason: None }, &expect![[r#"{"reply":"reject"}"#]]);
    check(
        &PermissionReply::Reject { reason: Some("use b.rs".into()) },
        &expect![[r#"{"reply":"reject","reason":"use b.rs"}"#]],
    );
    check(&PermissionReply::Nobody, &expect![[r#"{"reply":"nobody"}"#]]);
    check(&PermissionReply::Cancelled, &expect![[r#"{"reply":"cancelled"}"#]]);
    let settled = |by: Option<&str>| PermissionSettledParams {
        session: "s1".into(),
        ask: "a1".into(),
        by: by.map(str::to_owned),
    };
    check(&settled(Some("nvim")), &expect![[r#"{"session":"s1","ask":"a1","by":"nvim"}"#]]);
    check(&settled(None), &expect![[r#"{"session":"s1","ask":"a1"}"#]]);
}

#[test]
fn asking_questions() {
    check(
        &QuestionAskParams { session: "s1".into(), questions: questions() },
        &expect![[
            r#"{"session":"s1","question":"q1","part":"p1","agent":"general","questions":[{"header":"Colour","text":"Which colour?","options":[{"label":"red","description":"as it was"},{"label":"blue"}],"multiple":false,"custom":true}]}"#
        ]],
    );
    check(
        &QuestionReply::Answered { answers: vec![vec!["red".into()], vec![]] },
        &expect![[r#"{"reply":"answered","answers":[["red"],[]]}"#]],
    );
    check(&QuestionReply::Rejected { reason: None }, &expect![[r#"{"reply":"rejected"}"#]]);
    let reason = Some("Nobody is there.".to_owned());
    check(
        &QuestionReply::Rejected { reason },
        &expect![[r#"{"reply":"rejected","reason":"Nobody is there."}"#]],
    );
    check(&QuestionReply::Cancelled, &expect![[r#"{"reply":"cancelled"}"#]]);
    let settled =
        QuestionSettledParams { session: "s1".into(), question: "q1".into(), by: Some("vscode".into()) };
    check(&settled, &expect![[r#"{"session":"s1","question":"q1","by":"vscode"}"#]]);
}

#[test]
fn daemon_status() {
    let model = |local| ModelInfo {
        id: "p/m".into(),
        name: "M".into(),
        provider: "P".into(),
        context: Some(200_000),
        output: Some(8_000),
        local,
        offline: local,
    };
    check(
        &ModelsParams { folder: Some("/w".into()), agent: Some("plan".into()) },
        &expect![[r#"{"folder":"/w","agent":"plan"}"#]],
    );
    let models = ModelsResult { models: vec![model(false), model(true)], default: Some("p/m".into()) };
    check(
        &models,
        &expect![[
            r#"{"models":[{"id":"p/m","name":"M","provider":"P","context":200000,"output":8000},{"id":"p/m","name":"M","provider":"P","context":200000,"output":8000,"local":true,"offline":true}],"default":"p/m"}"#
        ]],
    );
    check(&AgentsParams { folder: Some("/w".into()) }, &expect![[r#"{"folder":"/w"}"#]]);
    let agent = AgentInfo { name: "plan".into(), description: "Looks.".into(), model: Some("p/m".into()) };
    check(
        &AgentsResult { agents: vec![agent] },
        &expect![[r#"{"agents":[{"name":"plan","description":"Looks.","model":"p/m"}]}"#]],
    );
    let server = |state| ServerInfo {
        name: "rust-analyzer".into(),
        root: "/w".into(),
        state,
        message: Some("shop".into()),
        percent: Some(40),
        documents: 3,
        memory: Some(1024),
        pid: Some(43),
    };
    let states = [
        ServerState::Starting,
        ServerState::Ready,
        ServerState::Resting,
        ServerState::GivenUp,
        ServerState::Ending,
    ];
    check(
        &states.map(server).to_vec(),
        &expect![[
            r#"[{"name":"rust-analyzer","root":"/w","state":"starting","message":"shop","percent":40,"documents":3,"memory":1024,"pid":43},{"name":"rust-analyzer","root":"/w","state":"ready","message":"shop","percent":40,"documents":3,"memory":1024,"pid":43},{"name":"rust-analyzer","root":"/w","state":"resting","message":"shop","percent":40,"documents":3,"memory":1024,"pid":43},{"name":"rust-analyzer","root":"/w","state":"givenUp","message":"shop","percent":40,"documents":3,"memory":1024,"pid":43},{"name":"rust-analyzer","root":"/w","state":"ending","message":"shop","percent":40,"documents":3,"memory":1024,"pid":43}]"#
        ]],
    );
    check(&ServersRestartParams { name: "gopls".into() }, &expect![[r#"{"name":"gopls"}"#]]);
    check(&ServersRestartResult { servers: 2 }, &expect![[r#"{"servers":2}"#]]);
    check(&LogSetParams::default(), &expect![["{}"]]);
    check(
        &LogSetParams { level: Some("info,servers=debug".into()), until: Some(LogLevelEnd::Detach) },
        &expect![[r#"{"level":"info,servers=debug","until":"detach"}"#]],
    );
    check(&LogSetResult { level: "info".into() }, &expect![[r#"{"level":"info"}"#]]);
    let status = StatusResult {
        version: "0.1.0".into(),
        protocol: 1,
        pid: 42,
        started: 1,
        clients: 2,
        sessions: vec![SessionStatus { session: "s1".into(), running: true }],
        documents: 3,
        tiers: vec![MatchTierCount { tier: "exact".into(), count: 7 }],
        servers: vec![server(ServerState::Indexing)],
        missing: vec![MissingServer { name: "m".into(), language: "l".into(), hint: "get it".into() }],
    };
    check(
        &status,
        &expect![[
            r#"{"version":"0.1.0","protocol":1,"pid":42,"started":1,"clients":2,"sessions":[{"session":"s1","running":true}],"documents":3,"tiers":[{"tier":"exact","count":7}],"servers":[{"name":"rust-analyzer","root":"/w","state":"indexing","message":"shop","percent":40,"documents":3,"memory":1024,"pid":43}],"missing":[{"name":"m","language":"l","hint":"get it"}]}"#
        ]],
    );
    check(&StopParams { when: StopTiming::Idle }, &expect![[r#"{"when":"idle"}"#]]);
    check(&StopParams { when: StopTiming::Now }, &expect![[r#"{"when":"now"}"#]]);
    check(&StopResult { waiting_for: 1 }, &expect![[r#"{"waitingFor":1}"#]]);
}

#[test]
fn handshake() {
    let client = ClientHello { protocol: 1, client: "nvim".into(), version: "0.1.0".into() };
    check(&client, &expect![[r#"{"protocol":1,"client":"nvim","version":"0.1.0"}"#]]);
    let daemon = DaemonHello { protocol: 1, version: "0.1.0".into(), pid: 42 };
    check(&daemon, &expect![[r#"{"protocol":1,"version":"0.1.0","pid":42}"#]]);
    check(
        &ProtocolMismatch { daemon: 1, client: 2, update: ProtocolSide::Daemon, retry: false },
        &expect![[r#"{"desk":1,"client":2,"update":"desk","retry":false}"#]],
    );
    check(
        &ProtocolMismatch { daemon: 2, client: 1, update: ProtocolSide::Client, retry: false },
        &expect![[r#"{"desk":2,"client":1,"update":"client","retry":false}"#]],
    );
}

#[test]
fn a_mismatch_says_which_side_to_update_and_how() {
    let hello = |protocol| ClientHello { protocol, client: "nvim".into(), version: "0.1.0".into() };
    assert_eq!(hello(crate::PROTOCOL).check_version(), Ok(()));
    let older = hello(crate::PROTOCOL - 1).check_version().unwrap_err();
    expect!["The Copydesk daemon speaks protocol 1, this editor's extension speaks 0. Update the extension and reload the editor."].assert_eq(&older.to_string());
    let newer = hello(crate::PROTOCOL + 1).check_version().unwrap_err();
    expect!["The Copydesk daemon speaks protocol 1, this editor's extension speaks 2. Update the program `copydesk`, run `copydesk stop` so that the old daemon ends, and reload the editor."].assert_eq(&newer.to_string());
}
