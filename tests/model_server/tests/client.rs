//! A minimal client: it returns statuses, headers and chunks as they arrive.

use std::io;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::super::{ScriptedModelServer, ScriptedTurn, ScriptedWire};

pub(crate) struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
}

impl Head {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }
}

impl Client {
    pub(crate) async fn connect(server: &ScriptedModelServer) -> Self {
        let address = server.url().trim_start_matches("http://").to_owned();
        Self { stream: TcpStream::connect(address).await.expect("it listens"), buffer: Vec::new() }
    }

    /// Connects and posts the smallest request of the wire.
    pub(crate) async fn ask(server: &ScriptedModelServer, wire: ScriptedWire) -> Self {
        let mut client = Self::connect(server).await;
        client.post(wire, &request(wire)).await;
        client
    }

    pub(crate) async fn post(&mut self, wire: ScriptedWire, body: &Value) {
        let query = if wire == ScriptedWire::Gemini { "?alt=sse" } else { "" };
        let (path, body) = (wire.path("m"), body.to_string());
        let length = body.len();
        self.send(&format!(
            "POST {path}{query} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n{body}"
        ))
        .await;
    }

    pub(crate) async fn send(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).await.expect("the server reads");
    }

    pub(crate) async fn head(&mut self) -> io::Result<Head> {
        let mut lines = Vec::new();
        loop {
            match self.line().await? {
                line if line.is_empty() => break,
                line => lines.push(line),
            }
        }
        let status =
            lines[0].split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status line");
        let header = |line: &String| line.split_once(": ").map(|(a, b)| (a.to_owned(), b.to_owned()));
        Ok(Head { status, headers: lines[1..].iter().filter_map(header).collect() })
    }

    /// The next chunk; empty at the proper end of the body.
    pub(crate) async fn chunk(&mut self) -> io::Result<Vec<u8>> {
        let size = usize::from_str_radix(&self.line().await?, 16).expect("a chunk size");
        let mut chunk = self.take(size + 2).await?;
        chunk.truncate(size);
        Ok(chunk)
    }

    /// The chunks up to the proper end.
    pub(crate) async fn chunks(&mut self) -> io::Result<Vec<Vec<u8>>> {
        let mut chunks = Vec::new();
        loop {
            match self.chunk().await? {
                chunk if chunk.is_empty() => return Ok(chunks),
                chunk => chunks.push(chunk),
            }
        }
    }

    /// The whole body of a stream.
    pub(crate) async fn text(&mut self) -> io::Result<String> {
        Ok(String::from_utf8(self.chunks().await?.concat()).expect("UTF-8"))
    }

    /// The body of a response that is no stream.
    pub(crate) async fn sized(&mut self, head: &Head) -> io::Result<String> {
        let length = head.header("content-length").and_then(|value| value.parse().ok()).expect("a length");
        Ok(String::from_utf8(self.take(length).await?).expect("UTF-8"))
    }

    async fn line(&mut self) -> io::Result<String> {
        loop {
            if let Some(at) = self.buffer.windows(2).position(|window| window == b"\r\n") {
                let mut line = self.take(at + 2).await?;
                line.truncate(at);
                return Ok(String::from_utf8(line).expect("UTF-8"));
            }
            self.fill().await?;
        }
    }

    async fn take(&mut self, count: usize) -> io::Result<Vec<u8>> {
        while self.buffer.len() < count {
            self.fill().await?;
        }
        let rest = self.buffer.split_off(count);
        Ok(std::mem::replace(&mut self.buffer, rest))
    }

    async fn fill(&mut self) -> io::Result<()> {
        match self.stream.read_buf(&mut self.buffer).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}

pub(crate) fn request(wire: ScriptedWire) -> Value {
    match wire {
        ScriptedWire::Gemini => json!({ "contents": [] }),
        ScriptedWire::Chat => {
            json!({ "model": "m", "stream": true, "stream_options": { "include_usage": true } })
        }
        ScriptedWire::Anthropic | ScriptedWire::Responses => json!({ "model": "m", "stream": true }),
    }
}

/// The whole stream of a turn on a wire, with `\n` as line end.
pub(crate) async fn played(wire: ScriptedWire, turn: ScriptedTurn) -> String {
    let server = ScriptedModelServer::start_with([turn]);
    let mut client = Client::ask(&server, wire).await;
    assert_eq!(client.head().await.unwrap().status, 200);
    client.text().await.unwrap().replace("\r\n", "\n")
}

/// The data of the events in a stream.
pub(crate) fn data(text: &str) -> Vec<Value> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("data: "));
    lines.map(|line| serde_json::from_str(line).unwrap_or_else(|_| json!(line))).collect()
}
