//! Recognises generated files, which the offline model does not change: build output, dependencies, binary
//! files.
//!
//! Searches skip what git ignores; this module covers the rest. Some folders are recognised by name alone.
//! Others share their names with source folders (`target`, `build`), so the model looks for marker files
//! beside or inside them. A path that the user named is always changed.

use serde_json::{Value, json};

use super::lookup::matched_files;
use super::turn::OfflineTurn;
use super::{OfflineCall, advice};

/// Folders that never contain sources.
const GENERATED_FOLDERS: [&str; 16] = [
    ".git",
    ".gradle",
    ".hg",
    ".jj",
    ".mypy_cache",
    ".next",
    ".nuxt",
    ".pytest_cache",
    ".ruff_cache",
    ".svn",
    ".terraform",
    ".tox",
    ".venv",
    "__pycache__",
    "bower_components",
    "node_modules",
];

/// Folders that are generated if one of these files is beside them.
const SIBLING_MARKERS: [(&str, &[&str]); 7] = [
    ("_build", &["mix.exs"]),
    ("build", &["build.gradle", "build.gradle.kts", "setup.py"]),
    ("deps", &["mix.exs"]),
    ("dist", &["package.json", "pyproject.toml", "setup.py"]),
    ("target", &["Cargo.toml", "build.sbt", "pom.xml"]),
    ("vendor", &["Gemfile", "composer.json", "go.mod"]),
    ("venv", &[]),
];

/// Folders that are generated if they contain one of these files.
const FOLDER_MARKERS: [&str; 3] = ["CACHEDIR.TAG", "CMakeCache.txt", "pyvenv.cfg"];

/// Extensions of binary files; some contain text.
const BINARY_EXTENSIONS: [&str; 30] = [
    "7z", "a", "bin", "bz2", "class", "db", "dll", "dylib", "exe", "gif", "gz", "ico", "jar", "jpeg", "jpg",
    "o", "pdf", "png", "pyc", "rlib", "rmeta", "so", "sqlite", "tar", "ttf", "wasm", "webp", "woff", "woff2",
    "zip",
];

const MAX_INSPECTIONS: usize = 20;

/// The step to take before the files of the last search may be changed.
pub(super) enum SearchFollowUp {
    /// Inspect these folders.
    Inspect(Vec<OfflineCall>),
    /// Search again with these globs excluded.
    SearchAgain(String),
    /// All matches may be changed.
    Edit,
}

/// `path` is what the user named.
pub(super) fn next_search_step(turn: &OfflineTurn<'_>, path: Option<&str>) -> SearchFollowUp {
    let searches = || turn.steps.iter().flatten().filter(|call| call.name == "grep");
    let (mut globs, mut ask) = (Vec::<String>::new(), Vec::<String>::new());
    for file in searches().flat_map(|call| matched_files(call.output)) {
        let (add, to) = match file_origin(turn, &file, path) {
            FileOrigin::Source => continue,
            FileOrigin::Generated(glob) => (glob, &mut globs),
            FileOrigin::Unknown(folder) => (folder, &mut ask),
        };
        if !to.contains(&add) {
            to.push(add);
        }
    }
    if !ask.is_empty() {
        return SearchFollowUp::Inspect(
            ask.iter().take(MAX_INSPECTIONS).map(|folder| inspect_call(folder)).collect(),
        );
    }
    let include = globs.join(",");
    let last = searches().next_back().map(|call| call.argument("include")).unwrap_or_default();
    if include == last { SearchFollowUp::Edit } else { SearchFollowUp::SearchAgain(include) }
}

/// Whether a matched file may be changed.
pub(super) fn is_source_file(turn: &OfflineTurn<'_>, file: &str, path: Option<&str>) -> bool {
    matches!(file_origin(turn, file, path), FileOrigin::Source)
}

/// Names the skipped files, for the end of an answer.
pub(super) fn skipped_note(turn: &OfflineTurn<'_>) -> String {
    let last = turn.steps.iter().flatten().rfind(|call| call.name == "grep");
    let include = last.map(|call| call.argument("include")).unwrap_or_default();
    let names: Vec<_> = include.split(',').filter_map(|glob| glob.strip_prefix('!')).collect();
    if names.is_empty() { String::new() } else { advice::skipped_files(&names) }
}

/// Adds the exclusions of `include` to the arguments of a search.
pub(super) fn exclude_globs(mut search: Value, include: &str) -> Value {
    if let Some(search) = search.as_object_mut().filter(|_| !include.is_empty()) {
        search.insert("include".to_owned(), json!(include));
    }
    search
}

enum FileOrigin {
    Source,
    /// Excluded by this glob.
    Generated(String),
    /// This folder needs an inspection.
    Unknown(String),
}

fn file_origin(turn: &OfflineTurn<'_>, file: &str, path: Option<&str>) -> FileOrigin {
    let named = path.map(|path| path.trim_start_matches("./").trim_end_matches('/')).unwrap_or_default();
    if file == named {
        return FileOrigin::Source;
    }
    let below = path_below(file, named);
    let start = file.len() - below.len();
    for (at, _) in below.match_indices('/') {
        let folder = file.get(..start + at).unwrap_or_default();
        let name = folder.rsplit('/').next().unwrap_or_default();
        if GENERATED_FOLDERS.contains(&name) {
            return FileOrigin::Generated(format!("!{name}/"));
        }
        if SIBLING_MARKERS.iter().any(|(other, _)| *other == name) {
            match inspection_result(turn, folder) {
                None => return FileOrigin::Unknown(folder.to_owned()),
                Some(true) => {
                    return FileOrigin::Generated(format!(
                        "!/{}/",
                        escape_glob(below.get(..at).unwrap_or(name))
                    ));
                }
                Some(false) => {}
            }
        }
    }
    let ending = below.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, ending)| ending);
    match ending.filter(|ending| BINARY_EXTENSIONS.contains(&ending.to_ascii_lowercase().as_str())) {
        Some(ending) => FileOrigin::Generated(format!("!*.{ending}")),
        None => FileOrigin::Source,
    }
}

/// `grep` reports paths relative to the workspace, but its globs apply below the searched folder, which may
/// be named by an absolute path.
fn path_below<'a>(file: &'a str, named: &str) -> &'a str {
    let is_named =
        |folder: &str| named.strip_suffix(folder).is_some_and(|up| up.is_empty() || up.ends_with('/'));
    let ends = file.match_indices('/').map(|(at, _)| at);
    let end = ends.rev().find(|at| file.get(..*at).is_some_and(is_named));
    end.and_then(|at| file.get(at + 1..)).unwrap_or(file)
}

/// Replaces characters with a meaning in a glob list by `?`.
fn escape_glob(path: &str) -> String {
    let odd = |character: char| character.is_whitespace() || ",!*?[]{}\\".contains(character);
    path.chars().map(|character| if odd(character) { '?' } else { character }).collect()
}

fn inspect_call(folder: &str) -> OfflineCall {
    let (parent, name) = folder.rsplit_once('/').unwrap_or(("", folder));
    let beside =
        SIBLING_MARKERS.iter().filter(|(other, _)| *other == name).flat_map(|(_, files)| files.iter());
    let beside = beside.map(|file| (*file).to_owned());
    let inside = FOLDER_MARKERS.iter().map(|file| format!("{name}/{file}"));
    let pattern = format!("{{{}}}", beside.chain(inside).collect::<Vec<_>>().join(","));
    let arguments = if parent.is_empty() {
        json!({ "pattern": pattern })
    } else {
        json!({ "pattern": pattern, "path": parent })
    };
    OfflineCall { name: "glob", arguments }
}

/// Whether a marker shows that the folder is generated; `None` before the inspection.
fn inspection_result(turn: &OfflineTurn<'_>, folder: &str) -> Option<bool> {
    let OfflineCall { name, arguments } = inspect_call(folder);
    let mut looks = turn.steps.iter().flatten().filter(|call| call.name == name);
    let look = looks.find(|call| call.arguments == arguments)?;
    // If the inspection failed, treat the folder as generated and leave it alone.
    Some(look.is_error || !look.output.starts_with("No file"))
}
