//! The rules without any configuration: reading needs no ask; anything that changes something or leaves the
//! workspace does. A preset adds to them.
//!
//! | key | allowed | asked |
//! |---|---|---|
//! | `read` | files | what looks like a secret |
//! | `list`, `glob`, `grep` | all; `grep` leaves out what `read` would ask for | |
//! | `lsp`, `todowrite`, `question`, `skill`, `task` | all; a task's own calls are asked under their own keys | |
//! | `plan_enter` | all: the call itself is a question | |
//! | `plan_exit` | | all: the ask shows the plan |
//! | `edit` | | all; `trusting`: secrets, and files that programs run or obey later |
//! | `bash` | `normal`: commands that only read, and those in the sandbox that change no files by their own words | all others; `trusting`: those that use the network |
//! | `external_directory` | | all: any path outside the workspace |
//! | `webfetch`, `websearch`, `codesearch` | | all: the query leaves the machine |
//! | `doom_loop` | | the same call again and again |
//! | any other key, such as the tools of an MCP server | | all |

use PermissionAction::{Allow, Ask};

use crate::{PermissionAction, PermissionPreset, PermissionRule, PermissionRules, RuleOrigin};

type RuleLine = (&'static str, &'static str, PermissionAction);

const LINES: &[RuleLine] = &[
    ("read", "*", Allow),
    ("read", "@secrets", Ask),
    ("list", "*", Allow),
    ("glob", "*", Allow),
    ("grep", "*", Allow),
    ("lsp", "*", Allow),
    ("todowrite", "*", Allow),
    ("question", "*", Allow),
    ("skill", "*", Allow),
    ("task", "*", Allow),
    ("plan_enter", "*", Allow),
    // `Ask` is the default without these lines too; listing them makes them visible where the rules are
    // shown.
    ("edit", "*", Ask),
    ("bash", "*", Ask),
    ("external_directory", "*", Ask),
    ("webfetch", "*", Ask),
    ("websearch", "*", Ask),
    ("codesearch", "*", Ask),
    ("doom_loop", "*", Ask),
    ("plan_exit", "*", Ask),
];

/// What a preset adds: the one place for what a class of commands may do under it.
fn preset_lines(preset: PermissionPreset) -> &'static [RuleLine] {
    match preset {
        PermissionPreset::Careful => &[],
        PermissionPreset::Normal => {
            &[("bash", "@reads", Allow), ("bash", "@sandboxed", Allow), ("bash", "@changes", Ask)]
        }
        PermissionPreset::Trusting => &[
            ("bash", "*", Allow),
            ("bash", "@network", Ask),
            ("bash", "@sandboxed", Allow),
            ("edit", "*", Allow),
            ("edit", "@secrets", Ask),
            ("edit", ".git/*", Ask),
            ("edit", "*/.git/*", Ask),
            ("edit", ".copydesk/*", Ask),
            ("edit", "*/.copydesk/*", Ask),
            ("edit", ".vscode/*", Ask),
            ("edit", "*/.vscode/*", Ask),
            ("edit", "*.nvim.lua", Ask),
            ("edit", "*.exrc", Ask),
        ],
    }
}

/// The first layer; configuration, agent and replies go on top of it.
pub fn preset_rules(preset: PermissionPreset) -> PermissionRules {
    let rule = |origin: RuleOrigin| {
        move |(key, pattern, action): &RuleLine| {
            PermissionRule::new(*key, *pattern, *action).with_origin(origin.clone())
        }
    };
    let built_in = LINES.iter().map(rule(RuleOrigin::BuiltIn));
    built_in.chain(preset_lines(preset).iter().map(rule(RuleOrigin::Preset(preset)))).collect()
}

/// The rules of the preset that applies unless the user chose another.
pub fn default_rules() -> PermissionRules {
    preset_rules(PermissionPreset::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Ask as AskRequest, CommandPattern, PermissionDecision, RuleLayers, ShellPlace, read_command,
    };

    #[test]
    fn looking_is_free_and_changing_is_asked_for() {
        let rules = default_rules();
        let free = ["read", "list", "glob", "grep", "lsp", "task"];
        assert!(free.iter().all(|key| rules.evaluate(key, "src/main.rs") == Allow));
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
        assert!(asked.iter().all(|key| rules.evaluate(key, "src/main.rs") == Ask));
    }

    #[test]
    fn presets_differ_in_what_runs_unasked() {
        let commands =
            ["ls -la src", "cargo test", "rm -r build", "curl http://e", "git push", "eval \"$x\""];
        let edits = ["src/main.rs", ".env", ".git/hooks/pre-commit", "a/.vscode/tasks.json"];
        let free = |preset| {
            let layers = RuleLayers::new([preset_rules(preset)]);
            let runs = |command: &&str| {
                let commands = read_command(command, ShellPlace::default()).commands;
                let ask = AskRequest { key: "bash".to_owned(), commands, ..AskRequest::default() };
                layers.decide(&ask) == PermissionDecision::Allow
            };
            let commands = commands.into_iter().filter(runs).collect::<Vec<_>>();
            let edits = edits.into_iter().filter(|path| layers.evaluate("edit", path) == Allow);
            (commands, edits.collect::<Vec<_>>())
        };
        assert_eq!(free(PermissionPreset::Careful), (vec![], vec![]));
        assert_eq!(free(PermissionPreset::Normal), (vec!["ls -la src"], vec![]));
        let trusting = (vec!["ls -la src", "cargo test", "rm -r build"], vec!["src/main.rs"]);
        assert_eq!(free(PermissionPreset::Trusting), trusting);
        for preset in PermissionPreset::ALL {
            let layers = RuleLayers::new([preset_rules(preset)]);
            let mut reading = read_command("cargo test; curl http://e; eval \"$x\"", ShellPlace::default());
            reading.commands.iter_mut().for_each(CommandPattern::mark_sandboxed);
            let ask =
                AskRequest { key: "bash".to_owned(), commands: reading.commands, ..AskRequest::default() };
            let runs = layers.decide(&ask) == PermissionDecision::Allow;
            assert_eq!(runs, preset != PermissionPreset::Careful, "{preset}");
        }
        let layers = RuleLayers::new([preset_rules(PermissionPreset::Normal)]);
        for (command, runs) in [
            ("make -j2 && ./run.sh > /tmp/out", true),
            ("touch a; mkdir -p b; git status", true),
            ("sed -n 1,3p a; find . -name x; python -c 'print(1)'", true),
            ("make > out.txt", false),
            ("{ make; } >> /tmp/../home/out.txt", false),
            ("cargo test; rm -r src", false),
            ("sh -c 'git reset --hard'", false),
            ("sed -ni s/a/b/ x", false),
            ("find . -name x -delete", false),
            ("ls | xargs rm", false),
            ("git commit -m x", false),
            ("git reset --hard; $program", false),
            ("rm -r src; echo `date`", false),
        ] {
            let mut reading = read_command(command, ShellPlace::default());
            reading.commands.iter_mut().for_each(CommandPattern::mark_sandboxed);
            let ask =
                AskRequest { key: "bash".to_owned(), commands: reading.commands, ..AskRequest::default() };
            assert_eq!(layers.decide(&ask) == PermissionDecision::Allow, runs, "{command}");
        }
        for preset in PermissionPreset::ALL {
            assert_eq!(preset_rules(preset).evaluate("read", "a/.env"), Ask, "{preset}");
            assert_eq!(PermissionPreset::from_name(preset.name()), Some(preset));
        }
    }
}
