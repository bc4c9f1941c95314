//! Permanent errors: reported at once, to the one who can act, and never retried.

use copydesk_model::{StreamLimits, WireProtocol};
use serde_json::json;

use super::harness::{TestModelOptions, hello, on_every_wire};
use super::tls;
use crate::model_server::{ScriptedErrorKind, ScriptedModelServer, ScriptedTurn};

#[tokio::test]
async fn refusals_are_named_and_final_on_every_wire() {
    for (failure, message, kind) in [
        (ScriptedErrorKind::Unauthorized, "API key not valid. Please pass a valid API key.", "Key"),
        (ScriptedErrorKind::Forbidden, "No.", "Forbidden"),
        (ScriptedErrorKind::NotFound, "No such model", "NotFound"),
        (ScriptedErrorKind::ContextTooLong, "prompt is too long: 9 tokens > 8 maximum", "ContextOverflow"),
        (ScriptedErrorKind::Invalid, "max_tokens must be positive", "BadRequest"),
    ] {
        on_every_wire(|| vec![ScriptedTurn::failure(failure, message)], &format!("error {kind}")).await;
    }
    // Gemini has one code for an empty account and for a rate limit.
    for wire in [WireProtocol::Anthropic, WireProtocol::OpenaiChat, WireProtocol::OpenaiResponses] {
        let server =
            ScriptedModelServer::start_with([ScriptedTurn::failure(ScriptedErrorKind::Quota, "No credit")]);
        assert_eq!(
            TestModelOptions::new(wire, &server).collect_answer(&hello()).await.transcript(),
            "error Quota\n",
            "{}",
            wire.name()
        );
    }
}

#[tokio::test]
async fn an_overflow_inside_the_stream_is_named_too() {
    for wire in WireProtocol::ALL {
        let server = ScriptedModelServer::start_with([
            ScriptedTurn::new().error(ScriptedErrorKind::ContextTooLong, "prompt is too long")
        ]);
        assert_eq!(
            TestModelOptions::new(wire, &server).collect_answer(&hello()).await.transcript(),
            "error ContextOverflow\n",
            "{}",
            wire.name()
        );
    }
}

#[tokio::test]
async fn a_refused_key_is_named_and_not_shown() {
    let server = ScriptedModelServer::start_with([ScriptedTurn::json_error(
        401,
        json!({ "error": { "message": "Bad key sk-test" } }),
    )]);
    let error = TestModelOptions::new(WireProtocol::OpenaiChat, &server)
        .collect_answer(&hello())
        .await
        .error
        .unwrap();
    assert_eq!(
        error.message,
        "Script rejected the key from the configuration (401): Bad key (key)\nRun `copydesk auth add script`."
    );
}

#[tokio::test]
async fn what_is_no_model_server_is_told_from_one() {
    on_every_wire(|| vec![ScriptedTurn::html()], "error NotAModel").await;
    on_every_wire(|| vec![ScriptedTurn::status(404).body("<h1>404</h1>")], "error NotAModel").await;
    on_every_wire(|| vec![ScriptedTurn::status(200).body(json!({ "ok": true }))], "error NotAModel").await;
}

/// A redirect would take the key along.
#[tokio::test]
async fn a_redirect_is_told_and_not_followed() {
    for wire in WireProtocol::ALL {
        let elsewhere = ScriptedModelServer::start();
        let server = ScriptedModelServer::start_with([ScriptedTurn::redirect(307, elsewhere.url())]);
        let error = TestModelOptions::new(wire, &server).collect_answer(&hello()).await.error.unwrap();
        assert!(error.message.contains(&format!("it redirects to {}", elsewhere.url())), "{error}");
        assert_eq!(elsewhere.all_requests(), []);
    }
}

#[tokio::test]
async fn a_server_without_end_is_left() {
    let limits = StreamLimits { event: 100_000, answer: 100_000, ..StreamLimits::default() };
    for wire in WireProtocol::ALL {
        for turn in [ScriptedTurn::endless_body(), ScriptedTurn::endless_text()] {
            let server = ScriptedModelServer::start_with([turn]);
            let error = TestModelOptions { limits, ..TestModelOptions::new(wire, &server) }
                .collect_answer(&hello())
                .await
                .error
                .unwrap();
            assert_eq!(error.kind, copydesk_model::ModelErrorKind::TooLarge, "{} {error}", wire.name());
        }
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let peer =
        TestModelOptions::with_base_url(WireProtocol::OpenaiChat, format!("http://127.0.0.1:{port}/v1"));
    let answer = peer.collect_answer(&hello()).await;
    assert_eq!(answer.transcript(), "error Down\n");
    let message = answer.error.unwrap().message;
    assert!(
        message.starts_with(&format!("Nothing listens at http://127.0.0.1:{port}/v1: is Script running?")),
        "{message}"
    );
}

#[tokio::test]
async fn a_name_that_nobody_has_is_tried_again_and_then_told() {
    let peer =
        TestModelOptions::with_base_url(WireProtocol::Anthropic, "http://no-such-host.invalid/v1".into());
    let answer = peer.collect_answer(&hello()).await;
    assert_eq!(answer.transcript(), "retry 1 Network\nretry 2 Network\nerror Network\n");
    assert!(
        answer.error.unwrap().message.contains("Script at http://no-such-host.invalid/v1 cannot be reached")
    );
}

/// A server of plain HTTP, like many local ones, and one with an untrusted certificate.
#[tokio::test]
async fn a_failed_handshake_says_what_to_look_at() {
    for server in [tls::start_plain_http().await, tls::start_self_signed().await] {
        let peer = TestModelOptions::with_base_url(
            WireProtocol::OpenaiResponses,
            format!("https://localhost:{}/v1", server.port()),
        );
        let answer = peer.collect_answer(&hello()).await;
        assert_eq!(answer.transcript(), "error Tls\n", "{:?}", answer.error);
        let message = answer.error.unwrap().message;
        assert!(message.starts_with("No secure connection to Script at https://localhost:"), "{message}");
        assert!(message.contains("SSL_CERT_FILE"), "{message}");
    }
}

#[tokio::test]
async fn a_dead_proxy_is_named() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let proxy = reqwest::Proxy::all(format!("http://127.0.0.1:{port}")).unwrap();
    let http = reqwest::Client::builder().proxy(proxy).build().unwrap();
    let ordinary =
        TestModelOptions::with_base_url(WireProtocol::Gemini, "https://api.example.invalid/v1".into());
    let (model, policy) = (ordinary.model().unwrap(), ordinary.policy);
    let model = copydesk_model::Model::new(model.provider().clone(), model.spec().clone(), http, policy);
    let mut events = model.stream(&hello()).unwrap();
    let mut last = None;
    while let Some(event) = events.next().await {
        last = Some(event);
    }
    let error = last.unwrap().unwrap_err();
    assert!(error.message.contains("HTTPS_PROXY"), "{error}");
}

#[tokio::test]
async fn settings_that_cannot_be_sent_are_refused_before_anything_is() {
    let server = ScriptedModelServer::start();
    let mut peer = TestModelOptions::new(WireProtocol::OpenaiChat, &server);
    peer.key = Some("two\nlines");
    let message = peer.collect_answer(&hello()).await.error.unwrap().message;
    assert!(message.contains("contains invalid characters") && !message.contains("two"), "{message}");
    for (address, word) in
        [("not an address", "is not a valid address"), ("ftp://x.test", "must begin with http")]
    {
        let message = TestModelOptions::with_base_url(WireProtocol::Anthropic, address.into())
            .collect_answer(&hello())
            .await
            .error
            .unwrap()
            .message;
        assert!(message.contains("provider.script.options.baseURL") && message.contains(word), "{message}");
    }
}
