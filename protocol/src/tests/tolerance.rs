//! The daemon accepts what clients really send, and rejects invalid messages.

use serde_json::{Value, json};

use crate::daemon::{AgentsParams, Empty};
use crate::editor::{DiagnosticsResult, OpenFilesResult, SelectionResult};
use crate::error::ErrorCode;
use crate::handshake::ClientHello;
use crate::lenient::{LenientJson, decode};
use crate::method::{Direction, MethodKind};
use crate::permission::{AlwaysScopeInfo, PermissionReply};
use crate::question::QuestionReply;
use crate::session::{SessionListParams, SessionNewParams};
use crate::table::methods;
use crate::turn::TurnParams;

#[test]
fn every_way_to_say_nothing_is_an_empty_object() {
    for nothing in [json!(null), json!([]), json!({}), json!([null]), json!([{}])] {
        assert_eq!(decode::<Empty>(nothing.clone()).unwrap(), Empty {}, "{nothing}");
        assert_eq!(
            decode::<SessionNewParams>(nothing.clone()).unwrap(),
            SessionNewParams::default(),
            "{nothing}"
        );
        assert_eq!(
            decode::<OpenFilesResult>(nothing.clone()).unwrap(),
            OpenFilesResult::default(),
            "{nothing}"
        );
        let read: LenientJson<AgentsParams> = serde_json::from_value(nothing.clone()).unwrap();
        assert_eq!(read, LenientJson(AgentsParams::default()), "{nothing}");
        assert_eq!(serde_json::to_value(read).unwrap(), json!({}));
    }
}

#[test]
fn params_by_position_are_no_params() {
    assert!(decode::<SessionNewParams>(json!(["/w"])).is_err());
    assert!(decode::<SessionNewParams>(json!(["/w", "build"])).is_err());
    assert!(decode::<Empty>(json!("x")).is_err());
}

#[test]
fn null_is_as_good_as_nothing_inside_too() {
    let list: SessionListParams = decode(json!({"folder": null, "limit": null, "before": null})).unwrap();
    assert_eq!(list, SessionListParams::default());
    for nothing in [json!(null), json!([]), json!({})] {
        let turn: TurnParams =
            decode(json!({"session": "s1", "text": "go", "files": nothing, "context": nothing})).unwrap();
        assert_eq!((turn.files.len(), turn.context.len()), (0, 0));
        let known: DiagnosticsResult = decode(json!({"state": "answered", "files": nothing})).unwrap();
        assert_eq!(known, DiagnosticsResult::default());
        let reply: QuestionReply = decode(json!({"reply": "answered", "answers": nothing})).unwrap();
        assert_eq!(reply, QuestionReply::Answered { answers: vec![] });
    }
    for nothing in [json!(null), json!([])] {
        let selection: SelectionResult = decode(json!({"selection": nothing})).unwrap();
        assert_eq!(selection, SelectionResult::default());
    }
}

#[test]
fn a_code_may_be_a_number() {
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}});
    let item = |code: Value| json!({"range": range, "severity": "error", "code": code, "message": "no"});
    let file =
        json!({"uri": "file:///a", "proof": "likely", "items": [item(json!(2304)), item(json!("E1"))]});
    let known: DiagnosticsResult = decode(json!({"state": "answered", "files": [file]})).unwrap();
    let codes: Vec<_> = known.files[0].items.iter().map(|item| item.code.as_deref()).collect();
    assert_eq!(codes, [Some("2304"), Some("E1")]);
}

/// A rejection without a reason stops the turn.
#[test]
fn a_blank_reason_counts_as_missing() {
    for nothing in [json!(null), json!(""), json!(" \n")] {
        let reply: PermissionReply = decode(json!({"reply": "reject", "reason": nothing})).unwrap();
        assert_eq!(reply, PermissionReply::Reject { reason: None });
    }
}

/// An older client knows no scope and no patterns.
#[test]
fn an_always_of_an_older_client_counts_for_the_session() {
    let reply: PermissionReply = decode(json!({"reply": "always"})).unwrap();
    assert_eq!(reply, PermissionReply::Always { scope: AlwaysScopeInfo::Session, patterns: None });
}

/// A newer client may send fields that we do not know.
#[test]
fn unknown_fields_are_ignored_in_every_method() {
    for method in methods() {
        let shape = match (method.direction, method.kind) {
            (Direction::ToClient, MethodKind::Request) => method.result.unwrap(),
            _ => method.params,
        };
        let before = shape.round_trip(json!({})).map_err(|error| error.to_string());
        let after = shape.round_trip(json!({"fromTheFuture": {"x": [1]}})).map_err(|error| error.to_string());
        assert_eq!(before, after, "{}", method.name);
    }
    let reply: PermissionReply = decode(json!({"reply": "once", "fromTheFuture": 1})).unwrap();
    assert_eq!(reply, PermissionReply::Once);
}

#[test]
fn unknown_choices_are_refused_with_the_known_ones_named() {
    let error = decode::<PermissionReply>(json!({"reply": "maybe"})).unwrap_err().to_string();
    assert_eq!(
        error,
        "unknown variant `maybe`, expected one of `once`, `always`, `reject`, `nobody`, `cancelled`"
    );
}

#[test]
fn an_ordinary_lsp_client_has_no_hello() {
    assert_eq!(ClientHello::from_initialization_options(None).unwrap(), None);
    for options in [json!(null), json!([]), json!({}), json!({"copydesk": null}), json!({"other": 1})] {
        assert_eq!(ClientHello::from_initialization_options(Some(&options)).unwrap(), None, "{options}");
    }
    let options = json!({"copydesk": {"protocol": 1, "client": "nvim", "version": "0.1.0", "more": true}});
    assert_eq!(ClientHello::from_initialization_options(Some(&options)).unwrap().unwrap().client, "nvim");
    assert!(
        ClientHello::from_initialization_options(Some(&json!({"copydesk": {"client": "nvim"}}))).is_err()
    );
}

#[test]
fn codes_are_found_by_their_numbers() {
    for code in ErrorCode::ALL {
        assert_eq!(ErrorCode::from_code(code.code().into()), Some(*code));
    }
    assert_eq!(ErrorCode::from_code(0), None);
}
