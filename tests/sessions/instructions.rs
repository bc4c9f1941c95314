//! `instructions` of the configuration: files, patterns and URLs, and what a project may not name.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::harness::ScriptedEnvironment;
use crate::cli::environment::CliOutput;
use crate::model_server::ScriptedTurn;

/// Serves these pages by path, each over its own connection; others are missing, and `/never` does not respond.
struct StaticWebServer {
    address: String,
    asked: Arc<AtomicUsize>,
}

impl StaticWebServer {
    fn start(pages: &'static [(&'static str, &'static str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        std::thread::spawn(move || {
            let mut silent = Vec::new();
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                count.fetch_add(1, Ordering::SeqCst);
                let mut request = Vec::new();
                while !request.ends_with(b"\r\n\r\n") {
                    let mut byte = [0];
                    if stream.read(&mut byte).unwrap_or(0) == 0 {
                        break;
                    }
                    request.push(byte[0]);
                }
                let request = String::from_utf8(request).unwrap();
                let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
                let page = pages.iter().find(|(known, _)| path == *known);
                let (status, text) = match page {
                    Some((_, text)) => ("200 OK", (*text).to_owned()),
                    None if path == "/long" => ("200 OK", "long ".repeat(30_000)),
                    None if path == "/moved" => ("302 Found", String::new()),
                    None if path == "/never" => {
                        silent.push(stream);
                        continue;
                    }
                    None => ("404 Not Found", "nothing".to_owned()),
                };
                let head = format!(
                    "HTTP/1.1 {status}\r\ncontent-length: {}\r\nlocation: /a\r\nconnection: close\r\n\r\n",
                    text.len()
                );
                // The client may be gone already.
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(text.as_bytes()));
            }
        });
        Self { address, asked }
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }
}

/// The system prompt of a run with these instructions in the user's configuration.
fn run_with_instructions(lines: &[&str], files: &[(&str, &str)]) -> (String, CliOutput) {
    let scripted =
        ScriptedEnvironment::with_config([ScriptedTurn::new().text("ok")], json!({ "instructions": lines }));
    files.iter().for_each(|(path, text)| scripted.env.write(path, text));
    let ran = scripted.run(&["Go"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    (scripted.request_body(0)["system"].to_string(), ran)
}

/// Whether the words occur in this order.
fn in_order(text: &str, words: &[&str]) -> bool {
    let places: Vec<_> = words.iter().map(|word| text.find(word)).collect();
    places.iter().all(Option::is_some) && places.is_sorted()
}

#[test]
fn files_patterns_and_the_home_are_read_in_their_order() {
    let lines =
        ["docs/*.md", "~/rules/mine.md", "~/rules/*.txt", "style.md", "missing.md", "none/*.md", "AGENTS.md"];
    let files = [
        ("AGENTS.md", "FIRST"),
        ("docs/b.md", "BEE"),
        ("docs/a.md", "AY"),
        ("docs/deep/c.md", "DEEP"),
        ("~/rules/mine.md", "MINE"),
        ("~/rules/x.txt", "EX"),
        ("style.md", "STYLE"),
    ];
    let (system, ran) = run_with_instructions(&lines, &files);
    assert!(in_order(&system, &["FIRST", "AY", "BEE", "MINE", "EX", "STYLE", "Workspace:"]), "{system}");
    assert_eq!((system.matches("FIRST").count(), system.matches("DEEP").count()), (1, 0), "{system}");
    assert!(!ran.stderr.contains("warning"), "{ran:?}");
}

#[test]
fn a_relative_path_is_looked_for_from_the_root_down() {
    let scripted = ScriptedEnvironment::new([ScriptedTurn::new().text("ok")]);
    scripted.env.write("copydesk.jsonc", r#"{ "instructions": ["docs/style.md"] }"#);
    scripted.env.write("docs/style.md", "OUTER");
    scripted.env.write("deep/docs/style.md", "INNER");
    let folder = scripted.env.path("deep");
    assert_eq!(scripted.env.run(&["--cwd", folder.to_str().unwrap(), "run", "Go"]).code, Some(0));
    let system = scripted.request_body(0)["system"].to_string();
    assert!(in_order(&system, &["OUTER", "INNER"]), "{system}");
}

#[test]
fn there_is_an_end_to_how_many_are_read() {
    let names: Vec<_> = (0..70).map(|number| format!("many/{number:02}.md")).collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), "MANY")).collect();
    let (system, ran) =
        run_with_instructions(&["many/*.md", "late.md"], &[&files[..], &[("late.md", "LATE")]].concat());
    assert_eq!((system.matches("MANY").count(), system.contains("LATE")), (64, false));
    assert!(
        ran.stderr.contains("`many/*.md` matches too many files")
            && ran.stderr.contains("`late.md` is ignored")
    );
}

#[test]
fn addresses_are_fetched_and_what_fails_is_left_out() {
    let web = StaticWebServer::start(&[("/a", "FROM THE WEB"), ("/b?key=hush", "SECOND")]);
    let gone = format!(
        "http://127.0.0.1:{}/x",
        TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
    );
    let (a, b, missing) = (web.url("/a"), web.url("/b?key=hush"), web.url("/missing"));
    let (long, moved) = (web.url("/long"), web.url("/moved"));
    let lines = [a.as_str(), "style.md", &b, &missing, &gone, "ftp://host/x", &long, &moved];
    let (system, ran) = run_with_instructions(&lines, &[("style.md", "STYLE")]);
    assert!(in_order(&system, &["FROM THE WEB", "STYLE", "SECOND", "long long"]), "{ran:?}");
    assert!(system.contains(&format!("Instructions from {a}:")) && !system.contains("hush"), "{system}");
    assert!(system.contains("The rest of this text is left out") && system.len() < 100_000);
    for warning in [
        format!("{missing} answered with status 404; it is ignored"),
        format!("{gone} cannot be fetched"),
        "ftp://host/x is not an http:// or https:// address".to_owned(),
        format!("{moved} answered with status 302"),
    ] {
        assert!(ran.stderr.contains(&warning), "{warning}: {ran:?}");
    }
}

#[test]
fn a_server_that_never_answers_is_not_waited_for() {
    let web = StaticWebServer::start(&[("/a", "FROM THE WEB")]);
    let (never, again) = (web.url("/never"), web.url("/never?again"));
    let (system, ran) = run_with_instructions(&[&never, &again, &web.url("/a")], &[]);
    assert!(system.contains("FROM THE WEB"), "{system}");
    assert!(ran.stderr.contains("/never did not respond within 5 seconds; it is ignored"), "{ran:?}");
}

/// Neither the web nor a file outside, however it is written.
#[test]
fn a_project_names_nothing_outside_before_it_is_trusted() {
    let web = StaticWebServer::start(&[("/a", "FROM THE WEB")]);
    let scripted = ScriptedEnvironment::new([ScriptedTurn::new().text("ok"), ScriptedTurn::new().text("ok")]);
    let env = &scripted.env;
    env.write("~/secret.md", "SECRET");
    env.write("docs/a.md", "INSIDE");
    let home = env.path("~/x").parent().unwrap().to_owned();
    std::os::unix::fs::symlink(home.join("secret.md"), env.path("docs/link.md")).unwrap();
    let absolute = home.join("secret.md").display().to_string();
    let lines = json!([
        web.url("/a"),
        "~/secret.md",
        absolute,
        "../home/*.md",
        "~/*.md",
        "docs/link.md",
        "docs/a.md"
    ]);
    env.write("copydesk.jsonc", json!({ "instructions": lines }).to_string());
    let ran = scripted.run(&["Go"]);
    let system = scripted.request_body(0)["system"].to_string();
    assert!(system.contains("INSIDE") && !system.contains("SECRET"), "{system}");
    assert_eq!(
        (ran.stderr.matches("is ignored: it is outside").count(), web.asked.load(Ordering::SeqCst)),
        (6, 0),
        "{ran:?}"
    );
    assert!(ran.stderr.contains("copydesk trust"), "{ran:?}");

    assert_eq!(env.run(&["trust"]).code, Some(0));
    let ran = scripted.run(&["Go"]);
    let system = scripted.request_body(1)["system"].to_string();
    assert!(system.contains("FROM THE WEB") && system.contains("SECRET"), "{ran:?}");
}
