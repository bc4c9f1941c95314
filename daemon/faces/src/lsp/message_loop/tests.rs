use std::sync::Mutex;
use std::sync::mpsc::channel;

use lsp_types::{InitializeParams, InitializeResult};
use tokio::io::{DuplexStream, ReadHalf, WriteHalf, duplex, split};
use tower_lsp_server::jsonrpc::Result as RpcHandlerResult;
use tower_lsp_server::{LanguageServer, LspService};

use super::*;

struct IdleBackend;

impl LanguageServer for IdleBackend {
    async fn initialize(&self, _: InitializeParams) -> RpcHandlerResult<InitializeResult> {
        Ok(InitializeResult::default())
    }

    async fn shutdown(&self) -> RpcHandlerResult<()> {
        Ok(())
    }
}

struct ConnectedClient {
    reader: FrameReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
}

impl ConnectedClient {
    fn new(apply: ApplyNotification) -> Self {
        let (ours, theirs) = duplex(1 << 20);
        let (reader, writer) = split(ours);
        let (service, socket) = LspService::new(|_| IdleBackend);
        tokio::spawn(serve((service, apply), socket, reader, writer, CancellationToken::new()));
        let (reader, writer) = split(theirs);
        Self { reader: FrameReader::new(reader), writer }
    }

    async fn send(&mut self, message: &Value) {
        frame::write(&mut self.writer, message.to_string().as_bytes()).await.unwrap();
    }

    async fn initialize(&mut self) {
        let params = json!({ "processId": null, "rootUri": null, "capabilities": {} });
        self.send(&json!({ "id": 1, "method": "initialize", "params": params })).await;
        let message = self.reader.next().await.unwrap().unwrap().unwrap();
        let answer: Value = serde_json::from_slice(&message).unwrap();
        assert!(answer["result"].is_object(), "{answer}");
    }
}

/// The runtime has one thread: what blocks it, blocks every client.
#[tokio::test]
async fn a_client_is_answered_while_a_message_of_60_mb_of_another_is_handled() {
    let (open_gate, gate) = channel::<()>();
    let (begun, mut beginning) = mpsc::unbounded_channel();
    let gate = Mutex::new(gate);
    let mut first = ConnectedClient::new(Arc::new(move |method, _| {
        let is_document = method == "textDocument/didOpen";
        if is_document {
            begun.send(()).unwrap();
            gate.lock().unwrap().recv().unwrap();
        }
        is_document
    }));
    let mut other = ConnectedClient::new(Arc::new(|_, _| false));
    let params = json!({ "text": "x".repeat(60_000_000) });
    first.send(&json!({ "method": "textDocument/didOpen", "params": params })).await;
    beginning.recv().await.unwrap();
    other.initialize().await;
    open_gate.send(()).unwrap();
    first.initialize().await;
}
