//! git: the subcommand behind its general options, and the options that change what git runs.

use super::risks::CommandRisk;
use super::risky_options::GIT_SUBCOMMANDS;
use super::script::ShellWord;

/// General options that take the next word.
const VALUED: [&str; 7] =
    ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--attr-source"];

/// General options that change nothing but the output.
const HARMLESS: [&str; 9] = [
    "--no-pager",
    "-P",
    "--no-optional-locks",
    "--literal-pathspecs",
    "--glob-pathspecs",
    "--noglob-pathspecs",
    "--icase-pathspecs",
    "--no-replace-objects",
    "--no-advice",
];

/// The index of the subcommand among all words.
pub(super) fn find_subcommand(words: &[ShellWord]) -> Option<usize> {
    let mut at = 1;
    loop {
        let word = words.get(at)?.text.as_str();
        if !word.starts_with('-') {
            return Some(at);
        }
        at += if VALUED.contains(&word) { 2 } else { 1 };
    }
}

pub(super) fn judge_git(words: &[ShellWord], risk: &mut CommandRisk) {
    let subcommand = find_subcommand(words);
    let general = words.get(1..subcommand.unwrap_or(words.len())).unwrap_or_default();
    let is_harmless = |word: &ShellWord| HARMLESS.contains(&word.text.as_str()) || word.text == "--version";
    if !general.iter().all(is_harmless) {
        risk.require_words(general.len() + 1);
        risk.may_run_anything |= general.iter().any(|word| !is_harmless(word) && word.text != "-C");
    }
    let Some(at) = subcommand else { return };
    let Some(name) = words.get(at).map(|word| word.text.as_str()) else { return };
    let arguments = words.get(at + 1..).unwrap_or_default();
    // An alias runs anything. The tables have the subcommands that do.
    let is_query = name == "config" && is_config_query(arguments);
    if !is_query && !GIT_SUBCOMMANDS.contains(&name) {
        risk.require_words(at + 1);
        risk.may_run_anything |= name != "config" && !super::risks::is_listed_subcommand("git", name);
    }
    if name == "config" && !is_config_query(arguments) {
        risk.require_words(words.len());
        risk.may_run_anything = true;
    }
    // `ext::sh -c …` is the address of a program.
    let has_helper = |word: &ShellWord| word.text.contains("::");
    if arguments.iter().any(has_helper) {
        risk.require_words(words.len());
        risk.may_run_anything = true;
    }
    // These name a script of their own.
    if let Some(last) = arguments.iter().rposition(|word| word.text.starts_with("--upload-pack=")) {
        risk.require_words(at + last + 2);
    }
}

fn is_config_query(arguments: &[ShellWord]) -> bool {
    let queries = ["--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list"];
    arguments.first().is_some_and(|word| queries.contains(&word.text.as_str()))
}
