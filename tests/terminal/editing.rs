//! A hunk in the user's own editor: `e` at the question.

use std::path::Path;

use serde_json::json;

use super::approval::{LISTED_PROMPT, PROMPT, scripted};
use super::hunks::{BOTH, NEW, OLD, edit, four_hunks, wait_for_question};
use super::screen::{CTRL_C, TestTerminal};
use crate::model_server::ScriptedTurn;
use crate::sessions::harness::{RunLocation, ScriptedEnvironment};

/// Sets `$EDITOR` to this script. The file to edit is `$1`.
fn editor(scripted: &mut ScriptedEnvironment, script: &str) {
    scripted.env.write("~/editor", script);
    let command = format!("exec sh {}", scripted.env.path("~/editor").display());
    let env = std::mem::replace(&mut scripted.env, crate::cli::environment::TestEnvironment::new());
    scripted.env = env.env("EDITOR", command);
}

#[test]
fn what_is_saved_is_accepted_in_the_place_of_the_hunk() {
    for place in BOTH {
        let mut scripted = four_hunks();
        let seen = scripted.env.path("~/seen");
        let script = format!(
            "cp \"$1\" {0}; echo \"$1\" > {0}.name; sed -i 's/TWO/Two,\\nand a half/' \"$1\"",
            seen.display()
        );
        editor(&mut scripted, &script);
        let _up = scripted.start_daemon(place);
        let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
        wait_for_question(&mut terminal);
        terminal.line("e");
        terminal.wait_for_text("hunk 2 of 4  line 5");
        let text = OLD.replace("two", "Two,\nand a half");
        assert_eq!(scripted.env.read("a.txt"), text);
        let shown = scripted.env.read("~/seen");
        assert!(shown.starts_with("TWO\n# ------------------------ >8"), "{shown}");
        assert!(shown.contains("a.txt, line 2") && shown.ends_with("# The old lines:\n# two\n"), "{shown}");
        let name = scripted.env.read("~/seen.name");
        assert!(name.ends_with(".txt\n") && !Path::new(name.trim()).exists(), "{name}");
        wait_for_question(&mut terminal);
        terminal.line("d");
        assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
        assert_eq!(scripted.env.read("a.txt"), text);
        let told = scripted.last_model_input(1);
        let expected =
            "- `a.txt` line 2: accepted with the user's own changes; it now reads:\n  Two,\n  and a half\n";
        assert!(told.contains(expected), "{told}");
    }
}

#[test]
fn unchanged_it_is_accepted_and_otherwise_asked_again() {
    for (script, why) in [
        ("exit 3", Some("failed (exit status: 3)")),
        (": > \"$1\"", Some("the saved text is empty")),
        ("sed -i '/^TWO/d' \"$1\"", Some("the saved text is empty")),
        ("printf '\\377' > \"$1\"", Some("the saved text is not UTF-8")),
        ("rm \"$1\"", Some("it could not be edited")),
        (":", None),
    ] {
        let mut scripted = four_hunks();
        editor(&mut scripted, script);
        let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
        wait_for_question(&mut terminal);
        terminal.line("e");
        match why {
            Some(why) => {
                terminal.wait_for_text(why);
                wait_for_question(&mut terminal);
                assert_eq!(scripted.env.read("a.txt"), OLD, "{script}");
                terminal.line("d");
            }
            None => {
                terminal.wait_for_text("hunk 2 of 4");
                wait_for_question(&mut terminal);
                assert_eq!(scripted.env.read("a.txt"), OLD.replace("two", "TWO"), "{script}");
                terminal.line("a");
            }
        }
        assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
        let told = scripted.last_model_input(1);
        assert!(!told.contains("own changes"), "{told}");
        assert_eq!(scripted.env.read("a.txt"), if why.is_some() { OLD } else { NEW }, "{script}");
    }
}

#[test]
fn visual_comes_before_editor_and_one_that_is_not_there_is_told() {
    let mut scripted = four_hunks();
    editor(&mut scripted, "sed -i 's/TWO/2/' \"$1\"");
    scripted.env = scripted.env.env("VISUAL", "no-such-editor --wait");
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    wait_for_question(&mut terminal);
    terminal.line("e");
    terminal.wait_for_text("the editor `no-such-editor --wait` failed (exit status: 127)");
    wait_for_question(&mut terminal);
    terminal.line("d");
    assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
    assert_eq!(scripted.env.read("a.txt"), OLD);
}

#[test]
fn the_only_hunk_and_a_new_file_can_be_edited_too() {
    let write = serde_json::json!({ "filePath": "new.txt", "content": "a\nb\n" });
    for place in BOTH {
        let turns = [
            edit("one", "two"),
            ScriptedTurn::new().call("c2", "write", write.clone()),
            ScriptedTurn::new().text("ok"),
        ];
        let mut scripted = scripted(turns);
        editor(&mut scripted, "sed -i 's/^two/Two/; s/^b$/B/' \"$1\"");
        let _up = scripted.start_daemon(place);
        let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
        terminal.wait_for_text_times(PROMPT, 1);
        terminal.line("e");
        terminal.wait_for_text_times(PROMPT, 2);
        assert_eq!(scripted.env.read("a.txt"), "zero\nTwo\nlast\n");
        terminal.line("e");
        assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
        assert_eq!(scripted.env.read("new.txt"), "a\nB\n");
        assert!(scripted.last_model_input(2).contains("own changes"), "{}", scripted.last_model_input(2));
    }
}

/// Lines end as in the file, and its last line as before.
#[test]
fn line_ends_are_those_of_the_file() {
    for (old, new) in [("one\r\ntwo\r\n", "one\r\nHalf\r\nTwo\r\n"), ("one\ntwo", "one\nHalf\nTwo")] {
        let mut scripted = scripted([edit("two", "TWO"), ScriptedTurn::new().text("ok")]);
        scripted.env.write("a.txt", old);
        editor(&mut scripted, "sed -i 's/^TWO/Half\\nTwo/' \"$1\"");
        let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
        terminal.wait_for_text(PROMPT);
        terminal.line("e");
        assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
        assert_eq!(scripted.env.read("a.txt"), new);
    }
}

/// The terminal belongs to the editor while it runs: Ctrl-C goes only to it, and nothing is printed.
#[test]
fn ctrl_c_in_the_editor_is_for_the_editor() {
    for place in [RunLocation::OwnProcess, RunLocation::Daemon] {
        let mut scripted = four_hunks();
        editor(
            &mut scripted,
            "trap 'echo interrupted >> ~/trapped' INT; echo in the editor; until [ -e ~/trapped ] && read line; do :; done\n\
             sed -i s/TWO/2/ \"$1\"",
        );
        let _up = scripted.start_daemon(place);
        let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
        wait_for_question(&mut terminal);
        terminal.line("e");
        terminal.wait_for_text("in the editor");
        terminal.keys(CTRL_C);
        terminal.wait_until("the editor's own Ctrl-C", |_| scripted.env.exists("~/trapped"));
        terminal.line("go on");
        terminal.wait_for_text("hunk 2 of 4");
        wait_for_question(&mut terminal);
        terminal.line("d");
        assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
        assert_eq!(scripted.env.read("a.txt"), OLD.replace("two", "2"));
    }
}

/// The first list is too wide: the daemon asks again. The second is kept for the project.
#[test]
fn what_always_allows_is_edited_before_it_is_accepted() {
    for place in BOTH {
        let command = json!({ "command": "touch log", "description": "Log" });
        let turns = [ScriptedTurn::new().call("c1", "bash", command), ScriptedTurn::new().text("ok")];
        let mut scripted = scripted(turns);
        let second = scripted.env.path("~/second");
        let script = format!(
            "if [ -e {0} ]; then new='touch log *'; else new='sh *'; cp \"$1\" {0}; fi; sed -i \"1s/.*/$new/\" \"$1\"",
            second.display()
        );
        editor(&mut scripted, &script);
        let _up = scripted.start_daemon(place);
        let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
        terminal.wait_for_text_times(LISTED_PROMPT, 1);
        terminal.line("e");
        terminal.wait_for_text("[a] always (bash: sh *)");
        terminal.wait_for_text_times(LISTED_PROMPT, 2);
        terminal.line("a");
        terminal.wait_for_text("not accepted: the program of the pattern `sh *` may run");
        terminal.wait_for_text_times(LISTED_PROMPT, 3);
        assert!(scripted.env.read("~/second").starts_with("touch *\n# ----"), "it is prefilled");
        assert!(!scripted.env.exists("log"));
        terminal.line("e");
        terminal.wait_for_text("[a] always (bash: touch log *)");
        terminal.wait_for_text_times(LISTED_PROMPT, 4);
        terminal.line("p");
        assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
        assert!(scripted.env.exists("log"));
        let listed = scripted.env.run(&["permission", "list", "--json"]).json();
        let kept = &listed["replies"][0];
        assert_eq!((&kept["pattern"], &kept["scope"]), (&json!("touch log *"), &json!("project")));
    }
}
