//! The four wires, and which route belongs to which.

use serde::Deserialize;
use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ScriptedWire {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions, and everything that imitates it.
    Chat,
    /// OpenAI Responses.
    Responses,
    /// Gemini `streamGenerateContent`.
    Gemini,
}

impl ScriptedWire {
    pub(crate) const ALL: [Self; 4] = [Self::Anthropic, Self::Chat, Self::Responses, Self::Gemini];

    /// The wire of a POST to `path`. The version is part of Anthropic's route, so that a client with a wrong address
    /// gets a 404 here, too.
    pub(crate) fn from_path(path: &str) -> Option<Self> {
        if path.ends_with("/v1/messages") {
            Some(Self::Anthropic)
        } else if path.ends_with("/chat/completions") {
            Some(Self::Chat)
        } else if path.ends_with("/responses") {
            Some(Self::Responses)
        } else if path.contains("/models/") && path.ends_with(":streamGenerateContent") {
            Some(Self::Gemini)
        } else {
            None
        }
    }

    /// The `baseURL` that a user would configure, without the host.
    pub(crate) fn base_path(self) -> &'static str {
        match self {
            Self::Anthropic | Self::Chat | Self::Responses => "/v1",
            Self::Gemini => "/v1beta",
        }
    }

    /// The path that a client of this wire posts to, without the host.
    pub(crate) fn path(self, model: &str) -> String {
        let base = self.base_path();
        match self {
            Self::Anthropic => format!("{base}/messages"),
            Self::Chat => format!("{base}/chat/completions"),
            Self::Responses => format!("{base}/responses"),
            Self::Gemini => format!("{base}/models/{model}:streamGenerateContent"),
        }
    }
}

/// The parts of a request that shape its response.
#[derive(Clone, Debug)]
pub(crate) struct RequestSummary {
    pub(crate) wire: ScriptedWire,
    pub(crate) model: String,
    /// The number of this model request, from 1; every id in the response is made of it.
    pub(crate) number: usize,
    /// Chat reports usage only if the client sets `stream_options.include_usage`.
    pub(crate) include_usage: bool,
}

impl RequestSummary {
    /// `Err` says why no real server would respond with a stream.
    pub(crate) fn parse_request(
        wire: ScriptedWire,
        path: &str,
        query: &str,
        body: &Value,
        number: usize,
    ) -> Result<Self, String> {
        if !body.is_object() {
            return Err("the body is not a JSON object".to_owned());
        }
        let model = if wire == ScriptedWire::Gemini {
            if !query.split('&').any(|pair| pair == "alt=sse") {
                return Err("streamGenerateContent without alt=sse answers with one JSON array".to_owned());
            }
            let name = path.rsplit('/').next().unwrap_or_default();
            name.trim_end_matches(":streamGenerateContent").to_owned()
        } else {
            if body["stream"] != Value::Bool(true) {
                return Err("the request does not say \"stream\": true".to_owned());
            }
            body["model"].as_str().ok_or("the request names no model")?.to_owned()
        };
        let include_usage = body["stream_options"]["include_usage"] == Value::Bool(true);
        Ok(Self { wire, model, number, include_usage })
    }
}
