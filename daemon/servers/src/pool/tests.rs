//! A pool with real server processes: `examples/toy_server.rs`, whose answers follow from the texts alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use copydesk_workspace::process::Processes;
use copydesk_workspace::process::sandbox::ProgramSandbox;
use serde_json::Value;
use tokio::time::Instant;

use super::{DocumentProvider, PoolLimits, ServerChooser, ServerPhase, ServerPool, ServerStatus};
use crate::known_servers::ServerRole;
use crate::program_search::{ProgramLookup, ProgramOrigin};
use crate::quirks::{DependentsPolicy, Quirks, ReadinessSignal};
use crate::report::{DiagnosticsReport, Verdict};
use crate::server_selection::SelectedServer;
use crate::source::{CheckedDocument, DiagnosticsSource as _};

mod affected_files;
mod baselines;
mod crashes;
mod disk_changes;
mod formatting;
mod proposed_text;
mod sandboxed;
mod shutdown;

/// A deadline that only a failing test reaches.
pub(super) fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

/// A folder with files, a pool, and a log of the messages to its servers.
pub(super) struct House {
    pub(super) pool: ServerPool,
    pub(super) root: PathBuf,
    selections: Arc<AtomicUsize>,
    /// The open buffers of an editor.
    open: Buffers,
    sandbox: Arc<Mutex<ProgramSandbox>>,
    _folder: tempfile::TempDir,
}

type Buffers = Arc<Mutex<BTreeMap<PathBuf, Arc<String>>>>;

/// The disk, and an editor's buffers over it. Each folder directly below the root is a project.
struct ToyWorkspace {
    root: PathBuf,
    arguments: Vec<String>,
    quirks: Quirks,
    selections: Arc<AtomicUsize>,
    open: Buffers,
    sandbox: Arc<Mutex<ProgramSandbox>>,
}

impl DocumentProvider for ToyWorkspace {
    fn document(&self, path: &Path) -> Option<CheckedDocument> {
        if let Some(text) = self.open.lock().unwrap().get(path) {
            return Some(CheckedDocument { path: path.to_owned(), text: Arc::clone(text), is_saved: false });
        }
        let text = fs::read_to_string(path).ok()?;
        Some(CheckedDocument { path: path.to_owned(), text: Arc::new(text), is_saved: true })
    }

    fn open_paths(&self) -> BTreeSet<PathBuf> {
        self.open.lock().unwrap().keys().cloned().collect()
    }

    fn differs_from_disk(&self, path: &Path) -> bool {
        let open = self.open.lock().unwrap().get(path).cloned();
        open.is_some_and(|open| fs::read_to_string(path).ok().as_ref() != Some(&*open))
    }
}

impl ServerChooser for ToyWorkspace {
    fn servers_for(&self, path: &Path, _: &str) -> Vec<SelectedServer> {
        self.selections.fetch_add(1, Ordering::Relaxed);
        if path.extension().is_some_and(|extension| extension == "txt") {
            return Vec::new();
        }
        let missing = path.extension().is_some_and(|extension| extension == "none");
        let command =
            [vec![program().into_os_string()], self.arguments.iter().map(Into::into).collect()].concat();
        let program = match missing {
            true => ProgramLookup::Missing { hint: "make one".to_owned() },
            false => ProgramLookup::Found { command, place: ProgramOrigin::Path },
        };
        let below = path.strip_prefix(&self.root).unwrap();
        let root = match below.components().count() {
            1 => self.root.clone(),
            _ => self.root.join(below.components().next().unwrap()),
        };
        vec![SelectedServer {
            name: "toy".to_owned(),
            language: "lua".to_owned(),
            role: ServerRole::Language,
            root,
            program,
            environment: Vec::new(),
            sandbox: self.sandbox.lock().unwrap().clone(),
            initialization: Value::Null,
            settings: Value::Null,
            quirks: self.quirks.clone(),
        }]
    }
}

/// Built along with the tests, unless they are filtered by name.
fn program() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let program = tests.ancestors().nth(2).unwrap().join("examples/toy_server");
    assert!(program.exists(), "build it first: cargo build -p copydesk-servers --example toy_server");
    program
}

pub(super) fn push() -> Quirks {
    Quirks {
        ready: ReadinessSignal::FirstAnswer,
        dirty_dependents: DependentsPolicy::Pushed,
        ..Quirks::default()
    }
}

impl House {
    pub(super) fn new(arguments: &[&str], quirks: Quirks, limits: PoolLimits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join("work")).unwrap();
        let log = root.join("log").to_str().unwrap().to_owned();
        let gate = root.join("gate").to_str().unwrap().to_owned();
        let mut all = vec!["--log".to_owned(), log];
        all.extend(arguments.iter().map(|argument| (*argument).to_owned()));
        if quirks.ready == ReadinessSignal::ServerStatus {
            all.extend(["--gate".to_owned(), gate.clone()]);
        }
        if !quirks.save_sources.is_empty() {
            all.extend(["--compile".to_owned(), gate]);
        }
        let (selections, open, sandbox) = (Arc::default(), Buffers::default(), Arc::default());
        let root = root.join("work");
        let workspace = ToyWorkspace {
            root: root.clone(),
            arguments: all,
            quirks,
            selections: Arc::clone(&selections),
            open: Arc::clone(&open),
            sandbox: Arc::clone(&sandbox),
        };
        let workspace = Arc::new(workspace);
        // A busy machine must not miss dependents for lack of time.
        let limits = PoolLimits { dependents_timeout: Duration::from_secs(30), ..limits };
        let environment = vec![("PATH".into(), "/usr/bin:/bin".into())];
        let pool = ServerPool::new(Processes::new(environment), workspace.clone(), workspace, limits);
        Self { pool, root, selections, open, sandbox, _folder: folder }
    }

    pub(super) fn usual() -> Self {
        Self::new(&[], push(), PoolLimits::default())
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.root.join(name).parent().unwrap()).unwrap();
        fs::write(self.root.join(name), text).unwrap();
    }

    /// Writes the text, too, as an edit of a closed file does.
    pub(super) fn saved(&self, name: &str, text: &str) -> CheckedDocument {
        self.write(name, text);
        CheckedDocument { is_saved: true, ..self.unsaved(name, text) }
    }

    pub(super) fn unsaved(&self, name: &str, text: &str) -> CheckedDocument {
        CheckedDocument { path: self.root.join(name), text: Arc::new(text.to_owned()), is_saved: false }
    }

    /// Opens a file in the editor with this text.
    pub(super) fn open(&self, name: &str, text: &str) {
        self.open.lock().unwrap().insert(self.root.join(name), Arc::new(text.to_owned()));
    }

    /// Checks until the server answers: one that is starting reports that at once.
    pub(super) async fn check(&self, subject: &CheckedDocument) -> Vec<String> {
        loop {
            let reports = self.pool.check(std::slice::from_ref(subject), soon()).await;
            let own = reports.iter().find(|report| report.path == subject.path).unwrap();
            match &own.verdict {
                Verdict::Unknown { why } if why == "it is starting" || why.starts_with("it crashed") => {
                    let is_its = |running: &ServerStatus| subject.path.starts_with(&running.root);
                    self.until(|running| is_its(running) && running.phase == ServerPhase::Ready).await;
                }
                _ => return self.words(&reports),
            }
        }
    }

    /// Each report as a line.
    pub(super) fn words(&self, reports: &[DiagnosticsReport]) -> Vec<String> {
        let line = |report: &DiagnosticsReport| {
            let name = report.path.strip_prefix(&self.root).unwrap().display();
            match &report.verdict {
                Verdict::Unknown { why } | Verdict::Unchecked { why } => format!("{name} unknown {why}"),
                verdict => {
                    let all = verdict.diagnostics().unwrap();
                    let all: Vec<_> = all.iter().map(|diagnostic| &*diagnostic.message).collect();
                    format!("{name} {:?} {}", verdict.proof(), all.join("; "))
                }
            }
        };
        reports.iter().map(line).collect()
    }

    /// Waits until the status of a server satisfies the predicate.
    pub(super) async fn until(&self, predicate: impl Fn(&ServerStatus) -> bool) -> ServerStatus {
        let mut changes = self.pool.subscribe();
        loop {
            changes.borrow_and_update();
            if let Some(running) = self.pool.status().into_iter().find(&predicate) {
                return running;
            }
            changes.changed().await.unwrap();
        }
    }

    pub(super) async fn until_none(&self) {
        let mut changes = self.pool.subscribe();
        while !self.pool.status().is_empty() {
            changes.borrow_and_update();
            if !self.pool.status().is_empty() {
                changes.changed().await.unwrap();
            }
        }
    }

    /// The messages to the servers, without process ids.
    pub(super) fn log(&self) -> Vec<String> {
        let log = fs::read_to_string(self.root.with_file_name("log")).unwrap_or_default();
        log.lines().map(|line| line.split_once(' ').unwrap().1.to_owned()).collect()
    }

    pub(super) fn count(&self, what: &str) -> usize {
        self.log().iter().filter(|line| *line == what).count()
    }

    pub(super) fn processes(&self) -> BTreeSet<i32> {
        let log = fs::read_to_string(self.root.with_file_name("log")).unwrap_or_default();
        let server = log.lines().map(|line| line.split(' ').next().unwrap());
        let child = log.lines().filter_map(|line| line.split_once(" child ").map(|(_, child)| child));
        server.chain(child).map(|number| number.parse().unwrap()).collect()
    }

    pub(super) fn open_gate(&self) {
        fs::write(self.root.with_file_name("gate"), "").unwrap();
    }
}

/// A zombie does not count.
pub(super) fn is_running(process: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
    state.is_some_and(|state| !matches!(state, 'Z' | 'X'))
}

#[tokio::test]
async fn a_server_starts_once_however_many_ask() {
    let house = House::usual();
    let (a, b) = (house.saved("a.lua", "bad"), house.saved("b.lua", ""));
    let (one, other) = tokio::join!(house.check(&a), house.check(&b));
    assert_eq!(one[0], "a.lua Proven this is bad");
    assert_eq!(other[0], "b.lua Proven ");
    assert_eq!(house.count("initialize"), 1);
    let status = house.pool.status();
    assert_eq!(status.len(), 1);
    assert_eq!(
        (&*status[0].name, &status[0].root, &status[0].phase),
        ("toy", &house.root, &ServerPhase::Ready)
    );
    assert_eq!((status[0].documents, status[0].problem.as_deref()), (2, None));
    assert!(status[0].memory.unwrap() > 0 && is_running(status[0].process.unwrap()));
}

#[tokio::test]
async fn no_server_starts_for_excluded_or_missing_ones() {
    let house = House::usual();
    let a = [house.saved("a.lua", "bad")];
    for served in ["lua", "toy"] {
        let source = house.pool.excluding(&[served.to_owned()]);
        assert_eq!(source.check(&a, soon()).await, []);
    }
    assert!(house.selections.load(Ordering::Relaxed) > 0 && house.pool.status().is_empty());
    let none = [house.saved("a.none", "")];
    assert_eq!(house.pool.check(&none, soon()).await, []);
    let missing = house.pool.uninstalled_servers();
    assert_eq!(
        missing.iter().map(|missing| (&*missing.name, &*missing.hint)).collect::<Vec<_>>(),
        [("toy", "make one")]
    );
}
