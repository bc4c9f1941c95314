//! An editor's own language servers.

use expect_test::expect;
use serde_json::json;

use super::check;
use crate::editor::AnswerState;
use crate::server::{
    EditorServerMessageParams, EditorServerResponse, EditorServersDoneParams, EditorServersParams,
    EditorServersResult, ServerDocumentEvent, ServerDocumentParams, ServerDocumentVersion, ServerEndedParams,
    ServerReceivedParams, ServerResponseError, ServerStartedParams, ServerWatchedParams, WatchedFileChange,
};

const URI: &str = "file:///w/a.rs";

#[test]
fn reports() {
    let plain = ServerStartedParams { server: 1, name: "lua_ls".into(), ..ServerStartedParams::default() };
    check(&plain, &expect![[r#"{"server":1,"name":"lua_ls"}"#]]);
    let started = ServerStartedParams {
        own_name: Some("lua-language-server".into()),
        languages: vec!["lua".into()],
        command: vec!["lua-language-server".into(), "--x".into()],
        root: Some("file:///w".into()),
        encoding: Some("utf-8".into()),
        capabilities: json!({ "textDocumentSync": 1 }),
        running: true,
        ..plain
    };
    check(
        &started,
        &expect![[
            r#"{"server":1,"name":"lua_ls","ownName":"lua-language-server","languages":["lua"],"command":["lua-language-server","--x"],"root":"file:///w","encoding":"utf-8","capabilities":{"textDocumentSync":1},"running":true}"#
        ]],
    );
    let document = |event| ServerDocumentParams {
        server: 1,
        uri: URI.into(),
        event,
        language: None,
        version: None,
        document: None,
        modified: false,
        running: false,
    };
    let opened = ServerDocumentParams {
        language: Some("rust".into()),
        version: Some(3),
        document: Some(4),
        modified: true,
        running: true,
        ..document(ServerDocumentEvent::Opened)
    };
    check(
        &opened,
        &expect![[
            r#"{"server":1,"uri":"file:///w/a.rs","event":"opened","language":"rust","version":3,"document":4,"modified":true,"running":true}"#
        ]],
    );
    let events = [
        ServerDocumentEvent::Changed,
        ServerDocumentEvent::Renumbered,
        ServerDocumentEvent::Saved,
        ServerDocumentEvent::Closed,
    ];
    check(
        &events.map(document).to_vec(),
        &expect![[
            r#"[{"server":1,"uri":"file:///w/a.rs","event":"changed"},{"server":1,"uri":"file:///w/a.rs","event":"renumbered"},{"server":1,"uri":"file:///w/a.rs","event":"saved"},{"server":1,"uri":"file:///w/a.rs","event":"closed"}]"#
        ]],
    );
    let watched =
        ServerWatchedParams { server: 1, changes: vec![WatchedFileChange { uri: URI.into(), kind: 3 }] };
    check(&watched, &expect![[r#"{"server":1,"changes":[{"uri":"file:///w/a.rs","type":3}]}"#]]);
    let received =
        ServerReceivedParams { server: 1, method: "$/progress".into(), params: json!({ "token": 1 }) };
    check(&received, &expect![[r#"{"server":1,"method":"$/progress","params":{"token":1}}"#]]);
    check(&ServerEndedParams { server: 1 }, &expect![[r#"{"server":1}"#]]);
}

#[test]
fn messages() {
    check(
        &EditorServersParams { uri: URI.into(), wait: Some(300) },
        &expect![[r#"{"uri":"file:///w/a.rs","wait":300}"#]],
    );
    check(&EditorServersDoneParams { uri: URI.into() }, &expect![[r#"{"uri":"file:///w/a.rs"}"#]]);
    let serving = EditorServersResult {
        state: AnswerState::Answered,
        uri: Some(URI.into()),
        version: Some(3),
        servers: vec![1, 2],
    };
    check(&serving, &expect![[r#"{"state":"answered","uri":"file:///w/a.rs","version":3,"servers":[1,2]}"#]]);
    let none = EditorServersResult { state: AnswerState::Unsupported, ..EditorServersResult::default() };
    check(&none, &expect![[r#"{"state":"unsupported"}"#]]);
    let message = EditorServerMessageParams {
        server: 1,
        id: Some(7),
        method: "textDocument/diagnostic".into(),
        params: json!({}),
        document: Some(ServerDocumentVersion { uri: URI.into(), version: 3 }),
        takes_edits: true,
    };
    check(
        &message,
        &expect![[
            r#"{"server":1,"id":7,"method":"textDocument/diagnostic","params":{},"document":{"uri":"file:///w/a.rs","version":3},"takesEdits":true}"#
        ]],
    );
    let response = EditorServerResponse { result: json!({ "items": [] }), error: None };
    check(&response, &expect![[r#"{"result":{"items":[]}}"#]]);
    let error = ServerResponseError { code: -32801, message: "the text has changed".into() };
    let response = EditorServerResponse { error: Some(error), ..EditorServerResponse::default() };
    check(&response, &expect![[r#"{"error":{"code":-32801,"message":"the text has changed"}}"#]]);
}
