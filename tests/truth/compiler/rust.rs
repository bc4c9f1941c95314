//! `cargo check`.

use serde_json::Value;

use super::{ProjectCompiler, TruthProblem, cache};

pub(super) fn check(at: &ProjectCompiler) -> Vec<TruthProblem> {
    let target = cache().join("truth/target");
    let args = ["check", "--quiet", "--offline", "--message-format", "json"];
    let (said, failed) = at.run(&args, &[("CARGO_TARGET_DIR", &target)]);
    let lines = said.lines().filter_map(|line| serde_json::from_str(line).ok());
    let mut problems: Vec<_> = lines.filter_map(|line| problem(at, &line)).collect();
    // Cargo itself failed, so nothing was compiled.
    if let Some(message) = failed.lines().find_map(|line| line.strip_prefix("error: "))
        && !problems.iter().any(|problem| problem.is_error)
    {
        problems.push(TruthProblem {
            path: "Cargo.toml".to_owned(),
            line: 1,
            is_error: true,
            code: String::new(),
            message: message.to_owned(),
            source: "cargo".to_owned(),
        });
    }
    problems
}

fn problem(at: &ProjectCompiler, line: &Value) -> Option<TruthProblem> {
    let told = &line["message"];
    let is_error = match told["level"].as_str()? {
        "error" => true,
        "warning" => false,
        _ => return None,
    };
    // One without a place only counts the others.
    let span = told["spans"].as_array()?.iter().find(|span| span["is_primary"] == true)?;
    Some(TruthProblem {
        path: at.relative_path(span["file_name"].as_str()?),
        line: span["line_start"].as_u64()? as usize,
        is_error,
        code: told["code"]["code"].as_str().unwrap_or_default().to_owned(),
        message: told["message"].as_str()?.to_owned(),
        source: "rustc".to_owned(),
    })
}
