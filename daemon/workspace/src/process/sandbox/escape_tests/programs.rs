//! The same attempts by programs that Copydesk starts for a project, and what those can do all the same.

use std::ffi::OsString;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::*;
use crate::process::{ProgramSpec, subprocess};

impl EscapeFixture {
    /// Runs a script in the workspace as a program with standard streams. It reads `input`.
    async fn run_program(&self, script: &str, input: &str, purpose: SandboxPurpose) -> (ProcessExit, String) {
        let (work, processes) = (self.path("home/work"), self.processes());
        let program = ProgramSandbox::new(self.sandbox(false), work.clone());
        let placement = program.prepare(purpose, &work, &processes).await.unwrap();
        assert_eq!(placement.is_sandboxed(), Some(true));
        let launch = Arc::clone(placement.launch().unwrap());
        let command = ["bash", "-c", &format!("exec 2>&1; {script}")].map(OsString::from).into();
        let spec = ProgramSpec { command, cwd: work, env: Vec::new(), sandbox: Some(launch) };
        let (mut piped, mut pipes) = processes.pipe(&spec).unwrap();
        pipes.input.write_all(input.as_bytes()).await.unwrap();
        drop(pipes.input);
        let mut output = String::new();
        pipes.output.read_to_string(&mut output).await.unwrap();
        let exit = piped.wait().await;
        (exit, output + &piped.stderr().text())
    }
}

#[tokio::test]
async fn no_attempt_of_a_program_gets_out() {
    if !is_available(&EscapeFixture::new("probe")).await {
        return;
    }
    let mut problems = Vec::new();
    for purpose in [SandboxPurpose::Checker, SandboxPurpose::Server] {
        for (name, script, _) in ATTEMPTS {
            let fixture = EscapeFixture::new(name);
            let before = fixture.guarded();
            let (exit, output) = fixture.run_program(script, "", purpose).await;
            if output.contains("ESCAPED") || output.contains("bwrap:") {
                problems.push(format!("{purpose:?}, {name}: {exit:?} {output}"));
            }
            let work = fixture.path("home/work");
            let mut after = fixture.guarded();
            after.retain(|path, _| before.contains_key(path) || !path.starts_with(&work));
            if after != before {
                problems.push(format!("{purpose:?}, {name}: it changed something outside"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[tokio::test]
async fn a_program_works_inside() {
    let fixture = EscapeFixture::new("program");
    if !is_available(&fixture).await {
        return;
    }
    fs::write(fixture.path("home/work/Cargo.toml"), "").unwrap();
    let empty_places = ["home/work/.idea", "home/work/.envrc", "home/work/.git/config.worktree"];
    for (purpose, script, expected) in [
        (SandboxPurpose::Checker, "cat", "input"),
        (SandboxPurpose::Checker, "echo a > new && cat new", "a\n"),
        (SandboxPurpose::Checker, "touch .git/index 2>/dev/null || echo refused", "refused\n"),
        (SandboxPurpose::Checker, "ls -A | grep -c -e envrc -e idea", "2\n"),
        (SandboxPurpose::Server, "cat", "input"),
        (SandboxPurpose::Server, "echo $$; cat /proc/1/comm", "2\nbwrap\n"),
        (SandboxPurpose::Server, "echo a > target/a && echo b > src/b && cat target/a src/b", "a\nb\n"),
        (SandboxPurpose::Server, "echo version > Cargo.lock && cat Cargo.lock", "version\n"),
        (SandboxPurpose::Server, "touch top 2>/dev/null || echo refused", "refused\n"),
        (SandboxPurpose::Server, "touch .git/index 2>/dev/null || echo refused", "refused\n"),
        (SandboxPurpose::Server, "touch bare.git/index 2>/dev/null || echo refused", "refused\n"),
        (SandboxPurpose::Server, "touch a/b/lib/.git/index 2>/dev/null || echo refused", "refused\n"),
        (SandboxPurpose::Server, "ls -A | grep -c -e envrc -e idea", "0\n"),
        (SandboxPurpose::Server, "touch .envrc 2>/dev/null || echo refused", "refused\n"),
        (SandboxPurpose::Server, "mkdir -p $GOPLSCACHE && echo built > $GOPLSCACHE/a", ""),
        (SandboxPurpose::Server, "cat $GOPLSCACHE/a", "built\n"),
        (
            SandboxPurpose::Server,
            "perl -MSocket -e 'print socket(S, AF_UNIX, SOCK_STREAM, 0) ? 1 : 0, socketpair(A, B, AF_UNIX, SOCK_STREAM, 0) ? 1 : 0'",
            "01",
        ),
        (
            SandboxPurpose::Server,
            "for fd in 3 4 5 6 7 8 9 20 40; do [ -e /proc/$$/fd/$fd ] && echo $fd; done",
            "",
        ),
    ] {
        let (_, output) = fixture.run_program(script, "input", purpose).await;
        assert_eq!(output, expected, "{purpose:?}: {script}");
        assert!(!empty_places.iter().any(|path| fixture.path(path).exists()), "{script}");
    }
}

#[tokio::test]
async fn what_a_server_leaves_behind_ends_with_it() {
    let fixture = EscapeFixture::new("left");
    if !is_available(&fixture).await {
        return;
    }
    let seconds = format!("98765.{}", std::process::id());
    let is_running = || {
        fs::read_dir("/proc").unwrap().flatten().any(|process| {
            let words = fs::read(process.path().join("cmdline")).unwrap_or_default();
            words.split(|byte| *byte == 0).any(|word| word == seconds.as_bytes())
        })
    };
    let left =
        format!("setsid -f sleep {seconds}; echo $!; until grep -q {seconds} /proc/*/cmdline; do :; done");
    for script in [&*format!("{left}; echo done"), &format!("{left}; echo done; read word")] {
        let (exit, output) = fixture.run_program(script, "", SandboxPurpose::Server).await;
        assert!(output.ends_with("done\n"), "{exit:?} {output}");
        assert!(!is_running());
    }
}

#[tokio::test]
async fn what_the_sandbox_stopped_of_a_checker_is_told() {
    let fixture = EscapeFixture::new("told");
    if !is_available(&fixture).await {
        return;
    }
    let (work, processes) = (fixture.path("home/work"), fixture.processes());
    let program = ProgramSandbox::new(fixture.sandbox(false), work.clone());
    let placement = program.prepare(SandboxPurpose::Checker, &work, &processes).await.unwrap();
    let task = subprocess::SubprocessSpec {
        command: ["sh", "-c", "echo out; touch /etc/x"].map(OsString::from).into(),
        cwd: work,
        environment: Vec::new(),
        input: String::new(),
        merge_stderr: false,
        timeout: TERMINATE_GRACE,
        max_output_bytes: 1000,
        sandbox: placement.launch().cloned(),
    };
    let ended = subprocess::run(&processes, task).await.unwrap();
    assert_eq!((ended.output.as_slice(), ended.denial), (&b"out\n"[..], Some(SandboxDenial::Write)));
    assert!(ended.describe_failure("x").contains("probably stopped by the sandbox: only the workspace"));
}

#[tokio::test]
async fn a_program_whose_workspace_cannot_be_sandboxed_does_not_run() {
    let fixture = EscapeFixture::new("nowhere");
    let (home, processes) = (fixture.path("home"), fixture.processes());
    for (mode, expected) in [
        (SandboxMode::Off, Ok(None)),
        (SandboxMode::Auto, Err(SandboxError::WholeHome(home.canonicalize().unwrap()))),
        (SandboxMode::Require, Err(SandboxError::WholeHome(home.canonicalize().unwrap()))),
    ] {
        let mut sandbox = fixture.sandbox(false);
        sandbox.settings.mode = mode;
        let program = ProgramSandbox::new(sandbox.clone(), home.clone());
        let placed = program.prepare(SandboxPurpose::Server, &home, &processes).await;
        assert_eq!(placed.map(|placement| placement.is_sandboxed()), expected, "{mode:?}");
        sandbox.settings.commands_only = true;
        let program = ProgramSandbox::new(sandbox, home.clone());
        let placed = program.prepare(SandboxPurpose::Server, &home, &processes).await;
        assert_eq!(placed.map(|placement| placement.is_sandboxed()), Ok(None), "{mode:?}");
    }
}
