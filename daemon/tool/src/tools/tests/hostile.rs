//! Every tool with everything that a model or a prompt injection may send: each ends in words that can
//! be acted on, without a panic, a hang, or anything left half done.
//!
//! The calls are made from the tools' own schemas, so a new tool is covered automatically.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::fixture::{ToolFixture, fixture, link};
use crate::outcome::{CallOutcome, ToolErrorKind};
use crate::registry::ToolDefinition;

/// Only so that a hang is a failure.
const PATIENCE: Duration = Duration::from_secs(60);
/// What the words around an output may add to its limit.
const MAX_EXTRA_BYTES: usize = 4096;

/// A workspace in which nothing is as it should be.
fn traps() -> ToolFixture {
    let fixture = fixture(&[("a.txt", "one\ntwo\nthree\n"), ("folder/b.txt", "in it\n"), ("empty", "")]);
    fixture.put("binary", b"\x00\x01\x02\xff\xfe");
    fixture.put("latin1.txt", b"caf\xe9\nna\xefve\n");
    fixture.put("utf16.txt", b"\xff\xfea\x00\n\x00");
    link("loop2", &fixture.path("loop1"));
    link("loop1", &fixture.path("loop2"));
    link("/dev/zero", &fixture.path("zero"));
    link("nowhere", &fixture.path("dangling"));
    link("..", &fixture.path("folder/up"));
    let fifo = std::process::Command::new("mkfifo").arg(fixture.path("pipe")).status().unwrap();
    assert!(fifo.success());
    let socket = std::os::unix::net::UnixListener::bind(fixture.path("socket")).unwrap();
    drop(socket);
    fixture
}

fn strings() -> Vec<Value> {
    let long = |text: &str, bytes: usize| Value::from(text.repeat(bytes / text.len()));
    let mut all: Vec<Value> = [
        "",
        " ",
        "\0",
        "a.txt\0",
        "a\nb",
        "\u{202e}txt.a",
        "\u{feff}a.txt",
        "\u{1b}[31m",
        "-rf",
        "--help",
        "~",
        "~nobody/x",
        "/",
        "..",
        "../../../../../../etc/passwd",
        "/dev/zero",
        "/dev/tty",
        "/proc/self/mem",
        "/proc/self/fd/0",
        "loop1",
        "loop1/x",
        "zero",
        "dangling",
        "dangling/x",
        "pipe",
        "socket",
        "binary",
        "latin1.txt",
        "utf16.txt",
        "folder",
        "folder/up/up2/a.txt",
        "a.txt/b",
        "empty",
        "nowhere/at/all",
        "*",
        "**/**/**",
        "[",
        "{a,",
        "(",
        "(?P<",
        "\\",
        "a{0,9999999}",
        "%s%n",
        "${HOME}",
        "file:///etc/passwd",
        "http://",
        "javascript:1",
        "http://127.0.0.1:1/",
        "http://[::1]:1/",
        "NaN",
        "null",
    ]
    .map(Value::from)
    .into();
    all.extend([
        long("a", 1 << 20),
        long("a/", 1 << 20),
        long("../", 1 << 16),
        long("é", 1 << 16),
        long("(", 1 << 16),
    ]);
    all
}

fn others() -> Vec<Value> {
    let mut deep = json!("a.txt");
    for _ in 0..100 {
        deep = json!([deep]);
    }
    vec![
        Value::Null,
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(1e308),
        json!([]),
        json!({}),
        json!([null, {}, [], "a.txt"]),
        json!({ "": null, "a.txt": {} }),
        deep,
        Value::Array(vec![json!({}); 10_000]),
    ]
}

/// Something that fits a schema.
fn fitting(schema: &Value, definitions: &Value, name: &str) -> Value {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return fitting(&definitions[name], definitions, name);
    }
    if let Some(value) = schema["enum"].get(0).or_else(|| schema.get("const")) {
        return value.clone();
    }
    if let Some(any) = schema["anyOf"].get(0).or_else(|| schema["oneOf"].get(0)) {
        return fitting(any, definitions, name);
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str()).unwrap_or("string");
    match kind {
        "object" => {
            let properties = schema["properties"].as_object().into_iter().flatten();
            properties.map(|(name, schema)| (name.clone(), fitting(schema, definitions, name))).collect()
        }
        "array" => json!([fitting(&schema["items"], definitions, name)]),
        "integer" | "number" => json!(1),
        "boolean" => json!(false),
        _ => match name {
            "command" => json!("true"),
            "oldString" => json!("two"),
            "url" => json!("http://127.0.0.1:1/"),
            _ => json!("a.txt"),
        },
    }
}

fn plain(spec: &ToolDefinition) -> Map<String, Value> {
    let arguments = fitting(&spec.parameters, &spec.parameters["$defs"], "");
    arguments.as_object().cloned().unwrap_or_default()
}

async fn call(fixture: &ToolFixture, spec: &ToolDefinition, arguments: &str) -> CallOutcome {
    let registry = fixture.registry();
    let running = registry.run_raw_call(&spec.name, arguments, fixture.context());
    let outcome = tokio::time::timeout(PATIENCE, running).await;
    let shown: String = arguments.chars().take(300).collect();
    let outcome = outcome.unwrap_or_else(|_| panic!("`{}` hangs with {shown}", spec.name));
    assert_ne!(outcome.error_kind, Some(ToolErrorKind::Broken), "{} {shown}: {}", spec.name, outcome.output);
    assert!(!outcome.output.trim().is_empty() || outcome.error_kind.is_none(), "{} {shown}", spec.name);
    let most = crate::ToolOutputLimits::default().bytes + MAX_EXTRA_BYTES;
    assert!(outcome.output.len() <= most, "{} {shown}: {} bytes", spec.name, outcome.output.len());
    assert!(outcome.title.len() <= most, "{} {shown}: a title of {} bytes", spec.name, outcome.title.len());
    outcome
}

fn left_over(fixture: &ToolFixture) -> Vec<String> {
    fixture.tree().into_keys().filter(|name| name.contains(".copydesk-")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_stands_in_an_argument_the_answer_can_be_acted_on() {
    for spec in fixture(&[]).registry().definitions(|_| true) {
        let fixture = traps();
        let plain = plain(&spec);
        for name in plain.keys() {
            for value in strings().into_iter().chain(others()) {
                let mut arguments = plain.clone();
                arguments.insert(name.clone(), value);
                call(&fixture, &spec, &Value::Object(arguments).to_string()).await;
            }
        }
        assert_eq!(left_over(&fixture), [""; 0], "{}", spec.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_extra_and_broken_arguments_are_told() {
    let fixture = traps();
    let before = fixture.tree();
    for spec in fixture.registry().definitions(|_| true) {
        let plain = plain(&spec);
        let required = spec.parameters["required"].as_array().cloned().unwrap_or_default();
        for name in required.iter().filter_map(Value::as_str) {
            let mut arguments = plain.clone();
            arguments.remove(name);
            let outcome = call(&fixture, &spec, &Value::Object(arguments).to_string()).await;
            assert_eq!(outcome.error_kind, Some(ToolErrorKind::Arguments), "{} without {name}", spec.name);
            assert!(outcome.output.contains(name), "{} without {name}: {}", spec.name, outcome.output);
        }
        for broken in [
            "[]",
            "1",
            "\"",
            "{",
            "nul",
            "\u{0}",
            "{\"a\":}",
            &"[".repeat(100_000),
            &"{\"a\":".repeat(100_000),
        ] {
            let outcome = call(&fixture, &spec, broken).await;
            assert_eq!(
                outcome.error_kind,
                Some(ToolErrorKind::Arguments),
                "{}: {}",
                spec.name,
                outcome.output
            );
        }
    }
    assert_eq!(fixture.tree(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_cancelled_before_it_begins_does_nothing() {
    let fixture = traps();
    let before = fixture.tree();
    fixture.cancel.cancel();
    for spec in fixture.registry().definitions(|_| true) {
        let outcome = call(&fixture, &spec, &Value::Object(plain(&spec)).to_string()).await;
        assert_eq!(outcome.error_kind, Some(ToolErrorKind::Cancelled), "{}", spec.name);
    }
    assert_eq!(fixture.tree(), before);
}
