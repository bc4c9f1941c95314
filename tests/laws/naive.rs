//! The framework as its documentation shows it: its own loop, and handlers that await anywhere.

use std::sync::{Arc, Mutex};

use lsp_types::{DidChangeTextDocumentParams, InitializeParams, InitializeResult};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tower_lsp_server::jsonrpc::{Request, Result};
use tower_lsp_server::{Client, LanguageServer, LspService, Server};

use crate::daemon::stdio_editor::frame_message;

struct NaiveLanguageServer {
    client: Client,
    versions: Arc<Mutex<Vec<i32>>>,
}

impl LanguageServer for NaiveLanguageServer {
    async fn initialize(&self, _: InitializeParams) -> Result<InitializeResult> {
        Ok(InitializeResult::default())
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        // As any handler does that logs, or waits for a held lock.
        tokio::task::yield_now().await;
        self.versions.lock().unwrap().push(params.text_document.version);
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }
}

impl NaiveLanguageServer {
    /// Asks the user, and waits for the reply.
    async fn ask(&self, _: Value) -> Result<Value> {
        let id = self.client.next_request_id();
        let request = Request::build("copydesk/permission/ask").params(json!({})).id(id).finish();
        let mut client = self.client.clone();
        let reply = tower::Service::call(&mut client, request).await.unwrap().unwrap();
        Ok(reply.into_parts().1.unwrap())
    }

    async fn long(&self, _: Value) -> Result<Value> {
        std::future::pending().await
    }

    async fn ping(&self, _: Value) -> Result<Value> {
        Ok(json!({}))
    }
}

/// An initialized client of the naive server.
pub(super) struct NaiveServerClient {
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
    /// The versions that the server applied, in order.
    pub(super) versions: Arc<Mutex<Vec<i32>>>,
}

impl NaiveServerClient {
    pub(super) async fn connect() -> Self {
        // Large enough for everything that a test sends, so that the pipe never fills.
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let versions = Arc::new(Mutex::default());
        let kept = Arc::clone(&versions);
        let (service, socket) = LspService::build(|client| NaiveLanguageServer { client, versions })
            .custom_method("ask", NaiveLanguageServer::ask)
            .custom_method("long", NaiveLanguageServer::long)
            .custom_method("ping", NaiveLanguageServer::ping)
            .finish();
        let (input, output) = tokio::io::split(theirs);
        tokio::spawn(Server::new(input, output, socket).serve(service));
        let (reader, writer) = tokio::io::split(ours);
        let mut raw = Self { reader: BufReader::new(reader), writer, versions: kept };
        raw.send_request(0, "initialize", json!({ "capabilities": {}, "processId": null, "rootUri": null }))
            .await;
        assert_eq!(raw.next().await["id"], 0);
        raw.notify("initialized", json!({})).await;
        raw
    }

    pub(super) async fn send(&mut self, message: &Value) {
        self.writer.write_all(&frame_message(message)).await.unwrap();
    }

    pub(super) async fn send_request(&mut self, id: u64, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
    }

    pub(super) async fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params })).await;
    }

    pub(super) async fn burst(&mut self, count: i32) {
        for version in 1..=count {
            let document = json!({ "uri": "file:///a", "version": version });
            let change = json!([{ "text": "" }]);
            let params = json!({ "textDocument": document, "contentChanges": change });
            self.notify("textDocument/didChange", params).await;
        }
    }

    pub(super) async fn next(&mut self) -> Value {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(self.reader.read_u8().await.unwrap());
        }
        let head = String::from_utf8(head).unwrap();
        let length = head.split("Content-Length: ").nth(1).unwrap().lines().next().unwrap();
        let mut body = vec![0; length.parse().unwrap()];
        self.reader.read_exact(&mut body).await.unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// Whether nothing will ever arrive: on a paused clock, time passes only when no task can run.
    pub(super) async fn is_stuck(&mut self) -> bool {
        tokio::time::timeout(std::time::Duration::from_secs(3600), self.next()).await.is_err()
    }
}
