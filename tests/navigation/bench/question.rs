//! The questions as data: what to ask about a real project, and the places that are right.
//!
//! A file of `questions/` holds those of one project. The places of uses are the lines in which the name stands, without comments, strings
//! and other things of that name; all places were checked by hand in the project's text. `head.md` names those that were corrected after a
//! server had answered.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::truth::real_project::project_folders;

const FILES: [(&str, &str); 5] = [
    ("rust", include_str!("../questions/rust.json")),
    ("typescript", include_str!("../questions/typescript.json")),
    ("python", include_str!("../questions/python.json")),
    ("c", include_str!("../questions/c.json")),
    ("go", include_str!("../questions/go.json")),
];

/// A real project, and the questions about it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BenchProject {
    #[serde(skip)]
    pub(crate) name: String,
    #[serde(skip)]
    folder: PathBuf,
    /// What it is, for the page of results.
    pub(crate) about: String,
    pub(crate) servers: Vec<String>,
    pub(crate) questions: Vec<BenchQuestion>,
    pub(crate) rename: RenameTask,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct BenchQuestion {
    pub(crate) operation: String,
    file_path: Option<String>,
    line: Option<usize>,
    symbol: Option<String>,
    /// The right places, as `PATH:LINE`. Those outside of the project do not count.
    #[serde(default)]
    pub(crate) places: Vec<String>,
    /// What the answer contains.
    #[serde(default)]
    pub(crate) text: Vec<String>,
    /// Lines with an error, which the file gets at its end before the project is opened.
    plant: Option<String>,
    /// What a server cannot do, by its name. Then the answer must say so, or be right all the same.
    #[serde(default)]
    pub(crate) lacks: BTreeMap<String, String>,
}

/// A function to rename, with every use of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RenameTask {
    pub(crate) symbol: String,
    pub(crate) new_name: String,
}

impl BenchQuestion {
    pub(crate) fn arguments(&self) -> Value {
        let mut arguments = json!({ "operation": self.operation });
        let fields = [
            ("filePath", self.file_path.clone().map(Value::from)),
            ("line", self.line.map(Value::from)),
            ("symbol", self.symbol.clone().map(Value::from)),
        ];
        for (name, value) in fields {
            if let Some(value) = value {
                arguments[name] = value;
            }
        }
        arguments
    }

    /// For the page of results.
    pub(crate) fn title(&self) -> String {
        let file = self.file_path.as_deref().and_then(|path| path.rsplit('/').next());
        let place = file.map(|file| match self.line {
            Some(line) => format!("{file}:{line}"),
            None => file.to_owned(),
        });
        [self.symbol.clone(), place].into_iter().flatten().collect::<Vec<_>>().join(" in ")
    }
}

impl BenchProject {
    pub(crate) fn installed() -> Vec<Self> {
        let folders = project_folders();
        let project = |(name, text): &(&str, &str)| {
            let folder = folders.get(*name)?.clone();
            let project: Self = serde_json::from_str(text).unwrap_or_else(|why| panic!("{name}: {why}"));
            Some(Self { name: (*name).to_owned(), folder, ..project })
        };
        FILES.iter().filter_map(project).collect()
    }

    /// Copies it, with the planted errors.
    pub(crate) fn copy_to(&self, root: &Path, has_errors: bool) {
        let copied = Command::new("cp").arg("-r").arg(self.folder.join(".")).arg(root).status().unwrap();
        assert!(copied.success());
        let commands = root.join("compile_commands.json");
        if let Ok(text) = fs::read_to_string(&commands) {
            fs::write(&commands, text.replace("ROOT", root.to_str().unwrap())).unwrap();
        }
        for question in self.questions.iter().filter(|_| has_errors) {
            if let (Some(path), Some(plant)) = (&question.file_path, &question.plant) {
                let text = fs::read_to_string(root.join(path)).unwrap();
                fs::write(root.join(path), text + plant).unwrap();
            }
        }
    }

    /// How many files of code it has.
    pub(crate) fn file_count(&self) -> usize {
        source_files(&self.folder).len()
    }

    /// Its files of code, by their paths, in order.
    pub(crate) fn source_paths(&self) -> Vec<String> {
        let relative = |path: PathBuf| path.strip_prefix(&self.folder).unwrap().to_str().unwrap().to_owned();
        source_files(&self.folder).into_iter().map(relative).collect()
    }
}

fn source_files(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_source = path
                .extension()
                .is_some_and(|end| ["rs", "ts", "py", "c", "h", "go"].iter().any(|source| end == *source));
            if path.is_dir() {
                folders.push(path);
            } else if is_source {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
