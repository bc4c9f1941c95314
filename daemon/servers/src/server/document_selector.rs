//! Which documents a server registers a capability for.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use serde_json::Value;

/// Filters in one selector; more are ignored.
const MAX_FILTERS: usize = 100;
/// Bytes of a pattern; a longer one matches nothing.
const MAX_PATTERN: usize = 1024;

/// A document matches if one of the filters matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DocumentSelector(Vec<DocumentFilter>);

#[derive(Debug, Clone)]
struct DocumentFilter {
    language: Option<String>,
    pattern: Option<GlobMatcher>,
}

impl PartialEq for DocumentFilter {
    fn eq(&self, other: &Self) -> bool {
        let glob = |filter: &Self| filter.pattern.as_ref().map(|pattern| pattern.glob().clone());
        self.language == other.language && glob(self) == glob(other)
    }
}

impl Eq for DocumentFilter {}

impl DocumentSelector {
    /// `None` if the value is no list. A filter that is not understood, or for other than files, matches nothing.
    pub(super) fn read(selector: &Value) -> Option<Self> {
        let filters = selector.as_array()?.iter().take(MAX_FILTERS);
        Some(Self(filters.filter_map(DocumentFilter::read).collect()))
    }

    pub(super) fn is_match(&self, path: &Path, language: Option<&str>) -> bool {
        self.0.iter().any(|filter| {
            let is_language =
                filter.language.as_deref().is_none_or(|wanted| wanted == "*" || Some(wanted) == language);
            is_language && filter.pattern.as_ref().is_none_or(|pattern| pattern.is_match(path))
        })
    }
}

impl DocumentFilter {
    fn read(filter: &Value) -> Option<Self> {
        // The short form of older servers is the language alone.
        if let Some(language) = filter.as_str() {
            return Some(Self { language: Some(language.to_owned()), pattern: None });
        }
        let text = |name| filter.get(name).and_then(Value::as_str);
        let is_file = filter.is_object() && text("scheme").is_none_or(|scheme| scheme == "file");
        let pattern = match text("pattern").filter(|_| is_file) {
            Some(pattern) if pattern.len() > MAX_PATTERN => return None,
            Some(pattern) => {
                Some(GlobBuilder::new(pattern).literal_separator(true).build().ok()?.compile_matcher())
            }
            None => None,
        };
        is_file.then(|| Self { language: text("language").map(str::to_owned), pattern })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_document_matches_by_its_language_and_its_path() {
        let selector = |value: Value| DocumentSelector::read(&value).unwrap();
        for (filters, expected) in [
            (json!([{ "language": "css" }]), [false, true]),
            (json!([{ "language": "css" }, { "language": "html", "scheme": "file" }]), [true, true]),
            (json!([{ "language": "html", "scheme": "untitled" }]), [false, false]),
            (json!([{ "pattern": "**/*.html" }]), [true, false]),
            (json!([{ "pattern": "**/*.html", "language": "css" }]), [false, false]),
            (json!(["html"]), [true, false]),
            (json!(["*"]), [true, true]),
            (json!([7, { "pattern": "[" }, {}]), [true, true]),
            (json!([7]), [false, false]),
        ] {
            let found = [("/w/a.html", "html"), ("/w/b.css", "css")]
                .map(|(path, language)| selector(filters.clone()).is_match(Path::new(path), Some(language)));
            assert_eq!(found, expected, "{filters}");
        }
        assert!(DocumentSelector::read(&Value::Null).is_none());
    }
}
