//! Finds the tool that a model means: other spellings, prefixes that some models add, and typos.

use crate::arguments::plain;

/// Prefixes that models add to names.
const PREFIXES: [&str; 10] = [
    "functions.",
    "functions:",
    "function.",
    "function:",
    "default_api.",
    "default_api:",
    "tools.",
    "tools:",
    "tool.",
    "tool:",
];

/// A tool's name, and how sure the match is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolNameMatch<'a> {
    Spelled(&'a str),
    /// The name has a typo. The match counts only if the arguments fit, too.
    Near(&'a str),
}

pub(crate) fn match_tool_name<'a>(
    wanted: &str,
    names: impl Iterator<Item = &'a str> + Clone,
) -> Option<ToolNameMatch<'a>> {
    if let Some(name) = names.clone().find(|name| *name == wanted) {
        return Some(ToolNameMatch::Spelled(name));
    }
    let bare = plain(bare(wanted));
    let only = |mut matching: Box<dyn Iterator<Item = &'a str> + '_>| match (matching.next(), matching.next())
    {
        (Some(name), None) => Some(name),
        _ => None,
    };
    if let Some(name) = only(Box::new(names.clone().filter(|name| plain(name) == bare))) {
        return Some(ToolNameMatch::Spelled(name));
    }
    let distance = |name: &str| strsim::osa_distance(&plain(name), &bare);
    let nearest = names.clone().map(distance).min()?;
    let name = only(Box::new(names.filter(|name| distance(name) == nearest)))?;
    // A typo in a short word makes another word.
    let most = match plain(name).chars().count().min(bare.chars().count()) {
        0..4 => 0,
        4..8 => 1,
        _ => 2,
    };
    (nearest <= most).then_some(ToolNameMatch::Near(name))
}

/// The name to suggest if no match is sure.
pub(crate) fn suggest_tool_name<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = bare(wanted);
    let likeness = names.map(|name| (strsim::jaro_winkler(name, wanted), name));
    likeness.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(likeness, _)| *likeness > 0.8).map(|(_, name)| name)
}

/// Removes prefixes, a call's number (`functions.read:0`) and markers of a model's own format (`read<|channel|>…`).
fn bare(written: &str) -> &str {
    let mut name = written.trim();
    name = name.split_once("<|").map_or(name, |(name, _)| name);
    let lower = name.to_ascii_lowercase();
    let prefix = PREFIXES.iter().find(|prefix| lower.starts_with(**prefix));
    name = prefix.and_then(|prefix| name.get(prefix.len()..)).unwrap_or(name);
    match name.rsplit_once(':') {
        Some((name, number)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            name
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOLS: [&str; 9] =
        ["apply_patch", "bash", "edit", "glob", "grep", "list", "mcp_read-file", "read", "todowrite"];

    #[test]
    fn a_name_is_found_as_models_write_it() {
        let spelled = [
            ("read", "read"),
            ("Read", "read"),
            (" READ ", "read"),
            ("applyPatch", "apply_patch"),
            ("apply-patch", "apply_patch"),
            ("todo_write", "todowrite"),
            ("functions.read", "read"),
            ("functions.read:0", "read"),
            ("default_api:grep", "grep"),
            ("Default_API.Grep", "grep"),
            ("bash<|channel|>commentary", "bash"),
            ("mcp_read_file", "mcp_read-file"),
        ];
        for (written, name) in spelled {
            assert_eq!(
                match_tool_name(written, TOOLS.into_iter()),
                Some(ToolNameMatch::Spelled(name)),
                "{written}"
            );
        }
        for (written, name) in
            [("raed", "read"), ("greb", "grep"), ("aply_patsh", "apply_patch"), ("edits", "edit")]
        {
            assert_eq!(
                match_tool_name(written, TOOLS.into_iter()),
                Some(ToolNameMatch::Near(name)),
                "{written}"
            );
        }
    }

    #[test]
    fn what_is_not_sure_is_not_found() {
        for written in ["", "lst", "write", "execute", "todo", "functions.", ":0", "<|", "read_all_of_it"] {
            assert_eq!(match_tool_name(written, TOOLS.into_iter()), None, "{written}");
        }
        assert_eq!(match_tool_name("reab", ["read", "reap"].into_iter()), None, "two are as near");
        assert_eq!(match_tool_name("Read_It", ["read-it", "readit"].into_iter()), None, "two are spelled so");
        assert_eq!(match_tool_name("anything", std::iter::empty()), None);
    }

    #[test]
    fn a_proposal_may_be_less_sure() {
        assert_eq!(suggest_tool_name("functions.edit_file", TOOLS.into_iter()), Some("edit"));
        assert_eq!(suggest_tool_name("xyz", TOOLS.into_iter()), None);
    }
}
