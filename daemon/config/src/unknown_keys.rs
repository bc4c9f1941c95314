//! Unknown keys. The loader removes them from the tree with a warning, so that no command shows a value
//! without effect. In a file written for OpenCode it removes them silently, because such keys are expected
//! there.

use serde_json::Value;

use crate::{
    error::{ConfigWarning, FileWarnings},
    schema::{ObjectShape, schema, shape},
    tree::{ConfigNode, ConfigNodeKind, ConfigPathStep, ObjectEntry, format_path},
    types::Config,
};

/// Keys that only OpenCode uses, by the object that contains them (`*` is any name).
const OPENCODE_ONLY: &[(&[&str], &[&str])] = &[
    (
        &[],
        &[
            "theme",
            "keybinds",
            "tui",
            "share",
            "autoshare",
            "autoupdate",
            "plugin",
            "snapshot",
            "layout",
            "server",
            "username",
            "enterprise",
            "logLevel",
            "watcher",
            "experimental",
            "reference",
            "references",
        ],
    ),
    (&["provider", "*"], &["id"]),
    (
        &["provider", "*", "models", "*"],
        &[
            "family",
            "release_date",
            "last_updated",
            "knowledge",
            "open_weights",
            "interleaved",
            "experimental",
            "status",
            "provider",
            "structured_output",
        ],
    ),
    (&["provider", "*", "models", "*", "cost"], &["context_over_200k", "tiers", "reasoning"]),
    (&["compaction"], &["tail_turns", "preserve_recent_tokens"]),
];

/// A longer key is no misspelling of a known one.
const MAX_KEY_CHARS: usize = 40;

/// Removes unknown keys from `root`.
pub(crate) fn prune_unknown_keys(root: &mut ConfigNode, warnings: &mut FileWarnings) {
    prune_below(root, schema(), &mut Vec::new(), warnings);
}

fn prune_below(node: &mut ConfigNode, schema: &Value, path: &mut Vec<String>, warnings: &mut FileWarnings) {
    let (ConfigNodeKind::Object(entries), Some(shape)) = (&mut node.kind, shape(schema)) else { return };
    entries.retain_mut(|entry| {
        let known = shape.known.and_then(|known| known.get(&entry.key)).or(shape.other);
        let Some(below) = known else {
            if !entry.key_origin.file.is_opencode {
                warnings.add(&entry.key_origin, || describe(entry, &shape, path));
            }
            return false;
        };
        path.push(entry.key.clone());
        prune_below(&mut entry.node, below, path, warnings);
        path.pop();
        true
    });
}

fn describe(entry: &ObjectEntry, shape: &ObjectShape<'_>, path: &[String]) -> String {
    let place = match format_path(path.iter().map(|key| ConfigPathStep::Key(key))) {
        root if root.is_empty() => root,
        place => format!("`{place}`: "),
    };
    let key = &entry.key;
    if OPENCODE_ONLY.iter().any(|(at, keys)| matches(at, path) && keys.contains(&key.as_str())) {
        return format!("{place}`{key}` is a key of OpenCode that copydesk does not use");
    }
    let known = shape.known.into_iter().flat_map(|known| known.keys());
    match nearest(key, known.map(String::as_str)) {
        Some(near) => format!("{place}unknown key `{key}` is ignored; did you mean `{near}`?"),
        None => format!("{place}unknown key `{key}` is ignored"),
    }
}

fn matches(pattern: &[&str], path: &[String]) -> bool {
    pattern.len() == path.len() && pattern.iter().zip(path).all(|(want, key)| *want == "*" || want == key)
}

/// The known key that `key` most likely misspells: at most a third of it differs, ignoring case and
/// separators (`smallModel`, `base-url`).
fn nearest<'a>(key: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace(['_', '-'], "");
    let key = plain(key);
    if key.chars().count() > MAX_KEY_CHARS {
        return None;
    }
    let distance = |known: &str| strsim::damerau_levenshtein(&key, &plain(known));
    let limit = |known: &str| key.chars().count().max(known.chars().count()) / 3;
    known
        .map(|known| (distance(known), known))
        .filter(|(distance, known)| *distance <= limit(known))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// Warnings that only the merged configuration can show: required keys that are missing.
pub(crate) fn find_incomplete(config: &Config, root: &ConfigNode) -> Vec<ConfigWarning> {
    let engines = [("websearch", &config.websearch), ("codesearch", &config.codesearch)];
    let engines = engines.into_iter().filter_map(|(key, engine)| {
        let (missing, node) = (engine.missing_key()?, root.get(key)?);
        Some(ConfigWarning::at_origin(
            &node.origin,
            format!("`{key}` is not used: expected `{missing}`, found none"),
        ))
    });
    let mut warnings: Vec<_> = engines.collect();
    let Some(ConfigNodeKind::Object(servers)) = root.get("mcp").map(|mcp| &mcp.kind) else { return warnings };
    let incomplete =
        servers.iter().filter_map(|entry| Some((entry, config.mcp.get(&entry.key)?.missing_key()?)));
    warnings.extend(incomplete.map(|(entry, missing)| {
        let path = format_path([ConfigPathStep::Key("mcp"), ConfigPathStep::Key(&entry.key)]);
        ConfigWarning::at_origin(
            &entry.node.origin,
            format!("`{path}` is not used: expected `{missing}`, found none"),
        )
    }));
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_key_is_near() {
        let known = ["model", "small_model", "permission", "provider", "mcp", "lsp", "baseURL"];
        for (typed, meant) in [
            ("permision", Some("permission")),
            ("providers", Some("provider")),
            ("smallModel", Some("small_model")),
            ("base_url", Some("baseURL")),
            ("modle", Some("model")),
            ("mpc", Some("mcp")),
            ("foo", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, known.into_iter()), meant, "{typed}");
        }
    }
}
