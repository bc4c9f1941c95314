//! The daemon's report about one step: in the metadata of its calls, and in the model's input.

use serde_json::Value;

use super::problem::TruthProblem;

#[derive(Debug, Clone, Default)]
pub(crate) struct ReportedProblems {
    pub(crate) new: Vec<TruthProblem>,
    /// Reported as possibly new.
    pub(crate) unsure: Vec<TruthProblem>,
    pub(crate) reports: Vec<ReportedSource>,
    pub(crate) fixed: u64,
    /// The baseline is unknown, and the report says that there is no error now.
    pub(crate) has_none: bool,
    pub(crate) waited_ms: u64,
    /// Those of both that the model did not get.
    pub(crate) unread: Vec<TruthProblem>,
    /// Failed calls, with their errors: such a case cannot be judged.
    pub(crate) failed: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReportedSource {
    pub(crate) source: String,
    /// `proven`, `likely` or `unknown`.
    pub(crate) proof: String,
    pub(crate) why: String,
}

impl ReportedSource {
    /// Whether it is the report of a server or a checker, not of the built-in parser.
    pub(crate) fn is_from_server(&self) -> bool {
        self.source != "tree-sitter"
    }
}

impl ReportedProblems {
    /// From the parts of the step's calls, and the model's next input.
    pub(crate) fn collect(calls: &[Value], read: &str) -> Self {
        let mut told = Self::default();
        for call in calls {
            let output = &call["output"];
            if output["isError"] == true {
                told.failed.push(output["text"].as_str().unwrap_or_default().chars().take(200).collect());
            }
            let diagnostics = &output["metadata"]["diagnostics"];
            for report in diagnostics["reports"].as_array().into_iter().flatten() {
                let text = |key: &str| report[key].as_str().unwrap_or_default().to_owned();
                told.reports.push(ReportedSource {
                    source: text("source"),
                    proof: text("proof"),
                    why: text("why"),
                });
            }
            told.new.extend(diagnostics["new"].as_array().into_iter().flatten().map(problem));
            told.unsure.extend(diagnostics["unsure"].as_array().into_iter().flatten().map(problem));
            told.fixed += diagnostics["fixed"].as_u64().unwrap_or(0);
            told.waited_ms = told.waited_ms.max(diagnostics["waitedMs"].as_u64().unwrap_or(0));
        }
        told.has_none = read.lines().any(|line| line.ends_with(", proven for this text: no errors"));
        let both = told.new.iter().chain(&told.unsure);
        told.unread = both.filter(|one| !read.contains(&place(one))).cloned().collect();
        // A late result, or one after a command, is a note. A note may report a possibly new problem as new.
        for noted in read.lines().filter_map(parse_note) {
            let is_there = |known: &TruthProblem| known.path == noted.path && known.line == noted.line;
            let is_unsure = |known: &TruthProblem| is_there(known) && noted.message.contains(&words(known));
            if !told.new.iter().any(is_there) && !told.unsure.iter().any(is_unsure) {
                told.new.push(noted);
            }
        }
        told
    }

    pub(crate) fn is_known(&self) -> bool {
        self.reports.iter().any(|report| report.is_from_server() && report.proof != "unknown")
    }

    /// The source that is reported as unknown, if there is one.
    pub(crate) fn unknown_source(&self) -> Option<&ReportedSource> {
        self.reports.iter().find(|report| report.proof == "unknown")
    }
}

fn place(problem: &TruthProblem) -> String {
    format!("{}:{}:", problem.path, problem.line)
}

/// The part of the message that is always reported, however long it is.
fn words(problem: &TruthProblem) -> String {
    problem.message.lines().next().unwrap_or_default().trim().chars().take(100).collect()
}

fn problem(told: &Value) -> TruthProblem {
    let text = |key: &str| told[key].as_str().unwrap_or_default().to_owned();
    TruthProblem {
        path: text("path"),
        line: told["line"].as_u64().unwrap_or(0) as usize,
        is_error: told["severity"] == "error",
        code: told["code"]
            .as_str()
            .map_or_else(|| told["code"].to_string().replace("null", ""), str::to_owned),
        message: text("message"),
        source: text("source"),
    }
}

/// Parses `path:line:column error …`, as a model gets it.
fn parse_note(line: &str) -> Option<TruthProblem> {
    let (place, rest) = line.trim_start_matches(['-', ' ', '*']).split_once(' ')?;
    let mut parts = place.rsplitn(3, ':');
    parts.next()?.parse::<usize>().ok()?;
    let (line, path) = (parts.next()?.parse().ok()?, parts.next()?.to_owned());
    let is_error = rest.starts_with("error");
    let message = rest.to_owned();
    (is_error || rest.starts_with("warning")).then(|| TruthProblem {
        path,
        line,
        is_error,
        code: String::new(),
        message,
        source: "note".to_owned(),
    })
}
