//! Hunks in a terminal that another client decides, too, in an editor.

use serde_json::{Value, json};

use crate::editors::scripted_editor::{ScriptedEditor, uri};
use crate::model_server::ScriptedTurn;
use crate::sessions::harness::{RunLocation, ScriptedEnvironment};
use crate::terminal::hunks::{NEW, OLD, edit, four_hunks, wait_for_question};
use crate::terminal::screen::TestTerminal;

fn attach_editor(scripted: &ScriptedEnvironment) -> (ScriptedEditor, String) {
    let sessions = scripted.env.run(&["sessions", "list", "--json"]).json();
    let session = sessions[0]["id"].as_str().unwrap().to_owned();
    let mut editor = ScriptedEditor::new(&scripted.env, "nvim");
    editor.load(&session);
    (editor, session)
}

fn decide(editor: &mut ScriptedEditor, session: &str, hunks: &[usize], verdict: &str) {
    let listed = editor.request_ok("copydesk/review/list", json!({ "session": session }));
    let decision = |at: &usize| {
        let hunk: &Value = &listed["reviews"][0]["hunks"][*at];
        json!({ "hunk": hunk["hunk"], "expected": hunk["expected"], "verdict": verdict })
    };
    let decisions: Vec<_> = hunks.iter().map(decision).collect();
    let params = json!({ "session": session, "decisions": decisions });
    let decided = editor.request_ok("copydesk/review/decide", params);
    assert!(decided["decided"].as_array().unwrap().iter().all(|one| one["outcome"] == "done"), "{decided}");
}

#[test]
fn a_hunk_that_is_decided_in_an_editor_makes_room_for_the_next() {
    let scripted = four_hunks();
    let _up = scripted.start_daemon(RunLocation::Daemon);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    wait_for_question(&mut terminal);
    // A partial answer to a hunk that goes away does not answer the next one.
    terminal.keys("n");
    let (mut editor, session) = attach_editor(&scripted);
    decide(&mut editor, &session, &[0, 1], "accept");
    terminal.wait_for_text("  decided or changed elsewhere\na.txt  hunk 3 of 4  line 6");
    wait_for_question(&mut terminal);
    terminal.line("y");
    terminal.wait_for_text("hunk 4 of 4");
    wait_for_question(&mut terminal);
    terminal.line("n");
    assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
    assert_eq!(scripted.env.read("a.txt"), NEW.replace("EIGHT", "eight"));
}

#[test]
fn a_hunk_further_down_goes_without_disturbing_whoever_types() {
    let scripted = four_hunks();
    let _up = scripted.start_daemon(RunLocation::Daemon);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    wait_for_question(&mut terminal);
    terminal.keys("y");
    let (mut editor, session) = attach_editor(&scripted);
    decide(&mut editor, &session, &[2, 3], "reject");
    terminal.keys("\r");
    terminal.wait_for_text("a.txt  hunk 4 of 4  line 4");
    wait_for_question(&mut terminal);
    assert!(!terminal.text().contains("elsewhere"), "{}", terminal.text());
    terminal.line("y");
    assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
    assert_eq!(scripted.env.read("a.txt"), OLD.replace("two", "TWO").replace("four", "FOUR"));
}

#[test]
fn when_all_is_decided_in_an_editor_the_question_goes() {
    for replies in [false, true] {
        let scripted = four_hunks();
        let _up = scripted.start_daemon(RunLocation::Daemon);
        let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
        wait_for_question(&mut terminal);
        let (mut editor, session) = attach_editor(&scripted);
        if replies {
            let ask = editor.wait_for_method("copydesk/permission/ask");
            editor.answer(&ask, json!({ "reply": "once" }));
        } else {
            decide(&mut editor, &session, &[0, 1, 2, 3], "accept");
        }
        assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
        let text = terminal.text();
        let decided = if replies { "› \n  decided in nvim\n✓ edit" } else { "› \n  decided\n✓ edit" };
        assert!(text.contains(decided), "{text}");
        assert_eq!(scripted.env.read("a.txt"), NEW);
    }
}

#[test]
fn what_is_typed_in_a_hunk_in_the_editor_is_seen_before_it_is_decided() {
    let scripted = four_hunks();
    let _up = scripted.start_daemon(RunLocation::Daemon);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    wait_for_question(&mut terminal);
    let (mut editor, _) = attach_editor(&scripted);
    let file = uri(&scripted.env, "a.txt");
    editor.open(&file, OLD);
    editor.type_text(&file, "two", "twice");
    terminal.wait_for_text("decided or changed elsewhere");
    terminal.wait_for_text("\n  -twice\n  +TWO\n");
    wait_for_question(&mut terminal);
    // What was typed is never discarded.
    terminal.line("y");
    terminal.wait_for_text("the lines that this hunk would replace were changed meanwhile");
    wait_for_question(&mut terminal);
    terminal.line("n");
    terminal.wait_for_text("hunk 2 of 4");
    wait_for_question(&mut terminal);
    terminal.line("y");
    editor.wait_for_method("workspace/applyEdit");
    terminal.wait_for_text("hunk 3 of 4");
    wait_for_question(&mut terminal);
    terminal.line("d");
    assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
    let expected = OLD.replace("two", "twice").replace("four", "FOUR");
    assert_eq!(editor.text(&file), expected, "it went through the buffer");
    assert_eq!(scripted.env.read("a.txt"), OLD);
}

/// The turn of another client, which ours waits for, asks about hunks, too.
#[test]
fn hunks_of_a_turn_of_others_are_decided_here_as_well() {
    let turns = [edit(OLD, NEW), ScriptedTurn::new().text("Theirs."), ScriptedTurn::new().text("Mine.")];
    let scripted = crate::terminal::approval::scripted(turns);
    scripted.env.write("a.txt", OLD);
    let _up = scripted.start_daemon(RunLocation::Daemon);
    let mut editor = ScriptedEditor::new(&scripted.env, "nvim");
    let session = editor.new_session();
    editor.prompt(&session, "Do this first");
    editor.wait_for_method("copydesk/permission/ask");
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "--session", &session, "And?"]);
    terminal.wait_for_text("hunk 1 of 4");
    wait_for_question(&mut terminal);
    decide(&mut editor, &session, &[0], "reject");
    terminal.wait_for_text("hunk 2 of 4");
    wait_for_question(&mut terminal);
    terminal.line("a");
    assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
    assert_eq!(scripted.env.read("a.txt"), NEW.replace("TWO", "two"));
    assert!(terminal.text().contains("Mine."), "{}", terminal.text());
}

/// `$EDITOR` waits for a line from the terminal, and then changes the first hunk.
fn with_editor(mut scripted: ScriptedEnvironment) -> ScriptedEnvironment {
    scripted.env.write("~/editor", "echo in the editor; read line; sed -i s/TWO/2/ \"$1\"");
    let command = format!("sh {}", scripted.env.path("~/editor").display());
    scripted.env = scripted.env.env("EDITOR", command);
    scripted
}

#[test]
fn a_daemon_that_dies_while_the_editor_is_open_is_told_afterwards() {
    let scripted = with_editor(crate::terminal::approval::scripted([edit(OLD, NEW)]));
    scripted.env.write("a.txt", OLD);
    let mut up = scripted.start_daemon(RunLocation::Daemon).unwrap();
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    wait_for_question(&mut terminal);
    terminal.line("e");
    terminal.wait_for_text("in the editor");
    up.kill();
    terminal.line("go on");
    assert_eq!(terminal.wait_for_exit(), Some(1), "{}", terminal.text());
    let text = terminal.text();
    assert!(text.contains("in the editor\ngo on\n"), "{text}");
    assert!(text.contains("error: the connection to the daemon was lost"), "{text}");
    assert_eq!(scripted.env.read("a.txt"), OLD);
}

/// The terminal belongs to the user's editor until that exits; only then the user learns that another client decided
/// first.
#[test]
fn an_editor_is_not_disturbed_by_others_who_decide_meanwhile() {
    let scripted = with_editor(four_hunks());
    let _up = scripted.start_daemon(RunLocation::Daemon);
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    wait_for_question(&mut terminal);
    terminal.line("e");
    terminal.wait_for_text("in the editor");
    let (mut editor, session) = attach_editor(&scripted);
    let ask = editor.wait_for_method("copydesk/permission/ask");
    editor.answer(&ask, json!({ "reply": "once" }));
    editor.wait_for_turn_end(&session);
    terminal.line("go on");
    assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
    let text = terminal.text();
    // First comes why the user's own text came too late; how many words depends on timing.
    let (_, after) = text.split_once("in the editor\ngo on\n").unwrap_or_else(|| panic!("{text}"));
    let after: Vec<_> = after.lines().skip(1).take(2).collect();
    assert!(after[0] == "  decided in nvim" && after[1].starts_with("✓ edit Edited a.txt"), "{text}");
    assert!(text.contains("Done."), "{text}");
    assert_eq!(scripted.env.read("a.txt"), NEW);
}
