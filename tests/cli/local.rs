//! `copydesk models` and the servers of this machine: whatever responds or not, the command ends, lists what it can
//! trust, and sends no key to the wrong server.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use expect_test::expect;
use serde_json::{Value, json};

use super::environment::{TestEnvironment, USER_CONFIG};
use crate::model_server::ScriptedModelServer;

fn ollama(server: &ScriptedModelServer) -> TestEnvironment {
    TestEnvironment::new().with_providers(&["ollama"]).env("OLLAMA_HOST", server.url())
}

/// An environment with a server under this id at this address.
fn environment_with_server(id: &str, address: &str) -> TestEnvironment {
    let config = json!({ "provider": { id: { "options": { "baseURL": address } } } });
    TestEnvironment::new().with_files(&[(USER_CONFIG, &config.to_string())]).with_providers(&[id])
}

/// A server that sends this to the first client.
fn start_raw_server(answer: impl Into<Vec<u8>>) -> String {
    let answer = answer.into();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let _ = client.read(&mut [0; 4096]);
        let _ = client.write_all(&answer);
    });
    address
}

#[test]
fn ollama_is_found_where_its_variable_says() {
    let server = ScriptedModelServer::start();
    server.models(&["qwen3:8b", "gpt-oss:20b"]);
    ollama(&server).run(&["models"]).assert_output(&expect![[r#"
        Ollama  ready
          ollama/qwen3:8b
          ollama/gpt-oss:20b

        No model is chosen yet: set "model" in copydesk.jsonc, for example to "ollama/qwen3:8b".
    "#]]);
    let asked = server.all_requests();
    assert_eq!(asked.iter().map(|request| request.path.as_str()).collect::<Vec<_>>(), ["/v1/models"]);
    assert_eq!(asked[0].header("authorization"), None);
    // The bare form that Ollama itself accepts.
    let bare = server.url().replace("http://", "");
    let ran = TestEnvironment::new()
        .with_providers(&["ollama"])
        .env("OLLAMA_HOST", bare)
        .run(&["models", "ollama"]);
    assert!(ran.stdout.contains("ollama/qwen3:8b"), "{ran:?}");
}

#[test]
fn any_local_server_is_found_where_the_configuration_says() {
    let server = ScriptedModelServer::start();
    server.models(&["my-model"]);
    environment_with_server("lmstudio", &format!("{}/v1/", server.url())).run(&["models"]).assert_output(
        &expect![[r#"
        LM Studio  ready
          lmstudio/my-model

        No model is chosen yet: set "model" in copydesk.jsonc, for example to "lmstudio/my-model".
    "#]],
    );
}

#[test]
fn what_the_server_says_of_context_is_believed() {
    let server = ScriptedModelServer::start();
    server.page(
        "/models",
        200,
        json!({ "data": [
            { "id": "vllm-way", "owned_by": "vllm", "max_model_len": 4096 },
            { "id": "llamacpp-way", "owned_by": "llamacpp", "meta": { "n_ctx": 8192, "n_ctx_train": 131_072 } },
            { "id": "only-trained", "meta": { "n_ctx_train": 16_384 } },
            { "id": "gpt-oss-20b", "max_model_len": 32_768 },
            { "id": "says-nothing", "owned_by": null, "meta": null },
            { "id": "nothing-at-all", "max_model_len": 0 }
        ] }),
    );
    ollama(&server).run(&["models", "ollama"]).assert_output(&expect![[r#"
        Ollama  ready
          ollama/vllm-way           4k context
          ollama/llamacpp-way       8k context
          ollama/only-trained      16k context
          ollama/gpt-oss-20b       32k context
          ollama/says-nothing
          ollama/nothing-at-all

    "#]]);
    let report = ollama(&server).run(&["models", "--json"]).json();
    let context = |index: usize| report["providers"][0]["models"][index]["context"].clone();
    assert_eq!([context(0), context(1), context(2)], [json!(4096), json!(8192), json!(16_384)]);
    // A local server never gets a price from the catalogue.
    assert_eq!(report["providers"][0]["models"][3]["cost"], Value::Null);
}

#[test]
fn servers_that_share_a_port_are_told_apart_by_their_mark() {
    for (owner, expected) in
        [("llamacpp", "llama.cpp"), ("llama-swap", "llama-swap"), ("someone", "LocalAI"), ("vllm", "LocalAI")]
    {
        let server = ScriptedModelServer::start();
        server.page("/models", 200, json!({ "data": [{ "id": "m", "owned_by": owner }] }));
        let address = json!({ "options": { "baseURL": format!("{}/v1", server.url()) } });
        let ids = ["llama-swap", "llamacpp", "localai", "mlx"];
        let providers: serde_json::Map<_, _> =
            ids.iter().map(|id| ((*id).to_owned(), address.clone())).collect();
        let config = json!({ "provider": providers }).to_string();
        let report = TestEnvironment::new()
            .with_files(&[(USER_CONFIG, &config)])
            .with_providers(&ids)
            .run(&["models", "--json"])
            .json();
        let usable = report["providers"].as_array().unwrap().iter().filter(|one| one["state"] == "usable");
        let names: Vec<_> = usable.map(|one| one["name"].clone()).collect();
        assert_eq!(names, [expected], "owned by {owner}");
        assert_eq!(server.all_requests().len(), 1, "one address is asked once");
    }
}

#[test]
fn one_odd_entry_hides_none_of_the_others() {
    let server = ScriptedModelServer::start();
    let long = "x".repeat(1000);
    server.page(
        "/models",
        200,
        json!({ "data": [
            { "id": "good" }, { "name": "no id" }, { "id": 7 }, "text", null, { "id": "" }, { "id": long },
            { "id": "two words" }, { "id": "\u{1b}[2Jescape" }, { "id": "odd", "max_model_len": "4096" },
            { "id": "last" }
        ] }),
    );
    ollama(&server).run(&["models", "ollama"]).assert_output(&expect![[r#"
        Ollama  ready
          ollama/good
          ollama/last

    "#]]);
}

#[test]
fn what_is_no_list_of_models_is_not_believed() {
    let huge = json!({ "data": [{ "id": "m", "padding": "x".repeat(2 << 20) }] });
    for (status, body) in [
        (500, json!({ "data": [{ "id": "m" }] })),
        (404, json!({ "error": "no such page" })),
        (200, json!("<html>")),
        (200, json!({ "data": "m" })),
        (200, json!({ "models": [] })),
        (200, json!(null)),
        (200, huge),
    ] {
        let server = ScriptedModelServer::start();
        server.page("/models", status, body);
        let ran = ollama(&server).run(&["models", "ollama"]);
        assert_eq!(
            ran.stderr, "error: no server for ollama responds on this machine; is it running?\n",
            "{status}"
        );
        assert_eq!((ran.stdout.as_str(), ran.code), ("", Some(1)));
        assert_eq!(server.all_requests().len(), 1, "it was asked");
    }
    for answer in [
        b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 13\r\n\r\n<html></html>".as_slice(),
        b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{\"data\": [",
        b"SSH-2.0-OpenSSH_9.9\r\n",
        b"\xff\xfe\0\0",
        b"",
    ] {
        let ran = environment_with_server("ollama", &start_raw_server(answer)).run(&["models", "ollama"]);
        assert!(ran.stdout.starts_with("Ollama  Nothing answers at http://127.0.0.1:"), "{ran:?}");
        assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(0)));
    }
}

#[test]
fn a_redirect_is_not_followed() {
    let other = ScriptedModelServer::start();
    let answer =
        format!("HTTP/1.1 307 Elsewhere\r\nlocation: {}/v1/models\r\ncontent-length: 0\r\n\r\n", other.url());
    let ran = environment_with_server("ollama", &start_raw_server(answer)).run(&["models", "ollama"]);
    assert!(ran.stdout.contains("Nothing answers"), "{ran:?}");
    assert_eq!(other.all_requests().len(), 0);
}

#[test]
fn one_that_never_answers_is_not_waited_for() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    let env =
        TestEnvironment::new().with_providers(&["ollama", "groq"]).env("OLLAMA_HOST", address.to_string());
    env.run(&["models"]).assert_output(&expect![[r#"
        Not set up
          groq  set GROQ_API_KEY
        `copydesk auth add PROVIDER` stores a key; `copydesk models PROVIDER` says where to get one.

        No model is set up yet. The quickest ways: run `copydesk auth add anthropic` (or openai, google, openrouter, …), or start Ollama.
    "#]]);
    silent.set_nonblocking(true).unwrap();
    assert!(silent.accept().is_ok(), "it was asked");
}

#[test]
fn one_that_is_configured_and_not_running_is_told_of() {
    // Nothing listens on port 1.
    let env = environment_with_server("ollama", "http://127.0.0.1:1/v1");
    env.run(&["models"]).assert_output(&expect![[r#"
        Not set up
          ollama  Nothing answers at http://127.0.0.1:1/v1: is it running?
        `copydesk auth add PROVIDER` stores a key; `copydesk models PROVIDER` says where to get one.

        No model is set up yet. The quickest ways: run `copydesk auth add anthropic` (or openai, google, openrouter, …), or start Ollama.
    "#]]);
    env.run(&["models", "ollama"]).assert_output(&expect![[r#"
        Ollama  Nothing answers at http://127.0.0.1:1/v1: is it running?
          ollama/MODEL  any model of the server

    "#]]);
}

#[test]
fn a_password_in_an_address_is_not_shown() {
    let env =
        environment_with_server("ollama", "http://me:Hunter2-Hunter2@127.0.0.1:1/v1?key=Hunter2-Hunter2");
    for args in [["models", "ollama"], ["models", "--json"], ["config", "--json"]] {
        let ran = env.run(&args);
        assert!(ran.stdout.contains("127.0.0.1:1"), "{ran:?}");
        ran.assert_hides("Hunter2-Hunter2");
    }
}

#[test]
fn a_local_servers_key_goes_to_it_and_nowhere_else() {
    let server = ScriptedModelServer::start();
    let env = environment_with_server("vllm", &format!("{}/v1", server.url()))
        .env("VLLM_API_KEY", "vllm-Zy8Xw6Vu4Ts2")
        .env("OPENAI_API_KEY", "o");
    env.run(&["models"]).assert_hides("vllm-Zy8Xw6Vu4Ts2").assert_output(&expect![[r#"
        vLLM  key from $VLLM_API_KEY
          vllm/script-1

        No model is chosen yet: set "model" in copydesk.jsonc, for example to "vllm/script-1".
    "#]]);
    let keys: Vec<_> =
        server.all_requests().iter().map(|asked| asked.header("authorization").map(str::to_owned)).collect();
    assert_eq!(keys, [Some("Bearer vllm-Zy8Xw6Vu4Ts2".to_owned())]);
}

/// A proxy is only for other hosts.
#[test]
fn a_proxy_does_not_stand_between_us_and_this_machine() {
    let server = ScriptedModelServer::start();
    server.models(&["qwen3:8b"]);
    let dead = "http://127.0.0.1:9";
    let env = ollama(&server).env("HTTP_PROXY", dead).env("http_proxy", dead).env("ALL_PROXY", dead);
    let ran = env.run(&["models", "ollama"]);
    assert!(ran.stdout.contains("ollama/qwen3:8b"), "{ran:?}");
}
