//! Failures below HTTP: no connection, a broken one, TLS, a proxy.

use std::error::Error as _;

use crate::error::{ModelError, ModelErrorKind};
use crate::provider::Provider;

pub(crate) fn from_transport(provider: &Provider, error: &reqwest::Error) -> ModelError {
    // The outermost text contains the address with its query, which may hold a key: show only the causes.
    let causes = causes(error);
    let reason = causes.last().cloned().unwrap_or_else(|| "no reason given".to_owned());
    let all = causes.join(" ").to_lowercase();
    let name = &provider.name;
    let address = provider.redacted_address();
    if error.is_builder() {
        return ModelError::invalid_settings(format!(
            "{address} is not a valid address: {reason}\nCheck provider.{}.options.baseURL.",
            provider.id
        ));
    }
    // An established TLS connection breaks like any other, and rustls mentions TLS in that error too. A
    // handshake that was cut off may succeed on retry.
    let cut = ["close_notify", "handshake eof", "reset by peer"].iter().any(|word| all.contains(word));
    let about_tls =
        ["certificate", "tls", "handshake", "corrupt message"].iter().any(|word| all.contains(word));
    if error.is_connect() && about_tls && !cut {
        return ModelError::new(
            ModelErrorKind::Tls,
            format!(
                "No secure connection to {name} at {address}: {reason}\nIf a proxy or a company's own certificate \
                 authority is in between, add its certificate to the system's store or name it in SSL_CERT_FILE; if the \
                 server speaks plain HTTP, write http:// in provider.{}.options.baseURL.",
                provider.id
            ),
        );
    }
    if error.is_connect() && all.contains("refused") && provider.is_loopback() && !all.contains("proxy") {
        return ModelError::new(
            ModelErrorKind::Down,
            format!("Nothing listens at {address}: is {name} running? ({reason})"),
        );
    }
    let proxy = if all.contains("proxy") || all.contains("tunnel") {
        "\nThe connection uses a proxy: check HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY."
    } else {
        ""
    };
    let what = if error.is_connect() { "cannot be reached" } else { "closed the connection" };
    ModelError::new(ModelErrorKind::Network, format!("{name} at {address} {what}: {reason}{proxy}"))
}

pub(crate) fn causes(error: &reqwest::Error) -> Vec<String> {
    let mut list = Vec::new();
    let mut cause = error.source();
    while let Some(error) = cause {
        list.push(error.to_string());
        cause = error.source();
    }
    list
}
