//! Any output of a checker can be parsed, and every span lies in the text.

use proptest::prelude::*;

use super::span_resolver::SpanResolver;
use super::*;

const FORMATS: [CheckerOutputFormat; 4] = [
    CheckerOutputFormat::Cargo,
    CheckerOutputFormat::Json,
    CheckerOutputFormat::Sarif,
    CheckerOutputFormat::Lines,
];

/// Text that resembles a checker's output, so that parsing goes beyond the first character.
fn checker_output() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{\"reason\":\"compiler-message\",\"message\":".to_owned()),
        Just("{\"message\":\"m\",\"line\":".to_owned()),
        Just("\"file\":\"a\",".to_owned()),
        Just("\"range\":{\"start\":{\"line\":1,\"character\":".to_owned()),
        Just("{\"runs\":[{\"results\":[".to_owned()),
        "[\\[\\]{},:\"\n( )]{1,4}",
        "[0-9]{1,25}",
        "a.rs:[0-9]{1,3}:[0-9]{1,3}: (error|note): .{0,8}\n",
        "\\PC{0,6}",
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_output_is_parsed(bytes in prop::collection::vec(any::<u8>(), 0..300), text in checker_output()) {
        for format in FORMATS {
            for output in [&*String::from_utf8_lossy(&bytes), &text] {
                for raw in parse(format, output).diagnostics {
                    prop_assert!(!raw.location.file.is_empty() || format != CheckerOutputFormat::Json);
                }
            }
        }
    }

    #[test]
    fn every_span_is_in_the_text(
        text in "[a\u{e4}\u{1f600}\r\n\t ]{0,40}",
        line in prop_oneof![0..6u64, any::<u64>()],
        column in prop::option::of(prop_oneof![0..12u64, any::<u64>()]),
        end in prop::option::of((0..6u64, prop_oneof![0..12u64, any::<u64>()])),
        columns in prop_oneof![Just(ColumnUnit::Characters), Just(ColumnUnit::Bytes), Just(ColumnUnit::Utf16)],
    ) {
        let location = RawLocation { file: String::new(), line, column, end, columns: None };
        let span = SpanResolver::new(&text).resolve(&location, columns);
        prop_assert!(span.start <= span.end);
        let lines: Vec<usize> = text.replace("\r\n", "\n").split(['\n', '\r']).map(|line| line.encode_utf16().count()).collect();
        let length = lines.get(span.end.line as usize).copied();
        prop_assert!(length.is_some_and(|length| span.end.character as usize <= length), "{span:?} {lines:?}");
    }
}
