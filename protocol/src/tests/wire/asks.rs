//! Asks and questions.

use copydesk_metadata::PermissionAskMetadata;
use expect_test::expect;
use serde_json::json;

use super::check;
use crate::permission::{
    PermissionAskInfo, PermissionAskParams, PermissionPresetInfo, PermissionReply, PermissionSettledParams,
    SessionSetPresetParams,
};
use crate::question::{
    QuestionAskInfo, QuestionAskParams, QuestionInfo, QuestionOptionInfo, QuestionReply,
    QuestionSettledParams,
};

pub(super) fn ask() -> PermissionAskInfo {
    PermissionAskInfo {
        ask: "a1".into(),
        part: "p1".into(),
        key: "edit".into(),
        patterns: vec!["src/a.rs".into()],
        always: vec![],
        title: "Edit src/a.rs".into(),
        why: Some("a rule".into()),
        metadata: PermissionAskMetadata::from_value(json!({"command": "ls", "workdir": "."})),
    }
}

pub(super) fn questions() -> QuestionAskInfo {
    let choice = |label: &str, description: &str| QuestionOptionInfo {
        label: label.into(),
        description: description.into(),
    };
    let question = QuestionInfo {
        header: "Colour".into(),
        text: "Which colour?".into(),
        options: vec![choice("red", "as it was"), choice("blue", "")],
        multiple: false,
        custom: true,
    };
    QuestionAskInfo {
        question: "q1".into(),
        part: "p1".into(),
        agent: Some("general".into()),
        questions: vec![question],
    }
}

#[test]
fn permission() {
    check(
        &PermissionAskParams { session: "s1".into(), ask: ask() },
        &expect![[
            r#"{"session":"s1","ask":"a1","part":"p1","key":"edit","patterns":["src/a.rs"],"always":[],"title":"Edit src/a.rs","why":"a rule","metadata":{"command":"ls","workdir":"."}}"#
        ]],
    );
    let presets =
        [PermissionPresetInfo::Careful, PermissionPresetInfo::Normal, PermissionPresetInfo::Trusting];
    check(&presets, &expect![[r#"["careful","normal","trusting"]"#]]);
    let preset = SessionSetPresetParams { session: "s1".into(), preset: Some(PermissionPresetInfo::Careful) };
    check(&preset, &expect![[r#"{"session":"s1","preset":"careful"}"#]]);
    check(&SessionSetPresetParams { session: "s1".into(), preset: None }, &expect![[r#"{"session":"s1"}"#]]);
    check(&PermissionReply::Once, &expect![[r#"{"reply":"once"}"#]]);
    check(&PermissionReply::Always, &expect![[r#"{"reply":"always"}"#]]);
    check(&PermissionReply::Reject { reason: None }, &expect![[r#"{"reply":"reject"}"#]]);
    check(
        &PermissionReply::Reject { reason: Some("use b.rs".into()) },
        &expect![[r#"{"reply":"reject","reason":"use b.rs"}"#]],
    );
    check(&PermissionReply::Nobody, &expect![[r#"{"reply":"nobody"}"#]]);
    check(&PermissionReply::Cancelled, &expect![[r#"{"reply":"cancelled"}"#]]);
    let settled = |by: Option<&str>| PermissionSettledParams {
        session: "s1".into(),
        ask: "a1".into(),
        by: by.map(str::to_owned),
    };
    check(&settled(Some("nvim")), &expect![[r#"{"session":"s1","ask":"a1","by":"nvim"}"#]]);
    check(&settled(None), &expect![[r#"{"session":"s1","ask":"a1"}"#]]);
}

#[test]
fn asking_questions() {
    check(
        &QuestionAskParams { session: "s1".into(), questions: questions() },
        &expect![[
            r#"{"session":"s1","question":"q1","part":"p1","agent":"general","questions":[{"header":"Colour","text":"Which colour?","options":[{"label":"red","description":"as it was"},{"label":"blue"}],"multiple":false,"custom":true}]}"#
        ]],
    );
    check(
        &QuestionReply::Answered { answers: vec![vec!["red".into()], vec![]] },
        &expect![[r#"{"reply":"answered","answers":[["red"],[]]}"#]],
    );
    check(&QuestionReply::Rejected { reason: None }, &expect![[r#"{"reply":"rejected"}"#]]);
    let reason = Some("Nobody is there.".to_owned());
    check(
        &QuestionReply::Rejected { reason },
        &expect![[r#"{"reply":"rejected","reason":"Nobody is there."}"#]],
    );
    check(&QuestionReply::Cancelled, &expect![[r#"{"reply":"cancelled"}"#]]);
    let settled =
        QuestionSettledParams { session: "s1".into(), question: "q1".into(), by: Some("vscode".into()) };
    check(&settled, &expect![[r#"{"session":"s1","question":"q1","by":"vscode"}"#]]);
}
