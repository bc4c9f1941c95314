//! The texts of a command: the one that is shown and allowed, and the others that a denial may be written for.

use super::git_commands;
use super::program_name::ProgramName;
use super::script::ShellWord;

/// How many words behind leading options may be the subcommand.
const MAX_LEADING_WORDS: usize = 8;

/// They do what each of their arguments names.
const TARGET_PROGRAMS: &[&str] =
    &["gmake", "gradle", "gradlew", "just", "make", "mvn", "mvnw", "ninja", "rake", "task"];

const PROGRAM_FOLDERS: [&str; 6] =
    ["/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/"];

/// A word as the program receives it, quoted if a shell would read it otherwise.
pub(super) fn quote_word(word: &ShellWord) -> String {
    let Some(value) = &word.value else { return word.text.clone() };
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:=@%+,^~{}".contains(c);
    if !value.is_empty() && value.chars().all(is_plain) {
        return value.clone();
    }
    format!("'{}'", value.replace('\'', "'\\''"))
}

pub(super) fn join_words(words: &[ShellWord]) -> String {
    words.iter().map(quote_word).collect::<Vec<_>>().join(" ")
}

/// For denials and asks. More is better than less here: whoever denies `rm *` means `/bin/rm` too.
pub(super) fn list_spellings(program: &ProgramName, words: &[ShellWord], source: &str) -> Vec<String> {
    let Some((name, arguments)) = words.split_first() else { return Vec::new() };
    let written = arguments.iter().map(|word| word.text.as_str()).collect::<Vec<_>>();
    let values = arguments.iter().map(|word| word.value.as_deref().unwrap_or(&word.text)).collect::<Vec<_>>();
    let file_name = name.text.rsplit('/').next().unwrap_or(&name.text);
    let mut names = vec![name.text.as_str(), file_name];
    if program.base != file_name {
        names.push(&program.base);
    }
    names.dedup();
    let mut spellings = vec![source.to_owned()];
    for name in &names {
        for arguments in [&written, &values] {
            spellings.push(with_arguments(name, arguments));
        }
    }
    // `git -C x push` is `git push`.
    if values.first().is_some_and(|word| word.starts_with(['-', '+'])) {
        for skipped in 1..values.len().min(MAX_LEADING_WORDS) {
            spellings.push(with_arguments(&program.base, values.get(skipped..).unwrap_or_default()));
        }
    }
    // However many options come first.
    if program.is("git")
        && let Some(arguments) = git_commands::find_subcommand(words).and_then(|at| values.get(at - 1..))
    {
        spellings.push(with_arguments(&program.base, arguments));
    }
    // `make clean install` is `make install`, too.
    if program.is_one_of(TARGET_PROGRAMS) {
        let targets = values.iter().skip(1).filter(|word| !word.starts_with('-'));
        spellings.extend(targets.map(|target| with_arguments(&program.base, &[target])));
    }
    // A program that is copied, linked or loaded by its path may run under another name.
    for (at, word) in values.iter().enumerate() {
        let program = PROGRAM_FOLDERS.iter().find_map(|folder| word.strip_prefix(folder));
        if let Some(program) = program.filter(|program| !program.is_empty() && !program.contains('/')) {
            spellings.push(with_arguments(program, values.get(at + 1..).unwrap_or_default()));
        }
    }
    spellings
}

fn with_arguments(name: &str, arguments: &[&str]) -> String {
    let mut text = name.to_owned();
    for argument in arguments {
        text.push(' ');
        text.push_str(argument);
    }
    text
}
