//! Fills the placeholders in the options of a known server.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::program_search::{ProgramSearch, python, tsdk};

/// The search stays in `workspace`; `root` is the project's root.
pub(super) fn expand_placeholders(
    value: &Value,
    search: &ProgramSearch,
    folder: &Path,
    workspace: &Path,
    root: &Path,
) -> Value {
    let path = |path: Option<PathBuf>| path.and_then(|path| Some(path.to_str()?.into()));
    let find = |name: &str| -> Option<Value> {
        match name {
            "${python}" => path(python(search, folder, workspace)),
            "${tsdk}" => path(tsdk(search, folder, workspace)),
            "${rootUri}" => url::Url::from_file_path(root).ok().map(|url| url.as_str().into()),
            "${rootName}" => root.file_name().map(|name| name.to_string_lossy().into()),
            "${allowsProjectPrograms}" => Some(search.allows_project_programs.into()),
            _ => None,
        }
    };
    fill(value, &find).unwrap_or_default()
}

fn fill(value: &Value, find: &dyn Fn(&str) -> Option<Value>) -> Option<Value> {
    Some(match value {
        Value::String(text) if text.starts_with("${") => find(text)?,
        Value::Object(members) => Value::Object(
            members.iter().filter_map(|(name, value)| Some((name.clone(), fill(value, find)?))).collect(),
        ),
        other => other.clone(),
    })
}

/// Merges the user's settings over the known ones, objects member by member.
pub(super) fn merge_settings(value: &mut Value, user: &Value) {
    match (value, user) {
        (_, Value::Null) => {}
        (Value::Object(members), Value::Object(user)) => {
            for (name, user) in user {
                match members.get_mut(name) {
                    Some(value) => merge_settings(value, user),
                    None => drop(members.insert(name.clone(), user.clone())),
                }
            }
        }
        (value, user) => *value = user.clone(),
    }
}
