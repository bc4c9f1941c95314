//! Any text as a patch is parsed or rejected; a parsed patch is planned or rejected; and a plan deletes no line that the
//! patch does not show.
#![no_main]

use std::collections::HashMap;

use copydesk_text::LineTag;
use copydesk_text::patch::{PatchAction, parse, update};
use libfuzzer_sys::fuzz_target;

/// A line without anything that the loosest comparison ignores, and more.
fn key(line: &str) -> String {
    line.chars().filter(|c| c.is_ascii_alphanumeric()).collect()
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(input) = std::str::from_utf8(bytes) else { return };
    drop(parse(input));
    // A text and a patch of it, so that something matches.
    let Some((text, hunks)) = input.split_once("@@") else { return };
    let source = format!("*** Begin Patch\n*** Update File: f\n@@{hunks}\n*** End Patch");
    let Ok(patch) = parse(&source) else { return };
    for section in &patch.sections {
        let PatchAction::Update { hunks, .. } = &section.action else { continue };
        let Ok(updated) = update(text, hunks) else { continue };
        let new = updated.change.apply(text).expect("it was made for this text");
        let mut count: HashMap<String, isize> = HashMap::new();
        let mut add = |line: &str, by: isize| *count.entry(key(line)).or_default() += by;
        text.lines().for_each(|line| add(line, -1));
        new.lines().for_each(|line| add(line, 1));
        let shown = hunks.iter().flat_map(|hunk| &hunk.lines);
        shown.filter(|line| line.0 == LineTag::Delete).for_each(|line| add(line.1, 1));
        assert!(count.values().all(|left| *left >= 0), "{text:?} became {new:?} by\n{source}");
    }
});
