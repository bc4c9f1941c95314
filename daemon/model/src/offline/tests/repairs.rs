//! Repairs, step by step.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::conversation::{Conversation, Suggested, finished, message, numbered};

const FILE: &str = "/p/src/main.rs";
const SURE: &str = "MachineApplicable";
const GUESS: &str = "MaybeIncorrect";

fn check(output: &str) -> (&'static str, Value, &str) {
    ("bash", json!({ "command": "cargo check" }), output)
}

fn checked(suggestions: &[Suggested<'_>]) -> String {
    message("broken", 2, suggestions) + &finished(false)
}

#[track_caller]
fn edits(text: &str, messages: &str, expected: &Expect) {
    let read = numbered(text);
    let conversation = Conversation::new("fix it")
        .did(&[check(&format!("{messages}{}", finished(false)))])
        .did(&[("read", json!({ "filePath": FILE, "offset": 1 }), &read)]);
    expected.assert_eq(&conversation.next());
}

#[test]
fn it_asks_the_compiler_first() {
    expect![[r#"
        I ask the compiler what is wrong.
        bash {"command":"cargo check --quiet --message-format=json","timeout":600000,"description":"Check the project with cargo"}
    "#]].assert_eq(&Conversation::new("fix it").next());
    expect![[r#"
        I ask the compiler what is wrong.
        bash {"command":"cargo check --tests --quiet --message-format=json","timeout":600000,"description":"Check the project with cargo"}
    "#]].assert_eq(&Conversation::new("fix the tests").next());
}

#[test]
fn it_reads_what_it_will_change() {
    let output = checked(&[((2, 1), (2, 1), "mut ", SURE)]);
    expect![[r#"
        The compiler reports 1 error. For these the compiler knows the repair:
        - src/main.rs:2: broken → do this
        read {"filePath":"/p/src/main.rs","offset":1}
    "#]]
    .assert_eq(&Conversation::new("fix it").did(&[check(&output)]).next());
}

#[test]
fn an_edit_has_enough_around_it_to_be_the_only_place() {
    let sure = |start, end, text| message("broken", 2, &[(start, end, text, SURE)]);
    edits(
        "a\nb c\nd\n",
        &sure((2, 3), (2, 4), "C"),
        &expect![[r#"
        edit {"filePath":"/p/src/main.rs","oldString":"b c","newString":"b C","replaceAll":false}
    "#]],
    );
    edits(
        "x\ny\nx\nz\n",
        &sure((3, 1), (3, 2), "X"),
        &expect![[r#"
        edit {"filePath":"/p/src/main.rs","oldString":"y\nx","newString":"y\nX","replaceAll":false}
    "#]],
    );
    edits(
        "äöü\nß = 1\n",
        &sure((2, 1), (2, 2), "ss"),
        &expect![[r#"
        edit {"filePath":"/p/src/main.rs","oldString":"ß = 1","newString":"ss = 1","replaceAll":false}
    "#]],
    );
    edits(
        "a\nb\nc\n",
        &sure((2, 1), (3, 1), ""),
        &expect![[r#"
        edit {"filePath":"/p/src/main.rs","oldString":"b\nc","newString":"c","replaceAll":false}
    "#]],
    );
    let two = sure((1, 1), (1, 1), "1") + &message("other", 3, &[((3, 1), (3, 2), "3", SURE)]);
    edits(
        "a\nb\nc\n",
        &two,
        &expect![[r#"
        edit {"filePath":"/p/src/main.rs","oldString":"a","newString":"1a","replaceAll":false}
        edit {"filePath":"/p/src/main.rs","oldString":"c","newString":"3","replaceAll":false}
    "#]],
    );
    let overlapping = sure((1, 1), (1, 3), "1") + &message("other", 3, &[((1, 2), (1, 4), "3", SURE)]);
    edits(
        "abcd\n",
        &overlapping,
        &expect![[r#"
        edit {"filePath":"/p/src/main.rs","oldString":"abcd","newString":"1cd","replaceAll":false}
    "#]],
    );
}

#[test]
fn certain_fixes_come_before_guesses_and_alternatives_are_skipped() {
    let guess = message("guess", 1, &[((1, 1), (1, 1), "g", GUESS)]);
    let sure = message("sure", 2, &[((2, 1), (2, 1), "s", SURE)]);
    edits(
        "a\nb\n",
        &format!("{guess}{sure}"),
        &expect![[r#"
        edit {"filePath":"/p/src/main.rs","oldString":"b","newString":"sb","replaceAll":false}
    "#]],
    );
    edits(
        "a\nb\n",
        &guess,
        &expect![[r#"
        edit {"filePath":"/p/src/main.rs","oldString":"a","newString":"ga","replaceAll":false}
    "#]],
    );
    let choice = message("choice", 1, &[((1, 1), (1, 1), "g", GUESS), ((2, 1), (2, 1), "h", GUESS)]);
    let placeholder = message("placeholder", 1, &[((1, 1), (1, 1), "/* value */", "HasPlaceholders")]);
    let output = format!("{choice}{placeholder}{}", finished(false));
    expect![[r#"
        2 errors are left that I cannot repair:
        - src/main.rs:1: choice (E0001)
        - src/main.rs:1: placeholder (E0001)

        This needs somebody who understands the code: you, or a real model (`copydesk auth add anthropic`, or a local one; `copydesk models` lists them).
    "#]].assert_eq(&Conversation::new("fix it").did(&[check(&output)]).next());
}

#[test]
fn it_ends_when_nothing_changes_or_all_is_well() {
    let output = checked(&[((2, 1), (2, 1), "mut ", SURE)]);
    let edited = || {
        Conversation::new("fix it")
            .did(&[check(&output)])
            .did(&[("read", json!({ "filePath": FILE }), "1: a\n2: b\n")])
            .did(&[("edit", json!({ "filePath": FILE }), "Edited")])
    };
    expect![[r#"
        I ask the compiler again.
        bash {"command":"cargo check --quiet --message-format=json","timeout":600000,"description":"Check the project with cargo"}
    "#]].assert_eq(&edited().next());
    expect![[r#"
        Done, as the compiler suggested:
        - src/main.rs:2: broken → do this

        1 error is left that I cannot repair:
        - src/main.rs:2: broken (E0001)

        This needs somebody who understands the code: you, or a real model (`copydesk auth add anthropic`, or a local one; `copydesk models` lists them).
    "#]].assert_eq(&edited().did(&[check(&output)]).next());
    let unsaved =
        format!("{output}\n(Not saved in the editor, so the command saw another text of: src/main.rs)");
    expect![[r#"
        Done, as the compiler suggested:
        - src/main.rs:2: broken → do this

        The compiler reads the disk, and your editor has not saved src/main.rs yet. Save, and ask me again.
    "#]]
    .assert_eq(&edited().did(&[check(&unsaved)]).next());
    expect![[r#"
        Done, as the compiler suggested:
        - src/main.rs:2: broken → do this

        It compiles now.
    "#]]
    .assert_eq(&edited().did(&[check(&finished(true))]).next());
    expect![[r#"
        It compiles; the compiler has nothing that I could repair.
    "#]]
    .assert_eq(&Conversation::new("fix it").did(&[check(&finished(true))]).next());
}

#[test]
fn a_no_is_a_no() {
    let output = checked(&[((2, 1), (2, 1), "mut ", SURE)]);
    let no = "The user said no: not like this";
    let refused = Conversation::new("fix it").did(&[check(&output)]);
    let refused = refused.did(&[("read", json!({ "filePath": FILE }), "1: a\n2: b\n")]);
    let refused = refused.failed(&[("edit", json!({ "filePath": FILE }), no)]);
    expect![[r#"
        I have stopped: The user said no: not like this
    "#]]
    .assert_eq(&refused.next());
    expect![[r#"
        For this I would need the tool `bash`, which I am not allowed to use here. I have stopped.
    "#]]
    .assert_eq(&Conversation::new("fix it").without("bash").next());
    expect![[r#"
        I have stopped: A rule forbids this (`bash`).
    "#]]
    .assert_eq(&Conversation::new("fix it").failed(&[check("A rule forbids this (`bash`).")]).next());
}

#[test]
fn without_a_project_cargo_is_quoted() {
    let said =
        "error: could not find `Cargo.toml` in `/p` or any parent directory\n\n(exit code 101 after 0.0 s)";
    expect![[r#"
        cargo could not check this. It says:
        error: could not find `Cargo.toml` in `/p` or any parent directory
    "#]]
    .assert_eq(&Conversation::new("fix it").did(&[check(said)]).next());
}

/// The user rejected one fix, not the whole repair: the model continues, does not propose the fix again, and
/// says that the user rejected it.
#[test]
fn a_repair_that_is_rejected_is_not_tried_again() {
    let output = checked(&[((2, 1), (2, 1), "mut ", SURE)]);
    let read = numbered("a\nb\n");
    let told = "The user decided hunk by hunk:\n- `src/main.rs` line 2: rejected; the lines are as they were before. \
                They say: It is meant so.\nNothing was changed. Do not try the same again.";
    let arguments = json!({ "filePath": FILE, "oldString": "b", "newString": "mut b", "replaceAll": false });
    let other = message("other", 1, &[((1, 1), (1, 2), "c", SURE)]) + &output;
    let rejected = Conversation::new("fix it")
        .did(&[check(&other)])
        .did(&[("read", json!({ "filePath": FILE, "offset": 1 }), &read)])
        .failed(&[("edit", arguments, told)]);
    let again =
        rejected.did(&[check(&output)]).did(&[("read", json!({ "filePath": FILE, "offset": 1 }), &read)]);
    expect![[r#"
        Not done, as you decided:
        - `src/main.rs` line 2: rejected; the lines are as they were before. You said: It is meant so.
        1 error is left:
        - src/main.rs:2: broken (E0001)

        This needs somebody who understands the code: you, or a real model (`copydesk auth add anthropic`, or a local one; `copydesk models` lists them).
    "#]].assert_eq(&again.next());
}
