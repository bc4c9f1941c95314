//! The program of a server, a checker or a formatter: where it lies, or how a person gets it.
//!
//! Looked for as configured, then in the project (where its own programs may be run), then in `PATH`. Nothing is downloaded and
//! nothing is run. The program of a version manager that has nothing behind it (`shim`) counts as missing.
//!
//! Invariant: a folder of `PATH` that is not absolute is not looked at: it would be whatever folder a project makes of it.

mod environment;
mod shim;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::view::{View, upward};

pub use environment::{python, tsdk};

/// Where programs are looked for. Nothing of it is read from this process.
#[derive(Clone)]
pub struct Search {
    pub(crate) view: Arc<dyn View + Send + Sync>,
    environment: Vec<(OsString, OsString)>,
    /// The folders of `PATH`.
    path: Vec<PathBuf>,
    home: PathBuf,
    /// Programs that lie in the project may be run.
    in_project: bool,
}

impl std::fmt::Debug for Search {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Search").field("path", &self.path).finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    Found {
        /// The program, absolute, and its arguments.
        command: Vec<OsString>,
        place: Place,
    },
    Missing {
        /// What a person does to have it.
        hint: String,
    },
}

/// Where a program was found; the best is the greatest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    Path,
    Project,
    Configured,
}

impl Program {
    pub fn place(&self) -> Option<Place> {
        match self {
            Self::Found { place, .. } => Some(*place),
            Self::Missing { .. } => None,
        }
    }
}

impl Search {
    /// `environment` is what programs are given, `in_project` says that those that lie in a project may be run.
    pub fn new(
        view: Arc<dyn View + Send + Sync>,
        environment: Vec<(OsString, OsString)>,
        home: PathBuf,
        in_project: bool,
    ) -> Self {
        let mut search = Self { view, environment, path: Vec::new(), home, in_project };
        search.path =
            search.variable("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
        search
    }

    fn variable(&self, name: &str) -> Option<OsString> {
        let found = self.environment.iter().find(|(given, _)| given == name);
        found.map(|(_, value)| value.clone()).filter(|value| !value.is_empty())
    }

    /// The first of these commands whose program is there. `folder` is where in the workspace `root` it is wanted.
    pub fn find(
        &self,
        commands: &[Vec<String>],
        folder: &Path,
        root: &Path,
    ) -> Option<(Vec<OsString>, Place)> {
        let project = commands.iter().find_map(|command| self.in_project(command, folder, root));
        project.or_else(|| commands.iter().find_map(|command| self.in_path(command, folder, root)))
    }

    pub fn in_project(
        &self,
        command: &[String],
        folder: &Path,
        root: &Path,
    ) -> Option<(Vec<OsString>, Place)> {
        let (program, arguments) = command.split_first()?;
        if !self.in_project || program.contains('/') {
            return None;
        }
        let mut places = upward(folder, root).flat_map(|folder| environment::folders(self, folder));
        let path = places.find_map(|place| self.usable(place.join(program), folder, root))?;
        Some((whole(path, arguments), Place::Project))
    }

    fn in_path(&self, command: &[String], folder: &Path, root: &Path) -> Option<(Vec<OsString>, Place)> {
        let (program, arguments) = command.split_first()?;
        if program.contains('/') {
            return None;
        }
        let own = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(|name| self.variable(name));
        let own = own.map(|place| Path::new(&place).join("bin"));
        let mut places = own.chain(self.path.iter().cloned());
        let path = places.find_map(|place| {
            let is_mine = self.in_project || !place.starts_with(root);
            (place.is_absolute() && is_mine).then(|| self.usable(place.join(program), folder, root))?
        })?;
        Some((whole(path, arguments), Place::Path))
    }

    /// What a person wrote: a path, from `root` where it is not whole, or a name.
    pub fn configured(&self, command: &[String], folder: &Path, root: &Path) -> Program {
        let missing = |what: &str| Program::Missing { hint: what.to_owned() };
        let Some((program, arguments)) = command.split_first() else {
            return missing("the configuration names no program");
        };
        if !program.contains('/') {
            let commands = [command.to_vec()];
            return match self.find(&commands, folder, root) {
                Some((command, _)) => Program::Found { command, place: Place::Configured },
                None => missing(&format!("`{program}`, which the configuration names, is not in PATH")),
            };
        }
        let path = match program.strip_prefix("~/") {
            Some(rest) => self.home.join(rest),
            None => root.join(program),
        };
        match self.usable(path.clone(), folder, root) {
            Some(path) => Program::Found { command: whole(path, arguments), place: Place::Configured },
            None => missing(&format!("{}, which the configuration names, cannot be run", path.display())),
        }
    }

    fn usable(&self, path: PathBuf, folder: &Path, root: &Path) -> Option<PathBuf> {
        let is_usable = self.view.is_executable(&path) && !shim::is_empty(self, &path, folder, root);
        is_usable.then_some(path)
    }
}

fn whole(program: PathBuf, arguments: &[String]) -> Vec<OsString> {
    [program.into_os_string()].into_iter().chain(arguments.iter().map(OsString::from)).collect()
}

#[cfg(test)]
mod tests;
