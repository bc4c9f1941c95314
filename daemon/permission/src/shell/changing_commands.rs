//! Commands that by their own words remove, replace or write files, or change what git has, as data. The preset that lets other commands run
//! in the sandbox asks for these, because a user reviews what an agent changes.
//!
//! What a build or a script does is not seen: this is about plain words, and the sandbox holds the rest.

use super::program_name::ProgramName;
use super::script::ShellWord;

const PROGRAMS: &[&str] = &[
    "cp", "dd", "ed", "ex", "install", "ln", "mv", "patch", "rm", "rmdir", "rsync", "shred", "tee",
    "truncate", "unlink",
];

/// Options that make a program do so: letters, also inside a cluster, and whole words up to a `=`.
const OPTIONS: &[(&str, &str, &[&str])] = &[
    ("sed", "i", &["--in-place"]),
    ("perl", "i", &[]),
    ("ruby", "i", &[]),
    ("sort", "o", &["--output"]),
    ("find", "", &["-delete", "-fprint", "-fprint0", "-fprintf", "-fls"]),
    ("fd", "", &["--delete"]),
];

/// Each command has folders for itself there in the sandbox.
const PRIVATE_FOLDERS: [&str; 3] = ["/tmp/", "/var/tmp/", "/dev/"];

/// Call it only for a command that does more than read.
pub(super) fn changes_files(program: &ProgramName, words: &[ShellWord]) -> bool {
    let has_option = |letters: &str, long: &[&str]| {
        words.iter().skip(1).map(|word| word.text.as_str()).any(|word| {
            let cluster = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            cluster.is_some_and(|cluster| cluster.contains(|letter| letters.contains(letter)))
                || long.contains(&word.split('=').next().unwrap_or_default())
        })
    };
    program.is("git")
        || program.is_one_of(PROGRAMS)
        || OPTIONS.iter().any(|(name, letters, long)| program.is(name) && has_option(letters, long))
}

/// Whether writing to this path changes a file that the user has.
pub(super) fn changes_target(target: &ShellWord) -> bool {
    let is_private = |path: &str| {
        PRIVATE_FOLDERS.iter().any(|folder| path.starts_with(folder))
            && !path.split('/').any(|part| part == "..")
    };
    !target.value.as_deref().is_some_and(is_private)
}
