//! Any text as what a checker printed is read in every format, and what is read of it keeps to its caps.
#![no_main]

use copydesk_language::checker::{Format, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let output = String::from_utf8_lossy(bytes);
    for format in [Format::Cargo, Format::Json, Format::Sarif, Format::Lines] {
        let parsed = parse(format, &output);
        assert!(parsed.found.len() <= 10_000);
        for raw in &parsed.found {
            assert!(raw.message.len() <= 4003, "{raw:?}");
            assert!(raw.related.len() <= 10);
        }
    }
});
