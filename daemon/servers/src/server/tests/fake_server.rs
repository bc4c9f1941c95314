//! The server's end of the wire, played by the test: it reads what the daemon sends, and sends what the test wants.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt as _, DuplexStream, ReadHalf, WriteHalf};
use tokio::time::Instant;

use super::super::*;
use copydesk_rpc::frame::{self, FrameReader};

/// The caller checks no other file itself.
pub(super) static NO_FILES: BTreeSet<PathBuf> = BTreeSet::new();

pub(super) struct FakeServer {
    reader: FrameReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
}

/// Ready at the first answer, unless the quirks say otherwise.
pub(super) fn launch(mut quirks: Value) -> ServerLaunch {
    quirks.as_object_mut().unwrap().entry("ready").or_insert(json!("firstAnswer"));
    ServerLaunch {
        name: "fake".into(),
        command: Vec::new(),
        environment: Vec::new(),
        sandbox: ProgramSandbox::default(),
        root: "/root folder".into(),
        folders: Vec::new(),
        initialization: json!({ "option": 1 }),
        settings: json!({ "fake": { "depth": 3 } }),
        quirks: serde_json::from_value(quirks).unwrap(),
    }
}

/// A server after `initialize`, and its other end.
pub(super) async fn start_fake(quirks: Value, capabilities: Value) -> (Arc<LanguageServer>, FakeServer) {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (reader, writer) = tokio::io::split(theirs);
    let mut fake = FakeServer { reader: FrameReader::new(reader), writer };
    let initialize = async {
        let (reader, writer) = tokio::io::split(ours);
        let inner = Arc::new(ServerInner::new(launch(quirks)));
        let peer = RpcPeer::start(reader, writer, Arc::clone(&inner));
        greet(&inner, &peer).await.map(|()| LanguageServer::begin(inner, peer, None))
    };
    let respond = async {
        let asked = fake.next().await;
        assert_eq!(asked["method"], "initialize");
        fake.send(json!({ "id": asked["id"], "result": { "capabilities": capabilities } })).await;
        fake.expect("initialized").await;
        fake.expect("workspace/didChangeConfiguration").await;
    };
    let (server, ()) = tokio::join!(initialize, respond);
    (server.unwrap(), fake)
}

/// A server that publishes. It wants whole texts, and saves.
pub(super) async fn start_push(quirks: Value) -> (Arc<LanguageServer>, FakeServer) {
    start_fake(quirks, json!({ "textDocumentSync": { "change": 1, "openClose": true, "save": true } })).await
}

/// A server that answers pulls.
pub(super) async fn start_pull(quirks: Value) -> (Arc<LanguageServer>, FakeServer) {
    let capabilities =
        json!({ "textDocumentSync": 1, "diagnosticProvider": { "interFileDependencies": true } });
    start_fake(quirks, capabilities).await
}

impl FakeServer {
    /// Reads and writes this end of a pipe.
    pub(super) fn on(stream: DuplexStream) -> Self {
        let (reader, writer) = tokio::io::split(stream);
        Self { reader: FrameReader::new(reader), writer }
    }

    pub(super) async fn next(&mut self) -> Value {
        // With a paused clock a wait without an end would hang the test.
        let next = tokio::time::timeout(Duration::from_secs(60), self.reader.next()).await;
        serde_json::from_slice(&next.expect("no message came").unwrap().unwrap().unwrap()).unwrap()
    }

    /// The params of the next message, which must have this method.
    pub(super) async fn expect(&mut self, method: &str) -> Value {
        let message = self.next().await;
        assert_eq!(message["method"], method, "{message}");
        message["params"].clone()
    }

    /// The document version in the next message.
    pub(super) async fn next_version(&mut self) -> i64 {
        let message = self.next().await;
        message["params"]["textDocument"]["version"].as_i64().unwrap_or_else(|| panic!("{message}"))
    }

    pub(super) async fn send(&mut self, message: Value) {
        self.write(message.to_string().as_bytes()).await;
    }

    pub(super) async fn write(&mut self, message: &[u8]) {
        frame::write(&mut self.writer, message).await.unwrap();
        self.writer.flush().await.unwrap();
    }

    pub(super) async fn bytes(&mut self, bytes: &[u8]) {
        self.writer.write_all(bytes).await.unwrap();
    }

    pub(super) async fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({ "method": method, "params": params })).await;
    }

    pub(super) async fn publish(&mut self, path: &str, version: impl Into<Value>, messages: &[&str]) {
        let params = json!({
            "uri": format!("file://{path}"), "version": version.into(), "diagnostics": diagnostics(messages),
        });
        self.notify("textDocument/publishDiagnostics", params).await;
    }

    pub(super) async fn progress(&mut self, token: &str, value: Value) {
        self.notify("$/progress", json!({ "token": token, "value": value })).await;
    }

    /// Answers the next request, which must have this method. Returns its params.
    pub(super) async fn respond(&mut self, method: &str, result: Value) -> Value {
        let asked = self.next().await;
        assert_eq!(asked["method"], method, "{asked}");
        self.send(json!({ "id": asked["id"], "result": result })).await;
        asked["params"].clone()
    }

    pub(super) async fn respond_error(&mut self, method: &str, code: i64) {
        let asked = self.next().await;
        assert_eq!(asked["method"], method, "{asked}");
        self.send(json!({ "id": asked["id"], "error": { "code": code, "message": "no" } })).await;
    }
}

/// The text before `: ` becomes the source.
pub(super) fn diagnostics(messages: &[&str]) -> Value {
    let one = |message: &&str| {
        let source = message.split_once(": ").map(|(source, _)| source);
        let place = json!({ "line": 0, "character": 0 });
        json!({ "range": { "start": place, "end": place }, "message": message, "source": source })
    };
    messages.iter().map(one).collect()
}

pub(super) fn full(messages: &[&str]) -> Value {
    json!({ "kind": "full", "items": diagnostics(messages) })
}

pub(super) fn subject(path: &str, text: &str) -> CheckedDocument {
    CheckedDocument { path: path.into(), text: Arc::new(text.to_owned()), is_saved: false }
}

pub(super) fn after(ms: u64) -> Instant {
    Instant::now() + Duration::from_millis(ms)
}

pub(super) async fn sleep_ms(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}

/// A verdict in one line: `proven: a, b`.
pub(super) fn summary(verdict: &Verdict) -> String {
    let all = |name: &str, all: &[crate::Diagnostic]| {
        let messages: Vec<_> = all.iter().map(|one| &*one.message).collect();
        format!("{name}: {}", messages.join(", ")).trim_end().to_owned()
    };
    match verdict {
        Verdict::Proven(items) => all("proven", items),
        Verdict::Likely(items) => all("likely", items),
        Verdict::Unknown { why } | Verdict::Unchecked { why } => format!("unknown: {why}"),
    }
}

/// The verdict on a file within 3 s, and how many milliseconds it took.
pub(super) async fn check(server: &LanguageServer, path: &str) -> (String, u128) {
    let start = Instant::now();
    let verdict = server.check(Path::new(path), after(3000)).await;
    (summary(&verdict), start.elapsed().as_millis())
}

pub(super) fn summaries(all: &[(PathBuf, Verdict)]) -> Vec<String> {
    all.iter().map(|(path, verdict)| format!("{} {}", path.display(), summary(verdict))).collect()
}
