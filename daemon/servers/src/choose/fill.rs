//! The options of a known server, with what is only known in the project.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::find::{Search, python, tsdk};

/// `workspace` is what is looked at at most, `root` where the project begins.
pub(super) fn fill(value: &Value, search: &Search, folder: &Path, workspace: &Path, root: &Path) -> Value {
    let path = |path: Option<PathBuf>| path.and_then(|path| Some(path.to_str()?.into()));
    let find = |name: &str| -> Option<Value> {
        match name {
            "${python}" => path(python(search, folder, workspace)),
            "${tsdk}" => path(tsdk(search, folder, workspace)),
            "${rootUri}" => url::Url::from_file_path(root).ok().map(|url| url.as_str().into()),
            "${rootName}" => root.file_name().map(|name| name.to_string_lossy().into()),
            "${inProject}" => Some(search.in_project.into()),
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
pub(super) fn over(value: &mut Value, said: &Value) {
    match (value, said) {
        (_, Value::Null) => {}
        (Value::Object(members), Value::Object(said)) => {
            for (name, said) in said {
                match members.get_mut(name) {
                    Some(value) => over(value, said),
                    None => drop(members.insert(name.clone(), said.clone())),
                }
            }
        }
        (value, said) => *value = said.clone(),
    }
}
