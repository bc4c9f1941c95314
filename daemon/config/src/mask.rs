//! Masks secrets for display. Pure; when in doubt it hides.

/// Shorter secrets are hidden completely.
const SHOWN_FROM: usize = 16;

/// Enough of a secret to recognise it, too little to use it.
pub fn mask(secret: &str) -> String {
    match secret.chars().count() {
        0 => "(empty)".into(),
        length if length < SHOWN_FROM => "(set)".into(),
        length => format!("{}…({length} characters)", secret.chars().take(4).collect::<String>()),
    }
}

/// Whether a name suggests a secret.
pub(crate) fn looks_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    ["key", "token", "secret", "password", "passwd", "authorization", "bearer", "credential"]
        .iter()
        .any(|word| name.contains(word))
}

/// Masks parts of a text that look secret: the user part and query of a URL, and `--token=…`.
pub(crate) fn mask_secrets_in(text: &str) -> String {
    if let Some((scheme, rest)) = text.split_once("://") {
        return format!("{scheme}://{}", mask_url(rest));
    }
    match text.split_once('=') {
        Some((name, value)) if looks_secret(name) && !name.contains(char::is_whitespace) => {
            format!("{name}={}", mask(value))
        }
        _ => text.into(),
    }
}

fn mask_url(rest: &str) -> String {
    let (place, query) = match rest.find(['?', '#']) {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let (authority, path) = match place.find('/') {
        Some(at) => place.split_at(at),
        None => (place, ""),
    };
    let authority = match authority.rsplit_once('@') {
        Some((_, host)) => format!("…@{host}"),
        None => authority.into(),
    };
    format!("{authority}{path}{}", mask_query(query))
}

/// Masks all values, because parameter names do not tell which ones are secret.
fn mask_query(query: &str) -> String {
    query
        .split_inclusive(['&', '?', '#'])
        .map(|part| match part.split_once('=') {
            Some((name, value)) => {
                let end = value.rfind(['&', '?', '#']).map_or("", |at| value.get(at..).unwrap_or_default());
                format!("{name}=…{end}")
            }
            None => part.into(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_more_than_four_characters_are_shown() {
        assert_eq!(mask("sk-ant-0123456789"), "sk-a…(17 characters)");
        assert_eq!(mask("0123456789abcdef"), "0123…(16 characters)");
        assert_eq!(mask("0123456789abcde"), "(set)");
        assert_eq!(mask("äöüßäöüßäöüßäöüß"), "äöüß…(16 characters)");
        assert_eq!(mask(""), "(empty)");
    }

    #[test]
    fn secrets_are_known_by_their_form() {
        for (text, shown) in [
            ("https://host/v1", "https://host/v1"),
            ("https://me:pass@host:8080/v1", "https://…@host:8080/v1"),
            ("https://me:p@ss@host", "https://…@host"),
            ("https://host/v1?key=abc&x=1#y=2", "https://host/v1?key=…&x=…#y=…"),
            ("https://host/@scope/pkg", "https://host/@scope/pkg"),
            ("--api-key=abc", "--api-key=(set)"),
            ("--verbose=yes", "--verbose=yes"),
            ("the key = value of a sentence", "the key = value of a sentence"),
        ] {
            assert_eq!(mask_secrets_in(text), shown);
        }
    }
}
