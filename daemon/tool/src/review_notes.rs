//! Words for the model about the user's review decisions: one line for each, and the text if the model cannot know it.

use std::fmt::Write as _;

use copydesk_workspace::reviews::{FeedbackItem, FeedbackKind, ReviewFeedback};

/// The caps on a quoted text.
const MAX_QUOTED_LINES: usize = 40;
const MAX_QUOTED_BYTES: usize = 4000;
/// The cap on files that a note names.
const MAX_NAMED_FILES: usize = 20;

/// One note about everything since the model's last step; none if nothing happened.
pub fn review_note(feedback: &ReviewFeedback, changed: &[String]) -> Option<String> {
    if feedback.is_empty() && changed.is_empty() {
        return None;
    }
    let mut note = String::new();
    if !feedback.is_empty() {
        note.push_str("What the user did with your edits since your last step:\n");
        if feedback.left_out > 0 {
            let _ = writeln!(note, "- {} older decisions are left out here.", feedback.left_out);
        }
        feedback.items.iter().for_each(|item| write_item(&mut note, item));
    }
    if !changed.is_empty() {
        let files = changed.iter().take(MAX_NAMED_FILES).map(String::as_str).collect::<Vec<_>>().join("`, `");
        let more = match changed.len().saturating_sub(MAX_NAMED_FILES) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let _ = writeln!(note, "Changed since you last read them, but not by you: `{files}`{more}.");
    }
    Some(note.trim_end().to_owned())
}

/// What became of one call, hunk by hunk.
pub(crate) fn decision_lines(items: &[FeedbackItem]) -> String {
    let mut lines = String::new();
    items.iter().for_each(|item| write_item(&mut lines, item));
    lines.trim_end().to_owned()
}

// The offline model looks for "- ", "rejected;" and " They say: " in these lines (`offline/advice.rs`).
fn write_item(out: &mut String, item: &FeedbackItem) {
    let _ = write!(out, "- {}: {}", format_location(item), describe_outcome(item));
    match &item.comment {
        Some(comment) if item.happened == FeedbackKind::Commented => {
            let _ = write!(out, " {}", comment.trim());
        }
        Some(comment) => {
            let _ = write!(out, " They say: {}", comment.trim());
        }
        None => {}
    }
    out.push('\n');
    if let Some(text) = &item.text {
        write_quote(out, text);
    }
}

fn format_location(item: &FeedbackItem) -> String {
    let FeedbackItem { shown, line, lines, .. } = item;
    match (line, lines) {
        (0, _) => format!("`{shown}`"),
        (_, 0 | 1) => format!("`{shown}` line {line}"),
        _ => format!("`{shown}` lines {line}-{}", line + lines - 1),
    }
}

fn describe_outcome(item: &FeedbackItem) -> &'static str {
    match item.happened {
        FeedbackKind::Accepted => "accepted.",
        FeedbackKind::AcceptedEdited if item.partly => {
            "only a part of it was accepted; read the place again."
        }
        FeedbackKind::AcceptedEdited => "accepted with the user's own changes; it now reads:",
        FeedbackKind::Rejected if item.partly => "a part of it was rejected; read the place again.",
        FeedbackKind::Rejected if item.line == 0 => "rejected; the file is as it was before.",
        FeedbackKind::Rejected => "rejected; the lines are as they were before.",
        FeedbackKind::Edited => "not decided yet, and changed by the user; it now reads:",
        FeedbackKind::Open => "not decided yet.",
        FeedbackKind::Commented => "the user says:",
        FeedbackKind::Lost => {
            "the user or another program changed these lines before a decision; your text may be gone:"
        }
    }
}

fn write_quote(out: &mut String, text: &str) {
    let mut left = MAX_QUOTED_BYTES;
    for (number, line) in text.lines().enumerate() {
        if number == MAX_QUOTED_LINES || line.len() > left {
            out.push_str("  … (more than is shown)\n");
            return;
        }
        left -= line.len();
        let _ = writeln!(out, "  {line}");
    }
    if text.is_empty() {
        out.push_str("  (nothing)\n");
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn item(line: usize, lines: usize, happened: FeedbackKind) -> FeedbackItem {
        let shown = "src/a.rs".to_owned();
        FeedbackItem {
            shown,
            line,
            lines,
            happened,
            partly: false,
            comment: None,
            text: None,
            by: Vec::new(),
        }
    }

    #[test]
    fn a_note_is_a_line_for_each_and_the_text_where_it_is_new() {
        let comment = |text: &str| Some(text.to_owned());
        let items = [
            item(3, 1, FeedbackKind::Accepted),
            FeedbackItem { comment: comment("Keep the name."), ..item(7, 2, FeedbackKind::Rejected) },
            FeedbackItem { text: comment("let a = 1;\nlet b = 2;\n"), ..item(12, 2, FeedbackKind::Edited) },
            FeedbackItem { text: comment(""), ..item(14, 0, FeedbackKind::AcceptedEdited) },
            FeedbackItem { partly: true, ..item(15, 4, FeedbackKind::AcceptedEdited) },
            FeedbackItem {
                comment: comment("Why?"),
                text: comment("fn f() {}"),
                ..item(20, 1, FeedbackKind::Commented)
            },
            item(0, 0, FeedbackKind::Rejected),
            item(30, 9, FeedbackKind::Open),
        ];
        let feedback = ReviewFeedback { items: items.into(), left_out: 2 };
        expect![[r#"
            What the user did with your edits since your last step:
            - 2 older decisions are left out here.
            - `src/a.rs` line 3: accepted.
            - `src/a.rs` lines 7-8: rejected; the lines are as they were before. They say: Keep the name.
            - `src/a.rs` lines 12-13: not decided yet, and changed by the user; it now reads:
              let a = 1;
              let b = 2;
            - `src/a.rs` line 14: accepted with the user's own changes; it now reads:
              (nothing)
            - `src/a.rs` lines 15-18: only a part of it was accepted; read the place again.
            - `src/a.rs` line 20: the user says: Why?
              fn f() {}
            - `src/a.rs`: rejected; the file is as it was before.
            - `src/a.rs` lines 30-38: not decided yet.
            Changed since you last read them, but not by you: `b.rs`, `c.rs`."#]]
        .assert_eq(&review_note(&feedback, &["b.rs".to_owned(), "c.rs".to_owned()]).unwrap());
        assert_eq!(review_note(&ReviewFeedback::default(), &[]), None);
        expect!["Changed since you last read them, but not by you: `b.rs`."]
            .assert_eq(&review_note(&ReviewFeedback::default(), &["b.rs".to_owned()]).unwrap());
        let many: Vec<_> = (0..99).map(|file| format!("{file}.rs")).collect();
        let note = review_note(&ReviewFeedback::default(), &many).unwrap();
        assert!(note.ends_with("`19.rs`, and 79 more."), "{note}");
    }

    #[test]
    fn a_long_text_is_cut() {
        let text = "x\n".repeat(1000);
        let note =
            decision_lines(&[FeedbackItem { text: Some(text), ..item(1, 1000, FeedbackKind::Edited) }]);
        assert_eq!(note.lines().count(), MAX_QUOTED_LINES + 2);
        assert!(note.ends_with("… (more than is shown)"), "{note}");
    }
}
