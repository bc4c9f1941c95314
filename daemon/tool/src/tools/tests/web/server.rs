//! A scripted HTTP server on this machine: each path has the bytes that it answers with, whatever they are.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use crate::web::{HostResolver, LookupFuture};

/// What a path does.
#[derive(Debug, Clone)]
pub(super) enum Answer {
    Bytes(Vec<u8>),
    /// Bytes again and again, until the client stops reading.
    Endless(Vec<u8>, Vec<u8>),
    /// These, and then nothing more, with the connection open.
    Silence(Vec<u8>),
}

#[derive(Debug, Clone)]
pub(super) struct Request {
    /// `GET /path`
    pub(super) line: String,
    /// As it came, in small letters.
    pub(super) head: String,
    pub(super) body: String,
}

type Reply = Box<dyn Fn(&Request) -> Option<Answer> + Send + Sync>;

pub(super) struct Server {
    pub(super) port: u16,
    script: Arc<ServerScript>,
    /// One word for each request that has come.
    pub(super) came: mpsc::UnboundedReceiver<()>,
}

struct ServerScript {
    paths: Mutex<HashMap<String, Answer>>,
    reply: Option<Reply>,
    requests: Mutex<Vec<Request>>,
}

impl Server {
    pub(super) async fn start() -> Self {
        Self::run(None).await
    }

    /// One that answers what it is asked.
    pub(super) async fn answering(
        reply: impl Fn(&Request) -> Option<Answer> + Send + Sync + 'static,
    ) -> Self {
        Self::run(Some(Box::new(reply))).await
    }

    async fn run(reply: Option<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let script = Arc::new(ServerScript { paths: Mutex::default(), reply, requests: Mutex::default() });
        let (told, came) = mpsc::unbounded_channel();
        let shared = Arc::clone(&script);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (script, told) = (Arc::clone(&shared), told.clone());
                tokio::spawn(async move { script.serve(stream, &told).await });
            }
        });
        Self { port, script, came }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub(super) fn at(&self, path: &str, answer: Answer) {
        self.script.paths.lock().unwrap().insert(path.to_owned(), answer);
    }

    /// A whole answer.
    pub(super) fn page(&self, path: &str, mime: &str, body: impl AsRef<[u8]>) {
        self.at(path, Answer::Bytes(answer("200 OK", &[("content-type", mime)], body.as_ref())));
    }

    pub(super) fn redirect(&self, path: &str, to: &str) {
        self.at(path, Answer::Bytes(answer("302 Found", &[("location", to)], b"")));
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        self.script.requests.lock().unwrap().clone()
    }
}

impl ServerScript {
    async fn serve(&self, mut stream: TcpStream, told: &mpsc::UnboundedSender<()>) -> Option<()> {
        let request = read(&mut stream).await?;
        self.requests.lock().unwrap().push(request.clone());
        let _ = told.send(());
        let path = request.line.split(' ').nth(1)?.to_owned();
        let scripted = self.reply.as_ref().and_then(|reply| reply(&request));
        let found = scripted.or_else(|| self.paths.lock().unwrap().get(&path).cloned());
        match found.unwrap_or_else(|| Answer::Bytes(answer("404 Not Found", &[], b"nothing here"))) {
            Answer::Bytes(bytes) => stream.write_all(&bytes).await.ok()?,
            Answer::Endless(head, more) => {
                stream.write_all(&head).await.ok()?;
                while stream.write_all(&more).await.is_ok() {}
            }
            Answer::Silence(bytes) => {
                stream.write_all(&bytes).await.ok()?;
                // Until the client goes.
                let _ = stream.read(&mut [0; 1]).await;
            }
        }
        stream.shutdown().await.ok()
    }
}

async fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let end = loop {
        let mut piece = [0; 4096];
        let count = stream.read(&mut piece).await.ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&piece[..count]);
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let length =
        |line: &str| line.to_lowercase().strip_prefix("content-length:")?.trim().parse::<usize>().ok();
    let length = head.lines().find_map(length).unwrap_or(0);
    let mut body = bytes.split_off(end + 4);
    while body.len() < length {
        let mut piece = [0; 4096];
        let count = stream.read(&mut piece).await.ok().filter(|count| *count > 0)?;
        body.extend_from_slice(&piece[..count]);
    }
    let line = head.lines().next()?.trim_end_matches(" HTTP/1.1").to_owned();
    Some(Request { line, head: head.to_lowercase(), body: String::from_utf8_lossy(&body).into_owned() })
}

pub(super) fn answer(status: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status}\r\nconnection: close\r\n");
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    if !headers.iter().any(|(name, _)| *name == "content-length") {
        head += &format!("content-length: {}\r\n", body.len());
    }
    [head.as_bytes(), b"\r\n", body].concat()
}

/// Names and the addresses that they have, one after the other as they are asked for.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) known: HashMap<&'static str, Vec<IpAddr>>,
    pub(super) asked: Mutex<Vec<String>>,
}

impl Names {
    pub(super) fn new(known: &[(&'static str, &[&str])]) -> Arc<Self> {
        let addresses = |list: &[&str]| list.iter().map(|address| address.parse().unwrap()).collect();
        let known = known.iter().map(|(name, list)| (*name, addresses(list))).collect();
        Arc::new(Self { known, asked: Mutex::default() })
    }

    pub(super) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl HostResolver for Names {
    fn lookup(&self, name: &str) -> LookupFuture {
        self.asked.lock().unwrap().push(name.to_owned());
        let found = self.known.get(name).cloned().or_else(|| {
            // What the tests may reach.
            name.ends_with(".test").then(|| vec![Ipv4Addr::LOCALHOST.into()])
        });
        Box::pin(async move { found.ok_or_else(|| std::io::Error::other("no such name")) })
    }
}
