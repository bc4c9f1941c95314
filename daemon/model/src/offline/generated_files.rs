//! What is built or fetched, and so not for the offline model to change: build output, dependencies, files that are no text.
//!
//! git mostly ignores it, and then nobody finds it; this is for where it does not. Some folders are told by their name alone.
//! Others have names that sources have too (`target`, `build`): they are looked at, and what stands beside or inside tells.
//! What the person named themselves is theirs to have changed.

use serde_json::{Value, json};

use super::lookup::matched_files;
use super::turn::OfflineTurn;
use super::{OfflineCall, advice};

/// Folders that hold nothing a person wrote.
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

/// Folders that do where one of these files stands beside them.
const SIBLING_MARKERS: [(&str, &[&str]); 7] = [
    ("_build", &["mix.exs"]),
    ("build", &["build.gradle", "build.gradle.kts", "setup.py"]),
    ("deps", &["mix.exs"]),
    ("dist", &["package.json", "pyproject.toml", "setup.py"]),
    ("target", &["Cargo.toml", "build.sbt", "pom.xml"]),
    ("vendor", &["Gemfile", "composer.json", "go.mod"]),
    ("venv", &[]),
];

/// Folders that do where one of these files stands in them.
const FOLDER_MARKERS: [&str; 3] = ["CACHEDIR.TAG", "CMakeCache.txt", "pyvenv.cfg"];

/// Endings of files that are no text, though some look like it.
const BINARY_EXTENSIONS: [&str; 30] = [
    "7z", "a", "bin", "bz2", "class", "db", "dll", "dylib", "exe", "gif", "gz", "ico", "jar", "jpeg", "jpg",
    "o", "pdf", "png", "pyc", "rlib", "rmeta", "so", "sqlite", "tar", "ttf", "wasm", "webp", "woff", "woff2",
    "zip",
];

/// Folders that are looked at in one step.
const MOST: usize = 20;

/// What has to be done before the files that the last search found may be changed.
pub(super) enum SearchFollowUp {
    /// Look at these folders.
    Inspect(Vec<OfflineCall>),
    /// Search again without these.
    SearchAgain(String),
    /// All of them are for changing.
    Edit,
}

/// `path`: what the person named.
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
        return SearchFollowUp::Inspect(ask.iter().take(MOST).map(|folder| inspect_call(folder)).collect());
    }
    let include = globs.join(",");
    let last = searches().next_back().map(|call| call.argument("include")).unwrap_or_default();
    if include == last { SearchFollowUp::Edit } else { SearchFollowUp::SearchAgain(include) }
}

/// Whether a file that was found is for changing.
pub(super) fn is_source_file(turn: &OfflineTurn<'_>, file: &str, path: Option<&str>) -> bool {
    matches!(file_origin(turn, file, path), FileOrigin::Source)
}

/// What was passed over by this rule, for the end of an answer.
pub(super) fn skipped_note(turn: &OfflineTurn<'_>) -> String {
    let last = turn.steps.iter().flatten().rfind(|call| call.name == "grep");
    let include = last.map(|call| call.argument("include")).unwrap_or_default();
    let names: Vec<_> = include.split(',').filter_map(|glob| glob.strip_prefix('!')).collect();
    if names.is_empty() { String::new() } else { advice::skipped_files(&names) }
}

/// The arguments of a search, without what `include` leaves out.
pub(super) fn exclude_globs(mut search: Value, include: &str) -> Value {
    if let Some(search) = search.as_object_mut().filter(|_| !include.is_empty()) {
        search.insert("include".to_owned(), json!(include));
    }
    search
}

enum FileOrigin {
    Source,
    /// By this glob it is left out.
    Generated(String),
    /// This folder has to be looked at.
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

/// Paths are told from the workspace, and left out from the folder that is searched, which may be named in full.
fn path_below<'a>(file: &'a str, named: &str) -> &'a str {
    let is_named =
        |folder: &str| named.strip_suffix(folder).is_some_and(|up| up.is_empty() || up.ends_with('/'));
    let ends = file.match_indices('/').map(|(at, _)| at);
    let end = ends.rev().find(|at| file.get(..*at).is_some_and(is_named));
    end.and_then(|at| file.get(at + 1..)).unwrap_or(file)
}

/// Characters that mean something in a list of globs stand for any one.
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

/// Whether something there says that it is built; nothing where nobody has looked.
fn inspection_result(turn: &OfflineTurn<'_>, folder: &str) -> Option<bool> {
    let OfflineCall { name, arguments } = inspect_call(folder);
    let mut looks = turn.steps.iter().flatten().filter(|call| call.name == name);
    let look = looks.find(|call| call.arguments == arguments)?;
    // Where nobody can tell, nothing is changed.
    Some(look.is_error || !look.output.starts_with("No file"))
}
