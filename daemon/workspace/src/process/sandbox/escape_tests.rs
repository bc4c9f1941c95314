//! Tries to get out of the sandbox, for real: each attempt in a home of its own, without the sandbox (where it must succeed) and in it. Where
//! bubblewrap does not work, the tests say that they are skipped.

use std::{
    collections::BTreeMap,
    fs,
    net::{TcpListener, UdpSocket},
    os::{
        linux::net::SocketAddrExt as _,
        unix::{
            fs::{PermissionsExt as _, symlink},
            net::{SocketAddr, UnixListener},
        },
    },
    process::{Child, Command, Stdio},
};

use tempfile::{NamedTempFile, TempDir};
use tokio_util::sync::CancellationToken;

use self::attempts::{ATTEMPTS, Control, REFUSED_CALLS};
use super::*;
use crate::{
    process::{OutputLimits, ProcessExit, Shell, ShellCommand},
    time_limits::TERMINATE_GRACE,
};

mod attempts;
mod programs;

const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// What lies in the home, and in the workspace in it.
const FILES: &[(&str, &str)] = &[
    ("home/.ssh/id", "TOP-SECRET"),
    ("home/.netrc", "TOP-SECRET"),
    ("home/.config/gh/hosts.yml", "TOP-SECRET"),
    ("home/.cargo/credentials.toml", "TOP-SECRET"),
    ("home/.local/share/copydesk/auth.json", "TOP-SECRET"),
    ("home/.local/share/copydesk/output/s1/c1.txt", "long output"),
    ("home/dotfiles/npmrc", "TOP-SECRET"),
    ("home/.bashrc", "mine"),
    ("outside/file", "mine"),
    ("cache/file", "mine"),
    ("home/work/secret.txt", "TOP-SECRET"),
    ("home/work/src/main.rs", "fn main() {}"),
    ("home/work/.gitmodules", ""),
    ("home/work/.vscode/settings.json", "{}"),
    ("home/work/.husky/pre-push", ""),
    ("home/work/linked/.git", "gitdir: ../.git/modules/m"),
];
const GIT_FOLDERS: [&str; 4] =
    ["home/work/.git", "home/work/.git/modules/m", "home/work/a/b/lib/.git", "home/work/bare.git"];

struct EscapeFixture {
    folder: TempDir,
    tcp: TcpListener,
    udp: UdpSocket,
    _sockets: Vec<UnixListener>,
    abstract_name: String,
    tmp_file: NamedTempFile,
    tmp_socket: TempDir,
    host: Child,
    /// A socket that goes away while another sandbox is set up makes that fail, so tests in other processes wait.
    _turn: fs::File,
}

impl Drop for EscapeFixture {
    fn drop(&mut self) {
        let _ = self.host.kill();
        let _ = self.host.wait();
    }
}

impl EscapeFixture {
    fn new(name: &str) -> Self {
        // Not in /tmp, which the sandbox has for itself.
        let beside = std::env::current_exe().unwrap().canonicalize().unwrap();
        let beside = beside.parent().unwrap();
        let turn = fs::File::create(beside.join("escape_tests.lock")).unwrap();
        turn.lock().unwrap();
        let folder = tempfile::tempdir_in(beside).unwrap();
        let put = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        FILES.iter().for_each(|(path, text)| put(path, text));
        for git in GIT_FOLDERS {
            put(&format!("{git}/HEAD"), "ref: refs/heads/main\n");
            put(&format!("{git}/config"), "[core]\n\tbare = false\n\thooksPath = .husky\n");
            for part in ["hooks", "info", "objects", "refs/heads"] {
                fs::create_dir_all(folder.path().join(git).join(part)).unwrap();
            }
        }
        symlink("dotfiles/npmrc", folder.path().join("home/.npmrc")).unwrap();
        let tmp_socket = tempfile::tempdir_in("/tmp").unwrap();
        let abstract_name = format!("copydesk-{}-{}", std::process::id(), name.replace(' ', "-"));
        let address = SocketAddr::from_abstract_name(&abstract_name).unwrap();
        let mut tmp_file = NamedTempFile::new_in("/tmp").unwrap();
        std::io::Write::write_all(&mut tmp_file, b"mine").unwrap();
        let host =
            Command::new("sleep").arg("1000").env("HOST_MARKER", "1").stdin(Stdio::null()).spawn().unwrap();
        Self {
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
            _sockets: vec![
                UnixListener::bind(folder.path().join("home/agent.sock")).unwrap(),
                UnixListener::bind(folder.path().join("home/work/host.sock")).unwrap(),
                UnixListener::bind(tmp_socket.path().join("s")).unwrap(),
                UnixListener::bind_addr(&address).unwrap(),
            ],
            abstract_name,
            tmp_file,
            tmp_socket,
            host,
            folder,
            _turn: turn,
        }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn sandbox(&self, has_network: bool) -> CommandSandbox {
        let settings = SandboxSettings {
            mode: SandboxMode::Require,
            write: vec![self.path("cache"), self.path("none")],
            hide: vec![self.path("home/work/secret.txt")],
            has_network,
            hosts: Vec::new(),
            commands_only: false,
        };
        let places = SandboxPlaces {
            home: self.path("home"),
            runtime_folder: None,
            private: vec![self.path("home/.local/share/copydesk")],
            readable: vec![self.path("home/.local/share/copydesk/output/s1")],
            search_path: PATH.into(),
            caches: Some(self.path("home/.local/share/copydesk/caches")),
            bridge_program: None,
        };
        CommandSandbox::new(settings, places)
    }

    fn processes(&self) -> Processes {
        let namespaces = ["ipc", "mnt", "net", "pid", "user", "uts"];
        let namespaces = namespaces
            .map(|name| fs::read_link(format!("/proc/self/ns/{name}")).unwrap().display().to_string());
        let environment = [
            ("PATH", PATH.to_owned()),
            ("HOME", self.path("home").display().to_string()),
            ("OUTSIDE", self.path("outside").display().to_string()),
            ("HOST_PID", self.host.id().to_string()),
            ("HOST_NAMESPACES", namespaces.join(" ")),
            ("PORT", self.tcp.local_addr().unwrap().port().to_string()),
            ("UDP_PORT", self.udp.local_addr().unwrap().port().to_string()),
            ("ABSTRACT", self.abstract_name.clone()),
            ("TMP_FILE", self.tmp_file.path().display().to_string()),
            ("TMP_SOCKET", self.tmp_socket.path().join("s").display().to_string()),
            ("SSH_AUTH_SOCK", "/nowhere".to_owned()),
            ("LD_BIND_NOW", "1".to_owned()),
        ];
        Processes::new(environment.map(|(name, value)| (name.into(), value.into())).into())
    }

    /// Runs a script in the workspace, and returns how it ended and what it printed.
    async fn run(&self, script: &str, sandbox: Option<&CommandSandbox>) -> (ProcessExit, String) {
        let (work, processes) = (self.path("home/work"), self.processes());
        let launch = match sandbox {
            Some(sandbox) => Some(Arc::new(
                sandbox.prepare(&work, &work, &processes, SandboxPurpose::Command).await.unwrap(),
            )),
            None => None,
        };
        let command = ShellCommand {
            script: script.to_owned(),
            shell: Shell::choose(Some("bash"), &|name: &str| (name == "PATH").then(|| PATH.into())).unwrap(),
            cwd: work,
            env: Vec::new(),
            timeout: None,
            grace: TERMINATE_GRACE,
            limits: OutputLimits { head: 4000, tail: 4000, spill: None },
            sandbox: launch,
        };
        let ended = processes.run(command, CancellationToken::new(), |_| {}).await.unwrap();
        (ended.exit, ended.output.text())
    }

    /// All that must stay as it is: paths with modes, times and contents.
    fn guarded(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        let mut waiting = vec![self.path("home"), self.path("outside")];
        while let Some(folder) = waiting.pop() {
            for entry in fs::read_dir(&folder).unwrap().flatten() {
                let path = entry.path();
                let metadata = entry.metadata().unwrap();
                let work = path.strip_prefix(self.path("home/work")).map(|path| path.display().to_string());
                // The rest of the workspace is the command's.
                let is_free = work.is_ok_and(|path| {
                    let parts = [".vscode/", ".gitmodules", ".husky/", "linked/.git", "hooks/"];
                    !parts.iter().any(|part| path.contains(part)) && !path.ends_with("/config")
                });
                if metadata.is_dir() {
                    waiting.push(path.clone());
                }
                if !is_free && !metadata.is_dir() {
                    let text = fs::read_to_string(&path).unwrap_or_default();
                    found.insert(
                        path,
                        format!("{:o} {:?} {text}", metadata.permissions().mode(), metadata.modified()),
                    );
                }
            }
        }
        found
    }
}

/// Whether the sandbox works here; else it says why the test is skipped.
async fn is_available(fixture: &EscapeFixture) -> bool {
    let checked = fixture.sandbox(false).check(&fixture.path("home/work"), &fixture.processes()).await;
    if let Err(error) = &checked {
        eprintln!("skipped: {error}");
    }
    checked.is_ok()
}

#[tokio::test]
async fn no_attempt_gets_out() {
    if !is_available(&EscapeFixture::new("probe")).await {
        return;
    }
    let mut problems = Vec::new();
    for (name, script, control) in ATTEMPTS {
        if matches!(control, Control::Escapes) {
            let (_, output) = EscapeFixture::new(name).run(script, None).await;
            if !output.contains("ESCAPED") {
                problems.push(format!("{name}: it does not even escape without a sandbox: {output}"));
            }
        }
        let fixture = EscapeFixture::new(name);
        let before = fixture.guarded();
        let (exit, output) = fixture.run(script, Some(&fixture.sandbox(false))).await;
        if output.contains("ESCAPED") || output.contains("bwrap:") {
            problems.push(format!("{name}: {exit:?} {output}"));
        }
        // Copies in the workspace are the command's own.
        let work = fixture.path("home/work");
        let mut after = fixture.guarded();
        after.retain(|path, _| before.contains_key(path) || !path.starts_with(&work));
        if after != before {
            problems.push(format!("{name}: it changed something outside"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[cfg(target_arch = "x86_64")]
#[tokio::test]
async fn refused_system_calls_fail_with_their_error() {
    let fixture = EscapeFixture::new("calls");
    if !is_available(&fixture).await {
        return;
    }
    let mut problems = Vec::new();
    for (name, arguments, error) in REFUSED_CALLS {
        let script = format!(
            "perl -MErrno -e 'my $r = syscall({arguments}); print $r == -1 && $!{{{error}}} ? \"refused\" : \"$r $!\"'"
        );
        let (_, output) = fixture.run(&script, Some(&fixture.sandbox(false))).await;
        if output != "refused" {
            problems.push(format!("{name}: {output}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[tokio::test]
async fn no_packet_leaves_unless_the_network_is_on() {
    let fixture = EscapeFixture::new("udp");
    if !is_available(&fixture).await {
        return;
    }
    fixture.udp.set_nonblocking(true).unwrap();
    let script =
        "echo packet > /dev/udp/127.0.0.1/$UDP_PORT; exec 3<>/dev/tcp/127.0.0.1/$PORT && echo connected";
    let received = || fixture.udp.recv(&mut [0; 16]).is_ok();
    let (_, output) = fixture.run(script, Some(&fixture.sandbox(false))).await;
    assert!(!output.contains("connected") && !received(), "{output}");
    let (_, output) = fixture.run(script, Some(&fixture.sandbox(true))).await;
    assert!(output.contains("connected") && received(), "{output}");
}

#[tokio::test]
async fn ordinary_work_goes_on_inside() {
    let fixture = EscapeFixture::new("work");
    if !is_available(&fixture).await {
        return;
    }
    let sandbox = fixture.sandbox(false);
    for (script, expected) in [
        ("pwd; echo new > src/new.rs && mv src/new.rs src/old.rs && cat src/old.rs", None),
        ("cat; echo end", Some("end\n")),
        ("-x 2>/dev/null || echo dash", Some("dash\n")),
        ("t=$(mktemp) && echo a > $t && cat $t && echo b > /var/tmp/x && echo c > /dev/shm/x", Some("a\n")),
        ("echo x >> ../../cache/file && cat ../../cache/file", Some("minex\n")),
        ("cat ../.local/share/copydesk/output/s1/c1.txt", Some("long output")),
        ("cat ../.bashrc", Some("mine")),
        ("mkdir -p $GOCACHE && echo built > $GOCACHE/one", Some("")),
        ("cat $GOCACHE/one", Some("built\n")),
        (
            "perl -MSocket -e 'socket(S,2,1,0); bind(S, sockaddr_in(4444, INADDR_LOOPBACK)) and listen(S,1) and print 1'",
            Some("1"),
        ),
        ("echo one | (read a; echo $a) & wait", Some("one\n")),
        ("script -qec 'echo pty' /dev/null | tr -d '\\r'", Some("pty\n")),
        ("exit 3", Some("")),
    ] {
        let (exit, output) = fixture.run(script, Some(&sandbox)).await;
        let code = if script == "exit 3" { 3 } else { 0 };
        assert_eq!(exit, ProcessExit::Code(code), "{script}: {output}");
        assert!(expected.is_none_or(|expected| output == expected), "{script}: {output}");
    }
    let git = "git init -q fresh && cd fresh && git config user.email a@b && git config user.name n && echo a > a && \
               git add -A && git commit -qm one && git checkout -qb two && git status --short";
    let (exit, output) = fixture.run(git, Some(&sandbox)).await;
    assert_eq!((exit, output.as_str()), (ProcessExit::Code(0), ""));
    let again = "cd fresh && git status && echo b > b && git add -A && git commit -qm two && git stash list && git gc -q";
    let (exit, output) = fixture.run(again, Some(&sandbox)).await;
    assert!(exit == ProcessExit::Code(0) && !output.contains("warning"), "{output}");
}

#[tokio::test]
async fn placeholders_are_there_while_a_command_runs_and_no_longer() {
    let fixture = EscapeFixture::new("placeholders");
    if !is_available(&fixture).await {
        return;
    }
    let (_, output) = fixture.run("ls -A | grep -c -e envrc -e idea", Some(&fixture.sandbox(false))).await;
    assert_eq!(output, "2\n");
    // What is forced into one ends with the command.
    let forced =
        "chmod u+w .idea .git/config.worktree && mkdir .idea/x && touch .git/config.worktree/x && echo made";
    let (_, output) = fixture.run(forced, Some(&fixture.sandbox(false))).await;
    assert_eq!(output, "made\n");
    let names = |folder: &str| {
        fs::read_dir(fixture.path(folder))
            .unwrap()
            .flatten()
            .map(|entry| entry.file_name())
            .collect::<Vec<_>>()
    };
    assert!(!names("home/work").iter().any(|name| name == ".envrc" || name == ".idea"));
    assert!(!names("home/work/.git").iter().any(|name| name == "config.worktree"));
    assert!(fixture.path("home/work/.vscode/settings.json").is_file());
}

#[tokio::test]
async fn planted_repositories_are_told_and_redirects_removed() {
    let fixture = EscapeFixture::new("planted");
    if !is_available(&fixture).await {
        return;
    }
    let (work, processes) = (fixture.path("home/work"), fixture.processes());
    let launch = Arc::new(
        fixture.sandbox(false).prepare(&work, &work, &processes, SandboxPurpose::Command).await.unwrap(),
    );
    let script =
        "mkdir -p new/.git bare2/objects bare2/refs && touch bare2/HEAD && echo /evil > .git/commondir";
    let (exit, _) = fixture.run(script, Some(&fixture.sandbox(false))).await;
    assert_eq!(exit, ProcessExit::Code(0));
    let planted = launch.examine(exit, "").await.planted;
    let real = work.canonicalize().unwrap();
    assert_eq!(
        planted,
        PlantedRepositories {
            repositories: vec![real.join("bare2"), real.join("new")],
            removed: vec![real.join(".git/commondir")]
        }
    );
    assert!(!real.join(".git/commondir").exists());
}

#[tokio::test]
async fn a_workspace_that_is_the_home_or_everything_is_refused() {
    let fixture = EscapeFixture::new("home");
    for workspace in [fixture.path("home"), fixture.path(""), PathBuf::from("/")] {
        let checked = fixture.sandbox(false).check(&workspace, &fixture.processes()).await;
        assert!(matches!(checked, Err(SandboxError::WholeHome(_))), "{}: {checked:?}", workspace.display());
    }
}
