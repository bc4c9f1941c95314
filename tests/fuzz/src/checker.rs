//! Any text as what a checker printed is read in every format, and what is read of it keeps to its caps.
#![no_main]
// The readers are taken as they are, and only a part of them is used here.
#![allow(dead_code)]

// The readers name the crate that the diagnostic comes from.
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

use printed::parse::{Format, parse};

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
