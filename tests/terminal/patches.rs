//! A patch of several files, decided at a terminal by hunk and by file, in its own process and over the daemon.

use expect_test::expect;
use serde_json::json;

use super::hunks::{BOTH, wait_for_question};
use super::screen::TestTerminal;
use crate::model_server::ScriptedTurn;
use crate::sessions::harness::ScriptedEnvironment;

const PATCH: &str = "*** Begin Patch
*** Update File: b.txt
@@
-beta
+BETA
*** Update File: a.txt
@@
 one
-two
+TWO
@@
-six
+SIX
*** Add File: new.txt
+made
*** End Patch
";

#[test]
fn hunks_of_several_files_come_one_after_the_other() {
    for place in BOTH {
        let patch = ScriptedTurn::new().call("c1", "apply_patch", json!({ "patchText": PATCH }));
        let scripted = ScriptedEnvironment::with_config(
            [patch, ScriptedTurn::new().text("Done.")],
            json!({ "model": "script/gpt-5" }),
        );
        scripted.env.write("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\n");
        scripted.env.write("b.txt", "alpha\nbeta\n");
        let _up = scripted.start_daemon(place);
        let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
        wait_for_question(&mut terminal);
        let first = [
            "? Edit 3 files (+4 -3): b.txt, a.txt, new.txt",
            "a.txt  hunk 1 of 2  line 2",
            "   one",
            "  -two",
            "  +TWO",
            "   three",
            "   four",
            "   five",
            "  accept this hunk? [y,n,e,c,a,d,A,q,?] ›",
        ];
        assert_eq!(terminal.rows(), first);
        for (shown, answer) in [
            ("a.txt  hunk 1 of 2  line 2", "y"),
            ("a.txt  hunk 2 of 2  line 6", "n"),
            ("b.txt  hunk 1 of 1  line 2", "a"),
            ("new.txt  a new file", "y"),
        ] {
            terminal.wait_for_text(shown);
            wait_for_question(&mut terminal);
            terminal.line(answer);
        }
        assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
        let files = ["a.txt", "b.txt", "new.txt"].map(|name| scripted.env.read(name));
        assert_eq!(files, ["one\nTWO\nthree\nfour\nfive\nsix\n", "alpha\nBETA\n", "made\n"]);
        assert!(terminal.text().contains("✓ apply_patch Patched 3 files, in part"), "{}", terminal.text());
        expect![[r#"
            The user decided hunk by hunk:
            - `b.txt` line 2: accepted.
            - `a.txt` line 2: accepted.
            - `a.txt` line 6: rejected; the lines are as they were before.
            - `new.txt`: accepted."#]]
        .assert_eq(&scripted.last_model_input(1));
    }
}

/// Accepting all of the first file does not accept the others.
#[test]
fn a_file_is_decided_without_the_others() {
    for place in BOTH {
        let patch = ScriptedTurn::new().call("c1", "apply_patch", json!({ "patchText": PATCH }));
        let scripted = ScriptedEnvironment::with_config(
            [patch, ScriptedTurn::new().text("Done.")],
            json!({ "model": "script/gpt-5" }),
        );
        scripted.env.write("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\n");
        scripted.env.write("b.txt", "alpha\nbeta\n");
        let _up = scripted.start_daemon(place);
        let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
        for (shown, answer) in
            [("a.txt  hunk 1 of 2", "a"), ("b.txt  hunk 1 of 1", "d"), ("new.txt  a new file", "d")]
        {
            terminal.wait_for_text(shown);
            wait_for_question(&mut terminal);
            terminal.line(answer);
        }
        assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
        let files = ["a.txt", "b.txt"].map(|name| scripted.env.read(name));
        assert_eq!(files, ["one\nTWO\nthree\nfour\nfive\nSIX\n", "alpha\nbeta\n"]);
        assert!(!scripted.env.exists("new.txt"));
    }
}
