//! The options of a known server, with what is only known in the project.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::program_search::{ProgramSearch, python, tsdk};

/// `workspace` is what is looked at at most, `root` where the project begins.
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
            "${inProject}" => Some(search.allows_project_programs.into()),
            _ => None,
        }
    };
    filled(value, &find).unwrap_or_default()
}

fn filled(value: &Value, find: &dyn Fn(&str) -> Option<Value>) -> Option<Value> {
    Some(match value {
        Value::String(text) if text.starts_with("${") => find(text)?,
        Value::Object(members) => Value::Object(
            members.iter().filter_map(|(name, value)| Some((name.clone(), filled(value, find)?))).collect(),
        ),
        other => other.clone(),
    })
}

/// What a person says, over what is known: objects member by member.
pub(super) fn merge_settings(value: &mut Value, said: &Value) {
    match (value, said) {
        (_, Value::Null) => {}
        (Value::Object(members), Value::Object(said)) => {
            for (name, said) in said {
                match members.get_mut(name) {
                    Some(value) => merge_settings(value, said),
                    None => drop(members.insert(name.clone(), said.clone())),
                }
            }
        }
        (value, said) => *value = said.clone(),
    }
}
