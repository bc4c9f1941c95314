//! The results: a table of operations and servers, and a reason for each answer that is not exact.

use std::fmt::Write as _;
use std::time::Duration;

use super::asked_project::PlayedSteps;
use super::judge::{AnswerGrade, JudgedAnswer};
use super::name_accuracy::{AccuracyRow, NameAccuracy};
use super::opencode_cost::QuestionCost;
use super::question::BenchProject;
use super::rename_cost::RenameCost;

/// How many letters count as one token.
const LETTERS_PER_TOKEN: usize = 4;

const OPERATIONS: [&str; 13] = [
    "goToDefinition",
    "goToDeclaration",
    "goToTypeDefinition",
    "goToImplementation",
    "findReferences",
    "hover",
    "documentSymbol",
    "workspaceSymbol",
    "incomingCalls",
    "outgoingCalls",
    "supertypes",
    "subtypes",
    "diagnostics",
];

/// As Markdown; `columns` are the servers, or what stands for them, with the words of the heading.
pub(crate) fn table(answers: &[JudgedAnswer], columns: &[(String, String)]) -> String {
    let headings: Vec<_> = columns.iter().map(|(_, heading)| heading.as_str()).collect();
    let mut text = format!("| | {} |\n|---|{}\n", headings.join(" | "), "---|".repeat(columns.len()));
    for operation in OPERATIONS {
        let _ = write!(text, "| {operation} |");
        for (server, _) in columns {
            let of: Vec<_> = answers
                .iter()
                .filter(|answer| answer.operation == operation && answer.server == *server)
                .collect();
            let count = |grade| of.iter().filter(|answer| answer.grade == grade).count();
            let mut cell = match of.len() {
                0 => "–".to_owned(),
                all => format!("{} of {all}", count(AnswerGrade::Exact)),
            };
            for (grade, word) in [
                (AnswerGrade::Lack, "lack"),
                (AnswerGrade::Admitted, "admitted"),
                (AnswerGrade::Wrong, "**wrong**"),
            ] {
                if count(grade) > 0 {
                    let _ = write!(cell, ", {} {word}", count(grade));
                }
            }
            let _ = write!(text, " {cell} |");
        }
        text.push('\n');
    }
    text.push_str("| time: median, longest |");
    for (server, _) in columns {
        let of = answers.iter().filter(|answer| answer.server == *server);
        let mut times: Vec<_> = of.map(|answer| answer.milliseconds).collect();
        times.sort_unstable();
        let cell = times.last().map(|longest| format!("{}, {longest} ms", times[times.len() / 2]));
        let _ = write!(text, " {} |", cell.unwrap_or_else(|| "–".to_owned()));
    }
    text.push('\n');
    text
}

/// What was asked about.
pub(crate) fn projects(projects: &[BenchProject]) -> String {
    let mut text = String::from("\n| | project | files | questions |\n|---|---|---|---|\n");
    for project in projects {
        let (name, about, files) = (&project.name, &project.about, project.file_count());
        let _ = writeln!(text, "| {name} | {about} | {files} | {} |", project.questions.len());
    }
    text
}

pub(crate) fn accuracy(rows: &[AccuracyRow]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "\n## Syntax trees against servers: precision / recall (names)\n\n\
         | | uses: name defined once | uses: several times | definitions: once | definitions: several times |\n|---|---|---|---|---|\n",
    );
    for row in rows {
        let cells = row.uses.iter().chain(&row.definitions).map(NameAccuracy::cell);
        let _ = writeln!(text, "| {} | {} |", row.server, cells.collect::<Vec<_>>().join(" | "));
    }
    text
}

pub(crate) fn rename_costs(costs: &[RenameCost]) -> String {
    if costs.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "\n## Renaming a function and mending its callers\n\n\
         | | function | uses | `refactor`: calls, requests | tokens | tokens sent | `grep`, `read`, `edit`: calls, requests | tokens | tokens sent |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    let cells = |played: &PlayedSteps| {
        let (calls, requests) = (played.calls, played.requests);
        let tokens = |letters: usize| letters / LETTERS_PER_TOKEN;
        format!("{calls}, {requests} | {} | {}", tokens(played.letters), tokens(played.sent_letters))
    };
    for cost in costs {
        let (server, symbol, places, files) = (&cost.server, &cost.symbol, cost.places, cost.files);
        let (refactor, edits) = (cells(&cost.by_refactor), cells(&cost.by_edits));
        let _ =
            writeln!(text, "| {server} | `{symbol}` | {places} in {files} files | {refactor} | {edits} |");
    }
    text
}

/// What a question costs, here and in OpenCode.
pub(crate) fn beside_opencode(costs: &[QuestionCost]) -> String {
    if costs.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "\n## The same question, here and in OpenCode\n\n\
         | | uses of | `lsp` here: median | tokens | OpenCode's `lsp`: median | tokens |\n|---|---|---|---|---|---|\n",
    );
    for QuestionCost { server, symbol, ours, opencode } in costs {
        let cells = |(took, letters): &(Duration, usize)| {
            format!("{:.0} ms | {}", took.as_secs_f64() * 1e3, letters / LETTERS_PER_TOKEN)
        };
        let _ = writeln!(text, "| {server} | `{symbol}` | {} | {} |", cells(ours), cells(opencode));
    }
    text
}

/// The answers that are not exact.
pub(crate) fn inexact_answers(answers: &[JudgedAnswer]) -> String {
    let mut text = String::new();
    for answer in answers.iter().filter(|answer| answer.grade != AnswerGrade::Exact) {
        let word = match answer.grade {
            AnswerGrade::Lack => "lack",
            AnswerGrade::Admitted => "admitted",
            _ => "wrong",
        };
        let why = answer.why.replace('\n', " ");
        let _ = writeln!(
            text,
            "- {}, {} of {}: **{word}**: {why}",
            answer.server, answer.operation, answer.title
        );
    }
    text
}
