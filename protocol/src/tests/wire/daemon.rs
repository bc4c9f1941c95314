//! The daemon: status, models, agents, log, stop; and the handshake.

use expect_test::expect;

use super::check;
use crate::daemon::{
    AgentInfo, AgentsParams, AgentsResult, LogLevelEnd, LogSetParams, LogSetResult, MatchTierCount,
    MissingServer, ModelInfo, ModelsParams, ModelsResult, ServerInfo, ServerState, ServersRestartParams,
    ServersRestartResult, SessionStatus, StatusResult, StopParams, StopResult, StopTiming,
};
use crate::handshake::{ClientHello, DaemonHello, ProtocolMismatch, ProtocolSide};
use crate::provider::{
    ProviderInfo, ProviderListParams, ProviderListResult, ProviderSetKeyParams, ProviderSetKeyResult,
    TypedKey,
};
use crate::trust::{TrustInfo, TrustSetParams, TrustState};

#[test]
fn providers_and_their_keys() {
    check(&ProviderListParams { folder: Some("/w".into()) }, &expect![[r#"{"folder":"/w"}"#]]);
    let usable = ProviderInfo {
        id: "p".into(),
        name: "P".into(),
        local: true,
        usable: true,
        key: Some("$P_KEY".into()),
        missing: None,
        key_page: Some("https://p.example".into()),
    };
    let missing = Some("No key for P.".into());
    let other =
        ProviderInfo { local: false, usable: false, key: None, key_page: None, missing, ..usable.clone() };
    check(
        &ProviderListResult { providers: vec![usable, other] },
        &expect![[
            r#"{"providers":[{"id":"p","name":"P","local":true,"usable":true,"key":"$P_KEY","keyPage":"https://p.example"},{"id":"p","name":"P","usable":false,"missing":"No key for P."}]}"#
        ]],
    );
    let params = ProviderSetKeyParams { provider: "p".into(), key: TypedKey("sk-1".into()) };
    check(&params, &expect![[r#"{"provider":"p","key":"sk-1"}"#]]);
    assert!(!format!("{params:?}").contains("sk-1"), "a log shows the key");
    let result = ProviderSetKeyResult { replaced: true, overridden_by: Some("$P_KEY".into()) };
    check(&result, &expect![[r#"{"replaced":true,"overriddenBy":"$P_KEY"}"#]]);
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
        &ModelsParams { folder: Some("/w".into()), agent: Some("plan".into()), local: true },
        &expect![[r#"{"folder":"/w","agent":"plan","local":true}"#]],
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
        sandboxed: Some(true),
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
            r#"[{"name":"rust-analyzer","root":"/w","state":"starting","message":"shop","percent":40,"documents":3,"memory":1024,"pid":43,"sandboxed":true},{"name":"rust-analyzer","root":"/w","state":"ready","message":"shop","percent":40,"documents":3,"memory":1024,"pid":43,"sandboxed":true},{"name":"rust-analyzer","root":"/w","state":"resting","message":"shop","percent":40,"documents":3,"memory":1024,"pid":43,"sandboxed":true},{"name":"rust-analyzer","root":"/w","state":"givenUp","message":"shop","percent":40,"documents":3,"memory":1024,"pid":43,"sandboxed":true},{"name":"rust-analyzer","root":"/w","state":"ending","message":"shop","percent":40,"documents":3,"memory":1024,"pid":43,"sandboxed":true}]"#
        ]],
    );
    check(
        &TrustSetParams { folder: Some("/w".into()), trusted: true, passed_on: true },
        &expect![[r#"{"folder":"/w","trusted":true,"passedOn":true}"#]],
    );
    let told = |trust| TrustInfo { folder: "/w".into(), trust };
    check(
        &[TrustState::Trusted, TrustState::Restricted, TrustState::Unasked].map(told).to_vec(),
        &expect![[
            r#"[{"folder":"/w","trust":"trusted"},{"folder":"/w","trust":"restricted"},{"folder":"/w","trust":"unasked"}]"#
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
        sessions: vec![SessionStatus {
            session: "s1".into(),
            running: true,
            attached: vec!["Neovim".into()],
        }],
        documents: 3,
        tiers: vec![MatchTierCount { tier: "exact".into(), count: 7 }],
        servers: vec![server(ServerState::Indexing)],
        missing: vec![MissingServer { name: "m".into(), language: "l".into(), hint: "get it".into() }],
    };
    check(
        &status,
        &expect![[
            r#"{"version":"0.1.0","protocol":1,"pid":42,"started":1,"clients":2,"sessions":[{"session":"s1","running":true,"attached":["Neovim"]}],"documents":3,"tiers":[{"tier":"exact","count":7}],"servers":[{"name":"rust-analyzer","root":"/w","state":"indexing","message":"shop","percent":40,"documents":3,"memory":1024,"pid":43,"sandboxed":true}],"missing":[{"name":"m","language":"l","hint":"get it"}]}"#
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
