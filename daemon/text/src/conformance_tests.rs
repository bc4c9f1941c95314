//! Cases from OpenCode's behaviour (`tests/conformance`): where we match it, and which of its defects we
//! avoid.

use serde::Deserialize;

use crate::{KeepSide, PageEndReason, PageRequest, PastEndError, TruncateLimits, read_page, truncate};

mod edit;

#[derive(Deserialize)]
struct CaseList<T> {
    cases: Vec<T>,
}

#[derive(Deserialize)]
struct TruncationCase {
    id: String,
    text: Option<String>,
    lines: Option<(String, usize)>,
    repeat: Option<(String, usize)>,
    max_lines: Option<usize>,
    max_bytes: Option<usize>,
    #[serde(default)]
    tail: bool,
    omitted_lines: Option<usize>,
    omitted_bytes: Option<usize>,
    kept: Option<String>,
    defect: Option<String>,
}

#[test]
fn truncation() {
    let file = include_str!("../../../tests/conformance/truncation.json");
    let cases: CaseList<TruncationCase> = serde_json::from_str(file).unwrap();
    let (mut same, mut defects) = (0, 0);
    for case in &cases.cases {
        let lines = |(prefix, count): &(String, usize)| {
            (0..*count).map(|n| format!("{prefix}{n}")).collect::<Vec<_>>().join("\n")
        };
        let text = case.text.clone().or(case.lines.as_ref().map(lines));
        let text = text.or(case.repeat.as_ref().map(|(what, count)| what.repeat(*count))).unwrap();
        let usual = TruncateLimits::default();
        let limits = TruncateLimits {
            lines: case.max_lines.unwrap_or(usual.lines),
            bytes: case.max_bytes.unwrap_or(usual.bytes),
        };
        let cut = truncate(&text, limits, if case.tail { KeepSide::Tail } else { KeepSide::Head });
        if case.defect.is_some() {
            // Upstream shows nothing, or counts a line that does not exist.
            assert!(!cut.text.is_empty() && cut.omitted_lines == 0, "{}: has the defect", case.id);
            defects += 1;
            continue;
        }
        let whole = case.omitted_lines.is_none() && case.omitted_bytes.is_none();
        assert_eq!(cut.is_whole(), whole, "{}", case.id);
        assert!(case.omitted_lines.is_none_or(|lines| lines == cut.omitted_lines), "{}: {cut:?}", case.id);
        assert!(case.omitted_bytes.is_none_or(|bytes| bytes == cut.omitted_bytes), "{}: {cut:?}", case.id);
        assert!(case.kept.as_ref().is_none_or(|kept| kept == cut.text), "{}: {cut:?}", case.id);
        same += 1;
    }
    assert_eq!((same, defects), (14, 5));
}

#[derive(Deserialize)]
struct ReadPageCases {
    pages: Vec<PageCase>,
}

#[derive(Deserialize)]
struct PageCase {
    id: String,
    text: Option<String>,
    lines: Option<(String, usize, usize)>,
    repeat: Option<(String, usize)>,
    offset: Option<usize>,
    limit: Option<usize>,
    past_end: Option<usize>,
    first: Option<usize>,
    last: Option<usize>,
    total: Option<usize>,
    cut_by: Option<String>,
    exactly: Option<String>,
    #[serde(default)]
    contains: Vec<String>,
    #[serde(default)]
    absent: Vec<String>,
    #[serde(default)]
    truncated_lines: usize,
}

#[test]
fn pages_of_the_read_tool() {
    let reads: ReadPageCases =
        serde_json::from_str(include_str!("../../../tests/conformance/read.json")).unwrap();
    for case in &reads.pages {
        let lines = |(prefix, from, count): &(String, usize, usize)| {
            (*from..from + count).map(|n| format!("{prefix}{n}")).collect::<Vec<_>>().join("\n")
        };
        let text = case.text.clone().or(case.lines.as_ref().map(lines));
        let text = text.or(case.repeat.as_ref().map(|(what, count)| what.repeat(*count))).unwrap();
        let usual = PageRequest::default();
        let view = PageRequest {
            offset: case.offset.unwrap_or(usual.offset),
            limit: case.limit.unwrap_or(usual.limit),
            ..usual
        };
        let page = read_page(&text, &view);
        if let Some(total) = case.past_end {
            assert_eq!(page, Err(PastEndError { offset: view.offset, total }), "{}", case.id);
            continue;
        }
        let page = page.unwrap();
        assert_eq!(Some(page.first), case.first, "{}", case.id);
        assert_eq!(Some(page.total), case.total, "{}", case.id);
        assert!(case.last.is_none_or(|last| last == page.last), "{}", case.id);
        let cut_by = match page.end_reason {
            PageEndReason::EndOfText => "end",
            PageEndReason::Limit => "limit",
            PageEndReason::Bytes => "bytes",
        };
        assert_eq!(Some(cut_by), case.cut_by.as_deref(), "{}", case.id);
        assert_eq!(page.truncated_lines.len(), case.truncated_lines, "{}", case.id);
        assert!(case.exactly.as_ref().is_none_or(|text| *text == page.text), "{}", case.id);
        assert!(case.contains.iter().all(|text| page.text.contains(text)), "{}", case.id);
        assert!(!case.absent.iter().any(|text| page.text.contains(text)), "{}", case.id);
    }
    assert_eq!(reads.pages.len(), 8);
}
