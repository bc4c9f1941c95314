//! The project's rules that a machine can check. Rules without a check drift.

mod page_names;
mod started_programs;
mod test_files;
mod truth_totals;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Files that are long because they are flat tables.
const TABLES: [&str; 0] = [];

/// Which crate may use which: dependencies point down only.
const ARROWS: &[(&str, &[&str])] = &[
    (
        "copydesk",
        &[
            "copydesk-config",
            "copydesk-faces",
            "copydesk-host",
            "copydesk-model",
            "copydesk-permission",
            "copydesk-protocol",
            "copydesk-rpc",
            "copydesk-servers",
            "copydesk-session",
            "copydesk-text",
            "copydesk-tool",
            "copydesk-workspace",
        ],
    ),
    ("copydesk-config", &[]),
    (
        "copydesk-diagnostics",
        &["copydesk-metadata", "copydesk-servers", "copydesk-syntax", "copydesk-text", "copydesk-workspace"],
    ),
    (
        "copydesk-faces",
        &[
            "copydesk-host",
            "copydesk-protocol",
            "copydesk-rpc",
            "copydesk-servers",
            "copydesk-session",
            "copydesk-text",
            "copydesk-workspace",
        ],
    ),
    (
        "copydesk-host",
        &[
            "copydesk-config",
            "copydesk-diagnostics",
            "copydesk-model",
            "copydesk-navigation",
            "copydesk-permission",
            "copydesk-protocol",
            "copydesk-rpc",
            "copydesk-servers",
            "copydesk-session",
            "copydesk-text",
            "copydesk-tool",
            "copydesk-workspace",
        ],
    ),
    ("copydesk-metadata", &[]),
    ("copydesk-model", &[]),
    ("copydesk-navigation", &["copydesk-servers", "copydesk-syntax", "copydesk-text", "copydesk-workspace"]),
    ("copydesk-permission", &[]),
    ("copydesk-protocol", &["copydesk-metadata"]),
    ("copydesk-rpc", &[]),
    ("copydesk-servers", &["copydesk-rpc", "copydesk-text", "copydesk-workspace"]),
    (
        "copydesk-session",
        &[
            "copydesk-diagnostics",
            "copydesk-metadata",
            "copydesk-model",
            "copydesk-navigation",
            "copydesk-permission",
            "copydesk-servers",
            "copydesk-tool",
            "copydesk-workspace",
        ],
    ),
    ("copydesk-syntax", &["copydesk-text"]),
    ("copydesk-text", &[]),
    (
        "copydesk-tool",
        &[
            "copydesk-config",
            "copydesk-diagnostics",
            "copydesk-metadata",
            "copydesk-navigation",
            "copydesk-permission",
            "copydesk-servers",
            "copydesk-text",
            "copydesk-workspace",
        ],
    ),
    ("copydesk-workspace", &["copydesk-config", "copydesk-text"]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Every file of ours below the root, as a relative path.
fn files(ending: &str) -> Vec<PathBuf> {
    let root = root();
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                // The fuzz target is outside the workspace, and links to what it tests.
                if !matches!(name.as_str(), "target" | ".git" | "node_modules" | "fuzz") {
                    folders.push(path);
                }
            } else if name.ends_with(ending) {
                found.push(path.strip_prefix(&root).unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

fn text(path: &Path) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// Lines with `name.workspace = true` or `name = …` in a `[dependencies]` table.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let table = manifest.split("[dependencies]").nth(1).unwrap_or_default();
    let table = table.split("\n[").next().unwrap_or_default();
    let names = table.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
    names.filter(|name| name.starts_with("copydesk")).map(str::to_owned).collect()
}

#[test]
fn every_file_fits_in_the_head() {
    let mut lengths = Vec::new();
    for path in files(".rs") {
        let lines = text(&path).lines().count();
        let is_table = TABLES.iter().any(|table| path.ends_with(table));
        assert!(lines <= 500 || is_table, "{}: {lines} lines; split it", path.display());
        lengths.push(lines);
    }
    lengths.sort_unstable();
    let median = lengths[lengths.len() / 2];
    assert!(median <= 150, "the median file has {median} lines");
}

#[test]
fn every_module_states_its_contract() {
    for path in files(".rs") {
        let name = path.file_name().unwrap().to_string_lossy();
        if name != "tests.rs" {
            assert!(text(&path).starts_with("//!"), "{}: begins without a `//!`", path.display());
        }
    }
}

#[test]
fn names_say_what_a_thing_is() {
    for path in files(".rs") {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let vague = ["mod", "utils", "util", "helpers", "common", "misc", "types2"].contains(&name.as_str());
        let dated = name.ends_with("_v2") || name.ends_with("_old") || name.ends_with("_new");
        assert!(!vague && !dated, "{}: find a better name", path.display());
    }
}

/// Type names that several types share, each with the reason.
const SHARED_TYPE_NAMES: [(&str, &str); 0] = [];

/// The types that a file defines, by keyword.
fn type_names(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let mut words = line.split_whitespace().skip_while(|word| word.starts_with("pub"));
        let keyword = words.next().filter(|word| ["struct", "enum", "trait", "union"].contains(word));
        let name = words.next().filter(|name| name.starts_with(char::is_uppercase));
        keyword.and(name)?.split(|character: char| !character.is_alphanumeric()).next()
    })
}

fn is_test(path: &Path) -> bool {
    let is_folder = path.components().skip(1).any(|part| part.as_os_str() == "tests");
    is_folder
        || path.file_stem().is_some_and(|stem| stem == "tests" || stem.to_string_lossy().ends_with("_tests"))
}

/// The modules at the root of a crate that a file imports from.
fn imported_modules(code: &str) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    for import in code.split("use crate::").skip(1) {
        let import = import.split(';').next().unwrap_or_default();
        let (mut depth, mut item) = (0, String::new());
        let outermost = i32::from(import.starts_with('{'));
        for character in import.chars().chain([',']) {
            match character {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if character == ',' && depth <= outermost {
                let name = item.trim_start_matches('{').trim().split([':', ' ', '}']).next();
                named.extend(name.map(str::to_owned));
                item.clear();
            } else {
                item.push(character);
            }
        }
    }
    named
}

/// Modules of one crate form no circle across folders, so that a reader can begin at the bottom. A file and the folder of its name
/// are one module here.
#[test]
fn modules_form_no_circle_across_folders() {
    for manifest in files("Cargo.toml").iter().filter(|path| path.components().count() > 1) {
        let source = manifest.parent().unwrap().join("src");
        let mut below: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for path in files(".rs").iter().filter(|path| path.starts_with(&source) && !is_test(path)) {
            let inside = path.strip_prefix(&source).unwrap();
            let module = inside.components().next().unwrap().as_os_str().to_string_lossy().replace(".rs", "");
            let text = text(path);
            let code = text.split("#[cfg(test)]\nmod").next().unwrap_or_default();
            below.entry(module).or_default().extend(imported_modules(code));
        }
        below.retain(|module, _| module != "lib" && module != "main");
        for (module, named) in &mut below {
            named.remove(module);
        }
        // Take away every module that imports only from those taken away. A circle stays, with whatever stands above it.
        loop {
            let left: BTreeSet<_> = below.keys().cloned().collect();
            let free: Vec<_> = left.iter().filter(|module| below[*module].is_disjoint(&left)).collect();
            if free.is_empty() {
                break;
            }
            below.retain(|module, _| !free.contains(&module));
        }
        assert!(below.is_empty(), "{}: a circle among {:?}", source.display(), below.keys());
    }
}

/// A reader who sees a type name knows which type it is.
#[test]
fn a_type_name_is_unique_in_the_workspace() {
    let mut known: BTreeMap<String, PathBuf> = BTreeMap::new();
    for path in files(".rs") {
        for name in type_names(&text(&path)) {
            let first = known.entry(name.to_owned()).or_insert_with(|| path.clone());
            let is_excepted = SHARED_TYPE_NAMES.iter().any(|(shared, _)| *shared == name);
            assert!(is_excepted || *first == path, "{name}: {} and {}", first.display(), path.display());
        }
    }
}

/// Whether the line declares a constant with another word for a maximum: `const MOST_FILES: usize = 10;`.
fn misnames_limit(line: &str) -> bool {
    let is_visibility = |word: &&str| word.starts_with("pub") || word.ends_with(')');
    let mut words = line.split_whitespace().skip_while(is_visibility);
    let name = words.next().filter(|word| *word == "const").and_then(|_| words.next()).unwrap_or_default();
    ["MOST", "LONGEST", "LARGEST", "DEEPEST"]
        .iter()
        .any(|word| name.strip_prefix(word).is_some_and(|rest| rest.starts_with(['_', ':'])))
}

/// A reader finds every limit by one word, and its name says what it limits: `MAX_FILES`, `MAX_TITLE_CHARS`.
#[test]
fn a_limit_is_named_max() {
    for path in files(".rs") {
        for (line, number) in text(&path).lines().zip(1..) {
            assert!(!misnames_limit(line), "{}:{number}: begin the name with MAX_", path.display());
        }
    }
}

/// The file without the test modules inside it.
fn without_inline_tests(text: &str) -> &str {
    let modules = text.match_indices("#[cfg(test)]\nmod ").map(|(start, _)| start);
    let mut inline = modules.filter(|start| {
        let declaration = text[*start..].lines().nth(1).unwrap_or_default();
        declaration.ends_with('{')
    });
    inline.next().map_or(text, |start| &text[..start])
}

/// Whether a time stands there as a number: `Duration::from_secs(5)`.
fn has_literal_time(line: &str) -> bool {
    let literals = line.split("Duration::from_").skip(1).filter_map(|rest| rest.split_once('('));
    let is_number = |argument: &str| argument.trim_start().starts_with(|first: char| first.is_ascii_digit());
    literals
        .filter(|(unit, _)| unit.chars().all(|letter| letter.is_ascii_lowercase()))
        .any(|(_, argument)| is_number(argument))
}

/// A reader finds every time limit of a crate, named and explained, in its `time_limits.rs`. What differs between language servers
/// is data of their quirks.
#[test]
fn times_stand_in_one_file_of_each_crate() {
    let is_source = |path: &PathBuf| {
        let is_example = path.components().any(|part| part.as_os_str() == "examples");
        !is_test(path) && !is_example && !path.starts_with("tests") && !path.ends_with("time_limits.rs")
    };
    for path in files(".rs").into_iter().filter(is_source) {
        for (line, number) in without_inline_tests(&text(&path)).lines().zip(1..) {
            assert!(
                !has_literal_time(line),
                "{}:{number}: give the time a name and a reason in this crate's time_limits.rs",
                path.display()
            );
        }
    }
}

/// An error that prints its cause must not also return it as source: a printed chain would repeat it. So a cause is either
/// in the message, or all there is (`transparent`).
#[test]
fn no_error_says_its_cause_twice() {
    for path in files(".rs").into_iter().filter(|path| !path.ends_with("tidy.rs")) {
        let mut words = String::new();
        for (line, number) in text(&path).lines().zip(1..) {
            if line.trim_start().starts_with("#[error(") {
                words = line.trim().to_owned();
            }
            let gives_cause = line.contains("#[from]") || line.contains("#[source]");
            assert!(
                !gives_cause || words == "#[error(transparent)]",
                "{}:{number}: says its cause and gives it out",
                path.display()
            );
        }
    }
}

#[test]
fn arrows_run_down_only() {
    let allowed: BTreeMap<_, BTreeSet<String>> = ARROWS
        .iter()
        .map(|(name, below)| (*name, below.iter().map(|name| (*name).to_owned()).collect()))
        .collect();
    for path in files("Cargo.toml").iter().filter(|path| path.components().count() > 1) {
        let manifest = text(path);
        let name = manifest.split("name = \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        let below = allowed.get(name).unwrap_or_else(|| panic!("{name} has no line in ARROWS"));
        assert_eq!(&dependencies(&manifest), below, "{name}: the crates it uses");
    }
}

/// Versions have one place: members only name what they use.
#[test]
fn versions_stand_in_the_root_alone() {
    for path in files("Cargo.toml").iter().filter(|path| path.components().count() > 1) {
        let manifest = text(path);
        let strays: Vec<_> = manifest.lines().filter(|line| line.contains("version = \"")).collect();
        assert!(strays.is_empty(), "{}: {strays:?}", path.display());
    }
}

#[test]
fn every_exception_to_a_lint_has_a_reason_beside_it() {
    for path in files(".rs") {
        let text = text(&path);
        let lines: Vec<_> = text.lines().collect();
        for (number, line) in lines.iter().enumerate() {
            let is_exception =
                line.trim_start().starts_with("#[allow(") || line.trim_start().starts_with("#![allow(");
            if is_exception {
                let before = number.checked_sub(1).map_or("", |before| lines[before]).trim_start();
                assert!(before.starts_with("//"), "{}:{}: say why", path.display(), number + 1);
            }
        }
    }
}
