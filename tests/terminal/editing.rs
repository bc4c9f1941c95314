//! A hunk in the person's own editor: `e` at the question.

use std::path::Path;

use super::approval::{PROMPT, scripted};
use super::hunks::{BOTH, NEW, OLD, edit, four_hunks, ready};
use super::screen::{CTRL_C, Terminal};
use crate::model_server::Turn;
use crate::sessions::harness::{Scripted, Where};

/// `$EDITOR` is this script. The file to edit is `$1`.
fn editor(scripted: &mut Scripted, script: &str) {
    scripted.desk.write("~/editor", script);
    let command = format!("exec sh {}", scripted.desk.path("~/editor").display());
    let desk = std::mem::replace(&mut scripted.desk, crate::cli::desk::Desk::new());
    scripted.desk = desk.env("EDITOR", command);
}

#[test]
fn what_is_saved_is_accepted_in_the_place_of_the_hunk() {
    for place in BOTH {
        let mut scripted = four_hunks();
        let seen = scripted.desk.path("~/seen");
        let script = format!(
            "cp \"$1\" {0}; echo \"$1\" > {0}.name; sed -i 's/TWO/Two,\\nand a half/' \"$1\"",
            seen.display()
        );
        editor(&mut scripted, &script);
        let _up = scripted.up(place);
        let mut terminal = Terminal::start(&scripted.desk, &["run", "Go"]);
        ready(&mut terminal);
        terminal.line("e");
        terminal.shows("hunk 2 of 4  line 5");
        let text = OLD.replace("two", "Two,\nand a half");
        assert_eq!(scripted.desk.read("a.txt"), text);
        let shown = scripted.desk.read("~/seen");
        assert!(shown.starts_with("TWO\n# ------------------------ >8"), "{shown}");
        assert!(shown.contains("a.txt, line 2") && shown.ends_with("# The old lines:\n# two\n"), "{shown}");
        let name = scripted.desk.read("~/seen.name");
        assert!(name.ends_with(".txt\n") && !Path::new(name.trim()).exists(), "{name}");
        ready(&mut terminal);
        terminal.line("d");
        assert_eq!(terminal.ends(), Some(0), "{}", terminal.text());
        assert_eq!(scripted.desk.read("a.txt"), text);
        let told = scripted.told(1);
        let expected =
            "- `a.txt` line 2: accepted with the person's own changes; it now reads:\n  Two,\n  and a half\n";
        assert!(told.contains(expected), "{told}");
    }
}

#[test]
fn unchanged_it_is_accepted_and_otherwise_asked_again() {
    for (script, why) in [
        ("exit 3", Some("failed (exit status: 3)")),
        (": > \"$1\"", Some("nothing was left of it")),
        ("sed -i '/^TWO/d' \"$1\"", Some("nothing was left of it")),
        ("printf '\\377' > \"$1\"", Some("what was saved is not UTF-8")),
        ("rm \"$1\"", Some("it could not be edited")),
        (":", None),
    ] {
        let mut scripted = four_hunks();
        editor(&mut scripted, script);
        let mut terminal = Terminal::start(&scripted.desk, &["run", "Go"]);
        ready(&mut terminal);
        terminal.line("e");
        match why {
            Some(why) => {
                terminal.shows(why);
                ready(&mut terminal);
                assert_eq!(scripted.desk.read("a.txt"), OLD, "{script}");
                terminal.line("d");
            }
            None => {
                terminal.shows("hunk 2 of 4");
                ready(&mut terminal);
                assert_eq!(scripted.desk.read("a.txt"), OLD.replace("two", "TWO"), "{script}");
                terminal.line("a");
            }
        }
        assert_eq!(terminal.ends(), Some(0), "{}", terminal.text());
        let told = scripted.told(1);
        assert!(!told.contains("own changes"), "{told}");
        assert_eq!(scripted.desk.read("a.txt"), if why.is_some() { OLD } else { NEW }, "{script}");
    }
}

#[test]
fn visual_comes_before_editor_and_one_that_is_not_there_is_told() {
    let mut scripted = four_hunks();
    editor(&mut scripted, "sed -i 's/TWO/2/' \"$1\"");
    scripted.desk = scripted.desk.env("VISUAL", "no-such-editor --wait");
    let mut terminal = Terminal::start(&scripted.desk, &["run", "Go"]);
    ready(&mut terminal);
    terminal.line("e");
    terminal.shows("the editor `no-such-editor --wait` failed (exit status: 127)");
    ready(&mut terminal);
    terminal.line("d");
    assert_eq!(terminal.ends(), Some(0), "{}", terminal.text());
    assert_eq!(scripted.desk.read("a.txt"), OLD);
}

#[test]
fn the_only_hunk_and_a_new_file_can_be_edited_too() {
    let write = serde_json::json!({ "filePath": "new.txt", "content": "a\nb\n" });
    for place in BOTH {
        let turns =
            [edit("one", "two"), Turn::new().call("c2", "write", write.clone()), Turn::new().text("ok")];
        let mut scripted = scripted(turns);
        editor(&mut scripted, "sed -i 's/^two/Two/; s/^b$/B/' \"$1\"");
        let _up = scripted.up(place);
        let mut terminal = Terminal::start(&scripted.desk, &["run", "Go"]);
        terminal.shows_times(PROMPT, 1);
        terminal.line("e");
        terminal.shows_times(PROMPT, 2);
        assert_eq!(scripted.desk.read("a.txt"), "zero\nTwo\nlast\n");
        terminal.line("e");
        assert_eq!(terminal.ends(), Some(0), "{}", terminal.text());
        assert_eq!(scripted.desk.read("new.txt"), "a\nB\n");
        assert!(scripted.told(2).contains("own changes"), "{}", scripted.told(2));
    }
}

/// Lines end as they do in the file, and its last line as it was.
#[test]
fn line_ends_are_those_of_the_file() {
    for (old, new) in [("one\r\ntwo\r\n", "one\r\nHalf\r\nTwo\r\n"), ("one\ntwo", "one\nHalf\nTwo")] {
        let mut scripted = scripted([edit("two", "TWO"), Turn::new().text("ok")]);
        scripted.desk.write("a.txt", old);
        editor(&mut scripted, "sed -i 's/^TWO/Half\\nTwo/' \"$1\"");
        let mut terminal = Terminal::start(&scripted.desk, &["run", "Go"]);
        terminal.shows(PROMPT);
        terminal.line("e");
        assert_eq!(terminal.ends(), Some(0), "{}", terminal.text());
        assert_eq!(scripted.desk.read("a.txt"), new);
    }
}

/// The terminal is the editor's as long as it runs: Ctrl-C is for it alone, and nothing is written into it.
#[test]
fn ctrl_c_in_the_editor_is_for_the_editor() {
    for place in [Where::Here, Where::Daemon] {
        let mut scripted = four_hunks();
        editor(
            &mut scripted,
            "trap 'echo interrupted >> ~/trapped' INT; echo in the editor; until [ -e ~/trapped ] && read line; do :; done\n\
             sed -i s/TWO/2/ \"$1\"",
        );
        let _up = scripted.up(place);
        let mut terminal = Terminal::start(&scripted.desk, &["run", "Go"]);
        ready(&mut terminal);
        terminal.line("e");
        terminal.shows("in the editor");
        terminal.keys(CTRL_C);
        terminal.until("the editor's own Ctrl-C", |_| scripted.desk.exists("~/trapped"));
        terminal.line("go on");
        terminal.shows("hunk 2 of 4");
        ready(&mut terminal);
        terminal.line("d");
        assert_eq!(terminal.ends(), Some(0), "{}", terminal.text());
        assert_eq!(scripted.desk.read("a.txt"), OLD.replace("two", "2"));
    }
}
