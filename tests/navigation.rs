//! The tool `lsp` with real language servers: every operation that each of them can do, in one small project in each language (`projects/`,
//! each file with `.txt` at its end). What the model reads is stored (`answers/`); `tests/install/servers` fixes the versions of the servers.

mod bench;

use std::fs;
use std::path::Path;

use expect_test::{ExpectFile, expect_file};
use serde_json::{Value, json};

use crate::model_server::ScriptedTurn;
use crate::sessions::harness::ScriptedEnvironment;
use crate::truth::servers::{InstalledServers, cache};

/// The files of a project, by their paths.
pub(crate) fn project_files(project: &str) -> Vec<(String, String)> {
    let folder =
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/navigation/projects")).join(project);
    let mut found = Vec::new();
    let mut folders = vec![folder.clone()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(&folder).unwrap().to_str().unwrap().strip_suffix(".txt").unwrap();
            found.push((name.to_owned(), fs::read_to_string(&path).unwrap()));
        }
    }
    found
}

/// A model that plays these turns, and this server for the workspace.
pub(crate) fn scripted_with_server(
    servers: &InstalledServers,
    server: &str,
    turns: Vec<ScriptedTurn>,
) -> ScriptedEnvironment {
    let mut config = servers.config(server);
    config["permission"] = json!("allow");
    if config.get("lsp").is_none() {
        config["lsp"] = json!(true);
    }
    let ScriptedEnvironment { env, server: model } = ScriptedEnvironment::with_config(turns, config);
    let env = servers.environment(server).into_iter().fold(env, |env, (name, value)| env.env(name, value));
    ScriptedEnvironment { env, server: model }
}

/// Questions before those of a test: on a busy machine a server may read the project for longer than one question waits, and it says so.
const FIRST_QUESTIONS: std::ops::Range<usize> = 2..5;

/// What the model reads after each call.
fn answers(server: &str, project: &str, calls: &[Value]) -> String {
    let first = calls.get(FIRST_QUESTIONS).unwrap_or_default();
    let turns = first
        .iter()
        .chain(calls)
        .enumerate()
        .map(|(number, call)| ScriptedTurn::new().call(format!("c{number}"), "lsp", call.clone()));
    let turns: Vec<_> = turns.chain([ScriptedTurn::new().text("Done.")]).collect();
    let scripted = scripted_with_server(&InstalledServers::installed(), server, turns);
    for (path, text) in project_files(project) {
        scripted.env.write(&path, &text);
    }
    let ran = scripted.run(&["--no-daemon", "Look"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let root = scripted.env.path("").canonicalize().unwrap();
    let mut shown = String::new();
    for (number, call) in calls.iter().enumerate() {
        let operation = call["operation"].as_str().unwrap();
        let read =
            scripted.last_model_input(first.len() + number + 1).replace(root.to_str().unwrap(), "ROOT");
        let read = read.replace(cache().to_str().unwrap(), "CACHE");
        shown.push_str(&format!("# {operation}\n{}\n", read.trim_end()));
    }
    shown
}

fn check(server: &str, project: &str, place: &dyn Fn(&str) -> Value, expected: &ExpectFile) {
    if !InstalledServers::installed().has(server) {
        return println!("{server}: left out, it is not installed");
    }
    let operations = [
        "goToDefinition",
        "findReferences",
        "hover",
        "goToTypeDefinition",
        "goToImplementation",
        "incomingCalls",
        "outgoingCalls",
        "workspaceSymbol",
        "supertypes",
        "subtypes",
    ];
    let call = |operation: &&str| {
        let mut call = place(operation);
        call["operation"] = json!(operation);
        call
    };
    expected.assert_eq(&answers(server, project, &operations.iter().map(call).collect::<Vec<_>>()));
}

/// The places to ask about: the use of `unit`, the variable `square`, and the types.
fn places(report: &str, shapes: &str, lines: [usize; 2]) -> impl Fn(&str) -> Value {
    let (report, shapes) = (report.to_owned(), shapes.to_owned());
    move |operation| match operation {
        "goToDefinition" => json!({ "filePath": report, "line": lines[0], "symbol": "unit" }),
        "findReferences" => json!({ "filePath": shapes, "symbol": "unit" }),
        "hover" => json!({ "filePath": report, "line": lines[1], "symbol": "area" }),
        "goToTypeDefinition" => json!({ "filePath": report, "line": lines[0], "symbol": "square" }),
        "incomingCalls" => json!({ "filePath": shapes, "symbol": "unit", "depth": 3 }),
        "outgoingCalls" => json!({ "filePath": report, "symbol": "report" }),
        "workspaceSymbol" => json!({ "filePath": shapes, "symbol": "Square" }),
        "supertypes" => json!({ "filePath": shapes, "symbol": "Square" }),
        _ => json!({ "filePath": shapes, "symbol": "Shape" }),
    }
}

#[test]
#[ignore = "needs language servers, which tests/run installs"]
fn clangd() {
    let place = places("report.cpp", "shapes.h", [4, 5]);
    check("clangd", "cpp", &place, &expect_file!["navigation/answers/clangd.txt"]);
}

/// The daemon's clangd has no index: the files with the name are opened for the question.
#[test]
#[ignore = "needs language servers, which tests/run installs"]
fn clangd_names_places_in_closed_files() {
    if !InstalledServers::installed().has("clangd") {
        return println!("clangd: left out, it is not installed");
    }
    let question = |operation: &str, path: &str, symbol: &str| {
        answers("clangd", "cpp", &[json!({ "operation": operation, "filePath": path, "symbol": symbol })])
    };
    let callers = question("incomingCalls", "report.cpp", "report");
    assert!(callers.contains("main.cpp:5 function (call in line 5)"), "{callers}");
    let uses = question("findReferences", "report.cpp", "report");
    assert!(uses.contains("3 references in 2 files (by clangd)"), "{uses}");
    // Its declaration is all that the file itself tells.
    let callees = question("outgoingCalls", "main.cpp", "main");
    assert!(callees.contains("report.cpp:3 function"), "{callees}");
    let definition = question("goToDefinition", "main.cpp", "report");
    assert!(definition.contains("report.cpp:3 function"), "{definition}");
}

#[test]
#[ignore = "needs language servers, which tests/run installs"]
fn gopls() {
    let place = places("report.go", "shapes.go", [4, 5]);
    check("gopls", "go", &place, &expect_file!["navigation/answers/gopls.txt"]);
}

#[test]
#[ignore = "needs language servers, which tests/run installs"]
fn pyright() {
    let place = places("report.py", "shapes.py", [5, 6]);
    check("pyright", "python", &place, &expect_file!["navigation/answers/pyright.txt"]);
}

#[test]
#[ignore = "needs language servers, which tests/run installs"]
fn rust_analyzer() {
    let place = places("src/report.rs", "src/shapes.rs", [4, 5]);
    check("rust-analyzer", "rust", &place, &expect_file!["navigation/answers/rust_analyzer.txt"]);
}

#[test]
#[ignore = "needs language servers, which tests/run installs"]
fn typescript_7() {
    let place = places("src/report.ts", "src/shapes.ts", [4, 5]);
    check("typescript-7", "typescript", &place, &expect_file!["navigation/answers/typescript_7.txt"]);
}

#[test]
#[ignore = "needs language servers, which tests/run installs"]
fn typescript_language_server() {
    let place = places("src/report.ts", "src/shapes.ts", [4, 5]);
    check(
        "typescript-language-server",
        "typescript",
        &place,
        &expect_file!["navigation/answers/typescript_language_server.txt"],
    );
}
