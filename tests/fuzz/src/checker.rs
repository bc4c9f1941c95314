//! Any text as a checker's output is parsed in every format, and the result stays within its caps.
#![no_main]
// The parsers are included as they are; only a part of them is used here.
#![allow(dead_code)]

// The parsers name the crate of the diagnostic types.
extern crate self as copydesk_servers;

mod diagnostic;
mod printed {
    mod cargo;
    mod json;
    mod lines;
    pub(crate) mod parse;
    mod sarif;
}

use libfuzzer_sys::fuzz_target;

use printed::parse::{CheckerOutputFormat, parse};

fuzz_target!(|bytes: &[u8]| {
    let output = String::from_utf8_lossy(bytes);
    for format in [CheckerOutputFormat::Cargo, CheckerOutputFormat::Json, CheckerOutputFormat::Sarif, CheckerOutputFormat::Lines] {
        let parsed = parse(format, &output);
        assert!(parsed.diagnostics.len() <= 10_000);
        for raw in &parsed.diagnostics {
            assert!(raw.message.len() <= 4003, "{raw:?}");
            assert!(raw.related.len() <= 10);
        }
    }
});
