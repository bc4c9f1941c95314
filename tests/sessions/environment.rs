//! The environment of programs that a session starts: without the keys for models and searches.

use std::path::Path;

use serde_json::json;

use super::harness::ScriptedEnvironment;
use crate::cli::environment::BINARY;
use crate::model_server::ScriptedTurn;

const KEY: &str = "sk-ant-0123456789";
const TOKEN: &str = "corp-0123456789";

/// Records its environment beside the project, and continues with the rest.
fn command_recording_environment(name: &str, rest: &str) -> Vec<String> {
    let script = format!("env > ../{name}; {rest}");
    ["sh", "-c", &script].map(str::to_owned).into()
}

#[test]
fn programs_are_given_no_keys_unless_somebody_says_so() {
    let server = Path::new(BINARY).parent().unwrap().join("examples/language_server");
    let script = tempfile::tempdir().unwrap().keep().join("script.json");
    std::fs::write(&script, json!({ "pull": true, "push": "never" }).to_string()).unwrap();
    let serve = format!("exec {} {}", server.display(), script.display());
    let command = command_recording_environment("bash", "true")[2].clone();
    let turns = [
        ScriptedTurn::new().call(
            "c1",
            "edit",
            json!({ "filePath": "a.toy", "oldString": "two", "newString": "three" }),
        ),
        ScriptedTurn::new().call("c2", "bash", json!({ "command": command, "description": "Look" })),
        ScriptedTurn::new().text("Done."),
    ];
    let scripted = ScriptedEnvironment::with_config(
        turns,
        json!({
            "permission": "allow",
            "websearch": { "type": "exa", "enabled": false, "apiKey": "{env:SEARCH}" },
            "lsp": {
                "toy": { "command": command_recording_environment("server", &serve), "extensions": [".toy"] },
                "told": {
                    "command": command_recording_environment("told", &serve), "extensions": [".toy"], "beside": true,
                    "env": { "MISTRAL_API_KEY": "{env:MISTRAL_API_KEY}" }
                },
            },
            "checkers": { "c": { "command": command_recording_environment("checker", "true"), "extensions": [".toy"], "format": "lines" } },
            "formatter": { "f": { "command": command_recording_environment("formatter", "cat"), "extensions": [".toy"] } },
        }),
    );
    scripted.env.write("a.toy", "one\ntwo\n");
    let ScriptedEnvironment { env, server } = scripted;
    let env = env
        .env("ANTHROPIC_API_KEY", KEY)
        .env("MISTRAL_API_KEY", KEY)
        .env("SEARCH", TOKEN)
        .env("BY_ANOTHER_NAME", TOKEN)
        .env("HARMLESS", "12345678");
    let scripted = ScriptedEnvironment { env, server };
    let ran = scripted.run(&["Edit"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for program in ["bash", "server", "checker", "formatter"] {
        let given = scripted.env.read(&format!("../{program}"));
        assert!(given.contains("HARMLESS=12345678\n") && given.contains("HOME="), "{program}: {given}");
        assert!(!given.contains(KEY) && !given.contains(TOKEN), "{program}: {given}");
    }
    let told = scripted.env.read("../told");
    assert!(told.contains(&format!("MISTRAL_API_KEY={KEY}\n")) && !told.contains("ANTHROPIC"), "{told}");
}
