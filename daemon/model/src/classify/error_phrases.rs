//! Known phrases in error texts. Texts are compared in lower case with every run of spaces, hyphens and
//! underscores as one space, so that `rate_limit`, `Rate limit` and `rate-limit` are equal.

use crate::error::ModelErrorKind;

const OVERFLOW: &[&str] = &[
    "context length exceeded",
    "maximum context length",
    "exceeds the context window",
    "exceed context size",
    "exceeds the available context size",
    "exceeds context window",
    "exceeded max context length",
    "context window exceeded",
    "exceed context limit",
    "exceeds the maximum number of tokens allowed",
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "input tokens exceed",
    "maximum prompt length",
    "reduce the length of the messages",
    "reduce the length of the input",
    "exceeded model token limit",
    "too large for model with",
    "range of input length should be",
    "request too large",
];

const QUOTA: &[&str] = &[
    "insufficient quota",
    "insufficient balance",
    "credit balance is too low",
    "billing hard limit",
    "exceeded your current quota, please check your plan",
    "billing error",
    "out of credits",
    "insufficient credits",
];

const RATE: &[&str] =
    &["rate limit", "ratelimit", "too many requests", "slow down", "tokens per minute", "throttl"];

const OVERLOADED: &[&str] = &[
    "overloaded",
    "resource exhausted",
    "service unavailable",
    "temporarily unavailable",
    "currently unavailable",
    "at capacity",
    "server is busy",
];

const TRANSIENT: &[&str] = &[
    "internal server error",
    "internal error",
    "server error",
    "api error",
    "provider returned error",
    "bad gateway",
    "gateway timeout",
    "terminated",
    "fetch failed",
    "failed to fetch",
    "connection refused",
    "connection reset",
    "connection error",
    "econnrefused",
    "econnreset",
    "etimedout",
    "eai again",
    "timed out",
    "timeout error",
    "retry your request",
    "try your request again",
    "malformed function call",
];

const KEY: &[&str] = &[
    "authentication error",
    "invalid api key",
    "incorrect api key",
    "unauthenticated",
    "api key not valid",
    "api key invalid",
];

/// The kind of a known error text or code.
pub fn classify_text(text: &str) -> Option<ModelErrorKind> {
    let text = fold(text);
    if text == "unavailable" {
        return Some(ModelErrorKind::Overloaded);
    }
    let holds = |words: &[&str]| words.iter().any(|word| contains_at_word_start(&text, word));
    [
        (OVERFLOW, ModelErrorKind::ContextOverflow),
        (QUOTA, ModelErrorKind::Quota),
        (KEY, ModelErrorKind::Key),
        (RATE, ModelErrorKind::RateLimited),
        (OVERLOADED, ModelErrorKind::Overloaded),
        (TRANSIENT, ModelErrorKind::Server),
    ]
    .into_iter()
    .find_map(|(words, kind)| holds(words).then_some(kind))
    .or_else(|| server_status(&text).then_some(ModelErrorKind::Server))
}

/// `unterminated` does not contain the word `terminated`.
fn contains_at_word_start(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        !before.is_some_and(char::is_alphanumeric)
    })
}

fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '-' | '_' | ' ' | '\t' | '\n' => {
                if !folded.ends_with(' ') {
                    folded.push(' ');
                }
            }
            other => folded.extend(other.to_lowercase()),
        }
    }
    folded
}

/// `status 524`, `status code: 502`: a gateway quotes the status of the server behind it.
fn server_status(text: &str) -> bool {
    text.match_indices("status").any(|(at, word)| {
        let rest = text.get(at + word.len()..).unwrap_or_default();
        let rest = rest.trim_start_matches(" code").trim_start_matches([' ', ':', '=']);
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.len() == 3 && digits.starts_with('5')
    })
}
