//! The patterns of an ask about a command: what rules match, and what "always" may allow.
//!
//! A rule such as `cargo test *` matches the text of the command, and `*` matches anything, also `; rm -rf ~`. So a command
//! that may do more than its first words say gets a second pattern that no such rule matches, and no "always". Parsing the
//! shell's grammar could only make this less strict.

/// Characters that make a shell run something besides the first word, or write to a file.
const SYNTAX: [char; 12] = [';', '|', '&', '<', '>', '$', '`', '(', ')', '{', '\n', '\r'];

/// Programs with subcommands, and how many words name one. A shorter command gets no "always".
const SUBCOMMAND_WORDS: [(&str, usize); 24] = [
    ("apt", 2),
    ("brew", 2),
    ("bun", 2),
    ("bundle", 2),
    ("cargo", 2),
    ("composer", 2),
    ("deno", 2),
    ("docker", 2),
    ("dotnet", 2),
    ("gh", 3),
    ("git", 2),
    ("go", 2),
    ("gradle", 2),
    ("helm", 2),
    ("kubectl", 2),
    ("mvn", 2),
    ("npm", 2),
    ("pip", 2),
    ("pnpm", 2),
    ("poetry", 2),
    ("rustup", 2),
    ("systemctl", 2),
    ("uv", 2),
    ("yarn", 2),
];

/// Programs that run their arguments, interpret them, or delete data: "always" would allow everything.
const NEVER_ALWAYS_ALLOWED: [&str; 33] = [
    ".", "awk", "bash", "bunx", "command", "dash", "dd", "doas", "env", "eval", "exec", "find", "nice",
    "nohup", "node", "npx", "perl", "php", "python", "python3", "rm", "ruby", "sed", "sh", "source", "ssh",
    "sudo", "time", "timeout", "tsx", "watch", "xargs", "zsh",
];

/// Subcommands that run their arguments or change what runs later.
const RUNNERS: [&str; 5] = ["dlx", "exec", "run", "x", "config"];

/// Whether the command is one program with its arguments.
pub(super) fn is_plain(command: &str) -> bool {
    !command.contains(SYNTAX)
}

/// The patterns that the rules decide on.
pub(super) fn patterns(command: &str) -> Vec<String> {
    let written = command.to_owned();
    if is_plain(command) { vec![written] } else { vec![written, format!("sh -c {command}")] }
}

/// `git status -s` → `git status *`
pub(super) fn always_pattern(command: &str) -> Option<String> {
    let mut words = command.split_whitespace();
    let program = words.next().filter(|_| is_plain(command))?;
    let is_word = |word: &str| {
        !word.starts_with('-') && word.chars().all(|c| c.is_ascii_alphanumeric() || "._-/:".contains(c))
    };
    if !is_word(program) || NEVER_ALWAYS_ALLOWED.contains(&program) {
        return None;
    }
    let wanted = SUBCOMMAND_WORDS.iter().find(|(name, _)| *name == program).map_or(1, |(_, count)| *count);
    let mut prefix = vec![program];
    while prefix.len() < wanted {
        prefix.push(words.next().filter(|word| is_word(word))?);
    }
    if prefix.get(1).is_some_and(|word| RUNNERS.contains(word)) {
        // `npm run test`: the script's name belongs to it. What runs in a container is unknown.
        let what = words.next().filter(|word| is_word(word) && !NEVER_ALWAYS_ALLOWED.contains(word))?;
        prefix.push(Some(what).filter(|_| !matches!(program, "docker" | "kubectl"))?);
    }
    Some(prefix.join(" ") + " *")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_beginning_of_a_plain_command_is_offered_for_good() {
        let cases = [
            ("ls", Some("ls *")),
            ("ls -la src", Some("ls *")),
            ("git status -s", Some("git status *")),
            ("git -C /tmp status", None),
            ("git", None),
            ("  cargo   test  -p x", Some("cargo test *")),
            ("npm run build -- --watch", Some("npm run build *")),
            ("npm run", None),
            ("uv run python x", None),
            ("docker exec box ls", None),
            ("docker ps -a", Some("docker ps *")),
            ("gh pr view 3", Some("gh pr view *")),
            ("./gradlew test", Some("./gradlew *")),
            ("make", Some("make *")),
            ("sudo ls", None),
            ("rm -r x", None),
            ("FOO=1 make", None),
            ("\"ls\" x", None),
            ("ls; rm x", None),
            ("ls && pwd", None),
            ("ls > x", None),
            ("echo $HOME", None),
            ("echo `id`", None),
            ("ls\nrm x", None),
            ("", None),
        ];
        for (command, expected) in cases {
            assert_eq!(always_pattern(command).as_deref(), expected, "{command}");
        }
    }

    #[test]
    fn a_rule_about_the_beginning_does_not_allow_what_comes_behind() {
        let allowed = |rule: &str, command: &str| {
            patterns(command).iter().all(|pattern| copydesk_permission::matches_wildcard(rule, pattern))
        };
        assert!(allowed("cargo test *", "cargo test -p x"));
        assert!(!allowed("cargo test *", "cargo test; rm -rf ~"));
        assert!(!allowed("cargo test *", "cargo test\nrm -rf ~"));
        assert!(!allowed("cargo test *", "cargo test $(rm -rf ~)"));
        assert!(allowed("*", "cargo test; ls"));
    }
}
