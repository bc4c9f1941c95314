//! Fetches a text from the web through the shared clients: it sends no key and follows no redirects.

use crate::classify::causes;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedText {
    pub text: String,
    /// The body was longer than the limit.
    pub is_truncated: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    #[error("is not an http:// or https:// address")]
    InvalidAddress,
    #[error("answered with status {0}")]
    Status(u16),
    #[error("cannot be fetched: {0}")]
    Transport(String),
}

pub(crate) async fn fetch(
    client: Result<reqwest::Client, FetchError>,
    address: String,
    most: usize,
) -> Result<FetchedText, FetchError> {
    let url = reqwest::Url::parse(&address).map_err(|_| FetchError::InvalidAddress)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(FetchError::InvalidAddress);
    }
    // Only the causes: the outermost text contains the address, which may hold a password.
    let line = |error: reqwest::Error| {
        FetchError::Transport(causes(&error).pop().unwrap_or_else(|| "no reason given".to_owned()))
    };
    let mut response = client?.get(url).send().await.map_err(line)?;
    if !response.status().is_success() {
        return Err(FetchError::Status(response.status().as_u16()));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(line)? {
        body.extend_from_slice(&chunk);
        if body.len() > most {
            break;
        }
    }
    let is_cut = body.len() > most;
    body.truncate(most);
    let mut text = String::from_utf8_lossy(&body).into_owned();
    if is_cut && text.ends_with(char::REPLACEMENT_CHARACTER) {
        text.pop();
    }
    Ok(FetchedText { text, is_truncated: is_cut })
}
