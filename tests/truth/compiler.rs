//! The compilers' output for a text: the truth that answers are compared with.
//!
//! A state of a project is written into its own folder and compiled there. The result is cached by compiler and texts, because
//! many cases share their states.

mod clang;
mod go;
mod python;
mod rust;
mod typescript;

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::case::ProjectTexts;
use super::problem::TruthProblem;
use super::servers::{InstalledServers, cache};

/// Another number invalidates the cache.
const FORM: u32 = 4;

/// Everything that this server's compiler reports about a state.
pub(crate) fn compiler_problems(
    servers: &InstalledServers,
    server: &str,
    state: &ProjectTexts,
) -> Vec<TruthProblem> {
    let program = servers.compiler(server);
    let mut hasher = DefaultHasher::new();
    (FORM, server, &program, state).hash(&mut hasher);
    let kept = cache().join(format!("truth/{server}-{:016x}.json", hasher.finish()));
    if let Some(known) = fs::read(&kept).ok().and_then(|text| serde_json::from_slice(&text).ok()) {
        return known;
    }
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for (path, text) in state {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let at = ProjectCompiler { program, root };
    let mut problems = match server {
        "rust-analyzer" => rust::check(&at),
        "typescript-language-server" | "typescript-7" => typescript::check(&at),
        "pyright" => python::pyright(&at),
        "ruff" => python::ruff(&at),
        "clangd" => clang::check(&at, state),
        "gopls" => go::check(&at),
        _ => panic!("no compiler is known for {server}"),
    };
    problems.sort();
    problems.dedup();
    fs::create_dir_all(kept.parent().unwrap()).unwrap();
    fs::write(kept, serde_json::to_vec(&problems).unwrap()).unwrap();
    problems
}

/// A compiler in a project.
struct ProjectCompiler {
    program: PathBuf,
    root: PathBuf,
}

impl ProjectCompiler {
    /// Runs to its end, successful or not: most compilers fail if there is an error.
    fn run(&self, args: &[&str], environment: &[(&str, &Path)]) -> (String, String) {
        let mut command = Command::new(&self.program);
        command.args(args).current_dir(&self.root);
        command.envs(environment.iter().copied());
        let Output { stdout, stderr, .. } =
            command.output().unwrap_or_else(|error| panic!("{}: {error}", self.program.display()));
        (String::from_utf8_lossy(&stdout).into_owned(), String::from_utf8_lossy(&stderr).into_owned())
    }

    /// A path of the compiler, relative to the root.
    fn relative_path(&self, path: &str) -> String {
        let path = Path::new(path);
        let path = path.strip_prefix(&self.root).or_else(|_| path.strip_prefix(".")).unwrap_or(path);
        path.to_string_lossy().into_owned()
    }
}

/// Parses `path:line:column: message`.
fn parse_location(line: &str) -> Option<(&str, usize, &str)> {
    let mut parts = line.splitn(4, ':');
    let (path, number, column) = (parts.next()?, parts.next()?, parts.next()?);
    column.parse::<usize>().ok()?;
    Some((path, number.parse().ok()?, parts.next()?.trim()))
}
