//! Asks and questions.

use copydesk_metadata::PermissionAskMetadata;
use expect_test::expect;
use serde_json::json;

use super::check;
use crate::permission::{
    AlwaysScopeInfo, KeptReplyInfo, PermissionActionInfo, PermissionAskInfo, PermissionAskParams,
    PermissionDecisionInfo, PermissionExplainParams, PermissionExplainResult, PermissionListParams,
    PermissionListResult, PermissionPresetInfo, PermissionReply, PermissionRevokeParams,
    PermissionRevokeResult, PermissionSandboxInfo, PermissionSettledParams, SessionSetPresetParams,
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
        project_always: false,
        problem: None,
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
    let offered = PermissionAskInfo { project_always: true, problem: Some("too wide".into()), ..ask() };
    check(
        &offered,
        &expect![[
            r#"{"ask":"a1","part":"p1","key":"edit","patterns":["src/a.rs"],"always":[],"projectAlways":true,"problem":"too wide","title":"Edit src/a.rs","why":"a rule","metadata":{"command":"ls","workdir":"."}}"#
        ]],
    );
    let always = |scope, patterns: Option<&str>| PermissionReply::Always {
        scope,
        patterns: patterns.map(|pattern| vec![pattern.to_owned()]),
    };
    check(&always(AlwaysScopeInfo::Session, None), &expect![[r#"{"reply":"always"}"#]]);
    check(
        &always(AlwaysScopeInfo::Project, Some("git push *")),
        &expect![[r#"{"reply":"always","scope":"project","patterns":["git push *"]}"#]],
    );
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
fn kept_replies() {
    let kept = |scope, session: Option<&str>, since| KeptReplyInfo {
        key: "bash".into(),
        pattern: "git push *".into(),
        scope,
        session: session.map(str::to_owned),
        since,
    };
    check(&PermissionListParams::default(), &expect!["{}"]);
    check(
        &PermissionListResult {
            project: "/w".into(),
            trusted: true,
            replies: vec![
                kept(AlwaysScopeInfo::Project, None, Some(1)),
                kept(AlwaysScopeInfo::Session, Some("s1"), None),
            ],
        },
        &expect![[
            r#"{"project":"/w","trusted":true,"replies":[{"key":"bash","pattern":"git push *","scope":"project","since":1},{"key":"bash","pattern":"git push *","scope":"session","session":"s1"}]}"#
        ]],
    );
    check(&PermissionRevokeParams::default(), &expect!["{}"]);
    check(
        &PermissionRevokeParams {
            folder: Some("/w".into()),
            pattern: Some("git push *".into()),
            key: Some("bash".into()),
            scope: Some(AlwaysScopeInfo::Session),
            session: Some("s1".into()),
        },
        &expect![[r#"{"folder":"/w","pattern":"git push *","key":"bash","scope":"session","session":"s1"}"#]],
    );
    check(&PermissionRevokeResult { revoked: vec![] }, &expect![[r#"{"revoked":[]}"#]]);
    check(
        &PermissionExplainParams { folder: None, key: None, target: "ls".into(), agent: None, preset: None },
        &expect![[r#"{"target":"ls"}"#]],
    );
    let actions = [PermissionActionInfo::Allow, PermissionActionInfo::Ask, PermissionActionInfo::Deny];
    check(&actions, &expect![[r#"["allow","ask","deny"]"#]]);
    let decision = PermissionDecisionInfo {
        key: "bash".into(),
        pattern: "ls".into(),
        action: PermissionActionInfo::Allow,
        why: "a rule".into(),
    };
    check(
        &PermissionExplainResult {
            action: PermissionActionInfo::Allow,
            agent: "build".into(),
            preset: PermissionPresetInfo::Normal,
            decisions: vec![decision],
            always: vec!["ls *".into()],
            sandbox: Some(PermissionSandboxInfo { sandboxed: true, what: "In the sandbox.".into() }),
            notes: vec![],
        },
        &expect![[
            r#"{"action":"allow","agent":"build","preset":"normal","decisions":[{"key":"bash","pattern":"ls","action":"allow","why":"a rule"}],"always":["ls *"],"sandbox":{"sandboxed":true,"what":"In the sandbox."},"notes":[]}"#
        ]],
    );
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
