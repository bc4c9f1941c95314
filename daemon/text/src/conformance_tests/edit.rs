//! The edit tool: each case matches one of OpenCode's two versions, or is listed in the table of differences
//! (`CONFORMANCE.md`) with our behaviour and the reason.

use expect_test::expect_file;
use serde::Deserialize;

use super::CaseList;
use crate::{FileText, ReplaceError, replace};

#[derive(Deserialize)]
struct EditCase {
    id: String,
    content: Option<String>,
    old: String,
    new: String,
    all: bool,
    v1: ExpectedEdit,
    v2: ExpectedEdit,
    defect: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ExpectedEdit {
    content: Option<String>,
    error: Option<String>,
}

impl ExpectedEdit {
    fn is(&self, ours: &Result<String, &str>) -> bool {
        match ours {
            Ok(content) => self.content.as_ref() == Some(content),
            Err(error) => self.error.as_deref() == Some(*error),
        }
    }
}

/// Edits a file, from bytes to bytes. Returns the result or the cases' name for the error, and the tier.
fn edited(content: &str, case: &EditCase) -> (Result<String, &'static str>, &'static str) {
    let file = FileText::decode(content.into()).unwrap();
    match replace(file.text(), &case.old, &case.new, case.all) {
        Ok(replaced) => {
            let edited = file.with_text(replaced.change.apply(file.text()).unwrap());
            (Ok(String::from_utf8(edited.encode()).unwrap()), replaced.tier.name())
        }
        Err(ReplaceError::Identical | ReplaceError::AlreadyReplaced { .. }) => (Err("identical"), ""),
        Err(ReplaceError::BlankOld) => (Err("empty"), ""),
        Err(ReplaceError::NotFound { .. } | ReplaceError::Unclear { .. }) => (Err("not-found"), ""),
        Err(ReplaceError::Ambiguous { tier, .. }) => (Err("several"), tier.name()),
    }
}

/// Every case where we differ from v1, and why.
const DIFFERENCES: &[(&str, &[&str])] = &[
    (
        "superseded: new lines get the indentation of the lines they replace; v1 writes them as given",
        &["050", "053", "056", "071", "073", "077", "109"],
    ),
    ("superseded: lines without a common indentation rule may belong to another block; as v2", &["057"]),
    ("upstream defect: the indentation is lost", &["095"]),
    ("upstream defect: a line break at the end of both texts becomes a blank line", &["096"]),
    ("upstream defect: the first of two places is replaced; we reject the edit", &["097"]),
    ("upstream defect: it deletes a line that the model did not show", &["101"]),
    ("upstream defect: `$` is expanded in the new text", &["117"]),
    ("upstream defect: lines that end with `\\n` are rewritten with `\\r\\n`", &["121"]),
    ("superseded: v1 writes `\\n` into a file of `\\r\\n`; as v2", &["042"]),
    ("superseded: v1 does not know typography; as v2", &["038", "127"]),
    ("superseded: the file's line does not resemble the one shown, so it stays; as v2", &["114"]),
    (
        "superseded: escapes are decoded in the model's text, never in the file, where they are text; as v2",
        &["112"],
    ),
    ("superseded: all lines were shown, as escapes; v1 reads them as one line, which is too short", &["116"]),
    (
        "superseded: every place is replaced, each with its own indentation; v1 replaces only the first kind",
        &["119"],
    ),
    ("superseded: copied line numbers are recognised", &["124"]),
];

/// The page of differences, rendered from the cases and our results.
fn page(rows: &str, counts: &str) -> String {
    format!(
        "# Where `replace` differs from OpenCode's `edit`\n\n\
         The cases are those of `tests/conformance/edit.json`; they contain the outcomes of two versions, v1 and v2.\n\
         A test (`src/conformance_tests/edit.rs`) compares this page; run it with `UPDATE_EXPECT=1` to update the page.\n\n\
         {counts}\n\n| case | v1 | v2 | ours | tier | why |\n|---|---|---|---|---|---|\n{rows}"
    )
}

fn cell(outcome: Result<&str, &str>) -> String {
    match outcome {
        Ok(content) => format!("`{}`", format!("{content:?}").replace('|', "\\|")),
        Err(error) => error.to_owned(),
    }
}

#[test]
fn every_case_is_as_expected_or_stands_in_the_table() {
    let file = include_str!("../../../../tests/conformance/edit.json");
    let cases: CaseList<EditCase> = serde_json::from_str(file).unwrap();
    let (mut both, mut one, mut two, mut without_file) = (0, 0, 0, 0);
    let (mut defects, mut superseded, mut rows) = (0, 0, String::new());
    for case in &cases.cases {
        // The tool checks whether the file exists.
        let Some(content) = &case.content else {
            without_file += 1;
            continue;
        };
        let (ours, tier) = edited(content, case);
        let (v1, v2) = (case.v1.is(&ours), case.v2.is(&ours));
        let number = case.id.strip_prefix("edit-").unwrap();
        let why = DIFFERENCES.iter().find(|(_, cases)| cases.contains(&number)).map(|(why, _)| *why);
        assert_eq!(why.is_none(), v1, "{}: {ours:?} by {tier}, not {:?}", case.id, case.v1);
        let is_defect = why.is_some_and(|why| why.starts_with("upstream defect"));
        assert_eq!(is_defect, case.defect.is_some(), "{}: {:?}", case.id, case.defect);
        let Some(why) = why else {
            both += usize::from(v2);
            one += usize::from(!v2);
            continue;
        };
        assert_eq!(v2, why.ends_with("as v2") || matches!(number, "101" | "117"), "{}: {why}", case.id);
        two += usize::from(v2);
        defects += usize::from(is_defect);
        superseded += usize::from(!is_defect);
        let [v1, v2] = [&case.v1, &case.v2].map(|outcome| match (&outcome.content, &outcome.error) {
            (Some(content), _) => cell(Ok(content)),
            (None, error) => cell(Err(error.as_deref().unwrap_or_default())),
        });
        let ours = cell(ours.as_deref().map_err(|error| *error));
        rows += &format!("| {} | {v1} | {v2} | {ours} | {tier} | {why} |\n", case.id);
    }
    let listed: usize = DIFFERENCES.iter().map(|(_, cases)| cases.len()).sum();
    assert_eq!(defects + superseded, listed, "a case is listed twice or does not exist");
    assert_eq!(both + one + defects + superseded + without_file, cases.cases.len());
    let counts = format!(
        "Of {} cases {without_file} are about a missing file, which the tool checks. In {both} all three agree;\n\
         in {one} we match v1 and v2 differs. {defects} are defects of v1, {superseded} more are superseded; in {two} of those we\n\
         match v2.",
        cases.cases.len()
    );
    expect_file!["../../CONFORMANCE.md"].assert_eq(&page(&rows, &counts));
}
