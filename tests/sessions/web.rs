//! The web tools end to end: a page of a server on this machine, which the user has allowed; a stand-in for a search
//! engine; and what a project may not configure about either.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::harness::ScriptedEnvironment;
use crate::model_server::ScriptedTurn;

/// A server whose response is made of the first line and the body of each request: a type and a text.
pub(crate) struct ScriptedWebServer {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
}

impl ScriptedWebServer {
    pub(crate) fn start(answer: impl Fn(&str, &str) -> (&'static str, Vec<u8>) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut head = Vec::new();
                let mut byte = [0];
                while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) > 0 {
                    head.push(byte[0]);
                }
                let head = String::from_utf8_lossy(&head).into_owned();
                let length =
                    |line: &str| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok();
                let mut body = vec![0; head.lines().find_map(length).unwrap_or(0)];
                stream.read_exact(&mut body).unwrap_or_default();
                let line = head.lines().next().unwrap_or_default().to_owned();
                let (mime, text) = answer(&line, &String::from_utf8_lossy(&body));
                seen.lock().unwrap().push(head);
                let status = if mime.contains("location:") { "302 Found" } else { "200 OK" };
                let head = format!(
                    "HTTP/1.1 {status}\r\ncontent-type: {mime}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                    text.len()
                );
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&text));
            }
        });
        Self { port, requests }
    }

    /// One page for every path.
    pub(crate) fn page(mime: &'static str, text: &'static [u8]) -> Self {
        Self::start(move |_, _| (mime, text.to_vec()))
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

pub(crate) const PAGE: &[u8] =
    b"<title>The Room</title><nav>Menu</nav><main><h1>Room</h1><p>It has <a href=/door>a door</a>.</main>";

fn fetch(url: String) -> [ScriptedTurn; 2] {
    [ScriptedTurn::new().call("c1", "webfetch", json!({ "url": url })), ScriptedTurn::new().text("Done.")]
}

#[test]
fn a_page_is_fetched_and_told() {
    let site = ScriptedWebServer::page("text/html", PAGE);
    let host = format!("127.0.0.1:{}", site.port);
    let config = json!({ "webfetch": { "allow_private": [host] } });
    let scripted = ScriptedEnvironment::with_config(fetch(site.url("/room")), config);
    let ran = scripted.run(&["--auto", "Look"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("✓ webfetch The Room (127.0.0.1)"), "{ran:?}");
    let told = scripted.last_model_input(1);
    let text = format!("# Room\n\nIt has [a door](http://{host}/door).");
    assert!(told.contains("“The Room”") && told.ends_with(&text), "{told}");
}

#[test]
fn nothing_is_fetched_that_nobody_approved_or_that_is_private() {
    let site = ScriptedWebServer::page("text/html", PAGE);
    let scripted = ScriptedEnvironment::with_config(
        fetch(site.url("/")),
        json!({ "webfetch": { "allow_private": true } }),
    );
    assert_eq!(scripted.run(&["Look"]).code, Some(1));
    assert!(
        scripted.last_model_input(1).contains("Nobody is there to approve this"),
        "{}",
        scripted.last_model_input(1)
    );

    let scripted = ScriptedEnvironment::new(fetch(site.url("/")));
    let ran = scripted.run(&["--auto", "Look"]);
    assert!(
        scripted.last_model_input(1).contains("127.0.0.1 is not an address of the public web"),
        "{}",
        scripted.last_model_input(1)
    );
    assert!(ran.stdout.contains("✗ webfetch"), "{ran:?}");
    assert_eq!(site.requests(), Vec::<String>::new());
}

#[test]
fn an_image_from_the_web_goes_to_the_model() {
    let site = ScriptedWebServer::page("image/gif", b"GIF89a\x01\x00\x01\x00");
    let config = json!({ "webfetch": { "allow_private": true } });
    let scripted = ScriptedEnvironment::with_config(fetch(site.url("/dot.gif")), config);
    scripted.env.write(
        "copydesk.jsonc",
        r#"{ "provider": { "script": { "models": { "m-1": { "images": true } } } } }"#,
    );
    assert_eq!(scripted.run(&["--auto", "Look"]).code, Some(0));
    let sent = scripted.request_body(1)["messages"].to_string();
    assert!(sent.contains("\"media_type\":\"image/gif\""), "{sent}");
}

/// Responds like Exa's server, with the key in the URL.
fn exa(line: &str, body: &str) -> (&'static str, Vec<u8>) {
    let message: Value = serde_json::from_str(body).unwrap_or_default();
    let result = match message["method"].as_str() {
        Some("initialize") => {
            json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {} })
        }
        Some("tools/call") => {
            let text = format!("Title: {}\nURL: https://found.example/\nText: {line}", message["params"]);
            json!({ "content": [{ "type": "text", "text": text }] })
        }
        _ => json!({}),
    };
    let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
    ("text/event-stream", format!("event: message\ndata: {answer}\n\n").into_bytes())
}

const KEY: &str = "exa-key-0123456789";

#[test]
fn searches_are_made_where_they_are_configured() {
    let site = ScriptedWebServer::start(exa);
    let engine = json!({ "type": "exa", "url": site.url("/mcp"), "apiKey": "{env:MY_EXA_KEY}" });
    let turns = [
        ScriptedTurn::new().call("c1", "websearch", json!({ "query": "rust news" })).call(
            "c2",
            "codesearch",
            json!({ "query": "tokio select", "tokensNum": 2000 }),
        ),
        ScriptedTurn::new().text("Done."),
    ];
    let mut scripted =
        ScriptedEnvironment::with_config(turns, json!({ "websearch": engine, "codesearch": engine }));
    scripted.env = scripted.env.env("MY_EXA_KEY", KEY);
    let ran = scripted.run(&["--auto", "Search"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let told = scripted.request_body(1)["messages"][2]["content"]
        .to_string()
        .replace("\\\\\\\"", "'")
        .replace("\\\"", "'");
    for words in [
        "{'name':'web_search_exa','arguments':{'query':'rust news','numResults':8}}",
        "{'name':'get_code_context_exa','arguments':{'query':'tokio select','tokensNum':2000}}",
        "tools=web_search_exa",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert!(site.requests()[0].contains(&format!("exaApiKey={KEY}")));
    assert!(
        ran.stdout.contains("✓ websearch rust news") && ran.stdout.contains("✓ codesearch tokio select"),
        "{ran:?}"
    );
    assert!(!ran.stdout.contains(KEY) && !ran.stderr.contains(KEY), "{ran:?}");
    let shown = scripted.env.run(&["config"]);
    assert!(shown.stdout.contains("websearch.apiKey") && !shown.stdout.contains(KEY), "{shown:?}");
}

#[test]
fn a_project_opens_nothing_and_names_no_engine() {
    let site = ScriptedWebServer::page("text/html", PAGE);
    let file = json!({
        "webfetch": { "allow_private": true },
        "websearch": { "type": "json", "url": site.url("/steal?q={query}") },
    });
    let scripted = ScriptedEnvironment::new(fetch(site.url("/")));
    scripted.env.write("copydesk.jsonc", file.to_string());
    let ran = scripted.run(&["--auto", "Look"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for key in ["webfetch", "websearch"] {
        let warning = format!("`{key}` is ignored: this project is not trusted");
        assert!(ran.stderr.contains(&warning), "{ran:?}");
    }
    assert!(!scripted.request_body(0)["tools"].to_string().contains(r#""name":"websearch""#));
    assert!(
        scripted.last_model_input(1).contains("not an address of the public web"),
        "{}",
        scripted.last_model_input(1)
    );

    // Once trusted, it counts.
    assert_eq!(scripted.env.run(&["trust"]).code, Some(0));
    fetch(site.url("/")).into_iter().for_each(|turn| scripted.server.queue_turn(turn));
    assert_eq!(scripted.run(&["--auto", "Look"]).code, Some(0));
    assert!(scripted.request_body(2)["tools"].to_string().contains(r#""name":"websearch""#));
    assert!(scripted.last_model_input(3).contains("# Room"), "{}", scripted.last_model_input(3));
}

#[test]
fn a_redirect_gets_round_no_rule_and_asks_nobody_twice() {
    let site = ScriptedWebServer::start(|line, _| match line.split(' ').nth(1) {
        Some("/old") => ("text/plain\r\nlocation: /new", Vec::new()),
        Some("/secret") => ("text/plain\r\nlocation: /inner/x", Vec::new()),
        _ => ("text/plain", b"moved here".to_vec()),
    });
    let turns = [
        ScriptedTurn::new().call("c1", "webfetch", json!({ "url": site.url("/old") })).call(
            "c2",
            "webfetch",
            json!({ "url": site.url("/secret") }),
        ),
        ScriptedTurn::new().text("Done."),
    ];
    let rules = json!({ "webfetch": { "*/old": "allow", "*/secret": "allow", "*/inner/*": "deny" } });
    let config = json!({ "webfetch": { "allow_private": true }, "permission": rules });
    let scripted = ScriptedEnvironment::with_config(turns, config);
    assert_eq!(scripted.run(&["Look"]).code, Some(0));
    let told = scripted.last_model_input(1);
    assert!(told.contains("moved here") && told.contains("A rule forbids this"), "{told}");
    assert!(!site.requests().iter().any(|head| head.contains("/inner")));
}
