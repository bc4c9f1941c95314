//! Cases from OpenCode's behaviour (`tests/conformance/apply_patch.json`). `PATCH_CONFORMANCE.md` lists our
//! differences with their reasons; this test writes it (`UPDATE_EXPECT=1`) and compares it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use expect_test::expect_file;
use serde::Deserialize;

use super::{Patch, PatchAction, PatchError, PatchHunk, PatchStep, parse, plan, update};
use crate::{FileText, LineTag};

#[derive(Deserialize)]
struct PatchCases {
    apply: Vec<ApplyCase>,
    parse: Vec<ParseCase>,
    derive: Vec<DeriveCase>,
}

#[derive(Deserialize)]
struct ApplyCase {
    #[serde(flatten)]
    case: PatchCase<CaseFiles>,
    files: CaseFiles,
    patch: String,
}

#[derive(Deserialize)]
struct ParseCase {
    #[serde(flatten)]
    case: PatchCase<Vec<SectionCase>>,
    patch: String,
}

#[derive(Deserialize)]
struct DeriveCase {
    #[serde(flatten)]
    case: PatchCase<String>,
    hunks: Vec<HunkCase>,
    text: String,
}

#[derive(Deserialize)]
struct PatchCase<T> {
    id: String,
    name: String,
    v1: ExpectedPatch<T>,
    v2: ExpectedPatch<T>,
    defect: Option<String>,
}

/// The result, under one of three names, or the error with the patch line it names.
#[derive(Deserialize)]
struct ExpectedPatch<T> {
    #[serde(alias = "files", alias = "sections", alias = "text")]
    good: Option<T>,
    line: Option<usize>,
}

type CaseFiles = BTreeMap<String, String>;

#[derive(Debug, PartialEq, Deserialize)]
struct SectionCase {
    kind: String,
    path: String,
    text: Option<String>,
    to: Option<String>,
    hunks: Option<Vec<HunkCase>>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct HunkCase {
    old: Vec<String>,
    new: Vec<String>,
    header: Option<String>,
    #[serde(default)]
    at_end: bool,
}

/// Why we differ from both dialects, or from the only one without a defect.
const REASONS: &[(&str, &[&str])] = &[
    (
        "a file without a final newline stays without one: the patch does not ask for it",
        &["patch-009", "patch-030", "patch-032", "patch-073", "derive-007"],
    ),
    ("a file that the patch does not show is not overwritten", &["patch-011", "patch-012", "patch-056"]),
    ("upstream defect: a blank last line is lost", &["patch-059"]),
    ("upstream defect: lines of a CRLF file get LF", &["patch-060"]),
    ("upstream defect: lines go to the end of the file instead of below their header", &["patch-061"]),
    ("upstream defect: of two places the first is changed, whichever was meant", &["patch-075"]),
    ("a hunk that fits in only one place applies there, even out of order", &["patch-068"]),
    ("new lines get the file's indentation of the lines they replace", &["patch-072", "derive-009"]),
    ("lines added without a place go to the end only with `*** End of File`", &["derive-003", "derive-004"]),
];

#[derive(Default)]
struct PatchConformanceReport {
    counts: Vec<String>,
    ours: Vec<(String, String)>,
    dialects: Vec<(String, String)>,
}

impl PatchConformanceReport {
    /// Compares our results with both dialects.
    fn all<T: PartialEq, E>(&mut self, kind: &str, cases: Vec<(PatchCase<T>, Result<T, E>)>) {
        let (mut both, mut one, mut differ, mut defects) = (0, 0, 0, 0);
        for (case, ours) in &cases {
            let same = |outcome: &ExpectedPatch<T>| match ours {
                Ok(ours) => outcome.good.as_ref() == Some(ours),
                Err(_) => outcome.good.is_none(),
            };
            let does = if ours.is_ok() { "applied" } else { "refused" };
            let row = (case.id.clone(), format!("{}: {does}", case.name));
            defects += usize::from(case.defect.is_some());
            match (same(&case.v1), same(&case.v2)) {
                (true, true) => {
                    both += 1;
                    assert!(case.defect.is_none(), "{}: has the defect", case.id);
                }
                (false, false) => {
                    differ += 1;
                    self.ours.push(row);
                }
                (v1, _) => {
                    one += 1;
                    let by = if v1 { "v1" } else { "v2" };
                    let defect = case.defect.as_deref().unwrap_or_default();
                    assert!(!defect.starts_with(by), "{}: has the defect", case.id);
                    let defect = if defect.is_empty() { "" } else { "; the other has a defect" };
                    self.dialects.push((row.0, format!("{}, like {by}{defect}", row.1)));
                }
            }
        }
        let all = cases.len();
        self.counts.push(format!("| {kind} | {all} | {both} | {one} | {differ} | {defects} |"));
    }

    fn page(&self) -> String {
        let mut page = "# Where our patches differ from OpenCode's\n\nA test writes this page from \
             `tests/conformance/apply_patch.json` (v1: OpenCode 1.18.18, v2: its next branch).\n\n\
             | cases | all | like both | like one of them | like neither | with an upstream defect |\n|---|---|---|---|---|---|\n"
            .to_owned();
        for line in &self.counts {
            writeln!(page, "{line}").unwrap();
        }
        page.push_str("\n## Like neither\n\n| case | ours | why |\n|---|---|---|\n");
        for (id, does) in &self.ours {
            let why = REASONS.iter().find(|(_, ids)| ids.contains(&id.as_str()));
            let (why, _) = why.unwrap_or_else(|| panic!("{id} differs without a reason: {does}"));
            writeln!(page, "| {id} | {does} | {why} |").unwrap();
        }
        page.push_str("\n## Like one of them\n\n| case | ours |\n|---|---|\n");
        for (id, does) in &self.dialects {
            writeln!(page, "| {id} | {does} |").unwrap();
        }
        page
    }
}

fn applied(case: &ApplyCase) -> Result<CaseFiles, PatchError> {
    let read: BTreeMap<_, _> = case.files.iter().map(|(path, text)| (path, file(text))).collect();
    let patch = parse(&case.patch)?;
    let mut files = case.files.clone();
    for step in plan(&patch, |path| read.get(&path.to_owned()).map(FileText::text))? {
        let edited = |path: &String, change: &crate::Change| {
            let file = &read[path];
            String::from_utf8(file.with_text(change.apply(file.text()).unwrap()).encode()).unwrap()
        };
        match step {
            PatchStep::Create { path, text } => drop(files.insert(path, text)),
            PatchStep::Delete { path } => drop(files.remove(&path)),
            PatchStep::Edit { path, change, .. } => {
                let text = edited(&path, &change);
                files.insert(path, text);
            }
            PatchStep::Move { path, to, change, .. } => {
                files.insert(to, edited(&path, &change));
                files.remove(&path);
            }
        }
    }
    Ok(files)
}

fn file(text: &str) -> FileText {
    FileText::decode(text.into()).unwrap()
}

fn sections(patch: &Patch<'_>) -> Vec<SectionCase> {
    let hunk = |hunk: &PatchHunk<'_>| {
        let lines = |without: LineTag| hunk.lines.iter().filter(move |line| line.0 != without);
        let texts = |without| lines(without).map(|line| line.1.to_owned()).collect();
        let header = hunk.headers.last().map(|header| (*header).to_owned());
        HunkCase { old: texts(LineTag::Insert), new: texts(LineTag::Delete), header, at_end: hunk.at_end }
    };
    let section = |section: &super::PatchSection<'_>| {
        let (kind, text, to, hunks) = match &section.action {
            PatchAction::Add(lines) => ("add", Some(lines.join("\n")), None, None),
            PatchAction::Delete => ("delete", None, None, None),
            PatchAction::Update { to, hunks } => {
                ("update", None, *to, Some(hunks.iter().map(hunk).collect()))
            }
        };
        SectionCase { kind: kind.into(), path: section.path.into(), text, to: to.map(str::to_owned), hunks }
    };
    patch.sections.iter().map(section).collect()
}

fn derived(case: &DeriveCase) -> Result<String, Vec<super::HunkError>> {
    let hunk = |hunk: &'_ HunkCase| {
        let old = hunk.old.iter().map(|line| (LineTag::Delete, line.clone()));
        let lines: Vec<_> = old.chain(hunk.new.iter().map(|line| (LineTag::Insert, line.clone()))).collect();
        (lines, hunk.header.clone(), hunk.at_end)
    };
    let owned: Vec<_> = case.hunks.iter().map(hunk).collect();
    let hunks: Vec<_> = owned
        .iter()
        .map(|(lines, header, at_end)| PatchHunk {
            line: 1,
            headers: header.iter().map(String::as_str).collect(),
            lines: lines.iter().map(|(tag, line)| (*tag, line.as_str())).collect(),
            at_end: *at_end,
        })
        .collect();
    let file = file(&case.text);
    let text = update(file.text(), &hunks)?.change.apply(file.text()).unwrap();
    Ok(String::from_utf8(file.with_text(text).encode()).unwrap())
}

#[test]
fn every_difference_has_its_reason() {
    let cases: PatchCases =
        serde_json::from_str(include_str!("../../../../tests/conformance/apply_patch.json")).unwrap();
    let mut report = PatchConformanceReport::default();
    let ours = |case: ApplyCase| (applied(&case), case);
    report.all("apply", cases.apply.into_iter().map(ours).map(|(ours, case)| (case.case, ours)).collect());
    let ours = |case: ParseCase| (parse(&case.patch).map(|patch| sections(&patch)), case);
    report.all("parse", cases.parse.into_iter().map(ours).map(|(ours, case)| (case.case, ours)).collect());
    let ours = |case: DeriveCase| (derived(&case), case);
    report.all("derive", cases.derive.into_iter().map(ours).map(|(ours, case)| (case.case, ours)).collect());
    let differ: Vec<_> = report.ours.iter().map(|row| row.0.as_str()).collect();
    let idle: Vec<_> = REASONS.iter().flat_map(|row| row.1).filter(|id| !differ.contains(id)).collect();
    assert!(idle.is_empty(), "reasons for what is the same: {idle:?}");
    expect_file!["../../PATCH_CONFORMANCE.md"].assert_eq(&report.page());
}

#[test]
fn a_wrong_line_is_named_by_its_number() {
    let cases: PatchCases =
        serde_json::from_str(include_str!("../../../../tests/conformance/apply_patch.json")).unwrap();
    let mut named = 0;
    for case in &cases.parse {
        if let (Some(expected), Err(error)) = (case.case.v2.line, parse(&case.patch)) {
            let PatchError::Syntax { line, .. } = error else { panic!("{}: {error}", case.case.id) };
            assert_eq!(line, expected, "{}: {error}", case.case.id);
            named += 1;
        }
    }
    assert_eq!(named, 19);
}
