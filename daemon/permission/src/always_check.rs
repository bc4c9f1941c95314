//! Whether the patterns that a user wrote for "always" may be kept.
//!
//! The user edits what an ask offers. A typing error must not open more than "always" would ever offer: a program that runs
//! its arguments, or everything at once. What is stored for a project lasts, so it is held to more.
//!
//! | | may be kept |
//! |---|---|
//! | what the ask offers | yes; for a project not a bare `*` |
//! | a command | what "always" would offer for it (`shell/always_offer.rs`), or less |
//! | another text that begins with a wildcard | no |
//! | a narrower text than an offered one | yes |
//! | another path or address | if it names a folder below the system's and the home, or a host |
//!
//! A pattern need not match the call of its ask.

use thiserror::Error;

use crate::{AlwaysScope, ShellPlace, matches_wildcard, read_command};

/// More than a user writes.
const MAX_PATTERNS: usize = 100;
/// Longer commands are never matched by a wildcard.
const MAX_PATTERN_BYTES: usize = 4096;

/// The key whose patterns are commands.
const COMMANDS: &str = "bash";
/// Asks about one session's conduct: a reply says nothing about other sessions.
const SESSION_KEYS: &[&str] = &["doom_loop", "plan_exit"];

/// Why a pattern is not kept. `Display` is written for the user who edits it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AlwaysPatternError {
    #[error("this ask does not offer \"always\"; allow it once, or reject it")]
    NotOffered,
    #[error("this ask cannot be allowed for the project; allow it for this session, or once")]
    NotForProject,
    #[error("no pattern is left; allow the call once instead")]
    Nothing,
    #[error("{count} patterns are too many; keep at most {MAX_PATTERNS}")]
    TooMany { count: usize },
    #[error("a pattern of {bytes} bytes is too long; at most {MAX_PATTERN_BYTES} are possible")]
    TooLong { bytes: usize },
    #[error("the pattern `{}` contains a control character or a line break; write one pattern per line", .0.escape_debug())]
    ControlCharacter(String),
    #[error(
        "the pattern `{0}` would allow everything; name what may run, or use the configuration or a preset"
    )]
    Everything(String),
    #[error("the pattern `{0}` begins with a wildcard, which lets anything through; begin with a name")]
    BeginsWithWildcard(String),
    #[error("the pattern `{0}` names a whole system or home folder; name a folder below it")]
    TooHigh(String),
    #[error("the pattern `{0}` is not one plain command: it has operators, or runs another command")]
    NotOneCommand(String),
    #[error(
        "the program of the pattern `{0}` may run, write or delete what its arguments say; it is always allowed exactly as it was \
         called, or never"
    )]
    RunsArguments(String),
    #[error(
        "the pattern `{0}` is too wide: the words before ` *` must name the whole command, as in `git log *`"
    )]
    TooWide(String),
}

/// Whether `always` of an ask with this key and these offers may be kept for the project.
pub fn may_keep_for_project(key: &str, offered: &[String]) -> bool {
    !offered.is_empty()
        && !SESSION_KEYS.contains(&key)
        && !offered.iter().any(|pattern| is_everything(pattern))
}

/// Checks the user's list of an ask with this key, which offers `offered`. Each pattern must pass.
pub fn check_always_patterns(
    key: &str,
    offered: &[String],
    scope: AlwaysScope,
    patterns: &[String],
) -> Result<(), AlwaysPatternError> {
    if offered.is_empty() {
        return Err(AlwaysPatternError::NotOffered);
    }
    if scope == AlwaysScope::Project && !may_keep_for_project(key, offered) {
        return Err(AlwaysPatternError::NotForProject);
    }
    match patterns.len() {
        0 => return Err(AlwaysPatternError::Nothing),
        count if count > MAX_PATTERNS => return Err(AlwaysPatternError::TooMany { count }),
        _ => {}
    }
    patterns.iter().try_for_each(|pattern| check_pattern(key, offered, pattern))
}

fn check_pattern(key: &str, offered: &[String], pattern: &str) -> Result<(), AlwaysPatternError> {
    // The user saw it as an offer.
    if offered.iter().any(|offer| offer == pattern) {
        return Ok(());
    }
    if pattern.trim().is_empty() {
        return Err(AlwaysPatternError::Nothing);
    }
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(AlwaysPatternError::TooLong { bytes: pattern.len() });
    }
    if pattern.chars().any(char::is_control) {
        return Err(AlwaysPatternError::ControlCharacter(pattern.to_owned()));
    }
    if is_everything(pattern) {
        return Err(AlwaysPatternError::Everything(pattern.to_owned()));
    }
    if pattern.starts_with(['*', '?']) {
        return Err(AlwaysPatternError::BeginsWithWildcard(pattern.to_owned()));
    }
    if key == COMMANDS {
        return check_command(pattern);
    }
    // With `?` in the offer, a `*` of the pattern would pass as one character.
    if offered.iter().any(|offer| !offer.contains('?') && matches_wildcard(offer, pattern)) {
        return Ok(());
    }
    check_beginning(pattern)
}

/// Of a path or an address, a whole name must stand before the first wildcard: `/*` and `../*` are everywhere, `https://*`
/// is every host.
fn check_beginning(pattern: &str) -> Result<(), AlwaysPatternError> {
    let Some(literal) = pattern.find(['*', '?']).and_then(|at| pattern.get(..at)) else { return Ok(()) };
    let too_high = || AlwaysPatternError::TooHigh(pattern.to_owned());
    if let Some((_, host)) = literal.split_once("://") {
        return if host.contains('/') { Ok(()) } else { Err(too_high()) };
    }
    // A folder counts with its slash: `/home*` is also `/home/ada`.
    let folders = literal.rsplit_once(['/', '\\']).map_or(literal, |(folders, _)| folders);
    let names = folders.split(['/', '\\']).filter(|name| !["", ".", "..", "~"].contains(name));
    let needed = match literal.strip_prefix('/') {
        // A home is one of these.
        Some(below) if below.starts_with("home/") || below.starts_with("Users/") => 3,
        Some(_) => 2,
        None => 1,
    };
    if names.count() < needed { Err(too_high()) } else { Ok(()) }
}

/// A pattern is as wide as its complete words before the first wildcard let it be, and as risky as all of it is when something
/// stands for each wildcard.
fn check_command(pattern: &str) -> Result<(), AlwaysPatternError> {
    let offer_for = |command: &str| {
        let reading = read_command(command, ShellPlace::default());
        let is_one = reading.unreadable.is_none() && reading.commands.len() == 1;
        is_one.then(|| reading.always.first().cloned())
    };
    let Some(whole) = offer_for(&pattern.replace(['*', '?'], "x")) else {
        return Err(AlwaysPatternError::NotOneCommand(pattern.to_owned()));
    };
    if whole.is_none() {
        return Err(AlwaysPatternError::RunsArguments(pattern.to_owned()));
    }
    let Some(wildcard) = pattern.find(['*', '?']) else { return Ok(()) };
    let complete = pattern.get(..wildcard).and_then(|literal| literal.rsplit_once(' '));
    let too_wide = || AlwaysPatternError::TooWide(pattern.to_owned());
    let (words, _) = complete.ok_or_else(too_wide)?;
    let offer = offer_for(words).flatten().ok_or_else(too_wide)?;
    // A program that is offered only as it was called: by a path, or a task of the project.
    let Some(name) = offer.strip_suffix(" *") else {
        return Err(AlwaysPatternError::RunsArguments(pattern.to_owned()));
    };
    let is_behind_name =
        words.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    if is_behind_name { Ok(()) } else { Err(too_wide()) }
}

fn is_everything(pattern: &str) -> bool {
    pattern.contains('*') && pattern.chars().all(|c| matches!(c, '*' | '?' | ' ' | '/' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kind of refusal; empty if the pattern may be kept.
    fn check(key: &str, offered: &[&str], scope: AlwaysScope, patterns: &[&str]) -> String {
        let owned =
            |patterns: &[&str]| patterns.iter().map(|&pattern| pattern.to_owned()).collect::<Vec<_>>();
        match check_always_patterns(key, &owned(offered), scope, &owned(patterns)) {
            Ok(()) => String::new(),
            Err(error) => {
                let kind = format!("{error:?}");
                kind.split(['(', ' ']).next().unwrap_or_default().to_owned()
            }
        }
    }

    #[test]
    fn a_command_is_kept_as_far_as_always_would_offer_it() {
        let cases = [
            ("git push *", ""),
            ("git push origin *", ""),
            ("git push origin main", ""),
            ("git log --oneline *", ""),
            ("cargo test *", ""),
            ("make check", ""),
            ("./build.sh fast", ""),
            ("ls *", ""),
            ("*", "Everything"),
            ("* *", "Everything"),
            ("* push", "BeginsWithWildcard"),
            ("?it push", "BeginsWithWildcard"),
            ("sh *", "RunsArguments"),
            ("/bin/sh *", "RunsArguments"),
            ("bash -c *", "NotOneCommand"),
            ("python3.11 *", "RunsArguments"),
            ("make *", "RunsArguments"),
            ("make check *", "RunsArguments"),
            ("./build.sh *", "RunsArguments"),
            ("xargs *", "NotOneCommand"),
            ("env *", "NotOneCommand"),
            ("sudo ls *", "NotOneCommand"),
            ("rm -r build", "RunsArguments"),
            ("find . *", "RunsArguments"),
            ("cargo run *", "RunsArguments"),
            ("git config *", "RunsArguments"),
            ("git log --output=*", "RunsArguments"),
            ("git -c core.pager=* log", "RunsArguments"),
            ("git log * > out", "RunsArguments"),
            ("git *", "RunsArguments"),
            ("git", "RunsArguments"),
            ("cargo *", "TooWide"),
            ("cargo ru? *", "TooWide"),
            ("git confi* x", "RunsArguments"),
            ("git  log *", "TooWide"),
            ("cargo test*", "TooWide"),
            ("l*", "TooWide"),
            ("git log *; rm x", "NotOneCommand"),
            ("git log $(*)", "NotOneCommand"),
            ("git log \"*", "NotOneCommand"),
            ("git log\n*", "ControlCharacter"),
            ("", "Nothing"),
        ];
        let checked = cases
            .map(|(pattern, _)| (pattern, check("bash", &["git push *"], AlwaysScope::Session, &[pattern])));
        let differ = checked.iter().zip(cases).filter(|((_, found), (_, expected))| found != expected);
        assert_eq!(differ.collect::<Vec<_>>(), []);
        assert_eq!(check("bash", &["git push *"], AlwaysScope::Session, &["ls *", "sh *"]), "RunsArguments");
        let long = format!("ls {}", "a".repeat(MAX_PATTERN_BYTES));
        assert_eq!(check("bash", &["ls *"], AlwaysScope::Session, &[&long]), "TooLong");
        assert_eq!(check("bash", &["ls *"], AlwaysScope::Session, &["ls a"; MAX_PATTERNS + 1]), "TooMany");
    }

    #[test]
    fn another_text_needs_a_beginning() {
        let cases = [
            ("edit", "*", "*", ""),
            ("edit", "*", "src/*", ""),
            ("edit", "*", "*.rs", "BeginsWithWildcard"),
            ("read", ".env", "config/*", ""),
            ("read", ".env", "*", "Everything"),
            ("read", ".env", "./*", "Everything"),
            ("read", ".env", "../*", "Everything"),
            ("external_directory", "/srv/data/a/*", "/srv/data/*", ""),
            ("external_directory", "/srv/data/a/*", "/srv/*", "TooHigh"),
            ("external_directory", "/srv/data/a/*", "/*", "Everything"),
            ("external_directory", "/home/ada/a/*", "/home/ada/*", "TooHigh"),
            ("external_directory", "/home/ada/a/*", "/home/ada/b/*", ""),
            ("webfetch", "https://e.org/*", "https://e.org/docs/*", ""),
            ("webfetch", "https://e.org/*", "https://*", "TooHigh"),
            ("webfetch", "https://e.org/*", "https://e*", "TooHigh"),
        ];
        for (key, offer, pattern, expected) in cases {
            assert_eq!(check(key, &[offer], AlwaysScope::Session, &[pattern]), expected, "{key} {pattern}");
        }
    }

    #[test]
    fn a_project_keeps_less_than_a_session() {
        let cases = [
            ("bash", &["ls *"][..], "ls *", ""),
            ("edit", &["*"], "*", "NotForProject"),
            ("doom_loop", &["bash"], "bash", "NotForProject"),
            ("bash", &[], "ls *", "NotOffered"),
        ];
        for (key, offered, pattern, expected) in cases {
            assert_eq!(check(key, offered, AlwaysScope::Project, &[pattern]), expected, "{key} {pattern}");
        }
        assert_eq!(check("bash", &["ls *"], AlwaysScope::Project, &[]), "Nothing");
    }
}
