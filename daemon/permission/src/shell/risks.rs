//! What makes a command do more than its first words say.

use super::git_commands;
use super::program_name::ProgramName;
use super::risky_options::{OptionEffect, RISKY_OPTIONS, RiskyOptions};
use super::script::ShellWord;
use super::script_texts::{is_plain_awk_script, is_plain_sed_script};
use super::wrappers::{DECLARING_BUILTINS, INTERPRETERS, LATE_BUILTINS, RUNNERS, SUBSCRIPT_BUILTINS};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CommandRisk {
    /// How many leading words a rule must spell out.
    pub(super) spelled_words: usize,
    pub(super) may_run_anything: bool,
}

impl CommandRisk {
    pub(super) fn require_words(&mut self, count: usize) {
        self.spelled_words = self.spelled_words.max(count);
    }
}

pub(super) fn judge_words(program: &ProgramName, words: &[ShellWord]) -> CommandRisk {
    let mut risk = CommandRisk::default();
    judge_computed_words(words, &mut risk);
    judge_options(program, words, &mut risk);
    judge_program(program, words, &mut risk);
    if program.is("git") {
        git_commands::judge_git(words, &mut risk);
    }
    risk
}

/// A word that is not known may be any option and any file.
fn judge_computed_words(words: &[ShellWord], risk: &mut CommandRisk) {
    if let Some(last) = words.iter().rposition(|word| word.value.is_none()) {
        risk.require_words(last + 1);
    }
}

fn judge_program(program: &ProgramName, words: &[ShellWord], risk: &mut CommandRisk) {
    let arguments = words.get(1..).unwrap_or_default();
    let name = words.first().map(|word| word.text.as_str()).unwrap_or_default();
    if name.split('/').any(|part| part == "..") {
        risk.require_words(1);
    }
    if program.is_one_of(LATE_BUILTINS) || program.is_one_of(RUNNERS) {
        risk.may_run_anything = true;
    }
    // A subscript in the name of a variable runs the commands in it.
    let is_subscript = |word: &ShellWord| word.text.contains('[') && word.text.contains(['$', '`']);
    let evaluates = program.is_one_of(SUBSCRIPT_BUILTINS) || program.is_one_of(DECLARING_BUILTINS);
    if evaluates && arguments.iter().any(is_subscript) {
        risk.require_words(words.len());
        risk.may_run_anything = true;
    }
    let is_awk = program.is_one_of(&["awk", "gawk", "mawk", "nawk"]);
    if program.is_one_of(&["sed", "gsed"]) || is_awk {
        let script = arguments.iter().position(|word| !word.text.starts_with('-'));
        let is_plain =
            |text: &str| if is_awk { is_plain_awk_script(text) } else { is_plain_sed_script(text) };
        let has_expressions =
            arguments.iter().any(|word| word.text.starts_with("-e") || word.text.starts_with("--e"));
        let has_assignment = is_awk && arguments.iter().any(|word| word.text.starts_with("-v"));
        let script_text = script.and_then(|at| arguments.get(at)).and_then(|word| word.value.as_deref());
        if has_expressions || has_assignment || !script_text.is_some_and(is_plain) {
            risk.require_words(words.len());
            risk.may_run_anything = true;
        }
    } else if program.is_one_of(INTERPRETERS) {
        let first = arguments.first().and_then(|word| word.value.as_deref());
        let is_file = |value: &str| {
            !value.starts_with('-') && !value.starts_with("/dev/") && !value.starts_with("/proc/")
        };
        risk.may_run_anything |= !first.is_some_and(|value| is_file(value) || value == "--version");
    }
    // `make SHELL=…`: a variable of the makefile.
    let assigned = arguments.iter().rposition(|word| word.text.contains('='));
    if let Some(last) = assigned.filter(|_| program.is_one_of(&["make", "gmake", "dd"])) {
        risk.require_words(last + 2);
        risk.may_run_anything |= !program.is("dd");
    }
    // `uniq in out` writes its second file.
    if program.is("uniq") && arguments.iter().filter(|word| !word.text.starts_with('-')).count() > 1 {
        risk.require_words(words.len());
    }
}

fn judge_options(program: &ProgramName, words: &[ShellWord], risk: &mut CommandRisk) {
    let subcommand =
        subcommand_index(program, words).and_then(|at| words.get(at)).map(|word| word.text.as_str());
    for row in RISKY_OPTIONS {
        let (name, wanted) =
            row.command.split_once(' ').map_or((row.command, None), |(name, sub)| (name, Some(sub)));
        if !program.is(name) || (wanted.is_some() && wanted != subcommand) {
            continue;
        }
        if let Some(last) = words.iter().skip(1).rposition(|word| is_risky(row, &word.text)) {
            risk.require_words(last + 2);
            risk.may_run_anything |= row.effect == OptionEffect::Runs;
        }
    }
}

fn subcommand_index(program: &ProgramName, words: &[ShellWord]) -> Option<usize> {
    if program.is("git") {
        return git_commands::find_subcommand(words);
    }
    words.iter().skip(1).position(|word| !word.text.starts_with('-')).map(|at| at + 1)
}

/// Whether the tables have this word as a subcommand that runs something.
pub(super) fn is_listed_subcommand(program: &str, word: &str) -> bool {
    RISKY_OPTIONS.iter().any(|row| row.command == program && row.words.contains(&word))
}

fn is_risky(row: &RiskyOptions, word: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    if row.words.contains(&name) {
        return true;
    }
    if let Some(long) = name.strip_prefix("--") {
        // Programs accept abbreviations.
        return long.len() > 1 && row.long.iter().any(|risky| risky.starts_with(long));
    }
    // `tar xf` has no dash.
    let letters = word.strip_prefix('-').or_else(|| (row.command == "tar").then_some(word));
    letters.is_some_and(|letters| !letters.starts_with('-') && has_letter(letters, row.short))
}

/// Only the letters before a value: `-I/path` is no cluster.
fn has_letter(cluster: &str, short: &str) -> bool {
    cluster.chars().take_while(char::is_ascii_alphanumeric).any(|c| short.contains(c))
}
