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

/// A repository in which `package.json` is read and edited, by an agent that may do everything.
fn hostile_repository(runs: usize) -> ScriptedEnvironment {
    let edit = json!({ "filePath": "package.json", "oldString": "\"a\"", "newString": "\"b\"" });
    let turn = || {
        [
            ScriptedTurn::new().call("c1", "read", json!({ "filePath": "package.json" })),
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
    scripted.env.write("package.json", r#"{ "name": "a" }"#);
    scripted.env.write("biome.json", "{}");
    scripted.env.write("tsconfig.json", "{}");
    for program in PROGRAMS {
        scripted.env.write(program, "#!/bin/sh\ntouch \"$0.ran\"\nexec cat > /dev/null\n");
        fs::set_permissions(scripted.env.path(program), fs::Permissions::from_mode(0o755)).unwrap();
    }
    scripted
}

fn programs_that_ran(scripted: &ScriptedEnvironment) -> Vec<&'static str> {
    PROGRAMS.into_iter().filter(|program| scripted.env.exists(&format!("{program}.ran"))).collect()
}

#[test]
fn nothing_that_lies_in_an_untrusted_folder_runs() {
    let scripted = hostile_repository(2);
    scripted.env.forget_trust();
    let ran = scripted.run(&["Go"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(scripted.env.read("package.json"), r#"{ "name": "b" }"#, "editing works");
    assert_eq!(programs_that_ran(&scripted), [] as [&str; 0]);
    assert_eq!(ran.stderr.matches("is not trusted: no language server").count(), 1, "{ran:?}");

    // The same where the user said no.
    assert_eq!(scripted.env.run(&["trust", "--revoke"]).code, Some(0));
    scripted.env.write("package.json", r#"{ "name": "a" }"#);
    scripted.run(&["Go"]);
    assert_eq!(programs_that_ran(&scripted), [] as [&str; 0]);
}

#[test]
fn a_trusted_repositorys_programs_run() {
    let scripted = hostile_repository(1);
    let ran = scripted.run(&["Go"]);
    assert!(!ran.stderr.contains("is not trusted"), "{ran:?}");
    let seen = programs_that_ran(&scripted);
    assert!(seen.contains(&"bin/own-server") && seen.contains(&"node_modules/.bin/biome"), "{seen:?}");
}
