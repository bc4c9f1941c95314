//! Keys that the configuration accepts but that no code reads yet. The loader warns about them, so that no user
//! relies on one.
//!
//! When you make a key work, remove it from [`KEYS_WITHOUT_EFFECT`] and change its row in `CONFIGURATION.md`.

use crate::{
    error::FileWarnings,
    tree::{ConfigNode, ConfigNodeKind, ConfigPathStep, ObjectEntry, format_path},
};

/// By path; `*` is any name.
const KEYS_WITHOUT_EFFECT: &[&[&str]] = &[
    &["command"],
    &["mcp"],
    &["skills"],
    &["attachment"],
    &["agent", "*", "color"],
    &["provider", "*", "models", "*", "modalities", "output"],
];

/// Warns once for each key that the file sets. In a file written for OpenCode it warns only about top-level keys:
/// the others merely decorate or describe, and are common there.
pub(crate) fn warn_keys_without_effect(root: &ConfigNode, warnings: &mut FileWarnings) {
    for pattern in KEYS_WITHOUT_EFFECT {
        let mut path = Vec::new();
        let Some(entry) = first_match(root, pattern, &mut path) else { continue };
        if pattern.len() == 1 || !entry.key_origin.file.is_opencode {
            let path = format_path(path);
            warnings.add(&entry.key_origin, || format!("`{path}` has no effect yet"));
        }
    }
}

/// The first entry that matches and is not `null`; `path` leads to it.
fn first_match<'a>(
    node: &'a ConfigNode,
    pattern: &[&str],
    path: &mut Vec<ConfigPathStep<'a>>,
) -> Option<&'a ObjectEntry> {
    let (key, below) = pattern.split_first()?;
    let ConfigNodeKind::Object(entries) = &node.kind else { return None };
    for entry in entries.iter().filter(|entry| *key == "*" || entry.key == *key) {
        path.push(ConfigPathStep::Key(&entry.key));
        let matched = if below.is_empty() {
            Some(entry).filter(|entry| entry.node.kind != ConfigNodeKind::Null)
        } else {
            first_match(&entry.node, below, path)
        };
        if matched.is_some() {
            return matched;
        }
        path.pop();
    }
    None
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use serde_json::Value;

    use super::*;
    use crate::schema::{schema, shape};

    /// Crates that read the configuration.
    const READERS: [&str; 5] = ["host", "cli", "faces", "tool", "workspace"];

    fn collect_keys(schema: &Value, path: &mut Vec<String>, visit: &mut dyn FnMut(&[String])) {
        let Some(shape) = shape(schema) else { return };
        let known = shape.known.into_iter().flatten().map(|(key, below)| (key.as_str(), below));
        for (key, below) in known.chain(shape.other.map(|below| ("*", below))) {
            if below.get("deprecated").is_none() {
                path.push(key.to_owned());
                visit(path);
                collect_keys(below, path, visit);
                path.pop();
            }
        }
    }

    fn source_text(folder: &Path) -> String {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries
            .map(|path| match path.extension() {
                None if path.is_dir() => source_text(&path),
                Some(extension) if extension == "rs" => fs::read_to_string(&path).unwrap(),
                _ => String::new(),
            })
            .collect()
    }

    fn is_listed(path: &[String]) -> bool {
        KEYS_WITHOUT_EFFECT
            .iter()
            .any(|pattern| pattern.iter().zip(path).filter(|(a, b)| a == b).count() == pattern.len())
    }

    /// `baseURL` → `base_url`.
    fn field_name(key: &str) -> String {
        let mut name = String::new();
        for (at, char) in key.replace("URL", "Url").char_indices() {
            if char.is_uppercase() && at > 0 {
                name.push('_');
            }
            name.extend(char.to_lowercase());
        }
        if name == "type" { "kind".to_owned() } else { name }
    }

    /// By the names of fields, so a key can hide behind another field of the same name.
    #[test]
    fn every_key_is_read_somewhere_or_listed() {
        // Read when it runs: clones share their builds, and the one that built this may be gone.
        let package = std::env::var_os("CARGO_MANIFEST_DIR").unwrap();
        let crates = Path::new(&package).parent().unwrap();
        let source: String = READERS.iter().map(|name| source_text(&crates.join(name).join("src"))).collect();
        let is_word_end = |rest: &str| !rest.starts_with(|char: char| char.is_alphanumeric() || char == '_');
        let is_read = |field: &str| {
            let access = format!(".{field}");
            source.match_indices(&access).any(|(at, _)| is_word_end(&source[at + access.len()..]))
                || source.contains(&format!("text_items(&[\"{field}\"])"))
        };
        let mut unread = Vec::new();
        collect_keys(schema(), &mut Vec::new(), &mut |path| {
            let key = path.last().unwrap();
            if key != "*" && key != "$schema" && !is_listed(path) && !is_read(&field_name(key)) {
                unread.push(path.join("."));
            }
        });
        assert_eq!(
            unread,
            Vec::<String>::new(),
            "no code reads these keys: list them in KEYS_WITHOUT_EFFECT"
        );
    }

    /// The rows of the page's table of keys: the keys, and whether they have an effect.
    fn documented_keys() -> Vec<(String, bool)> {
        let page = include_str!("../CONFIGURATION.md");
        let section = page.split("\n## Keys\n").nth(1).unwrap().split("\n## ").next().unwrap();
        let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
        let keys = rows.flat_map(|(keys, meaning)| {
            keys.split("`, `").map(|key| (key.to_owned(), !meaning.ends_with(": no effect yet |")))
        });
        keys.collect()
    }

    #[test]
    fn the_page_has_every_key_and_says_which_have_no_effect() {
        let mut documented = documented_keys();
        documented.sort();
        let mut expected = Vec::new();
        collect_keys(schema(), &mut Vec::new(), &mut |path| {
            if let [key] = path {
                expected.push((key.clone(), !is_listed(path)));
            }
        });
        expected.sort();
        assert_eq!(documented, expected, "CONFIGURATION.md, section \"Keys\"");
        for pattern in KEYS_WITHOUT_EFFECT.iter().filter(|pattern| pattern.len() > 1) {
            let path = pattern.join(".").replace('*', "NAME");
            assert!(include_str!("../CONFIGURATION.md").contains(&format!("`{path}`")), "{path}");
        }
    }

    #[test]
    fn every_listed_key_is_in_the_schema() {
        for pattern in KEYS_WITHOUT_EFFECT {
            let mut is_known = false;
            collect_keys(schema(), &mut Vec::new(), &mut |path| is_known |= path == *pattern);
            assert!(is_known, "{pattern:?}");
        }
    }
}
