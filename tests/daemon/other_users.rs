//! Processes of other users, and what programs of the same user may see of the daemon. Only root can impersonate users; otherwise tests that
//! need it say that they did nothing.

use std::io::Read as _;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::process::{Command, Output, Stdio};

use super::stdio_editor::{ForegroundDaemon, LOG, StdioEditor, daemon_environment, socket};
use crate::cli::environment::{BINARY, TestEnvironment};

const NOBODY: u32 = 65534;

fn is_root() -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        println!("skipped: only root can become another user");
    }
    root
}

/// Runs a command as the user `nobody`, in this environment.
fn as_nobody(env: &TestEnvironment, args: &[&str]) -> Output {
    let mut command = Command::new("setpriv");
    env.prepare(&mut command);
    let id = NOBODY.to_string();
    command.args(["--reuid", &id, "--regid", &id, "--clear-groups", "--"]).args(args);
    command.stdin(Stdio::null()).output().unwrap()
}

/// Opens the folders to everybody, as far as the socket.
fn unlock(env: &TestEnvironment) {
    let socket = socket(env);
    let open = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    socket.ancestors().skip(1).take(4).for_each(|folder| open(folder, 0o755));
    open(&socket, 0o777);
}

#[test]
fn a_client_of_another_user_is_turned_away() {
    if !is_root() {
        return;
    }
    let env = daemon_environment();
    let daemon = ForegroundDaemon::start(&env, &[]);
    unlock(&env);
    // Prints how much it received before the daemon hung up.
    let script =
        "import socket,sys\ns=socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1])\nprint(len(s.recv(9)))";
    let ran = as_nobody(&env, &["/usr/bin/python3", "-c", script, socket(&env).to_str().unwrap()]);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "0\n", "{ran:?}");
    std::fs::set_permissions(env.path("~/.run/copydesk"), std::fs::Permissions::from_mode(0o700)).unwrap();
    let (editor, pid) = StdioEditor::start_initialized(&env);
    assert_eq!(pid, u64::from(daemon.child.id()));
    editor.leave();
    env.run(&["stop"]);
    daemon.wait_for_exit(&env);
    let log = env.read(LOG);
    assert!(log.contains("from a process of another user uid=65534"), "{log}");
}

#[test]
fn a_daemon_of_another_user_is_not_talked_to() {
    if !is_root() {
        return;
    }
    let env = daemon_environment();
    let folder = env.path("~/.run/copydesk");
    std::fs::create_dir_all(&folder).unwrap();
    // A process of `nobody` listens in our folder, as if it had slipped in.
    let script = "import socket,sys,os\ns=socket.socket(socket.AF_UNIX)\nos.setuid(65534)\ns.bind(sys.argv[1])\ns.listen()\nprint('ready',flush=True)\nc,_=s.accept()\nprint(len(c.recv(9)))";
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
    for above in folder.ancestors().skip(1).take(3) {
        std::fs::set_permissions(above, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut child = Command::new("/usr/bin/python3")
        .args(["-c", script, socket(&env).to_str().unwrap()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut ready = [0; 6];
    stdout.read_exact(&mut ready).unwrap();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700)).unwrap();
    let ran = env.run(&["status"]);
    assert!(ran.stderr.contains("the daemon on this socket runs as user 65534, not as you"), "{ran:?}");
    let mut heard = String::new();
    stdout.read_to_string(&mut heard).unwrap();
    assert_eq!(heard, "0\n", "it was told nothing");
    child.wait().unwrap();
}

#[test]
fn a_folder_of_another_user_is_refused() {
    if !is_root() {
        return;
    }
    let env = daemon_environment().with_files(&[("~/.run/copydesk/file", "")]);
    let folder = env.path("~/.run/copydesk");
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700)).unwrap();
    chown(&folder, Some(NOBODY), Some(NOBODY)).unwrap();
    for args in [&["daemon"][..], &["status"]] {
        let ran = env.run(args);
        assert_eq!(ran.code, Some(1));
        assert!(ran.stderr.contains("this folder belongs to user 65534, not to you"), "{ran:?}");
    }
}

/// Root may read everything, so root plays another user.
#[test]
fn a_program_of_the_same_user_does_not_read_the_daemons_keys() {
    let env = daemon_environment().env("ANTHROPIC_API_KEY", "sk-a-secret");
    let program = env.path("~/copydesk");
    std::fs::copy(BINARY, &program).unwrap();
    let script = "
        mkfifo ready && { \"$1\" daemon >ready & } && daemon=$! && read -r line <ready
        tr '\\0' '\\n' </proc/$$/environ | grep -c sk-a-secret
        for file in environ mem maps; do cat /proc/$daemon/$file >/dev/null 2>&1 && echo \"$file can be read\"; done
        kill $daemon && wait $daemon";
    let args = ["/bin/sh", "-c", script, "sh", program.to_str().unwrap()];
    let ran = if is_root() {
        let root = env.path("").parent().unwrap().to_owned();
        assert!(Command::new("chown").args(["-R", "65534:65534"]).arg(root).status().unwrap().success());
        as_nobody(&env, &args)
    } else {
        let mut command = Command::new(args[0]);
        env.prepare(&mut command);
        command.args(&args[1..]).output().unwrap()
    };
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "1\n", "{ran:?}");
}
