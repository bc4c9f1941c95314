use copydesk_protocol::daemon::ModelsParams;
use copydesk_protocol::table::Models;

use copydesk_rpc::frame::FrameReader;
use copydesk_rpc::transport::{SocketReader, SocketWriter};

use super::*;

/// The daemon's end of the connection.
struct DaemonEnd {
    reader: FrameReader<SocketReader>,
    writer: SocketWriter,
}

impl DaemonEnd {
    async fn reads(&mut self) -> Value {
        serde_json::from_slice(&self.reader.next().await.unwrap().unwrap().unwrap()).unwrap()
    }

    async fn says(&mut self, message: Value) {
        frame::write(&mut self.writer, message.to_string().as_bytes()).await.unwrap();
    }
}

/// A client that has been greeted.
const NO_PARAMS: ModelsParams = ModelsParams { agent: None, folder: None, local: false };

async fn pair() -> (DaemonClient, DaemonInbox, DaemonEnd) {
    let (one, other) = SocketConnection::pair().unwrap();
    let (reader, writer) = other.split();
    let mut daemon = DaemonEnd { reader: FrameReader::new(reader), writer };
    let greet = async {
        let asked = daemon.reads().await;
        assert_eq!(asked["params"]["initializationOptions"]["copydesk"]["protocol"], PROTOCOL);
        daemon.says(json!({ "id": asked["id"], "result": { "capabilities": {} } })).await;
        assert_eq!(daemon.reads().await["method"], "initialized");
    };
    let (client, ()) = tokio::join!(DaemonClient::initialize(one, ClientKind::Copydesk), greet);
    let (client, inbox) = client.unwrap();
    (client, inbox, daemon)
}

#[tokio::test]
async fn answers_find_who_asked_in_any_order() {
    let (client, mut inbox, mut daemon) = pair().await;
    let answers = async {
        let (first, second) = (daemon.reads().await, daemon.reads().await);
        daemon.says(json!({ "method": "note", "params": { "a": 1 } })).await;
        daemon.says(json!({ "id": 99, "result": "to nobody" })).await;
        daemon.says(json!({ "id": second["id"], "error": { "code": -31003, "message": "no such" } })).await;
        daemon.says(json!({ "id": first["id"], "result": { "models": [] } })).await;
    };
    let (one, two, ()) =
        tokio::join!(client.request::<Models>(&NO_PARAMS), client.request::<Models>(&NO_PARAMS), answers);
    assert_eq!(one.unwrap().models, []);
    assert_eq!(two.unwrap_err().to_string(), "no such");
    let noted = inbox.recv().await;
    assert!(
        matches!(noted, Some(DaemonMessage::Notification { method, params }) if method == "note" && params["a"] == 1)
    );
}

#[tokio::test]
async fn what_the_daemon_asks_is_answered_even_if_nobody_can() {
    let (_client, mut inbox, mut daemon) = pair().await;
    daemon.says(json!({ "id": "a", "method": "ask", "params": {} })).await;
    daemon.says(json!({ "id": "b", "method": "ask", "params": {} })).await;
    let Some(DaemonMessage::Request { method, params, responder }) = inbox.recv().await else {
        panic!("no request")
    };
    assert_eq!((method.as_str(), params), ("ask", json!({})));
    responder.respond(Ok(json!({ "yes": true })));
    assert_eq!(daemon.reads().await["result"]["yes"], true);
    drop(inbox.recv().await);
    let refused = daemon.reads().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!("b"), &json!(-32601)));
    drop(inbox);
    daemon.says(json!({ "id": "c", "method": "ask", "params": {} })).await;
    assert_eq!(daemon.reads().await["error"]["code"], -32601);
}

#[tokio::test]
async fn everything_ends_with_the_connection() {
    let (client, mut inbox, mut daemon) = pair().await;
    let (asked, ()) = tokio::join!(client.request::<Models>(&NO_PARAMS), async {
        daemon.reads().await;
        drop(daemon);
    });
    assert!(matches!(asked, Err(DaemonClientError::Ended)));
    client.wait_closed().await;
    assert!(inbox.recv().await.is_none());
    assert!(matches!(client.request::<Models>(&NO_PARAMS).await, Err(DaemonClientError::Ended)));
}
