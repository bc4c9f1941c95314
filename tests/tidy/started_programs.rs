//! Programs are started in few places, because what starts elsewhere gets the daemon's API keys and outlives it.

use std::path::Path;

use super::{files, is_test, text, without_inline_tests};

/// The files that start a program, each with why it may.
const STARTERS: [(&str, &str); 8] = [
    ("daemon/cli/src/command/run/external_editor.rs", "the user's own editor, in the user's terminal"),
    ("daemon/cli/src/command/sandbox_bridge.rs", "runs inside the sandbox, in a command's own environment"),
    ("daemon/cli/src/command/tour/project.rs", "asks the user's cargo for its version"),
    ("daemon/cli/src/shim/daemon_starter.rs", "the daemon itself, which needs the keys"),
    ("daemon/workspace/src/process/guard.rs", "the guard, with no environment"),
    ("daemon/workspace/src/process/piped_process.rs", "`Processes::pipe`"),
    ("daemon/workspace/src/process/sandboxed_spawn.rs", "the same, in the sandbox"),
    ("daemon/workspace/src/process/spawn.rs", "`Processes::run` and `start`"),
];

#[test]
fn every_program_of_a_session_is_one_of_its_processes() {
    let starts = |path: &Path| without_inline_tests(&text(path)).contains("Command::new(");
    let sources = files(".rs").into_iter().filter(|path| {
        path.starts_with("daemon")
            && path.components().any(|part| part.as_os_str() == "src")
            && !is_test(path)
    });
    let found: Vec<_> = sources.filter(|path| starts(path)).map(|path| path.display().to_string()).collect();
    let known: Vec<_> = STARTERS.iter().map(|(path, _)| *path).collect();
    assert_eq!(
        found, known,
        "start programs by `Processes` (`workspace/src/process.rs`), or add the file with the reason"
    );
}
