//! The options of a known server, with what is only known in the project.

use std::path::Path;

use serde_json::Value;

use crate::find::{Search, python, tsdk};

/// `workspace` is what is looked at at most, `root` where the project begins.
pub(super) fn fill(value: &Value, search: &Search, folder: &Path, workspace: &Path, root: &Path) -> Value {
    let find = |name: &str| -> Option<String> {
        match name {
            "${python}" => python(search, folder, workspace).and_then(|path| Some(path.to_str()?.to_owned())),
            "${tsdk}" => {
                tsdk(&*search.view, folder, workspace).and_then(|path| Some(path.to_str()?.to_owned()))
            }
            "${rootUri}" => url::Url::from_file_path(root).ok().map(Into::into),
            "${rootName}" => root.file_name().map(|name| name.to_string_lossy().into_owned()),
            _ => None,
        }
    };
    filled(value, &find).unwrap_or_default()
}

fn filled(value: &Value, find: &dyn Fn(&str) -> Option<String>) -> Option<Value> {
    Some(match value {
        Value::String(text) if text.starts_with("${") => Value::String(find(text)?),
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
