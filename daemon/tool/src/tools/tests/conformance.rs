//! Cases from OpenCode's behaviour (`tests/conformance`), through the tools themselves: what is otherwise here stands with
//! its reason in `CONFORMANCE.md`, which this test writes (`UPDATE_EXPECT=1`) and compares.

use std::borrow::Cow;
use std::fmt::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use copydesk_permission::{PermissionAction, default_rules};
use expect_test::expect_file;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::fixture::{ToolFixture, fixture};
use crate::context::ToolContext;
use crate::outcome::{CallOutcome, ToolError, ToolOutput};
use crate::output_spill::OutputSpill;
use crate::registry::{ToolOutputLimits, ToolRegistry};
use crate::tool::{Tool, box_tool};

/// Where we mean to do otherwise, and why.
const DIFFERENCES: &[(&str, &str)] = &[
    ("read-012", "a text is shown whatever its name ends with; what is binary is told by its bytes"),
    (
        "read-021",
        "instructions beside a file are a note of its own after the call, once in a session, not a part of what is read",
    ),
    ("trunc-003", "a defect there: of a line longer than the limit nothing is shown; here its beginning is"),
    ("trunc-007", "a defect there: of a line longer than the limit nothing is shown; here its beginning is"),
    ("trunc-014", "a defect there: a final newline counts as one more line"),
    ("trunc-016", "a defect there: of a line longer than the limit nothing is shown; here its beginning is"),
    ("trunc-017", "a defect there: of a line longer than the limit nothing is shown; here its beginning is"),
];

/// What a case of a kind came to: its id, and whether it is as there.
struct Kind {
    name: &'static str,
    cases: Vec<(String, bool)>,
}

#[tokio::test]
async fn read_and_truncation() {
    let reads: Value =
        serde_json::from_str(include_str!("../../../../../tests/conformance/read.json")).unwrap();
    let cuts: Value =
        serde_json::from_str(include_str!("../../../../../tests/conformance/truncation.json")).unwrap();
    let mut kinds = Vec::new();
    for (name, cases) in [
        ("read: pages of a text", &reads["pages"]),
        ("read: files and folders", &reads["files"]),
        ("read: files with secrets", &reads["env"]),
        ("truncation", &cuts["cases"]),
    ] {
        let mut kind = Kind { name, cases: Vec::new() };
        for case in cases.as_array().unwrap() {
            let is_same = match name {
                "read: pages of a text" => page(case).await,
                "read: files and folders" => file(case).await,
                "read: files with secrets" => secret(case),
                _ => cut(case).await,
            };
            kind.cases.push((case["id"].as_str().unwrap().to_owned(), is_same));
        }
        kinds.push(kind);
    }
    expect_file!["../../../CONFORMANCE.md"].assert_eq(&written(&kinds));
}

fn written(kinds: &[Kind]) -> String {
    let mut text = "# Where `read` and the cutting of outputs differ from OpenCode\n\n\
        The cases are those of `tests/conformance/read.json` and `truncation.json`: what is done, not in which words it is \
        told. Our words,\nand the frame around a text, are our own throughout. A test (`src/tools/tests/conformance.rs`) runs \
        them through the tools and\nwrites this page; to renew it, run it with `UPDATE_EXPECT=1`.\n\n\
        | cases | all | as there | otherwise |\n|---|---|---|---|\n"
        .to_owned();
    let mut others = Vec::new();
    for Kind { name, cases } in kinds {
        let same = cases.iter().filter(|(_, is_same)| *is_same).count();
        let _ = writeln!(text, "| {name} | {} | {same} | {} |", cases.len(), cases.len() - same);
        others.extend(cases.iter().filter(|(_, is_same)| !is_same).map(|(id, _)| id.as_str()));
    }
    text += "\n| case | why |\n|---|---|\n";
    for (id, why) in DIFFERENCES {
        let _ = writeln!(text, "| {id} | {why} |");
    }
    let known: Vec<_> = DIFFERENCES.iter().map(|(id, _)| *id).collect();
    assert_eq!(others, known, "what differs, and the table of it");
    text
}

/// The text of a case: as it stands, or made.
fn text_of(case: &Value) -> String {
    let lines = |prefix: &Value, from: u64, count: u64| {
        let line = |number| format!("{}{number}", prefix.as_str().unwrap());
        (from..from + count).map(line).collect::<Vec<_>>().join("\n")
    };
    match (&case["text"], case["lines"].as_array(), case["repeat"].as_array()) {
        (Value::String(text), ..) => text.clone(),
        (_, Some(made), _) if made.len() == 3 => {
            lines(&made[0], made[1].as_u64().unwrap(), made[2].as_u64().unwrap())
        }
        (_, Some(made), _) => lines(&made[0], 0, made[1].as_u64().unwrap()),
        (_, _, Some(made)) => made[0].as_str().unwrap().repeat(made[1].as_u64().unwrap() as usize),
        _ => panic!("{case} has no text"),
    }
}

async fn read(fixture: &ToolFixture, path: &str, case: &Value) -> CallOutcome {
    let mut arguments = json!({ "filePath": path });
    for key in ["offset", "limit"] {
        if case[key].is_u64() {
            arguments[key] = case[key].clone();
        }
    }
    fixture.call("read", arguments).await
}

async fn page(case: &Value) -> bool {
    let fixture = fixture(&[("a.txt", &text_of(case))]);
    let outcome = read(&fixture, "a.txt", case).await;
    if let Some(total) = case["past_end"].as_u64() {
        return outcome.error_kind.is_some() && outcome.output.contains(&total.to_string());
    }
    let told = |key: &str| case[key].is_null() || case[key] == outcome.metadata.to_value()[key];
    let has = |key: &str, wanted: bool| {
        let texts = case[key].as_array().into_iter().flatten();
        texts.map(|text| text.as_str().unwrap()).all(|text| outcome.output.contains(text) == wanted)
    };
    let is_cut = case["cut_by"] != "end";
    let is_shortened = case["truncated_lines"].is_null() || outcome.output.contains('…');
    outcome.error_kind.is_none()
        && ["first", "last", "total"].into_iter().all(told)
        && outcome.metadata.to_value()["truncated"] == is_cut
        && has("contains", true)
        && has("absent", false)
        && is_shortened
}

async fn file(case: &Value) -> bool {
    let fixture = fixture(&[]);
    if let Some(entries) = case["entries"].as_u64() {
        (0..entries).for_each(|number| fixture.put(&format!("folder/file-{number}"), b""));
        let outcome = read(&fixture, "folder", case).await;
        return outcome.error_kind.is_none()
            && outcome.metadata.to_value()["truncated"] == case["truncated"]
            && outcome.output.contains(&format!("({entries} entries.)"));
    }
    let path = case["file"].as_str().unwrap();
    match case["base64"].as_str() {
        Some(bytes) => fixture.put(path, &STANDARD.decode(bytes).unwrap()),
        None => fixture.put(path, text_of(case).as_bytes()),
    }
    if let Some(nearby) = case["nearby"].as_str() {
        fixture.put(nearby, b"# Instructions\n");
    }
    let outcome = read(&fixture, path, case).await;
    let media: Vec<_> = outcome.media.iter().map(|media| media.mime.as_str()).collect();
    if let Some(mime) = case["mime"].as_str() {
        return outcome.error_kind.is_none() && media == [mime];
    }
    if let Some(why) = case["refused"].as_str() {
        return outcome.error_kind.is_some() && outcome.output.contains(why);
    }
    let is_whole = outcome.error_kind.is_none()
        && media.is_empty()
        && outcome.metadata.to_value()["total"] == case["total"];
    is_whole && (case["nearby"].is_null() || outcome.output.contains("Instructions"))
}

fn secret(case: &Value) -> bool {
    let asks = default_rules().evaluate("read", case["file"].as_str().unwrap()) == PermissionAction::Ask;
    asks == case["asks"]
}

/// Says what it is told to.
struct Speaker {
    text: String,
    keep_end: bool,
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

impl Tool for Speaker {
    type Parameters = Nothing;

    fn name(&self) -> Cow<'static, str> {
        "speak".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        "Speaks.".into()
    }

    async fn run(&self, _: Nothing, _: ToolContext) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput { output: self.text.clone(), keep_end: self.keep_end, ..ToolOutput::default() })
    }
}

async fn cut(case: &Value) -> bool {
    let (text, keep_end) = (text_of(case), case["tail"] == true);
    let number = |key: &str| case[key].as_u64().and_then(|number| usize::try_from(number).ok());
    let usual = ToolOutputLimits::default();
    let limits = ToolOutputLimits {
        lines: number("max_lines").unwrap_or(usual.lines),
        bytes: number("max_bytes").unwrap_or(usual.bytes),
    };
    let fixture = fixture(&[]);
    let mut registry = ToolRegistry::new(limits, OutputSpill::new(&fixture.path("../spill")));
    registry.add(box_tool(Speaker { text: text.clone(), keep_end }));
    let said = registry.run_raw_call("speak", "{}", fixture.context()).await.output;
    let (lines, bytes) = (number("omitted_lines"), number("omitted_bytes"));
    if lines.is_none() && bytes.is_none() {
        return said == text;
    }
    let marks = lines.is_none_or(|lines| said.contains(&format!("[{lines} lines (")))
        && bytes.is_none_or(|bytes| said.contains(&format!("({bytes} bytes) are left out.")));
    let kept = case["kept"].as_str().is_none_or(|kept| match keep_end {
        true => said.ends_with(&format!("]\n\n{kept}")),
        false => said.starts_with(&format!("{kept}\n\n[")),
    });
    marks && kept
}
