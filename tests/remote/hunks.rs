//! Hunks on a terminal that others decide too, in an editor.

use serde_json::{Value, json};

use crate::editors::client::{Client, uri};
use crate::model_server::Turn;
use crate::sessions::harness::{Scripted, Where};
use crate::terminal::hunks::{NEW, OLD, edit, four_hunks, ready};
use crate::terminal::screen::Terminal;

fn attached(scripted: &Scripted) -> (Client, String) {
    let sessions = scripted.desk.run(&["sessions", "list", "--json"]).json();
    let session = sessions[0]["id"].as_str().unwrap().to_owned();
    let mut editor = Client::new(&scripted.desk, "nvim");
    editor.load(&session);
    (editor, session)
}

fn decide(editor: &mut Client, session: &str, hunks: &[usize], verdict: &str) {
    let listed = editor.call("copydesk/review/list", json!({ "session": session }));
    let decision = |at: &usize| {
        let hunk: &Value = &listed["reviews"][0]["hunks"][*at];
        json!({ "hunk": hunk["hunk"], "expected": hunk["expected"], "verdict": verdict })
    };
    let decisions: Vec<_> = hunks.iter().map(decision).collect();
    let params = json!({ "session": session, "decisions": decisions });
    let decided = editor.call("copydesk/review/decide", params);
    assert!(decided["decided"].as_array().unwrap().iter().all(|one| one["outcome"] == "done"), "{decided}");
}

#[test]
fn a_hunk_that_is_decided_in_an_editor_makes_room_for_the_next() {
    let scripted = four_hunks();
    let _up = scripted.up(Where::Daemon);
    let mut terminal = Terminal::start(&scripted.desk, &["run", "Go"]);
    ready(&mut terminal);
    // Half an answer to a hunk that goes is no answer to the next one.
    terminal.keys("n");
    let (mut editor, session) = attached(&scripted);
    decide(&mut editor, &session, &[0, 1], "accept");
    terminal.shows("  decided or changed elsewhere\na.txt  hunk 3 of 4  line 6");
    ready(&mut terminal);
    terminal.line("y");
    terminal.shows("hunk 4 of 4");
    ready(&mut terminal);
    terminal.line("n");
    assert_eq!(terminal.ends(), Some(0), "{}", terminal.text());
    assert_eq!(scripted.desk.read("a.txt"), NEW.replace("EIGHT", "eight"));
}

#[test]
fn a_hunk_further_down_goes_without_disturbing_whoever_types() {
    let scripted = four_hunks();
    let _up = scripted.up(Where::Daemon);
    let mut terminal = Terminal::start(&scripted.desk, &["run", "Go"]);
    ready(&mut terminal);
    terminal.keys("y");
    let (mut editor, session) = attached(&scripted);
    decide(&mut editor, &session, &[2, 3], "reject");
    terminal.keys("\r");
    terminal.shows("a.txt  hunk 4 of 4  line 4");
    ready(&mut terminal);
    assert!(!terminal.text().contains("elsewhere"), "{}", terminal.text());
    terminal.line("y");
    assert_eq!(terminal.ends(), Some(0), "{}", terminal.text());
    assert_eq!(scripted.desk.read("a.txt"), OLD.replace("two", "TWO").replace("four", "FOUR"));
}

#[test]
fn when_all_is_decided_in_an_editor_the_question_goes() {
    for replies in [false, true] {
        let scripted = four_hunks();
        let _up = scripted.up(Where::Daemon);
        let mut terminal = Terminal::start(&scripted.desk, &["run", "Go"]);
        ready(&mut terminal);
        let (mut editor, session) = attached(&scripted);
        if replies {
            let ask = editor.request("copydesk/permission/ask");
            editor.answer(&ask, json!({ "reply": "once" }));
        } else {
            decide(&mut editor, &session, &[0, 1, 2, 3], "accept");
        }
        assert_eq!(terminal.ends(), Some(0), "{}", terminal.text());
        let text = terminal.text();
        let decided = if replies { "› \n  decided in nvim\n✓ edit" } else { "› \n  decided\n✓ edit" };
        assert!(text.contains(decided), "{text}");
        assert_eq!(scripted.desk.read("a.txt"), NEW);
    }
}

#[test]
fn what_is_typed_in_a_hunk_in_the_editor_is_seen_before_it_is_decided() {
    let scripted = four_hunks();
    let _up = scripted.up(Where::Daemon);
    let mut terminal = Terminal::start(&scripted.desk, &["run", "Go"]);
    ready(&mut terminal);
    let (mut editor, _) = attached(&scripted);
    let file = uri(&scripted.desk, "a.txt");
    editor.open(&file, OLD);
    editor.types(&file, "two", "twice");
    terminal.shows("decided or changed elsewhere");
    terminal.shows("\n  -twice\n  +TWO\n");
    ready(&mut terminal);
    terminal.line("y");
    editor.request("workspace/applyEdit");
    terminal.shows("hunk 2 of 4");
    ready(&mut terminal);
    terminal.line("d");
    assert_eq!(terminal.ends(), Some(0), "{}", terminal.text());
    assert_eq!(editor.text(&file), OLD.replace("two", "TWO"), "it went through the buffer");
    assert_eq!(scripted.desk.read("a.txt"), OLD);
}

/// Their turn, which ours waits for, asks about hunks too.
#[test]
fn hunks_of_a_turn_of_others_are_decided_here_as_well() {
    let turns = [edit(OLD, NEW), Turn::new().text("Theirs."), Turn::new().text("Mine.")];
    let scripted = crate::terminal::approval::scripted(turns);
    scripted.desk.write("a.txt", OLD);
    let _up = scripted.up(Where::Daemon);
    let mut editor = Client::new(&scripted.desk, "nvim");
    let session = editor.session();
    editor.prompt(&session, "Do this first");
    editor.request("copydesk/permission/ask");
    let mut terminal = Terminal::start(&scripted.desk, &["run", "--session", &session, "And?"]);
    terminal.shows("hunk 1 of 4");
    ready(&mut terminal);
    decide(&mut editor, &session, &[0], "reject");
    terminal.shows("hunk 2 of 4");
    ready(&mut terminal);
    terminal.line("a");
    assert_eq!(terminal.ends(), Some(0), "{}", terminal.text());
    assert_eq!(scripted.desk.read("a.txt"), NEW.replace("TWO", "two"));
    assert!(terminal.text().contains("Mine."), "{}", terminal.text());
}

/// The terminal is the person's editor's until that ends; only then they hear that others were first.
#[test]
fn an_editor_is_not_disturbed_by_others_who_decide_meanwhile() {
    let mut scripted = four_hunks();
    let script = "echo in the editor; read line; sed -i s/TWO/2/ \"$1\"";
    scripted.desk.write("~/editor", script);
    let command = format!("sh {}", scripted.desk.path("~/editor").display());
    scripted.desk = scripted.desk.env("EDITOR", command);
    let _up = scripted.up(Where::Daemon);
    let mut terminal = Terminal::start(&scripted.desk, &["run", "Go"]);
    ready(&mut terminal);
    terminal.line("e");
    terminal.shows("in the editor");
    let (mut editor, session) = attached(&scripted);
    let ask = editor.request("copydesk/permission/ask");
    editor.answer(&ask, json!({ "reply": "once" }));
    editor.ended(&session);
    terminal.line("go on");
    assert_eq!(terminal.ends(), Some(0), "{}", terminal.text());
    let text = terminal.text();
    // Why their own text came too late is said first; in how many words depends on when.
    let (_, after) = text.split_once("in the editor\ngo on\n").unwrap_or_else(|| panic!("{text}"));
    let after: Vec<_> = after.lines().skip(1).take(2).collect();
    assert!(after[0] == "  decided in nvim" && after[1].starts_with("✓ edit Edited a.txt"), "{text}");
    assert!(text.contains("Done."), "{text}");
    assert_eq!(scripted.desk.read("a.txt"), NEW);
}
