//! Rename, replace and lookup, step by step.

use expect_test::expect;
use serde_json::json;

use super::conversation::{Conversation, numbered};
use crate::event::ModelEvent;
use crate::model::Model;
use crate::request::ToolChoice;

const FOUND: &str = "a.rs\n  1: count()\n\nb.rs\n  2: // count\n\n(2 lines in 2 files.)";

#[test]
fn a_word_is_renamed_where_it_is_a_word() {
    let grep = ("grep", json!({ "pattern": r"\bcount\b" }), FOUND);
    let asked = Conversation::new("rename count to tally");
    expect![[r#"
        grep {"pattern":"\\bcount\\b"}
    "#]]
    .assert_eq(&asked.next());
    let found = asked.did(&[grep]);
    expect![[r#"
        `count` is in 2 files.
        read {"filePath":"a.rs","offset":1}
        read {"filePath":"b.rs","offset":1}
    "#]]
    .assert_eq(&found.next());
    let read = found.did(&[
        ("read", json!({ "filePath": "a.rs" }), &numbered("count()\nrecount(count, count)\n")),
        ("read", json!({ "filePath": "b.rs" }), &numbered("x\n// count\n")),
    ]);
    expect![[r#"
        edit {"filePath":"a.rs","oldString":"count()","newString":"tally()","replaceAll":false}
        edit {"filePath":"a.rs","oldString":"recount(count, count)","newString":"recount(tally, tally)","replaceAll":false}
        edit {"filePath":"b.rs","oldString":"count","newString":"tally","replaceAll":true}
    "#]].assert_eq(&read.next());
    let edited = read.did(&[("edit", json!({ "filePath": "b.rs" }), "Edited")]);
    expect![[r#"
        grep {"pattern":"\\bcount\\b"}
    "#]]
    .assert_eq(&edited.next());
    let none = "No line in `.` matches";
    expect![[r#"
        Renamed `count` to `tally` in b.rs, wherever it stood as a whole word, in comments and texts too.
        None is left.
    "#]]
    .assert_eq(&edited.did(&[("grep", json!({}), none)]).next());
}

#[test]
fn a_long_file_is_read_to_its_end() {
    let first = "1: count\n\n(Lines 1 to 1 of 2. Go on with offset 2.)";
    let grep = ("grep", json!({}), "a.rs\n  1: count\n\n(1 line in 1 file.)");
    let read = Conversation::new("rename count to n").did(&[grep]).did(&[(
        "read",
        json!({ "filePath": "a.rs" }),
        first,
    )]);
    expect![[r#"
        read {"filePath":"a.rs","offset":2}
    "#]]
    .assert_eq(&read.next());
    let rest = "2: recount\n\n(The file ends here: 2 lines.)";
    expect![[r#"
        edit {"filePath":"a.rs","oldString":"count\nrecount","newString":"n\nrecount","replaceAll":false}
    "#]]
    .assert_eq(&read.did(&[("read", json!({ "filePath": "a.rs" }), rest)]).next());
}

#[test]
fn a_text_is_replaced() {
    let asked = Conversation::new("replace `a.b()` with `c` in src");
    expect![[r#"
        grep {"pattern":"a\\.b\\(\\)","path":"src"}
    "#]]
    .assert_eq(&asked.next());
    expect![[r#"
        `a.b()` is in 2 files.
        edit {"filePath":"a.rs","oldString":"a.b()","newString":"c","replaceAll":true}
        edit {"filePath":"b.rs","oldString":"a.b()","newString":"c","replaceAll":true}
    "#]]
    .assert_eq(&asked.did(&[("grep", json!({}), FOUND)]).next());
    let asked = Conversation::new("replace x with xx").did(&[("grep", json!({}), FOUND)]);
    expect![[r#"
        Replaced `x` with `xx` in a.rs.
    "#]]
    .assert_eq(&asked.did(&[("edit", json!({ "filePath": "a.rs" }), "Edited")]).next());
    expect![[r#"
        Both are the same: there is nothing to do.
    "#]]
    .assert_eq(&Conversation::new("replace x with x").next());
}

/// With the tools' real outputs: some folders are recognised by name, others by their marker files.
#[test]
fn generated_files_are_skipped_and_listed() {
    let found = "node_modules/x/a.js\n  1: count\n\nrooms/one/target/debug/a.d\n  1: count\n\nsrc/target/a.rs\n  1: count\n\n\
                 logo.PNG\n  1: count\n\n(4 lines in 4 files.)";
    let asked = Conversation::new("rename count to tally").did(&[("grep", json!({}), found)]);
    expect![[r#"
        glob {"pattern":"{Cargo.toml,build.sbt,pom.xml,target/CACHEDIR.TAG,target/CMakeCache.txt,target/pyvenv.cfg}","path":"rooms/one"}
        glob {"pattern":"{Cargo.toml,build.sbt,pom.xml,target/CACHEDIR.TAG,target/CMakeCache.txt,target/pyvenv.cfg}","path":"src"}
    "#]].assert_eq(&asked.next());
    let pattern =
        "{Cargo.toml,build.sbt,pom.xml,target/CACHEDIR.TAG,target/CMakeCache.txt,target/pyvenv.cfg}";
    let looked = asked.did(&[
        ("glob", json!({ "pattern": pattern, "path": "rooms/one" }), "rooms/one/Cargo.toml"),
        ("glob", json!({ "pattern": pattern, "path": "src" }), "No file in `src` matches"),
    ]);
    let include = "!node_modules/,!/rooms/one/target/,!*.PNG";
    assert_eq!(
        looked.next(),
        format!("grep {{\"pattern\":\"\\\\bcount\\\\b\",\"include\":\"{include}\"}}\n")
    );
    let mine = "src/target/a.rs\n  1: count\n\n(1 line in 1 file.)";
    let again = looked.did(&[("grep", json!({ "include": include }), mine)]);
    expect![[r#"
        `count` is in 1 file.
        read {"filePath":"src/target/a.rs","offset":1}
    "#]]
    .assert_eq(&again.next());
    let edited = again.did(&[("edit", json!({ "filePath": "src/target/a.rs" }), "Edited")]);
    assert!(edited.next().contains(include), "{}", edited.next());
    expect![[r#"
        Renamed `count` to `tally` in src/target/a.rs, wherever it stood as a whole word, in comments and texts too.
        None is left.
        I have left out what is built or fetched, and what is no text: `node_modules/`, `rooms/one/target/`, `*.PNG`. Name a folder or a file of it if you want it changed.
    "#]].assert_eq(&edited.did(&[("grep", json!({ "include": include }), "No line in `.` matches")]).next());
}

#[test]
fn a_path_that_the_user_named_is_changed() {
    let found = "a/node_modules/x/a.js\n  1: x\n\n(1 line in 1 file.)";
    for path in ["a/node_modules/x/a.js", "a/node_modules", "./a/node_modules/", "/p/a/node_modules/x"] {
        let asked = Conversation::new(&format!("replace `x` with `y` in {path}"));
        let next = asked.did(&[("grep", json!({}), found)]).next();
        assert!(next.contains("edit {\"filePath\":\"a/node_modules/x/a.js\""), "{path}: {next}");
    }
    let next = Conversation::new("replace `x` with `y` in /p/a").did(&[("grep", json!({}), found)]).next();
    assert!(next.contains(r#""include":"!node_modules/""#), "{next}");
}

#[test]
fn a_rejected_change_is_reported_with_file_and_reason() {
    let told = "The user decided hunk by hunk:\n- `a.rs` line 1: accepted.\n\
                - `b.rs` line 2: rejected; the lines are as they were before. They say: It is spoken.\nAnd loud.\n\
                Nothing was changed. Do not try the same again.";
    let edit = ("edit", json!({ "filePath": "b.rs" }), told);
    let asked = Conversation::new("rename count to tally").did(&[("grep", json!({}), FOUND)]);
    expect![[r#"
        I have stopped, as you decided:
        - `b.rs` line 2: rejected; the lines are as they were before. You said: It is spoken.
          And loud.
    "#]]
    .assert_eq(&asked.failed(std::slice::from_ref(&edit)).next());
    // The user accepted a part: the call did not fail, and the rest is not tried again.
    let asked = Conversation::new("rename count to tally").did(&[("grep", json!({}), FOUND)]);
    expect![[r#"
        Renamed `count` to `tally` in b.rs, wherever it stood as a whole word, in comments and texts too.
        I have stopped, as you decided:
        - `b.rs` line 2: rejected; the lines are as they were before. You said: It is spoken.
          And loud.
    "#]]
    .assert_eq(&asked.did(&[edit]).next());
    let asked = Conversation::new("replace a with b").did(&[("grep", json!({}), FOUND)]);
    expect![[r#"
        I have stopped: it is read-only (`b.rs` could not be changed)
    "#]]
    .assert_eq(&asked.failed(&[("edit", json!({ "filePath": "b.rs" }), "it is read-only")]).next());
}

#[test]
fn matches_are_shown() {
    expect![[r#"
        grep {"pattern":"a\\*b"}
    "#]]
    .assert_eq(&Conversation::new("find a*b").next());
    expect![[r#"
        a.rs
          1: count()

        b.rs
          2: // count

        (2 lines in 2 files.)
    "#]]
    .assert_eq(&Conversation::new("find x").did(&[("grep", json!({}), FOUND)]).next());
    expect![[r#"
        `x` is nowhere. (Files that git ignores are passed over.)
    "#]]
    .assert_eq(
        &Conversation::new("find x").did(&[("grep", json!({}), "No line in `.` matches `x`.")]).next(),
    );
    expect![[r#"
        read {"filePath":"a.rs","offset":3,"limit":3}
    "#]]
    .assert_eq(&Conversation::new("show a.rs lines 3-5").next());
    expect![[r#"
        I have stopped: `a.rs` does not exist.
    "#]]
    .assert_eq(
        &Conversation::new("show a.rs").failed(&[("read", json!({}), "`a.rs` does not exist.")]).next(),
    );
    expect![[r#"
        list {"path":"src"}
    "#]]
    .assert_eq(&Conversation::new("list src").next());
}

#[test]
fn the_last_prompt_counts_and_a_remark_amid_work_does_not() {
    let work = Conversation::new("find x").did(&[("grep", json!({}), FOUND)]);
    assert_eq!(
        work.next(),
        Conversation::new("find x").did(&[("grep", json!({}), FOUND)]).user("A hunk was rejected.").next()
    );
    expect![[r#"
        list {}
    "#]]
    .assert_eq(&work.user("list").next());
}

#[test]
fn it_gives_no_titles() {
    let mut asked = Conversation::new("find x");
    asked.request.tool_choice = ToolChoice::None;
    assert_eq!(asked.next(), "");
}

/// As with any model's stream: parts start, grow and end, and a finish event comes last.
#[tokio::test]
async fn it_is_heard_like_any_model() {
    let mut events = Model::offline().stream(&Conversation::new("fix it").request).unwrap();
    let mut kinds = Vec::new();
    while let Some(event) = events.next().await {
        kinds.push(match event.unwrap() {
            ModelEvent::PartStarted { part, .. } => format!("started {part}"),
            ModelEvent::PartDelta { part, .. } => format!("delta {part}"),
            ModelEvent::PartEnded { part, .. } => format!("ended {part}"),
            ModelEvent::Retry(_) => "retry".to_owned(),
            ModelEvent::Finished(finish) => format!("{:?} {:?}", finish.reason, finish.cost),
        });
    }
    expect!["started 0, delta 0, ended 0, started 1, delta 1, ended 1, Calls Some(0.0)"]
        .assert_eq(&kinds.join(", "));
}
