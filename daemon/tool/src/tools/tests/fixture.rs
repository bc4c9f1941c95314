//! A workspace in a folder of its own, with everything beside it that a call needs.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use copydesk_metadata::{CallMetadata, PermissionAskMetadata};
use copydesk_navigation::Navigator;
use copydesk_permission::{Ask, PermissionDecision, RuleLayers};
use copydesk_servers::{CheckedDocument, DocumentProvider};
use copydesk_workspace::files::WorkspaceFiles;
use copydesk_workspace::process::sandbox::{CommandSandbox, SandboxMode, SandboxPlaces, SandboxSettings};
use copydesk_workspace::process::{Processes, Shell};
use expect_test::Expect;
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::context::{
    AskFuture, AskUserMode, Asker, CallProgress, PermissionGrant, PermissionRequest, QuestionFuture,
    SwitchAgentFuture, ToolContext,
};
use crate::denial::PermissionDenial;
use crate::outcome::CallOutcome;
use crate::output_spill::OutputSpill;
use crate::plan_file::PlanFile;
use crate::question::{Question, QuestionAnswers};
use crate::registry::{ToolOutputLimits, ToolRegistry};
use crate::skills::{SkillFolder, find_skills};
use crate::todo::TodoList;
use crate::tools::{ToolOptions, builtin_tools};
use crate::web::WebAccess;

/// A test that searches the whole disk does not wait for that.
const PATIENCE: Duration = Duration::from_secs(2);

type PermissionAnswer =
    Box<dyn Fn(&PermissionRequest) -> Result<PermissionGrant, PermissionDenial> + Send + Sync>;
type Knows = Box<dyn Fn(&[Question]) -> QuestionAnswers + Send + Sync>;

/// Answers as told and remembers what was asked.
struct ScriptedAsker {
    says: PermissionAnswer,
    asked: Mutex<Vec<PermissionRequest>>,
    answers: Knows,
    questions: Mutex<Vec<Vec<Question>>>,
    agents: Mutex<Vec<String>>,
}

impl Asker for ScriptedAsker {
    fn ask<'a>(&'a self, _call: &'a str, ask: PermissionRequest) -> AskFuture<'a> {
        let read = PermissionAskMetadata::from_value(ask.metadata.to_value());
        assert_eq!(read, ask.metadata, "{}: its metadata is decoded as it was made", ask.key);
        let answer = (self.says)(&ask);
        self.asked.lock().unwrap().push(ask);
        Box::pin(async { answer })
    }

    fn ask_questions<'a>(&'a self, _call: &'a str, questions: Vec<Question>) -> QuestionFuture<'a> {
        let answers = (self.answers)(&questions);
        self.questions.lock().unwrap().push(questions);
        Box::pin(async { answers })
    }

    fn switch_agent<'a>(&'a self, agent: &'a str) -> SwitchAgentFuture<'a> {
        self.agents.lock().unwrap().push(agent.to_owned());
        Box::pin(async { Ok(()) })
    }
}

pub(super) struct ToolFixture {
    folder: TempDir,
    files: WorkspaceFiles,
    registry: ToolRegistry,
    pub(super) options: ToolOptions,
    script: Arc<ScriptedAsker>,
    pub(super) cancel: CancellationToken,
    todos: TodoList,
    progress: mpsc::Sender<CallProgress>,
    pub(super) shown: mpsc::Receiver<CallProgress>,
}

/// The user approves everything and answers no question.
pub(super) fn fixture(files: &[(&str, &str)]) -> ToolFixture {
    fixture_with_asker(files, |_| Ok(()))
}

pub(super) fn fixture_with_asker(
    files: &[(&str, &str)],
    says: impl Fn(&PermissionRequest) -> Result<(), PermissionDenial> + Send + Sync + 'static,
) -> ToolFixture {
    fixture_with_web(files, WebAccess::default(), says)
}

/// These rules decide, and the user rejects what they ask for.
pub(super) fn fixture_with_rules(files: &[(&str, &str)], rules: RuleLayers) -> ToolFixture {
    let says = move |ask: &PermissionRequest| {
        let request = Ask {
            key: ask.key.clone(),
            patterns: ask.patterns.clone(),
            commands: ask.commands.clone(),
            ..Ask::default()
        };
        match rules.decide(&request) {
            PermissionDecision::Allow => Ok(PermissionGrant::ByRule),
            PermissionDecision::Ask(_) if ask.ask_user == AskUserMode::Never => {
                Ok(PermissionGrant::NotAsked { is_unattended: false })
            }
            PermissionDecision::Ask(_) => Err(PermissionDenial::ByUser { reason: Some("no".to_owned()) }),
            PermissionDecision::Deny(denied) => Err(PermissionDenial::ByRule { why: denied.to_string() }),
        }
    };
    build_fixture(files, WebAccess::default(), says, |_| Err(PermissionDenial::ByUser { reason: None }))
}

/// The user approves everything and answers questions like this.
pub(super) fn fixture_answering(
    answers: impl Fn(&[Question]) -> QuestionAnswers + Send + Sync + 'static,
) -> ToolFixture {
    build_fixture(&[], WebAccess::default(), |_| Ok(PermissionGrant::ByUser), answers)
}

pub(super) fn fixture_with_web(
    files: &[(&str, &str)],
    web: WebAccess,
    says: impl Fn(&PermissionRequest) -> Result<(), PermissionDenial> + Send + Sync + 'static,
) -> ToolFixture {
    let says = move |ask: &PermissionRequest| says(ask).map(|()| PermissionGrant::ByUser);
    build_fixture(files, web, says, |_| Err(PermissionDenial::ByUser { reason: None }))
}

fn registry(options: &ToolOptions) -> ToolRegistry {
    let mut registry = ToolRegistry::new(options.limits, options.spill.clone());
    builtin_tools(options).into_iter().for_each(|tool| registry.add(tool));
    registry
}

impl ToolFixture {
    /// The sandbox of a user whose home is not the workspace. It has bubblewrap only if this machine does.
    pub(super) fn set_sandbox(&mut self, mode: SandboxMode, home: &Path) {
        let settings = SandboxSettings { mode, ..SandboxSettings::default() };
        let places = SandboxPlaces { home: home.to_owned(), ..SandboxPlaces::default() };
        self.options.sandbox = CommandSandbox::new(settings, places);
        self.rebuild_tools();
    }

    /// As when the session goes on as another agent.
    pub(super) fn rebuild_tools(&mut self) {
        self.registry = registry(&self.options);
    }
}

fn build_fixture(
    files: &[(&str, &str)],
    web: WebAccess,
    says: impl Fn(&PermissionRequest) -> Result<PermissionGrant, PermissionDenial> + Send + Sync + 'static,
    answers: impl Fn(&[Question]) -> QuestionAnswers + Send + Sync + 'static,
) -> ToolFixture {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("work");
    fs::create_dir(&root).unwrap();
    let limits = ToolOutputLimits::default();
    let spill = OutputSpill::new(&folder.path().join("spill"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let env = |name: &str| (name == "PATH").then(|| path.clone());
    let shell = Shell::choose(Some("bash"), &env).unwrap();
    let processes = Processes::new(vec![("PATH".into(), path.clone()), ("FROM_DAEMON".into(), "yes".into())]);
    // As the files of the test have them.
    let shelf = root.join(".copydesk/skills");
    for (path, text) in files.iter().filter(|(path, _)| path.starts_with(".copydesk/skills/")) {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), text).unwrap();
    }
    let skills = find_skills(&[SkillFolder { folder: shelf, repository: Some(root.clone()) }]).skills.into();
    let plan = PlanFile::new(0);
    let options = ToolOptions {
        limits,
        spill,
        processes,
        sandbox: CommandSandbox::default(),
        shell,
        search_timeout: PATIENCE,
        web,
        skills,
        plan,
    };
    let (progress, shown) = mpsc::channel(100);
    let script = Arc::new(ScriptedAsker {
        says: Box::new(says),
        asked: Mutex::default(),
        answers: Box::new(answers),
        questions: Mutex::default(),
        agents: Mutex::default(),
    });
    let files_view = WorkspaceFiles::new(&root, &folder.path().join("home"));
    let fixture = ToolFixture {
        folder,
        files: files_view,
        registry: registry(&options),
        options,
        script,
        cancel: CancellationToken::new(),
        todos: TodoList::default(),
        progress,
        shown,
    };
    for (path, text) in files {
        fixture.put(path, text.as_bytes());
    }
    fixture
}

/// The texts of the disk.
pub(super) struct DiskDocuments;

impl DocumentProvider for DiskDocuments {
    fn document(&self, path: &Path) -> Option<CheckedDocument> {
        // Others are waited for.
        path.metadata().ok().filter(fs::Metadata::is_file)?;
        let text = Arc::new(fs::read_to_string(path).ok()?);
        Some(CheckedDocument { path: path.to_owned(), text, is_saved: true })
    }

    fn differs_from_disk(&self, _path: &Path) -> bool {
        false
    }
}

impl ToolFixture {
    /// Relative to the workspace, so that `../x` is beside it.
    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.files.root().join(path)
    }

    pub(super) fn put(&self, path: &str, bytes: &[u8]) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(super) fn bytes(&self, path: &str) -> String {
        String::from_utf8_lossy(&fs::read(self.path(path)).unwrap()).into_owned()
    }

    pub(super) fn context(&self) -> ToolContext {
        ToolContext {
            checks: copydesk_diagnostics::DiagnosticsTracker::default(),
            formatters: None,
            navigator: Navigator::new(
                Vec::new(),
                Arc::new(DiskDocuments),
                self.files.root().canonicalize().unwrap(),
                Default::default(),
            ),
            session: "s1".into(),
            call: "c1".into(),
            parent_call: None,
            agent: "build".into(),
            cancel: self.cancel.clone(),
            files: self.files.clone(),
            asker: self.script.clone(),
            todos: self.todos.clone(),
            progress: self.progress.clone(),
            waited: Arc::default(),
        }
    }

    /// A call of another agent than `build`, in a step of its own.
    pub(super) async fn call_as(&self, agent: &str, name: &str, arguments: Value) -> CallOutcome {
        let context = ToolContext { agent: agent.to_owned(), ..self.context() };
        self.files.begin_step();
        let outcome = self.registry.run_raw_call(name, &arguments.to_string(), context).await;
        // Whatever a test is about: views read what the tool made.
        let read = CallMetadata::from_value(outcome.metadata.to_value());
        assert_eq!(read, outcome.metadata, "{name}: its metadata is decoded as it was made");
        outcome
    }

    pub(super) fn registry(&self) -> ToolRegistry {
        self.registry.clone()
    }

    pub(super) async fn call(&self, name: &str, arguments: Value) -> CallOutcome {
        self.call_as("build", name, arguments).await
    }

    /// What was asked since the last time.
    pub(super) fn asked(&self) -> Vec<PermissionRequest> {
        std::mem::take(&mut *self.script.asked.lock().unwrap())
    }

    /// The questions that were put since the last time, call by call.
    pub(super) fn questions(&self) -> Vec<Vec<Question>> {
        std::mem::take(&mut *self.script.questions.lock().unwrap())
    }

    /// Whom the session is to go on as, since the last time.
    pub(super) fn agents(&self) -> Vec<String> {
        std::mem::take(&mut *self.script.agents.lock().unwrap())
    }

    /// A call, what was asked, and what the model is told, without what differs from run to run.
    pub(super) async fn tell(&self, name: &str, arguments: Value) -> String {
        let outcome = self.call(name, arguments).await;
        let mut text = String::new();
        for ask in self.asked() {
            let always = if ask.always.is_empty() { "nothing".to_owned() } else { ask.always.join(", ") };
            let _ = writeln!(text, "? {}: {} (always: {always})", ask.key, ask.patterns.join(", "));
        }
        if let Some(kind) = outcome.error_kind {
            let _ = writeln!(text, "! {kind:?}");
        }
        text += outcome.output.trim_end_matches('\n');
        self.plain(&text) + "\n"
    }

    /// Without the folder's name, times and numbers of processes.
    pub(super) fn plain(&self, text: &str) -> String {
        let text = text.replace(self.folder.path().to_str().unwrap(), "TMP");
        let mut plain = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find(" after ").map(|at| at + " after ".len()) {
            let number =
                rest[at..].find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len() - at);
            plain += &rest[..at];
            plain += if number > 0 { "N" } else { "" };
            rest = &rest[at + number..];
        }
        (plain + rest).replace('\0', "\\0")
    }

    /// Everything in the workspace, so that a left-over is seen.
    pub(super) fn tree(&self) -> BTreeMap<String, String> {
        let mut all = BTreeMap::new();
        let mut folders = vec![self.files.root().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() && !path.is_symlink() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(self.files.root()).unwrap().to_str().unwrap().to_owned();
                    let content = match fs::metadata(&path) {
                        // Others are waited for.
                        Ok(file) if !file.is_file() => b"no file".to_vec(),
                        Ok(file) if file.len() >= 1_000_000 => format!("{} bytes", file.len()).into_bytes(),
                        _ => fs::read(&path).unwrap_or_default(),
                    };
                    all.insert(name, String::from_utf8_lossy(&content).into_owned());
                }
            }
        }
        all
    }
}

/// Makes the calls one after the other with these files, and compares their outputs and the changes.
pub(super) async fn check(files: &[(&str, &str)], calls: &[(&str, Value)], expected: Expect) {
    check_on(&fixture(files), calls, expected).await;
}

pub(super) async fn check_on(fixture: &ToolFixture, calls: &[(&str, Value)], expected: Expect) {
    let before = fixture.tree();
    let mut text = String::new();
    for (name, arguments) in calls {
        let _ = write!(text, "{name}\n{}", fixture.tell(name, arguments.clone()).await);
    }
    let after = fixture.tree();
    for (path, content) in &after {
        if before.get(path) != Some(content) {
            let _ = writeln!(text, "= {path}: {content:?}");
        }
    }
    for path in before.keys().filter(|path| !after.contains_key(*path)) {
        let _ = writeln!(text, "= {path} is gone");
    }
    expected.assert_eq(&fixture.plain(&text));
}

pub(super) fn link(to: &str, at: &Path) {
    std::os::unix::fs::symlink(to, at).unwrap();
}
