use std::time::{Duration, SystemTime};

use expect_test::{Expect, expect};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;

use super::{classify_text, from_response, from_stream};
use crate::error::ModelErrorKind;
use crate::provider::{ApiKey, Dialect, KeyOrigin, Provider, RequestTimeouts, SecretString, WireProtocol};
use crate::retry::{RetryPolicy, retry_after};

fn provider() -> Provider {
    Provider {
        id: "acme".into(),
        name: "Acme".into(),
        wire: WireProtocol::OpenaiChat,
        base_url: "https://api.acme.test/v1".into(),
        key: Some(ApiKey {
            secret: SecretString::new("sk-secret"),
            origin: KeyOrigin::Environment("ACME_API_KEY".into()),
        }),
        key_names: vec!["ACME_API_KEY".into()],
        headers: Vec::new(),
        query: Vec::new(),
        dialect: Dialect::default(),
        timeouts: RequestTimeouts::default(),
        is_local: false,
    }
}

#[track_caller]
fn check(status: u16, headers: &[(&'static str, &'static str)], body: &str, expected: Expect) {
    let pairs =
        headers.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
    let headers: HeaderMap = pairs.collect();
    let error = from_response(&provider(), "m-1", status, &headers, body.as_bytes());
    let retry = error.retry_after.map(|wait| format!(" after {} ms", wait.as_millis())).unwrap_or_default();
    expected.assert_eq(&format!("{:?}{retry}\n{error}", error.kind));
}

#[derive(Deserialize)]
struct Conformance {
    delay: Vec<DelayCase>,
    retryable: Vec<RetryCase>,
}

#[derive(Deserialize)]
struct DelayCase {
    id: String,
    attempt: u32,
    headers: std::collections::HashMap<String, String>,
    random: f64,
    expected_ms: u64,
}

#[derive(Deserialize)]
struct RetryCase {
    id: String,
    message: String,
    status: Option<u16>,
    body: Option<String>,
    retry: bool,
}

fn conformance() -> Conformance {
    serde_json::from_str(include_str!("../../../../tests/conformance/retry.json")).unwrap()
}

#[test]
fn conformance_of_the_delay() {
    let cases = conformance().delay;
    assert_eq!(cases.len(), 20);
    for case in cases {
        let header = |name: &str| case.headers.get(name).map(String::as_str);
        let asked = retry_after(header, SystemTime::now());
        let delay = RetryPolicy::default().delay(case.attempt, asked, case.random);
        assert_eq!(delay, Duration::from_millis(case.expected_ms), "{}", case.id);
    }
}

#[test]
fn conformance_of_what_is_tried_again() {
    let cases = conformance().retryable;
    assert_eq!(cases.len(), 31);
    for case in cases {
        let kind = match case.status {
            Some(status) => {
                let body = case.body.unwrap_or(case.message);
                from_response(&provider(), "m-1", status, &HeaderMap::new(), body.as_bytes()).kind
            }
            None => from_stream(&provider(), "m-1", "", &case.message).kind,
        };
        assert_eq!(kind.is_retryable(), case.retry, "{}: {kind:?}", case.id);
    }
}

#[test]
fn a_refused_key_says_which_one_and_what_to_set() {
    check(
        401,
        &[],
        r#"{"error":{"message":"Incorrect API key provided: sk-secret"}}"#,
        expect![[r#"
        Key
        Acme rejected the key from $ACME_API_KEY (401): Incorrect API key provided: (key)
        Set ACME_API_KEY, or run `copydesk auth add acme`."#]],
    );
    check(
        403,
        &[],
        r#"{"message":"no"}"#,
        expect![[r#"
        Forbidden
        Acme refused access (403): no
        The key may lack the right to use `m-1`. Set ACME_API_KEY, or run `copydesk auth add acme`."#]],
    );
}

#[test]
fn what_a_server_repeats_of_our_secrets_is_not_shown() {
    let mut provider = provider();
    provider.headers = vec![("X-Gateway".into(), SecretString::new("Token gw-0123456789 v2"))];
    provider.query = vec![("sig".into(), "signature-42".into())];
    let body = "You sent: Bearer sk-secret, X-Gateway: Token gw-0123456789 v2, ?sig=signature-42 (v2)";
    let error = from_response(&provider, "m-1", 400, &HeaderMap::new(), body.as_bytes());
    let shown =
        "Acme rejected the request (400): You sent: Bearer (key), X-Gateway: Token (key) v2, ?sig=(key) (v2)";
    assert_eq!(error.to_string(), shown);
}

#[test]
fn an_unknown_model_and_a_wrong_address_are_distinguished() {
    check(
        404,
        &[],
        r#"{"error":{"message":"model not found"}}"#,
        expect![[r#"
        NotFound
        Acme has no model `m-1` (404): model not found
        `copydesk models` lists what is usable; provider.acme.options.baseURL is https://api.acme.test/v1."#]],
    );
    check(
        404,
        &[],
        "<html>nginx</html>",
        expect![[r#"
        NotAModel
        The server at https://api.acme.test/v1 is not a model server (404): it returns a web page
        Check provider.acme.options.baseURL and any proxy in between."#]],
    );
    check(
        301,
        &[("location", "https://elsewhere.test/")],
        "",
        expect![[r#"
        NotAModel
        The server at https://api.acme.test/v1 is not a model server (301): it redirects to https://elsewhere.test/
        Check provider.acme.options.baseURL and any proxy in between."#]],
    );
    check(
        200,
        &[],
        r#"{"choices":[]}"#,
        expect![[r#"
        NotAModel
        The server at https://api.acme.test/v1 is not a model server (200): it returns JSON, not a stream
        Check provider.acme.options.baseURL and any proxy in between."#]],
    );
}

#[test]
fn waits_are_read_from_headers_and_bodies() {
    check(
        429,
        &[("retry-after", "2")],
        "{}",
        expect![[r#"
        RateLimited after 2000 ms
        Acme reports a rate limit (429): {}"#]],
    );
    let gemini = r#"[{"error":{"code":429,"message":"Quota exceeded for generate_content_free_tier_input_token_count","status":"RESOURCE_EXHAUSTED","details":[{"@type":"x"},{"retryDelay":"34.5s"}]}}]"#;
    check(
        429,
        &[],
        gemini,
        expect![[r#"
        RateLimited after 34500 ms
        Acme reports a rate limit (429): Quota exceeded for generate_content_free_tier_input_token_count"#]],
    );
}

#[test]
fn an_empty_account_is_not_asked_again() {
    check(
        429,
        &[],
        r#"{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","code":"insufficient_quota"}}"#,
        expect![[r#"
        Quota
        Acme reports that the account has no credit left (429): You exceeded your current quota, please check your plan and billing details."#]],
    );
}

/// Each known server words a context overflow differently.
#[test]
fn a_context_overflow_is_recognised_on_every_wire() {
    for text in [
        "prompt is too long: 210000 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000",
        r#"{"error":{"type":"request_too_large"}}"#,
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
        r#"{"error":{"code":"context_length_exceeded"}}"#,
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        "the request exceeds the available context size, try increasing it",
        r#"{"error":{"type":"exceed_context_size_error"}}"#,
        "prompt too long; exceeded max context length by 10 tokens",
        "Please reduce the length of the messages or completion.",
        "Invalid request: Your request exceeded model token limit: 262144",
        "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
        "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
    ] {
        assert_eq!(classify_text(text), Some(ModelErrorKind::ContextOverflow), "{text}");
        for status in [400, 413, 422, 500] {
            let error = from_response(&provider(), "m-1", status, &HeaderMap::new(), text.as_bytes());
            assert_eq!(
                (error.kind, error.kind.is_retryable()),
                (ModelErrorKind::ContextOverflow, false),
                "{status} {text}"
            );
        }
        assert_eq!(
            from_stream(&provider(), "m-1", "invalid_request_error", text).kind,
            ModelErrorKind::ContextOverflow
        );
    }
}

#[test]
fn ordinary_complaints_are_not_taken_for_passing_faults() {
    for text in [
        "Unterminated string in JSON at position 5",
        "invalid timeout parameter",
        "image is not available",
        "",
    ] {
        assert_eq!(classify_text(text), None, "{text}");
    }
}

#[test]
fn a_server_that_talks_without_end_is_cut_short() {
    let body = format!(r#"{{"error":{{"message":"{}"}}}}"#, "x ".repeat(5000));
    let error = from_response(&provider(), "m-1", 400, &HeaderMap::new(), body.as_bytes());
    assert!(error.message.len() < 600, "{}", error.message.len());
}

/// Gemini words a rate limit as other servers word an empty account.
#[test]
fn a_gemini_that_says_when_to_come_again_is_asked_again() {
    let body = r#"{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details. Please retry in 34.5s.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure"},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}"#;
    check(
        429,
        &[],
        body,
        expect![[r#"
            RateLimited after 34500 ms
            Acme reports a rate limit (429): You exceeded your current quota, please check your plan and billing details. Please retry in 34.5s."#]],
    );
}

/// The text ends up on a terminal.
#[test]
fn what_a_terminal_would_obey_is_not_shown() {
    check(
        400,
        &[],
        "{\"error\":\"a\\u001b]0;x\\u0007b\\u009b2J\"}",
        expect![[r#"
            BadRequest
            Acme rejected the request (400): a ]0;x b 2J"#]],
    );
}
