//! Renames parameters that a model knows from other tools to those of this tool.

use serde_json::{Map, Value};

use super::coerce::can_coerce;
use super::repair::{Repair, note};

/// Our name, and other names that models use for it. Spellings (`file_path`, `FilePath`) need no entry.
const KNOWN: [(&str, &[&str]); 10] = [
    ("filePath", &["path", "file", "filename", "absolutePath", "targetFile"]),
    ("path", &["filePath", "file", "filename", "directory", "dir", "folder"]),
    ("oldString", &["oldStr", "oldText", "old"]),
    ("newString", &["newStr", "newText", "new"]),
    ("content", &["contents", "text", "fileText", "fileContent"]),
    ("command", &["cmd"]),
    ("workdir", &["cwd", "workingDirectory", "workingDir", "dir"]),
    ("pattern", &["query", "regex"]),
    ("patchText", &["patch", "input"]),
    ("url", &["uri"]),
];

/// Renames an unknown entry to a missing parameter of the schema, if exactly one such entry and one such parameter match.
pub(super) fn rename(
    object: Map<String, Value>,
    schema: &Value,
    root: &Value,
    repairs: &mut Vec<Repair>,
) -> Map<String, Value> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return object };
    // The schema accepts unknown names.
    if matches!(schema.get("additionalProperties"), Some(Value::Bool(true) | Value::Object(_))) {
        return object;
    }
    let missing: Vec<_> = properties.iter().filter(|(name, _)| !object.contains_key(*name)).collect();
    let strange: Vec<_> = object.iter().filter(|(name, _)| !properties.contains_key(*name)).collect();
    let mut renamed: Vec<(String, String)> = Vec::new();
    for means in [same_spelling as fn(&str, &str) -> bool, known] {
        let is_pair = |(wanted, schema): &(&String, &Value), (given, value): &(&String, &Value)| {
            means(wanted, given) && can_coerce(value, schema, root)
        };
        for given in &strange {
            let mut wanted = missing.iter().filter(|wanted| is_pair(wanted, given));
            let (Some(only), None) = (wanted.next(), wanted.next()) else { continue };
            let is_taken = renamed.iter().any(|(from, to)| from == given.0 || to == only.0);
            let rivals = strange.iter().filter(|other| is_pair(only, other)).count();
            if !is_taken && rivals == 1 {
                renamed.push((given.0.clone(), only.0.clone()));
            }
        }
    }
    for (from, to) in &renamed {
        note(repairs, Repair::Renamed { from: from.clone(), to: to.clone() });
    }
    let own =
        |name: String| renamed.iter().find(|(from, _)| *from == name).map_or(name, |(_, to)| to.clone());
    object.into_iter().map(|(name, value)| (own(name), value)).collect()
}

/// The name without case, underscores and the like.
pub(crate) fn plain(name: &str) -> String {
    name.chars().filter(|letter| !"_- ".contains(*letter)).flat_map(char::to_lowercase).collect()
}

fn same_spelling(wanted: &str, given: &str) -> bool {
    plain(wanted) == plain(given)
}

fn known(wanted: &str, given: &str) -> bool {
    let of_wanted = KNOWN.iter().filter(|(name, _)| same_spelling(name, wanted));
    of_wanted.flat_map(|(_, others)| *others).any(|other| same_spelling(other, given))
}
