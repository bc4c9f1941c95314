//! Finds the program of a server, a checker or a formatter, or says how to install it.
//!
//! The order is: as configured; in the project, if its own programs may run, and only in folders of a package manager
//! that installs such programs; in `PATH`. The search downloads nothing and runs nothing. A version manager's shim
//! without a program behind it (`shim`) counts as missing.
//!
//! Invariant: relative folders in `PATH` are skipped: they would lead into whatever project is open.

mod environment;
mod package_manager;
mod shim;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::file_system::{FileSystemView, ancestors_within};

pub use crate::known_servers::PackageManager;
pub use environment::{python, tsdk};

/// Where to search. Nothing of it is read from this process.
#[derive(Clone)]
pub struct ProgramSearch {
    pub view: Arc<dyn FileSystemView + Send + Sync>,
    environment: Vec<(OsString, OsString)>,
    /// The folders of `PATH`.
    path: Vec<PathBuf>,
    home: PathBuf,
    /// The project's own programs may run.
    pub(crate) allows_project_programs: bool,
}

impl std::fmt::Debug for ProgramSearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProgramSearch").field("path", &self.path).finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramLookup {
    Found {
        /// The absolute path of the program, and its arguments.
        command: Vec<OsString>,
        place: ProgramOrigin,
    },
    Missing {
        /// How to get it.
        hint: String,
    },
}

/// Where a program was found. The preferred origin is the greatest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProgramOrigin {
    Path,
    Project,
    Configured,
}

impl ProgramLookup {
    pub fn origin(&self) -> Option<ProgramOrigin> {
        match self {
            Self::Found { place, .. } => Some(*place),
            Self::Missing { .. } => None,
        }
    }
}

impl ProgramSearch {
    /// `environment` is the environment of the programs. `in_project` allows programs in the project.
    pub fn new(
        view: Arc<dyn FileSystemView + Send + Sync>,
        environment: Vec<(OsString, OsString)>,
        home: PathBuf,
        in_project: bool,
    ) -> Self {
        let mut search =
            Self { view, environment, path: Vec::new(), home, allows_project_programs: in_project };
        search.path =
            search.variable("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
        search
    }

    fn variable(&self, name: &str) -> Option<OsString> {
        let found = self.environment.iter().find(|(given, _)| given == name);
        found.map(|(_, value)| value.clone()).filter(|value| !value.is_empty())
    }

    /// The first of these commands whose program exists. `folder` is the folder in the workspace `root` that needs it.
    pub fn find_program(
        &self,
        commands: &[Vec<String>],
        folder: &Path,
        root: &Path,
    ) -> Option<(Vec<OsString>, ProgramOrigin)> {
        let project = commands.iter().find_map(|command| self.find_in_project(command, folder, root));
        project.or_else(|| commands.iter().find_map(|command| self.in_path(command, folder, root)))
    }

    pub fn find_in_project(
        &self,
        command: &[String],
        folder: &Path,
        root: &Path,
    ) -> Option<(Vec<OsString>, ProgramOrigin)> {
        let program = command.first()?;
        self.find_installed(package_manager::managers_of(program), command, folder, root)
    }

    /// Searches the folders in which these package managers install programs.
    fn find_installed(
        &self,
        managers: &[PackageManager],
        command: &[String],
        folder: &Path,
        root: &Path,
    ) -> Option<(Vec<OsString>, ProgramOrigin)> {
        let (program, arguments) = command.split_first()?;
        if program.contains('/') {
            return None;
        }
        let places = self
            .folders(folder, root)
            .flat_map(|folder| managers.iter().map(move |manager| (folder, manager)));
        let mut places =
            places.flat_map(|(folder, manager)| environment::program_folders(self, folder, *manager));
        let path = places.find_map(|place| self.usable(place.join(program), folder, root))?;
        Some((full_command(path, arguments), ProgramOrigin::Project))
    }

    fn in_path(
        &self,
        command: &[String],
        folder: &Path,
        root: &Path,
    ) -> Option<(Vec<OsString>, ProgramOrigin)> {
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
        Some((full_command(path, arguments), ProgramOrigin::Path))
    }

    /// The folders of the project, from `folder` upwards. None if `folder` is outside the project (anyone may have put
    /// files into a shared folder), or if the project's programs may not run.
    fn folders<'a>(&self, folder: &'a Path, root: &'a Path) -> impl Iterator<Item = &'a Path> + Clone {
        let is_allowed = self.allows_project_programs && folder.starts_with(root);
        ancestors_within(folder, root).filter(move |_| is_allowed)
    }

    /// False for a program in the project, also through symlinks, unless the project's programs may run.
    fn may_run(&self, program: &Path, root: &Path) -> bool {
        let is_inside = |path: PathBuf| path.starts_with(root);
        let real_root = self.view.canonicalize(root);
        let is_real = |path: PathBuf| real_root.as_ref().is_some_and(|root| path.starts_with(root));
        let real = self.view.canonicalize(program);
        self.allows_project_programs
            || !(is_inside(program.to_owned())
                || real.is_some_and(|real| is_real(real.clone()) || is_inside(real)))
    }

    /// The user's command: a path, relative to `root` unless absolute, or a name.
    pub fn find_configured(&self, command: &[String], folder: &Path, root: &Path) -> ProgramLookup {
        let missing = |hint: &str| ProgramLookup::Missing { hint: hint.to_owned() };
        let Some((program, arguments)) = command.split_first() else {
            return missing("the configuration names no program");
        };
        if !program.contains('/') {
            let commands = [command.to_vec()];
            let found = self.find_program(&commands, folder, root);
            // The user named it, so any package manager's folder will do. `PATH` goes first, because a repository can
            // bring any name.
            let found = found.or_else(|| {
                self.find_installed(&PackageManager::ALL, command, folder, root)
                    .filter(|_| package_manager::managers_of(program).is_empty())
            });
            return match found {
                Some((command, _)) => ProgramLookup::Found { command, place: ProgramOrigin::Configured },
                None => missing(&format!("`{program}` (from the configuration) is not in PATH")),
            };
        }
        let path = match program.strip_prefix("~/") {
            Some(rest) => self.home.join(rest),
            None => root.join(program),
        };
        if !self.allows_project_programs && !program.starts_with(['/', '~']) {
            return missing(&format!(
                "{} is in the project, and the project's programs are not run (`diagnostics.project_programs`)",
                path.display()
            ));
        }
        match self.usable(path.clone(), folder, root) {
            Some(path) => ProgramLookup::Found {
                command: full_command(path, arguments),
                place: ProgramOrigin::Configured,
            },
            None => missing(&format!("{} (from the configuration) cannot be run", path.display())),
        }
    }

    fn usable(&self, path: PathBuf, folder: &Path, root: &Path) -> Option<PathBuf> {
        let is_usable = self.view.is_executable(&path) && !shim::is_dangling_shim(self, &path, folder, root);
        is_usable.then_some(path)
    }
}

fn full_command(program: PathBuf, arguments: &[String]) -> Vec<OsString> {
    [program.into_os_string()].into_iter().chain(arguments.iter().map(OsString::from)).collect()
}

#[cfg(test)]
mod tests;
