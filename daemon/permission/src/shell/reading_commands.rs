//! Which commands only read, by the table in `reading_table.rs`, and what they show beside the files that they
//! name. Those are the caller's to check.

use super::program_name::ProgramName;
use super::reading_table::{OperandKind, READING_COMMANDS, ReadingCommand};
use super::script::ShellWord;
use OperandKind::{Any, Files, GitFiles, Nothing, SearchedFiles, SedPrint};

/// What a command that only reads shows beside the files that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SearchedPlace {
    Nothing,
    /// The files in the folders that it names.
    NamedFolders,
    /// All files.
    WorkingFolder,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReadingScope {
    pub(super) searched: SearchedPlace,
    /// It obeys the configuration of a repository.
    pub(super) is_git: bool,
}

/// `None` if it may do more than read. All words must be known.
pub(super) fn find_reading_scope(program: &ProgramName, words: &[ShellWord]) -> Option<ReadingScope> {
    let values = words.iter().map(|word| word.value.as_deref()).collect::<Option<Vec<&str>>>()?;
    let (name, arguments) = values.split_first()?;
    // Another path, case or version may be another program.
    if *name != program.base {
        return None;
    }
    let (subcommand, arguments) = match *name {
        "git" => git_subcommand(arguments)?,
        _ => (None, arguments),
    };
    let row = READING_COMMANDS.iter().find(|row| match row.name.split_once(' ') {
        Some((program, wanted)) => program == *name && subcommand == Some(wanted),
        None => row.name == *name && subcommand.is_none(),
    })?;
    let operands = row.read_operands(arguments)?;
    let searched = match subcommand {
        Some(subcommand) if shows_changes(subcommand, arguments) => SearchedPlace::WorkingFolder,
        None if *name == "rg" && operands.len() < 2 => SearchedPlace::WorkingFolder,
        None if row.operands == SearchedFiles => SearchedPlace::NamedFolders,
        _ => SearchedPlace::Nothing,
    };
    row.accepts(&operands).then_some(ReadingScope { searched, is_git: subcommand.is_some() })
}

/// Whether a command of git shows texts of files that it does not name.
fn shows_changes(subcommand: &str, arguments: &[&str]) -> bool {
    let is_patch = |word: &&str| {
        let is_cluster =
            word.starts_with('-') && !word.starts_with("--") && word.contains(['p', 'u', 'U', 'c']);
        is_cluster || ["--patch", "--unified", "--word-diff"].iter().any(|long| word.starts_with(long))
    };
    let is_summary = |word: &&str| {
        ["--stat", "--name-only", "--name-status", "--numstat", "--shortstat", "--quiet", "-s", "--no-patch"]
            .iter()
            .any(|long| word == long || word.starts_with("--stat="))
    };
    let has_patch = arguments.iter().any(is_patch);
    match subcommand {
        "log" => has_patch,
        "diff" | "show" => has_patch || !arguments.iter().any(is_summary),
        _ => false,
    }
}

/// A format without `%G`, for which git runs the program that checks signatures.
fn is_plain_format(word: &str) -> bool {
    let value = word.strip_prefix("--format=").or_else(|| word.strip_prefix("--pretty="));
    value.is_some_and(|value| !value.contains('G'))
}

fn git_subcommand<'a, 'w>(arguments: &'a [&'w str]) -> Option<(Option<&'w str>, &'a [&'w str])> {
    let at = arguments.iter().position(|word| !["--no-pager", "-P", "--no-optional-locks"].contains(word))?;
    Some((Some(arguments.get(at)?), arguments.get(at + 1..)?))
}

impl ReadingCommand {
    /// The words that are no option; `None` if an option is not listed.
    fn read_operands<'w>(&self, arguments: &[&'w str]) -> Option<Vec<&'w str>> {
        let mut operands = Vec::new();
        let mut words = arguments.iter().copied();
        while let Some(word) = words.next() {
            if word == "--" {
                operands.extend(words);
                // Callers and other tables would take them for options.
                return (!operands.iter().any(|word| word.len() > 1 && word.starts_with('-')))
                    .then_some(operands);
            }
            if !word.starts_with('-') || word == "-" {
                operands.push(word);
                continue;
            }
            if self.long_valued.contains(&word) {
                words.next()?;
                continue;
            }
            let name = word.split('=').next().unwrap_or(word);
            if self.long.contains(&name) || (self.operands == GitFiles && is_plain_format(word)) {
                continue;
            }
            if word.starts_with("--") || !self.accepts_letters(word.get(1..)?, &mut words) {
                return None;
            }
        }
        Some(operands)
    }

    /// A cluster of short options; the value of the last may be the next word.
    fn accepts_letters<'w>(&self, letters: &str, words: &mut impl Iterator<Item = &'w str>) -> bool {
        for (at, letter) in letters.char_indices() {
            let is_number = self.numbers.contains(letter);
            if is_number || self.texts.contains(letter) {
                let attached = letters.get(at + letter.len_utf8()..).unwrap_or_default();
                let value = if attached.is_empty() { words.next() } else { Some(attached) };
                let is_counted = |value: &str| {
                    let digits = value.trim_start_matches(['+', '-']);
                    !digits.is_empty() && digits.chars().all(|c| c.is_ascii_alphanumeric())
                };
                return value.is_some_and(|value| !is_number || is_counted(value));
            }
            if !self.flags.contains(letter) {
                return false;
            }
        }
        true
    }

    fn accepts(&self, operands: &[&str]) -> bool {
        match self.operands {
            Nothing => operands.is_empty(),
            Any | Files | SearchedFiles => true,
            GitFiles => !operands.iter().any(|word| word.contains(':')),
            // `1,20p`, `5p;9p`, `$p`
            SedPrint => operands.first().is_some_and(|script| {
                script.split(';').all(|part| {
                    let lines = part.trim().strip_suffix('p');
                    lines.is_some_and(|lines| {
                        lines.split(',').all(|line| {
                            line == "$" || (!line.is_empty() && line.bytes().all(|c| c.is_ascii_digit()))
                        })
                    })
                })
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(command: &str) -> Option<ReadingScope> {
        let words: Vec<ShellWord> = command
            .split(' ')
            .map(|word| ShellWord { text: word.to_owned(), value: Some(word.to_owned()) })
            .collect();
        find_reading_scope(&ProgramName::new(&words[0].text).unwrap(), &words)
    }

    #[test]
    fn what_shows_other_files_is_known() {
        let cases = [
            ("cat a", SearchedPlace::Nothing),
            ("rg x", SearchedPlace::WorkingFolder),
            ("rg x src", SearchedPlace::NamedFolders),
            ("diff a b", SearchedPlace::NamedFolders),
            ("git status", SearchedPlace::Nothing),
            ("git diff", SearchedPlace::WorkingFolder),
            ("git diff --stat", SearchedPlace::Nothing),
            ("git diff --stat -p", SearchedPlace::WorkingFolder),
            ("git log --oneline", SearchedPlace::Nothing),
            ("git log -p", SearchedPlace::WorkingFolder),
            ("git show", SearchedPlace::WorkingFolder),
        ];
        for (command, searched) in cases {
            assert_eq!(scope(command).map(|scope| scope.searched), Some(searched), "{command}");
        }
    }

    #[test]
    fn only_listed_options_are_free() {
        let free = [
            "ls",
            "ls -la src",
            "cat -n a b",
            "head -n 5 a",
            "head -20 a",
            "head -n5 a",
            "tail -c +10 a",
            "wc -l a",
            "sed -n 1,20p a",
            "sed -n $p a",
            "grep -n -A3 x a",
            "grep -nie x a",
            "rg -n x src",
            "rg -t rust x",
            "find . -name x -type f",
            "git status",
            "git status --short --branch",
            "git --no-pager log --oneline -5",
            "git log -n 3 -- a",
            "git log --format=%h",
            "git diff --stat HEAD~1",
            "git branch -a",
            "git rev-parse --show-toplevel",
            "sort -k 2 -t , a",
            "command -v cargo",
        ];
        for command in free {
            assert!(scope(command).is_some(), "{command}");
        }
        let asked = [
            "/bin/ls",
            "LS",
            "ls.exe",
            "ls --hyperlink",
            "rm a",
            "env",
            "tail -f a",
            "head -c",
            "sort -o b a",
            "sort -ob a",
            "uniq -- a -b",
            "sort --output=b a",
            "sed -i 1p a",
            "sed -n 1w/a a",
            "sed -n e a",
            "sed a",
            "grep -r x",
            "grep -f a b",
            "grep --include x a",
            "rg --pre sh x",
            "rg -uu x",
            "rg -g .env x",
            "rg --hidden x",
            "rg -z x",
            "find . -delete",
            "find . -exec ls",
            "find . -fprint a",
            "find -L .",
            "tree -o a",
            "file -C a",
            "diff -r a b",
            "diff -l a b",
            "git",
            "git push",
            "git -c a=b status",
            "git -C a status",
            "git status -v",
            "git diff --ext-diff",
            "git diff --textconv",
            "git diff --output=a",
            "git diff --no-index a b",
            "git log --show-signature",
            "git log --format=%G?",
            "git show HEAD:.env",
            "git branch new",
            "git branch -d old",
            "git branch -m a",
            "git remote -v",
            "git config -l",
            "git stash",
            "git rev-parse --git-path x",
        ];
        for command in asked {
            assert_eq!(scope(command), None, "{command}");
        }
    }
}
