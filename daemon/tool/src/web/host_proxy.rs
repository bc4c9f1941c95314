//! The network of commands in the sandbox, if the user listed hosts: an HTTP proxy on a socket that only these commands can reach.
//!
//! It speaks `CONNECT` (for HTTPS) and plain HTTP. Names are resolved here alone, and what is connected to is the address that was checked.
//!
//! Invariant: only a host that the user listed is connected to, without a written port only at those of the web; and a private address only if the user wrote that very address, or `localhost`.
//! Limit: what a command sends to a listed host is not looked at.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpStream, UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use url::{Host, Url};

use super::fetch_policy::HostResolver;
use super::private_hosts::{UnwrittenPort, has_host};
use super::public_address::non_public_reason;
use crate::time_limits::{ACCEPT_RETRY_DELAY, CONNECT_TIMEOUT, PROXY_REQUEST_TIMEOUT};

/// The request line and the headers.
const MAX_HEAD_BYTES: usize = 64 * 1024;
/// More wait for one to end.
const MAX_CONNECTIONS: usize = 64;

/// It serves one command or program, as long as it lives. What it still sends and receives ends then.
#[derive(Debug)]
pub(crate) struct HostProxy {
    folder: TempDir,
    server: JoinHandle<()>,
}

impl Drop for HostProxy {
    fn drop(&mut self) {
        self.server.abort();
    }
}

#[derive(Clone)]
struct ProxyRules {
    hosts: Arc<[String]>,
    resolver: Arc<dyn HostResolver>,
}

/// What a client asks for.
#[derive(Debug, PartialEq, Eq)]
struct ProxyRequest {
    url: Url,
    /// What the host is sent first; nothing for a tunnel.
    head: Vec<u8>,
    is_tunnel: bool,
}

impl HostProxy {
    pub(crate) fn start(hosts: &[String], resolver: Arc<dyn HostResolver>) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("copydesk-").tempdir()?;
        let listener = UnixListener::bind(folder.path().join("proxy"))?;
        let rules = ProxyRules { hosts: hosts.into(), resolver };
        Ok(Self { server: tokio::spawn(serve(listener, rules)), folder })
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.path().join("proxy")
    }

    #[cfg(test)]
    fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }
}

async fn serve(listener: UnixListener, rules: ProxyRules) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = tokio::task::JoinSet::new();
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let Ok((client, _)) = listener.accept().await else {
            // The process may have no more files for a moment.
            sleep(ACCEPT_RETRY_DELAY).await;
            continue;
        };
        while connections.try_join_next().is_some() {}
        let rules = rules.clone();
        connections.spawn(async move {
            // A client that goes away needs no answer.
            let _ = answer(client, &rules).await;
            drop(place);
        });
    }
}

async fn answer(mut client: UnixStream, rules: &ProxyRules) -> io::Result<()> {
    let read = timeout(PROXY_REQUEST_TIMEOUT, read_head(&mut client)).await;
    let Ok(Ok((head, rest))) = read else { return refuse(&mut client, "400 Bad Request", "").await };
    let Some(request) = parse(&head) else {
        return refuse(&mut client, "400 Bad Request", "This proxy speaks CONNECT and plain HTTP.").await;
    };
    let mut host = match rules.connect(&request.url).await {
        Ok(host) => host,
        Err(why) => return refuse(&mut client, "403 Forbidden", &why).await,
    };
    if request.is_tunnel {
        client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
    } else {
        host.write_all(&request.head).await?;
    }
    host.write_all(&rest).await?;
    copy_bidirectional(&mut client, &mut host).await.map(drop)
}

/// Reads to the end of the headers; the rest belongs to what follows.
async fn read_head(client: &mut UnixStream) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut bytes = Vec::new();
    loop {
        let searched = bytes.len().saturating_sub(3);
        if client.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let tail = bytes.get(searched..).unwrap_or_default();
        if let Some(at) = tail.windows(4).position(|four| four == b"\r\n\r\n") {
            let rest = bytes.split_off(searched + at + 4);
            return Ok((bytes, rest));
        }
        if bytes.len() > MAX_HEAD_BYTES {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
}

fn parse(head: &[u8]) -> Option<ProxyRequest> {
    let text = std::str::from_utf8(head).ok()?;
    let mut lines = text.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, target, version) = (first.next()?, first.next()?, first.next()?);
    if first.next().is_some() || !version.starts_with("HTTP/1.") {
        return None;
    }
    if method == "CONNECT" {
        // A port that is the scheme's own does not show in a URL, but counts all the same.
        let url = Url::parse(&format!("https://{target}")).ok()?;
        let is_place = url.path() == "/" && url.username().is_empty() && url.query().is_none();
        return is_place.then_some(ProxyRequest { url, head: Vec::new(), is_tunnel: true });
    }
    let url = Url::parse(target).ok().filter(|url| url.scheme() == "http")?;
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let mut sent = format!("{method} {}{query} {version}\r\n", url.path());
    // One request for each connection: the next one may be for another host.
    let is_ours = |line: &&str| {
        let name = line.split(':').next().unwrap_or_default().to_ascii_lowercase();
        !name.starts_with("proxy-") && name != "connection" && name != "keep-alive" && !line.is_empty()
    };
    lines.filter(is_ours).for_each(|line| sent += &format!("{line}\r\n"));
    sent += "Connection: close\r\n\r\n";
    Some(ProxyRequest { url, head: sent.into_bytes(), is_tunnel: false })
}

impl ProxyRules {
    /// The error is for the user of the command.
    async fn connect(&self, url: &Url) -> Result<TcpStream, String> {
        let name = url.host_str().unwrap_or_default();
        if !has_host(&self.hosts, url, UnwrittenPort::Web) {
            let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
            return Err(format!("`{name}{port}` is not among the hosts of `sandbox.hosts`."));
        }
        let addresses = self.resolve(url).await?;
        let connected = timeout(CONNECT_TIMEOUT, TcpStream::connect(&*addresses)).await;
        let connected = connected.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        connected.map_err(|error| format!("`{name}` cannot be reached: {error}."))
    }

    /// The addresses that were checked.
    async fn resolve(&self, url: &Url) -> Result<Vec<SocketAddr>, String> {
        let port = url.port_or_known_default().unwrap_or_default();
        let name = match url.host() {
            Some(Host::Ipv4(address)) => return Ok(vec![SocketAddr::new(address.into(), port)]),
            Some(Host::Ipv6(address)) => return Ok(vec![SocketAddr::new(address.into(), port)]),
            Some(Host::Domain(name)) => name.trim_end_matches('.'),
            None => return Err("The request names no host.".to_owned()),
        };
        let found = timeout(CONNECT_TIMEOUT, self.resolver.lookup(name)).await;
        let found = found.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        let found = found.map_err(|error| format!("`{name}` cannot be resolved: {error}."))?;
        if let Some(why) = found.iter().find_map(|address| non_public_reason(*address))
            && name != "localhost"
        {
            return Err(format!("`{name}` leads to an address that is not public: {why}."));
        }
        Ok(found.into_iter().map(|address| SocketAddr::new(address, port)).collect())
    }
}

async fn refuse(client: &mut UnixStream, status: &str, why: &str) -> io::Result<()> {
    let why = if why.is_empty() { String::new() } else { format!("Copydesk's sandbox: {why}\n") };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        why.len()
    );
    client.write_all(format!("{head}{why}").as_bytes()).await?;
    client.shutdown().await
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use tokio::net::TcpListener;

    use super::*;
    use crate::web::fetch_policy::LookupFuture;

    /// Every name leads to this machine.
    struct LocalResolver;

    impl HostResolver for LocalResolver {
        fn lookup(&self, _name: &str) -> LookupFuture {
            Box::pin(async { Ok(vec![IpAddr::from([127, 0, 0, 1])]) })
        }
    }

    /// A server that answers each connection with what it was sent first, and its address.
    async fn echo() -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((mut peer, _)) = listener.accept().await {
                let mut bytes = vec![0; 4096];
                let length = peer.read(&mut bytes).await.unwrap();
                let _ = peer.write_all(&bytes[..length]).await;
            }
        });
        address
    }

    async fn ask(proxy: &HostProxy, request: &str) -> String {
        let mut client = UnixStream::connect(proxy.socket()).await.unwrap();
        client.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        client.read_to_end(&mut answer).await.unwrap();
        String::from_utf8(answer).unwrap()
    }

    #[tokio::test]
    async fn only_listed_hosts_are_reached() {
        let (allowed, other) = (echo().await, echo().await);
        let hosts = [allowed.to_string(), "rebound.example".to_owned(), "*.below.example".to_owned()];
        let proxy = HostProxy::start(&hosts, Arc::new(LocalResolver)).unwrap();
        let plain = format!(
            "GET http://{allowed}/a?b=c HTTP/1.1\r\nHost: x\r\nProxy-Authorization: secret\r\nConnection: keep-alive\r\n\r\nbody"
        );
        assert_eq!(
            ask(&proxy, &plain).await,
            "GET /a?b=c HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\nbody"
        );
        let tunnel = format!("CONNECT {allowed} HTTP/1.1\r\nHost: x\r\n\r\nhello");
        assert_eq!(ask(&proxy, &tunnel).await, "HTTP/1.1 200 Connection established\r\n\r\nhello");
        for (request, status) in [
            (format!("GET http://{other}/ HTTP/1.1\r\n\r\n"), "403"),
            (format!("CONNECT {other} HTTP/1.1\r\n\r\n"), "403"),
            ("CONNECT rebound.example:443 HTTP/1.1\r\n\r\n".to_owned(), "403"),
            ("GET http://a.below.example/ HTTP/1.1\r\n\r\n".to_owned(), "403"),
            ("CONNECT evil.example:443 HTTP/1.1\r\n\r\n".to_owned(), "403"),
            ("CONNECT a.below.example:22 HTTP/1.1\r\n\r\n".to_owned(), "403"),
            (format!("CONNECT {allowed}@evil.example:443 HTTP/1.1\r\n\r\n"), "400"),
            ("GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_owned(), "400"),
            ("GET ftp://a.below.example/ HTTP/1.1\r\n\r\n".to_owned(), "400"),
            ("nonsense\r\n\r\n".to_owned(), "400"),
            (format!("GET http://{allowed}/ HTTP/1.1\r\nX: {}", "x".repeat(MAX_HEAD_BYTES)), "400"),
        ] {
            let answer = ask(&proxy, &request).await;
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request:.80}: {answer}");
        }
        let told = ask(&proxy, "CONNECT rebound.example:443 HTTP/1.1\r\n\r\n").await;
        assert!(told.contains("leads to an address that is not public"), "{told}");
        let folder = proxy.folder().to_path_buf();
        drop(proxy);
        assert!(!folder.exists());
    }
}
