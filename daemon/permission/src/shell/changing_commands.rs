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

/// Options that make a program do so: letters, also inside a cluster; long options, also abbreviated; and whole words.
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
                || is_listed(word.split('=').next().unwrap_or_default(), long)
        })
    };
    program.is("git")
        || program.is_one_of(PROGRAMS)
        || OPTIONS.iter().any(|(name, letters, long)| program.is(name) && has_option(letters, long))
}

/// Programs accept abbreviations of long options.
fn is_listed(option: &str, long: &[&str]) -> bool {
    let is_short_form =
        |listed: &str| option.len() > 2 && option.starts_with("--") && listed.starts_with(option);
    long.iter().any(|listed| *listed == option || is_short_form(listed))
}

/// Whether writing to this path changes a file that the user has. A folder that the command works in is not the command's own.
pub(super) fn changes_target(target: &ShellWord, working_folder: Option<&str>) -> bool {
    let is_own = |folder: &str| !working_folder.is_some_and(|working| working.starts_with(folder));
    let is_private = |path: &str| {
        PRIVATE_FOLDERS.iter().any(|folder| path.starts_with(folder) && is_own(folder))
            && !path.split('/').any(|part| part == "..")
    };
    !target.value.as_deref().is_some_and(is_private)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<ShellWord> {
        let word = |text: &str| ShellWord { text: text.to_owned(), value: Some(text.to_owned()) };
        text.split(' ').map(word).collect()
    }

    #[test]
    fn options_count_in_every_form() {
        for (command, changes) in [
            ("sort --output=b a", true),
            ("sort --out=b a", true),
            ("sort --o b a", true),
            ("sort -ub a", false),
            ("sort -uob a", true),
            ("sed --in-pl s/a/b/ f", true),
            ("sed -- s/a/b/ f", false),
            ("find . -delete", true),
            ("find . -del", false),
            ("rm f", true),
            ("cargo test", false),
        ] {
            let words = words(command);
            let program = ProgramName::new(&words[0].text).unwrap();
            assert_eq!(changes_files(&program, &words), changes, "{command}");
        }
    }

    #[test]
    fn a_workspace_below_a_private_folder_is_the_users() {
        for (target, working_folder, changes) in [
            ("/tmp/x", Some("/home/ada/p"), false),
            ("/tmp/x", None, false),
            ("/tmp/p/x", Some("/tmp/p"), true),
            ("/tmp/p/x", Some("/tmp/p/deep"), true),
            ("/var/tmp/x", Some("/tmp/p"), false),
            ("/tmp/../etc/x", Some("/home/ada/p"), true),
            ("x", Some("/tmp/p"), true),
        ] {
            let word = words(target).remove(0);
            assert_eq!(changes_target(&word, working_folder), changes, "{target} in {working_folder:?}");
        }
    }
}
