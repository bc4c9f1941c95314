//! Properties of every text and every patch of it.

use std::collections::HashMap;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::{HunkErrorKind, PatchAction, PatchError, PatchFileErrorKind, PatchStep, parse, plan, update};
use crate::replace::LineFold;
use crate::{Diff, LineTag, diff};

/// How a text is written.
#[derive(Debug, Clone, Copy)]
struct PatchTextStyle {
    newline: &'static str,
    ended: bool,
    /// Whether the patch itself has `\r\n`.
    crlf_patch: bool,
    context: usize,
}

fn manner() -> impl Strategy<Value = PatchTextStyle> {
    (prop_oneof![Just("\n"), Just("\r\n")], any::<bool>(), any::<bool>(), 1usize..4).prop_map(
        |(newline, ended, crlf_patch, context)| PatchTextStyle { newline, ended, crlf_patch, context },
    )
}

fn text(lines: &[String], manner: PatchTextStyle) -> String {
    let end = if manner.ended && !lines.is_empty() { manner.newline } else { "" };
    lines.join(manner.newline) + end
}

/// Per line: keep, delete, rewrite, or insert another before it.
fn edits() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop_oneof![6 => Just(0u8), 1 => 1u8..4], 2..40)
}

/// The lines before and after.
fn edited(edits: &[u8], old: impl Fn(usize) -> String) -> (Vec<String>, Vec<String>) {
    let mut new = Vec::new();
    for (index, edit) in edits.iter().enumerate() {
        match edit {
            0 => new.push(old(index)),
            1 => {}
            2 => new.push(format!("new {index}")),
            _ => new.extend([format!("    more {index}"), old(index)]),
        }
    }
    ((0..edits.len()).map(old).collect(), new)
}

/// The patch for a diff, its lines written by `write`.
fn patch(diff: &Diff<'_>, manner: PatchTextStyle, write: impl Fn(LineTag, &str) -> String) -> String {
    let mut patch = "*** Begin Patch\n*** Update File: f\n".to_owned();
    for hunk in &diff.hunks {
        patch.push_str("@@\n");
        for (tag, line) in &hunk.lines {
            let line = line.trim_end_matches(['\n', '\r']);
            let sign = match tag {
                LineTag::Equal => ' ',
                LineTag::Delete => '-',
                LineTag::Insert => '+',
            };
            patch.push(sign);
            patch.push_str(&write(*tag, line));
            patch.push('\n');
        }
    }
    patch.push_str("*** End Patch\n");
    if manner.crlf_patch { patch.replace('\n', "\r\n") } else { patch }
}

/// The text after the patch.
fn applied(old: &str, patch: &str) -> Result<String, PatchError> {
    let patch = parse(patch)?;
    match plan(&patch, |_| Some(old))?.as_slice() {
        [PatchStep::Edit { change, .. }] => Ok(change.apply(old).unwrap()),
        steps => panic!("{steps:?}"),
    }
}

fn only_indentation(error: &PatchError) -> bool {
    let PatchError::Files(misfits) = error else { return false };
    let mut errors = misfits.iter().flat_map(|misfit| match &misfit.why {
        PatchFileErrorKind::Hunks(errors) => errors.as_slice(),
        _ => &[],
    });
    !misfits.is_empty() && errors.all(|error| matches!(error.why, HunkErrorKind::Unclear { .. }))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1000,
        rng_seed: RngSeed::Fixed(20261115),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_patch_of_distinct_lines_gives_the_new_text(edits in edits(), manner in manner()) {
        let (old, new) = edited(&edits, |index| format!("  line {index}"));
        let (old, new) = (text(&old, manner), text(&new, manner));
        prop_assume!(old != new);
        let source = patch(&diff(&old, &new, manner.context), manner, |_, line| line.to_owned());
        prop_assert_eq!(applied(&old, &source), Ok(new), "{}", source);
    }

    #[test]
    fn where_lines_repeat_the_text_is_right_or_the_patch_refused(
        edits in edits(), names in prop::collection::vec("[ab}]|", 40), manner in manner(),
    ) {
        let (old, new) = edited(&edits, |index| names[index].clone());
        // A blank last line without an ending does not exist.
        let manner = PatchTextStyle { ended: true, ..manner };
        let (old, new) = (text(&old, manner), text(&new, manner));
        prop_assume!(old != new);
        let source = patch(&diff(&old, &new, manner.context), manner, |_, line| line.to_owned());
        if let Ok(ours) = applied(&old, &source) {
            prop_assert_eq!(ours, new, "{}", source);
        }
    }

    #[test]
    fn blanks_that_a_model_changes_throughout_do_not_matter(
        edits in edits(), manner in manner(), depths in prop::collection::vec((0usize..3, 0usize..2), 40),
        dedent in 0usize..5, tabs in any::<bool>(), trailing in any::<bool>(),
    ) {
        // The file is indented by four and more; the model removes some of it, or writes tabs.
        let (old, new) = edited(&edits, |index| {
            let (depth, blanks) = depths[index];
            format!("{}line {index}{}", "    ".repeat(depth + 1), " ".repeat(blanks))
        });
        let new: Vec<_> = new.into_iter().map(|line| {
            if line.starts_with("new") { format!("        {line}") } else { line }
        }).collect();
        let (old, new) = (text(&old, manner), text(&new, manner));
        prop_assume!(old != new);
        let source = patch(&diff(&old, &new, manner.context), manner, |tag, line| {
            let line = line.get(dedent.min(4)..).unwrap();
            let line = if tabs && dedent == 0 { line.replace("    ", "\t") } else { line.to_owned() };
            match tag {
                LineTag::Insert => line,
                _ if trailing => format!("{} ", line.trim_end()),
                _ => line.trim_end().to_owned(),
            }
        });
        match applied(&old, &source) {
            Ok(ours) => prop_assert_eq!(ours, new, "{}", source),
            // Four columns instead of eight: all shifted by four, or all half as deep. Lines of one depth do not show how
            // wide a tab is.
            Err(error) => prop_assert!((dedent > 0 || tabs) && only_indentation(&error), "{error}\n{source}"),
        }
    }

    #[test]
    fn any_patch_deletes_only_what_it_shows(
        text in "([ab\u{201c}\" ]{0,2}(\r\n|\n|\r)){0,12}[ab]?",
        lines in prop::collection::vec(
            prop_oneof!["[-+ ][ab\"]{0,2}", Just("@@".to_owned()), "@@ [ab]", Just("*** End of File".to_owned())], 0..12),
    ) {
        let source = format!("*** Begin Patch\n*** Update File: f\n{}\n*** End Patch", lines.join("\n"));
        let Ok(patch) = parse(&source) else { return Ok(()) };
        let PatchAction::Update { hunks, .. } = &patch.sections[0].action else { return Ok(()) };
        let Ok(updated) = update(&text, hunks) else { return Ok(()) };
        let new = updated.change.apply(&text).unwrap();
        let mut count: HashMap<String, isize> = HashMap::new();
        let mut add = |line: &str, by: isize| *count.entry(LineFold::Quotes.key(line).trim().to_owned()).or_default() += by;
        text.lines().for_each(|line| add(line, -1));
        new.lines().for_each(|line| add(line, 1));
        let shown = hunks.iter().flat_map(|hunk| &hunk.lines);
        shown.filter(|line| line.0 == LineTag::Delete).for_each(|line| add(line.1, 1));
        prop_assert!(count.values().all(|left| *left >= 0), "{:?}\n{}", new, source);
        let ended = |text: &str| text.is_empty() || text.ends_with('\n');
        let blank = new.lines().next_back().is_none_or(str::is_empty);
        prop_assert!(ended(&new) == ended(&text) || blank, "{:?}\n{}", new, source);
    }

    #[test]
    fn anything_is_read_or_refused(text in "((\\*\\*\\* )?(Begin Patch|End Patch|Add File: |Update File: a|@@|[-+ ]|\\PC|\0)?\r?\n?){0,20}") {
        if let Ok(patch) = parse(&text) {
            drop(plan(&patch, |_| Some("a\nb\n")));
        }
        let whole = format!("*** Begin Patch\n{text}\n*** End Patch");
        if let Ok(patch) = parse(&whole) {
            drop(plan(&patch, |_| None));
        }
    }
}
