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

use crate::{Action, Rule, Rules};

const LINES: [(&str, &str, Action); 21] = [
    ("read", "*", Action::Allow),
    ("read", "*.env", Action::Ask),
    ("read", "*.env.*", Action::Ask),
    ("read", "*.env.example", Action::Allow),
    ("list", "*", Action::Allow),
    ("glob", "*", Action::Allow),
    ("grep", "*", Action::Allow),
    ("lsp", "*", Action::Allow),
    ("todowrite", "*", Action::Allow),
    ("question", "*", Action::Allow),
    ("skill", "*", Action::Allow),
    ("task", "*", Action::Allow),
    ("plan_enter", "*", Action::Allow),
    // These would be asked for without a line, too; with it they are seen where the rules are shown.
    ("edit", "*", Action::Ask),
    ("bash", "*", Action::Ask),
    ("external_directory", "*", Action::Ask),
    ("webfetch", "*", Action::Ask),
    ("websearch", "*", Action::Ask),
    ("codesearch", "*", Action::Ask),
    ("doom_loop", "*", Action::Ask),
    ("plan_exit", "*", Action::Ask),
];

/// The first layer, over which configuration, agent and replies are laid.
pub fn defaults() -> Rules {
    LINES.iter().map(|(key, pattern, action)| Rule::new(*key, *pattern, *action)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looking_is_free_and_changing_is_asked_for() {
        let rules = defaults();
        let free = ["read", "list", "glob", "grep", "lsp", "task"];
        assert!(free.iter().all(|key| rules.evaluate(key, "src/main.rs") == Action::Allow));
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
        assert!(asked.iter().all(|key| rules.evaluate(key, "src/main.rs") == Action::Ask));
    }
}
