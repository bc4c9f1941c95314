//! The other end of the wire, played by the test: it reads what the server was sent, and says what the test wants.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt as _, DuplexStream, ReadHalf, WriteHalf};
use tokio::time::Instant;

use super::super::*;
use copydesk_rpc::frame::{self, FrameReader};

pub(super) struct Fake {
    reader: FrameReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
}

/// Ready at once, where nothing else is said.
pub(super) fn launch(mut quirks: Value) -> ServerLaunch {
    quirks.as_object_mut().unwrap().entry("ready").or_insert(json!("firstAnswer"));
    ServerLaunch {
        name: "fake".into(),
        command: Vec::new(),
        environment: Vec::new(),
        root: "/root folder".into(),
        folders: Vec::new(),
        initialization: json!({ "option": 1 }),
        settings: json!({ "fake": { "depth": 3 } }),
        quirks: serde_json::from_value(quirks).unwrap(),
    }
}

/// A server that has been greeted, and its other end.
pub(super) async fn started(quirks: Value, capabilities: Value) -> (Arc<LanguageServer>, Fake) {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (reader, writer) = tokio::io::split(theirs);
    let mut fake = Fake { reader: FrameReader::new(reader), writer };
    let greeting = async {
        let (reader, writer) = tokio::io::split(ours);
        let inner = Arc::new(ServerInner::new(launch(quirks)));
        let peer = RpcPeer::start(reader, writer, Arc::clone(&inner));
        greet(&inner, &peer).await.map(|()| LanguageServer::begin(inner, peer, None))
    };
    let answering = async {
        let asked = fake.next().await;
        assert_eq!(asked["method"], "initialize");
        fake.say(json!({ "id": asked["id"], "result": { "capabilities": capabilities } })).await;
        fake.expect("initialized").await;
        fake.expect("workspace/didChangeConfiguration").await;
    };
    let (server, ()) = tokio::join!(greeting, answering);
    (server.unwrap(), fake)
}

/// One that is told of whole texts, and of saves.
pub(super) async fn plain(quirks: Value) -> (Arc<LanguageServer>, Fake) {
    started(quirks, json!({ "textDocumentSync": { "change": 1, "openClose": true, "save": true } })).await
}

pub(super) async fn pulling(quirks: Value) -> (Arc<LanguageServer>, Fake) {
    let capabilities =
        json!({ "textDocumentSync": 1, "diagnosticProvider": { "interFileDependencies": true } });
    started(quirks, capabilities).await
}

impl Fake {
    /// At this end of a pipe.
    pub(super) fn on(stream: DuplexStream) -> Self {
        let (reader, writer) = tokio::io::split(stream);
        Self { reader: FrameReader::new(reader), writer }
    }

    pub(super) async fn next(&mut self) -> Value {
        // Where the clock is a test's own, waiting for ever would look like working for ever.
        let next = tokio::time::timeout(Duration::from_secs(60), self.reader.next()).await;
        serde_json::from_slice(&next.expect("nothing is said").unwrap().unwrap().unwrap()).unwrap()
    }

    /// The params of the next message, which must be this.
    pub(super) async fn expect(&mut self, method: &str) -> Value {
        let message = self.next().await;
        assert_eq!(message["method"], method, "{message}");
        message["params"].clone()
    }

    /// The version that the next message tells of.
    pub(super) async fn version(&mut self) -> i64 {
        let message = self.next().await;
        message["params"]["textDocument"]["version"].as_i64().unwrap_or_else(|| panic!("{message}"))
    }

    pub(super) async fn say(&mut self, message: Value) {
        self.write(message.to_string().as_bytes()).await;
    }

    pub(super) async fn write(&mut self, message: &[u8]) {
        frame::write(&mut self.writer, message).await.unwrap();
        self.writer.flush().await.unwrap();
    }

    pub(super) async fn bytes(&mut self, bytes: &[u8]) {
        self.writer.write_all(bytes).await.unwrap();
    }

    pub(super) async fn tell(&mut self, method: &str, params: Value) {
        self.say(json!({ "method": method, "params": params })).await;
    }

    pub(super) async fn publish(&mut self, path: &str, version: impl Into<Value>, messages: &[&str]) {
        let params = json!({
            "uri": format!("file://{path}"), "version": version.into(), "diagnostics": diagnostics(messages),
        });
        self.tell("textDocument/publishDiagnostics", params).await;
    }

    pub(super) async fn progress(&mut self, token: &str, value: Value) {
        self.tell("$/progress", json!({ "token": token, "value": value })).await;
    }

    /// Answers the next request, which must be this.
    pub(super) async fn answer(&mut self, method: &str, result: Value) -> Value {
        let asked = self.next().await;
        assert_eq!(asked["method"], method, "{asked}");
        self.say(json!({ "id": asked["id"], "result": result })).await;
        asked["params"].clone()
    }

    pub(super) async fn refuse(&mut self, method: &str, code: i64) {
        let asked = self.next().await;
        assert_eq!(asked["method"], method, "{asked}");
        self.say(json!({ "id": asked["id"], "error": { "code": code, "message": "no" } })).await;
    }
}

/// A source before a colon is one.
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

pub(super) async fn pass(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}

/// What was said, in short: `proven: a, b`.
pub(super) fn short(said: &Verdict) -> String {
    let all = |name: &str, all: &[crate::Diagnostic]| {
        let messages: Vec<_> = all.iter().map(|one| &*one.message).collect();
        format!("{name}: {}", messages.join(", ")).trim_end().to_owned()
    };
    match said {
        Verdict::Proven(found) => all("proven", found),
        Verdict::Likely(found) => all("likely", found),
        Verdict::Unknown { why } | Verdict::Unchecked { why } => format!("unknown: {why}"),
    }
}

/// What is said of a file within 3 s, and after how many milliseconds.
pub(super) async fn check(server: &LanguageServer, path: &str) -> (String, u128) {
    let start = Instant::now();
    let said = server.check(Path::new(path), after(3000)).await;
    (short(&said), start.elapsed().as_millis())
}

pub(super) fn shorts(all: &[(PathBuf, Verdict)]) -> Vec<String> {
    all.iter().map(|(path, said)| format!("{} {}", path.display(), short(said))).collect()
}
