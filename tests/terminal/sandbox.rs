//! The sandbox on a terminal: the ask says what it would enforce, the call what it stopped, and a command outside is asked for as such.

use serde_json::json;

use super::approval::scripted_with_config;
use super::screen::TestTerminal;
use crate::model_server::ScriptedTurn;
use crate::sessions::sandbox::{SandboxProject, outside, script};

#[test]
fn what_it_enforces_and_what_it_stopped_is_shown() {
    let turns = [script("c1", "network"), outside("c2", "outside"), ScriptedTurn::new().text("Done.")];
    let scripted = scripted_with_config(turns, json!({ "sandbox": "auto", "preset": "careful" }));
    let project = SandboxProject::new();
    if !project.set_up(&scripted.env) {
        return;
    }
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    let prompt = "[r] no, because…  ›";
    terminal.wait_for_text_times(prompt, 1);
    let rows = terminal.rows();
    assert!(
        rows.iter()
            .any(|row| row == "  in the sandbox: writable: the workspace, a /tmp of its own; no network"),
        "{rows:#?}"
    );
    terminal.line("y");
    terminal.wait_for_text_times(prompt, 2);
    let text = terminal.text();
    assert!(text.contains("probably stopped by the sandbox: it has no network"), "{text}");
    assert!(
        text.contains("? sh outside.sh (outside of the sandbox: it writes beside the workspace)"),
        "{text}"
    );
    let (_, question) = text.rsplit_once("? sh outside.sh").unwrap();
    assert!(question.contains("[y] yes") && !question.contains("[a] always"), "{question}");
    terminal.line("y");
    assert_eq!(terminal.wait_for_exit(), Some(0));
    let text = terminal.text();
    assert!(text.contains("not sandboxed: it writes beside the workspace"), "{text}");
}
