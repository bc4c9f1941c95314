//! How a compatible server differs from the original.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dialect {
    /// Chat: the field that limits the response.
    pub token_limit: TokenLimitField,
    /// Whether tool schemas are sent in strict form (every property required, no others allowed).
    pub strict: bool,
    /// Chat: whether `stream_options.include_usage` is accepted.
    pub stream_usage: DefaultFlag<true>,
    /// Chat: the field that returns earlier reasoning.
    pub reasoning_echo: ReasoningEcho,
    /// Chat: how a request sets the effort.
    pub effort: EffortField,
    pub schema: SchemaStyle,
    pub cache: CacheStyle,
    /// Chat: whether a tool result may contain images; otherwise they follow in their own message.
    pub tool_media: bool,
    pub call_id: CallIdFormat,
    /// Chat: whether a user message may directly follow a tool result.
    pub after_tool: AfterToolRole,
    /// Chat: the content of a message that has only calls.
    pub empty_content: EmptyContent,
    /// Chat: whether the system prompt has the role `developer`.
    pub developer_role: bool,
    /// How the key is sent; defaults to the wire's own scheme.
    pub auth: Option<AuthScheme>,
    /// Added to the URL.
    pub query: BTreeMap<String, String>,
    /// Merged into the body; these override our own keys.
    pub body: Map<String, Value>,
}

/// A bool with its default in the type, so that `Dialect` can derive `Default`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DefaultFlag<const DEFAULT: bool>(pub bool);

impl<const DEFAULT: bool> Default for DefaultFlag<DEFAULT> {
    fn default() -> Self {
        Self(DEFAULT)
    }
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$inner:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
        pub enum $name { $($(#[$inner])* #[serde(rename = $word)] $variant),* }
    };
}

words!(TokenLimitField {
    #[default]
    MaxTokens = "max_tokens",
    MaxCompletionTokens = "max_completion_tokens",
});

words!(ReasoningEcho {
    #[default]
    None = "none",
    ReasoningContent = "reasoning_content",
    Reasoning = "reasoning",
    ReasoningDetails = "reasoning_details",
});

words!(EffortField {
    #[default]
    ReasoningEffort = "reasoning_effort",
    ReasoningObject = "reasoning.effort",
    Thinking = "thinking",
    EnableThinking = "enable_thinking",
    None = "none",
});

words!(SchemaStyle {
    #[default]
    Plain = "plain",
    Moonshot = "moonshot",
    Gemini = "gemini",
});

words!(CacheStyle {
    #[default]
    None = "none",
    /// `prompt_cache_key` routes the requests of one session to one cache.
    Key = "key",
    /// `cache_control` on content, as on Anthropic's wire.
    Anthropic = "anthropic",
});

words!(CallIdFormat {
    #[default]
    Any = "any",
    /// Exactly nine letters and digits.
    Alnum9 = "alnum9",
});

words!(AfterToolRole {
    #[default]
    Any = "any",
    Assistant = "assistant",
});

words!(EmptyContent {
    #[default]
    Null = "null",
    Empty = "empty",
});

words!(AuthScheme {
    #[default]
    Bearer = "bearer",
    XApiKey = "x-api-key",
    XGoogApiKey = "x-goog-api-key",
    ApiKey = "api-key",
});

impl Dialect {
    /// Returns this dialect with some entries replaced. The error names the entry.
    pub fn with(&self, overrides: &Map<String, Value>) -> Result<Self, String> {
        let mut value = serde_json::to_value(self).map_err(|error| error.to_string())?;
        if let Value::Object(map) = &mut value {
            map.extend(overrides.iter().map(|(key, value)| (key.clone(), value.clone())));
        }
        serde_json::from_value(value).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_override_replaces_one_entry() {
        let Value::Object(overrides) =
            json!({ "token_limit": "max_completion_tokens", "stream_usage": false })
        else {
            unreachable!()
        };
        let dialect = Dialect { strict: true, ..Dialect::default() }.with(&overrides).unwrap();
        let expected = Dialect {
            strict: true,
            token_limit: TokenLimitField::MaxCompletionTokens,
            stream_usage: DefaultFlag(false),
            ..Dialect::default()
        };
        assert_eq!(dialect, expected);
    }

    #[test]
    fn a_wrong_override_says_what_there_is() {
        let check = |key: &str, value: Value| {
            Dialect::default().with(&Map::from_iter([(key.into(), value)])).unwrap_err()
        };
        assert!(check("tokenlimit", json!("x")).contains("`token_limit`"));
        assert!(check("effort", json!("x")).contains("`enable_thinking`"));
    }
}
