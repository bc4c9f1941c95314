//! Translates the configuration into the settings of the web tools.
//!
//! Only the user's own and trusted configuration counts: a project must not open the private network to a
//! model, nor name a search engine that gets the user's key and queries.

use std::time::Duration;

use copydesk_config::{AllowPrivateConfig, ConfigSecret, LoadedConfig, SearchEngineConfig, SearchEngineKind};
use copydesk_tool::web::{PrivateHosts, Proxies, SearchEndpoint, SearchProtocol, WebAccess, system_lookup};
use serde_json::{Map, Value};
use url::Url;

use crate::time_limits::{CODE_SEARCH_TIMEOUT, WEB_SEARCH_TIMEOUT};

const EXA: &str = "https://mcp.exa.ai/mcp";

/// What differs between web search and code search.
struct SearchPreset {
    key: &'static str,
    tool: &'static str,
    /// The argument by which a model says how much it wants.
    number: &'static str,
    timeout: Duration,
}

const WEB: SearchPreset = SearchPreset {
    key: "websearch",
    tool: "web_search_exa",
    number: "numResults",
    timeout: WEB_SEARCH_TIMEOUT,
};
const CODE: SearchPreset = SearchPreset {
    key: "codesearch",
    tool: "get_code_context_exa",
    number: "tokensNum",
    timeout: CODE_SEARCH_TIMEOUT,
};

pub(crate) fn web_settings(loaded: &LoadedConfig) -> WebAccess {
    for key in ["webfetch", WEB.key, CODE.key] {
        if let Some(origin) = loaded.merged.untrusted_origin(&[key]) {
            loaded.warn(format_args!(
                "{origin}: `{key}` is ignored: this project is not trusted. Review the file, then run `copydesk trust`."
            ));
        }
    }
    let own = &loaded.trusted_config;
    WebAccess {
        private: match &own.webfetch.allow_private {
            None | Some(AllowPrivateConfig::All(false)) => PrivateHosts::None,
            Some(AllowPrivateConfig::All(true)) => PrivateHosts::All,
            Some(AllowPrivateConfig::Hosts(hosts)) => PrivateHosts::Hosts(hosts.clone()),
        },
        proxies: Proxies::of_system(),
        resolver: system_lookup(),
        websearch: WEB.endpoint(loaded, &own.websearch),
        codesearch: CODE.endpoint(loaded, &own.codesearch),
    }
}

impl SearchPreset {
    fn endpoint(&self, loaded: &LoadedConfig, engine: &SearchEngineConfig) -> Option<SearchEndpoint> {
        let kind = engine.kind.filter(|_| engine.enabled != Some(false) && engine.missing_key().is_none())?;
        let headers = engine.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let timeout = engine.timeout.map_or(self.timeout, |limit| Duration::from_millis(limit.get()));
        let arguments = || engine.arguments.clone().unwrap_or_else(|| self.arguments());
        let (url, protocol) = match kind {
            SearchEngineKind::Exa => {
                let tool = engine.tool.clone().unwrap_or_else(|| self.tool.to_owned());
                (self.exa(loaded, engine, &tool)?, SearchProtocol::Mcp { tool, arguments: arguments() })
            }
            SearchEngineKind::Mcp => (
                engine.url.clone()?,
                SearchProtocol::Mcp { tool: engine.tool.clone()?, arguments: arguments() },
            ),
            SearchEngineKind::Json => {
                let body = engine.body.clone().map(Value::Object);
                (engine.url.clone()?, SearchProtocol::Json { body, results: engine.results.clone() })
            }
        };
        Some(SearchEndpoint { url, headers, timeout, protocol })
    }

    fn arguments(&self) -> Map<String, Value> {
        let name = |name: &str| (name.to_owned(), Value::String(format!("{{{name}}}")));
        [name("query"), name(self.number)].into_iter().collect()
    }

    /// Exa takes the key and the wanted tool in the address.
    fn exa(&self, loaded: &LoadedConfig, engine: &SearchEngineConfig, tool: &str) -> Option<ConfigSecret> {
        let written = engine.url.as_ref().map_or(EXA, |url| url.expose());
        let Ok(mut url) = Url::parse(written) else {
            loaded.warn(format_args!("`{}.url` is not a valid address: the search is disabled", self.key));
            return None;
        };
        // An unset variable is an empty key: none.
        if let Some(key) = engine.api_key.as_ref().filter(|key| !key.expose().is_empty()) {
            url.query_pairs_mut().append_pair("exaApiKey", key.expose());
        }
        url.query_pairs_mut().append_pair("tools", tool);
        Some(ConfigSecret::from(url.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config_fixture::ConfigFixture;

    fn endpoint(search: &SearchPreset, written: Value) -> Option<SearchEndpoint> {
        let configured = ConfigFixture::new("{}", "{}", |_| None);
        search.endpoint(&configured.loaded, &serde_json::from_value(written).unwrap())
    }

    #[test]
    fn engines_are_what_was_written() {
        let exa = endpoint(&CODE, json!({ "type": "exa", "apiKey": "a&b", "timeout": 5000 })).unwrap();
        assert_eq!(exa.url.expose(), "https://mcp.exa.ai/mcp?exaApiKey=a%26b&tools=get_code_context_exa");
        assert_eq!(exa.timeout, Duration::from_secs(5));
        let arguments =
            json!({ "query": "{query}", "tokensNum": "{tokensNum}" }).as_object().cloned().unwrap();
        assert_eq!(exa.protocol, SearchProtocol::Mcp { tool: "get_code_context_exa".into(), arguments });
        // An unset variable.
        let free = endpoint(&WEB, json!({ "type": "exa", "apiKey": "" })).unwrap();
        assert_eq!(free.url.expose(), "https://mcp.exa.ai/mcp?tools=web_search_exa");

        let mcp =
            json!({ "type": "mcp", "url": "https://host/", "tool": "find", "arguments": { "q": "{query}" } });
        let arguments = json!({ "q": "{query}" }).as_object().cloned().unwrap();
        assert_eq!(
            endpoint(&WEB, mcp).unwrap().protocol,
            SearchProtocol::Mcp { tool: "find".into(), arguments }
        );
        let written =
            json!({ "type": "json", "url": "https://host/", "body": { "q": "{query}" }, "results": "a.b" });
        let body = Some(json!({ "q": "{query}" }));
        assert_eq!(
            endpoint(&WEB, written).unwrap().protocol,
            SearchProtocol::Json { body, results: Some("a.b".into()) }
        );
    }

    #[test]
    fn what_is_off_or_not_complete_is_no_engine() {
        for written in [
            json!({}),
            json!({ "type": "exa", "enabled": false }),
            json!({ "type": "exa", "url": "no address" }),
            json!({ "type": "mcp", "url": "https://host/" }),
            json!({ "type": "mcp", "tool": "find" }),
            json!({ "type": "json" }),
            json!({ "url": "https://host/" }),
        ] {
            assert_eq!(endpoint(&WEB, written.clone()), None, "{written}");
        }
    }
}
