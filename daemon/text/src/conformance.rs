//! Cases from OpenCode's behaviour (`tests/conformance`): what we do as it does, what we leave to a later tier, and which
//! of its defects we do not have.

use serde::Deserialize;

use crate::{CutBy, FileText, Keep, Limits, PastEnd, ReplaceError, View, numbered, replace, truncate};

#[derive(Deserialize)]
struct Cases<T> {
    cases: Vec<T>,
}

#[derive(Deserialize)]
struct EditCase {
    id: String,
    content: Option<String>,
    old: String,
    new: String,
    all: bool,
    v1: Outcome,
    v2: Outcome,
    defect: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Outcome {
    content: Option<String>,
    by: Option<String>,
    error: Option<String>,
}

impl Outcome {
    fn is_fuzzy(&self) -> bool {
        self.by.as_deref().is_some_and(|by| by != "exact")
    }

    fn is(&self, ours: &Result<String, &str>) -> bool {
        match ours {
            Ok(content) => self.content.as_ref() == Some(content),
            Err(error) => self.error.as_deref() == Some(*error),
        }
    }
}

/// The edit of a file, from bytes to bytes, with the error as the cases name it.
fn edited(content: &str, case: &EditCase) -> Result<String, &'static str> {
    let file = FileText::decode(content.into()).unwrap();
    match replace(file.text(), &case.old, &case.new, case.all) {
        Ok(change) => {
            let edited = file.with_text(change.apply(file.text()).unwrap());
            Ok(String::from_utf8(edited.encode()).unwrap())
        }
        Err(ReplaceError::Identical) => Err("identical"),
        Err(ReplaceError::EmptyOld) => Err("empty"),
        Err(ReplaceError::NotFound { .. }) => Err("not-found"),
        Err(ReplaceError::Several { .. }) => Err("several"),
    }
}

#[test]
fn the_edit_tool_exact_tier() {
    let file = include_str!("../../../tests/conformance/edit.json");
    let cases: Cases<EditCase> = serde_json::from_str(file).unwrap();
    let (mut exact, mut fuzzy, mut defects, mut without_file) = (0, 0, 0, 0);
    let mut one_dialect = Vec::new();
    for case in &cases.cases {
        // Whether there is a file is for the tool to see.
        let Some(content) = &case.content else {
            without_file += 1;
            continue;
        };
        let ours = edited(content, case);
        if case.defect.is_some() {
            assert!(!case.v1.is(&ours), "{}: has the defect: {ours:?}", case.id);
            defects += 1;
        } else if case.v1.is_fuzzy() || case.v2.is_fuzzy() {
            // What only a fuzzy matcher finds is not found here, whatever it is.
            assert_eq!(ours, Err("not-found"), "{}", case.id);
            fuzzy += 1;
        } else {
            let (v1, v2) = (case.v1.is(&ours), case.v2.is(&ours));
            assert!(v1 || v2, "{}: {ours:?}, not {:?}", case.id, case.v1);
            exact += 1;
            if !(v1 && v2) {
                one_dialect.push(case.id.as_str());
            }
        }
    }
    assert_eq!((exact, fuzzy, defects, without_file, cases.cases.len()), (86, 33, 6, 6, 131));
    // 098, 116: v1 finds or refuses them by a fuzzy matcher, v2 does not find them; 131: v2 takes the first of two places
    // that overlap, v1 and we ask which.
    assert_eq!(one_dialect, ["edit-098", "edit-116", "edit-131"]);
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
    let cases: Cases<TruncationCase> = serde_json::from_str(file).unwrap();
    let (mut same, mut defects) = (0, 0);
    for case in &cases.cases {
        let lines = |(prefix, count): &(String, usize)| {
            (0..*count).map(|n| format!("{prefix}{n}")).collect::<Vec<_>>().join("\n")
        };
        let text = case.text.clone().or(case.lines.as_ref().map(lines));
        let text = text.or(case.repeat.as_ref().map(|(what, count)| what.repeat(*count))).unwrap();
        let usual = Limits::default();
        let limits = Limits {
            lines: case.max_lines.unwrap_or(usual.lines),
            bytes: case.max_bytes.unwrap_or(usual.bytes),
        };
        let cut = truncate(&text, limits, if case.tail { Keep::Tail } else { Keep::Head });
        if case.defect.is_some() {
            // Upstream shows nothing, or counts a line that is none.
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
struct Reads {
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
    let reads: Reads = serde_json::from_str(include_str!("../../../tests/conformance/read.json")).unwrap();
    for case in &reads.pages {
        let lines = |(prefix, from, count): &(String, usize, usize)| {
            (*from..from + count).map(|n| format!("{prefix}{n}")).collect::<Vec<_>>().join("\n")
        };
        let text = case.text.clone().or(case.lines.as_ref().map(lines));
        let text = text.or(case.repeat.as_ref().map(|(what, count)| what.repeat(*count))).unwrap();
        let usual = View::default();
        let view = View {
            offset: case.offset.unwrap_or(usual.offset),
            limit: case.limit.unwrap_or(usual.limit),
            ..usual
        };
        let page = numbered(&text, &view);
        if let Some(total) = case.past_end {
            assert_eq!(page, Err(PastEnd { offset: view.offset, total }), "{}", case.id);
            continue;
        }
        let page = page.unwrap();
        assert_eq!(Some(page.first), case.first, "{}", case.id);
        assert_eq!(Some(page.total), case.total, "{}", case.id);
        assert!(case.last.is_none_or(|last| last == page.last), "{}", case.id);
        let cut_by = match page.cut_by {
            CutBy::End => "end",
            CutBy::Limit => "limit",
            CutBy::Bytes => "bytes",
        };
        assert_eq!(Some(cut_by), case.cut_by.as_deref(), "{}", case.id);
        assert_eq!(page.truncated_lines, case.truncated_lines, "{}", case.id);
        assert!(case.exactly.as_ref().is_none_or(|text| *text == page.text), "{}", case.id);
        assert!(case.contains.iter().all(|text| page.text.contains(text)), "{}", case.id);
        assert!(!case.absent.iter().any(|text| page.text.contains(text)), "{}", case.id);
    }
    assert_eq!(reads.pages.len(), 8);
}
