//! `pyright --outputjson` and `ruff check`.

use serde_json::Value;

use super::{ProjectCompiler, TruthProblem};

pub(super) fn pyright(at: &ProjectCompiler) -> Vec<TruthProblem> {
    let (said, problem) = at.run(&["--outputjson"], &[]);
    let said: Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{said}{problem}"));
    let one = |told: &Value| TruthProblem {
        path: at.relative_path(told["file"].as_str().unwrap()),
        line: told["range"]["start"]["line"].as_u64().map_or(1, |line| line as usize + 1),
        is_error: told["severity"] == "error",
        code: told["rule"].as_str().unwrap_or_default().to_owned(),
        message: told["message"].as_str().unwrap().to_owned(),
        source: "pyright".to_owned(),
    };
    said["generalDiagnostics"].as_array().unwrap().iter().map(one).collect()
}

pub(super) fn ruff(at: &ProjectCompiler) -> Vec<TruthProblem> {
    let (said, problem) = at.run(&["check", "--no-cache", "--output-format", "json"], &[]);
    let said: Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{said}{problem}"));
    let one = |told: &Value| {
        let code = told["code"].as_str().unwrap_or_default().to_owned();
        TruthProblem {
            path: at.relative_path(told["filename"].as_str().unwrap()),
            line: told["location"]["row"].as_u64().unwrap() as usize,
            // Its command line has no severities; its server calls the rest warnings.
            is_error: matches!(code.as_str(), "" | "invalid-syntax" | "F821" | "E902"),
            code,
            message: told["message"].as_str().unwrap().to_owned(),
            source: "ruff".to_owned(),
        }
    };
    said.as_array().unwrap().iter().map(one).collect()
}
