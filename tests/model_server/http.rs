//! As much of HTTP/1.1 as a model client needs, written by hand because the faults are below what a library offers:
//! resets, bodies cut short, silence.
//!
//! One task uses a connection. Requests have caps, so that a broken client fails instead of hanging.

use std::io;
use std::time::Instant;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const MAX_HEAD_BYTES: usize = 64 * 1024;
const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;

#[derive(Debug)]
pub(crate) struct TestHttpRequest {
    pub(crate) method: String,
    /// Path and query.
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// When its head arrived.
    pub(crate) begun: Instant,
}

impl TestHttpRequest {
    /// Whether the client wants the connection closed after the response.
    pub(crate) fn is_last(&self) -> bool {
        let mut connection = self.headers.iter().filter(|(name, _)| name == "connection");
        connection.any(|(_, value)| value.eq_ignore_ascii_case("close"))
    }
}

#[derive(Debug)]
pub(crate) enum TestHttpReadError {
    /// Between requests or inside one: a client may cancel at any time.
    HungUp,
    /// Not HTTP, or too much of it.
    Bad(String),
}

impl From<io::Error> for TestHttpReadError {
    fn from(_: io::Error) -> Self {
        Self::HungUp
    }
}

#[derive(Debug)]
pub(crate) struct TestHttpConnection {
    stream: TcpStream,
    /// Read but not consumed.
    buffer: Vec<u8>,
}

impl TestHttpConnection {
    pub(crate) fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::new() })
    }

    pub(crate) async fn read_request(&mut self) -> Result<TestHttpRequest, TestHttpReadError> {
        let head = self.take_until(b"\r\n\r\n").await?;
        let begun = Instant::now();
        let (method, target, headers) = parse_head(&head).map_err(TestHttpReadError::Bad)?;
        let value =
            |wanted: &str| headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
        let chunked = value("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked"));
        let length = value("content-length").unwrap_or("0").parse::<usize>();
        let length = length.map_err(|error| TestHttpReadError::Bad(format!("content-length: {error}")))?;
        if value("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
            self.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
        }
        let body = if chunked { self.take_chunked().await? } else { self.take(length).await? };
        Ok(TestHttpRequest { method, target, headers, body, begun })
    }

    /// Ends when the client closes its side. Bytes that arrive meanwhile are kept for the next request. Cancel-safe.
    pub(crate) async fn wait_for_hangup(&mut self) {
        while self.buffer.len() <= MAX_BODY_BYTES && self.fill().await.is_ok() {}
    }

    pub(crate) async fn respond(
        &mut self,
        status: u16,
        headers: &HeaderSlice<'_>,
        body: &[u8],
    ) -> io::Result<()> {
        let mut bytes = head(status, headers);
        bytes.extend_from_slice(format!("content-length: {}\r\n\r\n", body.len()).as_bytes());
        bytes.extend_from_slice(body);
        self.stream.write_all(&bytes).await
    }

    pub(crate) async fn begin_chunks(&mut self, headers: &HeaderSlice<'_>) -> io::Result<()> {
        let mut bytes = head(200, headers);
        bytes.extend_from_slice(b"transfer-encoding: chunked\r\n\r\n");
        self.stream.write_all(&bytes).await
    }

    /// Writes one chunk at once. An empty one would end the body.
    pub(crate) async fn chunk(&mut self, data: &[u8]) -> io::Result<()> {
        if data.is_empty() {
            return Ok(());
        }
        let mut bytes = format!("{:x}\r\n", data.len()).into_bytes();
        bytes.extend_from_slice(data);
        bytes.extend_from_slice(b"\r\n");
        self.stream.write_all(&bytes).await
    }

    pub(crate) async fn end_chunks(&mut self) -> io::Result<()> {
        self.stream.write_all(b"0\r\n\r\n").await
    }

    /// Closes like a crashed host: the client gets a reset, not an end.
    pub(crate) fn reset(self) -> io::Result<()> {
        self.stream.set_zero_linger()
    }

    async fn fill(&mut self) -> Result<(), TestHttpReadError> {
        self.buffer.reserve(16 * 1024);
        match self.stream.read_buf(&mut self.buffer).await? {
            0 => Err(TestHttpReadError::HungUp),
            _ => Ok(()),
        }
    }

    async fn take(&mut self, count: usize) -> Result<Vec<u8>, TestHttpReadError> {
        if count > MAX_BODY_BYTES {
            return Err(TestHttpReadError::Bad(format!("{count} bytes are more than {MAX_BODY_BYTES}")));
        }
        while self.buffer.len() < count {
            self.fill().await?;
        }
        let rest = self.buffer.split_off(count);
        Ok(std::mem::replace(&mut self.buffer, rest))
    }

    /// Up to the mark, which is consumed but not returned.
    async fn take_until(&mut self, mark: &[u8]) -> Result<Vec<u8>, TestHttpReadError> {
        loop {
            if let Some(at) = self.buffer.windows(mark.len()).position(|window| window == mark) {
                let taken = self.take(at).await?;
                self.take(mark.len()).await?;
                return Ok(taken);
            }
            if self.buffer.len() > MAX_HEAD_BYTES {
                return Err(TestHttpReadError::Bad(format!(
                    "a head or chunk size of more than {MAX_HEAD_BYTES} bytes"
                )));
            }
            self.fill().await?;
        }
    }

    async fn take_chunked(&mut self) -> Result<Vec<u8>, TestHttpReadError> {
        let mut body = Vec::new();
        loop {
            let line = self.take_until(b"\r\n").await?;
            let line = String::from_utf8_lossy(&line);
            let size = line.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(size, 16)
                .map_err(|error| TestHttpReadError::Bad(format!("chunk size {line:?}: {error}")))?;
            if body.len().saturating_add(size) > MAX_BODY_BYTES {
                return Err(TestHttpReadError::Bad(format!("a body of more than {MAX_BODY_BYTES} bytes")));
            }
            if size == 0 {
                while !self.take_until(b"\r\n").await?.is_empty() {}
                return Ok(body);
            }
            body.extend(self.take(size).await?);
            if self.take(2).await? != b"\r\n" {
                return Err(TestHttpReadError::Bad("a chunk longer than it said".to_owned()));
            }
        }
    }
}

pub(crate) type HeaderSlice<'a> = [(&'a str, &'a str)];

fn head(status: u16, headers: &HeaderSlice<'_>) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status} {}\r\n", reason(status));
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.into_bytes()
}

/// For people who read the bytes; clients use the number.
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        300..=399 => "Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        404 => "Not Found",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        529 => "Overloaded",
        _ => "Scripted",
    }
}

type RequestHead = (String, String, Vec<(String, String)>);

fn parse_head(head: &[u8]) -> Result<RequestHead, String> {
    let head = std::str::from_utf8(head).map_err(|error| format!("head: {error}"))?;
    let mut lines = head.split("\r\n");
    let first = lines.next().unwrap_or_default();
    let [method, target, "HTTP/1.1"] = first.split(' ').collect::<Vec<_>>()[..] else {
        return Err(format!("request line {first:?}"));
    };
    let header = |line: &str| {
        let (name, value) = line.split_once(':').ok_or_else(|| format!("header {line:?}"))?;
        Ok((name.to_ascii_lowercase(), value.trim().to_owned()))
    };
    let headers = lines.map(header).collect::<Result<_, String>>()?;
    Ok((method.to_owned(), target.to_owned(), headers))
}
