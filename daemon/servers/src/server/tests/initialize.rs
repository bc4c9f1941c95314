//! The `initialize` handshake, and requests from the server.

use serde_json::json;
use tokio::io::AsyncReadExt as _;

use super::super::*;
use super::fake_server::{launch, start_fake};
use copydesk_rpc::frame::{self, FrameReader};

#[tokio::test]
async fn initialize_sends_the_daemons_options_and_capabilities() {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (reader, writer) = tokio::io::split(ours);
    let inner = Arc::new(ServerInner::new(launch(json!({}))));
    let peer = RpcPeer::start(reader, writer, Arc::clone(&inner));
    let mut theirs = FrameReader::new(theirs);
    let message = async {
        let frame = theirs.next().await.unwrap().unwrap().unwrap();
        serde_json::from_slice::<Value>(&frame).unwrap()
    };
    let message = tokio::select! {
        message = message => message,
        _ = greet(&inner, &peer) => unreachable!("nothing responds"),
    };
    let params = &message["params"];
    assert_eq!(params["processId"], std::process::id());
    assert_eq!(params["rootUri"], "file:///root%20folder");
    assert_eq!(
        params["workspaceFolders"],
        json!([{ "uri": "file:///root%20folder", "name": "root folder" }])
    );
    assert_eq!(params["initializationOptions"], json!({ "option": 1 }));
    let capabilities = &params["capabilities"];
    assert_eq!(capabilities["general"]["positionEncodings"], json!(["utf-16"]));
    let pull = json!({ "dynamicRegistration": true, "relatedDocumentSupport": true });
    assert_eq!(capabilities["textDocument"]["diagnostic"], pull);
    assert_eq!(capabilities["workspace"]["diagnostics"], json!({ "refreshSupport": true }));
    assert_eq!(capabilities["textDocument"]["publishDiagnostics"]["versionSupport"], true);
    assert_eq!(capabilities["experimental"]["serverStatusNotification"], true);
    let without = initialize::initialize_params(&launch(json!({ "pull": "never" })), None);
    assert_eq!(without["processId"], Value::Null);
    assert!(without["capabilities"]["textDocument"].get("diagnostic").is_none());
}

/// Server → client: method, params, result or error code.
#[tokio::test]
async fn every_request_from_a_server_gets_a_response() {
    let (_server, mut fake) = start_fake(json!({}), json!({})).await;
    let cases = [
        (
            "workspace/configuration",
            json!({ "items": [{ "section": "fake.depth" }, {}] }),
            json!([3, { "fake": { "depth": 3 } }]),
        ),
        (
            "workspace/workspaceFolders",
            json!(null),
            json!([{ "uri": "file:///root%20folder", "name": "root folder" }]),
        ),
        ("window/workDoneProgress/create", json!({ "token": 1 }), json!(null)),
        (
            "window/showMessageRequest",
            json!({ "type": 1, "message": "x", "actions": [{ "title": "y" }] }),
            json!(null),
        ),
        ("client/registerCapability", json!({ "registrations": 5 }), json!(null)),
        ("client/unregisterCapability", json!({}), json!(null)),
        ("workspace/diagnostic/refresh", json!(null), json!(null)),
        ("workspace/semanticTokens/refresh", json!(null), json!(null)),
        ("window/showDocument", json!({ "uri": "file:///a" }), json!({ "success": false })),
    ];
    for (number, (method, params, expected)) in cases.into_iter().enumerate() {
        fake.send(json!({ "id": number, "method": method, "params": params })).await;
        assert_eq!(
            fake.next().await,
            json!({ "jsonrpc": "2.0", "id": number, "result": expected }),
            "{method}"
        );
    }
    fake.send(json!({ "id": "e", "method": "workspace/applyEdit", "params": { "edit": {} } })).await;
    assert_eq!(fake.next().await["result"]["applied"], false);
    fake.send(json!({ "id": "u", "method": "rust-analyzer/whatever" })).await;
    assert_eq!(fake.next().await["error"]["code"], -32601);
}

#[tokio::test(start_paused = true)]
async fn a_server_whose_initialize_fails_is_given_up() {
    for (answer, expected) in [
        (
            Some(r#"{"id":1,"error":{"code":-32803,"message":"no licence"}}"#),
            "it does not take the greeting: no licence (-32803)",
        ),
        (None, "it did not answer the greeting within 60 s"),
    ] {
        let (ours, mut theirs) = tokio::io::duplex(1 << 20);
        let (reader, writer) = tokio::io::split(ours);
        let inner = Arc::new(ServerInner::new(launch(json!({}))));
        let peer = RpcPeer::start(reader, writer, Arc::clone(&inner));
        if let Some(answer) = answer {
            frame::write(&mut theirs, answer.as_bytes()).await.unwrap();
        }
        assert_eq!(greet(&inner, &peer).await.unwrap_err().to_string(), expected);
        let _ = theirs.read_u8().await;
    }
}

#[test]
fn every_spelling_of_capabilities_is_parsed() {
    let read = |capabilities: Value| ServerCapabilities::read(&json!({ "capabilities": capabilities }));
    let plain = ServerCapabilities {
        sync: initialize::TextSyncKind::None,
        save: None,
        pull: None,
        tsserver: false,
        resolves_actions: false,
        queries: [].into(),
    };
    assert_eq!(ServerCapabilities::read(&json!(null)), plain);
    let save = |text| Some(IncludeText(text));
    for (sync, expected, saves) in [
        (json!(2), initialize::TextSyncKind::Incremental, save(false)),
        (json!({ "change": 1 }), initialize::TextSyncKind::Full, None),
        (
            json!({ "change": 2, "save": { "includeText": true } }),
            initialize::TextSyncKind::Incremental,
            save(true),
        ),
        (json!({ "change": 2, "save": {} }), initialize::TextSyncKind::Incremental, save(false)),
        (json!({ "openClose": true, "save": false }), initialize::TextSyncKind::None, None),
    ] {
        let parsed = read(json!({ "textDocumentSync": sync }));
        assert_eq!((parsed.sync, parsed.save), (expected, saves), "{sync}");
    }
    let options = json!({ "identifier": "i", "workspaceDiagnostics": true });
    let pull = initialize::PullOptions { identifier: Some("i".into()), selector: None, workspace: true };
    assert_eq!(read(json!({ "diagnosticProvider": options })).pull, Some(pull));
    assert_eq!(read(json!({ "diagnosticProvider": true })).pull, Some(initialize::PullOptions::default()));
    assert_eq!(read(json!({ "diagnosticProvider": null })).pull, None);
    let offers = json!({ "definitionProvider": true, "hoverProvider": {}, "callHierarchyProvider": [], "referencesProvider": false });
    let queries =
        [CodeQuery::Definition, CodeQuery::Hover, CodeQuery::IncomingCalls, CodeQuery::OutgoingCalls];
    assert_eq!(read(offers).queries, queries.into());
}
