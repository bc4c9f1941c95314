//! `copydesk/provider/list` and `copydesk/provider/setKey`: a user sets up a provider in an editor.

use serde_json::{Value, json};

use super::scripted_editor::ScriptedEditor;
use crate::cli::environment::{KEYS_FILE, TestEnvironment, USER_CONFIG};
use crate::daemon::stdio_editor::LOG;
use crate::model_server::{ScriptedModelServer, ScriptedTurn, ScriptedWire};
use crate::sessions::harness::{DaemonGuard, RunLocation, ScriptedEnvironment};

const LIST: &str = "copydesk/provider/list";
const SET_KEY: &str = "copydesk/provider/setKey";
const KEY: &str = "gsk_Zy8Xw6Vu4Ts2Rq0P";

/// Three providers: one at the scripted server, one without a key, and a server of this machine.
fn start(turns: &[&str]) -> (DaemonGuard, ScriptedEditor, ScriptedEnvironment) {
    let server = ScriptedModelServer::start_with(turns.iter().map(|text| ScriptedTurn::new().text(*text)));
    server.models(&["qwen3:8b"]);
    let address = server.base_url(ScriptedWire::Chat);
    // The titles of sessions are not asked for at the scripted server.
    let config = json!({ "lsp": false, "small_model": "offline/offline", "provider": { "groq": { "options": { "baseURL": address } } } });
    let env = TestEnvironment::new()
        .with_files(&[(USER_CONFIG, &config.to_string())])
        .with_providers(&["groq", "anthropic", "xai", "ollama", "offline"])
        .env("OLLAMA_HOST", server.url())
        .env("XAI_API_KEY", "from-the-environment")
        .env("COPYDESK_LOG", "trace");
    env.trust_project();
    let scripted = ScriptedEnvironment { env, server };
    let daemon = scripted.start_daemon(RunLocation::Daemon).unwrap();
    let editor = ScriptedEditor::new(&scripted.env, "e");
    (daemon, editor, scripted)
}

fn model_ids(listed: &Value) -> Vec<&str> {
    listed["models"].as_array().unwrap().iter().filter_map(|model| model["id"].as_str()).collect()
}

#[test]
fn what_can_be_set_up_is_listed_with_the_servers_of_this_machine() {
    let (_daemon, mut editor, _scripted) = start(&[]);
    let listed = editor.request_ok(LIST, json!({}));
    let missing = listed["providers"][3]["missing"].as_str().unwrap();
    assert!(missing.contains("No key for Anthropic"), "{missing}");
    assert_eq!(
        listed,
        json!({ "providers": [
            { "id": "groq", "name": "Groq", "usable": true, "keyPage": "https://console.groq.com/keys" },
            { "id": "ollama", "name": "Ollama", "local": true, "usable": true },
            { "id": "xai", "name": "xAI", "usable": true, "key": "$XAI_API_KEY", "keyPage": "https://console.x.ai" },
            { "id": "anthropic", "name": "Anthropic", "usable": false, "missing": missing, "keyPage": "https://platform.claude.com/settings/keys" },
        ] })
    );
    // No port is asked unless the user opens the list.
    let models = editor.request_ok("copydesk/models", json!({}));
    assert!(!model_ids(&models).contains(&"ollama/qwen3:8b"), "{models}");
    let models = editor.request_ok("copydesk/models", json!({ "local": true }));
    assert!(model_ids(&models).contains(&"ollama/qwen3:8b"), "{models}");
}

#[test]
fn a_key_counts_from_the_next_turn_and_shows_nowhere() {
    let (_daemon, mut editor, scripted) = start(&["Here I am."]);
    let session = editor.new_session();
    editor.load(&session);
    let set = |key: &str| json!({ "provider": "groq", "key": key });
    assert_eq!(editor.request_ok(SET_KEY, set("gsk_an_older_one")), json!({ "replaced": false }));
    assert_eq!(editor.request_ok(SET_KEY, set(&format!("  {KEY}\n"))), json!({ "replaced": true }));
    let stored: Value = serde_json::from_str(&scripted.env.read(KEYS_FILE)).unwrap();
    assert_eq!(stored, json!({ "groq": { "type": "api", "key": KEY } }));
    assert_eq!(scripted.env.mode(KEYS_FILE), 0o600);

    editor.request_ok("copydesk/session/setModel", json!({ "session": session, "model": "groq/any" }));
    editor.run_turn(&session, "Who are you?");
    let asked = scripted.server.requests();
    assert_eq!(asked[0].header("authorization"), Some(format!("Bearer {KEY}").as_str()));

    let listed = editor.request_ok(LIST, json!({}));
    let groq = listed["providers"].as_array().unwrap().iter().find(|one| one["id"] == "groq").unwrap();
    assert_eq!(groq["key"], "`copydesk auth`");
    let log = scripted.env.read(LOG);
    assert!(log.contains("DEBUG"), "the log is not as detailed as can be");
    for (place, text) in [
        ("the log", log),
        ("the session", editor.load(&session).to_string()),
        ("the list", listed.to_string()),
    ] {
        assert!(!text.contains(KEY), "{place} shows the key");
    }
}

#[test]
fn what_is_no_key_is_refused_and_another_key_that_wins_is_named() {
    let (_daemon, mut editor, scripted) = start(&[]);
    let too_long = "k".repeat(16 * 1024 + 1);
    for (provider, key, said) in [
        ("groq", "  ", "no key was given"),
        ("groq", "gsk_Hidden key", "no spaces or control characters"),
        ("groq", "gsk_Hidden\u{1b}", "no spaces or control characters"),
        ("groq", &too_long, "at most 16384 bytes"),
        ("grok", "gsk_Hidden", "There is no provider `grok`. Did you mean `groq`?"),
        ("cerebras", "gsk_Hidden", "is disabled"),
    ] {
        let (_, message) = editor.request_error(SET_KEY, json!({ "provider": provider, "key": key }));
        assert!(message.contains(said) && !message.contains("Hidden"), "{message}");
    }
    assert!(!scripted.env.exists(KEYS_FILE));
    let set = editor.request_ok(SET_KEY, json!({ "provider": "xai", "key": KEY }));
    assert_eq!(set, json!({ "replaced": false, "overriddenBy": "$XAI_API_KEY" }));
}
