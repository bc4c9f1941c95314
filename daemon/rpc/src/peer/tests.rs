use std::sync::Mutex;

use serde_json::{Value, json};
use tokio::io::{DuplexStream, ReadHalf, WriteHalf};

use super::*;

/// Records everything that comes in; answers `echo` with its params.
#[derive(Debug, Default)]
struct Scribe(Mutex<Vec<String>>);

impl Scribe {
    fn write(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }

    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    async fn until(&self, line: &str) {
        while !self.lines().iter().any(|seen| seen == line) {
            tokio::task::yield_now().await;
        }
    }
}

impl RpcHandler for Scribe {
    fn request(&self, method: &str, params: &RawValue) -> Result<Value, RpcError> {
        self.write(format!("? {method} {params}"));
        match method {
            "echo" => Ok(serde_json::from_str(params.get()).unwrap()),
            _ => Err(RpcError::method_not_found(method)),
        }
    }

    fn notification(&self, method: &str, params: &RawValue) {
        self.write(format!("! {method} {params}"));
    }

    fn malformed(&self, seen: &str) {
        self.write(format!("garbage: {seen}"));
    }

    fn closed(&self, why: &str) {
        self.write(format!("ended: {why}"));
    }
}

struct Other {
    reader: FrameReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
}

impl Other {
    async fn next(&mut self) -> Value {
        serde_json::from_slice(&self.reader.next().await.unwrap().unwrap().unwrap()).unwrap()
    }

    /// Sends a message of this length that begins like this.
    async fn say_too_much(&mut self, length: usize, head: &str) {
        let begin = format!("Content-Length: {length}\r\n\r\n{head}");
        self.writer.write_all(begin.as_bytes()).await.unwrap();
        let block = vec![b'x'; 1 << 20];
        let mut left = length - head.len();
        while left > 0 {
            let size = left.min(block.len());
            self.writer.write_all(&block[..size]).await.unwrap();
            left -= size;
        }
    }

    async fn say(&mut self, message: impl AsRef<[u8]>) {
        frame::write(&mut self.writer, message.as_ref()).await.unwrap();
    }
}

fn connected(room: usize) -> (RpcPeer, Arc<Scribe>, Other) {
    let (ours, theirs) = tokio::io::duplex(room);
    let (reader, writer) = tokio::io::split(ours);
    let scribe = Arc::new(Scribe::default());
    let peer = RpcPeer::start(reader, writer, Arc::clone(&scribe));
    let (reader, writer) = tokio::io::split(theirs);
    (peer, scribe, Other { reader: FrameReader::new(reader), writer })
}

#[tokio::test]
async fn both_sides_request_respond_and_notify_in_order() {
    let (peer, scribe, mut other) = connected(64);
    let first = peer.request("one", &json!({ "a": 1 }));
    peer.notify("two", &json!([2]));
    let third = peer.request("three", &json!(null));
    assert_eq!(
        other.next().await,
        json!({ "jsonrpc": "2.0", "id": 1, "method": "one", "params": { "a": 1 } })
    );
    assert_eq!(other.next().await, json!({ "jsonrpc": "2.0", "method": "two", "params": [2] }));
    assert_eq!(other.next().await["id"], 2);
    other.say(r#"{"id":"x","method":"echo","params":{"b":"ä"}}"#).await;
    assert_eq!(other.next().await, json!({ "jsonrpc": "2.0", "id": "x", "result": { "b": "ä" } }));
    other.say(r#"{"id":4.5,"method":"who"}"#).await;
    let refusal = json!({ "code": -32601, "message": "unknown method `who`" });
    assert_eq!(other.next().await, json!({ "jsonrpc": "2.0", "id": 4.5, "error": refusal }));
    other.say(r#"{"method":"told"}"#).await;
    other.say(r#"{"id":"2","result":{"c":3}}"#).await;
    other.say(r#"{"id":1,"error":{"code":-32802,"message":"later"}}"#).await;
    assert_eq!(third.await.unwrap().get(), r#"{"c":3}"#);
    let error = RpcError { code: -32802, message: "later".into() };
    assert!(error.is_retryable());
    assert_eq!(first.await.unwrap_err(), PeerError::Rpc(error));
    assert_eq!(scribe.lines(), [r#"? echo {"b":"ä"}"#, "? who null", "! told null"]);
}

#[tokio::test]
async fn malformed_messages_are_reported_and_skipped() {
    let (peer, scribe, mut other) = connected(1 << 20);
    let answer = peer.request("ask", &json!({}));
    other.writer.write_all(b"Starting server...\nready\n").await.unwrap();
    other.say("").await;
    other.say("[]").await;
    other.say("{").await;
    other.say("{}").await;
    other.say(r#"{"id":{},"result":1}"#).await;
    other.say(r#"{"id":99,"result":"of nothing"}"#).await;
    other.say(format!(r#"{{"id":"{}","method":"echo"}}"#, "i".repeat(300))).await;
    other.say("[".repeat(100_000)).await;
    other.say(b"{\"method\":\"bytes\",\"params\":[\"a\xff\xfeb\"]}").await;
    other.say(br#"{"id":1,"result":"still there"}"#).await;
    assert_eq!(answer.await.unwrap().get(), r#""still there""#);
    let lines = scribe.lines();
    assert_eq!(lines.iter().filter(|line| line.starts_with("garbage: ")).count(), 8, "{lines:?}");
    assert_eq!(lines.last().unwrap(), "! bytes [\"a\u{FFFD}\u{FFFD}b\"]");
}

#[tokio::test]
async fn an_abandoned_request_is_cancelled_and_still_counts_as_unanswered() {
    let (peer, _, mut other) = connected(1 << 20);
    drop(peer.request("slow", &json!({})));
    let kept = peer.request("kept", &json!({}));
    assert_eq!(other.next().await["method"], "slow");
    assert_eq!(
        other.next().await,
        json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": 1 } })
    );
    assert_eq!(peer.oldest_unanswered().unwrap().method, "slow");
    other.say(r#"{"id":1,"error":{"code":-32800}}"#).await;
    other.say(r#"{"id":2,"result":null}"#).await;
    assert_eq!(kept.await.unwrap().get(), "null");
    assert_eq!(peer.oldest_unanswered(), None);
    for _ in 0..2 * 1000 {
        drop(peer.request("slow", &json!({})));
        other.next().await;
        other.next().await;
    }
    assert_eq!(peer.shared.pending.count(), 1000);
}

#[tokio::test]
async fn the_end_is_an_answer_to_everything() {
    let (peer, scribe, other) = connected(1 << 20);
    let before = peer.request("before", &json!({}));
    drop(other);
    let PeerError::Ended(why) = before.await.unwrap_err() else { panic!("it has ended") };
    assert!(why.contains("it closed its"), "{why}");
    assert_eq!(peer.request("after", &json!({})).await.unwrap_err(), PeerError::Ended(why.clone()));
    peer.notify("after", &json!({}));
    scribe.until(&format!("ended: {why}")).await;
}

#[tokio::test]
async fn a_peer_that_does_not_read_is_given_up_and_what_waits_is_bounded() {
    let (peer, _, mut other) = connected(10);
    let text = "x".repeat(1 << 20);
    let asked = peer.request("ask", &json!({}));
    for _ in 0..MAX_QUEUED_BYTES / text.len() + 1 {
        peer.notify("more", &json!(text));
    }
    assert_eq!(asked.await.unwrap_err(), PeerError::Ended("it does not read its input".into()));
    let (peer, _, _other) = connected(10);
    let asked = peer.request("ask", &json!({}));
    (0..2 * MAX_QUEUED_MESSAGES).for_each(|_| peer.notify("more", &json!(1)));
    assert_eq!(asked.await.unwrap_err(), PeerError::Ended("it does not read its input".into()));
    // When the peer ends, the other side's stream ends.
    while other.reader.next().await.unwrap().is_some_and(|frame| frame.is_ok()) {}
}

#[tokio::test]
async fn one_message_may_be_longer_than_the_queue_but_an_answer_that_is_too_long_is_refused() {
    let (peer, scribe, mut other) = connected(1 << 16);
    let asked = peer.request("ask", &json!({}));
    assert_eq!(other.next().await["method"], "ask");
    let length = frame::MAX_MESSAGE_BYTES + 1;
    other.say_too_much(length, r#"{"id":1,"result":""#).await;
    let PeerError::Rpc(error) = asked.await.unwrap_err() else { panic!("it is refused") };
    assert_eq!(error.message, "the message has 67108865 bytes; the limit is 67108864");
    assert!(scribe.lines()[0].starts_with("garbage: the message has "));
    // A request is answered, and the connection goes on.
    other.say_too_much(length, r#"{"id":"r","method":"echo","params":""#).await;
    let refused = other.next().await;
    assert_eq!((&refused["id"], &refused["error"]["message"]), (&json!("r"), &json!(error.message)));
    other.say(r#"{"id":2,"method":"echo","params":5}"#).await;
    assert_eq!(other.next().await["result"], 5);
}

/// One thread runs both peers; a handler of one of them blocks.
#[tokio::test]
async fn a_long_message_delays_no_other_peer_and_keeps_its_place() {
    struct BlockingHandler(Mutex<std::sync::mpsc::Receiver<()>>, mpsc::UnboundedSender<String>);
    impl RpcHandler for BlockingHandler {
        fn request(&self, method: &str, _: &RawValue) -> Result<Value, RpcError> {
            Err(RpcError::method_not_found(method))
        }
        fn notification(&self, method: &str, _: &RawValue) {
            self.1.send(method.to_owned()).unwrap();
            if method == "long" {
                self.0.lock().unwrap().recv().unwrap();
            }
        }
        fn malformed(&self, _: &str) {}
        fn closed(&self, _: &str) {
            self.1.send("closed".to_owned()).unwrap();
        }
    }
    let (open_gate, gate) = std::sync::mpsc::channel();
    let (seen, mut events) = mpsc::unbounded_channel();
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (reader, writer) = tokio::io::split(ours);
    let slow = RpcPeer::start(reader, writer, Arc::new(BlockingHandler(Mutex::new(gate), seen)));
    let (_peer, _scribe, mut other) = connected(1 << 16);
    let (_reader, mut writer) = tokio::io::split(theirs);
    let text = "x".repeat(MAX_INLINE_BYTES);
    frame::write(&mut writer, json!({ "method": "long", "params": text }).to_string().as_bytes())
        .await
        .unwrap();
    frame::write(&mut writer, br#"{"method":"next"}"#).await.unwrap();
    assert_eq!(events.recv().await.unwrap(), "long");
    other.say(r#"{"id":1,"method":"echo","params":"while it blocks"}"#).await;
    assert_eq!(other.next().await["result"], "while it blocks");
    open_gate.send(()).unwrap();
    assert_eq!(events.recv().await.unwrap(), "next");
    drop(slow);
    assert_eq!(events.recv().await.unwrap(), "closed");
}

/// However many messages come, the other tasks of the thread get their turn.
#[tokio::test]
async fn a_flood_does_not_starve_other_tasks() {
    let (peer, scribe, mut other) = connected(1 << 20);
    let flood = tokio::spawn(async move {
        let mut message = Vec::new();
        frame::write(&mut message, br#"{"method":"f"}"#).await.unwrap();
        while other.writer.write_all(&message).await.is_ok() {}
    });
    scribe.until("! f null").await;
    drop(peer);
    flood.await.unwrap();
}
