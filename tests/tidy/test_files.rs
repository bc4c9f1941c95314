//! Every source file is compiled, and every module of the end-to-end tests is in `tests/run quick` or left out for a reason.

use std::path::{Path, PathBuf};

use super::{files, root, text};

/// The modules of `tests/main.rs` that `tests/run quick` leaves out, each with the reason.
const NOT_QUICK: [(&str, &str); 9] = [
    (
        "laws",
        "`tests/run quick` skips every test with `laws::` in its name, because slow tests of merges are in a module of that name",
    ),
    ("navigation", "needs language servers"),
    ("neovim", "needs Neovim"),
    ("plugin", "needs Neovim"),
    ("refactoring", "needs language servers"),
    ("remote", "whole sessions"),
    ("sessions", "whole sessions"),
    ("terminal", "whole sessions in a terminal"),
    ("vscode", "needs VS Code"),
];

/// The names that a file declares as modules in files of their own: `pub(crate) mod cli;`.
fn modules(code: &str) -> impl Iterator<Item = &str> {
    let declarations = code.lines().filter_map(|line| line.trim().strip_suffix(';'));
    declarations.filter_map(|line| match line.rsplit_once("mod ") {
        Some(("", module)) => Some(module),
        Some((visibility, module)) if visibility.starts_with("pub") => Some(module),
        _ => None,
    })
}

/// Whether Cargo begins to compile here, by default or by a path in a manifest.
fn is_root(path: &Path) -> bool {
    let is_of_package = path.parent().is_some_and(|folder| folder.ends_with("src"))
        && ["lib.rs", "main.rs"].iter().any(|name| path.ends_with(name));
    let others = ["tests/main.rs", "tests/benchmark.rs", "tests/language_server/main.rs"];
    let is_example = path.parent().is_some_and(|folder| folder.ends_with("examples"));
    is_of_package || is_example || others.iter().any(|other| path == Path::new(other))
}

/// The file that has to declare the module of this file: of the folder's name, or where compilation begins.
fn parent(path: &Path) -> PathBuf {
    let folders = path.ancestors().skip(1);
    let candidates = folders
        .flat_map(|folder| [folder.with_extension("rs"), folder.join("lib.rs"), folder.join("main.rs")]);
    candidates.into_iter().find(|file| file != path && root().join(file).is_file()).unwrap_or_default()
}

/// A file that no `mod` names is not compiled, so its tests never run.
#[test]
fn every_file_belongs_to_a_module() {
    for path in files(".rs").into_iter().filter(|path| !is_root(path)) {
        let (parent, name) = (parent(&path), path.file_stem().unwrap().to_string_lossy().into_owned());
        let is_declared = modules(&text(&parent)).any(|module| module == name);
        assert!(is_declared, "{}: {} has no `mod {name};`", path.display(), parent.display());
    }
}

#[test]
fn every_module_of_tests_is_quick_or_has_a_reason() {
    let script = text(Path::new("tests/run"));
    let list = script.lines().find_map(|line| line.trim().strip_prefix("quick_modules=(")).unwrap();
    let quick = list.trim_end_matches(')').split(' ');
    let mut listed: Vec<_> = NOT_QUICK.iter().map(|(module, _)| *module).chain(quick).collect();
    listed.sort_unstable();
    let main = text(Path::new("tests/main.rs"));
    assert_eq!(listed, modules(&main).collect::<Vec<_>>());
}
