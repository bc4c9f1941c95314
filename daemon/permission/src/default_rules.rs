//! The rules without any configuration: reading needs no ask; anything that changes something or leaves the
//! workspace does.
//!
//! | key | allowed | asked |
//! |---|---|---|
//! | `read` | files | `.env` files (but not `.env.example`): they hold secrets |
//! | `list`, `glob`, `grep` | all | |
//! | `lsp`, `todowrite`, `question`, `skill`, `task` | all; a task's own calls are asked under their own keys | |
//! | `plan_enter` | all: the call itself is a question | |
//! | `plan_exit` | | all: the ask shows the plan |
//! | `edit`, `bash` | | all |
//! | `external_directory` | | all: any path outside the workspace |
//! | `webfetch`, `websearch`, `codesearch` | | all: the query leaves the machine |
//! | `doom_loop` | | the same call again and again |
//! | any other key, such as the tools of an MCP server | | all |

use crate::{PermissionAction, PermissionRule, PermissionRules};

const LINES: [(&str, &str, PermissionAction); 21] = [
    ("read", "*", PermissionAction::Allow),
    ("read", "*.env", PermissionAction::Ask),
    ("read", "*.env.*", PermissionAction::Ask),
    ("read", "*.env.example", PermissionAction::Allow),
    ("list", "*", PermissionAction::Allow),
    ("glob", "*", PermissionAction::Allow),
    ("grep", "*", PermissionAction::Allow),
    ("lsp", "*", PermissionAction::Allow),
    ("todowrite", "*", PermissionAction::Allow),
    ("question", "*", PermissionAction::Allow),
    ("skill", "*", PermissionAction::Allow),
    ("task", "*", PermissionAction::Allow),
    ("plan_enter", "*", PermissionAction::Allow),
    // `Ask` is the default without these lines too; listing them makes them visible where the rules are
    // shown.
    ("edit", "*", PermissionAction::Ask),
    ("bash", "*", PermissionAction::Ask),
    ("external_directory", "*", PermissionAction::Ask),
    ("webfetch", "*", PermissionAction::Ask),
    ("websearch", "*", PermissionAction::Ask),
    ("codesearch", "*", PermissionAction::Ask),
    ("doom_loop", "*", PermissionAction::Ask),
    ("plan_exit", "*", PermissionAction::Ask),
];

/// The first layer; configuration, agent and replies go on top of it.
pub fn default_rules() -> PermissionRules {
    LINES.iter().map(|(key, pattern, action)| PermissionRule::new(*key, *pattern, *action)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looking_is_free_and_changing_is_asked_for() {
        let rules = default_rules();
        let free = ["read", "list", "glob", "grep", "lsp", "task"];
        assert!(free.iter().all(|key| rules.evaluate(key, "src/main.rs") == PermissionAction::Allow));
        let asked = [
            "edit",
            "bash",
            "external_directory",
            "webfetch",
            "websearch",
            "codesearch",
            "doom_loop",
            "mcp_tool",
        ];
        assert!(asked.iter().all(|key| rules.evaluate(key, "src/main.rs") == PermissionAction::Ask));
    }
}
