//! What package managers install for a project: program folders, and paths that a server needs.

use std::path::{Path, PathBuf};

use base64::{Engine as _, prelude::BASE64_URL_SAFE};
use sha2::{Digest as _, Sha256};

use super::{PackageManager, ProgramSearch};

/// Usual names of a virtual environment in a project. uv uses the first; so does Poetry, if configured.
const VIRTUAL: [&str; 4] = [".venv", "venv", ".env", "env"];

/// The program folders of a package manager, for one folder of a project.
pub(super) fn program_folders(
    search: &ProgramSearch,
    folder: &Path,
    manager: PackageManager,
) -> Vec<PathBuf> {
    match manager {
        PackageManager::Npm => vec![folder.join("node_modules/.bin")],
        PackageManager::Python => {
            virtual_environments(search, folder).map(|place| place.join("bin")).collect()
        }
        PackageManager::Php => vec![folder.join("vendor/bin")],
    }
}

fn virtual_environments<'a>(
    search: &'a ProgramSearch,
    folder: &'a Path,
) -> impl Iterator<Item = PathBuf> + 'a {
    let named = search.variable("UV_PROJECT_ENVIRONMENT");
    let named = named.filter(|_| search.view.exists(&folder.join("uv.lock"))).map(|name| folder.join(name));
    let places = named.into_iter().chain(VIRTUAL.into_iter().map(|name| folder.join(name)));
    let places = places.filter(|place| search.view.exists(&place.join("pyvenv.cfg")));
    places.chain(shared_environment(search, folder))
}

/// Poetry and Pipenv keep the environments of all projects in one folder. Their names end with a hash of the project's
/// path.
fn shared_environment(search: &ProgramSearch, folder: &Path) -> Option<PathBuf> {
    let below =
        |variable: &str, rest: &str| search.variable(variable).map(|place| Path::new(&place).join(rest));
    let view = &search.view;
    let (all, hashed_path, suffix) = if view.exists(&folder.join("poetry.lock")) {
        let all = below("POETRY_VIRTUALENVS_PATH", "").or_else(|| below("POETRY_CACHE_DIR", "virtualenvs"));
        let all = all.or_else(|| below("XDG_CACHE_HOME", "pypoetry/virtualenvs"));
        (all.unwrap_or_else(|| search.home.join(".cache/pypoetry/virtualenvs")), folder.to_owned(), "-py")
    } else if view.exists(&folder.join("Pipfile")) {
        let all = below("WORKON_HOME", "").or_else(|| below("XDG_DATA_HOME", "virtualenvs"));
        (all.unwrap_or_else(|| search.home.join(".local/share/virtualenvs")), folder.join("Pipfile"), "")
    } else {
        return None;
    };
    let hash = BASE64_URL_SAFE.encode(Sha256::digest(hashed_path.to_str()?));
    let mark = format!("-{}{suffix}", hash.get(..8)?);
    let mut names = view.entry_names(&all);
    // The latest of several Python versions.
    names.sort_unstable();
    let fits = |name: &&String| if suffix.is_empty() { name.ends_with(&mark) } else { name.contains(&mark) };
    let place = all.join(names.iter().rfind(fits)?);
    view.exists(&place.join("pyvenv.cfg")).then_some(place)
}

/// The interpreter whose packages a Python project is checked against: that of the active environment, else the
/// project's own.
pub fn python(search: &ProgramSearch, folder: &Path, root: &Path) -> Option<PathBuf> {
    let active = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(|name| search.variable(name));
    let active = active.map(|place| Path::new(&place).join("bin/python"));
    let active = active.filter(|program| program.is_absolute() && search.may_run(program, root));
    let own = search.folders(folder, root).flat_map(|folder| virtual_environments(search, folder));
    let mut programs = active.chain(own.map(|place| place.join("bin/python")));
    programs.find(|program| search.view.is_executable(program))
}

/// The folder of the project's TypeScript library. It counts as a program, too.
pub fn tsdk(search: &ProgramSearch, folder: &Path, root: &Path) -> Option<PathBuf> {
    let mut places = search.folders(folder, root).map(|folder| folder.join("node_modules/typescript/lib"));
    places.find(|place| search.view.exists(place))
}
