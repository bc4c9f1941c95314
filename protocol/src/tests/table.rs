//! The rules for every row of the table.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::error::ErrorCode;
use crate::generate::schema;
use crate::method::{Direction, MethodKind, NotificationMethod, RequestMethod};
use crate::table::{Event, PermissionAsk, SessionNew, methods};

#[test]
fn names_are_unique_and_follow_from_each_other() {
    let mut seen = BTreeSet::new();
    for method in methods() {
        assert!(seen.insert(method.name), "{} is there twice", method.name);
        let name = method.name.strip_prefix("copydesk/").unwrap();
        let words: Vec<_> = name.split('/').collect();
        assert!(words.len() <= 2, "{name}: thing/verb");
        for word in &words {
            assert!(word.starts_with(|first: char| first.is_ascii_lowercase()), "{name}");
            assert!(word.chars().all(|letter| letter.is_ascii_alphabetic()), "{name}");
        }
        let marker: String = words.iter().map(|word| word[..1].to_uppercase() + &word[1..]).collect();
        assert_eq!(method.marker, marker, "{name}");
        assert!(method.doc.ends_with('.') && !method.doc.contains('\n'), "{name}: one line of words");
    }
}

#[test]
fn requests_have_results_and_notifications_have_none() {
    for method in methods() {
        assert_eq!(method.result.is_some(), method.kind == MethodKind::Request, "{}", method.name);
    }
}

/// Law 2.
#[test]
fn only_asks_of_the_daemon_may_wait_for_a_user() {
    let waiting: Vec<_> = methods().into_iter().filter(|method| method.waits_for_user).collect();
    for method in &waiting {
        assert_eq!(
            (method.direction, method.kind),
            (Direction::ToClient, MethodKind::Request),
            "{}",
            method.name
        );
    }
    let names: Vec<_> = waiting.iter().map(|method| method.name).collect();
    assert_eq!(names, ["copydesk/permission/ask", "copydesk/question/ask"]);
}

/// Law 3.
#[test]
fn requests_that_may_wait_can_be_answered_as_cancelled() {
    let schema = schema();
    for method in methods().iter().filter(|method| method.waits_for_user) {
        let result = resolve(&schema, &schema["methods"][method.name]["result"]).to_string();
        assert!(result.contains(r#""const":"cancelled""#), "{}: {result}", method.name);
    }
}

#[test]
fn params_and_results_are_objects() {
    let schema = schema();
    for (name, method) in schema["methods"].as_object().unwrap() {
        for shape in [Some(&method["params"]), method.get("result")].into_iter().flatten() {
            let resolved = resolve(&schema, shape);
            let choices =
                resolved["oneOf"].as_array().map_or(vec![resolved], |choices| choices.iter().collect());
            assert!(choices.iter().all(|choice| choice["type"] == "object"), "{name}: {resolved}");
        }
    }
}

fn resolve<'a>(schema: &'a Value, shape: &'a Value) -> &'a Value {
    shape["$ref"].as_str().map_or(shape, |path| schema.pointer(path.strip_prefix('#').unwrap()).unwrap())
}

#[test]
fn the_markers_say_the_same_as_the_list() {
    assert_eq!(SessionNew::METHOD, "copydesk/session/new");
    assert_eq!(SessionNew::DIRECTION, Direction::ToDaemon);
    const { assert!(PermissionAsk::WAITS_FOR_USER && !SessionNew::WAITS_FOR_USER) };
    assert_eq!((Event::METHOD, Event::DIRECTION), ("copydesk/event", Direction::ToClient));
}

#[test]
fn error_codes_are_unique_and_ours_are_outside_of_the_reserved_range() {
    let codes: BTreeSet<_> = ErrorCode::ALL.iter().map(|code| code.code()).collect();
    assert_eq!(codes.len(), ErrorCode::ALL.len());
    let ours = ErrorCode::ALL.iter().skip_while(|code| **code != ErrorCode::UnknownSession);
    assert!(ours.map(|code| code.code()).all(|code| !(-32768..=-32000).contains(&code)));
}
