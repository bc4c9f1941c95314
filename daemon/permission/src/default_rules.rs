//! What holds when nobody has said anything: looking is free, everything that changes something or leaves the workspace is
//! asked for.
//!
//! | key | without asking | after asking |
//! |---|---|---|
//! | `read` | files | `.env` files (but not `.env.example`): they hold secrets |
//! | `list`, `glob`, `grep` | all | |
//! | `lsp`, `todowrite`, `question`, `skill`, `task` | all; what a task does is asked for by its own keys | |
//! | `plan_enter` | all: it is a question by itself | |
//! | `plan_exit` | | all: the plan is what is asked about |
//! | `edit`, `bash` | | all |
//! | `external_directory` | | all: any path outside of the workspace |
//! | `webfetch`, `websearch`, `codesearch` | | all: what is asked for leaves the machine |
//! | `doom_loop` | | the same call again and again |
//! | any other, such as the tools of an MCP server | | all |

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
    // These would be asked for without a line, too; with it they are seen where the rules are shown.
    ("edit", "*", PermissionAction::Ask),
    ("bash", "*", PermissionAction::Ask),
    ("external_directory", "*", PermissionAction::Ask),
    ("webfetch", "*", PermissionAction::Ask),
    ("websearch", "*", PermissionAction::Ask),
    ("codesearch", "*", PermissionAction::Ask),
    ("doom_loop", "*", PermissionAction::Ask),
    ("plan_exit", "*", PermissionAction::Ask),
];

/// The first layer, over which configuration, agent and replies are laid.
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
