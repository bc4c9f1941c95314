//! Plays the corpus of evasions, `evasions.json`: under the defaults, with a typical set of allows, and past a
//! typical set of denies. Each case has its verdict. A new evasion needs no Rust.

use serde::Deserialize;

use crate::{
    Ask, PermissionAction, PermissionDecision, PermissionPreset, PermissionRule, PermissionRules, RuleLayers,
    ShellPlace, default_rules, looks_like_secret, preset_rules, read_command,
};

const HOME: &str = "/home/ada";
const PROJECT: &str = "/home/ada/project";
const ALLOWS: [&str; 5] = ["git *", "ls *", "cargo test*", "rg *", "cat *"];
const DENIES: [&str; 4] = ["rm *", "git push*", "curl *", "sudo *"];

#[derive(Deserialize)]
struct EvasionCases {
    /// Commands that must not run, with what happens instead: `ask` or `deny`, or `outside` if a path outside
    /// the workspace is asked for under its own key.
    evasions: Vec<EvasionCase>,
    /// Commands that the typical allows are for: they run unasked, so that people leave the rules on.
    allowed: Vec<String>,
    /// Commands that the denies are not for.
    not_denied: Vec<String>,
    /// Commands that only read: they run unasked under the defaults.
    reads: Vec<String>,
    /// The same, of files that look like a secret.
    reads_secrets: Vec<String>,
    /// Commands that look as if they only read.
    not_reading: Vec<String>,
}

#[derive(Deserialize)]
struct EvasionCase {
    command: String,
    /// Its way around the rules.
    way: String,
    /// Missing if the allows are for it: `git *` allows every `git push`.
    allows: Option<String>,
    /// Missing if the command runs nothing that is denied.
    denies: Option<String>,
}

fn layers(general: PermissionAction, patterns: &[&str], action: PermissionAction) -> RuleLayers {
    let general = PermissionRules::from_iter([PermissionRule::new("bash", "*", general)]);
    RuleLayers::new([default_rules(), general, rules(patterns, action)])
}

fn rules(patterns: &[&str], action: PermissionAction) -> PermissionRules {
    patterns.iter().map(|pattern| PermissionRule::new("bash", *pattern, action)).collect()
}

fn decide(layers: &RuleLayers, command: &str) -> &'static str {
    let place = ShellPlace { home: Some(HOME), working_folder: Some(PROJECT) };
    let reading = read_command(command, place);
    let ask = Ask { key: "bash".to_owned(), commands: reading.commands, ..Ask::default() };
    match layers.decide(&ask) {
        PermissionDecision::Deny(_) => "deny",
        PermissionDecision::Ask(_) => "ask",
        PermissionDecision::Allow if reading.paths.iter().any(|path| is_outside(path)) => "outside",
        PermissionDecision::Allow if reading.paths.iter().any(|path| looks_like_secret(path)) => "secret",
        PermissionDecision::Allow => "allow",
    }
}

/// As the file system would say it if there were no links.
fn is_outside(path: &str) -> bool {
    let mut parts = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    !format!("/{}/", parts.join("/")).starts_with(&format!("{PROJECT}/"))
}

#[test]
fn none_runs_unasked() {
    let cases: EvasionCases = serde_json::from_str(include_str!("evasions.json")).unwrap();
    let defaults = RuleLayers::new([default_rules()]);
    let careful = RuleLayers::new([preset_rules(PermissionPreset::Careful)]);
    let allows = layers(PermissionAction::Ask, &ALLOWS, PermissionAction::Allow);
    let denies = layers(PermissionAction::Allow, &DENIES, PermissionAction::Deny);
    let both =
        RuleLayers::new([rules(&ALLOWS, PermissionAction::Allow), rules(&DENIES, PermissionAction::Deny)]);
    let mut wrong = Vec::new();
    let mut check = |command: &str, way: &str, rules: &str, ours: &str, expected: &str| {
        if ours != expected {
            wrong.push(format!("{way}: {command:?} {rules}: {ours}, expected {expected}"));
        }
    };
    for case in &cases.evasions {
        let verdicts = [&case.allows, &case.denies].map(Option::as_deref);
        assert!(!verdicts.contains(&Some("allow")) && verdicts != [None, None], "{}", case.command);
        // A command that only reads is free, but what it names outside the workspace is asked for.
        let by_default = decide(&defaults, &case.command);
        let expected = if by_default == "outside" { "outside" } else { "ask" };
        check(&case.command, &case.way, "defaults", by_default, expected);
        check(&case.command, &case.way, "careful", decide(&careful, &case.command), "ask");
        let past_both = decide(&both, &case.command);
        assert_ne!(past_both, "allow", "{}", case.command);
        if let Some(expected) = &case.allows {
            check(&case.command, &case.way, "allows", decide(&allows, &case.command), expected);
        }
        if let Some(expected) = &case.denies {
            check(&case.command, &case.way, "denies", decide(&denies, &case.command), expected);
        }
    }
    for command in &cases.allowed {
        check(command, "allowed", "allows", decide(&allows, command), "allow");
    }
    for command in &cases.not_denied {
        check(command, "not denied", "denies", decide(&denies, command), "allow");
    }
    let lists = [(&cases.reads, "allow"), (&cases.reads_secrets, "secret"), (&cases.not_reading, "ask")];
    for (commands, expected) in lists {
        for command in commands {
            check(command, "reading", "defaults", decide(&defaults, command), expected);
            check(command, "reading", "careful", decide(&careful, command), "ask");
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(cases.evasions.len() >= 300, "{}", cases.evasions.len());
}

/// "Always" on any evasion offers nothing that would let another one through.
#[test]
fn no_offer_lets_an_evasion_through() {
    let cases: EvasionCases = serde_json::from_str(include_str!("evasions.json")).unwrap();
    for case in cases.evasions.iter().filter(|case| case.allows.is_some()) {
        let offered = read_command(&case.command, ShellPlace::default()).always;
        for program in ["sh", "bash", "env", "sudo", "xargs", "find", "python", "make", "tar", "eval", "rm"] {
            let is_open =
                |offer: &String| offer.split(['/', ' ']).any(|word| word == program) && offer.ends_with('*');
            assert!(!offered.iter().any(is_open), "{}: {offered:?}", case.command);
        }
    }
}
