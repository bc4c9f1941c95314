//! `README.md` agrees with the table, and its examples are valid.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::error::ErrorCode;
use crate::handshake::{ClientHello, DaemonHello, ProtocolMismatch};
use crate::lenient::decode;
use crate::method::{Direction, Method, MethodKind};
use crate::table::methods;

const PAGE: &str = include_str!("../../README.md");

#[test]
fn every_method_has_its_heading_and_no_other_has() {
    let headings: Vec<_> = PAGE.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    let names: Vec<_> = methods().iter().map(|method| format!("`{}`", method.name)).collect();
    assert_eq!(headings, names, "in the order of the table");
}

#[test]
fn every_method_that_is_spoken_of_exists() {
    let known: BTreeSet<_> = methods().iter().map(|method| method.name).collect();
    for spoken in PAGE.split('`').filter(|words| words.starts_with("copydesk/") && !words.contains(' ')) {
        assert!(known.contains(spoken) || spoken == "copydesk/", "{spoken}");
    }
}

#[test]
fn every_error_has_its_line() {
    let table: Vec<_> = PAGE.lines().filter(|line| line.starts_with("| -3")).collect();
    let codes = ErrorCode::ALL.iter();
    let lines: Vec<_> =
        codes.map(|code| format!("| {} | `{}` | {} |", code.code(), code.name(), code.doc())).collect();
    assert_eq!(table, lines);
}

#[test]
fn every_example_is_true() {
    let mut blocks = 0;
    for block in PAGE.split("```text\n").skip(1) {
        blocks += 1;
        let mut open = BTreeMap::new();
        for line in block.split("```").next().unwrap().lines() {
            let (arrow, message) = line.split_once(' ').unwrap();
            let direction = match arrow {
                "-->" => Direction::ToDaemon,
                "<--" => Direction::ToClient,
                _ => panic!("no arrow: {line}"),
            };
            let message: Value =
                serde_json::from_str(message).unwrap_or_else(|error| panic!("{error}: {line}"));
            check(direction, &message, &mut open);
        }
        assert!(open.is_empty(), "not answered: {open:?}");
    }
    assert_eq!((blocks, PAGE.matches("```").count()), (3, 6), "every block is an example");
}

/// `open` has the method of each request that is not answered yet.
fn check(direction: Direction, message: &Value, open: &mut BTreeMap<String, String>) {
    assert_eq!(message["jsonrpc"], "2.0", "{message}");
    let id = message.get("id").map(Value::to_string);
    if let Some(name) = message["method"].as_str() {
        if let Some(id) = id.clone() {
            assert!(open.insert(id, name.to_owned()).is_none(), "this id is in use: {message}");
        }
        match name {
            "initialize" => {
                let hello = ClientHello::from_initialization_options(
                    message.pointer("/params/initializationOptions"),
                )
                .unwrap();
                same(&message["params"], &json!({ "initializationOptions": { "copydesk": hello.unwrap() } }));
            }
            "initialized" => {}
            _ => {
                let method = find(name);
                let kind = if id.is_some() { MethodKind::Request } else { MethodKind::Notification };
                assert_eq!((method.direction, method.kind), (direction, kind), "{message}");
                same(&message["params"], &method.params.round_trip(message["params"].clone()).unwrap());
            }
        }
        return;
    }
    let name = open.remove(&id.unwrap()).unwrap_or_else(|| panic!("an answer to nothing: {message}"));
    if let Some(error) = message.get("error") {
        let code = ErrorCode::from_code(error["code"].as_i64().unwrap()).unwrap();
        if code == ErrorCode::ProtocolMismatch {
            let mismatch: ProtocolMismatch = decode(error["data"].clone()).unwrap();
            assert_eq!(error["message"], mismatch.to_string());
        }
    } else if name == "initialize" {
        let hello: DaemonHello =
            decode(message.pointer("/result/capabilities/experimental/copydesk").unwrap().clone()).unwrap();
        assert_eq!(hello.protocol, crate::PROTOCOL);
    } else {
        same(&message["result"], &find(&name).result.unwrap().round_trip(message["result"].clone()).unwrap());
    }
}

fn find(name: &str) -> Method {
    methods().into_iter().find(|method| method.name == name).unwrap_or_else(|| panic!("no method {name}"))
}

/// Nothing in the example is unknown, and nothing is missing.
fn same(example: &Value, understood: &Value) {
    assert_eq!(example, understood);
}
