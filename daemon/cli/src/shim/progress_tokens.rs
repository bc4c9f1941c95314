//! Tracks `$/progress`, so that the shim can end it in the editor when a daemon goes without doing so.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// Tokens begun and not ended, as JSON text.
#[derive(Debug, Default)]
pub(super) struct ProgressTokens {
    tokens: Vec<String>,
}

#[derive(Deserialize)]
struct ShimProgress<'a> {
    #[serde(borrow)]
    params: ShimProgressParams<'a>,
}

#[derive(Deserialize)]
struct ShimProgressParams<'a> {
    #[serde(borrow)]
    token: &'a RawValue,
    #[serde(borrow)]
    value: ShimProgressValue<'a>,
}

#[derive(Deserialize)]
struct ShimProgressValue<'a> {
    #[serde(borrow)]
    kind: Cow<'a, str>,
}

impl ProgressTokens {
    /// Records a `$/progress` of the daemon.
    pub(super) fn note(&mut self, message: &[u8]) {
        let Ok(ShimProgress { params: ShimProgressParams { token, value } }) =
            serde_json::from_slice(message)
        else {
            return;
        };
        match &*value.kind {
            "begin" => self.tokens.push(token.get().to_owned()),
            "end" => self.tokens.retain(|open| open != token.get()),
            _ => {}
        }
    }

    /// An `end` for each open token, in the order of their `begin`.
    pub(super) fn ends(&mut self) -> impl Iterator<Item = String> {
        std::mem::take(&mut self.tokens).into_iter().map(|token| {
            let params = format!(r#"{{"token":{token},"value":{{"kind":"end"}}}}"#);
            format!(r#"{{"jsonrpc":"2.0","method":"$/progress","params":{params}}}"#)
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_has_not_ended_is_ended_once() {
        let mut progress = ProgressTokens::default();
        for (token, kind) in [
            (json!("a"), "begin"),
            (json!(1), "begin"),
            (json!("b"), "begin"),
            (json!(1), "end"),
            (json!("b"), "report"),
        ] {
            let value = json!({ "kind": kind, "title": "x" });
            let message = json!({ "method": "$/progress", "params": { "token": token, "value": value } });
            progress.note(message.to_string().as_bytes());
        }
        progress.note(br#"{"params":{"token":"partial result","value":[1, 2]}}"#);
        let ends = |progress: &mut ProgressTokens| -> Vec<serde_json::Value> {
            progress
                .ends()
                .map(|end| serde_json::from_str::<serde_json::Value>(&end).unwrap()["params"].clone())
                .collect()
        };
        let end = |token: &str| json!({ "token": token, "value": { "kind": "end" } });
        assert_eq!(ends(&mut progress), [end("a"), end("b")]);
        assert!(ends(&mut progress).is_empty());
    }
}
