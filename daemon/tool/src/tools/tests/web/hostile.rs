//! Servers that mean harm, or are broken: nothing private is reached, nothing hangs, nothing grows.

use std::io::Write;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;

use super::super::fixture::{ToolFixture, fixture_with_web};
use super::fetching::open;
use super::server::{Answer, Names, Server, answer};
use crate::outcome::{CallOutcome, ToolErrorKind};
use crate::tool::box_tool;
use crate::tools::webfetch::WebFetchTool;
use crate::web::{PrivateHosts, Proxies, WebAccess};

/// May not fetch from this machine, except from one host.
fn guarded(names: &std::sync::Arc<Names>, allowed: &[&str]) -> ToolFixture {
    let hosts = allowed.iter().map(|host| (*host).to_owned()).collect();
    fixture_with_web(
        &[],
        WebAccess { private: PrivateHosts::Hosts(hosts), resolver: names.clone(), ..WebAccess::default() },
        |_| Ok(()),
    )
}

async fn fetch(fixture: &ToolFixture, url: &str) -> CallOutcome {
    fixture.call("webfetch", json!({ "url": url, "timeout": 120 })).await
}

fn refused(outcome: &CallOutcome) {
    assert_eq!(outcome.error_kind, Some(ToolErrorKind::Denied), "{outcome:?}");
    assert!(outcome.output.contains("allow_private"), "{outcome:?}");
}

#[tokio::test]
async fn private_addresses_are_not_fetched_however_they_are_written() {
    let (names, server) = (Names::new(&[]), Server::start().await);
    let fixture = guarded(&names, &[]);
    server.page("/", "text/plain", "secret");
    let port = server.port;
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "017700000001",
        "①②⑦.0.0.1",
        "127.0.0.1.",
        "0.0.0.0",
        "0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[0:0:0:0:0:ffff:7f00:1]",
        "[64:ff9b::127.0.0.1]",
        "[::]",
        "169.254.169.254",
        "[fd00:ec2::254]",
        "10.0.0.1",
        "192.168.0.1",
        "100.64.0.1",
        "224.0.0.1",
    ] {
        refused(&fetch(&fixture, &format!("http://{host}:{port}/")).await);
    }
    assert!(server.requests().is_empty() && names.asked().is_empty());
}

#[tokio::test]
async fn names_that_lead_to_private_addresses_are_not_fetched() {
    let mixed: &[&str] = &["93.184.216.34", "127.0.0.1"];
    let names = Names::new(&[
        ("mixed.example", mixed),
        ("metadata.example", &["169.254.169.254"]),
        ("localhost", &["127.0.0.1", "::1"]),
    ]);
    let (fixture, server) = (guarded(&names, &[]), Server::start().await);
    server.page("/", "text/plain", "secret");
    for host in ["rebound.test", "mixed.example", "metadata.example", "localhost", "LOCALHOST"] {
        refused(&fetch(&fixture, &format!("http://{host}:{}/", server.port)).await);
    }
    assert!(server.requests().is_empty());
    // Each is looked up once: what was checked is what would have been connected to.
    assert_eq!(
        names.asked(),
        ["rebound.test", "mixed.example", "metadata.example", "localhost", "localhost"]
    );
}

#[tokio::test]
async fn a_redirect_leads_to_no_private_address() {
    let names = Names::new(&[]);
    let (fixture, server) = (guarded(&names, &["public.test"]), Server::start().await);
    server.page("/secret", "text/plain", "secret");
    let port = server.port;
    for (number, to) in [
        format!("http://127.0.0.1:{port}/secret"),
        format!("http://inside.test:{port}/secret"),
        format!("//127.1:{port}/secret"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
    ]
    .iter()
    .enumerate()
    {
        server.redirect(&format!("/{number}"), to);
        refused(&fetch(&fixture, &format!("http://public.test:{port}/{number}")).await);
    }
    for (path, to) in [
        ("/file", "file:///etc/passwd"),
        ("/data", "data:text/plain,x"),
        ("/login", "http://a:b@public.test/"),
    ] {
        server.redirect(path, to);
        let outcome = fetch(&fixture, &format!("http://public.test:{port}{path}")).await;
        assert_eq!(outcome.error_kind, Some(ToolErrorKind::Denied), "{outcome:?}");
    }
    assert!(server.requests().iter().all(|request| !request.line.contains("secret")));
}

#[tokio::test]
async fn redirects_have_an_end() {
    let (fixture, server) = (open(), Server::start().await);
    server.redirect("/self", "/self");
    server.redirect("/a", "/b");
    server.redirect("/b", "/a");
    (0..20).for_each(|number| server.redirect(&format!("/{number}"), &format!("/{}", number + 1)));
    server.at("/nowhere", Answer::Bytes(answer("301 Moved", &[], b"")));
    server.at("/wrong", Answer::Bytes(answer("301 Moved", &[("location", "http://[")], b"")));
    for (path, words) in [
        ("/self", "in a circle"),
        ("/a", "in a circle"),
        ("/0", "more than 10 redirects"),
        ("/nowhere", "leads nowhere"),
        ("/wrong", "is no URL"),
    ] {
        let outcome = fetch(&fixture, &server.url(path)).await;
        assert!(outcome.error_kind.is_some() && outcome.output.contains(words), "{path}: {outcome:?}");
    }
}

#[tokio::test]
async fn no_body_grows_beyond_the_limit() {
    let (fixture, server) = (open(), Server::start().await);
    let html = ("content-type", "text/html");
    // Declared, real, without a length, in chunks, and packed.
    server.at("/declared", Answer::Bytes(answer("200 OK", &[html, ("content-length", "6000000")], b"x")));
    server.page("/real", "text/html", vec![b'x'; 5 * 1024 * 1024 + 1]);
    let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n".to_vec();
    server.at("/endless", Answer::Endless(head, vec![b'x'; 65536]));
    let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    server.at(
        "/chunks",
        Answer::Endless(head, [b"400\r\n".as_slice(), &[b'x'; 1024], b"\r\n"].concat().repeat(64)),
    );
    let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
    (0..100).for_each(|_| bomb.write_all(&[0x20; 1024 * 1024]).unwrap());
    let bomb = bomb.finish().unwrap();
    assert!(bomb.len() < 200_000, "a hundred megabytes in {} bytes", bomb.len());
    server.at("/bomb", Answer::Bytes(answer("200 OK", &[html, ("content-encoding", "gzip")], &bomb)));
    for path in ["/declared", "/real", "/endless", "/chunks", "/bomb"] {
        let outcome = fetch(&fixture, &server.url(path)).await;
        assert!(outcome.output.contains("too large: at most 5242880 bytes"), "{path}: {outcome:?}");
    }
    // As much as there may be is taken.
    server.page("/most", "text/plain", vec![b'x'; 5 * 1024 * 1024]);
    assert_eq!(fetch(&fixture, &server.url("/most")).await.error_kind, None);
}

#[tokio::test]
async fn packed_pages_are_unpacked() {
    let (fixture, server) = (open(), Server::start().await);
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(b"<p>unpacked").unwrap();
    let headers = [("content-type", "text/html"), ("content-encoding", "gzip")];
    server.at("/", Answer::Bytes(answer("200 OK", &headers, &packed.finish().unwrap())));
    assert!(fetch(&fixture, &server.url("/")).await.output.ends_with("unpacked"));
    for encoding in ["br", "zstd", "gzip, br"] {
        let headers = [("content-type", "text/html"), ("content-encoding", encoding)];
        server.at("/", Answer::Bytes(answer("200 OK", &headers, b"\x1b\x0b\x00")));
        let outcome = fetch(&fixture, &server.url("/")).await;
        assert!(
            outcome.error_kind.is_some() && outcome.output.contains("cannot be read"),
            "{encoding}: {outcome:?}"
        );
    }
    let headers = [("content-type", "text/html"), ("content-encoding", "gzip")];
    server.at("/", Answer::Bytes(answer("200 OK", &headers, b"no gzip at all")));
    assert!(fetch(&fixture, &server.url("/")).await.output.contains("broke off"));
}

#[tokio::test]
async fn answers_that_break_off_or_are_none_are_told() {
    let (fixture, server) = (open(), Server::start().await);
    let html = ("content-type", "text/html");
    server.at("/short", Answer::Bytes(answer("200 OK", &[html, ("content-length", "100")], b"<p>half")));
    server.at("/garbage", Answer::Bytes(b"\x00\x01\x02\x03 this is no HTTP\r\n\r\n".to_vec()));
    server.at("/nothing", Answer::Bytes(Vec::new()));
    server.at(
        "/headers",
        Answer::Endless(b"HTTP/1.1 200 OK\r\n".to_vec(), b"x-more: and more\r\n".repeat(1000)),
    );
    for (path, words) in [
        ("/short", "broke off after 7 bytes"),
        ("/garbage", "cannot be reached"),
        ("/nothing", "cannot be reached"),
        ("/headers", "cannot be reached"),
    ] {
        let outcome = fetch(&fixture, &server.url(path)).await;
        assert!(
            outcome.error_kind == Some(ToolErrorKind::Failed) && outcome.output.contains(words),
            "{path}: {outcome:?}"
        );
    }
    let outcome = fetch(&fixture, "http://unknown.example/").await;
    assert!(outcome.output.contains("unknown.example cannot be reached: no such name"), "{outcome:?}");
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let outcome = fetch(&fixture, &format!("http://127.0.0.1:{free}/")).await;
    assert!(outcome.output.contains("127.0.0.1 cannot be reached"), "{outcome:?}");
}

#[tokio::test]
async fn slow_servers_are_given_up_on() {
    let (fixture, server) = (open(), Server::start().await);
    server.at("/head", Answer::Silence(b"HTTP/1.1 200 OK\r\ncontent-".to_vec()));
    server.at("/body", Answer::Silence(answer("200 OK", &[("content-length", "9")], b"half")));
    let fetch = |path| fixture.call("webfetch", json!({ "url": server.url(path), "timeout": 1 }));
    let (head, body) = tokio::join!(fetch("/head"), fetch("/body"));
    for outcome in [head, body] {
        assert_eq!(outcome.error_kind, Some(ToolErrorKind::Timeout), "{outcome:?}");
        assert!(outcome.output.contains("within 1 seconds"), "{outcome:?}");
    }
}

/// The tool itself, without the registry, which would end it.
#[tokio::test]
async fn a_cancel_ends_it_at_once() {
    let (fixture, mut server) = (open(), Server::start().await);
    server.at("/body", Answer::Silence(answer("200 OK", &[("content-length", "9")], b"half")));
    let tool = box_tool(WebFetchTool::new(&WebAccess { private: PrivateHosts::All, ..WebAccess::default() }));
    let call = tool.run(json!({ "url": server.url("/body"), "timeout": 120 }), fixture.context());
    let cancel = async {
        server.came.recv().await;
        fixture.cancel.cancel();
    };
    let both = async { tokio::join!(call, cancel) };
    let (outcome, ()) = tokio::time::timeout(Duration::from_secs(60), both).await.unwrap();
    assert_eq!(outcome.unwrap_err().kind, ToolErrorKind::Cancelled);
}

#[tokio::test]
async fn pages_of_nothing_but_trouble_are_read() {
    let (fixture, server) = (open(), Server::start().await);
    let binary: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    server.page("/binary", "text/html", binary);
    assert!(fetch(&fixture, &server.url("/binary")).await.output.contains("nothing that can be shown"));
    let deep = "<div>".repeat(100_000) + "deep" + &"</div>".repeat(100_000);
    server.page("/deep", "text/html", deep);
    assert!(fetch(&fixture, &server.url("/deep")).await.output.ends_with("\n\ndeep"));
}

#[tokio::test]
async fn a_proxy_is_used_and_gets_no_private_name() {
    let names = Names::new(&[("public.example", &["93.184.216.34"])]);
    let mut proxy = Server::answering(|request| {
        let body = format!("through the proxy: {}", request.line);
        Some(Answer::Bytes(answer("200 OK", &[("content-type", "text/plain")], body.as_bytes())))
    })
    .await;
    let web =
        WebAccess { proxies: Proxies::all(&proxy.url("")), resolver: names.clone(), ..WebAccess::default() };
    let fixture = fixture_with_web(&[], web, |_| Ok(()));
    for host in ["public.example", "only-the-proxy-knows.example"] {
        let outcome = fetch(&fixture, &format!("http://{host}/page")).await;
        assert!(
            outcome.output.ends_with(&format!("through the proxy: GET http://{host}/page")),
            "{outcome:?}"
        );
        proxy.came.recv().await;
    }
    for host in ["inside.test", "10.0.0.1", "127.0.0.1"] {
        refused(&fetch(&fixture, &format!("http://{host}/")).await);
    }
    assert!(proxy.came.try_recv().is_err());
}

/// The proxy would look them up, and may stand where they mean something.
#[tokio::test]
async fn a_proxy_gets_no_name_of_the_inside_also_where_nobody_here_knows_it() {
    let names = Names::new(&[("odd.internal", &["93.184.216.34"])]);
    let mut proxy = Server::answering(|request| {
        Some(Answer::Bytes(answer("200 OK", &[("content-type", "text/plain")], request.line.as_bytes())))
    })
    .await;
    let web =
        WebAccess { proxies: Proxies::all(&proxy.url("")), resolver: names.clone(), ..WebAccess::default() };
    let fixture = fixture_with_web(&[], web.clone(), |_| Ok(()));
    for host in [
        "wiki",
        "wiki.",
        "WIKI",
        "metadata",
        "metadata.google.internal",
        "odd.internal",
        "a.localhost",
        "printer.local",
        "db.LAN",
        "nas.home.arpa.",
        "box.home",
        "git.corp",
        "intra.intranet",
        "app.private",
        "api.default.svc",
        "api.default.svc.cluster.local",
        "x.localdomain",
        // Addresses in any spelling, also those that a name may be made of.
        "0x0a.1",
        "①⓪.0.0.1",
        "[::ffff:10.0.0.1]",
        "[fd00::1]",
    ] {
        refused(&fetch(&fixture, &format!("http://{host}/")).await);
    }
    assert!(proxy.came.try_recv().is_err());
    // Names of the world are for the proxy to know, however they look; and so is what the user named.
    let hosts = vec!["wiki".to_owned()];
    let allowing =
        fixture_with_web(&[], WebAccess { private: PrivateHosts::Hosts(hosts), ..web }, |_| Ok(()));
    for (fixture, host) in [(&fixture, "local.example"), (&fixture, "a.homes"), (&allowing, "wiki")] {
        let outcome = fetch(fixture, &format!("http://{host}/page")).await;
        assert!(outcome.output.ends_with(&format!("GET http://{host}/page")), "{outcome:?}");
        proxy.came.recv().await;
    }
}
