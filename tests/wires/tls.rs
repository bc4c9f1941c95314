//! Servers to which a secure connection fails or breaks.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

/// Answers a handshake in plain HTTP, once.
pub(crate) async fn start_plain_http() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.read(&mut [0; 1024]).await;
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n").await;
    });
    address
}

/// Presents a self-signed certificate, once.
pub(crate) async fn start_self_signed() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let acceptor = self_signed();
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let _ = acceptor.accept(stream).await;
    });
    address
}

/// Sends `beginning` over a secure connection and cuts it without a farewell, on every connection.
pub(crate) async fn start_truncating(beginning: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let acceptor = self_signed();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let mut secure = acceptor.accept(stream).await.unwrap();
            let _ = secure.read(&mut [0; 4096]).await;
            let _ = secure.write_all(beginning.as_bytes()).await;
            let _ = secure.flush().await;
        }
    });
    address
}

fn self_signed() -> TlsAcceptor {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder().with_no_client_auth();
    let config = config.with_single_cert(vec![made.cert.der().clone()], key).unwrap();
    TlsAcceptor::from(Arc::new(config))
}
