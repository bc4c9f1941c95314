//! The program of a server, a checker or a formatter: where it lies, or how a person gets it.
//!
//! Looked for as configured, then in the project (where its own programs may be run, and in what a package manager made there that
//! makes such programs), then in `PATH`. Nothing is downloaded and nothing is run. The program of a version manager that has nothing behind it (`shim`) counts as missing.
//!
//! Invariant: a folder of `PATH` that is not absolute is not looked at: it would be whatever folder a project makes of it.

mod environment;
mod made;
mod shim;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::view::{View, upward};

pub use environment::{python, tsdk};
pub use made::Maker;

/// Where programs are looked for. Nothing of it is read from this process.
#[derive(Clone)]
pub struct Search {
    pub view: Arc<dyn View + Send + Sync>,
    environment: Vec<(OsString, OsString)>,
    /// The folders of `PATH`.
    path: Vec<PathBuf>,
    home: PathBuf,
    /// Programs that lie in the project may be run.
    pub(crate) in_project: bool,
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
        let program = command.first()?;
        self.made_by(made::by(program), command, folder, root)
    }

    /// Where these put programs.
    fn made_by(
        &self,
        makers: &[Maker],
        command: &[String],
        folder: &Path,
        root: &Path,
    ) -> Option<(Vec<OsString>, Place)> {
        let (program, arguments) = command.split_first()?;
        if program.contains('/') {
            return None;
        }
        let places =
            self.folders(folder, root).flat_map(|folder| makers.iter().map(move |maker| (folder, maker)));
        let mut places = places.flat_map(|(folder, maker)| environment::folders(self, folder, *maker));
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
            let path = place.join(program);
            let may_run = path.is_absolute() && self.may_run(&path, root);
            may_run.then(|| self.usable(path, folder, root))?
        })?;
        Some((whole(path, arguments), Place::Path))
    }

    /// The folders of a project, from one of its own upwards; none where it lies elsewhere (what others have put beside a file in a
    /// shared folder is nobody's project), or where programs of projects may not be run.
    fn folders<'a>(&self, folder: &'a Path, root: &'a Path) -> impl Iterator<Item = &'a Path> + Clone {
        let is_mine = self.in_project && folder.starts_with(root);
        upward(folder, root).filter(move |_| is_mine)
    }

    /// Not where it is the project's, whichever links lead there.
    fn may_run(&self, program: &Path, root: &Path) -> bool {
        let is_inside = |path: PathBuf| path.starts_with(root);
        let real_root = self.view.real(root);
        let is_real = |path: PathBuf| real_root.as_ref().is_some_and(|root| path.starts_with(root));
        let real = self.view.real(program);
        self.in_project
            || !(is_inside(program.to_owned())
                || real.is_some_and(|real| is_real(real.clone()) || is_inside(real)))
    }

    /// What a person wrote: a path, from `root` where it is not whole, or a name.
    pub fn configured(&self, command: &[String], folder: &Path, root: &Path) -> Program {
        let missing = |what: &str| Program::Missing { hint: what.to_owned() };
        let Some((program, arguments)) = command.split_first() else {
            return missing("the configuration names no program");
        };
        if !program.contains('/') {
            let commands = [command.to_vec()];
            let found = self.find(&commands, folder, root);
            // A person named it: whoever put it into the project. What is in `PATH` goes first, since a repository can bring any name.
            let found = found.or_else(|| {
                self.made_by(&Maker::ALL, command, folder, root).filter(|_| made::by(program).is_empty())
            });
            return match found {
                Some((command, _)) => Program::Found { command, place: Place::Configured },
                None => missing(&format!("`{program}`, which the configuration names, is not in PATH")),
            };
        }
        let path = match program.strip_prefix("~/") {
            Some(rest) => self.home.join(rest),
            None => root.join(program),
        };
        if !self.in_project && !program.starts_with(['/', '~']) {
            return missing(&format!(
                "{} lies in the project, whose programs are not run (`diagnostics.project_programs`)",
                path.display()
            ));
        }
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
