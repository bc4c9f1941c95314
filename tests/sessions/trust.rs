//! A folder that the user does not trust: nothing that lies in it runs.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use super::harness::ScriptedEnvironment;
use crate::model_server::ScriptedTurn;

/// Programs that a repository brought along, each leaves a trace if it runs.
const PROGRAMS: [&str; 4] = [
    "node_modules/.bin/vscode-json-language-server",
    "node_modules/.bin/biome",
    "bin/own-server",
    "node_modules/.bin/tsc",
];

/// A repository with programs in a folder, whose `package.json` is read and edited by an agent that may do everything.
fn hostile_repository(folder: &str, runs: usize) -> ScriptedEnvironment {
    let package = format!("{folder}package.json");
    let edit = json!({ "filePath": package, "oldString": "\"a\"", "newString": "\"b\"" });
    let turn = || {
        [
            ScriptedTurn::new().call("c1", "read", json!({ "filePath": package })),
            ScriptedTurn::new().call("c2", "edit", edit.clone()),
            ScriptedTurn::new().text("Done."),
        ]
    };
    let config = json!({
        "permission": "allow",
        "diagnostics": { "wait": 500 },
        "lsp": { "own": { "command": ["bin/own-server"], "extensions": [".json"] } },
        "checkers": { "tsc": { "extensions": [".json"] } },
        "formatter": { "biome": {} },
    });
    let scripted = ScriptedEnvironment::with_config((0..runs).flat_map(|_| turn()), config);
    scripted.env.write(&package, r#"{ "name": "a" }"#);
    scripted.env.write("biome.json", "{}");
    scripted.env.write("tsconfig.json", "{}");
    for program in PROGRAMS.map(|program| format!("{folder}{program}")) {
        scripted.env.write(&program, "#!/bin/sh\ntouch \"$0.ran\"\nexec cat > /dev/null\n");
        fs::set_permissions(scripted.env.path(&program), fs::Permissions::from_mode(0o755)).unwrap();
    }
    scripted
}

fn programs_that_ran(scripted: &ScriptedEnvironment, folder: &str) -> Vec<&'static str> {
    PROGRAMS.into_iter().filter(|program| scripted.env.exists(&format!("{folder}{program}.ran"))).collect()
}

#[test]
fn nothing_that_lies_in_an_untrusted_folder_runs() {
    let scripted = hostile_repository("", 2);
    scripted.env.forget_trust();
    let ran = scripted.run(&["Go"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(scripted.env.read("package.json"), r#"{ "name": "b" }"#, "editing works");
    assert_eq!(programs_that_ran(&scripted, ""), [] as [&str; 0]);
    assert_eq!(ran.stderr.matches("is not trusted: no language server").count(), 1, "{ran:?}");

    // The same where the user said no.
    assert_eq!(scripted.env.run(&["trust", "--revoke"]).code, Some(0));
    scripted.env.write("package.json", r#"{ "name": "a" }"#);
    scripted.run(&["Go"]);
    assert_eq!(programs_that_ran(&scripted, ""), [] as [&str; 0]);
}

/// The session works above it.
#[test]
fn nothing_of_a_refused_folder_runs_in_a_trusted_workspace() {
    let scripted = hostile_repository("foreign/", 1);
    assert_eq!(scripted.env.run(&["trust", "--revoke", "foreign"]).code, Some(0));
    let ran = scripted.run(&["Go"]);
    assert_eq!(scripted.env.read("foreign/package.json"), r#"{ "name": "b" }"#, "{ran:?}");
    assert_eq!(programs_that_ran(&scripted, "foreign/"), [] as [&str; 0]);
    assert!(scripted.env.run(&["doctor"]).stdout.contains("do not run, because you do not trust"));
}

#[test]
fn a_trusted_repositorys_programs_run() {
    let scripted = hostile_repository("", 1);
    let ran = scripted.run(&["Go"]);
    assert!(!ran.stderr.contains("is not trusted"), "{ran:?}");
    let seen = programs_that_ran(&scripted, "");
    assert!(seen.contains(&"bin/own-server") && seen.contains(&"node_modules/.bin/biome"), "{seen:?}");
}
