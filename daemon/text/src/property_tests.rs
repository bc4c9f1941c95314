//! Properties of every text.

use proptest::prelude::*;

use crate::{
    Change, Diff, FileText, KeepSide, LineEnding, LineTag, MatchTier, MatchedChange, PageEndReason,
    PageRequest, TruncateLimits, diff, read_page, replace, truncate,
};

/// Texts of few different lines, so that much is equal and repeats.
fn text(newline: &'static str) -> impl Strategy<Value = String> {
    let line = prop_oneof!["[ab]{0,3}", Just("é ".to_owned()), Just("}".to_owned())];
    (prop::collection::vec(line, 0..12), any::<bool>()).prop_map(move |(lines, ended)| {
        let end = if ended && !lines.is_empty() { newline } else { "" };
        lines.join(newline) + end
    })
}

/// Any file content, above all line endings.
fn wild() -> impl Strategy<Value = String> {
    let piece = prop_oneof!["\r\n", "\n", "\r", "[a-c]{1,3}", "é", "\u{feff}", "\\PC"];
    prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

/// Lines with both endings, and no lone `\r`.
fn mixed() -> impl Strategy<Value = String> {
    let piece = prop_oneof!["\r\n", "\n", "[ab]{1,2}", "é "];
    prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

/// The new text, built from the old one and the hunks alone.
fn applied(old: &str, diff: &Diff<'_>) -> String {
    let old: Vec<_> = old.split_inclusive('\n').collect();
    let mut new = String::new();
    let mut at = 0;
    for hunk in &diff.hunks {
        let first = if hunk.old_lines == 0 { hunk.old_start } else { hunk.old_start - 1 };
        new.push_str(&old[at..first].concat());
        at = first;
        assert_eq!(hunk.new_start - usize::from(hunk.new_lines > 0), new.split_inclusive('\n').count());
        for (tag, line) in &hunk.lines {
            if *tag != LineTag::Insert {
                assert_eq!(old[at], *line);
                at += 1;
            }
            if *tag != LineTag::Delete {
                new.push_str(line);
            }
        }
    }
    new + &old[at..].concat()
}

fn crlf(text: &str) -> String {
    text.replace('\n', "\r\n")
}

proptest! {
    #[test]
    fn a_file_is_written_as_it_was_read(text in wild()) {
        let file = FileText::decode(text.clone().into_bytes()).unwrap();
        prop_assert_eq!(file.encode(), text.as_bytes());
        prop_assert_eq!(file.line_ending(), LineEnding::detect(file.text()));
    }

    #[test]
    fn bytes_are_decoded_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..50)) {
        match FileText::decode(bytes.clone()) {
            Ok(file) => prop_assert_eq!(file.encode(), bytes),
            Err(_) => prop_assert!(String::from_utf8(bytes).is_err()),
        }
    }

    #[test]
    fn a_change_makes_the_new_text_and_stays_apart(old in wild(), new in wild()) {
        let change = Change::between(&old, &new);
        prop_assert_eq!(&change.apply(&old).unwrap(), &new);
        for most in 1..4 {
            let joined = change.joined(&old, most).unwrap();
            prop_assert!(joined.edits().len() <= most && joined.apply(&old).unwrap() == new);
        }
        let mut end = None;
        for edit in change.edits() {
            prop_assert!(end.is_none_or(|end| end < edit.range.start) && edit.range.start <= edit.range.end);
            for at in [edit.range.start, edit.range.end] {
                prop_assert!(!(old[..at].ends_with('\r') && old[at..].starts_with('\n')), "inside a line break");
            }
            end = Some(edit.range.end);
        }
    }

    /// Compares with the naive way: search and replace in a text with `\n`, then convert all endings to the
    /// file's.
    #[test]
    fn replacing_is_what_it_seems(text in text("\n"), old in text("\n"), new in text("\n"), all: bool) {
        let count = text.matches(&*old).count();
        for (file, new_given) in [(text.clone(), new.clone()), (crlf(&text), new.clone()), (text.clone(), crlf(&new))] {
            let replaced = replace(&file, &old, &new_given, all);
            let exact = replaced.as_ref().is_ok_and(|replaced| replaced.tier == MatchTier::Exact);
            let result = replaced.map(|replaced| replaced.change.apply(&file).unwrap());
            if old == new || old.trim().is_empty() || (count > 1 && !all) {
                prop_assert!(result.is_err());
            } else if count == 0 {
                prop_assert!(!exact);
            } else if let Ok(result) = result {
                let expected = text.replace(&*old, &new);
                let expected = match LineEnding::detect(&file) {
                    LineEnding::Crlf => crlf(&expected),
                    LineEnding::None => file.replace(&*old, &new_given),
                    _ => expected,
                };
                prop_assert_eq!(result, expected);
            } else {
                let place = text.find(&*old).unwrap();
                let next = place + old.chars().next().unwrap().len_utf8();
                prop_assert!(!all && text[next..].contains(&*old), "refused without a second place");
            }
        }
    }

    /// With `\n` alone it is a plain replacement, and only replaced line breaks change their kind.
    #[test]
    fn replacing_keeps_mixed_endings(text in mixed(), old in text("\n"), new in text("\n")) {
        if let Ok(MatchedChange { change, tier: MatchTier::Exact }) = replace(&text, &old, &new, true) {
            let flat = text.replace("\r\n", "\n");
            let result = change.apply(&text).unwrap();
            prop_assert_eq!(result.replace("\r\n", "\n"), flat.replace(&*old, &new));
            if !old.contains('\n') && !new.contains('\n') {
                prop_assert_eq!(result.matches("\r\n").count(), text.matches("\r\n").count());
            }
        }
    }

    #[test]
    fn replacing_comes_to_an_end_whatever_is_given(text in wild(), old in wild(), new in wild(), all: bool) {
        match replace(&text, &old, &new, all) {
            Ok(replaced) => prop_assert!(replaced.change.apply(&text).is_ok()),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn hunks_applied_to_the_old_text_give_the_new_one(
        old in text("\n"), new in text("\n"), context in 0..4_usize, around in 0..100_usize
    ) {
        let around = "a\n}\n".repeat(around);
        let (old, new) = (format!("{around}{old}{around}"), format!("{around}{new}{around}"));
        let diff = diff(&old, &new, context);
        prop_assert_eq!(&applied(&old, &diff), &new);
        let unified = diff.to_unified(TruncateLimits::default());
        prop_assert_eq!(unified.lines().filter(|line| line.starts_with('+')).count(), diff.additions);
        prop_assert_eq!(unified.lines().filter(|line| line.starts_with('-')).count(), diff.deletions);
    }

    #[test]
    fn hunks_of_a_change_give_the_new_text(
        old in wild(), new in wild(), context in 0..4_usize, lines in 0..100_usize
    ) {
        let lines = "a\n}\n".repeat(lines);
        let (old, new) = (format!("{lines}{old}{lines}"), format!("{lines}{new}{lines}"));
        let around = Change::between(&old, &new);
        let around = around.excerpt(&old).unwrap();
        prop_assert_eq!(&applied(&old, &around.diff(context)), &new);
    }

    #[test]
    fn what_is_kept_is_an_end_of_the_output_within_the_limits(
        text in wild(), lines in 0..6_usize, bytes in 0..30_usize, tail: bool
    ) {
        let keep = if tail { KeepSide::Tail } else { KeepSide::Head };
        let cut = truncate(&text, TruncateLimits { lines, bytes }, keep);
        prop_assert!(cut.text.len() <= bytes && cut.text.split_inclusive('\n').count() <= lines);
        prop_assert_eq!(cut.omitted_bytes, text.len() - cut.text.len());
        let (starts, ends) = (text.starts_with(cut.text), text.ends_with(cut.text));
        prop_assert!(starts && !tail || ends && tail);
        prop_assert!(!cut.text.is_empty() || text.is_empty() || lines == 0 || bytes < 4 || text.contains('\n'));
    }

    #[test]
    fn reading_page_after_page_sees_every_line_once(text in wild(), limit in 1..4_usize, bytes in 4..40_usize) {
        let (mut offset, mut seen) = (1, 0);
        loop {
            let view = PageRequest { offset, limit, line_chars: 5, bytes };
            let page = read_page(&text, &view).unwrap();
            prop_assert!(page.text.len() <= bytes);
            prop_assert_eq!((page.first, page.total), (offset, text.lines().count()));
            seen += (page.last + 1).saturating_sub(page.first);
            prop_assert!(page.end_reason != PageEndReason::EndOfText || page.last == page.total);
            if page.last == page.total {
                break;
            }
            offset = page.last + 1;
        }
        prop_assert_eq!(seen, text.lines().count());
    }
}
