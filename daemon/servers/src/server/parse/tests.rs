use copydesk_text::Position;
use proptest::prelude::*;
use serde_json::json;

use super::diagnostic::MAX_MESSAGE_CHARS;
use super::*;
use crate::diagnostic::{DiagnosticSpan, RelatedInformation, Severity};

fn read(items: &Value) -> DiagnosticSet {
    let raw = serde_json::value::to_raw_value(items).unwrap();
    set(&raw, &mut MAX_READ.clone()).unwrap()
}

#[test]
fn every_member_of_a_diagnostic_is_parsed() {
    let place = |line, character| json!({ "line": line, "character": character });
    let items = json!([{
        "range": { "start": place(1, 2), "end": place(3, 4) }, "severity": 2, "code": "E1", "source": "s", "message": "m",
        "relatedInformation": [
            { "location": { "uri": "file:///b%20c", "range": { "start": place(5, 6), "end": place(5, 7) } }, "message": "r" },
            { "location": { "uri": "untitled:x" }, "message": "nowhere" }, 5,
        ],
    }]);
    let span = |a, b, c, d| DiagnosticSpan { start: Position::new(a, b), end: Position::new(c, d) };
    let related = RelatedInformation { path: "/b c".into(), span: span(5, 6, 5, 7), message: "r".into() };
    let expected = Diagnostic {
        span: span(1, 2, 3, 4),
        severity: Severity::Warning,
        code: Some("E1".into()),
        source: Some("s".into()),
        message: "m".into(),
        related: vec![related],
        data: None,
    };
    assert_eq!(read(&items), DiagnosticSet { diagnostics: vec![expected], omitted: 0 });
}

#[test]
fn odd_values_are_interpreted() {
    let one = |item: Value| read(&json!([item])).diagnostics.into_iter().next();
    let code = |code: Value| one(json!({ "message": "m", "code": code })).unwrap().code;
    assert_eq!(code(json!(2322)), Some("2322".into()));
    assert_eq!(code(json!({ "value": "x", "target": "y" })), Some("x".into()));
    assert_eq!([json!(null), json!(""), json!([]), json!({})].map(code), [None, None, None, None]);
    let severity = |severity: Value| one(json!({ "severity": severity })).unwrap().severity;
    assert_eq!([json!(1), json!(4), json!(0), json!("2"), json!(null)].map(severity), {
        use Severity::{Error, Hint};
        [Error, Hint, Error, Error, Error]
    });
    let message = |message: Value| one(json!({ "message": message })).unwrap().message.to_string();
    assert_eq!(message(json!({ "kind": "markdown", "value": "**m**" })), "**m**");
    assert_eq!(message(json!(5)), "(it does not say what is wrong)");
    assert_eq!(message(json!("x".repeat(10_000))).chars().count(), MAX_MESSAGE_CHARS + 1);
    assert_eq!(read(&json!([1, null, "x", []])), DiagnosticSet { diagnostics: Vec::new(), omitted: 4 });
    let huge = json!({ "message": "x".repeat(2 * MAX_DIAGNOSTIC_BYTES) });
    assert_eq!(read(&json!([huge])).omitted, 1);
}

#[test]
fn every_form_of_a_publish_is_parsed() {
    let read = |params: Value| parse_publish(&serde_json::value::to_raw_value(&params).unwrap());
    let version = |version: Value| {
        read(json!({ "uri": "u", "version": version, "diagnostics": null })).unwrap().version
    };
    assert_eq!([json!(3), json!(null), json!("3"), json!(1.5)].map(version), [Some(3), None, None, None]);
    assert_eq!(read(json!({ "uri": "u", "diagnostics": [] })).unwrap().set, DiagnosticSet::default());
    for odd in [
        json!({ "diagnostics": [] }),
        json!({ "uri": "u" }),
        json!({ "uri": "u", "diagnostics": 1 }),
        json!(null),
        json!([]),
    ] {
        assert_eq!(read(odd), None);
    }
}

/// Few bytes can take much memory, so all files of a response share one cap.
#[test]
fn all_files_of_one_response_share_the_cap() {
    let raw = |value: Value| serde_json::value::to_raw_value(&value).unwrap();
    let items: Vec<_> = (0..1000).map(|_| json!({})).collect();
    let report = |uri: String| json!({ "uri": uri, "kind": "full", "items": items });
    let reports: Vec<_> = (0..100).map(|number| report(number.to_string())).collect();
    let all = parse_workspace(&raw(json!({ "items": reports }))).unwrap();
    let total: usize = all.iter().map(|(_, set)| set.diagnostics.len()).sum();
    assert_eq!((all.len(), total), (MAX_READ / 1000, MAX_READ));
    let related: serde_json::Map<_, _> =
        (0..100).map(|number| (number.to_string(), report("u".into()))).collect();
    let all =
        parse_pull(&raw(json!({ "kind": "full", "items": items, "relatedDocuments": related }))).unwrap();
    let total: usize = all.related.iter().map(|(_, set)| set.diagnostics.len()).sum();
    assert_eq!(total, MAX_READ - 1000);
    // Empty reports count against the cap on files.
    let empty = |number: usize| json!({ "uri": number.to_string(), "kind": "full", "items": [] });
    let reports: Vec<_> = (0..2 * MAX_FILES).map(empty).collect();
    assert_eq!(parse_workspace(&raw(json!({ "items": reports }))).unwrap().len(), MAX_FILES);
    let related: serde_json::Map<_, _> = (0..2 * MAX_FILES).map(|n| (n.to_string(), empty(n))).collect();
    let all = parse_pull(&raw(json!({ "kind": "full", "items": [], "relatedDocuments": related }))).unwrap();
    assert_eq!(all.related.len(), MAX_FILES);
}

fn any_json() -> impl Strategy<Value = Value> {
    let names = [
        "range",
        "start",
        "end",
        "line",
        "character",
        "severity",
        "code",
        "message",
        "value",
        "relatedInformation",
    ];
    let names =
        [&names[..], &["location", "uri", "items", "kind", "relatedDocuments", "diagnostics", "version"]]
            .concat();
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        Just(json!("file:///a")),
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((prop::sample::select(names.clone()), inner), 0..6)
                .prop_map(|pairs| pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()),
        ]
    })
}

proptest! {
    #[test]
    fn no_json_panics_and_spans_run_forwards(value in any_json()) {
        let raw = serde_json::value::to_raw_value(&value).unwrap();
        let all = parse_publish(&raw).map(|publish| publish.set).into_iter();
        let all = all.chain(parse_pull(&raw).map(|pulled| pulled.set)).chain(set(&raw, &mut MAX_READ.clone()));
        for diagnostic in all.flat_map(|set| set.diagnostics) {
            prop_assert!(diagnostic.span.start <= diagnostic.span.end);
        }
        let _ = parse_workspace(&raw);
    }
}

/// Items that are partly valid.
fn odd_items() -> impl Strategy<Value = Value> {
    let number = || {
        prop_oneof![
            4 => (0_u32..9).prop_map(|n| json!(n)),
            1 => Just(json!(-1)), 1 => Just(json!(1.5)), 1 => Just(json!(5_000_000_000_u64)), 1 => Just(json!("3")), 1 => Just(json!(null)),
        ]
    };
    let place = move || {
        (number(), number()).prop_map(|(line, character)| json!({ "line": line, "character": character }))
    };
    let range = prop_oneof![4 => (place(), place()).prop_map(|(start, end)| json!({ "start": start, "end": end })), 1 => Just(json!(null)), 1 => Just(json!({}))];
    let word = || prop_oneof![3 => "[a-zß]{0,5}".prop_map(|text| json!(text)), 1 => Just(json!({ "value": "v" })), 1 => number()];
    (range, number(), word(), word(), word(), prop::option::of(word())).prop_map(
        |(range, severity, code, source, message, related)| {
            json!({ "range": range, "severity": severity, "code": code, "source": source, "message": message,
                "relatedInformation": related, "tags": [1] })
        },
    )
}

proptest! {
    #[test]
    fn strict_and_lenient_parsing_agree(item in odd_items()) {
        prop_assert_eq!(diagnostic::parse_diagnostic(&item.to_string()), diagnostic::diagnostic_from_value(&item));
    }

    #[test]
    fn a_list_parses_like_its_items(items in prop::collection::vec(odd_items(), 0..4), related in any::<bool>()) {
        let each: Vec<_> = items.iter().filter_map(diagnostic::diagnostic_from_value).collect();
        let mut report = json!({ "kind": "full", "items": items });
        if related {
            report["relatedDocuments"] = json!({ "file:///b": report });
        }
        let raw = serde_json::value::to_raw_value(&report).unwrap();
        let pulled = parse_pull(&raw).unwrap();
        prop_assert_eq!(&pulled.set.diagnostics, &each);
        prop_assert_eq!(pulled.related.len(), usize::from(related));
        let params = json!({ "uri": "file:///a", "diagnostics": items });
        let published = parse_publish(&serde_json::value::to_raw_value(&params).unwrap()).unwrap();
        prop_assert_eq!(published.set.diagnostics, each);
    }
}
