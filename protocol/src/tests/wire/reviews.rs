//! Reviews and decisions.

use expect_test::expect;

use super::check;
use crate::editor::SeverityInfo;
use crate::event::{EventInfo, EventParams};
use crate::inline::{InlineCancelParams, InlineRefineParams, InlineStartParams, InlineStartResult};
use crate::position::{WirePosition, WireRange};
use crate::review::{
    CutLineInfo, FileHunkInfo, FileHunkKind, HunkInfo, HunkLines, HunkProblem, ReviewChange,
    ReviewCommentParams, ReviewCommentResult, ReviewDecideParams, ReviewDecideResult, ReviewDecision,
    ReviewDecisionOutcome, ReviewDecisionResult, ReviewInfo, ReviewListParams, ReviewListResult,
    ReviewTimingInfo, ReviewVerdict, SessionSetReviewParams, WordDiffInfo,
};

fn hunk() -> HunkInfo {
    HunkInfo {
        hunk: "1.2".into(),
        expected: "ab".into(),
        line: 3,
        old: vec!["a b".into()],
        new: vec!["a c".into()],
        old_cut: Vec::new(),
        new_cut: Vec::new(),
        old_lines: 1,
        new_lines: 1,
        words: Vec::new(),
        by: vec!["p1".into()],
        edited: false,
        deciding: false,
        problems: Vec::new(),
    }
}

fn review() -> ReviewInfo {
    ReviewInfo {
        review: "1".into(),
        uri: "file:///w/a".into(),
        path: "a".into(),
        when: ReviewTimingInfo::After,
        ask: None,
        writing: false,
        expected: "cd".into(),
        file: None,
        hunks: vec![hunk()],
        total: 1,
        additions: 1,
        deletions: 1,
    }
}

#[test]
fn reviews() {
    check(
        &ReviewListParams { session: "s1".into(), uri: None, skip: None },
        &expect![[r#"{"session":"s1"}"#]],
    );
    let cut = |bytes| vec![CutLineInfo { line: 0, bytes }];
    check(
        &HunkInfo { old_cut: cut(9000), new_cut: cut(9001), ..hunk() },
        &expect![[
            r#"{"hunk":"1.2","expected":"ab","line":3,"old":["a b"],"new":["a c"],"oldCut":[{"line":0,"bytes":9000}],"newCut":[{"line":0,"bytes":9001}],"oldLines":1,"newLines":1,"by":["p1"]}"#
        ]],
    );
    let params = ReviewListParams { session: "s1".into(), uri: Some("file:///w/a".into()), skip: Some(1000) };
    check(&params, &expect![[r#"{"session":"s1","uri":"file:///w/a","skip":1000}"#]]);
    check(
        &ReviewListResult { reviews: vec![review()], comments: 2 },
        &expect![[
            r#"{"reviews":[{"review":"1","uri":"file:///w/a","path":"a","when":"after","expected":"cd","hunks":[{"hunk":"1.2","expected":"ab","line":3,"old":["a b"],"new":["a c"],"oldLines":1,"newLines":1,"by":["p1"]}],"total":1,"additions":1,"deletions":1}],"comments":2}"#
        ]],
    );
    let words = vec![WordDiffInfo { line: 0, old: vec![(2, 3)], new: vec![(2, 3)] }];
    let problem = |code: Option<&str>| HunkProblem {
        line: 0,
        severity: SeverityInfo::Error,
        code: code.map(str::to_owned),
        source: "tree-sitter".into(),
        message: "wrong".into(),
    };
    let problems = vec![problem(None), problem(Some("E1"))];
    let hunks = vec![HunkInfo { words, edited: true, deciding: true, problems, ..hunk() }];
    let file = |kind, from: Option<&str>| FileHunkInfo {
        hunk: "1.1".into(),
        expected: "ef".into(),
        kind,
        from: from.map(str::to_owned),
        by: vec!["p1".into()],
    };
    let before = ReviewInfo {
        when: ReviewTimingInfo::Before,
        ask: Some("k1".into()),
        writing: true,
        file: Some(file(FileHunkKind::Created, None)),
        hunks,
        ..review()
    };
    check(
        &before,
        &expect![[
            r#"{"review":"1","uri":"file:///w/a","path":"a","when":"before","ask":"k1","writing":true,"expected":"cd","file":{"hunk":"1.1","expected":"ef","kind":"created","by":["p1"]},"hunks":[{"hunk":"1.2","expected":"ab","line":3,"old":["a b"],"new":["a c"],"oldLines":1,"newLines":1,"words":[{"line":0,"old":[[2,3]],"new":[[2,3]]}],"by":["p1"],"edited":true,"deciding":true,"problems":[{"line":0,"severity":"error","source":"tree-sitter","message":"wrong"},{"line":0,"severity":"error","code":"E1","source":"tree-sitter","message":"wrong"}]}],"total":1,"additions":1,"deletions":1}"#
        ]],
    );
    check(
        &file(FileHunkKind::Deleted, None),
        &expect![[r#"{"hunk":"1.1","expected":"ef","kind":"deleted","by":["p1"]}"#]],
    );
    check(
        &file(FileHunkKind::Renamed, Some("b")),
        &expect![[r#"{"hunk":"1.1","expected":"ef","kind":"renamed","from":"b","by":["p1"]}"#]],
    );
    let change = |gone: Vec<String>, failed: Option<&str>| {
        let failed = failed.map(Into::into);
        EventInfo::ReviewChanged(Box::new(ReviewChange { review: review(), gone, failed }))
    };
    for (event, expected) in [
        (
            change(Vec::new(), None),
            expect![[
                r#"{"session":"s1","seq":9,"event":{"event":"reviewChanged","review":{"review":"1","uri":"file:///w/a","path":"a","when":"after","expected":"cd","hunks":[{"hunk":"1.2","expected":"ab","line":3,"old":["a b"],"new":["a c"],"oldLines":1,"newLines":1,"by":["p1"]}],"total":1,"additions":1,"deletions":1}}}"#
            ]],
        ),
        (
            change(vec!["1.1".into()], Some("No.")),
            expect![[
                r#"{"session":"s1","seq":9,"event":{"event":"reviewChanged","review":{"review":"1","uri":"file:///w/a","path":"a","when":"after","expected":"cd","hunks":[{"hunk":"1.2","expected":"ab","line":3,"old":["a b"],"new":["a c"],"oldLines":1,"newLines":1,"by":["p1"]}],"total":1,"additions":1,"deletions":1},"gone":["1.1"],"failed":"No."}}"#
            ]],
        ),
    ] {
        check(&EventParams { session: "s1".into(), seq: 9, event }, &expected);
    }
}

#[test]
fn decisions() {
    let accept = ReviewDecision {
        hunk: "1.2".into(),
        expected: "ab".into(),
        verdict: ReviewVerdict::Accept,
        lines: None,
        text: None,
        comment: None,
        confirmed: false,
    };
    let some = ReviewDecision {
        lines: Some(HunkLines { old: vec![0], new: vec![0] }),
        text: Some("a d\n".into()),
        ..accept.clone()
    };
    let reject = ReviewDecision {
        hunk: "1".into(),
        verdict: ReviewVerdict::Reject,
        comment: Some("Not so.".into()),
        confirmed: true,
        ..accept.clone()
    };
    let params = ReviewDecideParams { session: "s1".into(), decisions: vec![accept, some, reject] };
    check(
        &params,
        &expect![[
            r#"{"session":"s1","decisions":[{"hunk":"1.2","expected":"ab","verdict":"accept"},{"hunk":"1.2","expected":"ab","verdict":"accept","lines":{"old":[0],"new":[0]},"text":"a d\n"},{"hunk":"1","expected":"ab","verdict":"reject","comment":"Not so.","confirmed":true}]}"#
        ]],
    );
    let decided = |outcome, message: Option<&str>| ReviewDecisionResult {
        hunk: "1.2".into(),
        outcome,
        message: message.map(str::to_owned),
    };
    let decided = vec![
        decided(ReviewDecisionOutcome::Done, None),
        decided(ReviewDecisionOutcome::Refused, Some("It is gone.")),
        decided(ReviewDecisionOutcome::Confirm, Some("You have typed in it.")),
    ];
    check(
        &ReviewDecideResult { decided },
        &expect![[
            r#"{"decided":[{"hunk":"1.2","outcome":"done"},{"hunk":"1.2","outcome":"refused","message":"It is gone."},{"hunk":"1.2","outcome":"confirm","message":"You have typed in it."}]}"#
        ]],
    );
}

#[test]
fn inline_edits() {
    let start = InlineStartParams {
        session: "s1".into(),
        uri: "file:///w/a".into(),
        range: WireRange {
            start: WirePosition { line: 1, character: 0 },
            end: WirePosition { line: 2, character: 0 },
        },
        instruction: "Make it so.".into(),
        text: None,
    };
    check(
        &start,
        &expect![[
            r#"{"session":"s1","uri":"file:///w/a","range":{"start":{"line":1,"character":0},"end":{"line":2,"character":0}},"instruction":"Make it so."}"#
        ]],
    );
    check(
        &InlineStartParams { instruction: String::new(), text: Some("let x = 1;\n".into()), ..start },
        &expect![[
            r#"{"session":"s1","uri":"file:///w/a","range":{"start":{"line":1,"character":0},"end":{"line":2,"character":0}},"text":"let x = 1;\n"}"#
        ]],
    );
    check(&InlineStartResult { review: "1".into() }, &expect![[r#"{"review":"1"}"#]]);
    let refine = |instruction| InlineRefineParams { session: "s1".into(), review: "1".into(), instruction };
    check(
        &refine(Some("Shorter.".into())),
        &expect![[r#"{"session":"s1","review":"1","instruction":"Shorter."}"#]],
    );
    check(&refine(None), &expect![[r#"{"session":"s1","review":"1"}"#]]);
    check(
        &InlineCancelParams { session: "s1".into(), review: "1".into() },
        &expect![[r#"{"session":"s1","review":"1"}"#]],
    );
}

#[test]
fn comments_and_when() {
    let comment = ReviewCommentParams {
        session: "s1".into(),
        uri: "file:///w/a".into(),
        line: 3,
        lines: Some(2),
        text: "Why?".into(),
    };
    check(&comment, &expect![[r#"{"session":"s1","uri":"file:///w/a","line":3,"lines":2,"text":"Why?"}"#]]);
    check(&ReviewCommentResult { comments: 1 }, &expect![[r#"{"comments":1}"#]]);
    let before = SessionSetReviewParams { session: "s1".into(), review: Some(ReviewTimingInfo::Before) };
    check(&before, &expect![[r#"{"session":"s1","review":"before"}"#]]);
    check(&SessionSetReviewParams { session: "s1".into(), review: None }, &expect![[r#"{"session":"s1"}"#]]);
}
