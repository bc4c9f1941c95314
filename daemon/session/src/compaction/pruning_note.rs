//! What the model reads in place of an output that was left out: what it was, and where it can be read again.

use std::path::Path;

use serde_json::Value;

use super::context_use::READ_TOOL;
use crate::data::{CallOutput, CallPart};

const MAX_TITLE_LETTERS: usize = 120;
/// Calling them again costs nothing and shows the present state.
const REPEATABLE_TOOLS: [&str; 5] = [READ_TOOL, "grep", "glob", "list", "lsp"];

/// Whether the output has to be in a file before it is left out.
pub(crate) fn needs_file(call: &CallPart, is_superseded: bool) -> bool {
    !is_superseded && !REPEATABLE_TOOLS.contains(&call.name.as_str())
}

/// `file` has the whole output.
pub(crate) fn pruning_note(
    call: &CallPart,
    output: &CallOutput,
    tokens: u64,
    is_superseded: bool,
    file: Option<&Path>,
) -> String {
    let title: String = output.title.chars().take(MAX_TITLE_LETTERS).collect();
    let advice = match file {
        Some(file) => format!("The whole output is in `{}`.", file.display()),
        None if call.name == READ_TOOL && is_superseded => {
            "The file was read again or changed since then.".to_owned()
        }
        None if is_superseded => "The same call was made again since then.".to_owned(),
        None if call.name == READ_TOOL => read_again(call),
        None => "Make the call again if you need it.".to_owned(),
    };
    let about = if title.is_empty() { String::new() } else { format!(" of \"{title}\"") };
    format!("[The output{about}, about {tokens} tokens, is left out here to save room. {advice}]")
}

/// The path and the lines.
fn read_again(call: &CallPart) -> String {
    let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
    let path = arguments.get("filePath").and_then(Value::as_str).unwrap_or("the file");
    let number = |name: &str| arguments.get(name).and_then(Value::as_u64);
    let lines = match (number("offset"), number("limit")) {
        (None, None) => String::new(),
        (offset, None) => format!(" from line {}", offset.unwrap_or(1)),
        (offset, Some(limit)) => {
            let first = offset.unwrap_or(1);
            format!(", lines {first} to {}", first.saturating_add(limit).saturating_sub(1))
        }
    };
    format!("Read `{path}`{lines} again if you need it.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, arguments: &str, title: &str, superseded: bool, file: Option<&str>, expected: &str) {
        let call = CallPart {
            call: "c".into(),
            name: name.into(),
            arguments: arguments.into(),
            echo: None,
            parent: None,
            output: None,
        };
        let output = CallOutput { title: title.into(), ..CallOutput::default() };
        assert_eq!(pruning_note(&call, &output, 900, superseded, file.map(Path::new)), expected);
    }

    #[test]
    fn the_model_learns_where_it_can_read_the_output_again() {
        let begins = "[The output of \"a.rs\", about 900 tokens, is left out here to save room.";
        for (arguments, expected) in [
            (r#"{"filePath":"a.rs"}"#, "Read `a.rs` again if you need it.]"),
            (r#"{"filePath":"a.rs","offset":20}"#, "Read `a.rs` from line 20 again if you need it.]"),
            (
                r#"{"filePath":"a.rs","offset":20,"limit":5}"#,
                "Read `a.rs`, lines 20 to 24 again if you need it.]",
            ),
        ] {
            check("read", arguments, "a.rs", false, None, &format!("{begins} {expected}"));
        }
        let changed = format!("{begins} The file was read again or changed since then.]");
        check("read", r#"{"filePath":"a.rs"}"#, "a.rs", true, None, &changed);
        let file = "[The output, about 900 tokens, is left out here to save room. The whole output is in `/o/c.txt`.]";
        check("bash", "{}", "", false, Some("/o/c.txt"), file);
    }
}
