//! Traits of model families, recognised by name. They apply to listed and unlisted models.
//!
//! `families.json` is the data: parts that a name must and must not contain, and the traits of such a model.
//! The first match counts.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// How a model prefers to change files; it is offered tools of that kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EditStyle {
    /// Replaces one text with another, or writes a whole file.
    #[default]
    Replace,
    /// Applies patches.
    Patch,
}

impl EditStyle {
    pub(crate) fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelFamily {
    with: Vec<String>,
    #[serde(default)]
    without: Vec<String>,
    edits: EditStyle,
}

// A test parses the data strictly; in production unreadable data is skipped, not fatal.
static FAMILIES: LazyLock<Vec<ModelFamily>> =
    LazyLock::new(|| serde_json::from_str(include_str!("families.json")).unwrap_or_default());

pub(super) fn edit_style(id: &str) -> EditStyle {
    let name = id.to_ascii_lowercase();
    let has = |part: &String| name.contains(part.as_str());
    let fits = |family: &&ModelFamily| family.with.iter().all(has) && !family.without.iter().any(has);
    FAMILIES.iter().find(fits).map(|family| family.edits).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_can_be_read() {
        let families: Vec<ModelFamily> = serde_json::from_str(include_str!("families.json")).unwrap();
        let names = families.iter().flat_map(|family| family.with.iter().chain(&family.without));
        assert!(names.clone().all(|name| !name.is_empty() && name.to_ascii_lowercase() == *name));
        assert!(families.iter().all(|family| !family.with.is_empty()));
    }

    #[test]
    fn models_of_the_gpt_family_patch() {
        for id in ["gpt-5", "gpt-5.3-codex", "openai/gpt-6.1-sol", "GPT-7", "my-gpt-5-deployment"] {
            assert_eq!(edit_style(id), EditStyle::Patch, "{id}");
        }
        let others = [
            "gpt-4o",
            "gpt-4.1-mini",
            "gpt-3.5-turbo",
            "openai/gpt-oss-120b",
            "claude-sonnet-5",
            "gemini-3",
            "o3",
            "",
        ];
        for id in others {
            assert_eq!(edit_style(id), EditStyle::Replace, "{id}");
        }
    }
}
