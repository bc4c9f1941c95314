//! What package managers make in a project: folders of programs, and what a server must be told of.

use std::path::{Path, PathBuf};

use super::Search;
use crate::view::{View, upward};

/// The usual names of a virtual environment in a project; uv and Poetry (by default in new set-ups) use the first.
const VIRTUAL: [&str; 4] = [".venv", "venv", ".env", "env"];

/// Folders with the programs of a project, for one folder of it.
pub(super) fn folders<'a>(view: &'a dyn View, folder: &'a Path) -> impl Iterator<Item = PathBuf> + 'a {
    let virtual_ones = virtual_environments(view, folder).map(|place| place.join("bin"));
    [folder.join("node_modules/.bin")].into_iter().chain(virtual_ones).chain([folder.join("vendor/bin")])
}

fn virtual_environments<'a>(view: &'a dyn View, folder: &'a Path) -> impl Iterator<Item = PathBuf> + 'a {
    let places = VIRTUAL.into_iter().map(|name| folder.join(name));
    places.filter(|place| view.exists(&place.join("pyvenv.cfg")))
}

/// The interpreter whose packages a Python project is checked against: of the environment that is active, else of the
/// project's own.
pub fn python(search: &Search, folder: &Path, root: &Path) -> Option<PathBuf> {
    let active = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(|name| search.variable(name));
    let active = active.map(PathBuf::from).filter(|place| place.is_absolute());
    let own = upward(folder, root).flat_map(|folder| virtual_environments(&*search.view, folder));
    let own = own.filter(|_| search.in_project);
    let mut programs = active.chain(own).map(|place| place.join("bin/python"));
    programs.find(|program| search.view.is_executable(program))
}

/// The folder of TypeScript's own library that a project uses.
pub fn tsdk(view: &dyn View, folder: &Path, root: &Path) -> Option<PathBuf> {
    let mut places = upward(folder, root).map(|folder| folder.join("node_modules/typescript/lib"));
    places.find(|place| view.exists(place))
}
