//! The daemon's requests to an editor.

use expect_test::expect;

use super::check;
use crate::document::{
    ChangeReason, DocumentChangedParams, DocumentSaveParams, DocumentSaveResult, DocumentVerifyParams,
    DocumentVerifyResult,
};
use crate::editor::{
    AnswerState, DiagnosticInfo, DiagnosticsParams, DiagnosticsResult, FileDiagnostics, OpenFile,
    OpenFilesResult, ProofLevel, SelectionInfo, SelectionResult, SeverityInfo, ShowParams, ShowResult,
};
use crate::position::{WireLocation, WirePosition, WireRange};

const URI: &str = "file:///w/a.rs";

fn range() -> WireRange {
    WireRange { start: WirePosition { line: 1, character: 4 }, end: WirePosition { line: 1, character: 9 } }
}

#[test]
fn diagnostics() {
    check(&DiagnosticsParams::default(), &expect!["{}"]);
    let params = DiagnosticsParams {
        uri: Some(URI.into()),
        version: Some(3),
        wait: Some(2000),
        wait_ready: Some(300),
    };
    check(&params, &expect![[r#"{"uri":"file:///w/a.rs","version":3,"wait":2000,"waitReady":300}"#]]);
    let diagnostic = |severity, code: Option<&str>| DiagnosticInfo {
        range: range(),
        severity,
        code: code.map(str::to_owned),
        source: code.map(|_| "rustc".into()),
        message: "mismatched types".into(),
        echo_of: None,
    };
    let file = |proof, items| FileDiagnostics {
        uri: URI.into(),
        version: Some(3),
        proof,
        why: None,
        items,
        unseen: Vec::new(),
    };
    let known = DiagnosticsResult {
        state: AnswerState::Answered,
        files: vec![file(ProofLevel::Proven, vec![diagnostic(SeverityInfo::Error, Some("E0308"))])],
    };
    check(
        &known,
        &expect![[
            r#"{"state":"answered","files":[{"uri":"file:///w/a.rs","version":3,"proof":"proven","items":[{"range":{"start":{"line":1,"character":4},"end":{"line":1,"character":9}},"severity":"error","code":"E0308","source":"rustc","message":"mismatched types"}]}]}"#
        ]],
    );
    let original = WireLocation { uri: URI.into(), range: range() };
    let echo = DiagnosticInfo { echo_of: Some(original), ..diagnostic(SeverityInfo::Error, None) };
    check(
        &echo,
        &expect![[
            r#"{"range":{"start":{"line":1,"character":4},"end":{"line":1,"character":9}},"severity":"error","message":"mismatched types","echoOf":{"uri":"file:///w/a.rs","range":{"start":{"line":1,"character":4},"end":{"line":1,"character":9}}}}"#
        ]],
    );
    let older = file(ProofLevel::Unknown, vec![diagnostic(SeverityInfo::Warning, None)]);
    check(
        &FileDiagnostics { version: None, ..older },
        &expect![[
            r#"{"uri":"file:///w/a.rs","proof":"unknown","items":[{"range":{"start":{"line":1,"character":4},"end":{"line":1,"character":9}},"severity":"warning","message":"mismatched types"}]}"#
        ]],
    );
    check(
        &FileDiagnostics { unseen: vec!["rustc".to_owned()], ..file(ProofLevel::Proven, Vec::new()) },
        &expect![[r#"{"uri":"file:///w/a.rs","version":3,"proof":"proven","items":[],"unseen":["rustc"]}"#]],
    );
    check(
        &vec![ProofLevel::Proven, ProofLevel::Likely, ProofLevel::Unknown],
        &expect![[r#"["proven","likely","unknown"]"#]],
    );
    let severities =
        vec![SeverityInfo::Error, SeverityInfo::Warning, SeverityInfo::Information, SeverityInfo::Hint];
    check(&severities, &expect![[r#"["error","warning","information","hint"]"#]]);
    let states = [AnswerState::Unsupported, AnswerState::Starting, AnswerState::Cancelled];
    let without = |state| DiagnosticsResult { state, files: vec![] };
    check(
        &states.map(without).to_vec(),
        &expect![[r#"[{"state":"unsupported"},{"state":"starting"},{"state":"cancelled"}]"#]],
    );
}

#[test]
fn selection_and_open_files() {
    check(&SelectionResult::default(), &expect!["{}"]);
    let selection = SelectionInfo { uri: URI.into(), range: range(), text: "hello".into() };
    check(
        &SelectionResult { selection: Some(selection) },
        &expect![[
            r#"{"selection":{"uri":"file:///w/a.rs","range":{"start":{"line":1,"character":4},"end":{"line":1,"character":9}},"text":"hello"}}"#
        ]],
    );
    let open =
        OpenFile { uri: URI.into(), active: true, visible: true, dirty: true, language: Some("rust".into()) };
    let hidden = OpenFile { active: false, visible: false, dirty: false, language: None, ..open.clone() };
    check(
        &OpenFilesResult { files: vec![open, hidden] },
        &expect![[
            r#"{"files":[{"uri":"file:///w/a.rs","active":true,"visible":true,"dirty":true,"language":"rust"},{"uri":"file:///w/a.rs"}]}"#
        ]],
    );
    check(
        &ShowParams { uri: URI.into(), range: Some(range()), focus: true },
        &expect![[
            r#"{"uri":"file:///w/a.rs","range":{"start":{"line":1,"character":4},"end":{"line":1,"character":9}},"focus":true}"#
        ]],
    );
    check(&ShowResult { shown: true }, &expect![[r#"{"shown":true}"#]]);
}

#[test]
fn documents() {
    let changed = |reason| DocumentChangedParams { uri: URI.into(), reason };
    let reasons = [ChangeReason::Created, ChangeReason::Written, ChangeReason::Deleted];
    check(
        &reasons.map(changed).to_vec(),
        &expect![[
            r#"[{"uri":"file:///w/a.rs","reason":"created"},{"uri":"file:///w/a.rs","reason":"written"},{"uri":"file:///w/a.rs","reason":"deleted"}]"#
        ]],
    );
    let verify = DocumentVerifyParams { uri: URI.into(), version: 3, bytes: 12, sha256: Some("ab".into()) };
    check(&verify, &expect![[r#"{"uri":"file:///w/a.rs","version":3,"bytes":12,"sha256":"ab"}"#]]);
    check(&DocumentVerifyResult { same: false }, &expect![[r#"{"same":false}"#]]);
    check(&DocumentSaveParams { uri: URI.into() }, &expect![[r#"{"uri":"file:///w/a.rs"}"#]]);
    check(&DocumentSaveResult { saved: true, message: None }, &expect![[r#"{"saved":true}"#]]);
    check(
        &DocumentSaveResult { saved: false, message: Some("read-only".into()) },
        &expect![[r#"{"saved":false,"message":"read-only"}"#]],
    );
}
