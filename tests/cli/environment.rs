//! A test environment: a home, a project, environment variables, and the built binary run in them.
//!
//! Contract: the process gets `PATH`, `HOME` and what the test sets, nothing else. It asks no server that happens to run on
//! this machine (`without_local_providers`) unless the test wants it to. In all output the home reads `~` and the project
//! `PROJECT`.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use expect_test::Expect;
use serde_json::Value;
use tempfile::TempDir;

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_copydesk");

/// The user's configuration, for [`TestEnvironment::with_files`].
pub(crate) const USER_CONFIG: &str = "~/.config/copydesk/copydesk.jsonc";
pub(crate) const PROJECT_CONFIG: &str = "copydesk.jsonc";
pub(crate) const TRUST_FILE: &str = "~/.local/state/copydesk/trust.json";
pub(crate) const KEYS_FILE: &str = "~/.local/share/copydesk/auth.json";

/// The providers on this machine's usual ports, where anything may be running.
const LOCAL_PROVIDERS: &str = r#"["docker-model-runner", "jan", "koboldcpp", "llama-swap", "llamacpp", "lmstudio", "localai", "mlx",
    "ollama", "sglang", "tabbyapi", "vllm"]"#;

pub(crate) struct TestEnvironment {
    _dir: TempDir,
    /// The folder of `_dir`, with symlinks resolved, as the program sees it.
    root: PathBuf,
    environment: BTreeMap<OsString, OsString>,
    cwd: PathBuf,
}

impl TestEnvironment {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let (home, project) = (root.join("home"), root.join("project"));
        fs::create_dir(&home).unwrap();
        fs::create_dir_all(project.join(".git")).unwrap();
        let mut environment = BTreeMap::from([("HOME".into(), home.clone().into_os_string())]);
        environment.insert("PATH".into(), std::env::var_os("PATH").unwrap_or_default());
        for (name, folder) in [
            ("XDG_CONFIG_HOME", ".config"),
            ("XDG_DATA_HOME", ".local/share"),
            ("XDG_STATE_HOME", ".local/state"),
            ("XDG_CACHE_HOME", ".cache"),
            ("XDG_RUNTIME_DIR", ".run"),
        ] {
            environment.insert(name.into(), home.join(folder).into_os_string());
        }
        Self { _dir: dir, root, environment, cwd: project }
    }

    /// Writes files by path: below the home if it begins with `~/`, else below the project.
    pub(crate) fn with_files(self, files: &[(&str, &str)]) -> Self {
        files.iter().for_each(|(path, text)| self.write(path, text));
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.environment.insert(name.into(), value.as_ref().into());
        self
    }

    pub(crate) fn without_env(mut self, name: &str) -> Self {
        self.environment.remove(OsStr::new(name));
        self
    }

    /// Runs in this folder of the project, which is created.
    pub(crate) fn cwd(mut self, folder: &str) -> Self {
        self.cwd = self.path(folder);
        fs::create_dir_all(&self.cwd).unwrap();
        self
    }

    /// Asks no server on this machine, whatever runs here.
    pub(crate) fn without_local_providers(self) -> Self {
        let text = format!(r#"{{ "disabled_providers": {LOCAL_PROVIDERS} }}"#);
        self.env("COPYDESK_CONFIG_CONTENT", text)
    }

    /// Enables only these providers, so that lists are short and only they are asked.
    pub(crate) fn with_providers(self, providers: &[&str]) -> Self {
        let text = serde_json::json!({ "enabled_providers": providers }).to_string();
        self.env("COPYDESK_CONFIG_CONTENT", text)
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        match path.strip_prefix("~/") {
            Some(rest) => self.root.join("home").join(rest),
            None => self.root.join("project").join(path),
        }
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The user trusts the project's folder, but not its configuration file, which may be written later.
    pub(crate) fn trust_project(&self) {
        self.trust_folder("");
    }

    pub(crate) fn trust_folder(&self, folder: &str) {
        let folder = self.path(folder).canonicalize().unwrap();
        let list = serde_json::json!({ "folders": { folder.to_str().unwrap(): true } });
        self.write(TRUST_FILE, list.to_string());
    }

    /// The user was never asked about a folder.
    pub(crate) fn forget_trust(&self) {
        fs::remove_file(self.path(TRUST_FILE)).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.path(path).symlink_metadata().is_ok()
    }

    pub(crate) fn mode(&self, path: &str) -> u32 {
        self.path(path).metadata().unwrap().permissions().mode() & 0o777
    }

    pub(crate) fn run(&self, args: &[&str]) -> CliOutput {
        self.run_with(args, "")
    }

    pub(crate) fn run_with(&self, args: &[&str], stdin: impl AsRef<[u8]>) -> CliOutput {
        let mut command = Command::new(BINARY);
        command.args(args);
        self.finish(command, stdin.as_ref())
    }

    /// Runs a script in `sh`, where `$COPYDESK` is the binary.
    pub(crate) fn shell(&self, script: &str) -> CliOutput {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        self.finish(command, b"")
    }

    fn finish(&self, mut command: Command, stdin: &[u8]) -> CliOutput {
        self.prepare(&mut command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // The program may have closed its end already.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
        CliOutput { stdout: self.mask_paths(stdout), stderr: self.mask_paths(stderr), code: status.code() }
    }

    /// Gives a command this environment only.
    pub(crate) fn prepare(&self, command: &mut Command) {
        command.env_clear().envs(&self.environment).env("COPYDESK", BINARY).current_dir(&self.cwd);
    }

    fn mask_paths(&self, bytes: Vec<u8>) -> String {
        let text = String::from_utf8(bytes).expect("output is UTF-8");
        let root = self.root.to_str().unwrap();
        text.replace(&format!("{root}/project"), "PROJECT").replace(&format!("{root}/home"), "~")
    }
}

/// The result of a run. `code` is `None` after a signal.
#[derive(Debug)]
pub(crate) struct CliOutput {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: Option<i32>,
}

impl CliOutput {
    /// Compares everything: standard output, then standard error with `! ` before each line, then the code unless it
    /// is 0.
    #[track_caller]
    pub(crate) fn assert_output(&self, expected: &Expect) -> &Self {
        let mut text = self.stdout.clone();
        for line in self.stderr.lines() {
            text.push_str(format!("! {line}").trim_end());
            text.push('\n');
        }
        match self.code {
            Some(0) => {}
            Some(code) => text.push_str(&format!("exit code {code}\n")),
            None => text.push_str("ended by a signal\n"),
        }
        expected.assert_eq(&text);
        self
    }

    /// Standard output as one JSON value.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.code, Some(0), "{self:?}");
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts that no five characters of a secret in a row are shown.
    #[track_caller]
    pub(crate) fn assert_hides(&self, secret: &str) -> &Self {
        let characters: Vec<char> = secret.chars().collect();
        for piece in characters.windows(5.min(characters.len())) {
            let piece: String = piece.iter().collect();
            let shown = self.stdout.contains(&piece) || self.stderr.contains(&piece);
            assert!(!shown, "`{piece}` of a secret is shown: {self:?}");
        }
        self
    }
}
