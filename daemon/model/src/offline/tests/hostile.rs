//! Hostile tool outputs cause no panic, and the turn ends.

use proptest::prelude::*;
use serde_json::json;

use super::conversation::{Conversation, finished, message, numbered};
use crate::offline::{edit_calls, file_lines::FileLines, intent};

const SURE: &str = "MachineApplicable";

#[test]
fn spans_that_do_not_fit_are_left_out() {
    for (start, end) in [
        ((0, 0), (0, 0)),
        ((1, 99), (1, 100)),
        ((2, 1), (1, 1)),
        ((9, 1), (9, 2)),
        ((1, 1), (usize::MAX, usize::MAX)),
        ((usize::MAX, 1), (usize::MAX, 1)),
    ] {
        let output = message("bad", 1, &[(start, end, "x", SURE)]) + &finished(false);
        let read = numbered("é\nb\n");
        let conversation = Conversation::new("fix it").did(&[("bash", json!({}), &output)]).did(&[(
            "read",
            json!({ "filePath": "/p/src/main.rs" }),
            &read,
        )]);
        let next = conversation.next();
        assert!(next.contains("1 error is left"), "{start:?}: {next}");
    }
}

#[test]
fn files_that_are_not_the_projects_are_not_touched() {
    for name in ["/etc/passwd", "../other/src/lib.rs", "a/../../b.rs", ""] {
        let output = message("bad", 1, &[((1, 1), (1, 1), "x", SURE)]).replace("src/main.rs", name);
        let next =
            Conversation::new("fix it").did(&[("bash", json!({}), &(output + &finished(false)))]).next();
        assert!(!next.contains("read {"), "{name}: {next}");
    }
}

#[test]
fn a_compiler_that_never_ends_is_left() {
    let mut conversation = Conversation::new("fix it");
    for round in 0..30 {
        let output = message("bad", 1, &[((1, 1), (1, 1), &format!("{round}"), SURE)]) + &finished(false);
        conversation = conversation.did(&[("bash", json!({}), &output)]);
        if !conversation.next().contains("read {") {
            assert_eq!(round, 8);
            return;
        }
    }
    panic!("it would go on for ever");
}

#[test]
fn huge_and_broken_outputs_are_survived() {
    let huge = format!(
        "[The first 9 bytes are left out.]\n\n{{\"reason\":\"compiler-mess\n{}\n{}",
        "{".repeat(100_000),
        "x\n".repeat(100_000)
    );
    for output in [huge.as_str(), "", "null", "[]", "{\"reason\":\"build-finished\"}", "\u{0}\u{feff}é"] {
        for prompt in ["fix it", "rename a to b", "replace a with b", "find a", "show a", "list"] {
            let calls = ["bash", "read", "grep", "edit", "list"];
            for name in calls {
                Conversation::new(prompt).did(&[(name, json!({ "filePath": "a" }), output)]).next();
                Conversation::new(prompt).failed(&[(name, json!(null), output)]).next();
            }
        }
    }
}

proptest! {
    #[test]
    fn any_sentence_is_read(sentence in "\\PC{0,60}") {
        intent::parse_intent(&sentence);
    }

    #[test]
    fn any_sentence_of_our_words_is_read(words in prop::collection::vec("fix|rename|replace|find|show|list|to|with|in|lines|3-|-|\"|`|a|é", 0..8)) {
        intent::parse_intent(&words.join(" "));
    }

    /// Each edit, applied in turn, finds its one place and makes the requested change.
    #[test]
    fn edits_do_what_was_asked(lines in prop::collection::vec("[ab é]{0,3}", 1..12), places in prop::collection::vec((0usize..12, 0usize..4, 0usize..3), 1..5)) {
        let known: Vec<_> = lines.iter().cloned().map(Some).collect();
        let changes: Vec<_> = places.iter().map(|(line, column, length)| vec![edit_calls::SpanReplacement {
            start: (line + 1, column + 1), end: (line + 1, column + 1 + length), text: "Z".to_owned() }]).collect();
        let (calls, count) = edit_calls::edits("f", &known, &changes);
        let mut text = lines.join("\n");
        let mut made = 0;
        for call in calls {
            let (old, new) = (call.arguments["oldString"].as_str().unwrap(), call.arguments["newString"].as_str().unwrap());
            // The edit before may have changed the only text that told two places apart.
            if text.matches(old).count() == 1 {
                text = text.replacen(old, new, 1);
            }
            made += new.matches('Z').count();
        }
        prop_assert!(made <= count);
        prop_assert!(text.matches('Z').count() <= count);
    }

    #[test]
    fn any_output_is_read_as_a_file(output in "\\PC{0,80}") {
        let conversation = Conversation::new("rename a to b").did(&[("read", json!({ "filePath": "f" }), &output)]);
        let turn = crate::offline::turn::OfflineTurn::from_request(&conversation.request).unwrap();
        let _ = FileLines::from_steps("f", &turn.steps);
        conversation.next();
    }
}
