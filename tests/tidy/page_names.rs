//! What the pages name exists, and what they list is complete: files, functions, types, tools, commands, language servers.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use copydesk_servers::known_servers::known_servers;

use super::{files, text};

const PAGES: [&str; 2] = ["ARCHITECTURE.md", "CONTRIBUTING.md"];

/// The endings of names that are files.
const ENDINGS: [&str; 5] = [".rs", ".lua", ".json", ".md", ".toml"];

/// The words in a page's code, with their line numbers.
fn code_words(page: &str) -> Vec<(usize, String)> {
    let (mut words, mut is_block) = (Vec::new(), false);
    for (line, number) in page.lines().zip(1..) {
        if line.starts_with("```") {
            is_block = !is_block;
            continue;
        }
        let spans = line.split('`').enumerate().filter(|(at, _)| is_block || at % 2 == 1);
        for (_, span) in spans {
            let is_part = |letter: char| letter.is_alphanumeric() || "_./-:…".contains(letter);
            let found = span.split(|letter| !is_part(letter)).map(|word| word.trim_matches([':', '.']));
            words.extend(found.filter(|word| !word.is_empty()).map(|word| (number, word.to_owned())));
        }
    }
    // A page shows where a new file goes by `NAME`.
    words.retain(|(_, word)| !word.contains("NAME"));
    words
}

/// Whether a file or a folder has this name, or one that ends so. `…` stands for folders in between.
fn is_in_tree(name: &str, tree: &BTreeSet<PathBuf>) -> bool {
    let (start, end) = name.split_once("/…/").unwrap_or(("", name));
    tree.iter().any(|path| path.starts_with(start) && path.ends_with(end.trim_end_matches('/')))
}

fn is_path(word: &str) -> bool {
    ENDINGS.iter().any(|ending| word.len() > ending.len() && word.ends_with(ending))
        || ["daemon/", "editors/", "protocol/", "tests/"].iter().any(|folder| word.starts_with(folder))
        || word.contains("/src/")
}

/// Whether a file has an implementation, or the definition, of the type, and the function or variant.
fn has_item(code: &str, of_type: &str, item: &str) -> bool {
    let is_word = |line: &str, word: &str| {
        line.split(|letter: char| !letter.is_alphanumeric()).any(|part| part == word)
    };
    let is_home = |line: &str| {
        let line = line.trim_start().trim_start_matches("pub ");
        ["impl", "trait ", "enum "].iter().any(|start| line.starts_with(start)) && is_word(line, of_type)
    };
    let is_item = |line: &str| {
        line.split_once("fn ").is_some_and(|(_, rest)| rest.split(['(', '<']).next() == Some(item))
            || line.trim_start().split(|letter: char| !letter.is_alphanumeric()).next() == Some(item)
    };
    code.lines().any(is_home) && code.lines().any(is_item)
}

/// A type's name has more than one capital, and small letters: `ServerPool`.
fn is_type_name(word: &str) -> bool {
    let capitals = word.chars().filter(|letter| letter.is_uppercase()).count();
    word.starts_with(char::is_uppercase)
        && capitals > 1
        && capitals < word.len() / 2 + 1
        && word.chars().all(char::is_alphanumeric)
        && word.chars().any(char::is_lowercase)
}

/// The name of a test is a sentence: `every_file_belongs_to_a_module`.
fn is_test_name(word: &str) -> bool {
    word.matches('_').count() > 2 && word.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_')
}

#[test]
fn what_pages_name_exists() {
    let mut tree: BTreeSet<PathBuf> = files("").into_iter().collect();
    let folders: Vec<_> = tree.iter().flat_map(|path| path.ancestors().skip(1)).map(Path::to_owned).collect();
    tree.extend(folders);
    let code: Vec<_> = files(".rs").iter().map(|path| text(path)).collect();
    let is_known = |word: &str| {
        if let Some((of_type, item)) = word.split_once("::") {
            !of_type.starts_with(char::is_uppercase) || code.iter().any(|code| has_item(code, of_type, item))
        } else if is_path(word) {
            is_in_tree(word, &tree)
        } else if is_test_name(word) {
            code.iter().any(|code| code.contains(&format!("fn {word}(")))
        } else {
            !is_type_name(word) || code.iter().any(|code| code.contains(word))
        }
    };
    let mut unknown = Vec::new();
    for page in PAGES {
        for (number, word) in code_words(&text(Path::new(page))) {
            if !is_known(&word) {
                unknown.push(format!("{page}:{number}: {word}"));
            }
        }
    }
    assert!(unknown.is_empty(), "named, but not there:\n{}", unknown.join("\n"));
}

/// The anchor that GitHub gives a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
    kept.flat_map(char::to_lowercase).map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

/// Links between our pages, and inside one, lead to a file and to a heading in it.
#[test]
fn links_lead_somewhere() {
    for page in files(".md") {
        let words = text(&page);
        let targets = words.split("](").skip(1).filter_map(|rest| rest.split([')', '\n']).next());
        for target in targets.filter(|target| !target.contains("://")) {
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() { page.clone() } else { page.with_file_name("").join(file) };
            assert!(super::root().join(&path).exists(), "{}: {target} does not exist", page.display());
            if !heading.is_empty() {
                let other = text(&path);
                let mut headings = other.lines().filter(|line| line.starts_with('#'));
                let is_there = headings.any(|line| anchor(line.trim_start_matches('#').trim()) == heading);
                assert!(is_there, "{}: no heading for {target}", page.display());
            }
        }
    }
}

/// A user finds every tool and every command in the guide.
#[test]
fn the_guide_names_every_tool_and_every_command() {
    let guide = text(Path::new("GUIDE.md"));
    let prompts = files(".md")
        .into_iter()
        .filter(|path| path.parent().is_some_and(|folder| folder.ends_with("tool/src/tools")));
    for prompt in prompts {
        let tool = prompt.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(guide.contains(&format!("`{tool}`")), "the guide does not name the tool {tool}");
    }
    let help = std::process::Command::new(env!("CARGO_BIN_EXE_copydesk")).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let commands: Vec<_> = commands.lines().take_while(|line| !line.is_empty()).collect();
    assert!(commands.len() > 5, "{help}");
    for command in commands.iter().filter_map(|line| line.split_whitespace().next()) {
        let is_named = command == "help"
            || guide.contains(&format!("copydesk {command}"))
            || guide.contains(&format!("`{command}"));
        assert!(is_named, "the guide does not name the command {command}");
    }
}

/// A user who switches the project's programs off reads which language servers that concerns.
#[test]
fn the_configuration_page_names_every_server_that_runs_project_code() {
    let page = text(Path::new("daemon/config/CONFIGURATION.md"));
    let row = page.lines().find(|line| line.starts_with("| `project_programs` |")).unwrap();
    let (_, list) = row.rsplit_once("stay off: ").unwrap();
    let named: Vec<_> = list.split('`').skip(1).step_by(2).collect();
    let mut expected: Vec<_> = known_servers()
        .iter()
        .filter(|server| server.runs_project_code)
        .map(|server| &*server.name)
        .collect();
    expected.sort_unstable();
    assert_eq!(named, expected);
}
